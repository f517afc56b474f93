/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_matrix_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void heat_matrix_clear(struct heat_matrix *m)
{
    if (!m)
        return;
    free(m->column_start);
    free(m->row);
    free(m->value);
    *m = (struct heat_matrix){0};
}

/* Makes *ARRAY hold at least COUNT entries; its contents need not survive. */
static bool grow(void **array, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity)
        return true;
    free(*array);
    *capacity = 0;
    *array = portolan_calloc(count, size);
    if (!*array)
        return false;
    *capacity = count;
    return true;
}

enum portolan_status heat_matrix_reserve(struct heat_matrix *m, enum heat_layout layout, int order,
                                         size_t values, struct portolan_error *err)
{
    bool ok = grow((void **)&m->value, &m->values_capacity, values, sizeof *m->value);

    if (layout == HEAT_CSC) {
        ok = ok && grow((void **)&m->row, &m->rows_capacity, values, sizeof *m->row);
        ok = ok && grow((void **)&m->column_start, &m->starts_capacity, (size_t)order + 1,
                        sizeof *m->column_start);
    }
    if (!ok) {
        heat_matrix_clear(m);
        return portolan_error_set(err, PORTOLAN_ENOMEM,
                                  "no memory for a matrix of order %d with %zu values", order,
                                  values);
    }
    m->layout = layout;
    m->order = order;
    return PORTOLAN_OK;
}

static enum portolan_status csc_copy(const struct heat_matrix *a, struct heat_matrix *out,
                                     struct portolan_error *err)
{
    size_t count = (size_t)a->column_start[a->order];
    enum portolan_status status = heat_matrix_reserve(out, HEAT_CSC, a->order, count, err);

    if (status)
        return status;
    memcpy(out->column_start, a->column_start, ((size_t)a->order + 1) * sizeof *a->column_start);
    memcpy(out->row, a->row, count * sizeof *a->row);
    memcpy(out->value, a->value, count * sizeof *a->value);
    return PORTOLAN_OK;
}

static enum portolan_status csc_from_band(const struct heat_matrix *a, struct heat_matrix *out,
                                          struct portolan_error *err)
{
    size_t lead = (size_t)a->bandwidth + 1, count = 0;
    enum portolan_status status;

    for (size_t k = 0; k < lead * (size_t)a->order; k++)
        count += a->value[k] != 0.0;
    /* A zero on the diagonal is stored all the same. */
    status = heat_matrix_reserve(out, HEAT_CSC, a->order, count + (size_t)a->order, err);
    if (status)
        return status;
    count = 0;
    for (int j = 0; j < a->order; j++) {
        const double *column = a->value + (size_t)j * lead;
        int last = a->bandwidth < a->order - 1 - j ? a->bandwidth : a->order - 1 - j;

        out->column_start[j] = (int)count;
        for (int i = 0; i <= last; i++) {
            if (i > 0 && column[i] == 0.0)
                continue;
            out->row[count] = j + i;
            out->value[count++] = column[i];
        }
    }
    out->column_start[a->order] = (int)count;
    return PORTOLAN_OK;
}

static enum portolan_status csc_from_stencil(const struct heat_matrix *a, struct heat_matrix *out,
                                             struct portolan_error *err)
{
    size_t order = (size_t)a->order;
    enum portolan_status status =
        heat_matrix_reserve(out, HEAT_CSC, a->order, order * (size_t)a->diagonals, err);
    int count = 0;

    if (status)
        return status;
    for (int j = 0; j < a->order; j++) {
        out->column_start[j] = count;
        out->row[count] = j;
        out->value[count++] = a->value[j];
        for (int d = 1; d < a->diagonals; d++) {
            int i = j + a->offset[d];
            double v = a->value[(size_t)d * order + (size_t)j];

            if (i < a->order && v != 0.0) {
                out->row[count] = i;
                out->value[count++] = v;
            }
        }
    }
    out->column_start[a->order] = count;
    return PORTOLAN_OK;
}

