/* SPDX-License-Identifier: BSD-3-Clause */
/** The places where combinations of implementations ran on a call path. */
#ifndef PORTOLAN_OPTIMIZER_EVIDENCE_H
#define PORTOLAN_OPTIMIZER_EVIDENCE_H

#include "plan_internal.h"

enum { MOST_COORDINATES = PORTOLAN_CONTEXT_MAX + MAX_INPUTS };

/* The rules that admit a place, or may. */
struct rules {
    bool alike, bracket, neighbour;
};

/* One place with one combination of implementations. */
struct evidence {
    size_t key; /* the scope's tuple, with the calling instance as written */
    size_t point;
    double at[MOST_COORDINATES];
    bool failed;
    double stopped_s; /* failed, because it takes longer than this; 0: for another reason */
    double accuracy;  /* the worst; NaN: none was reported */
    double wanted;    /* accuracy wanted of this component; 0: any */
    double nearby; /* scaled distance to the combination's second nearest place; INFINITY: there is
                      none */
    struct rules misled; /* rules that would admit this place although it is bad */
    long long trial;
};

struct plan_evidence {
    size_t n, n_context, n_coordinates; /* contexts come first, then swept parameters */
    struct evidence *all;               /* sorted by key */
    bool is_kind[MOST_COORDINATES];     /* few different integers, each at many places */
    double scale[MOST_COORDINATES];     /* standard deviations, in factors of two */
};

static inline bool evidence_is_bad(const struct evidence *e)
{
    return e->failed || (e->wanted > 0 && e->accuracy > e->wanted);
}

/* Puts contexts (NULL: not known), then numeric swept parameters, and returns their number. */
size_t evidence_place(const struct portolan_plan *p, size_t path, const double *context,
                      const double *dims, double *at);

/* *OUT is the plan's, with kinds and scales; NULL if nothing can be excluded. */
enum portolan_status evidence_gather(struct portolan_plan *p, size_t path,
                                     struct plan_evidence **out);

#endif
