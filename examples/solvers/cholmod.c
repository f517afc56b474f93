/* SPDX-License-Identifier: BSD-3-Clause */
/* CHOLMOD: sparse Cholesky of symmetric positive definite matrices. */
#include "solver.h"

#include <string.h>
#include <suitesparse/cholmod.h>

static enum portolan_status factor_and_solve(const struct solvers_matrix *a, const double *b,
                                             double *x, cholmod_common *common)
{
    size_t n = (size_t)a->n;
    cholmod_sparse matrix = {.nrow = n,
                             .ncol = n,
                             .nzmax = (size_t)a->nnz,
                             .p = a->start,
                             .i = a->row,
                             .x = a->value,
                             .stype = -1, /* the lower triangle */
                             .itype = CHOLMOD_INT,
                             .xtype = CHOLMOD_REAL,
                             .dtype = CHOLMOD_DOUBLE,
                             .sorted = 1,
                             .packed = 1};
    cholmod_dense rhs = {.nrow = n,
                         .ncol = 1,
                         .nzmax = n,
                         .d = n,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE,
                         .x = (double *)b /* which it only reads */};
    cholmod_factor *factor = cholmod_analyze(&matrix, common);
    cholmod_dense *solution = NULL;

    if (factor)
        cholmod_factorize(&matrix, factor, common);
    if (common->status == CHOLMOD_OK)
        solution = cholmod_solve(CHOLMOD_A, factor, &rhs, common);
    if (solution)
        memcpy(x, solution->x, n * sizeof *x);
    cholmod_free_dense(&solution, common);
    cholmod_free_factor(&factor, common);
    return common->status == CHOLMOD_OK ? PORTOLAN_OK : PORTOLAN_EINVAL;
}

static enum portolan_status solve(const struct solvers_matrix *a, const double *b, double *x,
                                  struct portolan_error *err)
{
    cholmod_common common;
    enum portolan_status status;

    if (!(a->kind & SOLVERS_SYMMETRIC))
        return portolan_error_set(err, PORTOLAN_EINVAL, "CHOLMOD: the matrix is not symmetric");
    cholmod_start(&common);
    common.print = 0;                       /* a library does not print */
    common.supernodal = CHOLMOD_SIMPLICIAL; /* the other one asks for four threads per rank */
    common.final_ll = 1;                    /* LDL' would accept indefinite matrices */
    common.quick_return_if_not_posdef = 1;
    status = factor_and_solve(a, b, x, &common);
    if (common.status == CHOLMOD_NOT_POSDEF)
        portolan_error_set(err, status, "CHOLMOD: the matrix is not positive definite");
    else if (status)
        portolan_error_set(err, status, "CHOLMOD: its status is %d", common.status);
    cholmod_finish(&common);
    return status;
}

SOLVERS_COMPONENT(Cholmod, solve);
