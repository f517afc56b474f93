/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LAPACKE and the libraries that it needs take longer to load than most commands take to run: the
 * first fit of a command loads them. These are in the place of the library's own functions; to who
 * fits models a library that is not there is an error of LAPACKE.
 */
#include <dlfcn.h>
#include <lapacke.h>
#include <stdint.h>

static void *find(const char *name)
{
    void *library = dlopen("liblapacke.so.3", RTLD_NOW | RTLD_LOCAL);

    return library ? dlsym(library, name) : NULL;
}

#define LATE(name, parameters, arguments)                                                          \
    lapack_int name parameters                                                                     \
    {                                                                                              \
        static void *_Atomic found;                                                                \
        void *real = found;                                                                        \
                                                                                                   \
        if (!real && !(real = found = find(#name)))                                                \
            return LAPACK_WORK_MEMORY_ERROR;                                                       \
        return ((__typeof__(name) *)(uintptr_t)real)arguments;                                     \
    }

#define INT   lapack_int
#define REALS double *

LATE(LAPACKE_dgeqp3, (int layout, INT m, INT n, REALS a, INT lda, INT *pivot, REALS tau),
     (layout, m, n, a, lda, pivot, tau))
LATE(LAPACKE_dgesvd,
     (int layout, char u_job, char v_job, INT m, INT n, REALS a, INT lda, REALS s, REALS u, INT ldu,
      REALS v, INT ldv, REALS rest),
     (layout, u_job, v_job, m, n, a, lda, s, u, ldu, v, ldv, rest))
LATE(LAPACKE_dorgqr, (int layout, INT m, INT n, INT k, REALS a, INT lda, const double *tau),
     (layout, m, n, k, a, lda, tau))
LATE(LAPACKE_dormqr,
     (int layout, char side, char transposed, INT m, INT n, INT k, const double *a, INT lda,
      const double *tau, REALS c, INT ldc),
     (layout, side, transposed, m, n, k, a, lda, tau, c, ldc))
LATE(LAPACKE_dpotrf, (int layout, char half, INT n, REALS a, INT lda), (layout, half, n, a, lda))
LATE(LAPACKE_dpotri, (int layout, char half, INT n, REALS a, INT lda), (layout, half, n, a, lda))
LATE(LAPACKE_dtrtri, (int layout, char half, char unit, INT n, REALS a, INT lda),
     (layout, half, unit, n, a, lda))
LATE(LAPACKE_dtrtrs,
     (int layout, char half, char transposed, char unit, INT n, INT columns, const double *a,
      INT lda, REALS b, INT ldb),
     (layout, half, transposed, unit, n, columns, a, lda, b, ldb))
