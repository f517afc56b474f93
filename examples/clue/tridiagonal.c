/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduction of a symmetric matrix to tridiagonal form by Householder's reflections, the second
 * kernel of Cluster Configuration by Simulation (2000): one product of the matrix and a vector for
 * each column, so memory and many small messages decide.
 */
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double one = 1, zero = 0;
static const int stride = 1;

/* Vectors of the whole length, and their parts at the own rows and columns. */
struct vectors {
    double *whole, *row, *column, *product, *w_row, *w_column;
};

/* Column K below the diagonal, all of it, at every process: from its column of processes. */
static void spread_column(const struct grid *g, const double *a, int k, double *whole)
{
    int owner = k / g->nb % g->q, at = grid_count(k, g->nb, g->column, g->q);

    memset(whole, 0, (size_t)g->n * sizeof *whole);
    if (g->column == owner) {
        for (int i = grid_count(k + 1, g->nb, g->row, g->p); i < g->rows; i++)
            whole[grid_global(i, g->nb, g->row, g->p)] = a[(size_t)at * g->rows + i];
        MPI_Allreduce(MPI_IN_PLACE, whole + k, g->n - k, MPI_DOUBLE, MPI_SUM, g->in_column);
    }
    MPI_Bcast(whole + k, g->n - k, MPI_DOUBLE, owner, g->in_row);
}

/* V, for which x - 2 v (v^T x) / (v^T v) is 0 but for its first number, in place of x. Returns
 * 2 / (v^T v); *E becomes that number. */
static double reflect(double *x, int n, double *e)
{
    double norm = 0, square;

    for (int i = 0; i < n; i++)
        norm += x[i] * x[i];
    *e = x[0] > 0 ? -sqrt(norm) : sqrt(norm);
    square = norm - x[0] * x[0];
    x[0] -= *e;
    square += x[0] * x[0];
    return square > 0 ? 2 / square : 0;
}

static void take_parts(const struct grid *g, const double *whole, double *row, double *column)
{
    for (int i = 0; i < g->rows; i++)
        row[i] = whole[grid_global(i, g->nb, g->row, g->p)];
    for (int j = 0; j < g->columns; j++)
        column[j] = whole[grid_global(j, g->nb, g->column, g->q)];
}

/* PRODUCT = A V, whole at every process. */
static void multiply(const struct grid *g, const double *a, int k, const struct vectors *v)
{
    int top = grid_count(k, g->nb, g->row, g->p), from = grid_count(k, g->nb, g->column, g->q);
    int m = g->rows - top, n = g->columns - from;

    memset(v->w_row, 0, (size_t)g->rows * sizeof *v->w_row);
    if (m > 0 && n > 0 && grid_computes(g, 2.0 * m * n))
        dgemv_("N", &m, &n, &one, a + (size_t)from * g->rows + top, &g->rows, v->column + from,
               &stride, &zero, v->w_row + top, &stride);
    MPI_Allreduce(MPI_IN_PLACE, v->w_row, g->rows, MPI_DOUBLE, MPI_SUM, g->in_row);
    memset(v->product, 0, (size_t)g->n * sizeof *v->product);
    for (int i = top; i < g->rows; i++)
        v->product[grid_global(i, g->nb, g->row, g->p)] = v->w_row[i];
    MPI_Allreduce(MPI_IN_PLACE, v->product + k, g->n - k, MPI_DOUBLE, MPI_SUM, g->in_column);
}

/* A = H A H for the reflection of column K. */
static void step(const struct grid *g, double *a, int k, const struct vectors *v, double *e)
{
    int top = grid_count(k + 1, g->nb, g->row, g->p);
    int from = grid_count(k + 1, g->nb, g->column, g->q);
    int m = g->rows - top, n = g->columns - from;
    double beta, inner = 0, minus_one = -1;

    spread_column(g, a, k, v->whole);
    beta = reflect(v->whole + k + 1, g->n - k - 1, e);
    take_parts(g, v->whole, v->row, v->column);
    multiply(g, a, k + 1, v);
    for (int i = k + 1; i < g->n; i++)
        inner += v->product[i] * v->whole[i];
    for (int i = k + 1; i < g->n; i++)
        v->product[i] = beta * (v->product[i] - beta * inner / 2 * v->whole[i]);
    take_parts(g, v->product, v->w_row, v->w_column);
    if (m > 0 && n > 0 && grid_computes(g, 4.0 * m * n)) {
        double *rest = a + (size_t)from * g->rows + top;

        dger_(&m, &n, &minus_one, v->row + top, &stride, v->w_column + from, &stride, rest,
              &g->rows);
        dger_(&m, &n, &minus_one, v->w_row + top, &stride, v->column + from, &stride, rest,
              &g->rows);
    }
}

/* How far the sums of eigenvalues and of their squares are from those of the matrix: by its
 * diagonal and E, and by all of min(i, j) + 1. */
static double relative_error(const struct grid *g, const double *a, const double *e)
{
    double own[2] = {0, 0}, sums[2], trace = 0, squares = 0;

    for (int j = 0; j < g->columns; j++) {
        int column = grid_global(j, g->nb, g->column, g->q);

        if (column / g->nb % g->p != g->row)
            continue;
        double d = a[(size_t)j * g->rows + grid_count(column, g->nb, g->row, g->p)];

        own[0] += d;
        own[1] += d * d;
    }
    MPI_Allreduce(own, sums, 2, MPI_DOUBLE, MPI_SUM, g->all);
    for (int i = 0; i < g->n; i++) {
        double x = i + 1.0;

        trace += x;
        squares += x * x * (2.0 * (g->n - i) - 1);
        sums[1] += i < g->n - 1 ? 2 * e[i] * e[i] : 0;
    }
    return fmax(fabs(sums[0] / trace - 1), fabs(sums[1] / squares - 1));
}

/* The last number beside the diagonal needs no reflection. */
static double last_beside(const struct grid *g, const double *a)
{
    int row = g->n - 1, column = g->n - 2;
    double own = 0, sum;

    if (column >= 0 && row / g->nb % g->p == g->row && column / g->nb % g->q == g->column)
        own = a[(size_t)grid_count(column, g->nb, g->column, g->q) * g->rows +
                grid_count(row, g->nb, g->row, g->p)];
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, g->all);
    return sum;
}

static double *vector(int n)
{
    return calloc((size_t)n + 1, sizeof(double));
}

int main(int argc, char **argv)
{
    struct grid g = grid_begin(argc, argv);
    double *a = grid_matrix(&g), *e = vector(g.n), begin, seconds, error = 0;
    struct vectors v = {vector(g.n), vector(g.rows), vector(g.columns),
                        vector(g.n), vector(g.rows), vector(g.columns)};

    MPI_Barrier(g.all);
    begin = MPI_Wtime();
    for (int k = 0; k < g.n - 2; k++)
        step(&g, a, k, &v, &e[k]);
    MPI_Barrier(g.all);
    seconds = MPI_Wtime() - begin;
    if (g.n > 1)
        e[g.n - 2] = last_beside(&g, a);
    if (!(g.pace > 0))
        error = relative_error(&g, a, e);
    if (g.row == 0 && g.column == 0)
        printf("tridiagonal n=%d on %d x %d: %.6f s, %.1f Mflop/s, error %.1g\n", g.n, g.p, g.q,
               seconds, 4.0 / 3 * g.n * g.n * g.n / seconds * 1e-6, error);
    free(a);
    free(e);
    free(v.whole);
    free(v.row);
    free(v.column);
    free(v.product);
    free(v.w_row);
    free(v.w_column);
    grid_end(&g);
    return error > 1e-6;
}
