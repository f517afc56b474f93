/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * probe: how a process ends in the middle of its work, and steps that take too long; whose calls
 * the thread is inside then. Nothing here is on the path of a call.
 */
#ifndef PORTOLAN_ENDING_H
#define PORTOLAN_ENDING_H

#include <portolan/probe.h>

#ifdef __cplusplus
extern "C" {
#endif

/** PORTOLAN_ENDING_SLOW_S: how long a step takes at least, in s, that is usually called slow. */
enum { PORTOLAN_ENDING_CALLS = 16, PORTOLAN_ENDING_SLOW_S = 3 };

struct portolan_ending {
    /** "signal", "exit" or "limit": the process is about to end; "slow": a step takes 100 times as
     * long as the others, and at least a few seconds. */
    const char *how;
    long number; /**< of the signal, status of the exit, or seconds that the step has taken */
    int step;    /**< that runs; -1: none has begun */
    size_t n;    /**< whose calls the thread is inside, or who is set up or gives or takes state
                  * (<portolan/doing.h>), innermost first */
    struct {
        const char *instance, *class_name, *method; /**< "" for no call */
    } inside[PORTOLAN_ENDING_CALLS];
};

/** Must be async-signal-safe. */
typedef void portolan_ending_fn(void *arg, const struct portolan_ending *ending);

/**
 * OBSERVER hears of the end of this process (not of those that it forks): by SEGV, BUS, FPE, ILL or
 * ABRT, whose handlers, or default actions, then do what they would have done (the process may
 * survive that); by exit(3); or by the limit of a step. Any thread; false: there are too many.
 */
PORTOLAN_API bool portolan_ending_observe(portolan_ending_fn *observer, void *arg);
/** ARG's observer hears nothing more. */
PORTOLAN_API void portolan_ending_forget(const void *arg);

/**
 * Begins to watch steps with a timer of the process, unless LEAST_S is 0. After the observers it
 * calls REPORT, if not NULL, once for a step that is "slow" and has taken at least LEAST_S seconds,
 * and once for a step that has taken LIMIT_S ("limit", to end the process); 0: there is no limit.
 * REPORT runs in a signal handler, on the thread that began the first step.
 */
PORTOLAN_API void portolan_ending_watch(portolan_ending_fn *report, void *arg, double least_s,
                                        double limit_s);
/** Returns whether steps are watched already. */
PORTOLAN_API bool portolan_ending_is_watched(void);
/** STEP begins; -1: the steps are over. */
PORTOLAN_API void portolan_ending_step(int step);

#ifdef __cplusplus
}
#endif
#endif
