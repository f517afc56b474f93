/* SPDX-License-Identifier: BSD-3-Clause */
/* From call-path records and events to the nodes and events of a TAU profile. */
#include "../internal.h"
#include "internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The node that a record becomes. */
struct view {
    bool kept;
    bool mixed;    /* records right below it are left out */
    int64_t above; /* the nearest record around it that is kept; 0: the root */
    uint64_t calls, subroutines;
    double inclusive[TAU_METRICS], exclusive[TAU_METRICS], below[TAU_METRICS];
};

/* ------------------------------------------------- numbers */

static double metric(const struct portolan_probe_record *r, unsigned m)
{
    return m == 0 ? (r->inclusive_ns + r->open_inclusive_ns + r->carried.inclusive_ns) / 1e3
                  : (double)(r->counters[m - 1] + r->carried.counters[m - 1]);
}

static uint64_t calls_of(const struct portolan_probe_record *r)
{
    return r->calls + r->open_calls + r->carried.calls;
}

/*
 * Inclusive time is own time plus that of the kept calls below. Own time is the record's, which is
 * right even while calls run on other threads; but if records below were left out (and may have
 * been emptied since), it is the difference.
 */
static void settle(struct view *v, const struct portolan_probe_record *r, unsigned n_metrics)
{
    for (unsigned m = 0; m < n_metrics; m++)
        if (m == 0 && !v->mixed) {
            v->exclusive[0] =
                (r->exclusive_ns + r->open_exclusive_ns + r->carried.exclusive_ns) / 1e3;
            v->inclusive[0] = v->exclusive[0] + v->below[0];
        } else {
            v->inclusive[m] = fmax(metric(r, m), v->below[m]);
            v->exclusive[m] = v->inclusive[m] - v->below[m];
        }
    v->calls = calls_of(r);
}

/*
 * Returns whether two records are of one timer with one caller, so that only its parameters
 * distinguish them.
 */
static bool same_timer(const struct portolan_probe_record *a, const struct portolan_probe_record *b)
{
    const struct portolan_probe_method_info *x = portolan_probe_method_peek(a->handle);
    const struct portolan_probe_method_info *y = portolan_probe_method_peek(b->handle);

    return a->parent == b->parent && b->handle & PROBE_TIMED && x->method.kind == y->method.kind &&
           !strcmp(x->method.name, y->method.name) &&
           !strcmp(x->connection.provider, y->connection.provider) &&
           !strcmp(x->connection.port_type, y->connection.port_type);
}

/*
 * A record without calls has callees only. Either its call runs on another thread, and so far only
 * what it called is known; or it is a timer that called them before it had its parameter, and
 * becomes one row with that.
 */
static void settle_calls(struct view *v, const struct portolan_probe_record *records, size_t n,
                         size_t i)
{
    if (v->calls || !(v->inclusive[0] > 0))
        return;
    for (size_t j = 1; records[i].handle & PROBE_TIMED && j < n; j++)
        if (j != i && calls_of(&records[j]) && same_timer(&records[i], &records[j]))
            return;
    v->calls = 1;
}

static void charge(struct view *to, const struct view *v, unsigned n_metrics)
{
    to->subroutines += v->calls;
    for (unsigned m = 0; m < n_metrics; m++)
        to->below[m] += v->inclusive[m];
}

static bool is_kept(const struct portolan_probe_record *r)
{
    return r->parent >= 0 && (r->profiled || r->handle & PROBE_TIMED);
}

/* The root's view is the last. */
static void look(struct view *views, const struct portolan_probe_record *records, size_t base,
                 size_t n, unsigned n_metrics)
{
    for (size_t i = 1; i < n; i++) {
        int64_t parent = records[i].parent - (int64_t)base;

        views[i].kept = is_kept(&records[i]);
        views[i].above = parent == 0 ? 0 : views[parent].kept ? parent : views[parent].above;
        if (!views[i].kept)
            views[views[i].above].mixed = true;
    }
    for (size_t i = n; i-- > 1;)
        if (views[i].kept) {
            settle(&views[i], &records[i], n_metrics);
            settle_calls(&views[i], records, n, i);
            charge(&views[views[i].above], &views[i], n_metrics);
        }
}

