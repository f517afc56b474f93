/* SPDX-License-Identifier: BSD-3-Clause */
/* From values of metrics to what they mean: the tree of a paradigm, walked by rules. */
#ifndef HERCULE_INFER_H
#define HERCULE_INFER_H

#include "internal.h"

/* A metric as rules see it. */
struct judged {
    struct measured measured;
    double share, of_run; /* of its base and of the run; NaN when there is none */
    double of_run_spread;
};

/* What is concluded of a node. */
struct conclusion {
    bool is_reached, holds;
    const char *rule;        /* that said so: "threshold", or the author's */
    const char *why;         /* it cannot be told; NULL: it can */
    enum experiment request; /* wanted to judge it; N_EXPERIMENTS: none */
    double threshold;
    double most; /* share of the run that its metric is not above; NaN: not known yet */
    enum { CONDITION_NO, CONDITION_YES, CONDITION_UNKNOWN } condition;
};

/* CONCLUSIONS[i] of node i, whose threshold and condition are set. Texts lie in ARENA. STRATEGY of
   CLIPS: 0 for users. PORTOLAN_EINVAL names a rule that failed. */
enum portolan_status paradigm_infer(const struct paradigm *paradigm, const struct judged *metrics,
                                    struct conclusion *conclusions, int strategy,
                                    struct portolan_arena *arena, struct portolan_error *err);

#endif
