/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Flexible GMRES (Saad, SIAM J. Sci. Comput. 14, 1993): the preconditioner may differ from call to
 * call, as one does that iterates itself. Vectors are spread over the ranks of a communicator.
 */
#ifndef HEAT_FGMRES_H
#define HEAT_FGMRES_H

#include <mpi.h>
#include <portolan/base.h>

struct heat_fgmres;

/** What is solved. */
struct heat_fgmres_system {
    void *arg;
    /** y = A x. Collective, never fails. */
    void (*multiply)(void *arg, const double *x, double *y);
    /**
     * z ≈ A⁻¹ r. Collective, but may fail on some ranks alone: the others hear of it in the
     * iteration's next reduction.
     */
    enum portolan_status (*precondition)(void *arg, const double *r, double *z,
                                         struct portolan_error *err);
};

/** For N unknowns on this rank (may be 0); starts anew after RESTART iterations. COMM is borrowed.
 */
enum portolan_status heat_fgmres_create(MPI_Comm comm, size_t n, int restart,
                                        struct heat_fgmres **f, struct portolan_error *err);

/** NULL is legal. */
void heat_fgmres_destroy(struct heat_fgmres *f);

/**
 * Collective. Solves A x = b from x = 0 until the residual's norm is at most GOAL. *ITERATIONS and
 * *RESIDUAL (the norm, by recurrence) tell what was reached, on failure too. Errors, on all ranks
 * alike: what the preconditioner returned (ERR says on which rank), ETIMEOUT after MAX_ITERATIONS,
 * EINVAL when it is not finite.
 */
enum portolan_status heat_fgmres_solve(struct heat_fgmres *f,
                                       const struct heat_fgmres_system *system, const double *b,
                                       double *x, double goal, int max_iterations, int *iterations,
                                       double *residual, struct portolan_error *err);

/** Collective: the norm of a vector of N entries per rank. */
double heat_fgmres_norm(MPI_Comm comm, const double *x, size_t n);

#endif
