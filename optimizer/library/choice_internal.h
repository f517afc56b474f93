/* SPDX-License-Identifier: BSD-3-Clause */
/** The problem of choice: its tables, and those of elimination, which guide the search. */
#ifndef PORTOLAN_CHOICE_INTERNAL_H
#define PORTOLAN_CHOICE_INTERNAL_H

#include <math.h>
#include <portolan/choice.h>

struct choice_factor {
    size_t layer; /* 0: 0: costs; k: what is used of budget k - 1 */
    size_t n;
    size_t *variables;
    size_t *strides; /* per variable: its stride in `costs` */
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

    return i == 0 ? w : i <= w ? i - 1 : i;
}

/* 1 if value A of V is not the one written. */
static inline unsigned choice_away(const struct portolan_choice *c, size_t v, size_t a)
{
    return a != c->written[v];
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

/* A table that waits in a bucket, and the cluster that takes it. */
struct choice_part {
    const struct choice_factor *table;
    const unsigned *away; /* per entry of a message: variables not as written; or NULL */
    struct choice_cluster *cluster;
    struct choice_part *next;
};

/* Tables of one bucket, summed up. */
struct choice_cluster {
    size_t n;
    size_t *variables; /* the bucket's own one last, so that the values of that are adjacent */
    size_t size;
    double *costs;
    unsigned *away;
    struct choice_factor message; /* over its other variables */
    unsigned *message_away;
    struct choice_cluster *next; /* another one of the same bucket */
};

struct elimination {
    const struct portolan_choice *c;
    size_t most;                 /* clusters are split if they had more entries in all */
    size_t limit;                /* most entries of a cluster that shares a bucket */
    size_t forced, forced_value; /* a variable that has this value; SIZE_MAX: there is none */
    struct portolan_arena pool;
    size_t words;       /* per row of `adjacent` */
    uint64_t *adjacent; /* n rows of bits */
    size_t *order;      /* variables in order of elimination */
    size_t *position;   /* per variable: its position in ORDER */
    size_t width;
    struct choice_part **parts;       /* by variable */
    struct choice_cluster **clusters; /* likewise */
    struct choice_score bound;        /* no assignment is better */
    size_t *digits, *steps;           /* scratch */
};

/* elimination.c: makes all clusters and the bound, without budgets. The caller clears the pool,
 * also on failure. */
enum portolan_status elimination_run(struct elimination *e);
/* The variable of a table that is eliminated first; SIZE_MAX: it has none. */
size_t elimination_first(const struct elimination *e, const struct choice_factor *f);
/* Adds X to the list, in LISTS by variable, of its first variable. Without memory it marks the pool
 * as failed. */
void elimination_put(struct elimination *e, struct choice_part **lists, struct choice_part x);

/* search.c: as portolan_choice_solve(). Clusters are split if they would have more than MOST
 * entries in all. */
enum portolan_status choice_solve(const struct portolan_choice *c, size_t most, bool margins,
                                  struct portolan_choice_solution **s, struct portolan_error *err);

#endif
