/* SPDX-License-Identifier: BSD-3-Clause */
/* The registered experiments, and what is observed in them. */
#include "internal.h"

#include <portolan/record.h>

#include <portolan/list.h>

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

pthread_mutex_t cll_lock = PTHREAD_MUTEX_INITIALIZER;

struct portolan_cll_state *cll_states;
static struct portolan_cll_state **last = &cll_states;

/* The caller holds the lock. */
static struct portolan_cll_state *add_state(struct portolan_cll_experiment *e)
{
    struct portolan_cll_state *s = e->state;

    if (s)
        return s;
    cll_exit_watch();
    s = portolan_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->experiment = e;
    s->n_identifiers = e->n_identifiers;
    s->n_observables = e->n_observables ? e->n_observables : 1;
    *last = s;
    last = &s->next;
    __atomic_store_n(&e->state, s, __ATOMIC_RELEASE);
    return s;
}

/* An experiment for which there is no memory now is tried again when it begins. */
void portolan_cll_register(struct portolan_cll_experiment *const *list, size_t n)
{
    pthread_mutex_lock(&cll_lock);
    for (size_t i = 0; i < n; i++)
        add_state(list[i]);
    pthread_mutex_unlock(&cll_lock);
}

bool cll_is_known(const char *name)
{
    const struct portolan_cll_state *s;

    pthread_mutex_lock(&cll_lock);
    for (s = cll_states; s && strcmp(s->experiment->name, name) != 0;)
        s = s->next;
    pthread_mutex_unlock(&cll_lock);
    return s != NULL;
}

/* ------------------------------------------------------------------ counters */

/*
 * PAPI events are read through probe's sets of counters. One set serves all experiments: the events
 * that the experiments registered so far name, as many as can be counted together.
 */
static bool is_defined;
static struct portolan_text events; /* "A,B": the events that can be counted */
static size_t n_events;
/* Names tried before, so that a missing one is reported once. */
static const char **tried;
static size_t n_tried;

/* The gauge for NAME; a name that is not one of our own is an event. */
static enum gauge gauge_of(const char *name)
{
    static const struct {
        const char *name;
        enum gauge gauge;
    } own[] = {
        {"CLOCK", GAUGE_CLOCK},
        {"USER", GAUGE_USER},
        {"SYSTEM", GAUGE_SYSTEM},
        {"CPUTIME", GAUGE_CPUTIME},
    };

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i].name))
            return own[i].gauge;
    return GAUGE_COUNTER;
}

/* All ranks would say the same, so only the first does. */
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

/* Returns whether NAME is new; remembers it. */
static bool note_name(const char *name)
{
    for (size_t i = 0; i < n_tried; i++)
        if (!strcmp(tried[i], name))
            return false;
    return portolan_append(&tried, &n_tried, &name, sizeof name);
}

/* Tries NAME together with the events before it; reports why it fails. */
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

/* Leaves a set of counters alone that the program itself has defined. */
static void define(void)
{
    is_defined = true;
    if (portolan_probe_counter_slots() > 0)
        return;
    for (struct portolan_cll_state *s = cll_states; s; s = s->next)
        for (unsigned i = 0; i < s->experiment->n_observables; i++)
            if (gauge_of(s->experiment->observables[i]) == GAUGE_COUNTER)
                try_event(s->experiment->observables[i]);
}

static int find_counter(const char *name)
{
    int place;

    if (!is_defined)
        define();
    place = place_of(name);
    if (place < 0 && note_name(name))
        complain(name, "it is not in the set of counters that was chosen before");
    return place;
}

/* ------------------------------------------------------------------ observables */

/* Looks up the observables of S, once, under the lock. False when memory is out. */
static bool find_gauges(struct portolan_cll_state *s)
{
    const struct portolan_cll_experiment *e = s->experiment;
    struct cll_observable *observables = portolan_calloc(s->n_observables, sizeof *observables);

    if (!observables)
        return false;
    for (unsigned i = 0; i < s->n_observables; i++) {
        struct cll_observable *o = &observables[i];

        o->name = e->n_observables ? e->observables[i] : "CLOCK";
        o->gauge = gauge_of(o->name);
        o->counter = o->gauge == GAUGE_COUNTER ? find_counter(o->name) : -1;
        s->has_usage = s->has_usage || o->gauge == GAUGE_USER || o->gauge == GAUGE_SYSTEM;
        s->has_cputime = s->has_cputime || o->gauge == GAUGE_CPUTIME;
        s->has_counters = s->has_counters || o->counter >= 0;
    }
    s->clock_alone = s->n_observables == 1 && observables[0].gauge == GAUGE_CLOCK;
    s->observables = observables;
    s->width = ROW_FIRST + s->n_identifiers + (s->clock_alone ? 0 : s->n_observables);
    return true;
}

/* A program that is recorded (portolan-trace(1)) has a folder for it from the beginning. */
static uint32_t trace_region(const struct portolan_cll_experiment *e)
{
    const struct portolan_trace_region region = {.kind = PORTOLAN_TRACE_EXPERIMENT,
                                                 .name = e->name};

    return portolan_record_peek_folder() ? portolan_record_region(&region) + 1 : 0;
}

struct portolan_cll_state *cll_prepare(struct portolan_cll_experiment *experiment)
{
    struct portolan_cll_state *s;

    pthread_mutex_lock(&cll_lock);
    s = add_state(experiment);
    if (s && !s->is_ready) {
        s->region = trace_region(experiment);
        if (find_gauges(s))
            __atomic_store_n(&s->is_ready, 1, __ATOMIC_RELEASE);
        else
            s = NULL;
    }
    pthread_mutex_unlock(&cll_lock);
    return s;
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
    if (s->has_counters && !portolan_probe_counters_read(reading->counters, &reading->generation))
        reading->generation = 0;
}

/* The clock is in the row itself. */
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
