/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths as a tree, or methods as a list: values of one metric, sorted, the largest rows. */
#include "report.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- values of a node */

enum value {
    CALLS,
    TIMED,
    INCLUSIVE,
    INCLUSIVE_ERROR,
    EXCLUSIVE,
    EXCLUSIVE_ERROR,
    MPI,
    SHARE,
    PER_CALL,
    LONGEST,
    COUNT,
    OWN_COUNT,
    COUNT_PER_CALL,
    MIN,
    MAX,
    DEVIATION,
    IMBALANCE,
    MAX_RANK,
    ON_RANKS
};

static struct portolan_profile_estimate exactly(double x)
{
    return (struct portolan_profile_estimate){x, x, x};
}

/* Totals over ranks: raw, estimated or compensated, as the report asks. */
static struct portolan_profile_estimate inclusive_of(const struct view *v,
                                                     const struct portolan_profile_node *n)
{
    return v->r->values == PORTOLAN_PROFILE_RAW           ? exactly(n->inclusive_ns.sum)
           : v->r->values == PORTOLAN_PROFILE_COMPENSATED ? n->inclusive_compensated
                                                          : n->inclusive;
}

static struct portolan_profile_estimate exclusive_of(const struct view *v,
                                                     const struct portolan_profile_node *n)
{
    return v->r->values == PORTOLAN_PROFILE_RAW           ? exactly(n->exclusive_ns.sum)
           : v->r->values == PORTOLAN_PROFILE_COMPENSATED ? n->exclusive_compensated
                                                          : n->exclusive;
}

/* The factor from values of timed calls to values of all calls; 1 for raw values. */
static double ratio_of(const struct view *v, const struct portolan_profile_node *n)
{
    return v->r->values == PORTOLAN_PROFILE_RAW
               ? 1
               : portolan_timed_ratio(n->calls.sum, n->timed_calls);
}

/* The same factor for statistics over ranks. */
static double statistics_ratio(const struct view *v, const struct portolan_profile_node *n)
{
    if (v->metric != METRIC_TIME || v->r->values == PORTOLAN_PROFILE_RAW)
        return ratio_of(v, n);
    return n->compute_ns.sum != 0 ? (n->exclusive.value - n->mpi.value) / n->compute_ns.sum : 1;
}

static double half_width(struct portolan_profile_estimate e)
{
    return (e.high - e.low) / 2;
}

static double value_of(const struct view *v, size_t i, enum value which)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];
    const struct portolan_statistics *s = v->metric == METRIC_COUNTER ? &n->counters[v->counter]
                                          : v->metric == METRIC_MPI   ? &n->mpi_ns
                                                                      : &n->compute_ns;
    double ranks = v->p->ranks;

    switch (which) {
    case CALLS:
        return n->calls.sum;
    case TIMED:
        return n->calls.sum > 0 ? n->timed_calls / n->calls.sum : NAN;
    case INCLUSIVE:
        return inclusive_of(v, n).value / ranks;
    case INCLUSIVE_ERROR:
        return half_width(inclusive_of(v, n)) / ranks;
    case EXCLUSIVE:
        return exclusive_of(v, n).value / ranks;
    case EXCLUSIVE_ERROR:
        return half_width(exclusive_of(v, n)) / ranks;
    case MPI:
        return (v->r->values == PORTOLAN_PROFILE_RAW ? n->mpi_ns.sum : n->mpi.value) / ranks;
    case SHARE:
        return v->total != 0 ? exclusive_of(v, n).value / v->total : NAN;
    case PER_CALL:
        return n->timed_calls > 0 ? n->one_mean_ns : NAN;
    case LONGEST: /* only a part is stored of a call that lasted several steps */
        return n->one_max_ns * (1 + 1e-9) >= n->one_mean_ns ? n->one_max_ns : NAN;
    case COUNT:
        return s->mean * ratio_of(v, n);
    case OWN_COUNT:
        return v->own[i] / ranks;
    case COUNT_PER_CALL:
        return n->timed_calls > 0 ? s->sum / n->timed_calls : NAN;
    case MIN:
        return s->min * statistics_ratio(v, n);
    case MAX:
        return s->max * statistics_ratio(v, n);
    case DEVIATION:
        return s->stddev * statistics_ratio(v, n);
    case IMBALANCE:
        return portolan_imbalance(s);
    case MAX_RANK:
        return s->max_rank < 0 ? NAN : s->max_rank;
    case ON_RANKS:
        return n->n_ranks;
    }
    return NAN;
}

/* ------------------------------------------------- metric and order */

