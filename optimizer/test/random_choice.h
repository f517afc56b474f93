/* SPDX-License-Identifier: BSD-3-Clause */
/* Random choice problems for tests and benchmarks; the same SEED gives the same problem. */
#ifndef PORTOLAN_TEST_RANDOM_CHOICE_H
#define PORTOLAN_TEST_RANDOM_CHOICE_H

#include <math.h>
#include <portolan/choice.h>
#include <stdlib.h>

static inline double random_unit(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (double)(*seed >> 11) * 0x1p-53;
}

struct random_problem {
    size_t n, values;
    double density;   /* share of the pairs that get a table */
    double strength;  /* of pair costs against node costs */
    double forbidden; /* share of forbidden pair entries */
    size_t triples;
    bool whole; /* costs are small whole numbers: many ties */
};

static inline double random_cost(uint64_t *seed, const struct random_problem *p, double scale)
{
    if (p->whole)
        return floor(4 * random_unit(seed));
    return scale * exp(3 * random_unit(seed));
}

static inline enum portolan_status random_factor(struct portolan_choice *c, uint64_t *seed,
                                                 const struct random_problem *p, size_t n,
                                                 const size_t *variables)
{
    double costs[4096];
    size_t size = 1;

    for (size_t i = 0; i < n; i++)
        size *= p->values;
    for (size_t i = 0; i < size; i++)
        costs[i] = n > 1 && random_unit(seed) < p->forbidden
                       ? INFINITY
                       : random_cost(seed, p, n > 1 ? p->strength : 1);
    return portolan_choice_add_factor(c, n, variables, costs, NULL);
}

static inline struct portolan_choice *random_choice(uint64_t seed, const struct random_problem *p)
{
    struct portolan_choice *c;

    seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    if (portolan_choice_create(&c, NULL))
        return NULL;
    for (size_t v = 0; v < p->n; v++) {
        portolan_choice_add_variable(c, p->values, (size_t)((double)p->values * random_unit(&seed)),
                                     NULL, NULL);
        random_factor(c, &seed, p, 1, &v);
    }
    for (size_t v = 1; v < p->n; v++)
        for (size_t u = 0; u < v; u++) {
            size_t pair[] = {u, v};

            if (random_unit(&seed) < p->density)
                random_factor(c, &seed, p, 2, pair);
        }
    for (size_t i = 0; i < p->triples && p->n >= 3; i++) {
        size_t a = (size_t)((double)(p->n - 2) * random_unit(&seed));
        size_t triple[] = {a + 2, a, a + 1};

        random_factor(c, &seed, p, 3, triple);
    }
    return c;
}

#endif
