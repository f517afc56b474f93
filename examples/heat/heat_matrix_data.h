/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The matrices of the heat example: symmetric, in one of three layouts, and the conversions between
 * them. What heat.Matrix.getData() points to is a `struct heat_matrix`.
 *
 * A conversion is real work and is done by the consumer, so its time appears where a poor match of
 * two components causes it. Nothing here is shared between threads.
 */
#ifndef HEAT_MATRIX_DATA_H
#define HEAT_MATRIX_DATA_H

#include <portolan/base.h>

/** The numbers are those of the SIDL enumeration heat.Layout. */
enum heat_layout {
    HEAT_CSC,    /**< compressed columns of the lower triangle, rows ascending, diagonal first */
    HEAT_BAND,   /**< LAPACK's lower symmetric band: A(j+i, j) = value[j*(bandwidth+1) + i] */
    HEAT_STENCIL /**< diagonals: A(i, i+offset[d]) = value[d*order + i]; offset[0] = 0, ascending */
};

enum { HEAT_MAX_DIAGONALS = 4 };

/** Start it as {0}. The arrays are owned by the matrix and grow as needed, never shrink. */
struct heat_matrix {
    enum heat_layout layout;
    int order;
    int *column_start; /**< CSC: order + 1 entries */
    int *row;          /**< CSC: column_start[order] entries */
    double *value;     /**< all layouts */
    int bandwidth;     /**< BAND: diagonals below the main one */
    int diagonals;     /**< STENCIL: stored diagonals, the main one included */
    int offset[HEAT_MAX_DIAGONALS];
    size_t starts_capacity, rows_capacity, values_capacity; /**< entries allocated */
};

/** Frees what M owns and makes it {0}; NULL is legal. */
void heat_matrix_clear(struct heat_matrix *m);

/**
 * Gives M a layout, an order and room for VALUES values (CSC: also for their rows and the column
 * starts). The contents are undefined afterwards. ENOMEM leaves M cleared.
 */
enum portolan_status heat_matrix_reserve(struct heat_matrix *m, enum heat_layout layout, int order,
                                         size_t values, struct portolan_error *err);

/** OUT becomes A in CSC; zeros of a band or stencil are left out, the diagonal never is. */
enum portolan_status heat_matrix_to_csc(const struct heat_matrix *a, struct heat_matrix *out,
                                        struct portolan_error *err);

/** OUT becomes A in BAND, with the bandwidth that A's entries need. */
enum portolan_status heat_matrix_to_band(const struct heat_matrix *a, struct heat_matrix *out,
                                         struct portolan_error *err);

/** OUT becomes a sparse copy of A: CSC and STENCIL stay what they are, BAND becomes CSC. */
enum portolan_status heat_matrix_to_sparse(const struct heat_matrix *a, struct heat_matrix *out,
                                           struct portolan_error *err);

/** diagonal[i] = A(i, i). */
void heat_matrix_diagonal(const struct heat_matrix *a, double *diagonal);

/** y = A x. X and Y must not overlap. */
void heat_matrix_multiply(const struct heat_matrix *a, const double *x, double *y);

/** ‖b − A x‖₂ / ‖b‖₂, or ‖A x‖₂ when b = 0. WORK holds `order` values. May be NaN. */
double heat_matrix_residual(const struct heat_matrix *a, const double *b, const double *x,
                            double *work);

/**
 * Whether every stored value of A is finite. EINVAL names the first that is not ("row 3, column
 * 3"). Factorisations call it because LAPACK's band routines let NaN pass.
 */
enum portolan_status heat_matrix_check_finite(const struct heat_matrix *a,
                                              struct portolan_error *err);

#endif
