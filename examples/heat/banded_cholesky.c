/* SPDX-License-Identifier: BSD-3-Clause */
/* LAPACK's band Cholesky: work grows with order · bandwidth², best for narrow bands. */
#include "heat_solver.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

struct banded {
    struct heat_solver solver;
    struct heat_matrix factor; /* in BAND; overwritten by its factor */
    struct heat_matrix sparse; /* the matrix itself, for the residual */
    double *work;
    size_t work_capacity;
    bool ready;
};

static enum portolan_status banded_setup(struct heat_solver *s, const struct heat_matrix *a,
                                         struct portolan_error *err)
{
    struct banded *b = (struct banded *)s;
    enum portolan_status status = heat_matrix_to_sparse(a, &b->sparse, err);
    lapack_int info;

    b->ready = false;
    if (!status)
        status = heat_matrix_check_finite(&b->sparse, err);
    if (!status)
        status = heat_matrix_to_band(a, &b->factor, err);
    if (!status)
        status = heat_vector_reserve(&b->work, &b->work_capacity, (size_t)a->order, err);
    if (status)
        return status;
    /* The _work form: no scan for NaN, which was done above on the sparse values alone. */
    info = LAPACKE_dpbtrf_work(LAPACK_COL_MAJOR, 'L', a->order, b->factor.bandwidth,
                               b->factor.value, b->factor.bandwidth + 1);
    if (info)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "the matrix is not positive definite: dpbtrf stopped at row %d",
                                  (int)info - 1);
    b->ready = true;
    return PORTOLAN_OK;
}

static enum portolan_status banded_solve(struct heat_solver *s, const double *rhs, double *x,
                                         double *relative_residual, struct portolan_error *err)
{
    struct banded *b = (struct banded *)s;
    const struct heat_matrix *f = &b->factor;
    lapack_int info;

    if (!b->ready)
        return portolan_error_set(err, PORTOLAN_EINVAL, "solve was called before setup");
    memcpy(x, rhs, (size_t)f->order * sizeof *x);
    info = LAPACKE_dpbtrs_work(LAPACK_COL_MAJOR, 'L', f->order, f->bandwidth, 1, f->value,
                               f->bandwidth + 1, x, f->order);
    if (info)
        return portolan_error_set(err, PORTOLAN_EINTERNAL, "dpbtrs refused its argument %d",
                                  -(int)info);
    return heat_solver_judge(&b->sparse, rhs, x, b->work, relative_residual, err);
}

static void banded_destroy(struct heat_solver *s)
{
    struct banded *b = (struct banded *)s;

    heat_matrix_clear(&b->factor);
    heat_matrix_clear(&b->sparse);
    free(b->work);
    free(b);
}

static const struct heat_solver_ops banded_ops = {.size = sizeof banded_ops,
                                                  .setup = banded_setup,
                                                  .solve = banded_solve,
                                                  .destroy = banded_destroy};

enum portolan_status heat_banded_create(struct heat_solver **s, struct portolan_error *err)
{
    struct banded *b = portolan_calloc(1, sizeof *b);

    if (!b)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a banded solver");
    b->solver.ops = &banded_ops;
    *s = &b->solver;
    return PORTOLAN_OK;
}
