/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * optimizer: the exact choice. A problem has variables with small domains (component instances and
 * their implementations) and factors: tables of costs over one, two or a few variables. The
 * solution is an assignment whose sum of costs is least, and that stays within all budgets (memory,
 * errors that add up). Part of <portolan/optimizer.h>.
 *
 * The method is variable elimination along a min-degree order (Dechter, Bucket elimination, 1999).
 * Where its tables would be too big they are split (mini-buckets), and guide a depth-first branch
 * and bound; likewise within budgets, where it skips assignments that use too much. The result is
 * exact. Costs that differ by less than 1e-12 of themselves are equal; among equal assignments the
 * one with the fewest variables away from "as written" wins, so the result is the same on every
 * rank and machine.
 *
 * A problem is used by one thread at a time; solving does not change it.
 */
#ifndef PORTOLAN_CHOICE_H
#define PORTOLAN_CHOICE_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_choice;

/** A problem without variables, the caller's to destroy. Errors: ENOMEM. */
enum portolan_status portolan_choice_create(struct portolan_choice **c, struct portolan_error *err);
/** NULL is legal. */
void portolan_choice_destroy(struct portolan_choice *c);

/**
 * Adds a variable with VALUES ≥ 1 values, of which AS_WRITTEN is preferred among equals; *VARIABLE
 * (may be NULL) receives its number: 0, 1, … Errors: EINVAL, ENOMEM.
 */
enum portolan_status portolan_choice_add_variable(struct portolan_choice *c, size_t values,
                                                  size_t as_written, size_t *variable,
                                                  struct portolan_error *err);

/**
 * Adds a table of costs over N different VARIABLES (N = 0: a constant). COSTS is copied; the last
 * variable's value runs fastest. INFINITY forbids a combination. Errors: EINVAL for unknown or
 * repeated variables, NaN or -INFINITY; ENOMEM.
 */
enum portolan_status portolan_choice_add_factor(struct portolan_choice *c, size_t n,
                                                const size_t *variables, const double *costs,
                                                struct portolan_error *err);

/**
 * Adds a budget: an assignment is allowed only if what it uses is at most LIMIT (within 1e-12 of
 * it). *BUDGET receives its number: 0, 1, … Errors: EINVAL for a limit that is not finite, ENOMEM.
 */
enum portolan_status portolan_choice_add_budget(struct portolan_choice *c, double limit,
                                                size_t *budget, struct portolan_error *err);

/** Adds a table of the use of BUDGET, in the form of a factor; all numbers finite, of any sign.
 * Errors: those of portolan_choice_add_factor(), EINVAL for an unknown budget. */
enum portolan_status portolan_choice_add_use(struct portolan_choice *c, size_t budget, size_t n,
                                             const size_t *variables, const double *uses,
                                             struct portolan_error *err);

/** The sum of all factors at VALUES (one per variable); INFINITY beyond a budget. */
double portolan_choice_cost(const struct portolan_choice *c, const size_t *values);

struct portolan_choice_solution {
    size_t n_variables;
    size_t *values; /**< one per variable */
    double cost;
    size_t nodes; /**< visited by the search */
    /**
     * Only when asked for: [variable][value] = the least cost with that variable forced to that
     * value (INFINITY when nothing is left), and whether another value than the chosen one
     * reaches the same cost.
     */
    double **margins;
    bool *tied;
};

/**
 * Finds the least cost. MARGINS asks for the min-marginals too. *S is the caller's, freed with
 * portolan_choice_solution_destroy(). Errors: EINFEASIBLE when every assignment is forbidden,
 * ENOMEM.
 */
enum portolan_status portolan_choice_solve(const struct portolan_choice *c, bool margins,
                                           struct portolan_choice_solution **s,
                                           struct portolan_error *err);
/** NULL is legal. */
void portolan_choice_solution_destroy(struct portolan_choice_solution *s);

#ifdef __cplusplus
}
#endif
#endif
