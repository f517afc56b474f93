/* SPDX-License-Identifier: BSD-3-Clause */
/* A few functions of the C interface to BLAS, as its public description has them. */
#ifndef BLAS_H
#define BLAS_H

enum blas_order { BLAS_ROW_MAJOR = 101, BLAS_COLUMN_MAJOR = 102 };
enum blas_transpose { BLAS_PLAIN = 111, BLAS_TRANSPOSED = 112 };

double cblas_ddot(int n, const double *x, int x_step, const double *y, int y_step);
double cblas_dnrm2(int n, const double *x, int x_step);
void cblas_daxpy(int n, double alpha, const double *x, int x_step, double *y, int y_step);
void cblas_dgemm(enum blas_order order, enum blas_transpose transpose_a,
                 enum blas_transpose transpose_b, int rows, int columns, int inner, double alpha,
                 const double *a, int a_stride, const double *b, int b_stride, double beta,
                 double *c, int c_stride);

#endif
