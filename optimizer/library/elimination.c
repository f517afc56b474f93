/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variable elimination (dynamic programming over a min-fill order). Each variable gets a cluster:
 * itself and the neighbours it has when its turn comes. The cluster's table sums the factors that
 * meet there and the messages of clusters before it; the minimum over the own variable is the
 * message to the cluster of the neighbour that is eliminated next. A second pass backwards turns
 * the tables into min-marginals.
 */
#include "choice_internal.h"

#include <string.h>

struct cluster {
    size_t n;
    size_t *variables; /* its own one last, so that the values of that are adjacent */
    size_t size;
    double *costs;
    struct choice_factor message; /* over its other variables */
    unsigned *away, *message_away;
    size_t parent; /* variable whose cluster gets the message; none: SIZE_MAX */
};

struct elimination {
    const struct portolan_choice *c;
    const double *price; /* of what is used of budgets; NULL: they do not count */
    struct portolan_arena pool;
    size_t words;             /* of a row of `adjacent` */
    uint64_t *adjacent;       /* n rows of bits */
    size_t *order;            /* variables in order of elimination */
    size_t *position;         /* of each variable in ORDER */
    struct cluster *clusters; /* by variable */
    size_t *digits, *steps;   /* scratch of walk_table */
};

static void join_variables(struct elimination *e, size_t a, size_t b)
{
    e->adjacent[a * e->words + b / 64] |= UINT64_C(1) << b % 64;
    e->adjacent[b * e->words + a / 64] |= UINT64_C(1) << a % 64;
}

static bool are_joined(const struct elimination *e, size_t a, size_t b)
{
    return e->adjacent[a * e->words + b / 64] >> b % 64 & 1;
}

/* What the entries of factor F count: uses of a budget, their price. */
static double weight_of(const struct elimination *e, const struct choice_factor *f)
{
    return f->layer == 0 ? 1 : e->price ? e->price[f->layer - 1] : 0;
}

static enum portolan_status elimination_init(struct elimination *e, const struct portolan_choice *c)
{
    e->c = c;
    e->words = c->n / 64 + 1;
    e->adjacent = portolan_arena_alloc(&e->pool, c->n * e->words, sizeof *e->adjacent);
    e->order = portolan_arena_alloc(&e->pool, c->n, sizeof *e->order);
    e->position = portolan_arena_alloc(&e->pool, c->n, sizeof *e->position);
    e->clusters = portolan_arena_alloc(&e->pool, c->n, sizeof *e->clusters);
    e->digits = portolan_arena_alloc(&e->pool, c->n, sizeof *e->digits);
    e->steps = portolan_arena_alloc(&e->pool, c->n, sizeof *e->steps);
    if (e->pool.failed)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < c->n_factors; i++)
        for (size_t j = 0; j < c->factors[i].n; j++)
            for (size_t k = 0; k < j && weight_of(e, &c->factors[i]) > 0; k++)
                join_variables(e, c->factors[i].variables[j], c->factors[i].variables[k]);
    return PORTOLAN_OK;
}

/* Twice the number of edges that eliminating V would add, and V's degree; rows have only variables
 * that are not eliminated yet. */
static size_t fill_of(const struct elimination *e, size_t v, size_t *degree)
{
    const uint64_t *row = &e->adjacent[v * e->words];
    size_t fill = 0, d = 0;

    for (size_t w = 0; w < e->words; w++)
        for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
            size_t u = 64 * w + (size_t)__builtin_ctzll(bits);
            const uint64_t *other = &e->adjacent[u * e->words];

            d++;
            for (size_t k = 0; k < e->words; k++)
                fill += (size_t)__builtin_popcountll(row[k] & ~other[k]);
            fill--; /* u itself */
        }
    *degree = d;
    return fill;
}

/* Notes V's cluster and takes V out of the graph. */
static void take_variable(struct elimination *e, size_t v, size_t degree)
{
    struct cluster *k = &e->clusters[v];

    k->variables = portolan_arena_alloc(&e->pool, degree + 1, sizeof *k->variables);
    if (!k->variables)
        return;
    k->message.size = 1;
    for (size_t u = 0; u < e->c->n; u++)
        if (are_joined(e, v, u)) {
            k->variables[k->n++] = u;
            if (__builtin_mul_overflow(k->message.size, e->c->domain[u], &k->message.size))
                k->message.size = SIZE_MAX;
        }
    for (size_t i = 0; i < k->n; i++) {
        size_t u = k->variables[i];

        for (size_t j = 0; j < i; j++)
            join_variables(e, u, k->variables[j]);
        e->adjacent[u * e->words + v / 64] &= ~(UINT64_C(1) << v % 64);
    }
    k->variables[k->n++] = v;
    if (__builtin_mul_overflow(k->message.size, e->c->domain[v], &k->size))
        k->size = SIZE_MAX;
}

