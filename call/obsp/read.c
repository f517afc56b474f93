/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces as the BSP library writes them. */
#include "internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum event_kind { EVENT_RUN, EVENT_SYNC, EVENT_SEND, EVENT_GET, EVENT_PARTITION, EVENT_DONE };

struct event {
    enum event_kind kind;
    double at, until;
    size_t index; /* in the file */
    const json_t *json;
    size_t n_syncs; /* RUN: ends of supersteps inside it */
};

struct reader {
    const char *file;
    struct portolan_diagnostics *d;
    struct portolan_obsp_trace *t;
    struct portolan_error *err;
    size_t processor;
    size_t n_events;
    struct event *events;
    size_t n_experiments; /* of this processor, by their numbers in its events */
    size_t *experiments;
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct reader *r, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    portolan_diagnose(r->d, r->file, 1, 0, "processor %zu: %s", r->processor, text);
    return false;
}

static bool get_number(struct reader *r, const json_t *object, const char *key, double least,
                       double *value)
{
    const json_t *number = json_object_get(object, key);

    if (!json_is_number(number) || !(json_number_value(number) >= least))
        return wrong(r, "\"%s\" is no number that it may be", key);
    *value = json_number_value(number);
    return true;
}

/* -- experiments -- */

/* The experiment of the trace that is this one; NONE when something is wrong. */
static size_t merge(struct reader *r, const json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "name"));
    const char *formula = json_string_value(json_object_get(json, "formula"));
    const json_t *list = json_object_get(json, "identifiers");
    const char *identifiers[PORTOLAN_FORMULA_MAX_NAMES];
    size_t n = json_array_size(list), found;
    struct experiment *e;

    if (!name || !json_is_array(list) || n > PORTOLAN_FORMULA_MAX_NAMES) {
        wrong(r, "an experiment has no name or no list of identifiers");
        return NONE;
    }
    for (size_t i = 0; i < n; i++)
        if (!(identifiers[i] = json_string_value(json_array_get(list, i)))) {
            wrong(r, "an identifier of %s is no text", name);
            return NONE;
        }
    found = trace_find_experiment(r->t, name);
    if (found == NONE) {
        e = trace_add_experiment(r->t, name, n, identifiers);
        if (!e || (formula && trace_set_formula(r->t, e, formula, r->d, r->err) != PORTOLAN_OK))
            return NONE;
        return r->t->n_experiments - 1;
    }
    e = &r->t->experiments[found];
    for (size_t i = 0; i < n; i++)
        if (e->public.n_identifiers != n || strcmp(e->public.identifiers[i], identifiers[i]) != 0) {
            wrong(r, "%s has other identifiers elsewhere: experiments want different names", name);
            return NONE;
        }
    return found;
}

static bool read_experiments(struct reader *r, const json_t *list)
{
    r->n_experiments = json_array_size(list);
    r->experiments = portolan_arena_alloc(&r->t->arena, r->n_experiments, sizeof *r->experiments);
    for (size_t i = 0; r->experiments && i < r->n_experiments; i++) {
        r->experiments[i] = merge(r, json_array_get(list, i));
        if (r->experiments[i] == NONE)
            return false;
    }
    return r->experiments != NULL;
}

/* -- events, by time -- */

