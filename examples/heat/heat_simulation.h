/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The simulation without its parts: backward Euler with the conductivity of the step before (so
 * that the matrix is symmetric positive definite, and new at every step), slabs over the ranks,
 * flexible GMRES outside, restricted additive Schwarz as its preconditioner. Whoever drives it
 * supplies the subdomain solve.
 */
#ifndef HEAT_SIMULATION_H
#define HEAT_SIMULATION_H

#include "heat_grid.h"

/** The subdomain solve. Both functions are local to a rank: no communication, each may fail alone.
 */
struct heat_subdomain {
    void *arg;
    /** Assembles the matrix of BOX (N unknowns) and sets the solver up with it. */
    enum portolan_status (*prepare)(void *arg, const struct heat_box *box, int n,
                                    struct portolan_error *err);
    /** Solves with it: x = 0 on entry. *RELATIVE_RESIDUAL becomes what was reached. */
    enum portolan_status (*solve)(void *arg, double *b, double *x, int n, double *relative_residual,
                                  struct portolan_error *err);
};

/** What a finished step was like; the same on all ranks. */
struct heat_step {
    int step;    /**< from 1 */
    double time; /**< at its end */
    int outer_iterations;
    double residual;        /**< of the outer iteration, relative */
    double solver_residual; /**< the worst that a subdomain solve of any rank left */
};

struct heat_simulation;

/**
 * Collective over COMM (borrowed). INPUT is copied. The state is that at time 0. Errors: EINVAL
 * (too many ranks), ENOMEM; all ranks alike.
 */
enum portolan_status heat_simulation_create(const struct heat_input *input, MPI_Comm comm,
                                            struct heat_simulation **s, struct portolan_error *err);

/** NULL is legal. */
void heat_simulation_destroy(struct heat_simulation *s);

/** Borrowed. */
const struct heat_grid *heat_simulation_peek_grid(const struct heat_simulation *s);

/**
 * Collective. Does the next step. When it fails, it fails on all ranks alike, ERR says "rank N:
 * place: cause", and the state is that before the step, so that it can be repeated.
 */
enum portolan_status heat_simulation_step(struct heat_simulation *s,
                                          const struct heat_subdomain *subdomain,
                                          struct heat_step *step, struct portolan_error *err);

/**
 * Collective: the largest difference to the exact solution at the present time; NaN when the
 * input's solution is not known.
 */
double heat_simulation_error(const struct heat_simulation *s);

/** The present u in the interior of this rank's layers, `unknowns` values, x fastest. */
void heat_simulation_values(const struct heat_simulation *s, double *values);

#endif