/* Orders the variables; EUNSUPPORTED as soon as the tables exceed LIMIT entries. */
static enum portolan_status plan_order(struct elimination *e, size_t limit, size_t *width)
{
    bool *taken = portolan_arena_alloc(&e->pool, e->c->n, sizeof *taken);
    size_t total = 0;

    *width = 0;
    for (size_t i = 0; !e->pool.failed && i < e->c->n; i++) {
        size_t best = SIZE_MAX, best_fill = SIZE_MAX, best_degree = 0;

        for (size_t v = 0; v < e->c->n; v++) {
            size_t degree, fill;

            if (taken[v])
                continue;
            fill = fill_of(e, v, &degree);
            if (fill < best_fill || (fill == best_fill && degree < best_degree)) {
                best = v;
                best_fill = fill;
                best_degree = degree;
            }
        }
        taken[best] = true;
        e->order[i] = best;
        e->position[best] = i;
        *width = best_degree > *width ? best_degree : *width;
        take_variable(e, best, best_degree);
        if (e->clusters[best].size > limit - total)
            return PORTOLAN_EUNSUPPORTED;
        total += e->clusters[best].size;
    }
    return e->pool.failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
}

/*
 * Prepares a walk through the table of cluster K in parallel with F, over some of its variables:
 * notes F's stride for each variable of the cluster, 0 if it lacks the variable.
 */
