/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenarios whose waits are known, and random ones. */
#ifndef TRACE_TEST_ANALYSED_H
#define TRACE_TEST_ANALYSED_H

#include <stdio.h>

#include "made_trace.h"

struct analysed {
    struct portolan_trace *trace;
    struct portolan_matching *matching;
    struct portolan_waits *waits;
    struct portolan_costs costs;
};

static inline struct analysed analyse(struct portolan_trace *t)
{
    struct analysed a = {.trace = t};

    assert_int_equal(portolan_matching_create(t, &a.matching, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_waits_create(a.matching, &a.waits, NULL), PORTOLAN_OK);
    return a;
}

static inline struct analysed analyse_scenario(const char *text)
{
    struct portolan_trace *t;
    struct portolan_costs costs;
    struct portolan_error err = {0};
    struct analysed a;

    if (portolan_scenario_read("s", text, NULL, &t, &costs, &err))
        fail_msg("%s\n%s", err.text, text);
    a = analyse(t);
    a.costs = costs;
    return a;
}

static inline void forget(struct analysed *a)
{
    portolan_waits_destroy(a->waits);
    portolan_matching_destroy(a->matching);
    portolan_trace_destroy(a->trace);
}

/* ------------------------------------------------- planted */

/* Severity is pairs * (P / 2) + others * (P - 1) + once, times w. */
static const struct planted {
    enum portolan_wait_state state;
    int pairs, others, once, least_ranks;
    const char *text; /* variable w is the time planted, in region "late" */
} planted[] = {
    {PORTOLAN_WAIT_LATE_SENDER, 1, 0, 0, 2,
     "on rank % 2 == 0\n compute 100ms\n region late\n compute w\n end\n send rank+1 tag 3 8k\n"
     "else\n compute 100ms\n recv rank-1 tag 3\nend\n"},
    {PORTOLAN_WAIT_LATE_SENDER, 1, 0, 0, 2,
     "on rank % 2 == 0\n compute 100ms\n region late\n compute w\n end\n isend rank+1 as a\n wait "
     "a\n"
     "else\n irecv rank-1 as a\n compute 100ms\n waitall\nend\n"},
    {PORTOLAN_WAIT_LATE_SENDER, 2, 0, 0, 2, /* each sends late once */
     "let p = rank + 1 - 2 * (rank % 2)\n"
     "compute 100ms\non rank % 2 == 0\n region late\n compute w\n end\nend\n"
     "sendrecv p from p 1k\n"
     "on rank % 2 == 1\n region late\n compute w\n end\nend\n"
     "sendrecv p from p 1k\n"},
    {PORTOLAN_WAIT_WRONG_ORDER_SAME_SOURCE, 1, 0, 0, 2,
     "compute 100ms\n on rank % 2 == 0\n send rank+1 tag 1\n region late\n compute w\n end\n"
     " send rank+1 tag 2\nelse\n recv rank-1 tag 2\n recv rank-1 tag 1\nend\n"},
    {PORTOLAN_WAIT_WRONG_ORDER_OTHER_SOURCE, 0, 0, 1, 4,
     "compute 100ms\non 1\n send 0\nend\non 2\n region late\n compute w\n end\n send 0\nend\n"
     "on 0\n recv 2\n recv 1\nend\n"},
    {PORTOLAN_WAIT_LATE_RECEIVER, 1, 0, 0, 2,
     "compute 100ms\non rank % 2 == 0\n ssend rank+1 4k\nelse\n region late\n compute w\n end\n"
     " recv rank-1\nend\n"},
    {PORTOLAN_WAIT_LATE_RECEIVER, 1, 0, 0, 2,
     "on rank % 2 == 0\n isend rank+1 100k as a\n compute 100ms\n wait a\nelse\n compute 100ms\n"
     " region late\n compute w\n end\n recv rank-1\nend\n"},
    {PORTOLAN_WAIT_BARRIER, 0, 1, 0, 2,
     "compute 100ms\non 0\n region late\n compute w\n end\nend\nbarrier\n"},
    {PORTOLAN_WAIT_BARRIER, 0, 1, 0, 2,
     "ibarrier as a\nwait a\non 0\n region late\n compute w\n end\nend\nibarrier as b\n"
     "waitall\ncompute 100ms\n"},
    {PORTOLAN_WAIT_N_TO_N, 0, 1, 0, 2,
     "compute 100ms\non 0\n region late\n compute w\n end\nend\nallreduce 8\n"},
    {PORTOLAN_WAIT_N_TO_N, 0, 1, 0, 2,
     "compute 100ms\non size-1\n region late\n compute w\n end\nend\nalltoall 8\n"},
    {PORTOLAN_WAIT_LATE_BROADCAST, 0, 1, 0, 2,
     "compute 100ms\non 1\n region late\n compute w\n end\nend\nbcast 1 1k\n"},
    {PORTOLAN_WAIT_EARLY_REDUCE, 0, 0, 1, 2,
     "compute 100ms\non size-1\n region late\n compute w\n end\nend\nreduce 0 1k\n"},
    {PORTOLAN_WAIT_EARLY_SCAN, 0, 1, 0, 2,
     "compute 100ms\non 0\n region late\n compute w\n end\nend\nscan 8\n"},
    {PORTOLAN_WAIT_FINALIZE, 0, 1, 0, 2,
     "init\ncompute 100ms\non 0\n region late\n compute w\n end\nend\nfinalize\n"},
    {PORTOLAN_WAIT_CREATE, 0, 1, 0, 2,
     "compute 100ms\non 0\n region late\n compute w\n end\nend\ndup\n"},
    {PORTOLAN_WAIT_FENCE, 0, 1, 0, 2,
     "fence v\ncompute 100ms\non 0\n region late\n compute w\n end\nend\nfence v\n"},
    {PORTOLAN_WAIT_EARLY_FENCE, 0, 0, 1, 2, /* rank 1 until rank 0 puts; all are there by then */
     "fence v\ncompute 100ms\non 0\n region late\n compute w\n end\n put v 1 8\nend\n"
     "on rank > 1\n compute w\nend\nfence v\n"},
    {PORTOLAN_WAIT_EARLY_FREE, 0, 0, 1, 2,
     "fence v\ncompute 100ms\non 0\n region late\n compute w\n end\n put v 1 8\nend\n"
     "on rank > 1\n compute w\nend\nfree v\n"},
    {PORTOLAN_WAIT_LATE_POST, 1, 0, 0, 2,
     "compute 100ms\non rank % 2 == 0\n start v rank+1\n put v rank+1 8\n complete v\n"
     "else\n region late\n compute w\n end\n post v rank-1\n await v\nend\n"},
    {PORTOLAN_WAIT_LATE_COMPLETE, 1, 0, 0, 2,
     "on rank % 2 == 1\n post v rank-1\nend\ncompute 100ms\non rank % 2 == 0\n start v rank+1\n"
     " put v rank+1 8\n region late\n compute w\n end\n complete v\nelse\n await v\nend\n"},
    {PORTOLAN_WAIT_EARLY_WAIT, 1, 0, 0, 2,
     "on rank % 2 == 1\n post v rank-1\nend\ncompute 100ms\non rank % 2 == 0\n start v rank+1\n"
     " region late\n compute w\n end\n put v rank+1 8\n complete v\nelse\n await v\nend\n"},
};

static inline struct analysed analyse_planted(const struct planted *x, int ranks, int64_t w)
{
    char text[2000];

    snprintf(text, sizeof text, "ranks %d\neager 64k\nwindow v\nlet w = %lld\n%s", ranks,
             (long long)w, x->text);
    return analyse_scenario(text);
}

/* ------------------------------------------------- random */

/* Returns number ROUND of the random scenarios: 25 parts, at random times. The caller frees it. */
static inline char *random_scenario(int round)
{
    static const char *const parts[] = {
        "sendrecv (rank+1) % size from (rank-1) % size 4k\n",
        "on rank > 0\n recv rank-1 tag 2\nend\ncompute random * 1ms\n"
        "on rank < size-1\n send rank+1 tag 2 100k\nend\n",
        "allreduce 8\n",
        "bcast 1 1k\n",
        "reduce 2 1k\n",
        "scan 8\n",
        "irecv any tag 5 as a\nisend (rank+2) % size tag 5 200k as b\ncompute random * 3ms\n"
        "waitall\n",
        "fence v\nput v (rank+1) % size 8\nfence v\n",
        "on 0\n repeat size-1\n recv any tag 9\n send sender tag 10\n end\nelse\n send 0 tag 9\n"
        " recv 0 tag 10\nend\nbarrier\n",
        "ibarrier as c\ncompute random * 2ms\nwait c\n",
        "post v (rank+1) % size\nstart v (rank-1) % size\nput v (rank-1) % size 8\ncomplete v\n"
        "await v\n",
    };
    enum { PARTS = sizeof parts / sizeof *parts };
    uint64_t random = 20261126 + (uint64_t)round;
    struct portolan_text text = {0};

    portolan_text_add(&text,
                      "ranks %d\nlatency 1us\nbandwidth 1e9\neager 64k\nseed %d\n"
                      "window v\n",
                      3 + round % 9, round);
    for (int i = 0; i < 25; i++) {
        random = portolan_hash(&random, sizeof random, random);
        portolan_text_add(&text, "region r%d\ncompute random * %dus\nend\n%s", i % 4,
                          (int)((random >> 33) % 5000), parts[(random >> 8) % PARTS]);
    }
    return text.bytes;
}

#endif
