/* SPDX-License-Identifier: BSD-3-Clause */
/* UMFPACK (GPL): sparse LU of the full matrix; does not profit from symmetry. */
#include "heat_solver.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/umfpack.h>

struct umfpack {
    struct heat_solver solver;
    double control[UMFPACK_CONTROL];
    struct heat_matrix csc;      /* lower triangle */
    struct heat_matrix full;     /* both triangles; CSC arrays with a meaning of our own */
    struct heat_matrix analysed; /* the lower pattern that `symbolic` belongs to */
    int *fill;                   /* next free place in each column of `full` */
    size_t fill_capacity;
    void *symbolic, *numeric;
    double *work;
    size_t work_capacity;
    bool ready;
};

/* Both triangles from the lower one. Going through the columns in order keeps the rows ascending.
 */
static enum portolan_status expand(struct umfpack *u, struct portolan_error *err)
{
    const struct heat_matrix *low = &u->csc;
    int n = low->order, stored = low->column_start[n];
    enum portolan_status status =
        heat_matrix_reserve(&u->full, HEAT_CSC, n, 2 * (size_t)stored - (size_t)n, err);
    int *start = u->full.column_start;

    if (!status && (size_t)n > u->fill_capacity) {
        free(u->fill);
        u->fill = portolan_calloc((size_t)n, sizeof *u->fill);
        u->fill_capacity = u->fill ? (size_t)n : 0;
        if (!u->fill)
            status = portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for %d counters", n);
    }
    if (status)
        return status;
    memset(start, 0, ((size_t)n + 1) * sizeof *start);
    for (int j = 0; j < n; j++)
        for (int k = low->column_start[j]; k < low->column_start[j + 1]; k++) {
            start[j + 1]++;
            if (low->row[k] != j)
                start[low->row[k] + 1]++;
        }
    for (int j = 0; j < n; j++) {
        start[j + 1] += start[j];
        u->fill[j] = start[j];
    }
    for (int j = 0; j < n; j++)
        for (int k = low->column_start[j]; k < low->column_start[j + 1]; k++) {
            int i = low->row[k];
            int own = u->fill[j]++;

            u->full.row[own] = i;
            u->full.value[own] = low->value[k];
            if (i != j) {
                int other = u->fill[i]++;

                u->full.row[other] = j;
                u->full.value[other] = low->value[k];
            }
        }
    return PORTOLAN_OK;
}

static enum portolan_status umfpack_status(int code, const char *what, struct portolan_error *err)
{
    if (code == UMFPACK_OK)
        return PORTOLAN_OK;
    if (code == UMFPACK_ERROR_out_of_memory)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "UMFPACK: no memory to %s", what);
    if (code == UMFPACK_WARNING_singular_matrix)
        return portolan_error_set(err, PORTOLAN_EINVAL, "the matrix is singular");
    return portolan_error_set(err, PORTOLAN_EINTERNAL, "UMFPACK could not %s (its status %d)", what,
                              code);
}

static bool analysed(const struct umfpack *u)
{
    const struct heat_matrix *a = &u->csc, *b = &u->analysed;

    return u->symbolic && a->order == b->order &&
           !memcmp(a->column_start, b->column_start,
                   ((size_t)a->order + 1) * sizeof *a->column_start) &&
           !memcmp(a->row, b->row, (size_t)a->column_start[a->order] * sizeof *a->row);
}

static enum portolan_status factor(struct umfpack *u, struct portolan_error *err)
{
    const struct heat_matrix *f = &u->full;
    enum portolan_status status = PORTOLAN_OK;

    if (!analysed(u)) {
        umfpack_di_free_symbolic(&u->symbolic);
        status = umfpack_status(umfpack_di_symbolic(f->order, f->order, f->column_start, f->row,
                                                    f->value, &u->symbolic, u->control, NULL),
                                "analyse the matrix", err);
        if (!status)
            status = heat_matrix_to_csc(&u->csc, &u->analysed, err);
        if (status) {
            umfpack_di_free_symbolic(&u->symbolic);
            return status;
        }
    }
    umfpack_di_free_numeric(&u->numeric);
    return umfpack_status(umfpack_di_numeric(f->column_start, f->row, f->value, u->symbolic,
                                             &u->numeric, u->control, NULL),
                          "factor the matrix", err);
}

static enum portolan_status umfpack_setup(struct heat_solver *s, const struct heat_matrix *a,
                                          struct portolan_error *err)
{
    struct umfpack *u = (struct umfpack *)s;
    enum portolan_status status = heat_matrix_to_csc(a, &u->csc, err);

    u->ready = false;
    if (!status)
        status = heat_matrix_check_finite(&u->csc, err);
    if (!status)
        status = expand(u, err);
    if (!status)
        status = factor(u, err);
    if (!status)
        status = heat_vector_reserve(&u->work, &u->work_capacity, (size_t)a->order, err);
    u->ready = !status;
    return status;
}

static enum portolan_status umfpack_solve(struct heat_solver *s, const double *b, double *x,
                                          double *relative_residual, struct portolan_error *err)
{
    struct umfpack *u = (struct umfpack *)s;
    enum portolan_status status;

    if (!u->ready)
        return portolan_error_set(err, PORTOLAN_EINVAL, "solve was called before setup");
    status = umfpack_status(umfpack_di_solve(UMFPACK_A, u->full.column_start, u->full.row,
                                             u->full.value, x, b, u->numeric, u->control, NULL),
                            "solve", err);
    if (status)
        return status;
    return heat_solver_judge(&u->csc, b, x, u->work, relative_residual, err);
}

static void umfpack_destroy(struct heat_solver *s)
{
    struct umfpack *u = (struct umfpack *)s;

    umfpack_di_free_symbolic(&u->symbolic);
    umfpack_di_free_numeric(&u->numeric);
    heat_matrix_clear(&u->csc);
    heat_matrix_clear(&u->full);
    heat_matrix_clear(&u->analysed);
    free(u->fill);
    free(u->work);
    free(u);
}

static const struct heat_solver_ops umfpack_ops = {.size = sizeof umfpack_ops,
                                                   .setup = umfpack_setup,
                                                   .solve = umfpack_solve,
                                                   .destroy = umfpack_destroy};

enum portolan_status heat_umfpack_create(struct heat_solver **s, struct portolan_error *err)
{
    struct umfpack *u = portolan_calloc(1, sizeof *u);

    if (!u)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for UMFPACK");
    umfpack_di_defaults(u->control);
    u->control[UMFPACK_PRL] = 0;    /* a library does not print */
    u->control[UMFPACK_IRSTEP] = 0; /* refinement is the outer iteration's work */
    u->solver.ops = &umfpack_ops;
    *s = &u->solver;
    return PORTOLAN_OK;
}
