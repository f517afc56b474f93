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

/* ---- assemblies: components that call each other, and convert what they pass on ---- */

enum random_shape { RANDOM_TREE, RANDOM_2_TREE, RANDOM_3_TREE, RANDOM_EDGES, RANDOM_COMPLETE };

/* The 30 settings: 5 shapes, interaction weak, medium or strong, conversions or any tables. */
struct random_setting {
    enum random_shape shape;
    double strength;
    bool by_layout;
};

enum { RANDOM_SETTINGS = 30, RANDOM_MOST = 100 };

static inline struct random_setting random_setting(size_t i)
{
    static const double strengths[] = {0.02, 0.2, 1.5};

    return (struct random_setting){(enum random_shape)(i / 6), strengths[i / 2 % 3], i % 2};
}

static inline double random_normal(uint64_t *seed)
{
    double a = random_unit(seed);

    return sqrt(-2 * log(1 - a)) * cos(6.283185307179586 * random_unit(seed));
}

/* Times of N components with 3 implementations, the first as written, and of their conversions. */
struct random_assembly {
    size_t n, caller[RANDOM_MOST]; /* who calls a component first; its own number: nobody */
    bool meets[RANDOM_MOST][RANDOM_MOST];
    double alone[RANDOM_MOST][3];
    double pair[RANDOM_MOST][RANDOM_MOST][9]; /* [later][earlier] */
};

static inline void random_edges(struct random_assembly *a, uint64_t *seed, enum random_shape shape)
{
    size_t n = a->n, k = shape == RANDOM_3_TREE ? 3 : shape == RANDOM_2_TREE ? 2 : 1;

    for (size_t v = 1; v < n; v++) {
        size_t u = (size_t)((double)v * random_unit(seed)), joined = 1;

        a->caller[v] = u;
        a->meets[v][u] = true;
        for (size_t w = 0; w < u && joined < k; w++) /* u and those it meets are a clique */
            joined += a->meets[v][w] = a->meets[u][w];
    }
    for (size_t more = shape == RANDOM_EDGES ? n + 1 : 0; more;) {
        size_t v = 1 + (size_t)((double)(n - 1) * random_unit(seed));
        size_t u = (size_t)((double)v * random_unit(seed));

        more -= !a->meets[v][u];
        a->meets[v][u] = true;
    }
    for (size_t v = 1; shape == RANDOM_COMPLETE && v < n; v++)
        for (size_t u = 0; u < v; u++)
            a->meets[v][u] = true;
}

/* The caller frees it. Times are log-normal with sigma 1.5. */
static inline struct random_assembly *random_assembly(uint64_t seed, size_t n,
                                                      struct random_setting setting)
{
    struct random_assembly *a = calloc(1, sizeof *a);
    size_t layout[RANDOM_MOST][3];

    seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    a->n = n;
    random_edges(a, &seed, setting.shape);
    for (size_t v = 0; v < n; v++)
        for (size_t k = 0; k < 3; k++) {
            a->alone[v][k] = exp(1.5 * random_normal(&seed));
            layout[v][k] = (size_t)(3 * random_unit(&seed));
        }
    for (size_t v = 1; v < n; v++)
        for (size_t u = 0; u < v; u++) {
            double rate = setting.strength * exp(random_normal(&seed));

            for (size_t k = 0; a->meets[v][u] && k < 9; k++)
                a->pair[v][u][k] = !setting.by_layout ? rate * 2 * random_unit(&seed)
                                   : layout[v][k / 3] == layout[u][k % 3] ? 0
                                                                          : rate;
        }
    return a;
}

/* The choice among its implementations, of which those with a number in FIXED (may be NULL) are
 * given; 3: free. */
static inline struct portolan_choice *random_assembly_choice(const struct random_assembly *a,
                                                             const size_t *fixed)
{
    struct portolan_choice *c;

    if (portolan_choice_create(&c, NULL))
        return NULL;
    for (size_t v = 0; v < a->n; v++) {
        double alone[3];

        for (size_t k = 0; k < 3; k++)
            alone[k] = fixed && fixed[v] < 3 && fixed[v] != k ? INFINITY : a->alone[v][k];
        portolan_choice_add_variable(c, 3, 0, NULL, NULL);
        portolan_choice_add_factor(c, 1, &v, alone, NULL);
    }
    for (size_t v = 1; v < a->n; v++)
        for (size_t u = 0; u < v; u++)
            if (a->meets[v][u])
                portolan_choice_add_factor(c, 2, (size_t[]){v, u}, a->pair[v][u], NULL);
    return c;
}

#endif
