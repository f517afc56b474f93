/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_solver.h"

#include <math.h>
#include <stdlib.h>

struct jacobi {
    struct heat_preconditioner preconditioner;
    double *inverse;
    size_t capacity;
    int order;
};

static enum portolan_status jacobi_setup(struct heat_preconditioner *p, const struct heat_matrix *a,
                                         struct portolan_error *err)
{
    struct jacobi *j = (struct jacobi *)p;
    enum portolan_status status =
        heat_vector_reserve(&j->inverse, &j->capacity, (size_t)a->order, err);

    j->order = 0;
    if (status)
        return status;
    heat_matrix_diagonal(a, j->inverse);
    for (int i = 0; i < a->order; i++) {
        if (!(j->inverse[i] > 0.0) || !isfinite(j->inverse[i]))
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "the matrix is not positive definite: %g on the diagonal, "
                                      "row %d",
                                      j->inverse[i], i);
        j->inverse[i] = 1.0 / j->inverse[i];
    }
    j->order = a->order;
    return PORTOLAN_OK;
}

static enum portolan_status jacobi_apply(struct heat_preconditioner *p, const double *r, double *z,
                                         struct portolan_error *err)
{
    struct jacobi *j = (struct jacobi *)p;

    if (!j->order)
        return portolan_error_set(err, PORTOLAN_EINVAL, "apply was called before setup");
    for (int i = 0; i < j->order; i++)
        z[i] = j->inverse[i] * r[i];
    return PORTOLAN_OK;
}

static void jacobi_destroy(struct heat_preconditioner *p)
{
    struct jacobi *j = (struct jacobi *)p;

    free(j->inverse);
    free(j);
}

static const struct heat_preconditioner_ops jacobi_ops = {.size = sizeof jacobi_ops,
                                                          .setup = jacobi_setup,
                                                          .apply = jacobi_apply,
                                                          .destroy = jacobi_destroy};

enum portolan_status heat_jacobi_create(struct heat_preconditioner **p, struct portolan_error *err)
{
    struct jacobi *j = portolan_calloc(1, sizeof *j);

    if (!j)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a Jacobi preconditioner");
    j->preconditioner.ops = &jacobi_ops;
    *p = &j->preconditioner;
    return PORTOLAN_OK;
}
