/* SPDX-License-Identifier: BSD-3-Clause */
/** The confidence in a choice, from costs drawn within their errors. */
#ifndef PORTOLAN_OPTIMIZER_CONFIDENCE_H
#define PORTOLAN_OPTIMIZER_CONFIDENCE_H

#include "view.h"

/* confidence.c: the confidence in VALUES, the choice of least predicted cost. VALUES and arrays of
 * OUT are by core variable. */
struct plan_confidence {
    size_t *values,
        *rival; /* VALUES lose least on average; RIVAL, of all others, is best most often */
    bool has_rival;
    double base_chance;        /* that the VALUES which were given are the best */
    double **shares;           /* [variable][value]: the chance that it belongs to the best */
    double chance;             /* that VALUES are the best */
    double expected_loss;      /* mean loss of VALUES relative to the best */
    bool is_risky;             /* it loses much too often */
    struct portolan_gain gain; /* time that VALUES save compared with the assembly as written */
};
enum portolan_status plan_be_confident(const struct plan_view *v, const size_t *values,
                                       struct portolan_arena *pool, struct plan_confidence *out);

/* The chance that the selection MINE plus HANDICAP_NS costs less than OTHER; both are allowed. */
double plan_chance(const struct plan_view *v, const size_t *mine, const size_t *other,
                   double handicap_ns);

#endif
