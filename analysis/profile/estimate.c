/* SPDX-License-Identifier: BSD-3-Clause */
/* Derives estimates, compensated values, marks and contradictions from the raw sums. */
#include "internal.h"

#include <portolan/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mean below this many costs of a call says more about measuring than about the method. */
static const double marked_below = 20;
/* Raw sums are doubles added in different orders; ticks are rounded to ns one by one. */
static const double rounding = 1e-6;
static const double interval_errors = 2;

/* Sums over the calls below a node, made while the tree is walked from its leaves. */
struct below {
    double untimed_ns;                    /* of the children: estimated less timed */
    double error_squares;                 /* of the children's estimates */
    double children_ns;                   /* raw inclusive time */
    double calls, cost_ns, spread_ns;     /* of all calls below */
    double outside_ns, outside_spread_ns; /* of the children's own calls, outside their records */
};

static double or_0(double x)
{
    return isnan(x) ? 0 : x;
}

size_t portolan_profile_find_counter(const struct portolan_profile *p, const char *name)
{
    size_t k = 0;

    while (k < p->n_counters && strcmp(p->counter_names[k], name) != 0)
        k++;
    return k;
}

void portolan_profile_add_context(double value, bool binned, struct portolan_text *text)
{
    if (binned)
        portolan_text_add(text, "%.12g", value);
    else
        portolan_text_add_number(text, value);
}

static const char exclusive[] = PORTOLAN_PROFILE_EXCLUSIVE;

bool portolan_profile_is_exclusive_counter(const char *name)
{
    size_t length = strlen(name), suffix = sizeof exclusive - 1;

    return length > suffix && !strcmp(name + length - suffix, exclusive);
}

size_t portolan_profile_find_exclusive(const struct portolan_profile *p, size_t k)
{
    size_t length = strlen(p->counter_names[k]), e = 0;

    while (e < p->n_counters && (strncmp(p->counter_names[e], p->counter_names[k], length) != 0 ||
                                 strcmp(p->counter_names[e] + length, exclusive) != 0))
        e++;
    return e;
}

double portolan_profile_sum(const struct portolan_profile *p, const struct portolan_profile_node *n,
                            const char *metric, double *max)
{
    const struct {
        const char *name;
        const struct portolan_statistics *stored;
        double sum;
    } known[] = {{"exclusive", &n->exclusive_ns, n->exclusive.value},
                 {"inclusive", &n->inclusive_ns, n->inclusive.value},
                 {"mpi", &n->mpi_ns, n->mpi.value},
                 {"calls", &n->calls, n->calls.sum}};
    size_t k = portolan_profile_find_counter(p, metric);
    double ratio = portolan_timed_ratio(n->calls.sum, n->timed_calls);

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(metric, known[i].name)) {
            *max = known[i].stored->max;
            return known[i].sum;
        }
    if (k == p->n_counters || !(n->counted & UINT32_C(1) << k))
        return *max = NAN;
    *max = n->counters[k].max * ratio;
    return n->counters[k].sum * ratio;
}

/* SUM over the timed calls of N, estimated for all. */
static double of_all(const struct portolan_profile_node *n, double sum)
{
    return portolan_estimate_all(sum, n->calls.sum, n->timed_calls);
}

/* Squared standard error of the estimated inclusive time, for sampling without replacement. */
static double variance_of(const struct portolan_profile_node *n)
{
    double m = n->timed_calls, mean, spread;

    if (!n->is_sampled || m < 2)
        return n->is_sampled ? INFINITY : 0;
    mean = n->inclusive_ns.sum / m;
    spread = fmax(0, (n->sum_squares_ns2 - m * mean * mean) / (m - 1));
    return n->calls.sum * n->calls.sum * spread / m * (1 - m / n->calls.sum);
}

static struct portolan_profile_estimate around(double value, double half_width)
{
    return (struct portolan_profile_estimate){value, value - half_width, value + half_width};
}

static double call_cost(const struct portolan_profile *p, const struct portolan_profile_node *n)
{
    return p->cost.call_ns + (n->counted ? or_0(p->cost.counters_ns) : 0);
}

/* Returns whether the node was called but no call was timed. */
static bool is_unknown(const struct portolan_profile_node *n)
{
    return n->is_sampled && n->timed_calls == 0;
}

static const struct portolan_profile_estimate unknown = {NAN, NAN, NAN};

static void forget(struct portolan_profile_node *n)
{
    n->inclusive = n->exclusive = n->mpi = unknown;
    n->inclusive_compensated = n->exclusive_compensated = unknown;
}

