/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BiCGSTAB, preconditioned by an incomplete LU without fill: quick where the diagonal dominates,
 * of no use on some others. It returns what it has when it does not get closer.
 */
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int iterations_max = 300;
static const double tolerance = 1e-11; /* of the residual, as a part of b */

/* The columns of A are the rows of Aᵀ, which is factored: Aᵀ ~ L U, so A ~ Uᵀ Lᵀ. */
struct incomplete {
    const struct solvers_matrix *a;
    double *value; /* L below the diagonal, U on it and above, in A's places */
    int *diagonal; /* where each row has its own; -1: it has none, and 1 is taken */
    int *place;    /* where a row has each column, -1 where it has not */
};

/* A pivot of 0 becomes 1: the row is as good as empty. */
static double pivot(const struct incomplete *p, int i)
{
    double d = p->diagonal[i] < 0 ? 0 : p->value[p->diagonal[i]];

    return d != 0 ? d : 1;
}

static void eliminate_row(struct incomplete *p, int i)
{
    const struct solvers_matrix *a = p->a;

    p->diagonal[i] = -1;
    for (int k = a->start[i]; k < a->start[i + 1]; k++) {
        p->place[a->row[k]] = k;
        if (a->row[k] == i)
            p->diagonal[i] = k;
    }
    for (int k = a->start[i]; k < a->start[i + 1] && a->row[k] < i; k++) {
        int j = a->row[k];
        double factor = p->value[k] /= pivot(p, j);

        for (int l = a->start[j + 1] - 1; l >= a->start[j] && a->row[l] > j; l--)
            if (p->place[a->row[l]] >= 0)
                p->value[p->place[a->row[l]]] -= factor * p->value[l];
    }
    for (int k = a->start[i]; k < a->start[i + 1]; k++)
        p->place[a->row[k]] = -1;
}

static bool factor(struct incomplete *p, const struct solvers_matrix *a)
{
    size_t n = (size_t)a->n;

    p->a = a;
    p->value = portolan_calloc((size_t)a->nnz + 1, sizeof *p->value);
    p->diagonal = portolan_calloc(n, sizeof *p->diagonal);
    p->place = portolan_calloc(n, sizeof *p->place);
    if (!p->value || !p->diagonal || !p->place)
        return false;
    memcpy(p->value, a->value, (size_t)a->nnz * sizeof *p->value);
    memset(p->place, -1, n * sizeof *p->place);
    for (int i = 0; i < a->n; i++)
        eliminate_row(p, i);
    return true;
}

/* z = (Uᵀ Lᵀ)⁻¹ r. */
static void apply(const struct incomplete *p, const double *r, double *z)
{
    const struct solvers_matrix *a = p->a;

    memcpy(z, r, (size_t)a->n * sizeof *z);
    for (int i = 0; i < a->n; i++) {
        z[i] /= pivot(p, i);
        for (int k = a->start[i + 1] - 1; k >= a->start[i] && a->row[k] > i; k--)
            z[a->row[k]] -= p->value[k] * z[i];
    }
    for (int i = a->n - 1; i >= 0; i--)
        for (int k = a->start[i]; k < a->start[i + 1] && a->row[k] < i; k++)
            z[a->row[k]] -= p->value[k] * z[i];
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* As van der Vorst wrote it (1992), with the preconditioner on the right. WORK holds 8 n values. */
static void iterate(const struct incomplete *m, const double *b, double *x, double *work)
{
    const int n = m->a->n;
    double *r = work, *shadow = r + n, *p = shadow + n, *v = p + n, *s = v + n, *t = s + n,
           *y = t + n, *z = y + n;
    double rho = 1, alpha = 1, omega = 1, wanted = tolerance * sqrt(dot(b, b, n));

    memcpy(r, b, (size_t)n * sizeof *r);
    memcpy(shadow, b, (size_t)n * sizeof *shadow);
    for (int step = 0; step < iterations_max && sqrt(dot(r, r, n)) > wanted; step++) {
        double last = rho, beta;

        rho = dot(shadow, r, n);
        beta = rho / last * (alpha / omega);
        if (!isnormal(rho) || !isfinite(beta))
            return;
        for (int i = 0; i < n; i++)
            p[i] = r[i] + beta * (p[i] - omega * v[i]);
        apply(m, p, y);
        solvers_matrix_multiply(m->a, y, v);
        alpha = rho / dot(shadow, v, n);
        for (int i = 0; i < n; i++)
            s[i] = r[i] - alpha * v[i];
        apply(m, s, z);
        solvers_matrix_multiply(m->a, z, t);
        omega = dot(t, t, n) > 0 ? dot(t, s, n) / dot(t, t, n) : 0;
        if (!isfinite(alpha) || !isfinite(omega))
            return;
        for (int i = 0; i < n; i++) {
            x[i] += alpha * y[i] + omega * z[i];
            r[i] = s[i] - omega * t[i];
        }
    }
}

static enum portolan_status solve(const struct solvers_matrix *a, const double *b, double *x,
                                  struct portolan_error *err)
{
    struct incomplete m = {0};
    double *work = portolan_calloc(8 * (size_t)a->n, sizeof *work);
    bool enough = factor(&m, a) && work;

    if (enough)
        iterate(&m, b, x, work);
    free(work);
    free(m.value);
    free(m.diagonal);
    free(m.place);
    return enough ? PORTOLAN_OK
                  : portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for %d rows", a->n);
}

SOLVERS_COMPONENT(Bicgstab, solve);
