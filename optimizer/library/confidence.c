/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Determines how sure a choice is. All costs are drawn at random within their errors, 128 times,
 * and the exact choice is made for each draw. The winners are the candidates. Each candidate is
 * then priced in all draws; the one with the least mean cost is taken, its share of wins is its
 * chance, and its mean distance from the best of each draw the expected loss.
 *
 * Errors are not independent, and the draws keep that. Combinations that were fitted to the same
 * rows get the same error. At a point that was not measured, a prediction gets the error that it
 * had at one of the measured points when that was left out, or the opposite: in a draw it is the
 * same point for all alternatives, since laws of similar alternatives err alike, which keeps their
 * order. An implementation that is not proven to work takes part with the chance that it does.
 *
 * Random numbers are functions of the draw and of what is drawn, so all ranks and machines get the
 * same.
 */
#include "confidence.h"
#include "plan_internal.h"

#include <portolan/list.h>
#include <portolan/stats.h>
#include <string.h>

enum { SCENARIOS = 128 };
/* In this many draws more than there are points, errors are independent: few points do not show how
 * alike errors are. */
enum { APART = 4 };

/* A choice is risky if it loses more than MUCH in more than the share RARELY of the draws. */
static const double much = 0.5, rarely = 0.06;
/* The largest loss, relative to the least cost, that counts. */
static const double worst_loss = 3;

/* An assignment of the problem's variables, and in how many draws it was the best. */
struct candidate {
    size_t *values, wins;
};

struct scenarios {
    const struct portolan_plan *p;
    struct portolan_arena pool;
    const struct plan_view *from;
    struct plan_view view;    /* with drawn costs */
    bool is_hopeful;          /* a combination may work although that is not proven */
    size_t n_points, *points; /* one trial for each point */
    size_t n_candidates;
    struct candidate *candidates;
    struct portolan_choice *problem[SCENARIOS];
    double least[SCENARIOS];
};

/* The source of random numbers: combinations that share their rows share their error. */
static uint64_t source_of(const struct quantity *q, size_t path, size_t tuple)
{
    return q->rows ? 1 + q->rows->number : 1ULL << 48 | (uint64_t)path << 20 | tuple;
}

/* The error of Q in a scenario, in standard errors. */
static double error_of(const struct scenarios *s, const struct quantity *q, size_t scenario,
                       uint64_t source)
{
    const struct portolan_local *local = q->rows ? q->rows->local : NULL;
    size_t round = s->n_points + APART, at = scenario % round;
    double error = NAN;

    if (local && at < s->n_points && isnan(portolan_local_error(local, s->p->s.target_point)))
        error = portolan_local_error(local, s->points[at]);
    if (isnan(error))
        return portolan_draw_normal(scenario, 4 * source);
    return scenario / round % 2 ? error : -error;
}

/* Scales E by an ERROR in standard errors; outside the measured range, the low end of the interval
 * may be a bound. */
static void scale_estimate(struct estimate *e, double error, bool outside)
{
    double value = e->value * exp(fmin(e->se, 3) * error);

    e->value = outside ? fmax(value, fmin(e->low, e->value)) : value;
}

/* Draws the cost of tuple K on path I. HOPEFUL: an unproven implementation is allowed with its
 * chance to work. */
static void draw_cost(struct scenarios *s, size_t scenario, bool hopeful, size_t i, size_t k)
{
    const struct plan_tuple *t = &s->p->paths[i].tuples[k];
    struct plan_cost *c = &s->view.costs[i][k];

    *c = s->from->costs[i][k];
    s->is_hopeful = s->is_hopeful || c->hope > 0;
    if (hopeful &&
        portolan_draw_uniform(scenario, 4 * source_of(&t->exclusive, i, k) + 3) < c->hope)
        c->allowed = true;
    if (c->exclusive.se > 0)
        scale_estimate(&c->exclusive,
                       error_of(s, &t->exclusive, scenario, source_of(&t->exclusive, i, k)),
                       c->extrapolating > 0);
    if (c->calls.se > 0)
        scale_estimate(&c->calls,
                       portolan_draw_normal(scenario, 4 * source_of(&t->calls, i, k) + 1), false);
    scale_estimate(&c->setup, portolan_draw_normal(scenario, 4 * source_of(&t->setup, i, k) + 2),
                   false);
    scale_estimate(&c->again, portolan_draw_normal(scenario, 4 * source_of(&t->again, i, k) + 2),
                   false);
}

static void fill_scenario(struct scenarios *s, size_t scenario, bool hopeful)
{
    for (size_t i = 0; i < s->p->s.n_nodes; i++)
        for (size_t k = 0; k < s->p->paths[i].scope.n_tuples; k++)
            draw_cost(s, scenario, hopeful, i, k);
}

static enum portolan_status scenarios_init(struct scenarios *s, const struct plan_view *v)
{
    const struct survey *survey = &v->p->s;

