/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with options, as scientists have them: solves a tridiagonal system of N equations with
 * -method jacobi, gauss, sor (with -omega W) or direct, and prints the largest residual. Two
 * methods show how choosing goes wrong: "early" stops before it is done, and is fast; "hang" never
 * ends.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -x[i-1] + d x[i] - x[i+1] = 1 with d a little above 2, so that all methods converge. */
static const double diagonal = 2.05, wanted = 1e-9;

static double residual_of(const double *x, int n)
{
    double most = 0;

    for (int i = 1; i <= n; i++)
        most = fmax(most, fabs(1 - diagonal * x[i] + x[i - 1] + x[i + 1]));
    return most;
}

static void solve_directly(double *x, double *work, int n)
{
    work[0] = x[0] = 0;
    for (int i = 1; i <= n; i++) { /* elimination without pivots */
        double pivot = diagonal - work[i - 1];

        work[i] = 1 / pivot;
        x[i] = (1 + x[i - 1]) / pivot;
    }
    for (int i = n - 1; i >= 1; i--)
        x[i] += work[i] * x[i + 1];
}

/* One sweep; OMEGA 0: Jacobi's, from the values before the sweep. */
static void sweep(double *x, double *work, int n, double omega)
{
    memcpy(work, x, ((size_t)n + 2) * sizeof *x);
    for (int i = 1; i <= n; i++) {
        double left = omega > 0 ? x[i - 1] : work[i - 1];
        double new = (1 + left + work[i + 1]) / diagonal;

        x[i] = omega > 0 ? work[i] + omega * (new - work[i]) : new;
    }
}

static int solve(const char *method, double omega, double *x, double *work, int n)
{
    int sweeps = 0, most = strcmp(method, "early") ? 1000000 : 5;

    if (!strcmp(method, "direct")) {
        solve_directly(x, work, n);
        return 0;
    }
    if (!strcmp(method, "jacobi"))
        omega = 0;
    while (sweeps < most && residual_of(x, n) > wanted) {
        sweep(x, work, n, omega);
        sweeps++;
    }
    return sweeps;
}

int main(int argc, char **argv)
{
    const char *method = "jacobi";
    double omega = 1, *x, *work;
    int n = 1000, sweeps;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "-method"))
            method = argv[i + 1];
        else if (!strcmp(argv[i], "-omega"))
            omega = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "-n"))
            n = atoi(argv[i + 1]);
    }
    if (!strcmp(method, "broken")) {
        fprintf(stderr, "solve: this build has no such method\n");
        return 3;
    }
    for (volatile int waits = !strcmp(method, "hang"); waits;)
        ;
    x = calloc((size_t)n + 2, sizeof *x);
    work = calloc((size_t)n + 2, sizeof *work);
    if (!x || !work)
        return 1;
    sweeps = solve(method, omega, x, work, n);
    printf("%d sweeps, converged\nresidual %.3e\n", sweeps, residual_of(x, n));
    free(x);
    free(work);
    return 0;
}
