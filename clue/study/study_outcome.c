/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives points for what configurations reach, as things are or under a supposition. */
#include "study.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct supposition as_it_is = {.processors = 1,
                                     .network = SIZE_MAX,
                                     .network_speed = 1,
                                     .node_price = 1,
                                     .memory_price = 1,
                                     .processor_price = 1,
                                     .network_price = 1};

double study_node_price(const struct clue_study *s, const struct configuration *c,
                        const struct supposition *with)
{
    double more = fmax(0, c->memory - s->node_memory);
    bool is_it = with->network == c->network;

    return s->node_price * with->node_price +
           (s->memory_step > 0 ? ceil(more / s->memory_step - 1e-9) : 0) * s->memory_price *
               with->memory_price +
           (c->cpus - 1) * s->processor_price * with->processor_price +
           s->networks[c->network].price * (is_it ? with->network_price : 1);
}

int study_nodes(const struct clue_study *s, const struct configuration *c,
                const struct supposition *with)
{
    double price = study_node_price(s, c, with);

    if (c->nodes)
        return c->nodes;
    return price > 0 ? (int)fmin(floor(s->budget / price * (1 + 1e-12)), 1e9) : 0;
}

/* Returns what VARIANT reaches of a workload as a rate, of which larger is better; NAN: nothing.
 * *ERROR: relative, half its interval. Results and runs are of today's number of nodes; other
 * numbers reach a proportional rate. */
static double rate_of(const struct clue_study *s, const struct configuration *c,
                      const struct variant *v, size_t workload, int nodes,
                      const struct supposition *with, double *error)
{
    const struct workload *w = &s->workloads[workload];
    const struct clue_study_value *value = &v->values[workload];
    double network = with->network == c->network ? with->network_speed : 1;
    double slower = (1 - value->communication) / with->processors + value->communication / network;
    double rate = value->value, x[FORMULA_NAMES];
    int now = study_nodes(s, c, &as_it_is);

    *error = 0;
    if (v->is_too_large[workload] || isnan(rate))
        return NAN;
    *error = (value->high - value->low) / 2 / value->value;
    if (w->kind == WORKLOAD_FORMULA && nodes != now) {
        study_formula_values(s, c, nodes, v, x);
        rate = portolan_formula_value(w->formula, x);
    }
    if (w->is_time)
        rate = 1 / rate;
    if (w->kind != WORKLOAD_FORMULA)
        rate *= (double)nodes / now;
    return isfinite(rate) && rate > 0 ? rate / slower : NAN;
}

/* ------------------------------------------------- the choice of variants */

struct judging {
    const struct clue_study *s;
    const struct supposition *with;
    struct outcome *o;
    double *best; /* the best rate of each workload */
};

static double rate_in(const struct judging *j, size_t c, size_t v, size_t w, double *error)
{
    const struct configuration *configuration = &j->s->configurations[c];

    return rate_of(j->s, configuration, &configuration->variants[v], w, j->o->nodes[c], j->with,
                   error);
}

/* Finds the best rates of all variants, or of the chosen ones. */
static void find_best(struct judging *j, bool of_chosen)
{
    const struct clue_study *s = j->s;
    double error;

    for (size_t w = 0; w < s->n_workloads; w++) {
        j->best[w] = 0;
        for (size_t c = 0; c < s->n_configurations; c++)
            for (size_t v = 0; v < s->configurations[c].n_variants; v++)
                if (!of_chosen || j->o->chosen[c * s->n_workloads + w] == v)
                    j->best[w] = fmax(j->best[w], rate_in(j, c, v, w, &error));
    }
}

/* Returns the variant with most points for all workloads of W's case, in which each has a rate. */
static size_t choose_variant(const struct judging *j, size_t c, size_t w)
{
    const struct clue_study *s = j->s;
    double most = 0, error;
    size_t chosen = SIZE_MAX;

    for (size_t v = 0; v < s->configurations[c].n_variants; v++) {
        double sum = 0;

        for (size_t k = 0; k < s->n_workloads; k++)
            if (strcmp(s->workloads[k].of, s->workloads[w].of) == 0)
                sum += s->workloads[k].weight * rate_in(j, c, v, k, &error) / j->best[k];
        if (sum > most * (1 + 1e-12)) {
            most = sum;
            chosen = v;
        }
    }
    return chosen;
}

/* ------------------------------------------------- points */

static void give_points(struct judging *j, size_t c)
{
    const struct clue_study *s = j->s;
    double variance = 0;

    for (size_t w = 0; w < s->n_workloads; w++) {
        size_t at = c * s->n_workloads + w;
        double error = 0, rate = 0;

        if (j->o->chosen[at] != SIZE_MAX)
            rate = rate_in(j, c, j->o->chosen[at], w, &error);
        j->o->points[at] = rate > 0 ? rate / j->best[w] * s->workloads[w].weight : 0;
        j->o->errors[at] = error * j->o->points[at];
        j->o->sums[c] += j->o->points[at];
        variance += j->o->errors[at] * j->o->errors[at];
    }
    j->o->sum_errors[c] = sqrt(variance);
}

static int compare_sums(const void *a, const void *b, void *sums)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    double dx = ((const double *)sums)[x], dy = ((const double *)sums)[y];

    return dx != dy ? PORTOLAN_ORDER(dy, dx) : PORTOLAN_ORDER(x, y);
}

struct outcome study_outcome(const struct clue_study *s, const struct supposition *with,
                             struct portolan_arena *arena)
{
    size_t n = s->n_configurations, cells = n * s->n_workloads;
    struct outcome o = {.nodes = portolan_arena_alloc(arena, n, sizeof(int)),
                        .prices = portolan_arena_alloc(arena, n, sizeof(double)),
                        .points = portolan_arena_alloc(arena, cells, sizeof(double)),
                        .errors = portolan_arena_alloc(arena, cells, sizeof(double)),
                        .chosen = portolan_arena_alloc(arena, cells, sizeof(size_t)),
                        .sums = portolan_arena_alloc(arena, n, sizeof(double)),
                        .sum_errors = portolan_arena_alloc(arena, n, sizeof(double)),
                        .order = portolan_arena_alloc(arena, n, sizeof(size_t))};
    struct judging j = {s, with, &o, portolan_arena_alloc(arena, s->n_workloads, sizeof(double))};

    if (arena->failed)
        return o;
    for (size_t c = 0; c < n; c++) {
        o.nodes[c] = study_nodes(s, &s->configurations[c], with);
        o.prices[c] = o.nodes[c] * study_node_price(s, &s->configurations[c], with);
        o.order[c] = c;
    }
    find_best(&j, false);
    for (size_t i = 0; i < cells; i++)
        o.chosen[i] = choose_variant(&j, i / s->n_workloads, i % s->n_workloads);
    find_best(&j, true);
    for (size_t c = 0; c < n; c++)
        give_points(&j, c);
    qsort_r(o.order, n, sizeof *o.order, compare_sums, o.sums);
    return o;
}

bool clue_study_peek(const struct clue_study *s, size_t i, const char **name, int *nodes,
                     double *points)
{
    struct portolan_arena arena = {0};
    struct outcome o = study_outcome(s, &as_it_is, &arena);
    bool is_there = !arena.failed && i < s->n_configurations;

    if (is_there) {
        *name = s->configurations[o.order[i]].name;
        *nodes = o.nodes[o.order[i]];
        *points = o.sums[o.order[i]];
    }
    portolan_arena_clear(&arena);
    return is_there;
}
