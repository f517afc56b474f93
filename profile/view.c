/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct portolan_profile_estimate exactly(double x)
{
    return (struct portolan_profile_estimate){x, x, x};
}

double view_ratio(const struct view *v, size_t i)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];

    return v->r->values == PORTOLAN_PROFILE_RAW
               ? 1
               : portolan_profile_ratio(n->calls.sum, n->timed_calls);
}

struct portolan_profile_estimate view_inclusive(const struct view *v, size_t i)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];

    return v->r->values == PORTOLAN_PROFILE_RAW           ? exactly(n->inclusive_ns.sum)
           : v->r->values == PORTOLAN_PROFILE_COMPENSATED ? n->inclusive_compensated
                                                          : n->inclusive;
}

struct portolan_profile_estimate view_exclusive(const struct view *v, size_t i)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];

    return v->r->values == PORTOLAN_PROFILE_RAW           ? exactly(n->exclusive_ns.sum)
           : v->r->values == PORTOLAN_PROFILE_COMPENSATED ? n->exclusive_compensated
                                                          : n->exclusive;
}

struct portolan_profile_estimate view_mpi(const struct view *v, size_t i)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];

    return v->r->values == PORTOLAN_PROFILE_RAW ? exactly(n->mpi_ns.sum) : n->mpi;
}

/* What cannot be known is sorted behind all. */
static double known(double x)
{
    return isnan(x) ? -INFINITY : x;
}

static double by_inclusive(const struct view *v, size_t i)
{
    return known(view_inclusive(v, i).value);
}

static double by_exclusive(const struct view *v, size_t i)
{
    return known(view_exclusive(v, i).value);
}

static double by_mpi(const struct view *v, size_t i)
{
    return known(view_mpi(v, i).value);
}

static double by_calls(const struct view *v, size_t i)
{
    return v->p->nodes[i].calls.sum;
}

static double by_counter(const struct view *v, size_t i)
{
    return known(v->p->nodes[i].counters[v->counter].sum);
}

static double by_imbalance(const struct view *v, size_t i)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];

    return known(v->metric == METRIC_COUNTER ? n->counters[v->counter].imbalance
                 : v->metric == METRIC_MPI   ? n->mpi_ns.imbalance
                                             : n->compute_ns.imbalance);
}

static const struct order {
    const char *name;
    double (*key)(const struct view *, size_t);
} orders[] = {
    {"inclusive", by_inclusive},
    {"exclusive", by_exclusive},
    {"mpi", by_mpi},
    {"calls", by_calls},
    {"imbalance", by_imbalance},
    {"metric", NULL},
    {"name", NULL},
    {"called", NULL},
};

static enum portolan_status set_sort(struct view *v, const char *name, struct portolan_error *err)
{
    const struct order *o = orders, *end = orders + sizeof orders / sizeof *orders;

    while (o < end && strcmp(o->name, name) != 0)
        o++;
    if (o == end)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "cannot sort by '%s'; there are: inclusive, exclusive, mpi, "
                                  "calls, imbalance, metric, name, called",
                                  name);
    v->key = o->key;
    v->by_name = !strcmp(name, "name");
    if (!strcmp(name, "metric"))
        v->key = v->metric == METRIC_COUNTER ? by_counter
                 : v->metric == METRIC_MPI   ? by_mpi
                                             : by_inclusive;
    return PORTOLAN_OK;
}

static enum portolan_status set_metric(struct view *v, const char *name, struct portolan_error *err)
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
    portolan_error_set(err, PORTOLAN_EINVAL,
                       "trial %lld has no metric '%s'; it has: TIME, MPI TIME%s",
                       (long long)v->p->trial->id, name, known.bytes ? known.bytes : "");
    portolan_text_clear(&known);
    return PORTOLAN_EINVAL;
}

/* Counts are inclusive; a method's own are less those of what it called. */
static enum portolan_status count_own(struct view *v, struct portolan_error *err)
{
    const struct portolan_profile *p = v->p;

    if (v->metric != METRIC_COUNTER)
        return PORTOLAN_OK;
    if (!(v->own = portolan_calloc(p->n_nodes + 1, sizeof *v->own)))
        return portolan_no_memory(err);
    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];

        v->own[i] +=
            p->is_flat || n->is_context ? NAN : n->counters[v->counter].sum * view_ratio(v, i);
        if (n->parent >= 0 && !n->is_context && n->counted >> v->counter & 1)
            v->own[n->parent] -= n->counters[v->counter].sum * view_ratio(v, i);
    }
    return PORTOLAN_OK;
}

