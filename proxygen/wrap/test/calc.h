/* SPDX-License-Identifier: BSD-3-Clause */
/* A small library of which there are several. */
#ifndef CALC_H
#define CALC_H

/* The sum of n numbers. */
double calc_sum(int n, const double *x);
/* Calls f(arg). */
void calc_apply(void (*f)(void *), void *arg);
/* Which library this is. */
const char *calc_name(void);
/* Sleeps until a byte can be read from the descriptor. */
int calc_wait(int descriptor);

#endif
