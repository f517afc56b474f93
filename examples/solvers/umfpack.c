/* SPDX-License-Identifier: BSD-3-Clause */
/* UMFPACK (GPL): sparse LU with dense blocks. */
#include "solver.h"

#include <suitesparse/umfpack.h>

static enum portolan_status solve(const struct solvers_matrix *a, const double *b, double *x,
                                  struct portolan_error *err)
{
    double control[UMFPACK_CONTROL];
    void *symbolic = NULL, *numeric = NULL;
    int code;

    umfpack_di_defaults(control);
    control[UMFPACK_PRL] = 0; /* a library does not print */
    code = umfpack_di_symbolic(a->n, a->n, a->start, a->row, a->value, &symbolic, control, NULL);
    if (!code)
        code = umfpack_di_numeric(a->start, a->row, a->value, symbolic, &numeric, control, NULL);
    if (!code)
        code =
            umfpack_di_solve(UMFPACK_A, a->start, a->row, a->value, x, b, numeric, control, NULL);
    umfpack_di_free_symbolic(&symbolic);
    umfpack_di_free_numeric(&numeric);
    if (code == UMFPACK_WARNING_singular_matrix)
        return portolan_error_set(err, PORTOLAN_EINVAL, "UMFPACK: the matrix is singular");
    return code ? portolan_error_set(err, PORTOLAN_EINTERNAL, "UMFPACK: its status is %d", code)
                : PORTOLAN_OK;
}

SOLVERS_COMPONENT(Umfpack, solve);
