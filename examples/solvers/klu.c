/* SPDX-License-Identifier: BSD-3-Clause */
/* KLU: sparse LU for circuits, in blocks and without dense parts. */
#include "solver.h"

#include <string.h>
#include <suitesparse/klu.h>

static enum portolan_status solve(const struct solvers_matrix *a, const double *b, double *x,
                                  struct portolan_error *err)
{
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric = NULL;

    klu_defaults(&common);
    symbolic = klu_analyze(a->n, a->start, a->row, &common);
    if (symbolic)
        numeric = klu_factor(a->start, a->row, a->value, symbolic, &common);
    if (numeric && common.status == KLU_OK) {
        memcpy(x, b, (size_t)a->n * sizeof *x);
        klu_solve(symbolic, numeric, a->n, 1, x, &common);
    }
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
    if (common.status == KLU_SINGULAR)
        return portolan_error_set(err, PORTOLAN_EINVAL, "KLU: the matrix is singular");
    return common.status
               ? portolan_error_set(err, PORTOLAN_EINTERNAL, "KLU: its status is %d", common.status)
               : PORTOLAN_OK;
}

SOLVERS_COMPONENT(Klu, solve);