enum portolan_status heat_matrix_to_csc(const struct heat_matrix *a, struct heat_matrix *out,
                                        struct portolan_error *err)
{
    switch (a->layout) {
    case HEAT_CSC:
        return csc_copy(a, out, err);
    case HEAT_BAND:
        return csc_from_band(a, out, err);
    case HEAT_STENCIL:
        return csc_from_stencil(a, out, err);
    }
    return portolan_error_set(err, PORTOLAN_EINVAL, "layout %d is none of CSC, BAND, STENCIL",
                              (int)a->layout);
}

static int band_needed(const struct heat_matrix *a)
{
    int width = 0;

    if (a->layout == HEAT_BAND)
        return a->bandwidth;
    if (a->layout == HEAT_STENCIL) {
        width = a->offset[a->diagonals - 1];
        return width < a->order ? width : a->order - 1;
    }
    for (int j = 0; j < a->order; j++) {
        int last = a->row[a->column_start[j + 1] - 1] - j;

        width = last > width ? last : width;
    }
    return width;
}

enum portolan_status heat_matrix_to_band(const struct heat_matrix *a, struct heat_matrix *out,
                                         struct portolan_error *err)
{
    int width = band_needed(a);
    size_t lead = (size_t)width + 1, count = lead * (size_t)a->order;
    enum portolan_status status = heat_matrix_reserve(out, HEAT_BAND, a->order, count, err);

    if (status)
        return status;
    out->bandwidth = width;
    if (a->layout == HEAT_BAND) {
        memcpy(out->value, a->value, count * sizeof *a->value);
        return PORTOLAN_OK;
    }
    memset(out->value, 0, count * sizeof *out->value);
    if (a->layout == HEAT_CSC) {
        for (int j = 0; j < a->order; j++)
            for (int k = a->column_start[j]; k < a->column_start[j + 1]; k++)
                out->value[(size_t)j * lead + (size_t)(a->row[k] - j)] = a->value[k];
        return PORTOLAN_OK;
    }
    for (int d = 0; d < a->diagonals; d++)
        for (int j = 0; j + a->offset[d] < a->order; j++)
            out->value[(size_t)j * lead + (size_t)a->offset[d]] +=
                a->value[(size_t)d * (size_t)a->order + (size_t)j];
    return PORTOLAN_OK;
}

enum portolan_status heat_matrix_to_sparse(const struct heat_matrix *a, struct heat_matrix *out,
                                           struct portolan_error *err)
{
    size_t count = (size_t)a->diagonals * (size_t)a->order;
    enum portolan_status status;

    if (a->layout != HEAT_STENCIL)
        return heat_matrix_to_csc(a, out, err);
    status = heat_matrix_reserve(out, HEAT_STENCIL, a->order, count, err);
    if (status)
        return status;
    out->diagonals = a->diagonals;
    memcpy(out->offset, a->offset, sizeof a->offset);
    memcpy(out->value, a->value, count * sizeof *a->value);
    return PORTOLAN_OK;
}

void heat_matrix_diagonal(const struct heat_matrix *a, double *diagonal)
{
    for (int j = 0; j < a->order; j++) {
        if (a->layout == HEAT_CSC)
            diagonal[j] = a->value[a->column_start[j]];
        else if (a->layout == HEAT_BAND)
            diagonal[j] = a->value[(size_t)j * ((size_t)a->bandwidth + 1)];
        else
            diagonal[j] = a->value[j];
    }
}

static void csc_multiply(const struct heat_matrix *a, const double *x, double *restrict y)
{
    memset(y, 0, (size_t)a->order * sizeof *y);
    for (int j = 0; j < a->order; j++) {
        int first = a->column_start[j];
        double xj = x[j], sum = a->value[first] * xj;

        for (int k = first + 1; k < a->column_start[j + 1]; k++) {
            sum += a->value[k] * x[a->row[k]];
            y[a->row[k]] += a->value[k] * xj;
        }
        y[j] += sum;
    }
}

static void band_multiply(const struct heat_matrix *a, const double *x, double *restrict y)
{
    size_t lead = (size_t)a->bandwidth + 1;

    memset(y, 0, (size_t)a->order * sizeof *y);
    for (int j = 0; j < a->order; j++) {
        const double *column = a->value + (size_t)j * lead;
        int last = a->bandwidth < a->order - 1 - j ? a->bandwidth : a->order - 1 - j;
        double xj = x[j], sum = column[0] * xj;

        for (int i = 1; i <= last; i++) {
            sum += column[i] * x[j + i];
            y[j + i] += column[i] * xj;
        }
        y[j] += sum;
    }
}