static bool read_event(struct reader *r, const json_t *json, struct event *e)
{
    static const struct {
        const char *key;
        enum event_kind kind;
    } kinds[] = {{"run", EVENT_RUN},   {"sync", EVENT_SYNC}, {"oblsync", EVENT_SYNC},
                 {"send", EVENT_SEND}, {"get", EVENT_GET},   {"partition", EVENT_PARTITION},
                 {"done", EVENT_DONE}};
    size_t k = 0, n = sizeof kinds / sizeof *kinds;

    if (json_object_get(json, "dup"))
        return wrong(r, "bsp_dup() makes objects that live side by side, which OBSP* does not "
                        "know; a trace has none");
    while (k < n && !json_object_get(json, kinds[k].key))
        k++;
    if (k == n)
        return wrong(r, "event %zu is nothing that is known", e->index);
    e->kind = kinds[k].kind;
    e->json = json;
    if (!get_number(r, json, "at", -HUGE_VAL, &e->at))
        return false;
    e->until = e->at;
    return (e->kind != EVENT_RUN && e->kind != EVENT_SYNC) ||
           get_number(r, json, "until", e->at, &e->until);
}

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if ((x->kind == EVENT_RUN) != (y->kind == EVENT_RUN)) /* what surrounds comes first */
        return x->kind == EVENT_RUN ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool read_events(struct reader *r, const json_t *list)
{
    struct event *run = NULL;

    r->n_events = json_array_size(list);
    r->events = portolan_arena_alloc(&r->t->arena, r->n_events, sizeof *r->events);
    for (size_t i = 0; r->events && i < r->n_events; i++) {
        r->events[i].index = i;
        if (!read_event(r, json_array_get(list, i), &r->events[i]))
            return false;
    }
    if (r->events && r->n_events)
        qsort(r->events, r->n_events, sizeof *r->events, by_time);
    for (size_t i = 0; r->events && i < r->n_events; i++) {
        struct event *e = &r->events[i];

        if (e->kind == EVENT_RUN)
            run = e;
        else if (e->kind == EVENT_SYNC && run && e->until <= run->until)
            run->n_syncs++;
    }
    return r->events != NULL;
}

/* -- items -- */

struct timeline {
    double now;              /* all before is told */
    const struct event *run; /* that surrounds one end of a superstep, and is open */
    size_t experiment, values, number;
};

static struct item *add(struct reader *r, enum item_kind kind)
{
    return trace_add(r->t, r->processor, kind);
}

/* What was computed until UNTIL. */
static bool work(struct reader *r, struct timeline *l, double until)
{
    struct item *x;

    if (until > l->now) {
        x = add(r, ITEM_WORK);
        if (!x)
            return false;
        x->seconds = until - l->now;
        if (l->run) {
            x->experiment = l->experiment;
            x->values = l->values;
            x->run = l->number;
            x->is_part = true;
        }
        l->now = until;
    }
    return true;
}

static bool close_run(struct reader *r, struct timeline *l, double now)
{
    if (l->run && now >= l->run->until) {
        if (!work(r, l, l->run->until))
            return false;
        l->run = NULL;
    }
    return true;
}

static bool run_item(struct reader *r, struct timeline *l, const struct event *e)
{
    const json_t *list = json_object_get(e->json, "values");
    double which;
    struct item *x;

    if (!get_number(r, e->json, "run", 0, &which) || which >= (double)r->n_experiments)
        return wrong(r, "event %zu is of an experiment that there is not", e->index);
    if (!work(r, l, e->at))
        return false;
    if (e->n_syncs > 1) /* no telling what of it is whose: as if not annotated */
        return true;
    l->experiment = r->experiments[(size_t)which];
    l->values = r->t->n_values;
    l->number = r->t->n_runs++;
    if (json_array_size(list) != r->t->experiments[l->experiment].public.n_identifiers)
        return wrong(r, "event %zu has not the values that its experiment has", e->index);
    for (size_t i = 0; i < json_array_size(list); i++)
        trace_add_value(r->t, json_number_value(json_array_get(list, i)));
    if (e->n_syncs) {
        l->run = e;
        return true;
    }
    x = add(r, ITEM_WORK);
    if (!x)
        return false;
    x->experiment = l->experiment;
    x->values = l->values;
    x->run = l->number;
    x->seconds = e->until - e->at;
    l->now = e->until;
    return true;
}

static bool sync_item(struct reader *r, struct timeline *l, const struct event *e)
{
    const json_t *awaited = json_object_get(e->json, "oblsync");
    struct item *x;

    if (!work(r, l, e->at) || !(x = add(r, ITEM_SYNC)))
        return false;
    x->awaited = awaited ? (long)json_integer_value(awaited) : -1;
    if (x->awaited < -1 || (awaited && !json_is_integer(awaited)))
        return wrong(r, "event %zu awaits no number of messages", e->index);
    x->at = e->at;
    x->until = e->until;
    if (l->run) {
        x->experiment = l->experiment;
        x->values = l->values;
        x->run = l->number;
    }
    l->now = e->until;
    return true;
}