static enum portolan_status set_sort(struct view *v, const char *name)
{
    static const struct {
        const char *name;
        enum value value;
    } keys[] = {{"inclusive", INCLUSIVE},
                {"exclusive", EXCLUSIVE},
                {"mpi", MPI},
                {"calls", CALLS},
                {"imbalance", IMBALANCE}};

    v->by_name = !strcmp(name, "name");
    if (v->by_name || !strcmp(name, "called"))
        return PORTOLAN_OK;
    v->by_key = true;
    v->key = v->metric == METRIC_COUNTER ? COUNT : v->metric == METRIC_MPI ? MPI : INCLUSIVE;
    if (!strcmp(name, "metric"))
        return PORTOLAN_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(name, keys[i].name)) {
            v->key = keys[i].value;
            return PORTOLAN_OK;
        }
    return portolan_error_set(v->err, PORTOLAN_EINVAL,
                              "cannot sort by '%s'; the keys are: inclusive, exclusive, mpi, "
                              "calls, imbalance, metric, name, called",
                              name);
}

static enum portolan_status set_metric(struct view *v, const char *name)
{
    struct portolan_text known = {0};

    if (!name || !strcmp(name, "TIME"))
        return PORTOLAN_OK;
    if (!strcmp(name, "MPI TIME")) {
        v->metric = METRIC_MPI;
        return PORTOLAN_OK;
    }
    v->metric = METRIC_COUNTER;
    for (; v->counter < v->p->n_counters; v->counter++)
        if (!strcmp(v->p->counter_names[v->counter], name))
            return PORTOLAN_OK;
    for (size_t i = 0; i < v->p->n_counters; i++)
        portolan_text_add(&known, ", %s", v->p->counter_names[i]);
    portolan_error_set(v->err, PORTOLAN_EINVAL,
                       "trial %lld has no metric '%s'; it has: TIME, MPI TIME%s",
                       (long long)v->p->trial->id, name, known.bytes ? known.bytes : "");
    portolan_text_clear(&known);
    return PORTOLAN_EINVAL;
}

/* Computes exclusive counts: the stored ones, if there are any, else inclusive ones minus those of
 * the calls below. */
static enum portolan_status count_own(struct view *v)
{
    const struct portolan_profile *p = v->p;
    size_t own = v->metric == METRIC_COUNTER ? portolan_profile_find_exclusive(p, v->counter) : 0;

    if (v->metric != METRIC_COUNTER)
        return PORTOLAN_OK;
    if (portolan_profile_is_exclusive_counter(p->counter_names[v->counter]))
        own = v->counter;
    if (!(v->own = portolan_calloc(p->n_nodes + 1, sizeof *v->own)))
        return portolan_no_memory(v->err);
    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];

        if (own < p->n_counters) {
            v->own[i] = n->counters[own].sum * ratio_of(v, n);
            continue;
        }
        v->own[i] +=
            p->is_flat || n->is_context ? NAN : n->counters[v->counter].sum * ratio_of(v, n);
        if (n->parent >= 0 && !n->is_context && n->counted >> v->counter & 1)
            v->own[n->parent] -= n->counters[v->counter].sum * ratio_of(v, n);
    }
    return PORTOLAN_OK;
}

enum portolan_status view_open(struct view *v, const char *default_sort)
{
    enum portolan_status status = set_metric(v, v->r->metric);

    if (v->metric != METRIC_TIME)
        default_sort = "metric";
    if (status == PORTOLAN_OK)
        status = set_sort(v, v->r->sort ? v->r->sort : default_sort);
    return status == PORTOLAN_OK ? count_own(v) : status;
}

void view_close(struct view *v)
{
    free(v->own);
    v->own = NULL;
}

bool view_matches(const struct view *v, size_t i)
{
    struct portolan_text label = {0};
    bool matches;

    if (!v->r->method)
        return true;
    if (!fnmatch(v->r->method, v->p->nodes[i].method, 0))
        return true;
    portolan_profile_add_label(&v->p->nodes[i], false, &label);
    matches = label.bytes && !fnmatch(v->r->method, label.bytes, 0);
    if (!matches && label.bytes) { /* without the implementation */
        label.bytes[strcspn(label.bytes, " ")] = '\0';
        matches = !fnmatch(v->r->method, label.bytes, 0);
    }
    portolan_text_clear(&label);
    return matches;
}

static int compare_names(const void *x, const void *y, void *profile)
{
    const struct portolan_profile *p = profile;
    const size_t i = *(const size_t *)x, k = *(const size_t *)y;
    const struct portolan_profile_node *a = &p->nodes[i], *b = &p->nodes[k];
    int order = strcmp(a->instance, b->instance);

    if (!order)
        order = strcmp(a->method, b->method);
    if (!order)
        order = strcmp(a->implementation, b->implementation);
    return order ? order : (i > k) - (i < k);
}