static void estimate_node(const struct portolan_profile *p, struct portolan_profile_node *n,
                          const struct below *b)
{
    double error = sqrt(variance_of(n)), exclusive_error, taken, spread;

    n->inclusive = around(of_all(n, n->inclusive_ns.sum), interval_errors * error);
    exclusive_error = sqrt(variance_of(n) + b->error_squares);
    n->exclusive =
        around(of_all(n, n->exclusive_ns.sum) - b->untimed_ns, interval_errors * exclusive_error);
    n->mpi = around(of_all(n, n->mpi_ns.sum), 0);
    if (n->is_sampled) /* its spread is not stored: assume the relative one of the inclusive time */
        n->mpi = around(n->mpi.value, n->inclusive.value > 0 ? interval_errors * error *
                                                                   n->mpi.value / n->inclusive.value
                                                             : 0);
    taken = of_all(n, n->timed_calls * p->cost.inside_ns);
    spread = or_0(p->cost.spread_ns) * interval_errors;
    n->inclusive_compensated =
        around(n->inclusive.value - taken - b->cost_ns,
               interval_errors * error + b->spread_ns + spread * n->timed_calls);
    n->exclusive_compensated =
        around(n->exclusive.value - taken - b->outside_ns,
               interval_errors * exclusive_error + b->outside_spread_ns + spread * n->timed_calls);
    n->descendants = b->calls;
    n->one_mean_ns = n->timed_calls > 0 ? n->inclusive_ns.sum / n->timed_calls : 0;
    if (is_unknown(n))
        forget(n);
    n->is_marked =
        n->timed_calls > 0 && n->inclusive_ns.sum / n->timed_calls < marked_below * call_cost(p, n);
}

/* The calls below a context cannot be separated from those below other contexts of its path. */
static void estimate_context(const struct portolan_profile *p, struct portolan_profile_node *n)
{
    const struct portolan_profile_node *path = &p->nodes[n->parent];

    estimate_node(p, n, &(struct below){0});
    n->inclusive_compensated = n->exclusive_compensated = unknown;
    if (n->is_sampled || fabs(path->exclusive.value - path->exclusive_ns.sum) >
                             rounding * fabs(path->exclusive_ns.sum))
        n->exclusive = unknown; /* calls below were sampled, but not known in which contexts */
}

/* Adds N and all calls below it to the sums of its parent. */
static void pass_up(const struct portolan_profile *p, const struct portolan_profile_node *n,
                    const struct below *own, struct below *up)
{
    double untimed = n->calls.sum - n->timed_calls;
    double cost = n->timed_calls * call_cost(p, n) + untimed * or_0(p->cost.forward_ns);
    double spread = interval_errors * or_0(p->cost.spread_ns) * n->timed_calls;

    /* If no call was timed, the time stays in the caller's, whose bounds are infinite. */
    up->untimed_ns += of_all(n, n->inclusive_ns.sum) - n->inclusive_ns.sum;
    up->error_squares += variance_of(n);
    up->children_ns += n->inclusive_ns.sum;
    up->calls += own->calls + n->calls.sum;
    up->cost_ns += own->cost_ns + cost;
    up->spread_ns += own->spread_ns + spread;
    up->outside_ns += cost - n->timed_calls * p->cost.inside_ns;
    up->outside_spread_ns += spread;
}

static bool contradicts(const struct portolan_profile_node *n, const struct below *b)
{
    return !n->is_context && !n->is_sampled &&
           b->children_ns - n->inclusive_ns.sum > rounding * fabs(n->inclusive_ns.sum) + 1; /* ns */
}

static bool note_violation(struct portolan_profile *p, size_t node, double children_ns)
{
    p->violations =
        portolan_arena_grow(&p->arena, p->violations, p->n_violations, sizeof *p->violations);
    if (!p->violations)
        return false;
    p->violations[p->n_violations++] =
        (struct portolan_profile_violation){node, p->nodes[node].inclusive_ns.sum, children_ns};
    return true;
}

static struct portolan_profile_cell *cell_of_caller(const struct portolan_profile *p,
                                                    const struct portolan_profile_cell *c)
{
    struct portolan_profile_cell key = {.rank = c->rank, .thread = c->thread};

    if (p->nodes[c->node].parent < 0)
        return NULL;
    key.node = (size_t)p->nodes[c->node].parent;
    return bsearch(&key, p->cells, p->n_cells, sizeof key, profile_compare_cells);
}

/* Like estimate_node(): moves the time of calls that were not timed out of their caller's exclusive
 * time. */
static void estimate_cells(struct portolan_profile *p)
{
    for (size_t i = 0; i < p->n_cells; i++) {
        struct portolan_profile_cell *c = &p->cells[i], *caller;
        double ratio = portolan_estimate_all(1, c->calls, c->timed_calls);

        if (p->nodes[c->node].is_context)
            continue;
        c->all_inclusive_ns = c->inclusive_ns * ratio;
        c->all_exclusive_ns += c->exclusive_ns * ratio;
        c->all_mpi_ns = c->mpi_ns * ratio;
        if (ratio != 1 && (caller = cell_of_caller(p, c)))
            caller->all_exclusive_ns -= c->inclusive_ns * (ratio - 1);
    }
}

enum portolan_status profile_estimate(struct portolan_profile *p, struct portolan_error *err)
{
    struct below *below = portolan_calloc(p->n_nodes + 1, sizeof *below);
    bool good = below != NULL;

    for (size_t i = p->n_nodes; good && i-- > 0;) {
        struct portolan_profile_node *n = &p->nodes[i];

        n->is_sampled = n->timed_calls < n->calls.sum;
        if (n->is_context)
            continue; /* a context is a part of its path, and has no calls below it */
        estimate_node(p, n, &below[i]);
        if (n->parent >= 0)
            pass_up(p, n, &below[i], &below[n->parent]);
        if (contradicts(n, &below[i]))
            good = note_violation(p, i, below[i].children_ns);
    }
    for (size_t i = 0; good && i < p->n_nodes; i++)
        if (p->nodes[i].is_context)
            estimate_context(p, &p->nodes[i]);
    estimate_cells(p);
    free(below);
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}
