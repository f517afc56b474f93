/* SPDX-License-Identifier: BSD-3-Clause */
/** The problem of choice: its tables, and declarations for both exact methods. */
#ifndef PORTOLAN_CHOICE_INTERNAL_H
#define PORTOLAN_CHOICE_INTERNAL_H

#include <math.h>
#include <portolan/choice.h>

struct choice_factor {
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

    return i == 0 ? w : i <= w ? i - 1 : i;
}

/* EUNSUPPORTED (without text) when the tables would have more than LIMIT entries. */
enum portolan_status choice_eliminate(const struct portolan_choice *c, size_t limit, bool margins,
                                      struct portolan_choice_solution *s);
enum portolan_status choice_branch(const struct portolan_choice *c, bool margins,
                                   struct portolan_choice_solution *s);

#endif
