/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A square matrix on a P x Q grid of processes, block-cyclic: block (i, j) of NB x NB numbers is at
 * process (i mod P, j mod Q). Each process keeps its blocks as one matrix by columns.
 *
 * `pace`: instead of computing, processes sleep as long as so many million operations a second
 * take. So a cluster can be studied on another machine, without its processors.
 */
#ifndef CLUE_GRID_H
#define CLUE_GRID_H

#include <mpi.h>

struct grid {
    int n, nb, p, q, row, column; /* of the matrix, of blocks; size, and own place in the grid */
    int rows, columns;            /* of the own part */
    double pace;
    MPI_Comm all, in_row, in_column; /* of the row: ranked by column */
};

/* Reads "N NB P Q [PACE]", P and Q 0: as square as it goes; ends the program if they are wrong. */
struct grid grid_begin(int argc, char **argv);
void grid_end(struct grid *g);

/* How many of the first N rows (or columns) are at PLACE of SIZE places. */
int grid_count(int n, int nb, int place, int size);
/* The row (or column) in the whole of number I at PLACE of SIZE places. */
int grid_global(int i, int nb, int place, int size);

/* The own part of the matrix min(i, j) + 1, whose Cholesky factor is 1 on and below the diagonal.
 */
double *grid_matrix(const struct grid *g);

/* Whether the kernels compute; if not, they sleep for OPERATIONS. */
int grid_computes(const struct grid *g, double operations);

/* The reference BLAS and LAPACK. */
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);
void dger_(const int *, const int *, const double *, const double *, const int *, const double *,
           const int *, double *, const int *);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *,
            const double *, const double *, const int *, double *, const int *);
void dpotrf_(const char *, const int *, double *, const int *, int *);

#endif