    s->p = v->p;
    s->from = v;
    s->view = *v;
    s->view.costs = portolan_arena_alloc(&s->pool, survey->n_nodes, sizeof *s->view.costs);
    s->points = portolan_arena_alloc(&s->pool, survey->n_trials + 1, sizeof *s->points);
    for (size_t i = 0; s->points && i < survey->n_trials; i++)
        if (survey->trials[i].point == i)
            s->points[s->n_points++] = i;
    for (size_t i = 0; !s->pool.failed && i < survey->n_nodes; i++) {
        size_t n = v->p->paths[i].scope.n_tuples;

        s->view.costs[i] = portolan_arena_alloc(&s->pool, n, sizeof **v->costs);
        if (s->view.costs[i])
            memcpy(s->view.costs[i], v->costs[i], n * sizeof **v->costs);
    }
    return s->pool.failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
}

static enum portolan_status add_candidate(struct scenarios *s, const size_t *values, size_t *index)
{
    size_t bytes = s->p->n_core * sizeof *values;
    struct candidate x = {0};

    for (*index = 0; *index < s->n_candidates; ++*index)
        if (memcmp(s->candidates[*index].values, values, bytes) == 0)
            return PORTOLAN_OK;
    if (!(x.values = portolan_arena_alloc(&s->pool, s->p->n_core + 1, sizeof *x.values)))
        return PORTOLAN_ENOMEM;
    memcpy(x.values, values, bytes);
    return portolan_arena_append(&s->pool, &s->candidates, &s->n_candidates, &x, sizeof x)
               ? PORTOLAN_OK
               : PORTOLAN_ENOMEM;
}

/* Finds the best choice for the costs in the scenario's view; *PROBLEM is the caller's to destroy.
 */
static enum portolan_status solve_view(struct scenarios *s, struct portolan_choice **problem,
                                       double *least, size_t *winner)
{
    struct portolan_choice_solution *solution = NULL;
    enum portolan_status status = plan_make_problem(&s->view, problem, NULL);

    if (!status)
        status = portolan_choice_solve(*problem, false, &solution, NULL);
    if (!status) {
        *least = solution->cost;
        status = add_candidate(s, solution->values, winner);
    }
    portolan_choice_solution_destroy(solution);
    return status;
}

static enum portolan_status solve_scenario(struct scenarios *s, size_t scenario)
{
    struct portolan_choice *hopeful = NULL;
    double least = INFINITY;
    size_t winner = 0, lucky = 0;
    enum portolan_status status;

    fill_scenario(s, scenario, false);
    status = solve_view(s, &s->problem[scenario], &s->least[scenario], &winner);
    if (!status && s->is_hopeful) {
        fill_scenario(s, scenario, true);
        status = solve_view(s, &hopeful, &least, &lucky);
    }
    if (!status && least < s->least[scenario]) {
        s->least[scenario] = least;
        winner = lucky;
    }
    if (!status)
        s->candidates[winner].wins++;
    portolan_choice_destroy(hopeful);
    return status;
}

struct outlook {
    double cost, loss, often; /* mean cost, mean loss; share of draws that lose much */
};

static struct outlook look_ahead(const struct scenarios *s, size_t candidate)
{
    struct outlook o = {0};

    for (size_t k = 0; k < SCENARIOS; k++) {
        double cost = portolan_choice_cost(s->problem[k], s->candidates[candidate].values);
        double loss = s->least[k] > 0 ? fmin(cost / s->least[k] - 1, worst_loss) : 0;

        o.cost += cost / SCENARIOS;
        o.loss += loss / SCENARIOS;
        o.often += (loss > much) / (double)SCENARIOS;
    }
    return o;
}

/* Finds how often each value belongs to the best choice. */
static void share_wins(const struct scenarios *s, double **shares)
{
    for (size_t k = 0; k < s->n_candidates; k++)
        for (size_t v = 0; v < s->p->n_core; v++)
            shares[v][s->candidates[k].values[v]] += (double)s->candidates[k].wins / SCENARIOS;
}

/* Finds the share of the time as written that candidate K saves, with its interval over the draws,
 * in which errors common to both cancel. */
static void find_gain(struct scenarios *s, size_t k, struct plan_confidence *out)
{
    size_t *written = portolan_arena_alloc(&s->pool, s->p->n_core + 1, sizeof *written);
    size_t *none = portolan_arena_alloc(&s->pool, s->p->s.n_variables + 1, sizeof *none);
    double shares[SCENARIOS], mine = 0, its = 0;

    if (!written || !none)
        return;
    plan_put_values(s->from, none, written);
    for (size_t i = 0; i < SCENARIOS; i++) {
        double then = portolan_choice_cost(s->problem[i], written);
        double now = portolan_choice_cost(s->problem[i], s->candidates[k].values);

        if (!(then > 0) || !isfinite(then) || !isfinite(now))
            return;
        shares[i] = 1 - now / then;
        mine += now;
        its += then;
    }
    portolan_sort_numbers(SCENARIOS, shares);
    out->gain = (struct portolan_gain){.share = 1 - mine / its,
                                       .low = shares[SCENARIOS / 40],
                                       .high = shares[SCENARIOS - 1 - SCENARIOS / 40]};
}