/* Points FROM … TO − 1, of whose neighbours only those inside the matrix count. */
static void stencil_rim(const struct heat_matrix *a, const double *x, double *restrict y, int from,
                        int to)
{
    for (int i = from; i < to; i++) {
        double sum = a->value[i] * x[i];

        for (int d = 1; d < a->diagonals; d++) {
            const double *value = a->value + (size_t)d * (size_t)a->order;
            int offset = a->offset[d];

            if (i + offset < a->order)
                sum += value[i] * x[i + offset];
            if (i >= offset)
                sum += value[i - offset] * x[i - offset];
        }
        y[i] = sum;
    }
}

/* One pass with all diagonals keeps y in registers; the usual two cases are written out. */
static void stencil_multiply(const struct heat_matrix *a, const double *x, double *restrict y)
{
    size_t n = (size_t)a->order;
    int last = a->offset[a->diagonals - 1];
    const double *v = a->value, *v1 = v + n, *v2 = v1 + n, *v3 = v2 + n;
    ptrdiff_t o1 = a->offset[1], o2 = a->offset[2], o3 = a->offset[3];

    if (2 * (size_t)last >= n || a->diagonals < 3) {
        stencil_rim(a, x, y, 0, a->order);
        return;
    }
    stencil_rim(a, x, y, 0, last);
    if (a->diagonals == 3) {
#pragma omp simd
        for (ptrdiff_t i = last; i < a->order - last; i++)
            y[i] = v[i] * x[i] + v1[i] * x[i + o1] + v1[i - o1] * x[i - o1] + v2[i] * x[i + o2] +
                   v2[i - o2] * x[i - o2];
    } else {
#pragma omp simd
        for (ptrdiff_t i = last; i < a->order - last; i++)
            y[i] = v[i] * x[i] + v1[i] * x[i + o1] + v1[i - o1] * x[i - o1] + v2[i] * x[i + o2] +
                   v2[i - o2] * x[i - o2] + v3[i] * x[i + o3] + v3[i - o3] * x[i - o3];
    }
    stencil_rim(a, x, y, a->order - last, a->order);
}

void heat_matrix_multiply(const struct heat_matrix *a, const double *x, double *y)
{
    if (a->layout == HEAT_CSC)
        csc_multiply(a, x, y);
    else if (a->layout == HEAT_BAND)
        band_multiply(a, x, y);
    else
        stencil_multiply(a, x, y);
}

double heat_matrix_residual(const struct heat_matrix *a, const double *b, const double *x,
                            double *work)
{
    double residual = 0.0, size = 0.0;

    heat_matrix_multiply(a, x, work);
    for (int i = 0; i < a->order; i++) {
        double r = b[i] - work[i];

        residual += r * r;
        size += b[i] * b[i];
    }
    return size > 0.0 ? sqrt(residual / size) : sqrt(residual);
}

enum portolan_status heat_matrix_check_finite(const struct heat_matrix *a,
                                              struct portolan_error *err)
{
    size_t count, order = (size_t)a->order, lead = (size_t)a->bandwidth + 1;
    int row, column;

    if (a->layout == HEAT_CSC)
        count = (size_t)a->column_start[a->order];
    else
        count = a->layout == HEAT_BAND ? lead * order : (size_t)a->diagonals * order;
    for (size_t k = 0; k < count; k++) {
        if (isfinite(a->value[k]))
            continue;
        if (a->layout == HEAT_CSC) {
            row = a->row[k];
            for (column = 0; a->column_start[column + 1] <= (int)k;)
                column++;
        } else if (a->layout == HEAT_BAND) {
            column = (int)(k / lead);
            row = column + (int)(k % lead);
        } else {
            column = (int)(k % order);
            row = column + a->offset[k / order];
        }
        return portolan_error_set(err, PORTOLAN_EINVAL, "the matrix holds %g in row %d, column %d",
                                  a->value[k], row, column);
    }
    return PORTOLAN_OK;
}
