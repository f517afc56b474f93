/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_problem.h"

#include <math.h>

double heat_conductivity(const struct heat_input *in, double u)
{
    return in->k0 * (1.0 + u * (in->k1 + u * in->k2));
}

static double slope(const struct heat_input *in, double u)
{
    return in->k0 * (in->k1 + 2.0 * in->k2 * u);
}

/* The manufactured solution is u = 1 + x/4 + a(t) S with a = exp(-t)/2, S = product of sin(pi x).
 */
static double shape(const struct heat_input *in, const double point[3])
{
    double s = 1.0;

    for (int d = 0; d < in->dimension; d++)
        s *= sin(M_PI * point[d]);
    return s;
}

static double manufactured(const struct heat_input *in, double time, const double point[3])
{
    return 1.0 + 0.25 * point[0] + 0.5 * exp(-time) * shape(in, point);
}

/* f = u_t − k(u) Δu − k'(u) |∇u|² */
static double manufactured_source(const struct heat_input *in, double time, const double point[3])
{
    double a = 0.5 * exp(-time), s[3], c[3], product = 1.0, square = 0.0;
    double u;

    for (int d = 0; d < in->dimension; d++) {
        s[d] = sin(M_PI * point[d]);
        c[d] = cos(M_PI * point[d]);
        product *= s[d];
    }
    for (int d = 0; d < in->dimension; d++) {
        double gradient = a * M_PI * c[d];

        for (int other = 0; other < in->dimension; other++)
            if (other != d)
                gradient *= s[other];
        gradient += d == 0 ? 0.25 : 0.0;
        square += gradient * gradient;
    }
    u = 1.0 + 0.25 * point[0] + a * product;
    return -a * product + heat_conductivity(in, u) * in->dimension * M_PI * M_PI * a * product -
           slope(in, u) * square;
}

/* exp(-(distance / width)²) around a centre. */
static double bump(const struct heat_input *in, const double centre[3], double width,
                   const double point[3])
{
    double r2 = 0.0;

    for (int d = 0; d < in->dimension; d++)
        r2 += (point[d] - centre[d]) * (point[d] - centre[d]);
    return exp(-r2 / (width * width));
}

double heat_value(const struct heat_input *in, double time, const double point[3])
{
    static const double centre[3] = {0.5, 0.5, 0.5};

    switch (in->solution) {
    case HEAT_MANUFACTURED:
        return manufactured(in, time, point);
    case HEAT_PULSE: /* at time 0; 2e-7 of the peak is left at the boundary, which stays as it is */
        return bump(in, centre, 0.13, point);
    case HEAT_TORCH:
        break;
    }
    return 0.0;
}

double heat_source(const struct heat_input *in, double time, const double point[3])
{
    double centre[3] = {0.5 + 0.25 * cos(2.0 * M_PI * time), 0.5 + 0.25 * sin(2.0 * M_PI * time),
                        0.5};

    if (in->solution == HEAT_MANUFACTURED)
        return manufactured_source(in, time, point);
    return in->solution == HEAT_TORCH ? 100.0 * bump(in, centre, 0.1, point) : 0.0;
}