static void judge_candidates(struct scenarios *s, size_t base, struct plan_confidence *out)
{
    struct outlook best = look_ahead(s, base);
    size_t chosen = base, rival = NONE;

    for (size_t k = 0; k < s->n_candidates; k++) {
        struct outlook o = look_ahead(s, k);

        if (o.cost < best.cost * (1 - 1e-3)) {
            best = o;
            chosen = k;
        }
    }
    for (size_t k = 0; k < s->n_candidates; k++)
        if (k != chosen && (rival == NONE || s->candidates[k].wins > s->candidates[rival].wins))
            rival = k;
    share_wins(s, out->shares);
    find_gain(s, chosen, out);
    out->base_chance = (double)s->candidates[base].wins / SCENARIOS;
    out->chance = (double)s->candidates[chosen].wins / SCENARIOS;
    out->expected_loss = best.loss;
    out->is_risky = best.often > rarely;
    memcpy(out->values, s->candidates[chosen].values, s->p->n_core * sizeof *out->values);
    out->has_rival = rival != NONE && s->candidates[rival].wins > 0;
    if (out->has_rival)
        memcpy(out->rival, s->candidates[rival].values, s->p->n_core * sizeof *out->rival);
}

static enum portolan_status confidence_init(const struct portolan_plan *p,
                                            struct portolan_arena *pool,
                                            struct plan_confidence *out)
{
    out->gain = (struct portolan_gain){.share = NAN, .low = NAN, .high = NAN};
    out->values = portolan_arena_alloc(pool, p->n_core, sizeof *out->values);
    out->rival = portolan_arena_alloc(pool, p->n_core, sizeof *out->rival);
    out->shares = portolan_arena_alloc(pool, p->n_core, sizeof *out->shares);
    for (size_t v = 0; v < p->s.n_variables && out->shares; v++)
        if (p->number[v] != NONE)
            out->shares[p->number[v]] =
                portolan_arena_alloc(pool, p->s.variables[v].n, sizeof **out->shares);
    return pool->failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
}

enum portolan_status plan_be_confident(const struct plan_view *v, const size_t *values,
                                       struct portolan_arena *pool, struct plan_confidence *out)
{
    struct scenarios s = {0};
    size_t base = 0;
    enum portolan_status status = confidence_init(v->p, pool, out);

    if (!status)
        status = scenarios_init(&s, v);
    if (!status)
        status = add_candidate(&s, values, &base);
    for (size_t k = 0; !status && k < SCENARIOS; k++)
        status = solve_scenario(&s, k);
    if (!status)
        judge_candidates(&s, base, out);
    for (size_t k = 0; k < SCENARIOS; k++)
        portolan_choice_destroy(s.problem[k]);
    portolan_arena_clear(&s.pool);
    return status;
}

/* Draws the costs of PATHS, and returns the selection's cost there and for conversions. */
static double draw_total(struct scenarios *s, size_t scenario, const size_t *paths, size_t n,
                         const size_t *selection)
{
    const struct plan_data *ignored;
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        size_t tuple = plan_tuple_of(s->p, &s->p->paths[paths[i]].scope, selection);

        if (tuple != NONE)
            draw_cost(s, scenario, false, paths[i], tuple);
        sum += plan_path_ns(&s->view, paths[i], selection);
    }
    return sum + s->view.steps * plan_convert_all(&s->view, selection, &ignored);
}

double plan_chance(const struct plan_view *v, const size_t *mine, const size_t *other,
                   double handicap_ns)
{
    const struct portolan_plan *p = v->p;
    struct scenarios s = {0};
    enum portolan_status status = scenarios_init(&s, v);
    size_t *paths = portolan_arena_alloc(&s.pool, p->s.n_nodes, sizeof *paths);
    size_t wins = 0, n = 0;

    for (size_t i = 0; !status && paths && i < p->s.n_nodes; i++) {
        const struct plan_scope *scope = &p->paths[i].scope;

        if (plan_tuple_of(p, scope, mine) != plan_tuple_of(p, scope, other) ||
            plan_path_ns(v, i, mine) != plan_path_ns(v, i, other))
            paths[n++] = i; /* paths with equal costs cannot decide */
    }
    for (size_t k = 0; n > 0 && k < SCENARIOS; k++)
        wins +=
            draw_total(&s, k, paths, n, mine) + handicap_ns < draw_total(&s, k, paths, n, other);
    portolan_arena_clear(&s.pool);
    return (double)wins / SCENARIOS;
}
