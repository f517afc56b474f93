/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds to a rank's next burst the kernel's time for pages that its messages touch first. */
#include "burst.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEAST_TOUCHED = 1 << 14 }; /* checking fewer bytes is not worth 0.3 us */

static long page_faults(void)
{
    struct rusage use = {0};

    syscall(SYS_getrusage, RUSAGE_THREAD, &use);
    return use.ru_minflt;
}

/* Returns whether new pages of RANK count: in a real run they are the kernel's work. */
static bool is_touching(const struct rank *rank, uint64_t bytes)
{
    return bytes >= LEAST_TOUCHED && clue_is_measured(clue_carrier.run) && !rank->apart;
}

static void add_touched(struct rank *rank, double pages, double ns)
{
    rank->fronts_ns += llround(pages * ns);
}

void clue_burst_deliver(int task, const struct clue_receive *receive,
                        const struct clue_message *message)
{
    struct rank *rank = clue_carrier.ranks[task];
    bool is_counted = is_touching(rank, message->bytes);
    long before = is_counted ? page_faults() : 0;

    receive->deliver(receive->arg, message);
    if (is_counted)
        add_touched(rank, (double)(page_faults() - before),
                    clue_burst_costs(&clue_carrier)->touch_ns);
}

void clue_touch(void *at, uint64_t bytes)
{
    struct rank *rank = clue_carrier.current;
    volatile char *page = at;
    long before;

    if (!is_touching(rank, bytes))
        return;
    if (!at) {
        add_touched(rank, (double)bytes / (double)PAGE,
                    clue_burst_costs(&clue_carrier)->touch_ns +
                        clue_burst_costs(&clue_carrier)->give_back_ns);
        return;
    }
    before = page_faults();
    for (uint64_t i = 0; i < bytes; i += PAGE)
        page[i] = page[i];
    add_touched(rank, (double)(page_faults() - before), clue_burst_costs(&clue_carrier)->touch_ns);
}
