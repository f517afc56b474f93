/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * base: distributions, order and repeatable random numbers. No function fails, allocates or keeps
 * state; any thread may call them.
 */
#ifndef PORTOLAN_STATS_H
#define PORTOLAN_STATS_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** P(|T| >= |t|) for Student's t with DOF degrees of freedom; normal if DOF is infinite. */
PORTOLAN_API double portolan_student_p(double t, double dof);

/** Student's t: a share CONFIDENCE of the distribution with DOF degrees lies within +- this. */
PORTOLAN_API double portolan_student_quantile(double confidence, double dof);

/** P(F > f) of Fisher's distribution with these degrees of freedom. */
double portolan_fisher_p(double f, double numerator, double denominator);

/** Sorts N numbers, none of them NaN, in ascending order. */
void portolan_sort_numbers(size_t n, double *numbers);

/** The median of N sorted numbers; NaN when N is 0. */
double portolan_median_of_sorted(size_t n, const double *sorted);

/** The median of N numbers, none of them NaN, which it sorts; NaN when N is 0. */
double portolan_sort_to_median(size_t n, double *numbers);

/**
 * Random numbers that depend on their arguments alone, and so are the same on every machine and
 * rank: number DRAW of the sequence WHAT, between 0 and 1, or normal with mean 0 and variance 1.
 * From SplitMix64 (Steele, Lea, Flood 2014) and by Box and Muller.
 */
PORTOLAN_API double portolan_draw_uniform(uint64_t draw, uint64_t what);
PORTOLAN_API double portolan_draw_normal(uint64_t draw, uint64_t what);
/** The finaliser of SplitMix64: numbers that are close become unrelated. */
static inline uint64_t portolan_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#ifdef __cplusplus
}
#endif
#endif