static bool transfer_item(struct reader *r, const struct event *e)
{
    struct item *x = add(r, e->kind == EVENT_SEND ? ITEM_SEND : ITEM_GET);
    double other;

    if (!x || !get_number(r, e->json, e->kind == EVENT_SEND ? "send" : "get", 0, &other) ||
        !get_number(r, e->json, "bytes", 0, &x->bytes))
        return false;
    x->other = other < PORTOLAN_OBSP_MAX_PROCESSORS ? (size_t)other : NONE;
    return true;
}

static bool partition_item(struct reader *r, const struct event *e)
{
    const json_t *list = json_object_get(e->json, "partition");
    struct item *x = add(r, ITEM_PARTITION);

    if (!x)
        return false;
    x->bounds = r->t->n_bounds;
    x->n_parts = json_array_size(list);
    for (size_t i = 0; i < x->n_parts; i++)
        trace_add_bound(r->t, (long)json_integer_value(json_array_get(list, i)));
    return true;
}

static bool make_item(struct reader *r, struct timeline *l, const struct event *e)
{
    if (!close_run(r, l, e->at))
        return false;
    switch (e->kind) {
    case EVENT_RUN:
        return run_item(r, l, e);
    case EVENT_SYNC:
        return sync_item(r, l, e);
    case EVENT_PARTITION:
        return partition_item(r, e);
    case EVENT_DONE:
        return add(r, ITEM_DONE) != NULL;
    default:
        return transfer_item(r, e);
    }
}

static bool read_processor(struct reader *r, const json_t *json)
{
    struct timeline l = {0};
    double end;

    if (!read_experiments(r, json_object_get(json, "experiments")) ||
        !read_events(r, json_object_get(json, "events")) ||
        !get_number(r, json, "end", -HUGE_VAL, &end))
        return false;
    for (size_t i = 0; i < r->n_events; i++)
        if (!make_item(r, &l, &r->events[i]))
            return false;
    r->t->processors[r->processor].end = end;
    return close_run(r, &l, end) && work(r, &l, end);
}

static enum portolan_status read_json(const char *text, size_t size, const char *file,
                                      struct portolan_diagnostics *d,
                                      struct portolan_obsp_trace **trace,
                                      struct portolan_error *err)
{
    struct reader r = {.file = file, .d = d, .err = err};
    json_error_t error;
    json_t *root = json_loadb(text, size, 0, &error);
    const json_t *list = json_object_get(root, "processors");
    size_t n = json_array_size(list);

    if (!root) {
        portolan_diagnose(d, file, error.line, error.column,
                          "%s; a trace is JSON, as BSP_TRACE writes it", error.text);
        return PORTOLAN_ESYNTAX;
    }
    if (json_integer_value(json_object_get(root, "portolan obsp trace")) != 1 || n == 0 ||
        n > PORTOLAN_OBSP_MAX_PROCESSORS) {
        portolan_diagnose(d, file, 1, 0,
                          "no trace: it has \"portolan obsp trace\": 1 and a list of processors");
        json_decref(root);
        return PORTOLAN_ESYNTAX;
    }
    r.t = trace_create(file, n);
    for (size_t i = 0; r.t && i < n; i++) {
        r.processor = i;
        if (!read_processor(&r, json_array_get(list, i)))
            break;
    }
    json_decref(root);
    *trace = r.t;
    if (!r.t || r.t->arena.failed)
        return portolan_no_memory(err);
    return PORTOLAN_OK;
}

enum portolan_status portolan_obsp_read(const char *text, size_t size, const char *file,
                                        struct portolan_diagnostics *diagnostics,
                                        struct portolan_obsp_trace **trace,
                                        struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {diagnostics, err};
    struct portolan_diagnostics d = {portolan_diagnostics_relay, &relay, 0};
    struct portolan_obsp_trace *t = NULL;
    enum portolan_status status = read_json(text, size, file, &d, &t, err);

    *trace = NULL;
    if (status == PORTOLAN_OK && d.count == 0) {
        trace_finish(t);
        status = layout_make(t, &d, err);
    }
    if (status == PORTOLAN_OK && t->arena.failed)
        status = PORTOLAN_ENOMEM;
    if (status == PORTOLAN_OK && d.count > 0)
        status = PORTOLAN_ESYNTAX;
    if (status != PORTOLAN_OK) {
        portolan_obsp_destroy(t);
        return portolan_error_set(err, status, "%s: %s", file, portolan_status_text(status));
    }
    *trace = t;
    return PORTOLAN_OK;
}
