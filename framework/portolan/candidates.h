/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * framework: a choice among objects of C that do the same, in a program without components.
 * `portolan proxygen HEADER --port STRUCT` makes STRUCTProxy_choose(), which opens one; the program
 * calls the object that it returns, and portolan_choice_step() after each of its time steps. Calls
 * are measured, stored in NAME.db and modelled, and the candidate that serves them is exchanged
 * when another one is faster (docs/tutorial.md).
 *
 * A choice is used by one thread at a time; the object may be called by several, but not during
 * portolan_choice_step(). With several processes all do the same steps.
 */
#ifndef PORTOLAN_CANDIDATES_H
#define PORTOLAN_CANDIDATES_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_choice;
struct portolan_cohort;
struct portolan_component;

struct portolan_candidate {
    const char *name;   /**< letters, digits, '_' and '-': as shown in reports */
    const void *object; /**< borrowed until portolan_choice_close() */
};

/**
 * For generated code: PROXY is the descriptor of the class that measures calls of port TYPE.
 * Returns the object to call instead of a candidate, valid until portolan_choice_close(); at first
 * it leads to the first candidate. NAME is that of the choice in reports, and of its store. COHORT
 * is that of all ranks and outlives the choice; NULL: one process. NULL with ERR set: EINVAL
 * without candidates, ESYNTAX for names, EEXISTS for two with one name, and the errors of framework
 * and store; then the program may call a candidate itself.
 */
PORTOLAN_API void *portolan_choice_open(const struct portolan_component *proxy, const char *type,
                                        const char *name,
                                        const struct portolan_candidate *candidates, size_t n,
                                        struct portolan_cohort *cohort,
                                        struct portolan_choice **choice,
                                        struct portolan_error *err);

/**
 * Ends a time step: stores its measurements, and may exchange the present object. Collective.
 * Errors: as the SwapPoint's.
 */
PORTOLAN_API enum portolan_status portolan_choice_step(struct portolan_choice *c,
                                                       struct portolan_error *err);

/** States the value of this context from the next step on. Optional: the choice can look ahead. */
PORTOLAN_API enum portolan_status portolan_choice_announce(struct portolan_choice *c,
                                                           const char *context, double value,
                                                           struct portolan_error *err);

/** The present object, the reason, and the alternatives, as lines of text; the caller frees them.
 * NULL: ERR says why. */
PORTOLAN_API char *portolan_choice_explain(struct portolan_choice *c, struct portolan_error *err);

/** Stores the rest. NULL is legal. */
PORTOLAN_API void portolan_choice_close(struct portolan_choice *c);

#ifdef __cplusplus
}
#endif
#endif
