/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_fgmres.h"

#include "heat_agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct heat_fgmres {
    MPI_Comm comm;
    size_t n;
    int restart;
    double *v;           /* restart + 1 basis vectors */
    double *z;           /* restart preconditioned ones */
    double *h;           /* Hessenberg matrix, restart + 1 rows per column, made triangular */
    double *c, *s, *g;   /* Givens rotations and the rotated right-hand side */
    double *local, *sum; /* dot products before and after the reduction */
};

enum portolan_status heat_fgmres_create(MPI_Comm comm, size_t n, int restart,
                                        struct heat_fgmres **f, struct portolan_error *err)
{
    size_t m = (size_t)restart, room = n ? n : 1;
    struct heat_fgmres *new = portolan_calloc(1, sizeof *new);

    if (!new)
        goto nomem;
    new->comm = comm;
    new->n = n;
    new->restart = restart;
    new->v = portolan_calloc((m + 1) * room, sizeof *new->v);
    new->z = portolan_calloc(m * room, sizeof *new->z);
    new->h = portolan_calloc((m + 1) * m, sizeof *new->h);
    new->c = portolan_calloc(5 * (m + 2), sizeof *new->c);
    if (!new->v || !new->z || !new->h || !new->c)
        goto nomem;
    new->s = new->c + m + 2;
    new->g = new->s + m + 2;
    new->local = new->g + m + 2;
    new->sum = new->local + m + 2;
    *f = new;
    return PORTOLAN_OK;
nomem:
    heat_fgmres_destroy(new);
    return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for %d vectors of %zu values",
                              2 * restart, n);
}

