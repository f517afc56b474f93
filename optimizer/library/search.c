/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Depth-first branch and bound, guided by elimination (Kask and Dechter 2001): variables are set in
 * the reverse order, and the clusters give a lower bound of the cost of each value. If no bucket
 * was split the bound is exact, and the search goes straight to the best.
 */
#include "choice_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * Clusters are split if they had more entries in all than MOST, or MOST_EACH per variable if that
 * is more. Small clusters make the search begin sooner, but with many variables their bounds would
 * be too weak for it to end.
 */
enum { MOST = 1 << 14, MOST_EACH = 1 << 10 };

struct search {
    struct elimination e;
    size_t widest, *order; /* per depth: the order in which the variable's values are tried */
    struct choice_score *scores;
    struct choice_part **uses; /* tables of what is used, by the variable that is set last */
    double *used, *least;      /* [variables left][budget]: used so far; least that the rest uses */
    double *beyond;            /* per budget */
    size_t *values, *best_values;
    struct choice_score best;
    size_t nodes;
};

/* ---- the search ---- */

/* Finds for each value of V the least cost that an assignment with it may have. */
static void score_values(const struct search *s, size_t v, struct choice_score bound,
                         struct choice_score *scores)
{
    size_t values = s->e.c->domain[v];

    for (size_t a = 0; a < values; a++)
        scores[a] = bound;
    for (const struct choice_cluster *k = s->e.clusters[v]; k; k = k->next) {
        size_t m = choice_at(&k->message, s->values);

        for (size_t a = 0; a < values; a++) {
            scores[a].cost += k->costs[m * values + a] - k->message.costs[m];
            scores[a].away += k->away[m * values + a] - k->message_away[m];
        }
    }
}

/* The best first; among equals the one written. */
static void sort_values(const struct search *s, size_t v, const struct choice_score *scores,
                        size_t *order)
{
    for (size_t i = 0; i < s->e.c->domain[v]; i++) {
        size_t a = choice_value(s->e.c, v, i), k = i;

        for (; k > 0 && choice_better(scores[a].cost, scores[a].away, scores[order[k - 1]]); k--)
            order[k] = order[k - 1];
        order[k] = a;
    }
}

/* Adds what is used now that V, the LEFT-th, is set; false: a budget is exceeded whatever follows.
 */
static bool is_affordable(struct search *s, size_t v, size_t left)
{
    const double *before = &s->used[left * s->e.c->n_budgets];
    double *now = &s->used[(left - 1) * s->e.c->n_budgets];

    for (size_t b = 0; b < s->e.c->n_budgets; b++)
        now[b] = before[b];
    for (const struct choice_part *x = s->uses[v]; x && s->e.c->n_budgets; x = x->next)
        now[x->table->layer - 1] += choice_entry(x->table, s->values);
    for (size_t b = 0; b < s->e.c->n_budgets; b++)
        if (now[b] + s->least[(left - 1) * s->e.c->n_budgets + b] > s->beyond[b])
            return false;
    return true;
}

static void search(struct search *s, size_t left, struct choice_score bound)
{
    struct choice_score *scores = &s->scores[left * s->widest];
    size_t *order = &s->order[left * s->widest], v;

    s->nodes++;
    if (left == 0) {
        if (s->e.c->n_budgets)
            bound.cost = portolan_choice_cost(s->e.c, s->values);
        if (!choice_better(bound.cost, bound.away, s->best))
            return;
        s->best = bound;
        memcpy(s->best_values, s->values, s->e.c->n * sizeof *s->values);
        return;
    }
    v = s->e.order[left - 1];
    score_values(s, v, bound, scores);
    sort_values(s, v, scores, order);
    for (size_t i = 0; i < s->e.c->domain[v]; i++) {
        struct choice_score with = scores[order[i]];

        if (!choice_better(with.cost, with.away, s->best))
            break; /* the values after this one cost at least as much */
        s->values[v] = order[i];
        if (is_affordable(s, v, left))
            search(s, left - 1, with);
    }
}

/* Lists what is used of budgets by the variable that is set last, and the least of each table. */
static void list_uses(struct search *s)
{
    const struct portolan_choice *c = s->e.c;

    for (size_t i = 0; i < c->n_factors; i++) {
        const struct choice_factor *f = &c->factors[i];
        size_t first = elimination_first(&s->e, f);
        size_t left = first == SIZE_MAX ? 0 : s->e.position[first] + 1;
        double least = INFINITY;

        if (!f->layer)
            continue;
        if (left)
            elimination_put(&s->e, s->uses, (struct choice_part){.table = f});
        for (size_t k = 0; k < f->size; k++)
            least = fmin(least, f->costs[k]);
        for (; left <= c->n; left++)
            s->least[left * s->e.c->n_budgets + f->layer - 1] += least;
    }
    for (size_t b = 0; b < s->e.c->n_budgets; b++)
        s->beyond[b] = choice_beyond(c, b);
}

static enum portolan_status search_init(struct search *s)
{
    const struct portolan_choice *c = s->e.c;
    struct portolan_arena *pool = &s->e.pool;
    size_t depths = c->n + 1;

