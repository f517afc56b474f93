/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LAPACK solves: lapack N COUNTS [LIBRARY…]. dgesv and dpotrf + dpotrs on systems whose solutions
 * are known; solutions go to stdout with every digit.
 *
 * Built as it is, it counts by hand the calls that LAPACK makes of three BLAS routines, into the
 * file COUNTS. Built with -DFRONT=HEADER and linked with the generated front, the front's exported
 * functions take their place, bound to one LIBRARY after the other.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "blas.h"

#ifdef FRONT
#include FRONT

#include <portolan/control.h>

/* From now on the front's functions are those of the library in FILE. */
static int bind(const char *file)
{
    static struct portolan_control_port control = {.variant = PORTOLAN_VARIANT_PROFILE};
    struct portolan_functions_front *front = portolan_front();
    struct portolan_functions_library *library;
    struct portolan_error err = {0};

    if (portolan_functions_library_open(front->description, file, &library, &err) != PORTOLAN_OK ||
        portolan_functions_front_bind(front, library, &err) != PORTOLAN_OK) {
        fprintf(stderr, "lapack: %s\n", err.text);
        return 1;
    }
    if (!control.name) {
        control.name = control.type = front->description->type;
        control.port = &front->port;
        portolan_control_add(&control);
    }
    return 0;
}
#else
#include <dlfcn.h>

static long n_gemm, n_trsm, n_syrk;

#define NEXT(type, name)                                                                           \
    static type next;                                                                              \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, name)

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc)
{
    NEXT(__typeof__(dgemm_) *, "dgemm_");
    n_gemm++;
    next(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void dtrsm_(const char *side, const char *uplo, const char *ta, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b,
            const int *ldb)
{
    NEXT(__typeof__(dtrsm_) *, "dtrsm_");
    n_trsm++;
    next(side, uplo, ta, diag, m, n, alpha, a, lda, b, ldb);
}

void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *beta, double *c, const int *ldc)
{
    NEXT(__typeof__(dsyrk_) *, "dsyrk_");
    n_syrk++;
    next(uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}
#endif

void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivots, double *b,
            const int *ldb, int *info);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda,
             double *b, const int *ldb, int *info);

static unsigned long long state;

static double next_value(void)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(int)(state >> 33) / 1073741824.0 - 1;
}

/* A (symmetric and positive definite when asked for) and B = A x with x[i] = 1 + i mod 5. */
static void make_system(int n, int definite, double *a, double *b)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            a[i + k * n] = definite && k < i ? a[k + i * n] : next_value() + (i == k ? 2 * n : 0);
    if (definite)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < i; k++)
                a[k + i * n] = a[i + k * n];
    for (int i = 0; i < n; i++) {
        b[i] = 0;
        for (int k = 0; k < n; k++)
            b[i] += a[i + k * n] * (1 + k % 5);
    }
}

static int print_solution(const char *name, int n, const double *x, int info)
{
    double worst = 0;

    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(x[i] - (1 + i % 5)));
    printf("%s %d info %d, at most %g off:", name, n, info, worst < 1e-10 ? 1e-10 : worst);
    for (int i = 0; i < n; i += 1 + n / 9)
        printf(" %.17g", x[i]);
    printf("\n");
    return info || worst > 1e-10;
}

static int solve(int n)
{
    const int one = 1;
    double *a = calloc((size_t)n * n, sizeof *a), *b = calloc((size_t)n, sizeof *b);
    int *pivots = calloc((size_t)n, sizeof *pivots), bad = 1, info;

    state = 20061113;
    if (a && b && pivots) {
        make_system(n, 0, a, b);
        dgesv_(&n, &one, a, &n, pivots, b, &n, &info);
        bad = print_solution("dgesv", n, b, info);
        make_system(n, 1, a, b);
        dpotrf_("L", &n, a, &n, &info);
        if (info == 0)
            dpotrs_("L", &n, &one, a, &n, b, &n, &info);
        bad |= print_solution("dpotrf", n, b, info);
    }
    free(a);
    free(b);
    free(pivots);
    return bad;
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 0, bad = 0;

    if (n < 1)
        return 2;
#ifdef FRONT
    for (int i = 3; i < argc; i++)
        bad |= bind(argv[i]) | solve(n);
#else
    bad = solve(n);
    {
        FILE *counts = fopen(argv[2], "w");

        if (!counts)
            return 1;
        fprintf(counts, "dgemm_ %ld\ndtrsm_ %ld\ndsyrk_ %ld\n", n_gemm, n_trsm, n_syrk);
        bad |= fclose(counts);
    }
#endif
    return bad;
}
