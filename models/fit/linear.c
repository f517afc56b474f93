/* SPDX-License-Identifier: BSD-3-Clause */
#include "models_internal.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double linear_dot(size_t m, const double *a, const double *b)
{
    double sum = 0;

    for (size_t i = 0; i < m; i++)
        sum += a[i] * b[i];
    return sum;
}

void linear_subtract(size_t m, double f, const double *a, double *b)
{
    for (size_t i = 0; i < m; i++)
        b[i] -= f * a[i];
}

/* Lengths of the rows of R^-1: standard deviations of the coefficients. */
static void deviations(size_t k, double r[][MODEL_ESTIMATES], struct linear_scatter *scatter)
{
    double inverse[MODEL_ESTIMATES][MODEL_ESTIMATES];

    for (size_t i = k; i-- > 0;) {
        double squares = 0;

        for (size_t j = i; j < k; j++) {
            double sum = i == j;

            for (size_t l = i + 1; l <= j; l++)
                sum -= r[i][l] * inverse[l][j];
            inverse[i][j] = sum / r[i][i];
            squares += inverse[i][j] * inverse[i][j];
        }
        scatter->diagonal[i] = r[i][i];
        scatter->deviation[i] = sqrt(squares);
    }
}

bool linear_quick(size_t m, size_t k, double *a, double *b, double *coefficients, double *leverage,
                  struct linear_scatter *scatter)
{
    double r[MODEL_ESTIMATES][MODEL_ESTIMATES], z[MODEL_ESTIMATES];

    if (k > m || k > MODEL_ESTIMATES)
        return false;
    for (size_t j = 0; j < k; j++) {
        double *column = a + j * m, before = linear_dot(m, column, column), left, scale;

        for (size_t i = 0; i < j; i++) {
            r[i][j] = linear_dot(m, a + i * m, column);
            linear_subtract(m, r[i][j], a + i * m, column);
        }
        left = j ? linear_dot(m, column, column) : before;
        if (!(left > 1e-20 * before) || !isfinite(left))
            return false;
        r[j][j] = sqrt(left);
        scale = 1 / r[j][j];
        for (size_t i = 0; i < m; i++)
            column[i] *= scale;
        z[j] = linear_dot(m, column, b);
        linear_subtract(m, z[j], column, b);
    }
    for (size_t j = k; j-- > 0;) {
        coefficients[j] = z[j];
        for (size_t i = j + 1; i < k; i++)
            coefficients[j] -= r[j][i] * coefficients[i];
        coefficients[j] /= r[j][j];
    }
    if (scatter)
        deviations(k, r, scatter);
    for (size_t i = 0; leverage && i < m; i++) {
        leverage[i] = 0;
        for (size_t j = 0; j < k; j++)
            leverage[i] += a[j * m + i] * a[j * m + i];
    }
    return true;
}

double linear_normal(size_t k, double a[LINEAR_NORMAL][LINEAR_NORMAL], const double *b,
                     bool nonnegative, double *determinant)
{
    double z[LINEAR_NORMAL], c[LINEAR_NORMAL], inverse[LINEAR_NORMAL], sum = 0, product = 1;

    for (size_t j = 0; j < k; j++) {
        double left = a[j][j];

        z[j] = b[j];
        for (size_t i = 0; i < j; i++) {
            double share = a[i][j] * inverse[i];

            left -= share * a[i][j];
            z[j] -= share * z[i];
            for (size_t l = j + 1; l < k; l++)
                a[j][l] -= share * a[i][l];
        }
        if (!(left > 1e-13 * a[j][j]))
            return -1;
        inverse[j] = 1 / left;
        sum += z[j] * z[j] * inverse[j];
        product *= left;
    }
    *determinant = sqrt(product);
    for (size_t j = k; j-- > 0;) {
        c[j] = z[j];
        for (size_t i = j + 1; i < k; i++)
            c[j] -= a[j][i] * c[i];
        c[j] *= inverse[j];
        if (nonnegative && !(c[j] > 0))
            return -1;
    }
    return sum;
}

/* Least squares on the columns of the passive set; the others get 0. */
static bool solve_passive(size_t m, size_t k, const double *a, const double *b, const bool *passive,
                          double *work, double *residual, double *s)
{
    double z[MODEL_ESTIMATES];
    size_t n = 0;

    for (size_t j = 0; j < k; j++)
        if (passive[j])
            memcpy(work + n++ * m, a + j * m, m * sizeof *a);
    memcpy(residual, b, m * sizeof *b);
    if (!linear_quick(m, n, work, residual, z, NULL, NULL))
        return false;
    n = 0;
    for (size_t j = 0; j < k; j++)
        s[j] = passive[j] ? z[n++] : 0;
    return true;
}

/* Takes the largest step from C towards S that keeps C non-negative; the column that stops it
 * leaves the passive set. */
