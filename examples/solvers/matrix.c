/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void solvers_matrix_clear(struct solvers_matrix *a)
{
    free(a->start);
    free(a->row);
    free(a->value);
    *a = (struct solvers_matrix){0};
}

static enum portolan_status allocate(struct solvers_matrix *a, int n, size_t nnz,
                                     struct portolan_error *err)
{
    *a = (struct solvers_matrix){.n = n, .nnz = (int)nnz};
    a->start = portolan_calloc((size_t)n + 1, sizeof *a->start);
    a->row = portolan_calloc(nnz + 1, sizeof *a->row);
    a->value = portolan_calloc(nnz + 1, sizeof *a->value);
    if (a->start && a->row && a->value)
        return PORTOLAN_OK;
    solvers_matrix_clear(a);
    return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a matrix of %zu entries", nnz);
}

/* From how many there are to where each begins; start[i] then moves as column i is filled. */
static void starts_from_counts(int *start, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++) {
        int count = start[i];

        start[i] = sum;
        sum += count;
    }
    start[n] = sum;
}

/* After filling, start[i] is where i + 1 begins. */
static void starts_after_filling(int *start, int n)
{
    memmove(start + 1, start, (size_t)n * sizeof *start);
    start[0] = 0;
}

/* *T = Aᵀ, with rows ascending. */
static enum portolan_status transpose(const struct solvers_matrix *a, struct solvers_matrix *t,
                                      struct portolan_error *err)
{
    enum portolan_status status = allocate(t, a->n, (size_t)a->nnz, err);

    if (status)
        return status;
    for (int k = 0; k < a->nnz; k++)
        t->start[a->row[k]]++;
    starts_from_counts(t->start, a->n);
    for (int j = 0; j < a->n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            int at = t->start[a->row[k]]++;

            t->row[at] = j;
            t->value[at] = a->value[k];
        }
    starts_after_filling(t->start, a->n);
    return PORTOLAN_OK;
}

/* Adds up entries in one place; they are neighbours. */
static void merge(struct solvers_matrix *a)
{
    int out = 0, from = 0;

    for (int j = 0; j < a->n; j++) {
        int begin = out;

        for (int k = from; k < a->start[j + 1]; k++)
            if (out > begin && a->row[out - 1] == a->row[k]) {
                a->value[out - 1] += a->value[k];
            } else {
                a->row[out] = a->row[k];
                a->value[out++] = a->value[k];
            }
        from = a->start[j + 1];
        a->start[j + 1] = out;
    }
    a->nnz = out;
}

static bool dominant(const struct solvers_matrix *a)
{
    bool larger = false;

    for (int j = 0; j < a->n; j++) {
        double diagonal = 0, rest = 0;

        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            if (a->row[k] == j)
                diagonal = a->value[k];
            else
                rest += fabs(a->value[k]);
        /* Sums of entries that cancel exactly on paper are rounded. */
        if (!(diagonal > 0) || diagonal < rest * (1 - 1e-14))
            return false;
        larger = larger || diagonal > rest * (1 + 1e-14);
    }
    return larger;
}

static void describe(struct solvers_matrix *a, const struct solvers_matrix *t)
{
    size_t nnz = (size_t)a->nnz;

    for (int j = 0; j < a->n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            a->bandwidth = abs(a->row[k] - j) > a->bandwidth ? abs(a->row[k] - j) : a->bandwidth;
    a->kind = dominant(a) ? SOLVERS_DOMINANT : 0;
    if (!memcmp(a->start, t->start, ((size_t)a->n + 1) * sizeof *a->start) &&
        !memcmp(a->row, t->row, nnz * sizeof *a->row) &&
        !memcmp(a->value, t->value, nnz * sizeof *a->value))
        a->kind += SOLVERS_SYMMETRIC;
}

/* The transpose of what is wanted, rows in any order: so that transposing sorts them. */
static enum portolan_status gather(struct solvers_matrix *t, int n,
                                   const struct solvers_entry *entries, size_t count,
                                   struct portolan_error *err)
{
    enum portolan_status status = allocate(t, n, count, err);

    for (size_t k = 0; k < count && !status; k++) {
        const struct solvers_entry *e = &entries[k];

        if (e->row < 0 || e->row >= n || e->column < 0 || e->column >= n)
            status =
                portolan_error_set(err, PORTOLAN_EINVAL, "entry %zu is in row %d, column %d of %d",
                                   k + 1, e->row + 1, e->column + 1, n);
        else
            t->start[e->row]++;
    }
    if (status) {
        solvers_matrix_clear(t);
        return status;
    }
    starts_from_counts(t->start, n);
    for (size_t k = 0; k < count; k++) {
        int at = t->start[entries[k].row]++;

        t->row[at] = entries[k].column;
        t->value[at] = entries[k].value;
    }
    starts_after_filling(t->start, n);
    return PORTOLAN_OK;
}

enum portolan_status solvers_matrix_assemble(struct solvers_matrix *a, int n,
                                             const struct solvers_entry *entries, size_t count,
                                             struct portolan_error *err)
{
    struct solvers_matrix t;
    enum portolan_status status = gather(&t, n, entries, count, err);

    if (status)
        return status;
    status = transpose(&t, a, err);
    solvers_matrix_clear(&t);
    if (status)
        return status;
    merge(a);
    status = transpose(a, &t, err);
    if (status) {
        solvers_matrix_clear(a);
        return status;
    }
    describe(a, &t);
    solvers_matrix_clear(&t);
    return PORTOLAN_OK;
}

/* -- files ----------------------------------------------------------------------------------- */

/* What a file has so far. */
struct reading {
    const char *path;
    int line, n;
    bool symmetric;
    struct solvers_entry *entries;
    size_t count, announced; /* of the file's lines; a symmetric entry counts once */
};

static enum portolan_status refuse(const struct reading *r, const char *wanted,
                                   struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EINVAL, "%s:%d: error: wanted %s", r->path, r->line,
                              wanted);
}

