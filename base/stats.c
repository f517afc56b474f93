/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/stats.h>

#include <math.h>
#include <stdlib.h>

/* Continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1), f;

    d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
    f = d;
    for (int i = 1; i <= 500; i++) {
        double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
        double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
        double step = 1;

        for (int half = 0; half < 2; half++) {
            double n = half ? odd : even;

            d = 1 + n * d;
            c = 1 + n / c;
            d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
            c = fabs(c) < 1e-300 ? 1e-300 : c;
            step = c * d;
            f *= step;
        }
        if (fabs(step - 1) < 1e-15)
            break;
    }
    return f;
}

static double incomplete_beta(double a, double b, double x)
{
    double front;

    if (x <= 0 || x >= 1)
        return x >= 1;
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* For many degrees of freedom T is normal to more digits than the fraction has. */
double portolan_student_p(double t, double dof)
{
    return dof > 1e6 ? erfc(t / sqrt(2)) : incomplete_beta(dof / 2, 0.5, dof / (dof + t * t));
}

double portolan_fisher_p(double f, double numerator, double denominator)
{
    if (!(f > 0))
        return 1;
    return incomplete_beta(denominator / 2, numerator / 2,
                           denominator / (denominator + numerator * f));
}

static double student_density(double t, double dof)
{
    if (dof > 1e6)
        return exp(-t * t / 2) / sqrt(2 * M_PI);
    return exp(lgamma((dof + 1) / 2) - lgamma(dof / 2) - (dof + 1) / 2 * log1p(t * t / dof)) /
           sqrt(dof * M_PI);
}

double portolan_student_quantile(double confidence, double dof)
{
    double tail = 1 - confidence, t = 0;

    if (dof == 1)
        return tan(M_PI_2 * confidence);
    if (dof == 2)
        return confidence * sqrt(2 / (tail * (1 + confidence)));
    /* The tail is convex: from below, Newton's steps never overshoot. */
    if (isfinite(dof))
        t = portolan_student_quantile(confidence, INFINITY);
    for (int i = 0; i < 200; i++) {
        double step = (portolan_student_p(t, dof) - tail) / (2 * student_density(t, dof));

        if (!(step > 1e-15 * t) || !isfinite(step))
            break;
        t += step;
    }
    return t;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

void portolan_sort_numbers(size_t n, double *numbers)
{
    enum { FEW = 64 };

    if (n > FEW) {
        qsort(numbers, n, sizeof *numbers, compare_numbers);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        double number = numbers[i];
        size_t at = i;

        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

double portolan_median_of_sorted(size_t n, const double *sorted)
{
    return n ? sorted[(n - 1) / 2] / 2 + sorted[n / 2] / 2 : NAN;
}

double portolan_sort_to_median(size_t n, double *numbers)
{
    portolan_sort_numbers(n, numbers);
    return portolan_median_of_sorted(n, numbers);
}

static double uniform_of(uint64_t key)
{
    return ((double)(key >> 11) + 0.5) * 0x1p-53;
}

double portolan_draw_uniform(uint64_t draw, uint64_t what)
{
    return uniform_of(portolan_mix(portolan_mix(what) ^ draw));
}

double portolan_draw_normal(uint64_t draw, uint64_t what)
{
    uint64_t key = portolan_mix(portolan_mix(what) ^ draw);

    return sqrt(-2 * log(uniform_of(key))) * cos(2 * M_PI * uniform_of(portolan_mix(key)));
}
