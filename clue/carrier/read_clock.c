/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the clock that programs see. */
#include "internal.h"

#include <sched.h>

bool clue_is_virtual(void)
{
    return clue_carrier.current != NULL;
}

/* Returns the date if computing is measured, else always 2000-01-01, the paper's year, so that
 * programs that seed by it repeat. */
int64_t clue_epoch_ns(void)
{
    enum { FIXED_EPOCH = 946684800, SECOND = 1000000000 };
    static int64_t epoch;
    struct timespec real = {.tv_sec = FIXED_EPOCH};

    if (!epoch) {
        if (clue_carrier.run->compute == CLUE_COMPUTE_MEASURED)
            clue_real_clock(CLOCK_REALTIME, &real);
        epoch = real.tv_sec * (int64_t)SECOND + real.tv_nsec;
    }
    return epoch;
}

/* Ends a run in which computing takes no time and the program waits for a clock. */
int64_t clue_read_clock(void)
{
    enum { MOST_READINGS = 500000 };
    static int64_t last;
    static int n;
    int64_t now = clue_now();

    turn_let_write(&clue_carrier);
    clue_burst_clock(&clue_carrier);
    clue_carrier.n_polls = 0;
    n = now == last ? n + 1 : 0;
    last = now;
    if (n > MOST_READINGS)
        clue_fail("the program waits for a clock that does not move: no time passes between its "
                  "calls; let computing take time (--compute measured)");
    return now;
}

/* Lets a rank that waits for others' writes yield, at the cost of a short system call. */
PORTOLAN_API int sched_yield(void)
{
    static const struct clue_routine routine = {"sched_yield", CLUE_NO_NUMBER};
    enum { YIELD_NS = 100 };

    if (!clue_carrier.current || !clue_carrier.current->is_written)
        return REAL(sched_yield)();
    clue_call_begin(&routine, __builtin_return_address(0));
    clue_sleep(YIELD_NS);
    clue_call_end();
    return 0;
}