static void set_names(const struct view *v, size_t *sorted, struct grid_row *rows)
{
    for (size_t i = 0; i < v->p->n_nodes; i++)
        sorted[i] = i;
    qsort_r(sorted, v->p->n_nodes, sizeof *sorted, compare_names, (void *)v->p);
    for (size_t i = 0; i < v->p->n_nodes; i++)
        rows[sorted[i]].place = (double)i;
}

/* The nodes to be shown, in order; contexts come before the calls below their path. */
static enum portolan_status order_nodes(const struct view *v, size_t **order, size_t *n)
{
    const struct portolan_profile *p = v->p;
    struct grid_row *rows = portolan_calloc(p->n_nodes + 1, sizeof *rows);
    size_t *sorted = portolan_calloc(p->n_nodes + 1, sizeof *sorted);
    bool good = rows && sorted;

    for (size_t i = 0; good && i < p->n_nodes; i++) {
        double key = v->by_key ? value_of(v, i, v->key) : -(double)i;

        rows[i] = (struct grid_row){
            .parent = p->nodes[i].parent,
            .is_first = p->nodes[i].is_context,
            .place = isnan(key) ? INFINITY : -key, /* unknown values come last */
            .matches = view_matches(v, i),
        };
    }
    if (good && v->by_name && p->n_nodes)
        set_names(v, sorted, rows);
    for (size_t i = 0; good && i < p->n_nodes; i++)
        rows[i].weight = -rows[i].place;
    good = good && (*order = grid_order(rows, p->n_nodes, v->r->top, n));
    free(rows);
    free(sorted);
    return good ? PORTOLAN_OK : portolan_no_memory(v->err);
}

/* ------------------------------------------------- columns */

/* A column is shown if all of its conditions hold. */
enum { RANKS = 1, PARTLY = 2, SAMPLED = 4, ERRORS = 8, FLAT = 16, TREE = 32 };

static const struct node_column {
    unsigned metrics; /* a bit for each metric that has the column */
    unsigned needs;
    enum value value;
    struct grid_column column;
} node_columns[] = {
    {7, 0, CALLS, {"calls", GRID_COUNT}},
    {1, SAMPLED, TIMED, {"timed", GRID_PERCENT}},
    {1, 0, INCLUSIVE, {"inclusive", GRID_TIME}},
    {1, ERRORS, INCLUSIVE_ERROR, {"+-", GRID_TIME}},
    {1, 0, EXCLUSIVE, {"exclusive", GRID_TIME}},
    {1, ERRORS, EXCLUSIVE_ERROR, {"+-", GRID_TIME}},
    {1, 0, MPI, {"mpi", GRID_TIME}},
    {1, 0, SHARE, {"share", GRID_PERCENT}},
    {1, FLAT, PER_CALL, {"per call", GRID_EACH}},
    {1, FLAT, LONGEST, {"longest", GRID_EACH}},
    {2, 0, COUNT, {"mpi", GRID_TIME}},
    {2, 0, COUNT_PER_CALL, {"per call", GRID_EACH}},
    {2, RANKS, MIN, {"min", GRID_TIME}},
    {2, RANKS, MAX, {"max", GRID_TIME}},
    {2, RANKS, DEVIATION, {"stddev", GRID_TIME}},
    {4, 0, COUNT, {"inclusive", GRID_NUMBER}},
    {4, TREE, OWN_COUNT, {"exclusive", GRID_NUMBER}},
    {4, 0, COUNT_PER_CALL, {"per call", GRID_NUMBER}},
    {4, RANKS, MIN, {"min", GRID_NUMBER}},
    {4, RANKS, MAX, {"max", GRID_NUMBER}},
    {4, RANKS, DEVIATION, {"stddev", GRID_NUMBER}},
    {7, RANKS, IMBALANCE, {"imbalance", GRID_PERCENT}},
    {7, RANKS, MAX_RANK, {"max rank", GRID_COUNT}},
    {7, PARTLY, ON_RANKS, {"on ranks", GRID_COUNT}},
};

enum { NODE_COLUMNS = sizeof node_columns / sizeof *node_columns };

static unsigned what_holds(const struct view *v)
{
    const struct portolan_profile *p = v->p;
    unsigned holds = (p->ranks > 1 ? RANKS : 0) | (p->is_flat ? FLAT : TREE);

    for (size_t i = 0; i < p->n_nodes; i++) {
        holds |= p->nodes[i].n_ranks < p->ranks ? PARTLY : 0;
        holds |= p->nodes[i].is_sampled ? SAMPLED : 0;
    }
    if (v->r->values == PORTOLAN_PROFILE_COMPENSATED ||
        (v->r->values == PORTOLAN_PROFILE_ESTIMATED && holds & SAMPLED))
        holds |= ERRORS;
    return holds;
}

