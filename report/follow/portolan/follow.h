/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * follow: what happens in a store while a run writes it, as events for the report's page. One
 * thread. Nothing here prints or exits.
 */
#ifndef PORTOLAN_FOLLOW_H
#define PORTOLAN_FOLLOW_H

#include <portolan/store.h>

/** What was seen so far. Start it with `send`, PORTOLAN_FOLLOWER_BEGINS. */
struct portolan_follower {
    /** Gets an event, "trial", "step" or "swap", and its object of JSON, borrowed. */
    void (*send)(void *arg, const char *event, const char *json);
    void *arg;
    bool has_looked;  /**< false: existing trials are not reported */
    int64_t trial;    /**< the newest; 0: none … */
    char started[40]; /**< … at this time: another store may have the same number */
    bool is_running;
    int step, decision; /**< the last ones that were reported */
    bool is_stale;      /**< something happened that a page made before does not have … */
    bool has_turned;    /**< … also that a trial began or ended; the caller resets both */
};
#define PORTOLAN_FOLLOWER_BEGINS .step = -1, .is_stale = true

/**
 * Looks for new trials, steps and swaps in the store at PATH, and sends them. What cannot be read
 * now is read the next time, since a run does not wait for readers.
 */
void portolan_follow(struct portolan_follower *f, const char *path);

/** A stored STEP: NS is the time of rank 0's calls in it, from its N samples, which are borrowed.
 */
typedef void (*portolan_step_fn)(void *arg, int step, double ns,
                                 const struct portolan_sample *samples, size_t n);

/**
 * Gives the steps FIRST to LAST of TRIAL to VISIT, in their order; *N is the number of samples that
 * were read. Errors: those of the store, ENOMEM.
 */
enum portolan_status portolan_visit_steps(struct portolan_store *store, int64_t trial, int first,
                                          int last, portolan_step_fn visit, void *arg, size_t *n,
                                          struct portolan_error *err);

#endif
