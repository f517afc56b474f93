/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_solver.h"

#include <math.h>
#include <stdlib.h>

enum portolan_status heat_solver_judge(const struct heat_matrix *a, const double *b,
                                       const double *x, double *work, double *relative_residual,
                                       struct portolan_error *err)
{
    double residual = heat_matrix_residual(a, b, x, work);

    if (!isfinite(residual))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "the solution is not finite: the matrix is singular to working "
                                  "precision or the right-hand side is not finite");
    *relative_residual = residual;
    return PORTOLAN_OK;
}

enum portolan_status heat_vector_reserve(double **vector, size_t *capacity, size_t count,
                                         struct portolan_error *err)
{
    if (count <= *capacity)
        return PORTOLAN_OK;
    free(*vector);
    *capacity = 0;
    *vector = portolan_calloc(count, sizeof **vector);
    if (!*vector)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for %zu values", count);
    *capacity = count;
    return PORTOLAN_OK;
}
