/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CVODE run: cvode robertson|diffusion|preconditioned COUNTS. Robertson's kinetics with the dense
 * solver; diffusion on a square with SPGMR, without and with a Jacobi preconditioner. Every digit
 * of the solution and CVODE's own statistics go to stdout.
 *
 * Built as it is, the operations of the solver's table are counted by hand, into the file COUNTS.
 * Built with -DPROXY=HEADER, the solver is handed to CVODE behind its generated proxy instead.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>

#ifdef PROXY
#include PROXY

static SUNLinearSolver watch(SUNLinearSolver solver)
{
    SUNLinearSolver face = SUNLinearSolverProxy_wrap(solver, "cvode");

    if (!face)
        fprintf(stderr, "cvode: %s\n", portolan_proxy_wrap_error());
    return face;
}

static int write_counts(const char *file)
{
    (void)file;
    return 0;
}
#else
#define OPERATIONS(X)                                                                              \
    X(SUNLinearSolver_Type, gettype, (SUNLinearSolver s), (s))                                     \
    X(SUNLinearSolver_ID, getid, (SUNLinearSolver s), (s))                                         \
    X(int, setatimes, (SUNLinearSolver s, void *a, SUNATimesFn f), (s, a, f))                      \
    X(int, setpreconditioner, (SUNLinearSolver s, void *a, SUNPSetupFn f, SUNPSolveFn g),          \
      (s, a, f, g))                                                                                \
    X(int, setscalingvectors, (SUNLinearSolver s, N_Vector a, N_Vector b), (s, a, b))              \
    X(int, setzeroguess, (SUNLinearSolver s, booleantype on), (s, on))                             \
    X(int, initialize, (SUNLinearSolver s), (s))                                                   \
    X(int, setup, (SUNLinearSolver s, SUNMatrix a), (s, a))                                        \
    X(int, solve, (SUNLinearSolver s, SUNMatrix a, N_Vector x, N_Vector b, realtype tolerance),    \
      (s, a, x, b, tolerance))                                                                     \
    X(int, numiters, (SUNLinearSolver s), (s))                                                     \
    X(realtype, resnorm, (SUNLinearSolver s), (s))                                                 \
    X(sunindextype, lastflag, (SUNLinearSolver s), (s))                                            \
    X(int, space, (SUNLinearSolver s, long *a, long *b), (s, a, b))                                \
    X(N_Vector, resid, (SUNLinearSolver s), (s))                                                   \
    X(int, free, (SUNLinearSolver s), (s))

static struct _generic_SUNLinearSolver_Ops original;

#define COUNTED(type, name, parameters, arguments)                                                 \
    static long n_##name;                                                                          \
    static type count_##name parameters                                                            \
    {                                                                                              \
        n_##name++;                                                                                \
        return original.name arguments;                                                            \
    }
OPERATIONS(COUNTED)

static SUNLinearSolver watch(SUNLinearSolver solver)
{
    original = *solver->ops;
#define REPLACE(type, name, parameters, arguments)                                                 \
    if (original.name)                                                                             \
        solver->ops->name = count_##name;
    OPERATIONS(REPLACE)
    return solver;
}

