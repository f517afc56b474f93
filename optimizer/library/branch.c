/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Depth-first branch and bound. Each unset variable has, per value, the cost that it would add to
 * the variables set so far; the sum of the least of these is a lower bound of the rest. The bound
 * leaves out the tables between unset variables, so costs are first moved from the tables to the
 * variables as far as possible, by min-sum diffusion (Werner 2007): no assignment's cost changes,
 * but the bound rises. Descent from the best at the last prices gives the first solution to beat.
 *
 * Each budget has tables, rows and a bound of its own, in the same way; the cost's layer also has
 * the tables of the budgets, times their prices.
 */
#include "choice_internal.h"

#include <string.h>

/* Rounds of diffusion. */
enum { SWEEPS = 4 };

/* A table of one layer over two or more variables. */
struct term {
    const struct choice_factor *factor;
    size_t layer;
    double *costs; /* of the factor times its weight, after diffusion */
    size_t unset;  /* variables not set yet */
};

/* A term that has a variable, and the position of the variable in it. */
struct touch {
    struct term *term;
    size_t at;
};

struct branch {
    const struct portolan_choice *c;
    struct portolan_arena pool;
    size_t n_layers; /* the costs, and each budget */
    size_t *offset;  /* of each variable's values in a layer of a row of `costs` */
    size_t total;    /* values of all variables */
    size_t row;      /* the length of a row: the values in all layers */
    double *costs;   /* one row per depth */
    double *bases;   /* per depth and layer: the sum of what is fixed */
    size_t n_terms;
    struct term *terms;
    double *alone;         /* per layer and value: its costs after diffusion */
    double *constants;     /* per layer */
    double *beyond;        /* per budget */
    struct touch *touches; /* of variable v: touches[first[v]] … touches[first[v + 1] - 1] */
    size_t *first;
    bool *set;
    size_t *values, *best_values, *trial;
    size_t *order; /* per depth: the order in which the variable's values are tried */
    size_t widest;
    struct choice_score best;
    size_t nodes;
};

/* Copies the costs of a factor, times WEIGHT, to where they can be moved. */
static void add_factor(struct branch *b, const struct choice_factor *f, size_t layer, double weight)
{
    double *to = f->n == 0   ? &b->constants[layer]
                 : f->n == 1 ? &b->alone[layer * b->total + b->offset[f->variables[0]]]
                             : portolan_arena_alloc(&b->pool, f->size, sizeof *to);

    for (size_t k = 0; to && k < f->size; k++)
        to[k] += weight * f->costs[k];
    if (f->n > 1)
        b->terms[b->n_terms++] = (struct term){.factor = f, .layer = layer, .costs = to};
}

static void list_terms(struct branch *b, const double *price)
{
    const struct portolan_choice *c = b->c;

    for (size_t i = 0; i < c->n_factors; i++) {
        const struct choice_factor *f = &c->factors[i];

        add_factor(b, f, f->layer, 1);
        if (f->layer && price[f->layer - 1] > 0)
            add_factor(b, f, 0, price[f->layer - 1]);
    }
    for (size_t k = 0; k < c->n_budgets; k++) {
        b->constants[0] -= price[k] * c->limits[k];
        b->beyond[k] = choice_beyond(c, k);
    }
}

static void list_touches(struct branch *b)
{
    const struct portolan_choice *c = b->c;
    size_t total = 0;

    for (size_t i = 0; i < b->n_terms; i++)
        total += b->terms[i].factor->n;
    b->touches = portolan_arena_alloc(&b->pool, total + 1, sizeof *b->touches);
    b->first = portolan_arena_alloc(&b->pool, c->n + 2, sizeof *b->first);
    if (b->pool.failed)
        return;
    for (size_t i = 0; i < b->n_terms; i++)
        for (size_t j = 0; j < b->terms[i].factor->n; j++)
            b->first[b->terms[i].factor->variables[j] + 2]++;
    for (size_t v = 1; v <= c->n; v++)
        b->first[v + 1] += b->first[v];
    for (size_t i = 0; i < b->n_terms; i++)
        for (size_t j = 0; j < b->terms[i].factor->n; j++)
            b->touches[b->first[b->terms[i].factor->variables[j] + 1]++] =
                (struct touch){&b->terms[i], j};
}

/* Adds AMOUNT to all entries of a term in which its variable at T has value A; returns the least
 * of them before. */
