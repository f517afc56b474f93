/* SPDX-License-Identifier: BSD-3-Clause */
/* SuperLU: sparse LU by columns that share their pattern. */
#include "solver.h"

#include <stdlib.h>
#include <string.h>
#include <superlu/slu_ddefs.h>

static enum portolan_status solve(const struct solvers_matrix *a, const double *b, double *x,
                                  struct portolan_error *err)
{
    int *order, info = 0;
    superlu_options_t options;
    SuperLUStat_t statistics;
    SuperMatrix matrix, lower, upper, rhs;

    for (int j = 0; j < a->n; j++)
        if (a->start[j] == a->start[j + 1]) /* SuperLU would use memory that it never set */
            return portolan_error_set(err, PORTOLAN_EINVAL, "SuperLU: column %d is empty", j + 1);
    order = portolan_calloc(2 * (size_t)a->n, sizeof *order);
    if (!order)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for %d rows", a->n);
    memcpy(x, b, (size_t)a->n * sizeof *x);
    set_default_options(&options);
    StatInit(&statistics);
    dCreate_CompCol_Matrix(&matrix, a->n, a->n, a->nnz, a->value, a->row, a->start, SLU_NC, SLU_D,
                           SLU_GE);
    dCreate_Dense_Matrix(&rhs, a->n, 1, x, a->n, SLU_DN, SLU_D, SLU_GE);
    dgssv(&options, &matrix, order, order + a->n, &lower, &upper, &rhs, &statistics, &info);
    if (info <= a->n) { /* beyond, there was no memory for them */
        Destroy_SuperNode_Matrix(&lower);
        Destroy_CompCol_Matrix(&upper);
    }
    Destroy_SuperMatrix_Store(&matrix);
    Destroy_SuperMatrix_Store(&rhs);
    StatFree(&statistics);
    free(order);
    if (info > 0 && info <= a->n)
        return portolan_error_set(err, PORTOLAN_EINVAL, "SuperLU: the matrix is singular");
    return info ? portolan_error_set(err, PORTOLAN_EINTERNAL, "SuperLU: its status is %d", info)
                : PORTOLAN_OK;
}

SOLVERS_COMPONENT(Superlu, solve);
