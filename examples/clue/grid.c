/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int grid_count(int n, int nb, int place, int size)
{
    int blocks = n / nb, count = blocks / size * nb, extra = blocks % size;

    return count + (place < extra ? nb : place == extra ? n % nb : 0);
}

int grid_global(int i, int nb, int place, int size)
{
    return (i / nb * size + place) * nb + i % nb;
}

struct grid grid_begin(int argc, char **argv)
{
    struct grid g = {0};
    int size, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc >= 5) {
        g.n = atoi(argv[1]);
        g.nb = atoi(argv[2]);
        g.p = atoi(argv[3]);
        g.q = atoi(argv[4]);
        g.pace = argc > 5 ? atof(argv[5]) : 0;
    }
    if (g.p == 0 && g.q == 0) {
        int sizes[2] = {0, 0};

        MPI_Dims_create(size, 2, sizes);
        g.p = sizes[1];
        g.q = sizes[0];
    }
    if (g.n < 1 || g.nb < 1 || g.p * g.q != size) {
        if (rank == 0)
            fprintf(stderr,
                    "usage: %s N NB P Q [PACE], on P x Q processes (0 0: as square as it goes)\n",
                    argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    g.all = MPI_COMM_WORLD;
    g.row = rank / g.q;
    g.column = rank % g.q;
    g.rows = grid_count(g.n, g.nb, g.row, g.p);
    g.columns = grid_count(g.n, g.nb, g.column, g.q);
    MPI_Comm_split(g.all, g.row, g.column, &g.in_row);
    MPI_Comm_split(g.all, g.column, g.row, &g.in_column);
    return g;
}

void grid_end(struct grid *g)
{
    MPI_Comm_free(&g->in_row);
    MPI_Comm_free(&g->in_column);
    MPI_Finalize();
}

double *grid_matrix(const struct grid *g)
{
    double *a = malloc(((size_t)g->rows * g->columns + 1) * sizeof *a);

    for (int j = 0; a && j < g->columns; j++)
        for (int i = 0; i < g->rows; i++) {
            int row = grid_global(i, g->nb, g->row, g->p);
            int column = grid_global(j, g->nb, g->column, g->q);

            a[(size_t)j * g->rows + i] = (row < column ? row : column) + 1;
        }
    if (!a)
        MPI_Abort(g->all, 1);
    return a;
}

int grid_computes(const struct grid *g, double operations)
{
    double seconds = g->pace > 0 ? operations / g->pace * 1e-6 : 0;
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

    if (g->pace > 0)
        nanosleep(&t, NULL);
    return !(g->pace > 0);
}
