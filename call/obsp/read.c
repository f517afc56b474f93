/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces as the BSP library writes them. */
#include "internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

struct event {
    enum item_kind kind; /* WORK: a run of an experiment */
    double at, until;
    size_t index; /* in the file */
    const json_t *json;
    size_t n_syncs; /* WORK: ends of supersteps inside it */
};

struct reader {
    const char *file;
    struct portolan_diagnostics *d;
    struct portolan_obsp_trace *t;
    struct portolan_error *err;
    size_t processor;
    size_t n_events;
    struct event *events;
    size_t n_experiments; /* that events of this processor name by index */
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

/* -- the trace that is built -- */

static struct portolan_obsp_trace *create_trace(const char *file, size_t n_processors)
{
    struct portolan_obsp_trace *t = portolan_calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->n_processors = n_processors;
    t->processors = portolan_arena_alloc(&t->arena, n_processors, sizeof *t->processors);
    t->file = portolan_arena_strdup(&t->arena, file);
    if (t->arena.failed) {
        portolan_obsp_destroy(t);
        return NULL;
    }
    return t;
}

/* Adds an experiment of that name with these identifiers; NULL when memory is out. */
static struct experiment *add_experiment(struct portolan_obsp_trace *t, const char *name, size_t n,
                                         const char *const *identifiers)
{
    const char **copies = portolan_arena_alloc(&t->arena, n + 1, sizeof *copies);
    struct experiment e = {.public = {.name = portolan_arena_strdup(&t->arena, name),
                                      .n_identifiers = n,
                                      .identifiers = copies}};

    for (size_t i = 0; copies && i < n; i++)
        copies[i] = portolan_arena_strdup(&t->arena, identifiers[i]);
    return t->arena.failed
               ? NULL
               : portolan_arena_append(&t->arena, &t->experiments, &t->n_experiments, &e, sizeof e);
}

/* Gives it a FORMULA; complains when it is not canonical, or has names that are not identifiers. */
static enum portolan_status set_formula(struct portolan_obsp_trace *t, struct experiment *e,
                                        const char *formula, struct portolan_diagnostics *d,
                                        struct portolan_error *err)
{
    struct portolan_formula *parsed = NULL;
    enum portolan_status status =
        portolan_formula_parse(formula, strlen(formula), t->file, 1, 1, d, &parsed, err);

    if (status == PORTOLAN_OK)
        status = portolan_formula_bind(parsed, e->public.n_identifiers, e->public.identifiers,
                                       &e->formula, err);
    if (status == PORTOLAN_ENOTFOUND)
        portolan_diagnose(d, t->file, 1, 1,
                          "the formula of %s has a name that is none of its identifiers",
                          e->public.name);
    portolan_formula_destroy(parsed);
    if (status != PORTOLAN_OK)
        return status;
    status = portolan_formula_split(e->formula, t->file, 1, 1, d, &e->sum, err);
    if (status == PORTOLAN_OK && e->sum.n_terms > PORTOLAN_OBSP_MAX_CONSTANTS) {
        portolan_diagnose(d, t->file, 1, 1, "the formula of %s has more than %d constants",
                          e->public.name, PORTOLAN_OBSP_MAX_CONSTANTS);
        status = portolan_error_set(err, PORTOLAN_ESYNTAX, "too many constants");
    }
    if (status != PORTOLAN_OK)
        return status;
    e->public.formula = portolan_arena_strdup(&t->arena, formula);
    e->public.n_constants = e->sum.n_terms;
    return e->public.formula ? PORTOLAN_OK : portolan_no_memory(err);
}

/* Counts the runs of experiments, and marks those that surround ends of supersteps. */
static void count_runs(struct portolan_obsp_trace *t)
{
    for (size_t p = 0; p < t->n_processors; p++)
        for (size_t i = 0; i < t->processors[p].n_items; i++) {
            const struct item *x = &t->processors[p].items[i];

            if (x->experiment != NONE && !x->is_part) {
                t->experiments[x->experiment].public.n_runs++;
                if (x->kind == ITEM_SYNC)
                    t->experiments[x->experiment].public.is_communication = true;
            }
        }
    t->shown = portolan_arena_alloc(&t->arena, t->n_experiments + 1, sizeof *t->shown);
}

/* -- experiments -- */

/* The index in the trace of the experiment in JSON; NONE when something is wrong. */
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
        e = add_experiment(r->t, name, n, identifiers);
        if (!e || (formula && set_formula(r->t, e, formula, r->d, r->err) != PORTOLAN_OK))
            return NONE;
        return r->t->n_experiments - 1;
    }
    e = &r->t->experiments[found];
    if (!experiment_has_identifiers(e, n, identifiers)) {
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
        enum item_kind kind;
    } kinds[] = {{"run", ITEM_WORK},  {"sync", ITEM_SYNC}, {"oblsync", ITEM_SYNC},
                 {"send", ITEM_SEND}, {"get", ITEM_GET},   {"partition", ITEM_PARTITION},
                 {"done", ITEM_DONE}};
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
    return (e->kind != ITEM_WORK && e->kind != ITEM_SYNC) ||
           get_number(r, json, "until", e->at, &e->until);
}

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if ((x->kind == ITEM_WORK) != (y->kind == ITEM_WORK)) /* the surrounding event comes first */
        return x->kind == ITEM_WORK ? -1 : 1;
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

        if (e->kind == ITEM_WORK)
            run = e;
        else if (e->kind == ITEM_SYNC && run && e->until <= run->until)
            run->n_syncs++;
    }
    return r->events != NULL;
}

