/* SPDX-License-Identifier: BSD-3-Clause */
/** Private to the optimizer: the times of one alternative's steps, and what is usual of them. */
#ifndef PORTOLAN_OPTIMIZER_RECORD_H
#define PORTOLAN_OPTIMIZER_RECORD_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { RECORD_MOST = 64 };

/* All zero: nothing was seen. */
struct record {
    double ns[RECORD_MOST]; /* a ring: of the last steps */
    int step[RECORD_MOST];
    size_t n;        /* steps so far */
    double usual_ns; /* the median of those kept, which a single spike does not change */
    double noise;    /* their spread, as a share; with few steps mostly a guess */
    double first_ns; /* of the shortest first step after a swap; 0: none */
    int period;      /* a long step comes every so many; 0: none does */
    double extra_ns; /* … and adds this to each step on the average */
};

void record_add(struct record *r, int step, double ns);
void record_add_first(struct record *r, double ns);
/* Adds NS to all times. */
void record_shift(struct record *r, double ns);
static inline size_t record_size(const struct record *r)
{
    return r->n < RECORD_MOST ? r->n : RECORD_MOST;
}
/* The time of step number BACK before the last, which is 0. */
static inline double record_ns(const struct record *r, size_t back)
{
    return r->ns[(r->n - 1 - back) % RECORD_MOST];
}

/* The usual time with long steps at their rate; NaN: nothing was seen. */
static inline double record_mean(const struct record *r)
{
    return r->n ? r->usual_ns + r->extra_ns : NAN;
}
/* Half the width of an interval for the usual time, as a share of it. */
double record_width(const struct record *r, double noise);
/* Finds the period, if there is one now. Returns whether it was not known before. */
bool record_find_period(struct record *r);
/* What long steps add to each on the average, over the last whole periods of LENGTH steps. */
double record_extra(const struct record *r, int length);
/* +1 or -1: the last steps are longer or shorter than usual, not by chance; 0: they are as usual.
 * *N: how many of them. */
int record_drift(const struct record *r, size_t *n);
/* Forgets all but the last N steps, and the period. */
void record_keep(struct record *r, size_t n);

#endif