static void step_inside(size_t k, double *c, const double *s, bool *passive)
{
    double alpha = 1;
    size_t stop = k;

    for (size_t j = 0; j < k; j++)
        if (passive[j] && s[j] <= 0 && (stop == k || c[j] / (c[j] - s[j]) < alpha)) {
            alpha = c[j] > 0 ? c[j] / (c[j] - s[j]) : 0;
            stop = j;
        }
    for (size_t j = 0; j < k; j++) {
        c[j] += alpha * (s[j] - c[j]);
        if (passive[j] && (j == stop || c[j] <= 0)) {
            passive[j] = false;
            c[j] = 0;
        }
    }
}

static bool all_positive(size_t k, const bool *passive, const double *s)
{
    for (size_t j = 0; j < k; j++)
        if (passive[j] && s[j] <= 0)
            return false;
    return true;
}

/* The column outside the passive set with the largest gradient relative to its length; k: none. */
static size_t most_wanted(size_t m, size_t k, const double *a, const double *b,
                          const double *residual, const bool *passive, const bool *barred)
{
    double best = 1e-12 * sqrt(linear_dot(m, b, b));
    size_t wanted = k;

    for (size_t j = 0; j < k; j++) {
        double length = sqrt(linear_dot(m, a + j * m, a + j * m));
        double gradient = length > 0 ? linear_dot(m, a + j * m, residual) / length : 0;

        if (!passive[j] && !barred[j] && gradient > best) {
            best = gradient;
            wanted = j;
        }
    }
    return wanted;
}

/* Moves C to the best constants of the passive set, without those that would be negative. */
static bool settle_passive(size_t m, size_t k, const double *a, const double *b, bool *passive,
                           double *work, double *c)
{
    double s[MODEL_ESTIMATES];

    if (!solve_passive(m, k, a, b, passive, work, work + k * m, s))
        return false;
    while (!all_positive(k, passive, s)) {
        step_inside(k, c, s, passive);
        solve_passive(m, k, a, b, passive, work, work + k * m, s);
    }
    memcpy(c, s, k * sizeof *c);
    return true;
}

void linear_nonnegative(size_t m, size_t k, const double *a, const double *b, double *work,
                        double *c)
{
    bool passive[MODEL_ESTIMATES] = {0}, barred[MODEL_ESTIMATES] = {0};
    size_t j;

    for (j = 0; j < k; j++) {
        c[j] = fmax(c[j], 0);
        passive[j] = c[j] > 0;
    }
    if (!settle_passive(m, k, a, b, passive, work, c)) {
        memset(passive, 0, sizeof passive);
        memset(c, 0, k * sizeof *c);
        memcpy(work + k * m, b, m * sizeof *b);
    }
    for (size_t round = 0; round < 3 * k + 10; round++) {
        if ((j = most_wanted(m, k, a, b, work + k * m, passive, barred)) == k)
            break;
        passive[j] = true;
        /* The column depends on the others, or rounding removed it at once: bar it. */
        if (!settle_passive(m, k, a, b, passive, work, c) || c[j] == 0) {
            passive[j] = false;
            barred[j] = true;
            settle_passive(m, k, a, b, passive, work, c);
            continue;
        }
        memset(barred, 0, sizeof barred);
    }
}

/* Work space of linear_full: the factored matrix and the arrays that LAPACK needs with it. */
struct factor {
    size_t m, k, rank;
    double *qr, *b, *tau, *length, *inverse;
    lapack_int *pivot;
};

/* Scales columns to length 1, except zero columns, so that pivots can be compared. */
static void load_columns(struct factor *f, const double *a, const double *b)
{
    for (size_t j = 0; j < f->k; j++) {
        f->length[j] = sqrt(linear_dot(f->m, a + j * f->m, a + j * f->m));
        if (!(f->length[j] > 0))
            f->length[j] = 1;
        for (size_t i = 0; i < f->m; i++)
            f->qr[j * f->m + i] = a[j * f->m + i] / f->length[j];
        f->pivot[j] = 0;
    }
    memcpy(f->b, b, f->m * sizeof *b);
}

static double find_condition(struct factor *f)
{
    double s[MODEL_ESTIMATES], none[1], superb[MODEL_ESTIMATES];
    size_t n = f->m < f->k ? f->m : f->k;

    if (LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'N', (lapack_int)f->m, (lapack_int)f->k, f->qr,
                       (lapack_int)f->m, s, none, 1, none, 1, superb) ||
        f->m < f->k || !(s[n - 1] > 1e-15 * s[0]))
        return INFINITY;
    return s[0] / s[n - 1];
}

static bool factorize(struct factor *f)
{
    lapack_int m = (lapack_int)f->m, k = (lapack_int)f->k;
    size_t n = f->m < f->k ? f->m : f->k;

    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, m, k, f->qr, m, f->pivot, f->tau))
        return false;
    while (f->rank < n && fabs(f->qr[f->rank * f->m + f->rank]) > 1e-11 * fabs(f->qr[0]))
        f->rank++;
    return true;
}

