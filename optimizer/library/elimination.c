/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variable elimination (dynamic programming over a min-degree order). Tables wait in the bucket of
 * their variable that is eliminated first. When its turn comes they are summed up in a cluster,
 * over that variable and those it still meets; the minimum over the own variable is a message to
 * the next bucket. Where a cluster would be too large, several share the tables (mini-buckets,
 * Dechter and Rish 2003): the sum of their minima is a lower bound.
 */
#include "choice_internal.h"

/* Entries of a cluster that shares a bucket with others. */
enum { SHARING = 1 << 9 };

static void join_variables(struct elimination *e, size_t a, size_t b)
{
    e->adjacent[a * e->words + b / 64] |= UINT64_C(1) << b % 64;
    e->adjacent[b * e->words + a / 64] |= UINT64_C(1) << a % 64;
}

static bool are_joined(const struct elimination *e, size_t a, size_t b)
{
    return e->adjacent[a * e->words + b / 64] >> b % 64 & 1;
}

/* ---- the order ---- */

/* The number of variables that V meets and that are not eliminated yet. */
static size_t degree_of(const struct elimination *e, size_t v)
{
    size_t degree = 0;

    for (size_t w = 0; w < e->words; w++)
        degree += (size_t)__builtin_popcountll(e->adjacent[v * e->words + w]);
    return degree;
}

/* Takes V out of the graph; those that it met meet each other now. Returns the size of a table over
 * all of them. */
static size_t take_variable(struct elimination *e, size_t v)
{
    size_t size = e->c->domain[v];

    for (size_t u = 0; u < e->c->n; u++) {
        if (!are_joined(e, v, u))
            continue;
        if (__builtin_mul_overflow(size, e->c->domain[u], &size))
            size = SIZE_MAX;
        for (size_t w = 0; w < u; w++)
            if (are_joined(e, v, w))
                join_variables(e, u, w);
        e->adjacent[u * e->words + v / 64] &= ~(UINT64_C(1) << v % 64);
    }
    return size;
}

/* Orders the variables; clusters are split if all together would exceed e->most. */
static void order_variables(struct elimination *e)
{
    size_t total = 0;

    for (size_t i = 0; i < e->c->n; i++)
        e->position[i] = SIZE_MAX;
    for (size_t i = 0; i < e->c->n; i++) {
        size_t best = SIZE_MAX, least = SIZE_MAX;

        for (size_t v = 0; v < e->c->n; v++)
            if (e->position[v] == SIZE_MAX && degree_of(e, v) < least) {
                best = v;
                least = degree_of(e, v);
            }
        e->order[i] = best;
        e->position[best] = i;
        e->width = least > e->width ? least : e->width;
        if (__builtin_add_overflow(total, take_variable(e, best), &total))
            total = SIZE_MAX;
    }
    e->limit = total > e->most ? SHARING : SIZE_MAX;
}

/* ---- tables ---- */

size_t elimination_first(const struct elimination *e, const struct choice_factor *f)
{
    size_t first = f->n ? f->variables[0] : SIZE_MAX;

    for (size_t j = 1; j < f->n; j++)
        if (e->position[f->variables[j]] < e->position[first])
            first = f->variables[j];
    return first;
}

void elimination_put(struct elimination *e, struct choice_part **lists, struct choice_part x)
{
    size_t first = elimination_first(e, x.table);
    struct choice_part *copy = portolan_arena_alloc(&e->pool, 1, sizeof *copy);

    if (!copy)
        return;
    x.next = lists[first];
    *copy = x;
    lists[first] = copy;
}

/* Puts a table into its bucket, or into the bound if it has no variable. */
static void put_part(struct elimination *e, struct choice_part x)
{
    if (x.table->n) {
        elimination_put(e, e->parts, x);
        return;
    }
    e->bound.cost += x.table->costs[0];
    e->bound.away += x.away ? x.away[0] : 0;
}

/*
 * Prepares a walk through the table of cluster K in parallel with F, over some of its variables:
 * notes F's stride for each variable of the cluster, 0 if it lacks the variable.
 */
