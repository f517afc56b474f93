/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: what the causes that are planted in scenarios share. */
#ifndef TEST_PLANTING_H
#define TEST_PLANTING_H

#include <portolan/base.h>

#include <math.h>
#include <stdio.h>

enum { MS = 1000 * 1000 };

/* The value between LOW and HIGH at which F, which rises, is WANTED; NaN: none. */
static double solve(double (*f)(const double *fixed, double x), const double *fixed, double wanted,
                    double low, double high)
{
    if (f(fixed, high) < wanted)
        return NAN;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (f(fixed, middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    return floor(low); /* ns */
}

#endif
