/* SPDX-License-Identifier: BSD-3-Clause */
/* A run, explained from what the store keeps of its decisions. */
#ifndef PORTOLAN_CLI_EXPLAIN_H
#define PORTOLAN_CLI_EXPLAIN_H

#include <portolan/profile.h>
#include <portolan/store.h>

struct explained {
    const struct portolan_trial *run;
    struct portolan_trial_list list; /* holds the run */
    struct portolan_reason_set *set;
    struct portolan_text *out; /* what all functions below add to */
};

/* The decision at which A was an alternative. */
const struct portolan_reason *explain_find_decision(const struct explained *x,
                                                    const struct portolan_alternative *a);

/* All decisions, a line each, and where the models were wrong. */
void explain_run(struct explained *x);
void explain_decision(struct explained *x, const struct portolan_reason *r);
/* Why A was not chosen, and what would change that. */
void explain_why_not(struct explained *x, const struct portolan_alternative *a);
/* Each step's expected and measured time. */
void explain_steps(struct explained *x);
/* ONLY one decision, or (NULL) all with the steps; NOT_CHOSEN: as for explain_why_not(), or NULL.
 */
void explain_as_json(struct explained *x, const struct portolan_reason *only,
                     const struct portolan_alternative *not_chosen);

#endif