static void settle_root(struct view *root, double elapsed_us, unsigned n_metrics)
{
    root->calls = 1;
    for (unsigned m = 0; m < n_metrics; m++) {
        root->inclusive[m] = ceil(fmax(root->below[m], m ? 0 : elapsed_us));
        root->exclusive[m] = root->inclusive[m] - root->below[m];
    }
}

/* ------------------------------------------------- nodes */

/* <n> = <64>, <tolerance> = <1e-06..2e-06> */
static const char *parameters_of(struct portolan_arena *a, const struct portolan_probe_record *r,
                                 const struct portolan_probe_method_info *info)
{
    struct portolan_text t = {.arena = a};

    for (unsigned i = 0; i < r->n_context; i++) {
        const struct portolan_probe_context_stats *c = &r->context[i];
        char value[100] = "other";

        if (c->exact)
            snprintf(value, sizeof value, "%" PRId64, c->value);
        else if (isfinite(c->lower + c->upper))
            snprintf(value, sizeof value, "%.6g..%.6g", c->lower, c->upper);
        portolan_tau_parameter(&t, info->method.context[i], value);
    }
    return t.bytes;
}

const char *tau_name_of(struct portolan_arena *a, const struct portolan_probe_method_info *info)
{
    const struct portolan_probe_connection *c = &info->connection;
    const char *name = info->method.name;

    if (info->method.kind == PORTOLAN_PROBE_CALL_OF_PORT)
        return portolan_tau_method_name(a, c->provider, c->provider_class, name);
    if (*c->provider)
        name = portolan_arena_printf(a, "%s::%s", c->provider, name);
    return name ? portolan_tau_name(a, name) : NULL;
}

static void add_node(struct tau_nodes *out, const struct view *v,
                     const struct portolan_probe_record *r)
{
    struct portolan_arena *a = &out->arena;
    size_t size = out->n_metrics * sizeof(double);
    struct portolan_tau_node *n = &out->nodes[out->n++];
    const struct portolan_probe_method_info *info = NULL;

    *n = (struct portolan_tau_node){
        .above = v->above,
        .name = out->n == 1 ? PORTOLAN_TAU_ROOT : "",
        .group = "TAU_USER",
        .calls = v->calls,
        .subroutines = v->subroutines,
        .inclusive = portolan_arena_alloc(a, out->n_metrics, 2 * sizeof *n->inclusive),
    };
    if (!n->inclusive)
        return;
    n->exclusive = n->inclusive + out->n_metrics;
    memcpy(n->inclusive, v->inclusive, size);
    memcpy(n->exclusive, v->exclusive, size);
    if (!v->kept)
        return;
    info = portolan_probe_method_peek(r->handle);
    n->name = tau_name_of(a, info);
    n->is_phase = info->method.kind == PORTOLAN_PROBE_PHASE;
    n->group = portolan_tau_group(a, info->connection.port_type);
    if (info->method.kind == PORTOLAN_PROBE_CALL_OF_PORT || !info->method.real_contexts)
        n->parameters = parameters_of(a, r, info); /* else one record has the sums of all */
}