enum portolan_status view_open(struct view *v, const struct portolan_profile *p,
                               const struct portolan_profile_report *r, const char *default_sort,
                               struct portolan_error *err)
{
    enum portolan_status status;

    *v = (struct view){.p = p, .r = r};
    status = set_metric(v, r->metric, err);
    if (status == PORTOLAN_OK)
        status = set_sort(v,
                          r->sort                    ? r->sort
                          : v->metric != METRIC_TIME ? "metric"
                                                     : default_sort,
                          err);
    if (status == PORTOLAN_OK)
        status = count_own(v, err);
    return status;
}

void view_close(struct view *v)
{
    free(v->own);
    *v = (struct view){0};
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

struct entry {
    const struct view *v;
    size_t node;
    double key;
};

static int compare_names(const struct portolan_profile_node *a,
                         const struct portolan_profile_node *b)
{
    int order = strcmp(a->instance, b->instance);

    if (!order)
        order = strcmp(a->method, b->method);
    return order ? order : strcmp(a->implementation, b->implementation);
}

static int by_key(const struct entry *x, const struct entry *y)
{
    int order = 0;

    if (x->v->by_name)
        order = compare_names(&x->v->p->nodes[x->node], &x->v->p->nodes[y->node]);
    else if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

static int greatest_first(const void *a, const void *b)
{
    return by_key(a, b);
}

/* Contexts stand before the calls below their path. */
static int siblings_together(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const struct portolan_profile_node *m = &x->v->p->nodes[x->node], *n = &x->v->p->nodes[y->node];

    if (m->parent != n->parent)
        return m->parent < n->parent ? -1 : 1;
    if (m->is_context != n->is_context)
        return m->is_context ? -1 : 1;
    return by_key(x, y);
}

/* The greatest TOP that match, and all above them. */
static void choose(const struct view *v, const struct entry *sorted, bool *chosen)
{
    const struct portolan_profile *p = v->p;
    size_t left = v->r->top ? v->r->top : SIZE_MAX;

    for (size_t i = 0; i < p->n_nodes && left; i++) {
        int64_t at = (int64_t)sorted[i].node;

        if (!view_matches(v, sorted[i].node))
            continue;
        left--;
        for (; at >= 0 && !chosen[at]; at = p->nodes[at].parent)
            chosen[at] = true;
    }
}

struct range {
    size_t next, end;
};

/* Depth first; CHILDREN[parent + 1] is where they stand in SIBLINGS. */
static size_t walk(const struct entry *siblings, const struct range *children, const bool *chosen,
                   struct range *stack, size_t *order)
{
    size_t depth = 1, n = 0;

    stack[0] = children[0];
    while (depth) {
        struct range *top = &stack[depth - 1];
        size_t node;

        if (top->next == top->end) {
            depth--;
            continue;
        }
        node = siblings[top->next++].node;
        if (!chosen[node])
            continue; /* then nothing below it is */
        order[n++] = node;
        stack[depth++] = children[node + 1];
    }
    return n;
}

static size_t put_in_order(const struct view *v, struct entry *entries, bool *chosen,
                           struct range *ranges, size_t *order)
{
    const struct portolan_profile *p = v->p;
    struct range *children = ranges, *stack = ranges + p->n_nodes + 1;

    for (size_t i = 0; i < p->n_nodes; i++)
        entries[i] = (struct entry){v, i, v->key ? v->key(v, i) : 0};
    qsort(entries, p->n_nodes, sizeof *entries, greatest_first);
    choose(v, entries, chosen);
    qsort(entries, p->n_nodes, sizeof *entries, siblings_together);
    for (size_t i = 0; i < p->n_nodes; i++) {
        struct range *r = &children[p->nodes[entries[i].node].parent + 1];

        r->next = r->end ? r->next : i;
        r->end = i + 1;
    }
    return walk(entries, children, chosen, stack, order);
}

enum portolan_status view_order(const struct view *v, size_t **order, size_t *n,
                                struct portolan_error *err)
{
    size_t nodes = v->p->n_nodes;
    struct entry *entries = portolan_calloc(nodes + 1, sizeof *entries);
    bool *chosen = portolan_calloc(nodes + 1, sizeof *chosen);
    struct range *ranges = portolan_calloc(2 * nodes + 4, sizeof *ranges);

    *order = portolan_calloc(nodes + 1, sizeof **order);
    *n = 0;
    if (entries && chosen && ranges && *order && nodes)
        *n = put_in_order(v, entries, chosen, ranges, *order);
    if (!entries || !chosen || !ranges || !*order) {
        free(*order);
        *order = NULL;
    }
    free(entries);
    free(chosen);
    free(ranges);
    return *order ? PORTOLAN_OK : portolan_no_memory(err);
}