static int write_counts(const char *file)
{
    FILE *out = fopen(file, "w");

    if (!out)
        return -1;
#define WRITE(type, name, parameters, arguments)                                                   \
    if (n_##name)                                                                                  \
        fprintf(out, "%s %ld\n", #name, n_##name);
    OPERATIONS(WRITE)
    return fclose(out);
}
#endif

enum { SIDE = 24 };

static int robertson(realtype t, N_Vector y, N_Vector dydt, void *data)
{
    const realtype *c = N_VGetArrayPointer(y);
    realtype *d = N_VGetArrayPointer(dydt);

    (void)t, (void)data;
    d[0] = -0.04 * c[0] + 1e4 * c[1] * c[2];
    d[2] = 3e7 * c[1] * c[1];
    d[1] = -d[0] - d[2];
    return 0;
}

static realtype at(const realtype *u, int i, int k)
{
    return i < 0 || k < 0 || i == SIDE || k == SIDE ? 0 : u[i * SIDE + k];
}

static int diffusion(realtype t, N_Vector y, N_Vector dydt, void *data)
{
    const realtype *u = N_VGetArrayPointer(y), h = 1.0 / (SIDE + 1);
    realtype *d = N_VGetArrayPointer(dydt);

    (void)t, (void)data;
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            d[i * SIDE + k] = (at(u, i - 1, k) + at(u, i + 1, k) + at(u, i, k - 1) +
                               at(u, i, k + 1) - 4 * at(u, i, k)) /
                                  (h * h) +
                              at(u, i, k) * (1 - at(u, i, k));
    return 0;
}

static realtype diagonal;

static int prepare(realtype t, N_Vector y, N_Vector fy, booleantype jok, booleantype *jcur,
                   realtype gamma, void *data)
{
    (void)t, (void)y, (void)fy, (void)jok, (void)data;
    diagonal = 1 + gamma * 4 * (SIDE + 1) * (SIDE + 1);
    *jcur = SUNTRUE;
    return 0;
}

static int precondition(realtype t, N_Vector y, N_Vector fy, N_Vector r, N_Vector z, realtype gamma,
                        realtype delta, int side, void *data)
{
    (void)t, (void)y, (void)fy, (void)gamma, (void)delta, (void)side, (void)data;
    N_VScale(1 / diagonal, r, z);
    return 0;
}

/* What CVODE itself counted, and what the table answers afterwards. */
static int print_statistics(void *cvode, SUNLinearSolver solver)
{
    long steps, evaluations, setups, nonlinear, linear, failures;
    int bad = CVodeGetNumSteps(cvode, &steps) | CVodeGetNumRhsEvals(cvode, &evaluations) |
              CVodeGetNumLinSolvSetups(cvode, &setups) |
              CVodeGetNumNonlinSolvIters(cvode, &nonlinear) | CVodeGetNumLinIters(cvode, &linear) |
              CVodeGetNumLinConvFails(cvode, &failures);

    printf("steps %ld evaluations %ld setups %ld nonlinear %ld linear %ld failures %ld flag %ld\n",
           steps, evaluations, setups, nonlinear, linear, failures,
           (long)SUNLinSolLastFlag(solver));
    return bad;
}

static int integrate(void *cvode, N_Vector y, realtype first, realtype factor, int n)
{
    realtype t, *u = N_VGetArrayPointer(y);
    sunindextype length = N_VGetLength(y);

    for (int i = 0; i < n; i++, first *= factor) {
        if (CVode(cvode, first, y, &t, CV_NORMAL) < 0)
            return -1;
        printf("%.17g", t);
        for (sunindextype k = 0; k < length; k += length < 4 ? 1 : length / 7)
            printf(" %.17g", u[k]);
        printf("\n");
    }
    return 0;
}

int main(int argc, char **argv)
{
    bool dense = argc == 3 && strcmp(argv[1], "robertson") == 0;
    bool jacobi = argc == 3 && strcmp(argv[1], "preconditioned") == 0;
    sunindextype n = dense ? 3 : SIDE * SIDE;
    SUNContext context;
    SUNMatrix matrix = NULL;
    SUNLinearSolver solver;
    N_Vector y;
    void *cvode;
    int bad;

    if (argc != 3 || SUNContext_Create(NULL, &context))
        return 2;
    y = N_VNew_Serial(n, context);
    for (sunindextype i = 0; i < n; i++)
        N_VGetArrayPointer(y)[i] = dense ? i == 0 : (double)(i % 17) / 17;
    cvode = CVodeCreate(CV_BDF, context);
    bad = CVodeInit(cvode, dense ? robertson : diffusion, 0, y) |
          CVodeSStolerances(cvode, 1e-6, dense ? 1e-10 : 1e-8) | CVodeSetMaxNumSteps(cvode, 20000);
    if (dense)
        matrix = SUNDenseMatrix(n, n, context);
    solver = watch(dense ? SUNLinSol_Dense(y, matrix, context)
                         : SUNLinSol_SPGMR(y, jacobi ? SUN_PREC_LEFT : SUN_PREC_NONE, 0, context));
    if (!solver)
        return 1;
    bad |= CVodeSetLinearSolver(cvode, solver, matrix);
    if (jacobi)
        bad |= CVodeSetPreconditioner(cvode, prepare, precondition);
    bad |= integrate(cvode, y, dense ? 0.4 : 0.01, dense ? 10 : 1.7, dense ? 10 : 8);
    bad |= print_statistics(cvode, solver);
    CVodeFree(&cvode);
    bad |= SUNLinSolFree(solver) | write_counts(argv[2]);
    if (matrix)
        SUNMatDestroy(matrix);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return bad ? 1 : 0;
}
