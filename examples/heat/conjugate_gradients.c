/* SPDX-License-Identifier: BSD-3-Clause */
/* Preconditioned conjugate gradients; multiplies in the layout it is given, bands excepted. */
#include "heat_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cg {
    struct heat_solver solver;
    struct heat_preconditioner *preconditioner; /* borrowed, may be NULL */
    double tolerance;
    int max_iterations, iterations;
    struct heat_matrix a; /* CSC or STENCIL */
    double *vectors;      /* r, z, p, q one behind the other */
    size_t capacity;
    bool ready;
};

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;

#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static enum portolan_status cg_setup(struct heat_solver *s, const struct heat_matrix *a,
                                     struct portolan_error *err)
{
    struct cg *c = (struct cg *)s;
    enum portolan_status status = heat_matrix_to_sparse(a, &c->a, err);

    c->ready = false;
    if (!status)
        status = heat_matrix_check_finite(&c->a, err);
    if (!status)
        status = heat_vector_reserve(&c->vectors, &c->capacity, 4 * (size_t)a->order, err);
    if (!status && c->preconditioner)
        status = c->preconditioner->ops->setup(c->preconditioner, a, err);
    c->ready = !status;
    return status;
}

static enum portolan_status precondition(struct cg *c, const double *r, double *z,
                                         struct portolan_error *err)
{
    if (c->preconditioner)
        return c->preconditioner->ops->apply(c->preconditioner, r, z, err);
    memcpy(z, r, (size_t)c->a.order * sizeof *z);
    return PORTOLAN_OK;
}

static enum portolan_status not_positive(double value, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EINVAL,
                              "the matrix or its preconditioner is not positive definite: "
                              "conjugate gradients met p'Ap or r'z = %g",
                              value);
}

/* The iteration proper. GOAL is the norm of the residual to reach; *RR that reached. */
static enum portolan_status iterate(struct cg *c, double *x, double goal, double *rr,
                                    struct portolan_error *err)
{
    int n = c->a.order;
    double *r = c->vectors, *z = r + n, *p = z + n, *q = p + n, rz, rz_new, pq;
    enum portolan_status status = precondition(c, r, z, err);

    if (status)
        return status;
    memcpy(p, z, (size_t)n * sizeof *p);
    rz = dot(r, z, n);
    while (!(*rr <= goal)) {
        double alpha, sum = 0.0;

        if (c->iterations == c->max_iterations || !isfinite(*rr))
            return portolan_error_set(err, isfinite(*rr) ? PORTOLAN_ETIMEOUT : PORTOLAN_EINVAL,
                                      "conjugate gradients stopped at a residual of %.3g, wanted "
                                      "%.3g, after %d iterations",
                                      *rr, goal, c->iterations);
        heat_matrix_multiply(&c->a, p, q);
        pq = dot(p, q, n);
        if (!(pq > 0.0))
            return not_positive(pq, err);
        alpha = rz / pq;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            sum += r[i] * r[i];
        }
        *rr = sqrt(sum);
        c->iterations++;
        if (*rr <= goal)
            break;
        status = precondition(c, r, z, err);
        if (status)
            return status;
        rz_new = dot(r, z, n);
        if (!(rz_new > 0.0))
            return not_positive(rz_new, err);
        for (int i = 0; i < n; i++)
            p[i] = z[i] + rz_new / rz * p[i];
        rz = rz_new;
    }
    return PORTOLAN_OK;
}

static enum portolan_status cg_solve(struct heat_solver *s, const double *b, double *x,
                                     double *relative_residual, struct portolan_error *err)
{
    struct cg *c = (struct cg *)s;
    int n = c->a.order;
    double *r = c->vectors, size, residual;
    enum portolan_status status;

    if (!c->ready)
        return portolan_error_set(err, PORTOLAN_EINVAL, "solve was called before setup");
    c->iterations = 0;
    heat_matrix_multiply(&c->a, x, r);
    for (int i = 0; i < n; i++)
        r[i] = b[i] - r[i];
    size = sqrt(dot(b, b, n));
    residual = sqrt(dot(r, r, n));
    if (residual > c->tolerance * size || !isfinite(residual)) {
        status = iterate(c, x, c->tolerance * size, &residual, err);
        if (status)
            return status;
    }
    return heat_solver_judge(&c->a, b, x, r, relative_residual, err);
}

static void cg_destroy(struct heat_solver *s)
{
    struct cg *c = (struct cg *)s;

    heat_matrix_clear(&c->a);
    free(c->vectors);
    free(c);
}

static const struct heat_solver_ops cg_ops = {
    .size = sizeof cg_ops, .setup = cg_setup, .solve = cg_solve, .destroy = cg_destroy};

enum portolan_status heat_cg_create(struct heat_preconditioner *p, double tolerance,
                                    int max_iterations, struct heat_solver **s,
                                    struct portolan_error *err)
{
    struct cg *c;

    if (!(tolerance > 0.0 && tolerance < 1.0) || max_iterations < 1)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "tolerance %g and maxIterations %d: wanted 0 < tolerance < 1 and "
                                  "at least 1 iteration",
                                  tolerance, max_iterations);
    c = portolan_calloc(1, sizeof *c);
    if (!c)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for conjugate gradients");
    c->solver.ops = &cg_ops;
    c->preconditioner = p;
    c->tolerance = tolerance;
    c->max_iterations = max_iterations;
    *s = &c->solver;
    return PORTOLAN_OK;
}

int heat_cg_iterations(const struct heat_solver *s)
{
    return ((const struct cg *)s)->iterations;
}
