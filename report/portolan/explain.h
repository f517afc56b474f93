/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * explain: what a run decided and why, from what the store keeps of its decisions, as text and as
 * JSON (portolan-explain(1)). Nothing here prints or reads a store.
 */
#ifndef PORTOLAN_EXPLAIN_H
#define PORTOLAN_EXPLAIN_H

#include <portolan/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A run and what is known of its decisions; all is borrowed. */
struct portolan_explained {
    const struct portolan_trial *run;
    const struct portolan_reason_set *set;
    struct portolan_text *out; /**< what all functions below add to */
};

/** The decision of that number, written as text. NULL: EINVAL (no number), ENOTFOUND. */
const struct portolan_reason *portolan_explain_find(const struct portolan_explained *x,
                                                    const char *number, struct portolan_error *err);

/**
 * The row of the alternative "solver=heat.Umfpack" at the latest decision that did not choose it;
 * if all chose it, at the latest. NULL: ENOTFOUND, with the alternatives that there are.
 */
const struct portolan_alternative *
portolan_explain_find_alternative(const struct portolan_explained *x, const char *text,
                                  struct portolan_error *err);

/** All decisions, a line each, and where the models were wrong. */
void portolan_explain_run(struct portolan_explained *x);
void portolan_explain_decision(struct portolan_explained *x, const struct portolan_reason *r);
/** Why A was not chosen, and what would change that. */
void portolan_explain_why_not(struct portolan_explained *x, const struct portolan_alternative *a);
/** Each step's expected and measured time. */
void portolan_explain_steps(struct portolan_explained *x);
/**
 * NOT_CHOSEN, as for portolan_explain_why_not(), with its decision; or, if that is NULL, ONLY one
 * decision; or, if that is NULL too, all with the steps.
 */
void portolan_explain_write_json(struct portolan_explained *x, const struct portolan_reason *only,
                                 const struct portolan_alternative *not_chosen);

#ifdef __cplusplus
}
#endif
#endif
