/* SPDX-License-Identifier: BSD-3-Clause */
/** The problem of choice: its tables, and declarations for both exact methods. */
#ifndef PORTOLAN_CHOICE_INTERNAL_H
#define PORTOLAN_CHOICE_INTERNAL_H

#include <math.h>
#include <portolan/choice.h>

struct choice_factor {
    size_t layer; /* 0: costs; else 1 + the budget whose uses these are */
    size_t n;
    size_t *variables;
    size_t *strides; /* of each variable in `costs` */
    size_t size;
    double *costs;
};

struct portolan_choice {
    struct portolan_arena pool;
    size_t n;
    size_t *domain;  /* number of values of each variable */
    size_t *written; /* preferred value of each variable */
    size_t n_factors;
    struct choice_factor *factors;
    size_t n_budgets;
    double *limits;
};

/* A cost, and how many variables are not as written in its assignment: ordered by both. */
struct choice_score {
    double cost;
    unsigned away;
};

static inline double choice_tolerance(double a, double b)
{
    return 1e-12 * fmax(fabs(a), fabs(b));
}

static inline bool choice_better(double cost, unsigned away, struct choice_score than)
{
    double tolerance;

    if (isinf(cost))
        return false;
    if (isinf(than.cost))
        return true;
    if (cost >= than.cost && away >= than.away)
        return false;
    tolerance = choice_tolerance(cost, than.cost);
    return cost < than.cost - tolerance || (cost <= than.cost + tolerance && away < than.away);
}

/* The I-th value of V to try: the one written first, then the others ascending. */
static inline size_t choice_value(const struct portolan_choice *c, size_t v, size_t i)
{
    size_t w = c->written[v];

    return w == PORTOLAN_CHOICE_ANY ? i : i == 0 ? w : i <= w ? i - 1 : i;
}

/* 1 if value A of V is not the one written. */
static inline unsigned choice_away(const struct portolan_choice *c, size_t v, size_t a)
{
    return c->written[v] != PORTOLAN_CHOICE_ANY && a != c->written[v];
}

/* The entry of a table at VALUES. */
static inline size_t choice_at(const struct choice_factor *f, const size_t *values)
{
    size_t at = 0;

    for (size_t j = 0; j < f->n; j++)
        at += f->strides[j] * values[f->variables[j]];
    return at;
}

static inline double choice_entry(const struct choice_factor *f, const size_t *values)
{
    return f->costs[choice_at(f, values)];
}

/* The sum of a layer's tables at VALUES. */
double choice_sum(const struct portolan_choice *c, size_t layer, const size_t *values);
bool choice_is_within(const struct portolan_choice *c, const size_t *values);
/* A sum above this is beyond budget B for sure, however its terms were added up. */
double choice_beyond(const struct portolan_choice *c, size_t b);

/*
 * PRICE has a number for each budget, which its uses cost; NULL: budgets do not count. EUNSUPPORTED
 * (without text) when the tables would have more than LIMIT entries.
 */
enum portolan_status choice_eliminate(const struct portolan_choice *c, const double *price,
                                      size_t limit, bool margins,
                                      struct portolan_choice_solution *s);
/* The best within all budgets, whatever their prices and S->values, where the search starts; those
 * decide how quickly it is found. */
enum portolan_status choice_branch(const struct portolan_choice *c, const double *price,
                                   bool margins, struct portolan_choice_solution *s);
/* budget.c: solves a problem with budgets by branch and bound; IS_QUICK: without it where what is
 * best without budgets keeps within them. */
enum portolan_status choice_solve_bounded(const struct portolan_choice *c, size_t limit,
                                          bool is_quick, bool margins,
                                          struct portolan_choice_solution *s);

#endif
