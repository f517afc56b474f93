/* SPDX-License-Identifier: BSD-3-Clause */
/* Incomplete Cholesky on the pattern of the matrix: A ≈ L L', columns of L in CSC. */
#include "heat_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct incomplete {
    struct heat_preconditioner preconditioner;
    double modified;
    struct heat_matrix l; /* its diagonal holds 1 / L(j, j) */
    bool ready;
};

/* Subtracts UPDATE from entry (ROW, COLUMN) of L when the pattern has it. */
static bool subtract_at(struct heat_matrix *l, int row, int column, double update)
{
    for (int k = l->column_start[column]; k < l->column_start[column + 1] && l->row[k] <= row; k++)
        if (l->row[k] == row) {
            l->value[k] -= update;
            return true;
        }
    return false;
}

/* What column J of L takes away from the columns to its right. */
static void eliminate(struct heat_matrix *l, int j, double modified)
{
    int first = l->column_start[j] + 1, end = l->column_start[j + 1];

    for (int p = first; p < end; p++) {
        int column = l->row[p];

        l->value[l->column_start[column]] -= l->value[p] * l->value[p];
        for (int q = p + 1; q < end; q++) {
            double fill = l->value[p] * l->value[q];

            if (subtract_at(l, l->row[q], column, fill) || modified == 0.0)
                continue;
            l->value[l->column_start[column]] -= modified * fill;
            l->value[l->column_start[l->row[q]]] -= modified * fill;
        }
    }
}

static enum portolan_status incomplete_setup(struct heat_preconditioner *p,
                                             const struct heat_matrix *a,
                                             struct portolan_error *err)
{
    struct incomplete *c = (struct incomplete *)p;
    struct heat_matrix *l = &c->l;
    enum portolan_status status = heat_matrix_to_csc(a, l, err);

    c->ready = false;
    if (status)
        return status;
    for (int j = 0; j < l->order; j++) {
        double pivot = l->value[l->column_start[j]], inverse;

        if (!(pivot > 0.0) || !isfinite(pivot))
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "incomplete Cholesky broke down at row %d with the pivot %g",
                                      j, pivot);
        inverse = 1.0 / sqrt(pivot);
        l->value[l->column_start[j]] = inverse;
        for (int k = l->column_start[j] + 1; k < l->column_start[j + 1]; k++)
            l->value[k] *= inverse;
        eliminate(l, j, c->modified);
    }
    c->ready = true;
    return PORTOLAN_OK;
}

static enum portolan_status incomplete_apply(struct heat_preconditioner *p, const double *r,
                                             double *z, struct portolan_error *err)
{
    struct incomplete *c = (struct incomplete *)p;
    const struct heat_matrix *l = &c->l;

    if (!c->ready)
        return portolan_error_set(err, PORTOLAN_EINVAL, "apply was called before setup");
    memcpy(z, r, (size_t)l->order * sizeof *z);
    for (int j = 0; j < l->order; j++) {
        int k = l->column_start[j];
        double zj = z[j] *= l->value[k];

        for (k++; k < l->column_start[j + 1]; k++)
            z[l->row[k]] -= l->value[k] * zj;
    }
    for (int j = l->order - 1; j >= 0; j--) {
        int first = l->column_start[j];
        double zj = z[j];

        for (int k = first + 1; k < l->column_start[j + 1]; k++)
            zj -= l->value[k] * z[l->row[k]];
        z[j] = zj * l->value[first];
    }
    return PORTOLAN_OK;
}

static void incomplete_destroy(struct heat_preconditioner *p)
{
    struct incomplete *c = (struct incomplete *)p;

    heat_matrix_clear(&c->l);
    free(c);
}

static const struct heat_preconditioner_ops incomplete_ops = {.size = sizeof incomplete_ops,
                                                              .setup = incomplete_setup,
                                                              .apply = incomplete_apply,
                                                              .destroy = incomplete_destroy};

enum portolan_status heat_incomplete_cholesky_create(double modified,
                                                     struct heat_preconditioner **p,
                                                     struct portolan_error *err)
{
    struct incomplete *c;

    if (!(modified >= 0.0 && modified <= 1.0))
        return portolan_error_set(err, PORTOLAN_EINVAL, "modified is %g: wanted 0 to 1", modified);
    c = portolan_calloc(1, sizeof *c);
    if (!c)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for incomplete Cholesky");
    c->preconditioner.ops = &incomplete_ops;
    c->modified = modified;
    *p = &c->preconditioner;
    return PORTOLAN_OK;
}