static void walk_prepare(struct elimination *e, const struct choice_cluster *k,
                         const struct choice_factor *f)
{
    for (size_t i = 0; i < k->n; i++) {
        e->digits[i] = 0;
        e->steps[i] = 0;
        for (size_t j = 0; j < f->n; j++)
            if (f->variables[j] == k->variables[i])
                e->steps[i] = f->strides[j];
    }
}

/* Moves to the next row (the own variable's values) and returns the other table's position. */
static size_t walk_next(struct elimination *e, const struct choice_cluster *k, size_t at)
{
    for (size_t i = k->n - 1; i-- > 0;) {
        at += e->steps[i];
        if (++e->digits[i] < e->c->domain[k->variables[i]])
            return at;
        at -= e->steps[i] * e->digits[i];
        e->digits[i] = 0;
    }
    return at;
}

static void add_part(struct elimination *e, const struct choice_part *x)
{
    const struct choice_cluster *k = x->cluster;
    size_t values = e->c->domain[k->variables[k->n - 1]], step, at = 0;

    walk_prepare(e, k, x->table);
    step = e->steps[k->n - 1];
    for (size_t row = 0; row < k->size; row += values) {
        for (size_t a = 0; a < values; a++)
            k->costs[row + a] += x->table->costs[at + a * step];
        for (size_t a = 0; x->away && a < values; a++)
            k->away[row + a] += x->away[at + a * step];
        at = walk_next(e, k, at);
    }
}

/* ---- clusters ---- */

static struct choice_cluster *add_cluster(struct elimination *e, size_t v)
{
    struct choice_cluster *k = portolan_arena_alloc(&e->pool, 1, sizeof *k);

    if (!k || !(k->variables = portolan_arena_alloc(&e->pool, e->width + 1, sizeof *k->variables)))
        return NULL;
    k->variables[k->n++] = v;
    k->size = e->c->domain[v];
    k->next = e->clusters[v];
    e->clusters[v] = k;
    return k;
}

static bool has_variable(const struct choice_cluster *k, size_t v)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->variables[i] == v)
            return true;
    return false;
}

/* Counts the variables of F that cluster K has; 0: with the others the table of K would be too
 * large. */
static size_t count_shared(const struct elimination *e, const struct choice_cluster *k,
                           const struct choice_factor *f)
{
    size_t size = k->size, shared = 0;

    for (size_t j = 0; j < f->n; j++)
        if (has_variable(k, f->variables[j]))
            shared++;
        else
            size *= e->c->domain[f->variables[j]];
    return size <= e->limit ? shared : 0;
}

/* Finds a cluster of V for the table, and adds its variables; the own one stays last. */
static bool choose_cluster(struct elimination *e, size_t v, struct choice_part *x)
{
    struct choice_cluster *best = NULL;
    size_t most = 0;

    for (struct choice_cluster *k = e->clusters[v]; k; k = k->next) {
        size_t shared = count_shared(e, k, x->table);

        if (shared > most) {
            most = shared;
            best = k;
        }
    }
    if (!best && !(best = add_cluster(e, v)))
        return false;
    for (size_t j = 0; j < x->table->n; j++)
        if (!has_variable(best, x->table->variables[j])) {
            best->variables[best->n] = v;
            best->variables[best->n++ - 1] = x->table->variables[j];
            best->size *= e->c->domain[x->table->variables[j]];
        }
    x->cluster = best;
    return true;
}

static bool allocate_tables(struct elimination *e, struct choice_cluster *k)
{
    struct choice_factor *m = &k->message;
    size_t stride = 1;

    m->n = k->n - 1;
    m->size = k->size / e->c->domain[k->variables[m->n]];
    m->variables = k->variables;
    m->strides = portolan_arena_alloc(&e->pool, m->n, sizeof *m->strides);
    m->costs = portolan_arena_alloc(&e->pool, m->size, sizeof *m->costs);
    k->costs = portolan_arena_alloc(&e->pool, k->size, sizeof *k->costs);
    k->away = portolan_arena_alloc(&e->pool, k->size, sizeof *k->away);
    k->message_away = portolan_arena_alloc(&e->pool, m->size, sizeof *k->message_away);
    if (e->pool.failed)
        return false;
    for (size_t i = m->n; i-- > 0;) {
        m->strides[i] = stride;
        stride *= e->c->domain[m->variables[i]];
    }
    return true;
}

