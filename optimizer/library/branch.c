/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Depth-first branch and bound. Each unset variable has, per value, the cost that it would add to
 * the variables set so far; the sum of the least of these is a lower bound of the rest. The bound
 * leaves out the tables between unset variables, so costs are first moved from the tables to the
 * variables as far as possible, by min-sum diffusion (Werner 2007): no assignment's cost changes,
 * but the bound rises. Descent from two starting points gives the first solution to beat.
 */
#include "choice_internal.h"

#include <string.h>

/* Rounds of diffusion. */
enum { SWEEPS = 4 };

/* A factor that has a variable, and the position of the variable in it. */
struct touch {
    size_t factor, at;
};

struct branch {
    const struct portolan_choice *c;
    struct portolan_arena pool;
    size_t *offset;  /* of each variable's values in a row of `costs` */
    size_t total;    /* values of all variables */
    double *costs;   /* one row per depth */
    double **tables; /* per factor: its costs after diffusion; NULL below two variables */
    double *alone;   /* per value: its costs after diffusion */
    double constant;
    size_t *unset;         /* per factor: its variables not set yet */
    struct touch *touches; /* of variable v: touches[first[v]] … touches[first[v + 1] - 1] */
    size_t *first;
    bool *set;
    size_t *values, *best_values, *trial;
    size_t *order; /* per depth: the order in which the variable's values are tried */
    size_t widest;
    struct choice_score best;
    size_t nodes;
};

static enum portolan_status list_factors(struct branch *b)
{
    const struct portolan_choice *c = b->c;
    size_t total = 0;

    for (size_t i = 0; i < c->n_factors; i++)
        total += c->factors[i].n;
    b->touches = portolan_arena_alloc(&b->pool, total + 1, sizeof *b->touches);
    b->first = portolan_arena_alloc(&b->pool, c->n + 2, sizeof *b->first);
    if (!b->touches || !b->first)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < c->n_factors; i++)
        for (size_t j = 0; j < c->factors[i].n; j++)
            b->first[c->factors[i].variables[j] + 2]++;
    for (size_t v = 1; v <= c->n; v++)
        b->first[v + 1] += b->first[v];
    for (size_t i = 0; i < c->n_factors; i++)
        for (size_t j = 0; j < c->factors[i].n; j++)
            b->touches[b->first[c->factors[i].variables[j] + 1]++] = (struct touch){i, j};
    return PORTOLAN_OK;
}

/* Copies the costs to where they can be moved. */
static enum portolan_status copy_costs(struct branch *b)
{
    for (size_t i = 0; i < b->c->n_factors; i++) {
        const struct choice_factor *f = &b->c->factors[i];

        if (f->n == 0)
            b->constant += f->costs[0];
        for (size_t a = 0; f->n == 1 && a < f->size; a++)
            b->alone[b->offset[f->variables[0]] + a] += f->costs[a];
        if (f->n < 2)
            continue;
        if (!(b->tables[i] = portolan_arena_alloc(&b->pool, f->size, sizeof **b->tables)))
            return PORTOLAN_ENOMEM;
        memcpy(b->tables[i], f->costs, f->size * sizeof *f->costs);
    }
    return isinf(b->constant) ? PORTOLAN_EINFEASIBLE : PORTOLAN_OK;
}

/* Adds AMOUNT to all entries of factor I in which its J-th variable has value A. */
static void add_to_slice(struct branch *b, size_t i, size_t j, size_t a, double amount)
{
    const struct choice_factor *f = &b->c->factors[i];
    size_t stride = f->strides[j], period = stride * b->c->domain[f->variables[j]];

    for (size_t k = a * stride; k < f->size; k += period)
        for (size_t at = k; at < k + stride; at++)
            b->tables[i][at] += amount;
}

static double least_of_slice(const struct branch *b, size_t i, size_t j, size_t a)
{
    const struct choice_factor *f = &b->c->factors[i];
    size_t stride = f->strides[j], period = stride * b->c->domain[f->variables[j]];
    double least = INFINITY;

    for (size_t k = a * stride; k < f->size; k += period)
        for (size_t at = k; at < k + stride; at++)
            least = fmin(least, b->tables[i][at]);
    return least;
}

/* Moves the least cost of value A of variable V from each of its tables to the value itself. */
static void collect_costs(struct branch *b, size_t v, size_t a, double *own)
{
    for (size_t k = b->first[v]; k < b->first[v + 1]; k++) {
        const struct touch *t = &b->touches[k];
        double least;

        if (b->c->factors[t->factor].n < 2)
            continue;
        least = least_of_slice(b, t->factor, t->at, a);
        *own += least;
        if (!isinf(least))
            add_to_slice(b, t->factor, t->at, a, -least);
    }
}