    s->best = (struct choice_score){INFINITY, 0};
    s->widest = 1;
    for (size_t v = 0; v < c->n; v++)
        s->widest = c->domain[v] > s->widest ? c->domain[v] : s->widest;
    s->order = portolan_arena_alloc(pool, depths * s->widest, sizeof *s->order);
    s->scores = portolan_arena_alloc(pool, depths * s->widest, sizeof *s->scores);
    s->uses = portolan_arena_alloc(pool, depths, sizeof *s->uses);
    s->used = portolan_arena_alloc(pool, depths * s->e.c->n_budgets, sizeof *s->used);
    s->least = portolan_arena_alloc(pool, depths * s->e.c->n_budgets, sizeof *s->least);
    s->beyond = portolan_arena_alloc(pool, s->e.c->n_budgets, sizeof *s->beyond);
    s->values = portolan_arena_alloc(pool, depths, sizeof *s->values);
    s->best_values = portolan_arena_alloc(pool, depths, sizeof *s->best_values);
    if (!pool->failed && s->e.c->n_budgets)
        list_uses(s);
    return pool->failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
}

/* Finds the best. The caller clears s->e.pool. */
static enum portolan_status run(struct search *s)
{
    enum portolan_status status = elimination_run(&s->e);

    if (!status)
        status = search_init(s);
    if (status)
        return status;
    search(s, s->e.c->n, s->e.bound);
    return isinf(s->best.cost) ? PORTOLAN_EINFEASIBLE : PORTOLAN_OK;
}

/* ---- solutions ---- */

/* A solution in one block with the arena of its arrays. */
struct solution {
    struct portolan_choice_solution s;
    struct portolan_arena pool;
};

static struct portolan_choice_solution *create_solution(const struct portolan_choice *c,
                                                        bool margins)
{
    struct solution *own = portolan_calloc(1, sizeof *own);
    struct portolan_choice_solution *s;

    if (!own)
        return NULL;
    s = &own->s;
    s->n_variables = c->n;
    s->values = portolan_arena_alloc(&own->pool, c->n, sizeof *s->values);
    if (margins) {
        s->margins = portolan_arena_alloc(&own->pool, c->n, sizeof *s->margins);
        s->tied = portolan_arena_alloc(&own->pool, c->n, sizeof *s->tied);
    }
    for (size_t v = 0; s->margins && v < c->n; v++)
        s->margins[v] = portolan_arena_alloc(&own->pool, c->domain[v], sizeof **s->margins);
    if (!own->pool.failed)
        return s;
    portolan_choice_solution_destroy(s);
    return NULL;
}

void portolan_choice_solution_destroy(struct portolan_choice_solution *s)
{
    struct solution *own = (struct solution *)s;

    if (own)
        portolan_arena_clear(&own->pool);
    free(own);
}

static void mark_ties(const struct portolan_choice *c, struct portolan_choice_solution *s)
{
    for (size_t v = 0; v < c->n; v++) {
        s->margins[v][s->values[v]] = s->cost;
        for (size_t a = 0; a < c->domain[v]; a++)
            if (a != s->values[v] &&
                s->margins[v][a] <= s->cost + 8 * choice_tolerance(s->cost, s->cost))
                s->tied[v] = true;
    }
}

/* The least cost with each value of each variable, by a search for each. */
static enum portolan_status force_values(const struct portolan_choice *c, size_t most,
                                         struct portolan_choice_solution *out)
{
    for (size_t v = 0; v < c->n; v++)
        for (size_t a = 0; a < c->domain[v]; a++) {
            struct search s = {.e = {.c = c, .most = most, .forced = v, .forced_value = a}};
            enum portolan_status status = a == out->values[v] ? PORTOLAN_OK : run(&s);

            out->margins[v][a] = status ? INFINITY : s.best.cost;
            portolan_arena_clear(&s.e.pool);
            if (status && status != PORTOLAN_EINFEASIBLE)
                return status;
        }
    return PORTOLAN_OK;
}

/* Finds the best, and the margins if S has room for them. */
static enum portolan_status fill_solution(const struct portolan_choice *c, size_t most,
                                          struct portolan_choice_solution *out)
{
    struct search s = {.e = {.c = c, .most = most, .forced = SIZE_MAX}};
    enum portolan_status status = run(&s);

    out->nodes = s.nodes;
    if (!status && c->n)
        memcpy(out->values, s.best_values, c->n * sizeof *out->values);
    if (!status && out->margins)
        status = force_values(c, most, out);
    if (!status)
        out->cost = portolan_choice_cost(c, out->values);
    if (!status && out->margins)
        mark_ties(c, out);
    portolan_arena_clear(&s.e.pool);
    return status;
}

enum portolan_status choice_solve(const struct portolan_choice *c, size_t most, bool margins,
                                  struct portolan_choice_solution **out, struct portolan_error *err)
{
    struct portolan_choice_solution *s = create_solution(c, margins);
    enum portolan_status status = s ? fill_solution(c, most, s) : PORTOLAN_ENOMEM;

    if (!status) {
        *out = s;
        return PORTOLAN_OK;
    }
    portolan_choice_solution_destroy(s);
    if (status == PORTOLAN_EINFEASIBLE)
        return portolan_error_set(err, status,
                                  "every combination of implementations is forbidden%s",
                                  c->n_budgets ? ", or beyond a budget" : "");
    return portolan_error_set(err, status, "choosing among %zu variables", c->n);
}

enum portolan_status portolan_choice_solve(const struct portolan_choice *c, bool margins,
                                           struct portolan_choice_solution **s,
                                           struct portolan_error *err)
{
    size_t most = MOST_EACH * c->n > MOST ? MOST_EACH * c->n : MOST;

    return choice_solve(c, most, margins, s, err);
}