static void walk_prepare(struct elimination *e, const struct cluster *k,
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
static size_t walk_next(struct elimination *e, const struct cluster *k, size_t at)
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

/* Adds a table, times WEIGHT, to that of a cluster which has all its variables. */
static void add_table(struct elimination *e, struct cluster *k, double weight,
                      const struct choice_factor *f, const unsigned *away)
{
    size_t values = e->c->domain[k->variables[k->n - 1]], step, at = 0;

    walk_prepare(e, k, f);
    step = e->steps[k->n - 1];
    for (size_t row = 0; row < k->size; row += values) {
        for (size_t a = 0; a < values; a++)
            k->costs[row + a] += weight * f->costs[at + a * step];
        for (size_t a = 0; away && a < values; a++)
            k->away[row + a] += away[at + a * step];
        at = walk_next(e, k, at);
    }
}

/* The best value of V in a row; among equals the one that is written. */
static size_t row_best(const struct portolan_choice *c, size_t v, const double *costs,
                       const unsigned *away, struct choice_score *best)
{
    size_t value = choice_value(c, v, 0);

    *best = (struct choice_score){INFINITY, 0};
    for (size_t i = 0; i < c->domain[v]; i++) {
        size_t a = choice_value(c, v, i);
        unsigned far = away[a] + choice_away(c, v, a);

        if (choice_better(costs[a], far, *best)) {
            *best = (struct choice_score){costs[a], far};
            value = a;
        }
    }
    return value;
}

static void allocate_tables(struct elimination *e, struct cluster *k)
{
    struct choice_factor *m = &k->message;
    size_t stride = 1;

    m->n = k->n - 1;
    m->variables = k->variables;
    m->strides = portolan_arena_alloc(&e->pool, m->n, sizeof *m->strides);
    m->costs = portolan_arena_alloc(&e->pool, m->size, sizeof *m->costs);
    k->costs = portolan_arena_alloc(&e->pool, k->size, sizeof *k->costs);
    k->away = portolan_arena_alloc(&e->pool, k->size, sizeof *k->away);
    k->message_away = portolan_arena_alloc(&e->pool, m->size, sizeof *k->message_away);
    for (size_t i = m->n; m->strides && i-- > 0;) {
        m->strides[i] = stride;
        stride *= e->c->domain[m->variables[i]];
    }
}

/* The variable of a table that is eliminated first; SIZE_MAX: it has none. */
static size_t first_of(const struct elimination *e, const struct choice_factor *f)
{
    size_t first = f->n ? f->variables[0] : SIZE_MAX;

    for (size_t j = 1; j < f->n; j++)
        if (e->position[f->variables[j]] < e->position[first])
            first = f->variables[j];
    return first;
}

/* Puts every factor into the cluster of its variable that is eliminated first. */
static void add_factors(struct elimination *e)
{
    for (size_t i = 0; i < e->c->n_factors; i++) {
        const struct choice_factor *f = &e->c->factors[i];

        if (f->n && weight_of(e, f) > 0)
            add_table(e, &e->clusters[first_of(e, f)], weight_of(e, f), f, NULL);
    }
}

static enum portolan_status forward(struct elimination *e)
{
    const struct portolan_choice *c = e->c;

    for (size_t i = 0; i < c->n; i++) {
        size_t v = e->order[i];
        struct cluster *k = &e->clusters[v];

        for (size_t m = 0; m < k->message.size; m++) {
            size_t row = m * c->domain[v];
            struct choice_score best;

            row_best(c, v, &k->costs[row], &k->away[row], &best);
            k->message.costs[m] = best.cost;
            k->message_away[m] = best.away;
        }
        if (k->n == 1 && isinf(k->message.costs[0]))
            return PORTOLAN_EINFEASIBLE;
        k->parent = first_of(e, &k->message);
        if (k->parent != SIZE_MAX)
            add_table(e, &e->clusters[k->parent], 1, &k->message, k->message_away);
    }
    return PORTOLAN_OK;
}

static void decode(const struct elimination *e, size_t *values)
{
    for (size_t i = e->c->n; i-- > 0;) {
        size_t v = e->order[i];
        const struct cluster *k = &e->clusters[v];
        size_t row = choice_at(&k->message, values) * e->c->domain[v];
        struct choice_score best;

        values[v] = row_best(e->c, v, &k->costs[row], &k->away[row], &best);
    }
}

/* Replaces the message of cluster K by the cost that the rest of the problem adds to each row. */
static void pull_from_parent(struct elimination *e, struct cluster *k, double *least)
{
    struct cluster *p = &e->clusters[k->parent];
    size_t values = e->c->domain[k->parent], at = 0, step;

    for (size_t m = 0; m < k->message.size; m++)
        least[m] = INFINITY;
    walk_prepare(e, p, &k->message);
    step = e->steps[p->n - 1];
    for (size_t row = 0; row < p->size; row += values) {
        for (size_t a = 0; a < values; a++)
            least[at + a * step] = fmin(least[at + a * step], p->costs[row + a]);
        at = walk_next(e, p, at);
    }
    for (size_t m = 0; m < k->message.size; m++)
        k->message.costs[m] = isinf(k->message.costs[m]) ? 0 : least[m] - k->message.costs[m];
}

/* The cost of constants and of the other connected parts of the problem. */
static double elsewhere(const struct elimination *e)
{
    double total = 0;

    for (size_t i = 0; i < e->c->n_factors; i++)
        if (e->c->factors[i].n == 0 && weight_of(e, &e->c->factors[i]) > 0)
            total += weight_of(e, &e->c->factors[i]) * e->c->factors[i].costs[0];
    for (size_t v = 0; v < e->c->n; v++)
        if (e->clusters[v].parent == SIZE_MAX)
            total += e->clusters[v].message.costs[0];
    return total;
}

static enum portolan_status backward(struct elimination *e, double **margins)
{
    double total = elsewhere(e), *least;
    size_t longest = 1;

    for (size_t v = 0; v < e->c->n; v++)
        if (e->clusters[v].message.size > longest)
            longest = e->clusters[v].message.size;
    if (!(least = portolan_arena_alloc(&e->pool, longest, sizeof *least)))
        return PORTOLAN_ENOMEM;
    for (size_t i = e->c->n; i-- > 0;) {
        size_t v = e->order[i];
        struct cluster *k = &e->clusters[v];

        if (k->parent == SIZE_MAX)
            k->message.costs[0] = total - k->message.costs[0];
        else
            pull_from_parent(e, k, least);
        for (size_t a = 0; a < e->c->domain[v]; a++)
            margins[v][a] = INFINITY;
        for (size_t m = 0; m < k->message.size; m++)
            for (size_t a = 0; a < e->c->domain[v]; a++) {
                double *cost = &k->costs[m * e->c->domain[v] + a];

                *cost += k->message.costs[m];
                margins[v][a] = fmin(margins[v][a], *cost);
            }
    }
    return PORTOLAN_OK;
}

enum portolan_status choice_eliminate(const struct portolan_choice *c, const double *price,
                                      size_t limit, bool margins,
                                      struct portolan_choice_solution *s)
{
    struct elimination e = {.price = price};
    enum portolan_status status = elimination_init(&e, c);

    if (!status)
        status = plan_order(&e, limit, &s->width);
    for (size_t v = 0; !status && v < c->n; v++)
        allocate_tables(&e, &e.clusters[v]);
    if (e.pool.failed)
        status = PORTOLAN_ENOMEM;
    if (!status) {
        add_factors(&e);
        status = forward(&e);
    }
    if (!status && isinf(elsewhere(&e)))
        status = PORTOLAN_EINFEASIBLE;
    if (!status) {
        decode(&e, s->values);
        s->method = PORTOLAN_CHOICE_ELIMINATION;
        if (margins)
            status = backward(&e, s->margins);
    }
    portolan_arena_clear(&e.pool);
    return status;
}