/* Gives equal parts of that cost back to the tables, where other variables can collect them. */
static void spread_costs(struct branch *b, size_t v, size_t a, double *own)
{
    double part;
    size_t n = 0;

    for (size_t k = b->first[v]; k < b->first[v + 1]; k++)
        n += b->c->factors[b->touches[k].factor].n > 1;
    if (n == 0 || isinf(*own))
        return;
    part = *own / (double)(n + 1);
    for (size_t k = b->first[v]; k < b->first[v + 1]; k++) {
        const struct touch *t = &b->touches[k];

        if (b->c->factors[t->factor].n < 2)
            continue;
        add_to_slice(b, t->factor, t->at, a, part);
        *own -= part;
    }
}

static enum portolan_status diffuse(struct branch *b)
{
    enum portolan_status status = list_factors(b);

    if (!status)
        status = copy_costs(b);
    for (int sweep = 0; !status && sweep <= SWEEPS; sweep++)
        for (size_t v = 0; v < b->c->n; v++)
            for (size_t a = 0; a < b->c->domain[v]; a++) {
                double *own = &b->alone[b->offset[v] + a];

                collect_costs(b, v, a, own);
                if (sweep < SWEEPS)
                    spread_costs(b, v, a, own);
            }
    return status;
}

static enum portolan_status branch_init(struct branch *b, const struct portolan_choice *c)
{
    size_t rows = c->n + 1, size;

    b->c = c;
    b->offset = portolan_arena_alloc(&b->pool, c->n + 1, sizeof *b->offset);
    if (!b->offset)
        return PORTOLAN_ENOMEM;
    for (size_t v = 0; v < c->n; v++) {
        b->offset[v] = b->total;
        b->total += c->domain[v];
        b->widest = c->domain[v] > b->widest ? c->domain[v] : b->widest;
    }
    if (__builtin_mul_overflow(rows, b->total + 1, &size))
        return PORTOLAN_ENOMEM;
    b->costs = portolan_arena_alloc(&b->pool, size, sizeof *b->costs);
    b->order = portolan_arena_alloc(&b->pool, rows * (b->widest + 1), sizeof *b->order);
    b->tables = portolan_arena_alloc(&b->pool, c->n_factors + 1, sizeof *b->tables);
    b->alone = portolan_arena_alloc(&b->pool, b->total + 1, sizeof *b->alone);
    b->unset = portolan_arena_alloc(&b->pool, c->n_factors + 1, sizeof *b->unset);
    b->set = portolan_arena_alloc(&b->pool, rows, sizeof *b->set);
    b->values = portolan_arena_alloc(&b->pool, rows, sizeof *b->values);
    b->best_values = portolan_arena_alloc(&b->pool, rows, sizeof *b->best_values);
    b->trial = portolan_arena_alloc(&b->pool, rows, sizeof *b->trial);
    return b->pool.failed ? PORTOLAN_ENOMEM : diffuse(b);
}

/* Adds to ROW what factor F costs each value of its one unset variable. */
static void project(const struct branch *b, size_t f, double *row)
{
    const struct choice_factor *t = &b->c->factors[f];
    size_t at = 0, free_variable = 0, step = 0;

    for (size_t j = 0; j < t->n; j++) {
        size_t v = t->variables[j];

        if (b->set[v]) {
            at += t->strides[j] * b->values[v];
        } else {
            free_variable = v;
            step = t->strides[j];
        }
    }
    for (size_t a = 0; a < b->c->domain[free_variable]; a++)
        row[b->offset[free_variable] + a] += b->tables[f][at + a * step];
}

/* The first row, with variable FIXED (if any) held at VALUE; returns the constant part. */
static double begin_search(struct branch *b, size_t fixed, size_t value)
{
    memcpy(b->costs, b->alone, b->total * sizeof *b->costs);
    memset(b->set, 0, b->c->n * sizeof *b->set);
    for (size_t i = 0; i < b->c->n_factors; i++)
        b->unset[i] = b->c->factors[i].n;
    for (size_t a = 0; fixed < b->c->n && a < b->c->domain[fixed]; a++)
        if (a != value)
            b->costs[b->offset[fixed] + a] = INFINITY;
    return b->constant;
}

/* The sum of the least costs of the unset variables; *NEXT = the variable with the widest gap
 * between its best and second best value. */
static double bound_rest(const struct branch *b, const double *row, size_t *next)
{
    double sum = 0, widest_gap = -1;

    *next = SIZE_MAX;
    for (size_t v = 0; v < b->c->n; v++) {
        double least = INFINITY, second = INFINITY, gap;

        if (b->set[v])
            continue;
        for (size_t a = 0; a < b->c->domain[v]; a++) {
            double cost = row[b->offset[v] + a];

            if (cost < least) {
                second = least;
                least = cost;
            } else if (cost < second) {
                second = cost;
            }
        }
        sum += least;
        gap = isinf(least) ? INFINITY : second - least;
        if (gap > widest_gap) {
            widest_gap = gap;
            *next = v;
        }
    }
    return sum;
}

/* Values of V by ascending cost, the one written first among equals. */
static void sort_values(const struct branch *b, size_t v, const double *row, size_t *order)
{
    for (size_t i = 0; i < b->c->domain[v]; i++) {
        size_t a = choice_value(b->c, v, i), k = i;

        for (; k > 0 && row[b->offset[v] + order[k - 1]] > row[b->offset[v] + a]; k--)
            order[k] = order[k - 1];
        order[k] = a;
    }
}

