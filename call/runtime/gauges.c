/* SPDX-License-Identifier: BSD-3-Clause */
/* Observables: the clock, processor time and counters. */
#include "internal.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* ------------------------------------------------------------------ which there are */

bool cll_gauges_find(struct portolan_cll_state *s)
{
    const struct portolan_cll_experiment *e = s->experiment;
    struct cll_observable *observables = portolan_calloc(s->n_observables, sizeof *observables);

    if (!observables)
        return false;
    for (unsigned i = 0; i < s->n_observables; i++) {
        struct cll_observable *o = &observables[i];

        o->name = e->n_observables ? e->observables[i] : "CLOCK";
        o->gauge = cll_gauge_of(o->name);
        o->counter = o->gauge == GAUGE_COUNTER ? cll_counters_find(o->name) : -1;
        s->has_usage = s->has_usage || o->gauge == GAUGE_USER || o->gauge == GAUGE_SYSTEM;
        s->has_cputime = s->has_cputime || o->gauge == GAUGE_CPUTIME;
        s->has_counters = s->has_counters || o->counter >= 0;
    }
    s->clock_alone = s->n_observables == 1 && observables[0].gauge == GAUGE_CLOCK;
    s->observables = observables;
    s->width = ROW_FIRST + s->n_identifiers + (s->clock_alone ? 0 : s->n_observables);
    return true;
}

/* ------------------------------------------------------------------ reading */

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

void cll_gauges_read(const struct portolan_cll_state *s, struct cll_reading *reading)
{
    reading->generation = 0;
    if (s->has_usage) {
        struct rusage usage;

        if (getrusage(RUSAGE_THREAD, &usage) != 0)
            usage = (struct rusage){.ru_utime = {0, 0}};
        reading->user = seconds(usage.ru_utime);
        reading->system = seconds(usage.ru_stime);
    }
    if (s->has_cputime) {
        struct timespec now = {0, 0};

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        reading->cputime = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    }
    if (s->has_counters)
        cll_counters_read(reading);
}

/* The clock's is the row's own. */
static double gain(const struct cll_observable *o, const struct cll_reading *begun,
                   const struct cll_reading *ended)
{
    switch (o->gauge) {
    case GAUGE_CLOCK:
        return 0;
    case GAUGE_USER:
        return ended->user - begun->user;
    case GAUGE_SYSTEM:
        return ended->system - begun->system;
    case GAUGE_CPUTIME:
        return ended->cputime - begun->cputime;
    case GAUGE_COUNTER:
        break;
    }
    if (o->counter < 0 || !begun->generation || begun->generation != ended->generation)
        return NAN;
    return (double)(ended->counters[o->counter] - begun->counters[o->counter]);
}

void cll_gauges_gain(const struct portolan_cll_state *s, const struct cll_reading *begun,
                     const struct cll_reading *ended, double *row)
{
    for (unsigned i = 0; i < s->n_observables; i++)
        row[i] = gain(&s->observables[i], begun, ended);
}