/* -- items -- */

struct timeline {
    double now;              /* everything before this time is recorded */
    const struct event *run; /* the open run that surrounds one end of a superstep */
    size_t experiment, values, number;
};

static struct item *add_item(struct reader *r, enum item_kind kind)
{
    const struct item item = {.kind = kind, .experiment = NONE, .awaited = -1};
    struct processor *p = &r->t->processors[r->processor];

    return portolan_arena_append(&r->t->arena, &p->items, &p->n_items, &item, sizeof item);
}

static void add_value(struct reader *r, double value)
{
    portolan_arena_append(&r->t->arena, &r->t->values, &r->t->n_values, &value, sizeof value);
}

/* X belongs to the current run of the timeline. */
static void set_experiment(struct item *x, const struct timeline *l)
{
    x->experiment = l->experiment;
    x->values = l->values;
    x->run = l->number;
}

/* Adds computation up to UNTIL. */
static bool work(struct reader *r, struct timeline *l, double until)
{
    struct item *x;

    if (until > l->now) {
        x = add_item(r, ITEM_WORK);
        if (!x)
            return false;
        x->seconds = until - l->now;
        if (l->run) {
            set_experiment(x, l);
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
    if (e->n_syncs > 1) /* its parts cannot be attributed: treated as not annotated */
        return true;
    l->experiment = r->experiments[(size_t)which];
    l->values = r->t->n_values;
    l->number = r->t->n_runs++;
    if (json_array_size(list) != r->t->experiments[l->experiment].public.n_identifiers)
        return wrong(r, "event %zu has not the values that its experiment has", e->index);
    for (size_t i = 0; i < json_array_size(list); i++)
        add_value(r, json_number_value(json_array_get(list, i)));
    if (e->n_syncs) {
        l->run = e;
        return true;
    }
    x = add_item(r, ITEM_WORK);
    if (!x)
        return false;
    set_experiment(x, l);
    x->seconds = e->until - e->at;
    l->now = e->until;
    return true;
}

static bool sync_item(struct reader *r, struct timeline *l, const struct event *e)
{
    const json_t *awaited = json_object_get(e->json, "oblsync");
    struct item *x;

    if (!work(r, l, e->at) || !(x = add_item(r, ITEM_SYNC)))
        return false;
    x->awaited = awaited ? (long)json_integer_value(awaited) : -1;
    if (x->awaited < -1 || (awaited && !json_is_integer(awaited)))
        return wrong(r, "event %zu awaits no number of messages", e->index);
    x->at = e->at;
    x->until = e->until;
    if (l->run)
        set_experiment(x, l);
    l->now = e->until;
    return true;
}

static bool transfer_item(struct reader *r, const struct event *e)
{
    struct item *x = add_item(r, e->kind);
    double other;

    if (!x || !get_number(r, e->json, e->kind == ITEM_SEND ? "send" : "get", 0, &other) ||
        !get_number(r, e->json, "bytes", 0, &x->bytes))
        return false;
    x->other = other < PORTOLAN_OBSP_MAX_PROCESSORS ? (size_t)other : NONE;
    return true;
}

static bool partition_item(struct reader *r, const struct event *e)
{
    const json_t *list = json_object_get(e->json, "partition");
    struct item *x = add_item(r, ITEM_PARTITION);

    if (!x)
        return false;
    x->values = r->t->n_values;
    x->n_parts = json_array_size(list);
    for (size_t i = 0; i < x->n_parts; i++)
        add_value(r, (double)json_integer_value(json_array_get(list, i)));
    return true;
}

static bool make_item(struct reader *r, struct timeline *l, const struct event *e)
{
    if (!close_run(r, l, e->at))
        return false;
    switch (e->kind) {
    case ITEM_WORK:
        return run_item(r, l, e);
    case ITEM_SYNC:
        return sync_item(r, l, e);
    case ITEM_PARTITION:
        return partition_item(r, e);
    case ITEM_DONE:
        return add_item(r, ITEM_DONE) != NULL;
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
    r.t = create_trace(file, n);
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
        count_runs(t);
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