static void set_variable(struct branch *b, size_t v, size_t a, double *row)
{
    b->set[v] = true;
    b->values[v] = a;
    for (size_t k = b->first[v]; k < b->first[v + 1]; k++)
        if (--b->unset[b->touches[k].factor] == 1)
            project(b, b->touches[k].factor, row);
}

static void unset_variable(struct branch *b, size_t v)
{
    b->set[v] = false;
    for (size_t k = b->first[v]; k < b->first[v + 1]; k++)
        b->unset[b->touches[k].factor]++;
}

static void search(struct branch *b, size_t depth, double base, unsigned away)
{
    const double *row = &b->costs[depth * b->total];
    double *below = &b->costs[(depth + 1) * b->total];
    size_t *order = &b->order[depth * b->widest];
    size_t v;
    double least = base + bound_rest(b, row, &v);

    b->nodes++;
    if (!choice_better(least, away, b->best))
        return;
    if (v == SIZE_MAX) {
        b->best = (struct choice_score){base, away};
        memcpy(b->best_values, b->values, b->c->n * sizeof *b->values);
        return;
    }
    sort_values(b, v, row, order);
    for (size_t i = 0; i < b->c->domain[v]; i++) {
        size_t a = order[i];

        if (!choice_better(least + row[b->offset[v] + a] - row[b->offset[v] + order[0]], away,
                           b->best))
            break; /* the values after it cost at least as much */
        memcpy(below, row, b->total * sizeof *row);
        set_variable(b, v, a, below);
        search(b, depth + 1, base + row[b->offset[v] + a], away + (a != b->c->written[v]));
        unset_variable(b, v);
    }
}

/* Improves b->trial until no single change helps, and keeps it if it is the best so far. */
static void descend(struct branch *b, size_t fixed)
{
    double cost = portolan_choice_cost(b->c, b->trial);
    unsigned away = 0;
    bool moved = true;

    while (moved) {
        moved = false;
        for (size_t v = 0; v < b->c->n; v++) {
            size_t old = b->trial[v];

            for (size_t a = 0; v != fixed && a < b->c->domain[v]; a++) {
                double other;

                b->trial[v] = a;
                other = portolan_choice_cost(b->c, b->trial);
                if (other < cost - choice_tolerance(cost, other) ||
                    (isinf(cost) && !isinf(other))) {
                    cost = other;
                    old = a;
                    moved = true;
                }
            }
            b->trial[v] = old;
        }
    }
    for (size_t v = 0; v < b->c->n; v++)
        away += b->trial[v] != b->c->written[v];
    if (choice_better(cost, away, b->best)) {
        b->best = (struct choice_score){cost, away};
        memcpy(b->best_values, b->trial, b->c->n * sizeof *b->trial);
    }
}

static void best_alone(struct branch *b)
{
    for (size_t v = 0; v < b->c->n; v++) {
        double least = INFINITY;

        b->trial[v] = b->c->written[v];
        for (size_t i = 0; i < b->c->domain[v]; i++) {
            size_t a = choice_value(b->c, v, i);

            if (b->costs[b->offset[v] + a] < least) {
                least = b->costs[b->offset[v] + a];
                b->trial[v] = a;
            }
        }
    }
}

static double branch_margin(struct branch *b, const struct portolan_choice_solution *s, size_t v,
                            size_t a)
{
    double constant = begin_search(b, v, a);

    b->best = (struct choice_score){INFINITY, 0};
    memcpy(b->trial, s->values, b->c->n * sizeof *b->trial);
    b->trial[v] = a;
    descend(b, v);
    b->best.away = 0; /* only the cost matters here: equal ones need no search */
    search(b, 0, constant, 0);
    return b->best.cost;
}

enum portolan_status choice_branch(const struct portolan_choice *c, bool margins,
                                   struct portolan_choice_solution *s)
{
    struct branch b = {.best = {INFINITY, 0}};
    enum portolan_status status = branch_init(&b, c);
    double constant;

    if (status)
        goto out;
    constant = begin_search(&b, SIZE_MAX, 0);
    memcpy(b.trial, c->written, c->n * sizeof *b.trial);
    descend(&b, SIZE_MAX);
    best_alone(&b);
    descend(&b, SIZE_MAX);
    search(&b, 0, constant, 0);
    if (isinf(b.best.cost)) {
        status = PORTOLAN_EINFEASIBLE;
        goto out;
    }
    memcpy(s->values, b.best_values, c->n * sizeof *s->values);
    s->method = PORTOLAN_CHOICE_BRANCH_AND_BOUND;
    s->nodes = b.nodes;
    for (size_t v = 0; margins && v < c->n; v++)
        for (size_t a = 0; a < c->domain[v]; a++)
            s->margins[v][a] =
                a == s->values[v] ? portolan_choice_cost(c, s->values) : branch_margin(&b, s, v, a);
out:
    portolan_arena_clear(&b.pool);
    return status;
}
