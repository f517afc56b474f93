/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces made call by call. */
#ifndef TRACE_TEST_MADE_TRACE_H
#define TRACE_TEST_MADE_TRACE_H

#include <portolan/replay.h>

#include <unit_test.h>

static inline void made(struct portolan_trace *t, int rank, unsigned kind,
                        struct portolan_trace_event e)
{
    e.kind = kind & 0xff;
    assert_true(portolan_trace_add(t, rank, 0, &e));
}

static inline void made_call(struct portolan_trace *t, int rank, unsigned kind, int64_t ns,
                             const char *routine)
{
    size_t what = portolan_trace_routine(t, routine);

    made(t, rank, kind, (struct portolan_trace_event){.ns = ns, .what = what & 0xffffff});
}

#define BEGIN(rank, ns, routine) made_call(t, rank, PORTOLAN_TRACE_BEGIN, ns, routine)
#define END(rank, ns, routine)   made_call(t, rank, PORTOLAN_TRACE_END, ns, routine)
#define EVENT(rank, KIND, ...)                                                                     \
    made(t, rank, PORTOLAN_TRACE_##KIND, (struct portolan_trace_event){__VA_ARGS__})

static inline struct portolan_matching *made_matching(struct portolan_trace *t)
{
    struct portolan_matching *m = NULL;

    assert_int_equal(portolan_trace_finish(t, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_matching_create(t, &m, NULL), PORTOLAN_OK);
    return m;
}

#endif