enum portolan_status tau_nodes_make(struct tau_nodes *out, const struct tau_source *source,
                                    uint32_t thread, struct portolan_error *err)
{
    const struct portolan_probe_snapshot *s = &source->snapshot;
    const struct portolan_probe_record *records;
    struct view *views;
    size_t base = 0, n = 0;

    out->n = 0;
    out->n_metrics = 1 + (unsigned)portolan_probe_counter_slots();
    while (base < s->count && s->records[base].thread != thread)
        base++;
    while (base + n < s->count && s->records[base + n].thread == thread)
        n++;
    views = portolan_calloc(n + 1, sizeof *views);
    out->nodes = portolan_arena_alloc(&out->arena, n + 1, sizeof *out->nodes);
    out->ids = portolan_arena_alloc(&out->arena, n + 1, sizeof *out->ids);
    if (!views || out->arena.failed) {
        free(views);
        return portolan_no_memory(err);
    }
    records = s->records + base;
    look(views, records, base, n, out->n_metrics);
    settle_root(&views[0], thread ? 0 : (s->now_ns - s->since_ns) / 1e3, out->n_metrics);
    for (size_t i = 0; (i < n || i == 0) && !out->arena.failed; i++) {
        out->ids[i] = n ? records[i].id : 0;
        add_node(out, &views[i], n ? &records[i] : NULL);
    }
    free(views);
    return out->arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

/* ------------------------------------------------- events */

/* "ROOT => CALLER => CALLEE", of the nearest record around ID that is in the profile. */
static const char *path_of(struct portolan_arena *a, const struct tau_nodes *nodes, uint64_t id)
{
    size_t i = 0, n = 0, last = nodes->n - 1;
    const char *path = "", *name;

    while (i < last && nodes->ids[i] != id)
        i++;
    if (nodes->ids[i] != id)
        i = 0;
    for (;; i = (size_t)nodes->nodes[i].above) {
        name = nodes->nodes[i].name;
        if (*name) /* not of a record that is left out */
            path = portolan_arena_printf(a, n++ ? "%s => %s" : "%s%s", name, path);
        if (i == 0 || !path)
            return path;
    }
}

static int compare_events(const void *a, const void *b)
{
    const struct portolan_tau_event *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* Merges events whose names became equal by cleaning, and those of records with the same path. */
static void merge_events(struct tau_events *out)
{
    size_t kept = 0;

    if (out->n)
        qsort(out->events, out->n, sizeof *out->events, compare_events);
    for (size_t i = 0; i < out->n; i++) {
        struct portolan_tau_event *last = kept ? &out->events[kept - 1] : NULL;
        const struct portolan_tau_event *e = &out->events[i];

        if (!last || compare_events(last, e)) {
            out->events[kept++] = *e;
            continue;
        }
        last->mean = (last->mean * (double)last->count + e->mean * (double)e->count) /
                     (double)(last->count + e->count);
        last->count += e->count;
        last->max = fmax(last->max, e->max);
        last->min = fmin(last->min, e->min);
        last->sum_squares += e->sum_squares;
    }
    out->n = kept;
}

enum portolan_status tau_events_make(struct tau_events *out, const struct tau_source *source,
                                     uint32_t thread, const struct tau_nodes *nodes,
                                     bool with_paths, struct portolan_error *err)
{
    struct portolan_arena *a = &out->arena;

    out->n = 0;
    out->events = portolan_arena_alloc(a, source->n_events + 1, sizeof *out->events);
    for (size_t i = 0; i < source->n_events && !a->failed; i++) {
        const struct portolan_probe_event_record *e = &source->events[i];
        const char *name;

        if (e->thread != thread || (e->has_record && !with_paths))
            continue;
        name = portolan_tau_name(a, e->name);
        if (name && e->has_record)
            name = portolan_arena_printf(a, "%s : %s", name, path_of(a, nodes, e->record));
        out->events[out->n++] = (struct portolan_tau_event){.name = name,
                                                            .count = e->count,
                                                            .max = e->max,
                                                            .min = e->min,
                                                            .mean = e->mean,
                                                            .sum_squares = e->sum_squares};
    }
    if (a->failed)
        return portolan_no_memory(err);
    merge_events(out);
    return PORTOLAN_OK;
}

/* ------------------------------------------------- sources */

enum portolan_status tau_source_take(struct tau_source *source, struct portolan_error *err)
{
    enum portolan_status status = portolan_probe_snapshot_take(&source->snapshot, err);

    return status ? status : portolan_probe_events_take(&source->events, &source->n_events, err);
}

void tau_source_clear(struct tau_source *source)
{
    portolan_probe_snapshot_clear(&source->snapshot);
    free(source->events);
    source->events = NULL;
}

uint64_t tau_count(const struct tau_source *source)
{
    const struct portolan_probe_snapshot *s = &source->snapshot;
    uint64_t count = 0;

    for (size_t i = 0; i < s->count; i++)
        if (is_kept(&s->records[i]))
            count += calls_of(&s->records[i]);
    for (size_t i = 0; i < source->n_events; i++)
        if (!source->events[i].has_record)
            count += source->events[i].count;
    return count;
}

/* ------------------------------------------------- totals of all threads */

static void add_total(struct portolan_tau_rows *out, const struct portolan_tau_row *row)
{
    size_t i = 0;

    while (i < out->n && strcmp(out->rows[i].name, row->name))
        i++;
    if (i == out->n)
        out->rows[out->n++] = *row;
    else
        tau_add_row(&out->rows[i], row, out->n_metrics);
}

/* All of a thread's rows stay in the one arena, so that those that are kept need no copies. */
static enum portolan_status add_thread(struct portolan_tau_rows *out,
                                       const struct tau_source *source, uint32_t thread,
                                       struct portolan_error *err)
{
    struct tau_nodes nodes = {.arena = out->arena};
    struct portolan_tau_rows rows = {0};
    enum portolan_status status = tau_nodes_make(&nodes, source, thread, err);

    rows.arena = nodes.arena;
    if (status == PORTOLAN_OK)
        status = portolan_tau_make_rows(&rows, nodes.nodes, nodes.n, nodes.n_metrics, err);
    out->arena = rows.arena;
    for (size_t i = 0; status == PORTOLAN_OK && i < rows.n; i++)
        if (rows.rows[i].kind == PORTOLAN_TAU_FLAT)
            add_total(out, &rows.rows[i]);
    return status;
}

enum portolan_status portolan_probe_total_tau(struct portolan_tau_rows *rows,
                                              struct portolan_error *err)
{
    struct tau_source source = {0};
    enum portolan_status status = tau_source_take(&source, err);

    rows->n = 0;
    rows->n_metrics = 1 + (unsigned)portolan_probe_counter_slots();
    rows->rows = portolan_arena_alloc(&rows->arena, source.snapshot.count + 1, sizeof *rows->rows);
    if (status == PORTOLAN_OK && !rows->rows)
        status = portolan_no_memory(err);
    for (uint32_t t = 0; status == PORTOLAN_OK && t < source.snapshot.threads; t++)
        status = add_thread(rows, &source, t, err);
    tau_source_clear(&source);
    return status;
}

/* ------------------------------------------------- names */

struct names {
    struct portolan_arena *arena;
    const char **list;
    size_t n;
};

static void add_name(struct names *names, const char *name)
{
    const char **more;

    for (size_t i = 0; i < names->n; i++)
        if (!name || !strcmp(names->list[i], name))
            return;
    more = portolan_arena_grow(names->arena, names->list, names->n, sizeof *more);
    if (!more)
        return;
    names->list = more;
    more[names->n++] = name;
}

static bool add_timer(void *arg, const struct portolan_probe_method_info *info)
{
    struct names *names = arg;

    if (info->method.kind != PORTOLAN_PROBE_CALL_OF_PORT)
        add_name(names, tau_name_of(names->arena, info));
    return !names->arena->failed;
}

enum portolan_status portolan_probe_name_tau(struct portolan_arena *a, const char ***list,
                                             size_t *n, struct portolan_error *err)
{
    struct names names = {.arena = a};
    struct portolan_tau_rows rows = {0};
    enum portolan_status status = portolan_probe_total_tau(&rows, err);

    for (size_t i = 0; status == PORTOLAN_OK && i < rows.n && !a->failed; i++)
        add_name(&names, portolan_arena_strdup(a, rows.rows[i].name));
    portolan_arena_clear(&rows.arena);
    if (status == PORTOLAN_OK)
        portolan_probe_methods_visit(add_timer, &names);
    if (status == PORTOLAN_OK && a->failed)
        status = portolan_no_memory(err);
    *list = names.list;
    *n = names.n;
    return status;
}

enum portolan_status portolan_probe_dump_tau_names(const char *file, struct portolan_error *err)
{
    struct portolan_arena a = {0};
    struct portolan_text t = {0};
    const char **names, *folder = tau_folder(NULL);
    size_t n;
    char *path = portolan_asprintf("%s/%s", folder, file);
    enum portolan_status status = portolan_probe_name_tau(&a, &names, &n, err);

    portolan_text_add(&t, "number of functions %zu\n", status ? 0 : n);
    for (size_t i = 0; status == PORTOLAN_OK && i < n; i++)
        portolan_text_add(&t, "%s\n", names[i]);
    if (status == PORTOLAN_OK && (!path || t.failed))
        status = portolan_no_memory(err);
    if (status == PORTOLAN_OK)
        status = tau_make_folder(folder, err);
    if (status == PORTOLAN_OK)
        status = portolan_replace_file(path, t.bytes, t.length, err);
    portolan_text_clear(&t);
    portolan_arena_clear(&a);
    free(path);
    return status;
}
