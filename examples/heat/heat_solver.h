/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The numerical kernels behind the ports heat.LinearSolver and heat.Preconditioner, as plain C.
 * Every kernel takes a matrix in any layout and converts it in `setup`. The vectors' length is the
 * order of the matrix last set up. One kernel object is used by one thread at a time.
 */
#ifndef HEAT_SOLVER_H
#define HEAT_SOLVER_H

#include "heat_matrix_data.h"

struct heat_solver;

struct heat_solver_ops {
    size_t size;
    /**
     * REQUIRED. Prepares to solve with A, which may be freed afterwards. Errors: EINVAL when A is
     * not positive definite, singular or not finite; ENOMEM. After an error `solve` is not to be
     * called before a `setup` that went well.
     */
    enum portolan_status (*setup)(struct heat_solver *s, const struct heat_matrix *a,
                                  struct portolan_error *err);
    /**
     * REQUIRED. X is the start on entry (direct solvers ignore it) and the solution on return;
     * *RELATIVE_RESIDUAL becomes ‖b − A x‖ / ‖b‖, computed from its definition. Errors: EINVAL when
     * it is not finite, ETIMEOUT when an iteration does not converge, EINVAL before `setup`.
     */
    enum portolan_status (*solve)(struct heat_solver *s, const double *b, double *x,
                                  double *relative_residual, struct portolan_error *err);
    /** REQUIRED. */
    void (*destroy)(struct heat_solver *s);
};

struct heat_solver {
    const struct heat_solver_ops *ops;
};

struct heat_preconditioner;

struct heat_preconditioner_ops {
    size_t size;
    /** REQUIRED. As the solver's `setup`. */
    enum portolan_status (*setup)(struct heat_preconditioner *p, const struct heat_matrix *a,
                                  struct portolan_error *err);
    /** REQUIRED. z = M⁻¹ r with M symmetric and positive definite; R and Z must not overlap. */
    enum portolan_status (*apply)(struct heat_preconditioner *p, const double *r, double *z,
                                  struct portolan_error *err);
    /** REQUIRED. */
    void (*destroy)(struct heat_preconditioner *p);
};

struct heat_preconditioner {
    const struct heat_preconditioner_ops *ops;
};

/** LAPACK's band Cholesky (dpbtrf, dpbtrs). */
enum portolan_status heat_banded_create(struct heat_solver **s, struct portolan_error *err);

enum heat_cholmod_method { HEAT_CHOLMOD_AUTO, HEAT_CHOLMOD_SIMPLICIAL, HEAT_CHOLMOD_SUPERNODAL };

/** CHOLMOD's sparse Cholesky; analyses once per sparsity pattern. */
enum portolan_status heat_cholmod_create(enum heat_cholmod_method method, struct heat_solver **s,
                                         struct portolan_error *err);

/** UMFPACK's sparse LU; analyses once per sparsity pattern. */
enum portolan_status heat_umfpack_create(struct heat_solver **s, struct portolan_error *err);

/**
 * Conjugate gradients to a relative residual of TOLERANCE in at most MAX_ITERATIONS. P is borrowed
 * and is set up and applied by the solver; NULL is plain conjugate gradients.
 */
enum portolan_status heat_cg_create(struct heat_preconditioner *p, double tolerance,
                                    int max_iterations, struct heat_solver **s,
                                    struct portolan_error *err);

/** Iterations of the last solve of a solver made by heat_cg_create. */
int heat_cg_iterations(const struct heat_solver *s);

/** The inverse of the diagonal. */
enum portolan_status heat_jacobi_create(struct heat_preconditioner **p, struct portolan_error *err);

/**
 * Incomplete Cholesky without fill. MODIFIED in 0 … 1 is the share of the dropped fill that is put
 * on the diagonal (0 = IC(0), 1 = MIC(0)).
 */
enum portolan_status heat_incomplete_cholesky_create(double modified,
                                                     struct heat_preconditioner **p,
                                                     struct portolan_error *err);

/** Calls ops->destroy; NULL is legal. */
static inline void heat_solver_destroy(struct heat_solver *s)
{
    if (s)
        s->ops->destroy(s);
}

/** Calls ops->destroy; NULL is legal. */
static inline void heat_preconditioner_destroy(struct heat_preconditioner *p)
{
    if (p)
        p->ops->destroy(p);
}

/**
 * What every solver does last: *RELATIVE_RESIDUAL of X, or EINVAL when X is no solution because it
 * is not finite. WORK holds `order` values.
 */
enum portolan_status heat_solver_judge(const struct heat_matrix *a, const double *b,
                                       const double *x, double *work, double *relative_residual,
                                       struct portolan_error *err);

/** Makes *VECTOR hold COUNT values; the old ones are lost. Start with NULL and 0. */
enum portolan_status heat_vector_reserve(double **vector, size_t *capacity, size_t count,
                                         struct portolan_error *err);

#endif