/* The least of a cluster's costs with value A of its own variable. */
static double least_with(const struct choice_cluster *k, size_t a, size_t values)
{
    double least = INFINITY;

    for (size_t at = a; at < k->size; at += values)
        least = fmin(least, k->costs[at]);
    return least;
}

/* Moves costs between the clusters of V, so that all have the same least with value A: the sum
 * stays, and the bound rises (Ihler et al. 2012). */
static void match_clusters(struct elimination *e, size_t v, size_t a)
{
    size_t values = e->c->domain[v];
    double sum = 0, n = 0;

    for (const struct choice_cluster *k = e->clusters[v]; k; k = k->next, n++)
        sum += least_with(k, a, values);
    for (const struct choice_cluster *k = e->clusters[v]; k && !isinf(sum); k = k->next) {
        double more = sum / n - least_with(k, a, values);

        for (size_t at = a; at < k->size; at += values)
            k->costs[at] += more;
    }
}

/* The least of each row becomes the message. Only one cluster counts whether V is as written. */
static void send_message(struct elimination *e, size_t v, struct choice_cluster *k)
{
    size_t values = e->c->domain[v];

    for (size_t m = 0; m < k->message.size; m++) {
        struct choice_score best = {INFINITY, 0};

        for (size_t a = 0; a < values; a++) {
            size_t at = m * values + a;

            k->away[at] += !k->next && choice_away(e->c, v, a);
            if (v == e->forced && a != e->forced_value)
                k->costs[at] = INFINITY;
            if (choice_better(k->costs[at], k->away[at], best))
                best = (struct choice_score){k->costs[at], k->away[at]};
        }
        k->message.costs[m] = best.cost;
        k->message_away[m] = best.away;
    }
    put_part(e, (struct choice_part){&k->message, k->message_away, NULL, NULL});
}

static bool eliminate_variable(struct elimination *e, size_t v)
{
    for (struct choice_part *x = e->parts[v]; x; x = x->next)
        if (!choose_cluster(e, v, x))
            return false;
    if (!e->clusters[v] && !add_cluster(e, v))
        return false;
    for (struct choice_cluster *k = e->clusters[v]; k; k = k->next)
        if (!allocate_tables(e, k))
            return false;
    for (const struct choice_part *x = e->parts[v]; x; x = x->next)
        add_part(e, x);
    for (size_t a = 0; e->clusters[v]->next && a < e->c->domain[v]; a++)
        match_clusters(e, v, a);
    for (struct choice_cluster *k = e->clusters[v]; k; k = k->next)
        send_message(e, v, k);
    return !e->pool.failed;
}

enum portolan_status elimination_run(struct elimination *e)
{
    const struct portolan_choice *c = e->c;

    e->words = c->n / 64 + 1;
    e->adjacent = portolan_arena_alloc(&e->pool, c->n * e->words, sizeof *e->adjacent);
    e->order = portolan_arena_alloc(&e->pool, c->n, sizeof *e->order);
    e->position = portolan_arena_alloc(&e->pool, c->n, sizeof *e->position);
    e->parts = portolan_arena_alloc(&e->pool, c->n, sizeof *e->parts);
    e->clusters = portolan_arena_alloc(&e->pool, c->n, sizeof *e->clusters);
    e->digits = portolan_arena_alloc(&e->pool, c->n, sizeof *e->digits);
    e->steps = portolan_arena_alloc(&e->pool, c->n, sizeof *e->steps);
    if (e->pool.failed)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < c->n_factors; i++)
        for (size_t j = 0; j < c->factors[i].n; j++)
            for (size_t k = 0; k < j && !c->factors[i].layer; k++)
                join_variables(e, c->factors[i].variables[j], c->factors[i].variables[k]);
    order_variables(e);
    for (size_t i = 0; i < c->n_factors; i++)
        if (!c->factors[i].layer)
            put_part(e, (struct choice_part){.table = &c->factors[i]});
    for (size_t i = 0; i < c->n && !e->pool.failed; i++)
        eliminate_variable(e, e->order[i]);
    return e->pool.failed         ? PORTOLAN_ENOMEM
           : isinf(e->bound.cost) ? PORTOLAN_EINFEASIBLE
                                  : PORTOLAN_OK;
}