static double add_to_slice(const struct branch *b, const struct touch *t, size_t a, double amount)
{
    const struct choice_factor *f = t->term->factor;
    size_t stride = f->strides[t->at], period = stride * b->c->domain[f->variables[t->at]];
    double least = INFINITY;

    for (size_t k = a * stride; k < f->size; k += period)
        for (size_t at = k; at < k + stride; at++) {
            least = fmin(least, t->term->costs[at]);
            t->term->costs[at] += amount;
        }
    return least;
}

/* Moves the least cost of value A of variable V from each of its tables to the value itself. */
static void collect_costs(struct branch *b, size_t layer, size_t v, size_t a, double *own)
{
    for (size_t k = b->first[v]; k < b->first[v + 1]; k++) {
        const struct touch *t = &b->touches[k];
        double least;

        if (t->term->layer != layer)
            continue;
        least = add_to_slice(b, t, a, 0);
        *own += least;
        if (!isinf(least))
            add_to_slice(b, t, a, -least);
    }
}

/* Gives equal parts of that cost back to the tables, where other variables can collect them. */
static void spread_costs(struct branch *b, size_t layer, size_t v, size_t a, double *own)
{
    double part;
    size_t n = 0;

    for (size_t k = b->first[v]; k < b->first[v + 1]; k++)
        n += b->touches[k].term->layer == layer;
    if (n == 0 || isinf(*own))
        return;
    part = *own / (double)(n + 1);
    for (size_t k = b->first[v]; k < b->first[v + 1]; k++) {
        const struct touch *t = &b->touches[k];

        if (t->term->layer != layer)
            continue;
        add_to_slice(b, t, a, part);
        *own -= part;
    }
}

static void diffuse_layer(struct branch *b, size_t layer)
{
    for (int sweep = 0; sweep <= SWEEPS; sweep++)
        for (size_t v = 0; v < b->c->n; v++)
            for (size_t a = 0; a < b->c->domain[v]; a++) {
                double *own = &b->alone[layer * b->total + b->offset[v] + a];

                collect_costs(b, layer, v, a, own);
                if (sweep < SWEEPS)
                    spread_costs(b, layer, v, a, own);
            }
}

static enum portolan_status branch_init(struct branch *b, const struct portolan_choice *c,
                                        const double *price)
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
    b->n_layers = 1 + c->n_budgets;
    b->row = b->n_layers * b->total;
    if (__builtin_mul_overflow(rows, b->row + 1, &size))
        return PORTOLAN_ENOMEM;
    b->costs = portolan_arena_alloc(&b->pool, size, sizeof *b->costs);
    b->order = portolan_arena_alloc(&b->pool, rows * (b->widest + 1), sizeof *b->order);
    b->bases = portolan_arena_alloc(&b->pool, rows * b->n_layers, sizeof *b->bases);
    b->terms = portolan_arena_alloc(&b->pool, 2 * c->n_factors, sizeof *b->terms);
    b->constants = portolan_arena_alloc(&b->pool, b->n_layers, sizeof *b->constants);
    b->beyond = portolan_arena_alloc(&b->pool, b->n_layers, sizeof *b->beyond);
    b->alone = portolan_arena_alloc(&b->pool, b->row + 1, sizeof *b->alone);
    b->set = portolan_arena_alloc(&b->pool, rows, sizeof *b->set);
    b->values = portolan_arena_alloc(&b->pool, rows, sizeof *b->values);
    b->best_values = portolan_arena_alloc(&b->pool, rows, sizeof *b->best_values);
    b->trial = portolan_arena_alloc(&b->pool, rows, sizeof *b->trial);
    if (b->pool.failed)
        return PORTOLAN_ENOMEM;
    list_terms(b, price);
    list_touches(b);
    if (b->pool.failed)
        return PORTOLAN_ENOMEM;
    for (size_t l = 0; l < b->n_layers; l++)
        diffuse_layer(b, l);
    return isinf(b->constants[0]) ? PORTOLAN_EINFEASIBLE : PORTOLAN_OK;
}

/* Adds to ROW what a term costs each value of its one unset variable. */
static void project(const struct branch *b, const struct term *term, double *row)
{
    const struct choice_factor *t = term->factor;
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
    row += term->layer * b->total + b->offset[free_variable];
    for (size_t a = 0; a < b->c->domain[free_variable]; a++)
        row[a] += term->costs[at + a * step];
}