static enum portolan_status read_size(struct reading *r, const char *text,
                                      struct portolan_error *err)
{
    int columns, most = INT_MAX / 2;

    if (sscanf(text, "%d %d %zu", &r->n, &columns, &r->announced) != 3 || r->n < 1 ||
        columns != r->n || r->announced > (size_t)most)
        return refuse(r, "the size of a square matrix, as \"100 100 460\"", err);
    r->entries = portolan_calloc(2 * r->announced + 1, sizeof *r->entries);
    return r->entries ? PORTOLAN_OK
                      : portolan_error_set(err, PORTOLAN_ENOMEM, "%s: no memory for %zu entries",
                                           r->path, r->announced);
}

static enum portolan_status read_entry(struct reading *r, char *text, size_t *stored,
                                       struct portolan_error *err)
{
    struct solvers_entry e;
    char *end;

    if (r->count == r->announced)
        return refuse(r, "no more entries than announced", err);
    e.row = (int)strtol(text, &end, 10) - 1;
    e.column = (int)strtol(end, &end, 10) - 1;
    text = end;
    e.value = strtod(text, &end);
    if (end == text || e.row < 0 || e.row >= r->n || e.column < 0 || e.column >= r->n)
        return refuse(r, "row, column and value of an entry, as \"3 7 -1.5\"", err);
    r->count++;
    r->entries[(*stored)++] = e;
    if (r->symmetric && e.row != e.column)
        r->entries[(*stored)++] = (struct solvers_entry){e.column, e.row, e.value};
    return PORTOLAN_OK;
}

static enum portolan_status read_lines(struct reading *r, FILE *file, size_t *stored,
                                       struct portolan_error *err)
{
    static const char head[] = "%%MatrixMarket matrix coordinate real ";
    char text[256];
    enum portolan_status status = PORTOLAN_OK;

    while (!status && fgets(text, sizeof text, file)) {
        r->line++;
        if (r->line == 1) {
            r->symmetric = !strncmp(text + strlen(head), "symmetric", 9);
            if (strncmp(text, head, strlen(head)) ||
                (!r->symmetric && strncmp(text + strlen(head), "general", 7)))
                status = refuse(r, "\"%%MatrixMarket matrix coordinate real general\"", err);
        } else if (*text != '%' && *text != '\n') {
            status = r->entries ? read_entry(r, text, stored, err) : read_size(r, text, err);
        }
    }
    if (!status && (!r->entries || r->count < r->announced))
        status = refuse(r, "as many entries as announced", err);
    return status;
}

enum portolan_status solvers_matrix_read(struct solvers_matrix *a, const char *path,
                                         struct portolan_error *err)
{
    struct reading r = {.path = path};
    size_t stored = 0;
    enum portolan_status status;
    FILE *file = fopen(path, "r");

    if (!file)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", path, strerror(errno));
    status = read_lines(&r, file, &stored, err);
    fclose(file);
    if (!status)
        status = solvers_matrix_assemble(a, r.n, r.entries, stored, err);
    free(r.entries);
    return status;
}

enum portolan_status solvers_matrix_write(const struct solvers_matrix *a, const char *path,
                                          struct portolan_error *err)
{
    FILE *file = fopen(path, "w");
    bool failed;

    if (!file)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", path, strerror(errno));
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", a->n, a->n,
            a->nnz);
    for (int j = 0; j < a->n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            fprintf(file, "%d %d %.17g\n", a->row[k] + 1, j + 1, a->value[k]);
    failed = ferror(file) != 0;
    if (fclose(file) || failed)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", path, strerror(errno));
    return PORTOLAN_OK;
}

/* -- numbers --------------------------------------------------------------------------------- */

void solvers_matrix_multiply(const struct solvers_matrix *a, const double *x, double *y)
{
    memset(y, 0, (size_t)a->n * sizeof *y);
    for (int j = 0; j < a->n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            y[a->row[k]] += a->value[k] * x[j];
}

static double largest(const double *x, int n)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        most = fabs(x[i]) <= most ? most : fabs(x[i]); /* so that a NaN stays */
    return most;
}

enum portolan_status solvers_matrix_residual(const struct solvers_matrix *a, const double *b,
                                             const double *x, double *residual,
                                             struct portolan_error *err)
{
    double *r = portolan_calloc(2 * (size_t)a->n, sizeof *r), *sum = r ? r + a->n : NULL, scale;

    if (!r)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for %d residuals", a->n);
    solvers_matrix_multiply(a, x, r);
    for (int i = 0; i < a->n; i++)
        r[i] -= b[i];
    for (int k = 0; k < a->nnz; k++)
        sum[a->row[k]] += fabs(a->value[k]);
    scale = largest(sum, a->n) * largest(x, a->n) + largest(b, a->n);
    *residual = scale > 0 ? largest(r, a->n) / scale : scale;
    free(r);
    return isfinite(*residual)
               ? PORTOLAN_OK
               : portolan_error_set(err, PORTOLAN_EINVAL, "the solution is not finite");
}