static void add_name(const struct view *v, size_t i, struct grid *t)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];
    struct portolan_text text = {.arena = &t->arena};

    portolan_text_add(&text, "%*s", 2 * n->depth, "");
    if (n->is_context) /* on a line below its path */
        portolan_text_add(&text, "with");
    if (n->is_context)
        profile_add_context(n, &text);
    else
        portolan_profile_add_label(n, v->p->is_flat && profile_is_ambiguous(v->p, i), &text);
    grid_take(t, &text);
}

static void write_table(const struct view *v, const size_t *order, size_t n)
{
    struct grid_column columns[NODE_COLUMNS + 2] = {{"method", GRID_NAME}, {"", GRID_TEXT}};
    const struct node_column *shown[NODE_COLUMNS];
    struct grid t = {.columns = columns, .n_columns = 1, .wide = v->r->wide};
    unsigned holds = what_holds(v);
    size_t n_shown = 0;
    bool marks = false;

    for (size_t i = 0; i < v->p->n_nodes; i++)
        marks |= v->p->nodes[i].is_marked;
    t.n_columns += marks;
    for (size_t k = 0; k < NODE_COLUMNS; k++)
        if (node_columns[k].metrics >> v->metric & 1 &&
            (node_columns[k].needs & holds) == node_columns[k].needs) {
            shown[n_shown++] = &node_columns[k];
            columns[t.n_columns++] = node_columns[k].column;
        }
    for (size_t i = 0; i < n; i++) {
        add_name(v, order[i], &t);
        if (marks)
            grid_text(&t, v->p->nodes[order[i]].is_marked ? "!" : "");
        for (size_t k = 0; k < n_shown; k++)
            grid_number(&t, value_of(v, order[i], shown[k]->value));
    }
    grid_write(&t, v->out);
}

/* ------------------------------------------------- around the table */

static void write_rest(const struct view *v, size_t shown)
{
    struct portolan_text *out = v->out;
    size_t all = 0;

    for (size_t i = 0; i < v->p->n_nodes; i++)
        all += !v->r->method || view_matches(v, i);
    if (shown < all)
        portolan_text_add(out, "... and %zu more (--top)\n", all - shown);
    if (all == 0 && v->p->n_nodes > 0)
        portolan_text_add(out, "no method matches '%s'\n", v->r->method);
    else if (all == 0)
        portolan_text_add(out, "nothing is stored%s\n",
                          v->p->ranks < v->p->trial->ranks ? " of this rank" : "");
}

static void write_meaning(const struct view *v)
{
    struct portolan_text *out = v->out;
    static const char *const words[] = {"", "raw ", "compensated "};
    const char *metric = v->metric == METRIC_TIME ? "times" : v->r->metric;

    portolan_text_add(out, "%s%s", words[v->r->values], metric);
    if (v->p->trial->ranks > 1 && v->p->ranks == 1)
        portolan_text_add(out, " of one rank");
    else if (v->p->ranks > 1)
        portolan_text_add(out, ": mean over %d ranks; imbalance: max / mean - 1 of %s", v->p->ranks,
                          v->metric == METRIC_COUNTER ? "the inclusive count"
                          : v->metric == METRIC_MPI   ? "MPI time"
                                                      : "exclusive time less MPI");
    if (v->r->values == PORTOLAN_PROFILE_COMPENSATED)
        portolan_text_add(out, "; +- is the uncertainty from the cost of measuring");
    portolan_text_add(out, "\n");
}

enum portolan_status report_nodes(struct view *v)
{
    const struct portolan_profile *p = v->p;
    bool contexts = false; /* their exclusive time is not always known */
    size_t *order = NULL, n = 0;
    enum portolan_status status;

    for (size_t i = 0; i < p->n_nodes; i++)
        contexts |= p->nodes[i].is_context;
    status = view_open(v, p->is_flat && !contexts ? "exclusive" : "inclusive");
    if (status == PORTOLAN_OK)
        status = order_nodes(v, &order, &n);
    if (status == PORTOLAN_OK) {
        for (size_t i = 0; i < p->n_nodes; i++)
            if (!p->nodes[i].is_context && !isnan(exclusive_of(v, &p->nodes[i]).value))
                v->total += exclusive_of(v, &p->nodes[i]).value;
        write_meaning(v);
        write_table(v, order, n);
        write_rest(v, n);
    }
    free(order);
    view_close(v);
    return status;
}