/* Makes the first row, with variable FIXED (if any) held at VALUE. */
static void begin_search(struct branch *b, size_t fixed, size_t value)
{
    memcpy(b->costs, b->alone, b->row * sizeof *b->costs);
    memcpy(b->bases, b->constants, b->n_layers * sizeof *b->bases);
    memset(b->set, 0, b->c->n * sizeof *b->set);
    for (size_t i = 0; i < b->n_terms; i++)
        b->terms[i].unset = b->terms[i].factor->n;
    for (size_t a = 0; fixed < b->c->n && a < b->c->domain[fixed]; a++)
        if (a != value)
            b->costs[b->offset[fixed] + a] = INFINITY;
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

/* Whether a budget is exceeded whatever the unset variables are. */
static bool is_beyond(const struct branch *b, const double *row, const double *bases)
{
    size_t ignored;

    for (size_t l = 1; l < b->n_layers; l++)
        if (bases[l] + bound_rest(b, row + l * b->total, &ignored) > b->beyond[l - 1])
            return true;
    return false;
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

/* Sets a variable in the row and bases of the next depth. */
static void set_variable(struct branch *b, size_t v, size_t a, size_t depth)
{
    const double *row = &b->costs[depth * b->row], *bases = &b->bases[depth * b->n_layers];
    double *below = &b->costs[(depth + 1) * b->row];

    memcpy(below, row, b->row * sizeof *row);
    for (size_t l = 0; l < b->n_layers; l++)
        b->bases[(depth + 1) * b->n_layers + l] = bases[l] + row[l * b->total + b->offset[v] + a];
    b->set[v] = true;
    b->values[v] = a;
    for (size_t k = b->first[v]; k < b->first[v + 1]; k++)
        if (--b->touches[k].term->unset == 1)
            project(b, b->touches[k].term, below);
}

static void unset_variable(struct branch *b, size_t v)
{
    b->set[v] = false;
    for (size_t k = b->first[v]; k < b->first[v + 1]; k++)
        b->touches[k].term->unset++;
}

static void keep_values(struct branch *b, const size_t *values, double cost, unsigned away)
{
    if (!choice_better(cost, away, b->best))
        return;
    b->best = (struct choice_score){cost, away};
    memcpy(b->best_values, values, b->c->n * sizeof *values);
}

static void search(struct branch *b, size_t depth, unsigned away)
{
    const double *row = &b->costs[depth * b->row], *bases = &b->bases[depth * b->n_layers];
    size_t *order = &b->order[depth * b->widest];
    size_t v;
    double least = bases[0] + bound_rest(b, row, &v);

    b->nodes++;
    if (!choice_better(least, away, b->best) || is_beyond(b, row, bases))
        return;
    if (v == SIZE_MAX) {
        keep_values(b, b->values,
                    b->n_layers > 1 ? portolan_choice_cost(b->c, b->values) : bases[0], away);
        return;
    }
    sort_values(b, v, row, order);
    for (size_t i = 0; i < b->c->domain[v]; i++) {
        size_t a = order[i];

        if (!choice_better(least + row[b->offset[v] + a] - row[b->offset[v] + order[0]], away,
                           b->best))
            break; /* the values after it cost at least as much */
        set_variable(b, v, a, depth);
        search(b, depth + 1, away + choice_away(b->c, v, a));
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
        away += choice_away(b->c, v, b->trial[v]);
    keep_values(b, b->trial, cost, away);
}

static double branch_margin(struct branch *b, const struct portolan_choice_solution *s, size_t v,
                            size_t a)
{
    begin_search(b, v, a);
    b->best = (struct choice_score){INFINITY, 0};
    memcpy(b->trial, s->values, b->c->n * sizeof *b->trial);
    b->trial[v] = a;
    descend(b, v);
    b->best.away = 0; /* only the cost matters here: equal ones need no search */
    search(b, 0, 0);
    return b->best.cost;
}

enum portolan_status choice_branch(const struct portolan_choice *c, const double *price,
                                   bool margins, struct portolan_choice_solution *s)
{
    struct branch b = {.best = {INFINITY, 0}};
    enum portolan_status status = branch_init(&b, c, price);

    if (status)
        goto out;
    begin_search(&b, SIZE_MAX, 0);
    memcpy(b.trial, s->values, c->n * sizeof *b.trial);
    descend(&b, SIZE_MAX);
    search(&b, 0, 0);
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