void heat_fgmres_destroy(struct heat_fgmres *f)
{
    if (!f)
        return;
    free(f->v);
    free(f->z);
    free(f->h);
    free(f->c);
    free(f);
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0.0;

#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

double heat_fgmres_norm(MPI_Comm comm, const double *x, size_t n)
{
    double square = dot(x, x, n), sum = 0.0;

    MPI_Allreduce(&square, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sqrt(sum);
}

/*
 * One pass of classical Gram-Schmidt: W against the first K basis vectors. What is taken away is
 * added to COLUMN. One reduction; it carries the square of W's norm and FAILED along, which become
 * *SQUARE (of W as it was) and the number of ranks that failed. Returns what is left of the square.
 */
static double orthogonalise_once(struct heat_fgmres *f, double *w, int k, double *column,
                                 double *square, int *failed)
{
    double left;

    for (int i = 0; i < k; i++)
        f->local[i] = dot(f->v + (size_t)i * f->n, w, f->n);
    f->local[k] = dot(w, w, f->n);
    f->local[k + 1] = *failed;
    MPI_Allreduce(f->local, f->sum, k + 2, MPI_DOUBLE, MPI_SUM, f->comm);
    left = *square = f->sum[k];
    *failed = (int)f->sum[k + 1];
    for (int i = 0; i < k; i++) {
        const double *vi = f->v + (size_t)i * f->n;
        double hi = f->sum[i];

        column[i] += hi;
        left -= hi * hi;
        for (size_t j = 0; j < f->n; j++)
            w[j] -= hi * vi[j];
    }
    return left;
}

/*
 * W against the first K basis vectors; returns the norm of what is left. Where little is left, a
 * second pass restores orthogonality and makes the difference of squares exact enough.
 */
static double orthogonalise(struct heat_fgmres *f, double *w, int k, double *column, int *failed)
{
    double square, left;

    memset(column, 0, (size_t)k * sizeof *column);
    left = orthogonalise_once(f, w, k, column, &square, failed);
    if (!*failed && left < 0.5 * square)
        left = orthogonalise_once(f, w, k, column, &square, failed);
    return left > 0.0 || isnan(left) ? sqrt(left) : 0.0;
}

/* Applies the earlier rotations to column K of H, makes a new one, and rotates g. */
static void rotate(struct heat_fgmres *f, int k)
{
    double *column = f->h + (size_t)k * ((size_t)f->restart + 1), r;

    for (int i = 0; i < k; i++) {
        double upper = column[i];

        column[i] = f->c[i] * upper + f->s[i] * column[i + 1];
        column[i + 1] = -f->s[i] * upper + f->c[i] * column[i + 1];
    }
    r = hypot(column[k], column[k + 1]);
    f->c[k] = r > 0.0 ? column[k] / r : 1.0;
    f->s[k] = r > 0.0 ? column[k + 1] / r : 0.0;
    column[k] = r;
    f->g[k + 1] = -f->s[k] * f->g[k];
    f->g[k] *= f->c[k];
}

/* x += Z y with H y = g, the first K columns of each. */
static void update(struct heat_fgmres *f, int k, double *x)
{
    size_t rows = (size_t)f->restart + 1;
    double *y = f->sum;

    for (int i = k - 1; i >= 0; i--) {
        y[i] = f->g[i];
        for (int j = i + 1; j < k; j++)
            y[i] -= f->h[(size_t)j * rows + (size_t)i] * y[j];
        /* A zero pivot means that this direction did not help: leave it out. */
        y[i] = f->h[(size_t)i * rows + (size_t)i] != 0.0 ? y[i] / f->h[(size_t)i * rows + (size_t)i]
                                                         : 0.0;
    }
    for (int i = 0; i < k; i++) {
        const double *zi = f->z + (size_t)i * f->n;

        for (size_t j = 0; j < f->n; j++)
            x[j] += y[i] * zi[j];
    }
}

/* Iterations up to a restart, the goal or the limit; the residual before is in v[0], its norm
 * *RESIDUAL. */
static enum portolan_status cycle(struct heat_fgmres *f, const struct heat_fgmres_system *system,
                                  double *x, double goal, int limit, int *iterations,
                                  double *residual, struct portolan_error *err)
{
    size_t n = f->n;
    int k = 0;

    for (size_t i = 0; i < n; i++)
        f->v[i] /= *residual;
    memset(f->g, 0, ((size_t)f->restart + 1) * sizeof *f->g);
    f->g[0] = *residual;
    while (k < f->restart && *iterations<limit && * residual> goal) {
        double *w = f->v + (size_t)(k + 1) * n, *z = f->z + (size_t)k * n;
        double *column = f->h + (size_t)k * ((size_t)f->restart + 1), norm;
        enum portolan_status status =
            system->precondition(system->arg, f->v + (size_t)k * n, z, err);
        int failed = status != PORTOLAN_OK;

        if (failed) /* go on with harmless numbers to where all ranks meet */
            memset(z, 0, n * sizeof *z);
        system->multiply(system->arg, z, w);
        norm = orthogonalise(f, w, k + 1, column, &failed);
        if (failed)
            return heat_agree(f->comm, status, err);
        column[k + 1] = norm;
        rotate(f, k++);
        ++*iterations;
        *residual = fabs(f->g[k]);
        if (!isfinite(*residual))
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "the outer iteration met a number that is not finite");
        if (!(norm > 0.0))
            break;
        for (size_t i = 0; i < n; i++)
            w[i] /= norm;
    }
    update(f, k, x);
    return PORTOLAN_OK;
}

enum portolan_status heat_fgmres_solve(struct heat_fgmres *f,
                                       const struct heat_fgmres_system *system, const double *b,
                                       double *x, double goal, int max_iterations, int *iterations,
                                       double *residual, struct portolan_error *err)
{
    enum portolan_status status;

    *iterations = 0;
    memset(x, 0, f->n * sizeof *x);
    memcpy(f->v, b, f->n * sizeof *b);
    *residual = heat_fgmres_norm(f->comm, b, f->n);
    if (!isfinite(*residual))
        return portolan_error_set(err, PORTOLAN_EINVAL, "the right-hand side is not finite");
    while (*residual > goal) {
        if (*iterations >= max_iterations)
            return portolan_error_set(err, PORTOLAN_ETIMEOUT,
                                      "the outer iteration stopped at a residual of %.3g, wanted "
                                      "%.3g, after %d iterations",
                                      *residual, goal, *iterations);
        status = cycle(f, system, x, goal, max_iterations, iterations, residual, err);
        if (status)
            return status;
        if (*residual <= goal)
            break;
        system->multiply(system->arg, x, f->v);
        for (size_t i = 0; i < f->n; i++)
            f->v[i] = b[i] - f->v[i];
        *residual = heat_fgmres_norm(f->comm, f->v, f->n);
    }
    return PORTOLAN_OK;
}
