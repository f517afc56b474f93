/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The yardstick of clue/: Jacobi's method on a periodic grid of ranks, each with a block of B x B
 * numbers and a halo. A step is 4 receives, 4 sends, a wait for all, and the block; every tenth
 * step finds the largest change, which depends on the whole grid alone, not on how many ranks share
 * it. Usage: clue_stencil [B [STEPS]]
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEFT, RIGHT, UP, DOWN, SIDES };

struct block {
    int b, width; /* width: with the halo */
    double *now, *next;
    int neighbours[SIDES];
    MPI_Datatype column;
    MPI_Comm comm;
};

static void make_block(struct block *k)
{
    int size, rank, dims[2] = {0, 0}, periods[2] = {1, 1}, at[2];

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &k->comm);
    MPI_Comm_rank(k->comm, &rank);
    MPI_Cart_coords(k->comm, rank, 2, at);
    MPI_Cart_shift(k->comm, 0, 1, &k->neighbours[UP], &k->neighbours[DOWN]);
    MPI_Cart_shift(k->comm, 1, 1, &k->neighbours[LEFT], &k->neighbours[RIGHT]);
    k->width = k->b + 2;
    k->now = calloc((size_t)k->width * k->width, sizeof(double));
    k->next = calloc((size_t)k->width * k->width, sizeof(double));
    for (int i = 1; i <= k->b; i++)
        for (int j = 1; j <= k->b; j++)
            k->now[i * k->width + j] =
                sin(0.1 * (at[0] * k->b + i)) + cos(0.2 * (at[1] * k->b + j));
    MPI_Type_vector(k->b, 1, k->width, MPI_DOUBLE, &k->column);
    MPI_Type_commit(&k->column);
}

static void exchange(struct block *k)
{
    const int w = k->width, b = k->b;
    double *in[] = {k->now + w, k->now + w + b + 1, k->now + 1, k->now + (b + 1) * w + 1};
    double *out[] = {k->now + w + 1, k->now + w + b, k->now + w + 1, k->now + b * w + 1};
    MPI_Request requests[2 * SIDES];

    for (int side = 0; side < SIDES; side++)
        MPI_Irecv(in[side], side < UP ? 1 : b, side < UP ? k->column : MPI_DOUBLE,
                  k->neighbours[side], side ^ 1, k->comm, &requests[side]);
    for (int side = 0; side < SIDES; side++)
        MPI_Isend(out[side], side < UP ? 1 : b, side < UP ? k->column : MPI_DOUBLE,
                  k->neighbours[side], side, k->comm, &requests[SIDES + side]);
    MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
}

/* The largest change. */
static double sweep(struct block *k)
{
    double change = 0, *swapped = k->now;

    for (int i = 1; i <= k->b; i++)
        for (int j = 1; j <= k->b; j++) {
            int at = i * k->width + j;
            double value = 0.25 * (k->now[at - 1] + k->now[at + 1] + k->now[at - k->width] +
                                   k->now[at + k->width]);

            change = fmax(change, fabs(value - k->now[at]));
            k->next[at] = value;
        }
    k->now = k->next;
    k->next = swapped;
    return change;
}

int main(int argc, char **argv)
{
    struct block k = {.b = argc > 1 ? atoi(argv[1]) : 8};
    int steps = argc > 2 ? atoi(argv[2]) : 100, rank;
    double change = 0, largest = 0, began;

    MPI_Init(&argc, &argv);
    make_block(&k);
    began = MPI_Wtime();
    for (int step = 1; step <= steps; step++) {
        exchange(&k);
        change = sweep(&k);
        if (step % 10 == 0)
            MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, k.comm);
    }
    MPI_Comm_rank(k.comm, &rank);
    if (rank == 0) {
        printf("change %.17g\n", largest);
        fprintf(stderr, "%.3f ms\n", 1e3 * (MPI_Wtime() - began));
    }
    free(k.now);
    free(k.next);
    MPI_Type_free(&k.column);
    MPI_Comm_free(&k.comm);
    MPI_Finalize();
    return 0;
}
