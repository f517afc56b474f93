/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cholesky factorization, the first kernel of Cluster Configuration by Simulation (2000): for each
 * block of columns, its owner factors the diagonal block, its column of processes solves for the
 * blocks below, and all update what is left with matrix products (right-looking, as ScaLAPACK).
 */
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double one = 1, minus_one = -1;

/* Factors block K, of NB columns, in its column of processes; PANEL gets the own rows below and
 * with it, from local row FIRST on. */
static void factor_panel(const struct grid *g, double *a, int k, int nb, int first,
                         double *diagonal)
{
    int owner = k / g->nb % g->p, m = g->rows - first, info;
    double *panel = a + (size_t)grid_count(k, g->nb, g->column, g->q) * g->rows + first;

    if (g->row == owner) {
        if (grid_computes(g, nb * (double)nb * nb / 3))
            dpotrf_("L", &nb, panel, &g->rows, &info);
        for (int j = 0; j < nb; j++)
            memcpy(diagonal + (size_t)j * nb, panel + (size_t)j * g->rows, nb * sizeof *diagonal);
        panel += nb;
        m -= nb;
    }
    MPI_Bcast(diagonal, nb * nb, MPI_DOUBLE, owner, g->in_column);
    if (m > 0 && grid_computes(g, (double)m * nb * nb))
        dtrsm_("R", "L", "T", "N", &m, &nb, &one, diagonal, &nb, panel, &g->rows);
}

/* The rows of the panel that the own columns need, from FROM on: each has them from the process of
 * its column of processes that owns that row. BELOW: own rows from FIRST on. */
static void turn_panel(const struct grid *g, const double *below, int nb, int first, int from,
                       double *across)
{
    int m = g->rows - first, n = g->columns - from, mine = 0, total = 0;
    int *counts = calloc((size_t)g->p * 3, sizeof *counts), *at = counts + g->p, *next = at + g->p;
    double *send = malloc(((size_t)n * nb + 1) * sizeof *send);
    double *all = malloc(((size_t)n * nb + 1) * sizeof *all);

    for (int j = 0; j < n; j++) {
        int row = grid_global(from + j, g->nb, g->column, g->q), owner = row / g->nb % g->p;

        counts[owner] += nb;
        if (owner != g->row)
            continue;
        for (int c = 0, i = grid_count(row, g->nb, g->row, g->p) - first; c < nb; c++)
            send[mine++] = below[(size_t)c * m + i];
    }
    for (int r = 0; r < g->p; total += counts[r++])
        at[r] = next[r] = total;
    MPI_Allgatherv(send, mine, MPI_DOUBLE, all, counts, at, MPI_DOUBLE, g->in_column);
    for (int j = 0; j < n; j++) {
        int owner = grid_global(from + j, g->nb, g->column, g->q) / g->nb % g->p;

        for (int c = 0; c < nb; c++)
            across[(size_t)c * n + j] = all[next[owner]++];
    }
    free(counts);
    free(send);
    free(all);
}

static void step(const struct grid *g, double *a, int k, double *diagonal, double *below,
                 double *across)
{
    int nb = g->n - k < g->nb ? g->n - k : g->nb, owner = k / g->nb % g->q;
    int first = grid_count(k, g->nb, g->row, g->p);
    int from = grid_count(k + nb, g->nb, g->column, g->q);
    int top = grid_count(k + nb, g->nb, g->row, g->p), m = g->rows - top, n = g->columns - from;

    if (g->column == owner) {
        const double *panel = a + (size_t)grid_count(k, g->nb, g->column, g->q) * g->rows + top;

        factor_panel(g, a, k, nb, first, diagonal);
        for (int j = 0; j < nb; j++)
            memcpy(below + (size_t)j * m, panel + (size_t)j * g->rows, m * sizeof *below);
    }
    MPI_Bcast(below, m * nb, MPI_DOUBLE, owner, g->in_row);
    turn_panel(g, below, nb, top, from, across);
    /* Half of the matrix would do: on average each process has as much above as below. */
    if (m > 0 && n > 0 && grid_computes(g, (double)m * n * nb))
        dgemm_("N", "T", &m, &n, &nb, &minus_one, below, &m, across, &n, &one,
               a + (size_t)from * g->rows + top, &g->rows);
}

/* The largest error on and below the diagonal: the factor of min(i, j) + 1 is 1 there. */
static double largest_error(const struct grid *g, const double *a)
{
    double error = 0, largest = 0;

    for (int j = 0; j < g->columns; j++)
        for (int i = 0; i < g->rows; i++)
            if (grid_global(i, g->nb, g->row, g->p) >= grid_global(j, g->nb, g->column, g->q))
                error = fmax(error, fabs(a[(size_t)j * g->rows + i] - 1));
    MPI_Reduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, g->all);
    return largest;
}

int main(int argc, char **argv)
{
    struct grid g = grid_begin(argc, argv);
    double *a = grid_matrix(&g), begin, seconds, error;
    size_t room = (size_t)g.nb * (size_t)(g.rows > g.columns ? g.rows : g.columns) + 1;
    double *diagonal = malloc((size_t)g.nb * g.nb * sizeof *diagonal);
    double *below = malloc(room * sizeof *below), *across = malloc(room * sizeof *across);

    MPI_Barrier(g.all);
    begin = MPI_Wtime();
    for (int k = 0; k < g.n; k += g.nb)
        step(&g, a, k, diagonal, below, across);
    MPI_Barrier(g.all);
    seconds = MPI_Wtime() - begin;
    error = g.pace > 0 ? 0 : largest_error(&g, a);
    if (g.row == 0 && g.column == 0)
        printf("cholesky n=%d on %d x %d: %.6f s, %.1f Mflop/s, error %.1g\n", g.n, g.p, g.q,
               seconds, (double)g.n * g.n * g.n / 3 / seconds * 1e-6, error);
    free(a);
    free(diagonal);
    free(below);
    free(across);
    grid_end(&g);
    return error > 1e-6;
}