static bool solve_factor(struct factor *f, struct linear_fit *fit)
{
    lapack_int m = (lapack_int)f->m, r = (lapack_int)f->rank;

    if (r && (LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', m, 1, r, f->qr, m, f->tau, f->b, m) ||
              LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'N', 'N', r, 1, f->qr, m, f->b, m)))
        return false;
    for (size_t j = 0; j < f->k; j++) {
        size_t column = (size_t)f->pivot[j] - 1;

        fit->dependent[column] = j >= f->rank;
        fit->coefficients[column] = j < f->rank ? f->b[j] / f->length[column] : 0;
    }
    return true;
}

/* (A'A)^-1 = R^-1 R^-T, put back into the order and lengths of the columns. */
static bool invert_factor(struct factor *f, double *inverse)
{
    lapack_int r = (lapack_int)f->rank;

    for (size_t j = 0; j < f->rank; j++)
        for (size_t i = 0; i < f->rank; i++)
            f->inverse[j * f->rank + i] = i <= j ? f->qr[j * f->m + i] : 0;
    if (r && LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'U', 'N', r, f->inverse, r))
        return false;
    memset(inverse, 0, f->k * f->k * sizeof *inverse);
    for (size_t i = 0; i < f->rank; i++)
        for (size_t j = 0; j < f->rank; j++) {
            size_t row = (size_t)f->pivot[i] - 1, column = (size_t)f->pivot[j] - 1;
            double sum = 0;

            for (size_t l = i > j ? i : j; l < f->rank; l++)
                sum += f->inverse[l * f->rank + i] * f->inverse[l * f->rank + j];
            inverse[column * f->k + row] = sum / (f->length[row] * f->length[column]);
        }
    return true;
}

static bool find_leverages(struct factor *f, double *leverage)
{
    lapack_int m = (lapack_int)f->m, r = (lapack_int)f->rank;

    if (r && LAPACKE_dorgqr(LAPACK_COL_MAJOR, m, r, r, f->qr, m, f->tau))
        return false;
    for (size_t i = 0; i < f->m; i++) {
        leverage[i] = 0;
        for (size_t j = 0; j < f->rank; j++)
            leverage[i] += f->qr[j * f->m + i] * f->qr[j * f->m + i];
    }
    return true;
}

enum { SMALL = 64 };

/* Solves for one or two columns that are far from dependent; false if they are not. */
static bool fit_small(size_t m, size_t k, const double *a, const double *b, struct linear_fit *fit,
                      double *work)
{
    double *rhs = work + 2 * m, cosine = 0;
    struct linear_scatter scatter;

    memcpy(work, a, k * m * sizeof *a);
    memcpy(rhs, b, m * sizeof *b);
    if (!linear_quick(m, k, work, rhs, fit->coefficients, fit->leverage, &scatter))
        return false;
    if (k == 2) {
        double sine = scatter.diagonal[1] / sqrt(linear_dot(m, a + m, a + m));

        if (!(sine > 1e-4))
            return false;
        cosine = sqrt(fmax(0, 1 - sine * sine));
        fit->condition = (1 + cosine) / sine;
    } else {
        fit->condition = 1;
    }
    if (fit->inverse) {
        /* For two columns the inverse of A'A follows from its diagonal and their angle. */
        fit->inverse[0] = scatter.deviation[0] * scatter.deviation[0];
        if (k == 2) {
            fit->inverse[3] = scatter.deviation[1] * scatter.deviation[1];
            fit->inverse[1] = fit->inverse[2] = copysign(cosine, -linear_dot(m, a, a + m)) *
                                                scatter.deviation[0] * scatter.deviation[1];
        }
    }
    memset(fit->dependent, 0, sizeof fit->dependent);
    fit->rank = k;
    return true;
}

enum portolan_status linear_full(size_t m, size_t k, const double *a, const double *b,
                                 struct linear_fit *fit, struct portolan_error *err)
{
    struct factor f = {.m = m, .k = k};
    double work[3 * SMALL];
    bool good;

    if (fit->small && k && k <= 2 && m >= k && m <= SMALL && fit_small(m, k, a, b, fit, work))
        return PORTOLAN_OK;

    f.qr = portolan_calloc(m * k + m + 2 * k + k * k + 1, sizeof *f.qr);
    f.pivot = portolan_calloc(k + 1, sizeof *f.pivot);
    if (!f.qr || !f.pivot) {
        free(f.qr);
        free(f.pivot);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a fit of %zu points", m);
    }
    f.b = f.qr + m * k;
    f.tau = f.b + m;
    f.length = f.tau + k;
    f.inverse = f.length + k;
    load_columns(&f, a, b);
    fit->condition = k ? find_condition(&f) : 1;
    load_columns(&f, a, b);
    good = !k || factorize(&f);
    good = good && solve_factor(&f, fit) && (!fit->inverse || invert_factor(&f, fit->inverse)) &&
           (!fit->leverage || find_leverages(&f, fit->leverage));
    fit->rank = f.rank;
    free(f.qr);
    free(f.pivot);
    return good ? PORTOLAN_OK
                : portolan_error_set(err, PORTOLAN_EINTERNAL, "LAPACK failed to factor a fit");
}
