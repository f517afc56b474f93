/* SPDX-License-Identifier: BSD-3-Clause */
/* Routines of BLAS by the names that Fortran gives them: what LAPACK calls. */
#ifndef BLAS_H
#define BLAS_H

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b,
            const int *ldb);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *beta, double *c, const int *ldc);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y,
            const int *incy);
void dscal_(const int *n, const double *alpha, double *x, const int *incx);
int idamax_(const int *n, const double *x, const int *incx);

#endif
