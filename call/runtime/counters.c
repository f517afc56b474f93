/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI events through probe's sets of counters. One set serves all experiments: the events that
 * those registered so far name, as many as are counted here and fit together.
 */
#include "internal.h"

#include <stdio.h>
#include <string.h>

static bool is_defined;
static struct portolan_text events; /* "A,B" as far as they can be counted */
static size_t n_events;
/* Names that were tried, so that what is missing is told once. */
static const char **tried;
static size_t n_tried;

/* ------------------------------------------------------------------ the set */

/* Ranks have the same to say: the first says it. */
static void complain(const char *name, const char *why)
{
    if (cll_launched_rank() == 0)
        cll_warn("observable %s is not measured: %s", name, why);
}

static int place_of(const char *name)
{
    for (size_t i = 0; i < portolan_probe_counters_count(); i++)
        if (!strcmp(portolan_probe_counter_peek_name(i), name))
            return (int)i;
    return -1;
}

/* Whether NAME is new; it is not any more. */
static bool note_name(const char *name)
{
    const char **more;

    for (size_t i = 0; i < n_tried; i++)
        if (!strcmp(tried[i], name))
            return false;
    more = portolan_reallocarray(tried, n_tried + 1, sizeof *tried);
    if (!more)
        return false;
    tried = more;
    tried[n_tried++] = name;
    return true;
}

/* Tries NAME with those before it; tells why not. */
static void try_event(const char *name)
{
    size_t length = events.length;
    struct portolan_error err = {0};

    if (!note_name(name))
        return;
    if (n_events == CLL_COUNTERS) {
        complain(name, "no more events are counted together");
        return;
    }
    portolan_text_add(&events, "%s%s", n_events ? "," : "", name);
    if (events.failed)
        return;
    if (portolan_probe_counter_sets_define(events.bytes, &err) == PORTOLAN_OK) {
        n_events++;
        return;
    }
    complain(name, err.text);
    events.bytes[length] = '\0';
    events.length = length;
}

/* What the program has defined by itself is left alone. */
static void define(void)
{
    is_defined = true;
    if (portolan_probe_counter_slots() > 0)
        return;
    for (struct portolan_cll_state *s = cll_first_state(); s; s = s->next)
        for (unsigned i = 0; i < s->experiment->n_observables; i++)
            if (cll_gauge_of(s->experiment->observables[i]) == GAUGE_COUNTER)
                try_event(s->experiment->observables[i]);
}

int cll_counters_find(const char *name)
{
    int place;

    if (!is_defined)
        define();
    place = place_of(name);
    if (place < 0 && note_name(name))
        complain(name, "it is not in the set of counters that was chosen before");
    return place;
}

void cll_counters_read(struct cll_reading *reading)
{
    if (!portolan_probe_counters_read(reading->counters, &reading->generation))
        reading->generation = 0;
}
