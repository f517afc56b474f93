/* SPDX-License-Identifier: BSD-3-Clause */
/* Two sets of trials, call path by call path. */
#include "compare.h"
#include "internal.h"

#include <portolan/index.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum quantity { EXCLUSIVE, INCLUSIVE, MPI, CALLS, COUNTER };

struct comparing {
    struct portolan_comparison *c;
    const struct portolan_profile *const *profiles; /* A's, then B's */
    enum quantity quantity;
    struct portolan_index index;
    const struct portolan_profile_node **nodes; /* the first of each row */
    size_t row_capacity;
    double **values; /* by row: of all profiles */
    struct portolan_error *err;
};

static struct portolan_arena *arena(const struct portolan_comparison *c)
{
    return c->impl;
}

static uint64_t hash_row(const struct portolan_profile_node *n, int64_t parent)
{
    uint64_t h = portolan_hash(&parent, sizeof parent, 0);

    return profile_hash_method(n, portolan_hash(n->uses, strlen(n->uses), h));
}

/* Is the row at I like the one behind the last? */
static bool same_row(const void *comparing, size_t i)
{
    const struct comparing *x = comparing;
    size_t last = x->c->n_rows;
    const struct portolan_profile_node *a = x->nodes[i], *b = x->nodes[last];

    return x->c->rows[i].parent == x->c->rows[last].parent && !strcmp(a->method, b->method) &&
           !strcmp(a->instance, b->instance) && !strcmp(a->port, b->port) &&
           !strcmp(a->user, b->user) && !strcmp(a->uses, b->uses);
}

static bool reserve_row(struct comparing *x)
{
    size_t wanted = x->row_capacity ? 2 * x->row_capacity : 256;
    void *rows, *nodes, *values;

    if (x->c->n_rows < x->row_capacity)
        return true;
    if (!(rows = portolan_reallocarray(x->c->rows, wanted, sizeof *x->c->rows)))
        return false;
    x->c->rows = rows;
    if (!(nodes = portolan_reallocarray(x->nodes, wanted, sizeof *x->nodes)))
        return false;
    x->nodes = nodes;
    if (!(values = portolan_reallocarray(x->values, wanted, sizeof *x->values)))
        return false;
    x->values = values;
    x->row_capacity = wanted;
    return true;
}

static bool label_row(struct comparing *x, struct portolan_comparison_row *row,
                      const struct portolan_profile_node *n)
{
    struct portolan_text text = {.arena = arena(x->c)};
    struct portolan_profile_node plain = *n;

    plain.implementation = "";
    portolan_profile_add_label(&plain, false, &text);
    row->label = text.bytes;
    row->in_a = row->in_b = "";
    return !text.failed && text.bytes;
}

/* The row of a node, made where there is none. */
static bool find_row(struct comparing *x, const struct portolan_profile_node *n, int64_t parent,
                     size_t *at)
{
    size_t last = x->c->n_rows, trials = x->c->n_a + x->c->n_b;

    if (!reserve_row(x))
        return false;
    x->nodes[last] = n;
    x->c->rows[last] = (struct portolan_comparison_row){.parent = parent, .depth = n->depth};
    if (!portolan_index_put(&x->index, hash_row(n, parent), last, same_row, x, at))
        return false;
    if (*at < last)
        return true;
    x->c->n_rows++;
    x->values[last] = portolan_arena_alloc(arena(x->c), trials, sizeof **x->values);
    x->c->rows[last].values_a = x->values[last];
    x->c->rows[last].values_b = x->values[last] ? x->values[last] + x->c->n_a : NULL;
    return x->values[last] && label_row(x, &x->c->rows[last], n);
}

static double known(double x)
{
    return isnan(x) ? 0 : x;
}

static double value_of(const struct comparing *x, const struct portolan_profile *p,
                       const struct portolan_profile_node *n)
{
    switch (x->quantity) {
    case EXCLUSIVE:
        return known(n->exclusive.value) / p->ranks;
    case INCLUSIVE:
        return known(n->inclusive.value) / p->ranks;
    case MPI:
        return known(n->mpi.value) / p->ranks;
    case CALLS:
        return n->calls.mean;
    default:
        for (size_t i = 0; i < p->n_counters; i++)
            if (!strcmp(p->counter_names[i], x->c->query.metric))
                return n->counted >> i & 1 && n->timed_calls > 0
                           ? n->counters[i].mean *
                                 portolan_profile_ratio(n->calls.sum, n->timed_calls)
                           : 0;
        return 0;
    }
}

static const char *join(struct comparing *x, const char *had, const char *more)
{
    if (!*more || !strcmp(had, more))
        return had;
    return *had ? portolan_arena_printf(arena(x->c), "%s, %s", had, more)
                : portolan_arena_strdup(arena(x->c), more);
}

static bool is_in(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ','))
            return true;
    return false;
}

static bool add_profile(struct comparing *x, size_t trial)
{
    const struct portolan_profile *p = x->profiles[trial];
    int64_t *row_of = portolan_calloc(p->n_nodes + 1, sizeof *row_of);
    bool good = row_of != NULL;

    for (size_t i = 0; good && i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];
        const char **names;
        size_t at;

        if (n->is_context)
            continue;
        good = find_row(x, n, n->parent < 0 ? -1 : row_of[n->parent], &at);
        if (!good)
            break;
        row_of[i] = (int64_t)at;
        x->values[at][trial] += value_of(x, p, n);
        x->c->rows[at].is_marked |= n->is_marked;
        names = trial < x->c->n_a ? &x->c->rows[at].in_a : &x->c->rows[at].in_b;
        if (!is_in(*names, n->implementation))
            *names = join(x, *names, n->implementation);
        good = *names != NULL;
    }
    free(row_of);
    return good;
}

