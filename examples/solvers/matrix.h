/* SPDX-License-Identifier: BSD-3-Clause */
/** A sparse square matrix in compressed columns, and its file: a coordinate Matrix Market file. */
#ifndef SOLVERS_MATRIX_H
#define SOLVERS_MATRIX_H

#include <portolan/base.h>

struct solvers_entry {
    int row, column;
    double value;
};

/** What is known of a matrix for the cost of looking at each entry once; they add up. */
enum solvers_matrix_kind {
    /** Positive diagonal, in each column at least as large as the rest together, in one larger. */
    SOLVERS_DOMINANT = 1,
    SOLVERS_SYMMETRIC = 2,
};

struct solvers_matrix {
    int n, nnz;
    int *start, *row; /**< of column j: row[start[j]] ascending to before row[start[j + 1]] */
    double *value;
    int bandwidth; /**< largest |i - j| of an entry */
    int kind;      /**< of enum solvers_matrix_kind */
};

/**
 * Makes *A, of N rows, of COUNT entries in any order; those in one place are added up. EINVAL when
 * one lies outside, ENOMEM. The caller clears *A.
 */
enum portolan_status solvers_matrix_assemble(struct solvers_matrix *a, int n,
                                             const struct solvers_entry *entries, size_t count,
                                             struct portolan_error *err);

/** Reads "%%MatrixMarket matrix coordinate real general" or "... symmetric". EIO, EINVAL, ENOMEM.
 */
enum portolan_status solvers_matrix_read(struct solvers_matrix *a, const char *path,
                                         struct portolan_error *err);

/** Writes it in the same form, as a general one. EIO. */
enum portolan_status solvers_matrix_write(const struct solvers_matrix *a, const char *path,
                                          struct portolan_error *err);

/** y = A x. */
void solvers_matrix_multiply(const struct solvers_matrix *a, const double *x, double *y);

/** ‖b - A x‖ / (‖A‖ ‖x‖ + ‖b‖) in the maximum norm; 0 when all are 0. EINVAL when x is not finite,
 * ENOMEM. */
enum portolan_status solvers_matrix_residual(const struct solvers_matrix *a, const double *b,
                                             const double *x, double *residual,
                                             struct portolan_error *err);

/** Entries per row, on average. */
static inline double solvers_matrix_row(const struct solvers_matrix *a)
{
    return (double)a->nnz / a->n;
}

void solvers_matrix_clear(struct solvers_matrix *a);

#endif
