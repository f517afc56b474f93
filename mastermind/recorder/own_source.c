/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of snapshots when this process itself is measured: its probe. */
#include "recorder_internal.h"

#include <portolan/control.h>

#include <stdio.h>

static enum portolan_status own_take(void *self, struct portolan_probe_snapshot *snapshot,
                                     struct portolan_error *err)
{
    (void)self;
    return portolan_probe_snapshot_take(snapshot, err);
}

static enum portolan_status own_restart(void *self)
{
    (void)self;
    return portolan_probe_reset_unprofiled(NULL);
}

static const struct portolan_probe_method_info *own_method(void *self, uint32_t handle)
{
    (void)self;
    return portolan_probe_method_peek(handle);
}

static const char *own_counter(void *self, size_t index)
{
    (void)self;
    return portolan_probe_counter_peek_name(index);
}

static void own_objects(void *self, struct portolan_facts *facts)
{
    (void)self;
    portolan_facts_put_objects(facts);
}

static bool own_was_partial(void *self, uint64_t *mark)
{
    (void)self;
    return portolan_control_was_partial(PORTOLAN_VARIANT_MASTERMIND, mark);
}

static enum portolan_status
own_rows(void *self, int (*visit)(void *arg, const struct portolan_probe_row *rows, size_t n),
         void *arg, uint64_t *lost, struct portolan_error *err)
{
    (void)self;
    return portolan_probe_rows_take(visit, arg, lost, err);
}

static enum portolan_status own_events(void *self, struct portolan_probe_event_record **rows,
                                       size_t *n, struct portolan_error *err)
{
    (void)self;
    return portolan_probe_events_take(rows, n, err);
}

static enum portolan_status own_traffic(void *self, struct portolan_probe_traffic **rows, size_t *n,
                                        struct portolan_error *err)
{
    enum portolan_status status = portolan_probe_traffic_take(rows, n);

    (void)self;
    return status ? portolan_error_set(err, status, "the messages cannot be counted: %s",
                                       portolan_status_text(status))
                  : PORTOLAN_OK;
}

static struct portolan_probe_cost own_cost(void *self)
{
    (void)self;
    return portolan_probe_cost();
}

static double own_now(void *self)
{
    (void)self;
    return portolan_probe_ticks_to_ns(portolan_probe_now());
}

static void put_gap(void *arg, const char *port, unsigned count, double away_ns)
{
    struct portolan_facts *facts = arg;
    char name[400], value[100];

    snprintf(name, sizeof name, "not always measured: %s", port);
    snprintf(value, sizeof value, "left out %u time%s, %.9g s in all", count, count == 1 ? "" : "s",
             away_ns / 1e9);
    portolan_facts_put(facts, name, value);
}

static void own_gaps(void *self, struct portolan_facts *facts)
{
    (void)self;
    portolan_control_visit_gaps(PORTOLAN_VARIANT_MASTERMIND, put_gap, facts);
}

const struct portolan_recorder_source slice_own_source = {
    .take = own_take,
    .restart = own_restart,
    .peek_method = own_method,
    .peek_counter = own_counter,
    .put_objects = own_objects,
    .was_partial = own_was_partial,
    .put_gaps = own_gaps,
    .take_rows = own_rows,
    .take_events = own_events,
    .take_traffic = own_traffic,
    .cost = own_cost,
    .now_ns = own_now,
};
