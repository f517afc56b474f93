/* SPDX-License-Identifier: BSD-3-Clause */
/* What removals change in a run. */
#ifndef TRACE_REPLAY_REMOVALS_H
#define TRACE_REPLAY_REMOVALS_H

#include "engine.h"

/* Fills in what X changes; the arrays are the caller's to free by changes_clear(). */
struct replay_changes {
    int64_t *following_ns;
    uint8_t *changes;
    uint32_t *partner;
    struct joined_message *joined;
    size_t n_joined, joined_room;
};
enum portolan_status changes_prepare(struct replay_changes *c, const struct portolan_waits *w,
                                     const struct portolan_removal *removals, size_t n,
                                     bool use_cpu, struct portolan_error *err);
void changes_clear(struct replay_changes *c);

#endif