/* What happened between begin and end; of a trial that was cut off, its longest root. */
static double total_of(const struct comparing *x, const struct portolan_profile *p)
{
    double total = 0;

    if ((x->quantity == EXCLUSIVE || x->quantity == INCLUSIVE) && p->trial->elapsed_ns > 0)
        return p->trial->elapsed_ns;
    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];

        if (n->is_context)
            continue;
        if (x->quantity == EXCLUSIVE || x->quantity == INCLUSIVE)
            total = n->parent < 0 ? fmax(total, n->inclusive_ns.max) : total;
        else if (x->quantity != COUNTER || n->parent < 0)
            total += value_of(x, p, n);
    }
    return total;
}

static enum portolan_status set_quantity(struct comparing *x)
{
    static const char *const names[] = {"exclusive", "inclusive", "mpi", "calls"};
    struct portolan_text known = {0};
    const char *metric = x->c->query.metric ? x->c->query.metric : names[0];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(metric, names[i])) {
            x->quantity = (enum quantity)i;
            x->c->query.metric = names[i];
            return PORTOLAN_OK;
        }
    x->quantity = COUNTER;
    for (size_t i = 0; i < x->c->n_a + x->c->n_b; i++)
        for (size_t k = 0; k < x->profiles[i]->n_counters; k++) {
            if (!strcmp(metric, x->profiles[i]->counter_names[k]))
                return PORTOLAN_OK;
            if (i == 0)
                portolan_text_add(&known, ", %s", x->profiles[i]->counter_names[k]);
        }
    portolan_error_set(x->err, PORTOLAN_EINVAL,
                       "no trial has a metric '%s'; there are: exclusive, inclusive, mpi, calls%s",
                       metric, known.bytes ? known.bytes : "");
    portolan_text_clear(&known);
    return PORTOLAN_EINVAL;
}

static enum portolan_status fill(struct comparing *x)
{
    struct portolan_comparison *c = x->c;
    size_t trials = c->n_a + c->n_b;
    double *totals = portolan_arena_alloc(arena(c), trials, sizeof *totals);
    enum portolan_status status = set_quantity(x);
    bool good = totals != NULL;

    if (status != PORTOLAN_OK)
        return status;
    for (size_t i = 0; good && i < trials; i++) {
        totals[i] = total_of(x, x->profiles[i]);
        good = add_profile(x, i);
    }
    if (!good)
        return portolan_no_memory(x->err);
    c->total = (struct portolan_comparison_row){
        .parent = -1,
        .label = "total",
        .in_a = "",
        .in_b = "",
        .values_a = totals,
        .values_b = totals + c->n_a,
    };
    status = comparison_judge(c, x->err);
    return status == PORTOLAN_OK ? comparison_find_facts(c, x->err) : status;
}

static enum portolan_status begin(struct comparing *x, const struct portolan_profile *const *a,
                                  size_t n_a, const struct portolan_profile *const *b, size_t n_b)
{
    struct portolan_comparison *c = portolan_calloc(1, sizeof *c);
    const struct portolan_profile **all;

    x->c = c;
    if (!c || !(c->impl = portolan_calloc(1, sizeof(struct portolan_arena))))
        return portolan_no_memory(x->err);
    c->n_a = n_a;
    c->n_b = n_b;
    c->a = portolan_arena_alloc(arena(c), n_a + n_b, sizeof *c->a);
    all = portolan_arena_alloc(arena(c), n_a + n_b, sizeof *all);
    if (!c->a || !all)
        return portolan_no_memory(x->err);
    for (size_t i = 0; i < n_a + n_b; i++) {
        all[i] = i < n_a ? a[i] : b[i - n_a];
        c->a[i] = all[i]->trial;
    }
    c->b = c->a + n_a;
    x->profiles = all;
    return PORTOLAN_OK;
}

enum portolan_status portolan_compare(const struct portolan_profile *const *a, size_t n_a,
                                      const struct portolan_profile *const *b, size_t n_b,
                                      const struct portolan_comparison_query *query,
                                      struct portolan_comparison **comparison,
                                      struct portolan_error *err)
{
    struct comparing x = {.err = err};
    enum portolan_status status;

    *comparison = NULL;
    if (n_a == 0 || n_b == 0)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a set of trials to compare is empty");
    status = begin(&x, a, n_a, b, n_b);
    if (status == PORTOLAN_OK) {
        x.c->query = *query;
        status = fill(&x);
    }
    portolan_index_clear(&x.index);
    free(x.nodes);
    free(x.values);
    if (status != PORTOLAN_OK) {
        portolan_comparison_destroy(x.c);
        return status;
    }
    *comparison = x.c;
    return PORTOLAN_OK;
}

void portolan_comparison_destroy(struct portolan_comparison *c)
{
    if (!c)
        return;
    if (c->impl)
        portolan_arena_clear(c->impl);
    free(c->impl);
    free(c->rows);
    free(c->facts);
    free(c);
}
