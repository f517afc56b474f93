/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance.Query: what TAU profiles would say now. */
#include "measurement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct query {
    struct sidl_object object;
};

/* ------------------------------------------------- names, and lists of them that were given */

static void read_timers(struct names *timers, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    if (portolan_probe_name_tau(&timers->arena, &timers->list, &timers->n, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
}

static void read_events(struct names *events, sidl_BaseInterface *_ex)
{
    const char *name;

    (void)_ex;
    while ((name = portolan_probe_event_peek_name((uint32_t)events->n)) && !events->arena.failed)
        names_add(events, name, false);
}

/* Reduces NAMES to those that ARRAY lists; NULL keeps all. */
static void choose(struct names *names, const char *what, struct sidl_string__array *array,
                   sidl_BaseInterface *_ex)
{
    struct names chosen = {0};

    if (*_ex || !array)
        return;
    if (sidlArrayDim(array) != 1) {
        portolan_throw(_ex, PORTOLAN_EINVAL, "a list of names has one dimension");
        return;
    }
    for (int32_t i = 0; !*_ex && i < sidlLength(array, 0); ++i) {
        const char *word = sidlArrayElem1(array, sidlLower(array, 0) + i);

        names_check(names, what, word ? word : "", false, _ex);
        names_add(&chosen, word ? word : "", false);
    }
    if (chosen.arena.failed && !*_ex)
        sidl_exception_throw_no_memory(_ex);
    portolan_arena_clear(&names->arena);
    *names = chosen;
}

static struct sidl_string__array *get_timer_names(void *self, sidl_BaseInterface *_ex)
{
    struct names names = {0};

    (void)self;
    read_timers(&names, _ex);
    return names_take(&names, _ex);
}

static struct sidl_string__array *get_event_names(void *self, sidl_BaseInterface *_ex)
{
    struct names names = {0};

    (void)self;
    read_events(&names, _ex);
    return names_take(&names, _ex);
}

static struct sidl_string__array *get_counter_names(void *self, sidl_BaseInterface *_ex)
{
    struct names names = {0};

    (void)self;
    names_add(&names, "TIME", false);
    for (size_t i = 0; i < portolan_probe_counter_slots(); ++i)
        names_add(&names, portolan_probe_counter_slot_peek_name(i), false);
    return names_take(&names, _ex);
}

/* ------------------------------------------------- timers */

/* What getTimerData hands out. */
struct timer_data {
    struct sidl_double__array *exclusive, *inclusive;
    struct sidl_int__array *calls, *child_calls;
    struct sidl_string__array *counters;
};

static void clear_data(struct timer_data *d)
{
    sidl_double__array_deleteRef(d->exclusive);
    sidl_double__array_deleteRef(d->inclusive);
    sidl_int__array_deleteRef(d->calls);
    sidl_int__array_deleteRef(d->child_calls);
    sidl_string__array_deleteRef(d->counters);
}

static const struct portolan_tau_row *find_row(const struct portolan_tau_rows *rows,
                                               const char *name)
{
    for (size_t i = 0; i < rows->n; ++i)
        if (!strcmp(rows->rows[i].name, name))
            return &rows->rows[i];
    return NULL;
}

static void put_row(struct timer_data *d, int32_t i, const struct portolan_tau_row *row,
                    unsigned n_metrics, sidl_BaseInterface *_ex)
{
    if (row && (row->calls > INT32_MAX || row->subroutines > INT32_MAX)) {
        portolan_throw(_ex, PORTOLAN_EINVAL,
                       "the number of calls of timer '%s' does not fit into an int", row->name);
        return;
    }
    sidl_int__array_set1(d->calls, i, row ? (int32_t)row->calls : 0);
    sidl_int__array_set1(d->child_calls, i, row ? (int32_t)row->subroutines : 0);
    for (unsigned m = 0; m < n_metrics; ++m) {
        sidl_double__array_set2(d->exclusive, i, (int32_t)m, row ? row->exclusive[m] : 0);
        sidl_double__array_set2(d->inclusive, i, (int32_t)m, row ? row->inclusive[m] : 0);
    }
}

static void fill_data(struct timer_data *d, const struct names *list,
                      const struct portolan_tau_rows *rows, sidl_BaseInterface *_ex)
{
    int32_t n = (int32_t)list->n, m = (int32_t)rows->n_metrics;

    d->exclusive = sidl_double__array_create2dRow(n, m);
    d->inclusive = sidl_double__array_create2dRow(n, m);
    d->calls = sidl_int__array_create1d(n);
    d->child_calls = sidl_int__array_create1d(n);
    d->counters = get_counter_names(NULL, _ex);
    if (!d->exclusive || !d->inclusive || !d->calls || !d->child_calls)
        sidl_exception_throw_no_memory(_ex);
    for (int32_t i = 0; i < n && !*_ex; ++i)
        put_row(d, i, find_row(rows, list->list[i]), rows->n_metrics, _ex);
}

static void get_timer_data(void *self, struct sidl_string__array *timers,
                           struct sidl_double__array **exclusive,
                           struct sidl_double__array **inclusive, struct sidl_int__array **calls,
                           struct sidl_int__array **child_calls,
                           struct sidl_string__array **counters, int32_t *n_counters,
                           sidl_BaseInterface *_ex)
{
    struct portolan_tau_rows rows = {0};
    struct portolan_error err = {0};
    struct timer_data d = {0};
    struct names list = {0};

    (void)self;
    read_timers(&list, _ex);
    choose(&list, "timer", timers, _ex);
    if (!*_ex && portolan_probe_total_tau(&rows, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
    if (!*_ex)
        fill_data(&d, &list, &rows, _ex);
    if (*_ex) {
        clear_data(&d);
        d = (struct timer_data){0};
    }
    *exclusive = d.exclusive;
    *inclusive = d.inclusive;
    *calls = d.calls;
    *child_calls = d.child_calls;
    *counters = d.counters;
    *n_counters = (int32_t)rows.n_metrics;
    portolan_arena_clear(&rows.arena);
    portolan_arena_clear(&list.arena);
}

/* ------------------------------------------------- events */

/* The event NAME on all threads. */
static struct portolan_probe_event_record
sum_of(const char *name, const struct portolan_probe_event_record *rows, size_t n)
{
    struct portolan_probe_event_record sum = {0};

    for (size_t i = 0; i < n; ++i) {
        const struct portolan_probe_event_record *r = &rows[i];

        if (r->has_record || strcmp(r->name, name))
            continue;
        sum.max = !sum.count || r->max > sum.max ? r->max : sum.max;
        sum.min = !sum.count || r->min < sum.min ? r->min : sum.min;
        sum.mean = (sum.mean * (double)sum.count + r->mean * (double)r->count) /
                   (double)(sum.count + r->count);
        sum.count += r->count;
        sum.sum_squares += r->sum_squares;
    }
    return sum;
}

enum { MAX, MIN, MEAN, SUM_SQUARES, N_STATISTICS };

static void fill_events(struct sidl_int__array *samples, struct sidl_double__array **statistics,
                        const struct names *list, sidl_BaseInterface *_ex)
{
    struct portolan_probe_event_record *rows = NULL;
    struct portolan_error err = {0};
    size_t n;

    if (portolan_probe_events_take(&rows, &n, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
    for (size_t i = 0; i < list->n && !*_ex; ++i) {
        struct portolan_probe_event_record sum = sum_of(list->list[i], rows, n);
        const double values[N_STATISTICS] = {
            [MAX] = sum.max, [MIN] = sum.min, [MEAN] = sum.mean, [SUM_SQUARES] = sum.sum_squares};

        if (sum.count > INT32_MAX)
            portolan_throw(_ex, PORTOLAN_EINVAL,
                           "the number of triggers of event '%s' does not fit into an int",
                           list->list[i]);
        sidl_int__array_set1(samples, (int32_t)i, (int32_t)sum.count);
        for (int k = 0; k < N_STATISTICS; ++k)
            sidl_double__array_set1(statistics[k], (int32_t)i, values[k]);
    }
    free(rows);
}

static void get_event_data(void *self, struct sidl_string__array *events,
                           struct sidl_int__array **samples, struct sidl_double__array **max,
                           struct sidl_double__array **min, struct sidl_double__array **mean,
                           struct sidl_double__array **sum_squares, sidl_BaseInterface *_ex)
{
    struct sidl_double__array **const out[N_STATISTICS] = {max, min, mean, sum_squares};
    struct sidl_double__array *statistics[N_STATISTICS];
    struct names list = {0};
    bool all_there;

    (void)self;
    read_events(&list, _ex);
    choose(&list, "event", events, _ex);
    all_there = (*samples = sidl_int__array_create1d((int32_t)list.n)) != NULL;
    for (int k = 0; k < N_STATISTICS; ++k)
        all_there &= (statistics[k] = sidl_double__array_create1d((int32_t)list.n)) != NULL;
    if (!*_ex && (!all_there || list.arena.failed))
        sidl_exception_throw_no_memory(_ex);
    if (!*_ex)
        fill_events(*samples, statistics, &list, _ex);
    if (*_ex) {
        sidl_int__array_deleteRef(*samples);
        *samples = NULL;
    }
    for (int k = 0; k < N_STATISTICS; ++k) {
        if (*_ex)
            sidl_double__array_deleteRef(statistics[k]);
        *out[k] = *_ex ? NULL : statistics[k];
    }
    portolan_arena_clear(&list.arena);
}

/* ------------------------------------------------- files */

static void dump(const char *prefix, bool is_stamped, const struct names *timers,
                 sidl_BaseInterface *_ex)
{
    const struct portolan_probe_dump how = {
        .prefix = prefix,
        .is_stamped = is_stamped,
        .timers = timers ? timers->list : NULL,
        .n_timers = timers ? timers->n : 0,
        .add_facts = portolan_control_add_gaps,
    };
    struct portolan_error err = {0};

    if (portolan_probe_dump_tau(&how, portolan_control_node(), NULL, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
}

static void dump_data(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    dump("dump", false, NULL, _ex);
}

static void dump_prefix(void *self, const char *prefix, sidl_BaseInterface *_ex)
{
    (void)self;
    dump(prefix ? prefix : "", false, NULL, _ex);
}

static void dump_incremental(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    dump("dump", true, NULL, _ex);
}

static void dump_names(void *self, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};
    char file[80];

    (void)self;
    snprintf(file, sizeof file, "dump_functionnames_n,c,t.%d.0.0", portolan_control_node());
    if (portolan_probe_dump_tau_names(file, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
}

static void dump_chosen(struct sidl_string__array *timers, bool is_stamped, sidl_BaseInterface *_ex)
{
    struct names list = {0};

    read_timers(&list, _ex);
    choose(&list, "timer", timers, _ex);
    if (!*_ex)
        dump("dump", is_stamped, &list, _ex);
    portolan_arena_clear(&list.arena);
}

static void dump_timers(void *self, struct sidl_string__array *timers, sidl_BaseInterface *_ex)
{
    (void)self;
    dump_chosen(timers, false, _ex);
}

static void dump_timers_incremental(void *self, struct sidl_string__array *timers,
                                    sidl_BaseInterface *_ex)
{
    (void)self;
    dump_chosen(timers, true, _ex);
}

static const struct Performance_Query__epv query_epv = {
    .f_getTimerNames = get_timer_names,
    .f_getCounterNames = get_counter_names,
    .f_getTimerData = get_timer_data,
    .f_getEventNames = get_event_names,
    .f_getEventData = get_event_data,
    .f_dumpProfileData = dump_data,
    .f_dumpProfileDataPrefix = dump_prefix,
    .f_dumpProfileDataIncremental = dump_incremental,
    .f_dumpTimerNames = dump_names,
    .f_dumpTimerData = dump_timers,
    .f_dumpTimerDataIncremental = dump_timers_incremental,
};
static const struct sidl_class class =
    MEASUREMENT_CLASS("portolan.Query", query, Performance_Query, query_epv, NULL);

Performance_Query performance_query(sidl_BaseInterface *_ex)
{
    struct query *q = sidl_object_create(&class, _ex);

    return q ? sidl_object_facet(q, "Performance.Query") : NULL;
}
