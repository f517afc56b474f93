/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choosing within budgets. If what is best without them keeps within them, it is the answer.
 * Otherwise what is used of a budget gets a price: with any prices that are not negative, the least
 * of cost + price x (use - limit) is a lower bound of what an allowed assignment costs (Everett
 * 1963). The prices are raised where a budget is exceeded and lowered where it is not (subgradient
 * steps of Polyak's length); then branch and bound searches with that bound.
 */
#include "choice_internal.h"

#include <string.h>

enum { ROUNDS = 20 };

struct pricing {
    const struct portolan_choice *c;
    struct portolan_arena pool;
    double *price, *trial; /* with the highest bound so far; tried now */
    double *excess;        /* of the last assignment, per budget */
    double *scale;         /* per budget: its largest entry */
    double bound, best;    /* highest lower bound; cost of the best assignment within */
    bool is_done;          /* the best without budgets is within them */
};

static enum portolan_status pricing_init(struct pricing *x, const struct portolan_choice *c)
{
    *x = (struct pricing){.c = c, .bound = -INFINITY, .best = INFINITY};
    x->price = portolan_arena_alloc(&x->pool, c->n_budgets, sizeof *x->price);
    x->trial = portolan_arena_alloc(&x->pool, c->n_budgets, sizeof *x->trial);
    x->excess = portolan_arena_alloc(&x->pool, c->n_budgets, sizeof *x->excess);
    x->scale = portolan_arena_alloc(&x->pool, c->n_budgets, sizeof *x->scale);
    if (x->pool.failed)
        return PORTOLAN_ENOMEM;
    for (size_t b = 0; b < c->n_budgets; b++)
        x->scale[b] = (choice_beyond(c, b) - c->limits[b]) * 1e9;
    return PORTOLAN_OK;
}

/* The lower bound that the trial prices give, whose best assignment is VALUES. */
static double bound_of(struct pricing *x, const size_t *values)
{
    double bound = choice_sum(x->c, 0, values);

    if (choice_is_within(x->c, values))
        x->best = fmin(x->best, bound);
    for (size_t b = 0; b < x->c->n_budgets; b++) {
        x->excess[b] = choice_sum(x->c, 1 + b, values) - x->c->limits[b];
        bound += x->trial[b] * x->excess[b];
    }
    return bound;
}

/* Moves the trial prices; false if nothing would change. */
static bool step_prices(struct pricing *x, double bound)
{
    double norm = 0, goal = isinf(x->best) ? x->bound + fabs(x->bound) + 1e-300 : x->best, step;
    bool moved = false;

    for (size_t b = 0; b < x->c->n_budgets; b++)
        norm += x->scale[b] > 0 ? pow(x->excess[b] / x->scale[b], 2) : 0;
    step = (goal - bound) / norm;
    if (!isfinite(step) || goal - x->bound <= choice_tolerance(goal, x->bound))
        return false;
    for (size_t b = 0; b < x->c->n_budgets; b++) {
        double old = x->trial[b];

        if (x->scale[b] > 0)
            x->trial[b] = fmax(0, old + step * x->excess[b] / x->scale[b] / x->scale[b]);
        moved = moved || x->trial[b] != old;
    }
    return moved;
}

/* Finds good prices, unless S has the answer. */
static enum portolan_status find_prices(struct pricing *x, size_t limit,
                                        struct portolan_choice_solution *s)
{
    enum portolan_status status = PORTOLAN_OK;

    for (int round = 0; !status && round < ROUNDS; round++) {
        double bound;

        if ((status = choice_eliminate(x->c, x->trial, limit, false, s)))
            break;
        bound = bound_of(x, s->values);
        if ((x->is_done = round == 0 && choice_is_within(x->c, s->values)))
            break;
        if (bound > x->bound) {
            x->bound = bound;
            memcpy(x->price, x->trial, x->c->n_budgets * sizeof *x->price);
        }
        if (!step_prices(x, bound))
            break;
    }
    return status == PORTOLAN_EUNSUPPORTED ? PORTOLAN_OK : status; /* then they stay 0 */
}

enum portolan_status choice_solve_bounded(const struct portolan_choice *c, size_t limit,
                                          bool is_quick, bool margins,
                                          struct portolan_choice_solution *s)
{
    struct pricing x;
    enum portolan_status status = pricing_init(&x, c);

    if (!status)
        status = find_prices(&x, limit, s);
    if (!status && (!x.is_done || margins || !is_quick))
        status = choice_branch(c, x.price, margins, s);
    portolan_arena_clear(&x.pool);
    return status;
}
