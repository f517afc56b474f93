/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that fuzz targets make of a trace that was accepted. */
#ifndef TRACE_TEST_FUZZ_CHECK_H
#define TRACE_TEST_FUZZ_CHECK_H

#include <portolan/replay.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void must(bool good)
{
    if (!good)
        abort();
}

static inline void replay(const struct portolan_waits *w, const struct portolan_removal *removals,
                          size_t n, bool is_exact)
{
    struct portolan_error err = {0};
    struct portolan_replay r;
    enum portolan_status status = portolan_replay(w, removals, n, NULL, &r, &err);

    must(!status || (!is_exact && status == PORTOLAN_EINFEASIBLE && *err.text));
    must(status || n || !is_exact || r.error == 0);
}

/* Checks that waits have their causes, and that a replay works, if IS_EXACT in the same time. */
static inline void check_analysis(const struct portolan_trace *t, bool is_exact)
{
    struct portolan_removal removals[] = {{.kind = PORTOLAN_REMOVE_IMBALANCE},
                                          {.kind = PORTOLAN_REMOVE_DISTANCE}};
    struct portolan_matching *m;
    struct portolan_waits *w;
    int64_t waiting = 0, charged = 0;

    must(!portolan_matching_create(t, &m, NULL));
    must(!portolan_waits_create(m, &w, NULL));
    for (int s = 0; s < PORTOLAN_WAIT_STATES; s++)
        waiting += w->state_ns[s];
    for (size_t i = 0; i < w->n_delays; i++)
        charged += w->delays[i].direct_ns + w->delays[i].indirect_ns;
    must(waiting == charged);
    replay(w, NULL, 0, is_exact);
    replay(w, removals, 2, is_exact);
    portolan_waits_destroy(w);
    portolan_matching_destroy(m);
}

#endif
