/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An assembly as an experiment: it runs with its calls of MPI recorded, and with the ports that its
 * paradigm names measured call by call; both become one trace.
 */
#include "diagnose.h"

#include <portolan/command.h>
#include <portolan/list.h>
#include <portolan/recorder.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------- what is measured */

static bool is_part(const struct portolan_assembly_part *p,
                    const struct portolan_assembly_connection *c)
{
    return p->uses && !strcmp(p->uses, c->uses) && (!p->user || !strcmp(p->user, c->user));
}

/* Ports of parts store a row for each call; others only forward. */
static void choose_ports(struct portolan_assembly *a, const struct portolan_assembly_paradigm *p)
{
    for (size_t i = 0; i < a->n_connections; i++) {
        struct portolan_assembly_connection *c = &a->connections[i];

        c->has_rows = false;
        for (size_t k = 0; p && k < p->n_parts && !c->has_rows; k++)
            c->has_rows = is_part(&p->parts[k], c);
        c->monitored = c->monitored || c->has_rows;
        c->one_in = 0;
        c->variant = c->has_rows ? "mastermind" : "forward";
    }
    a->go.variant = a->go.monitored ? "mastermind" : NULL;
}

static enum portolan_status write_assembly(const struct portolan_assembly *a, const char *file,
                                           struct portolan_error *err)
{
    char *text = NULL;
    enum portolan_status status = portolan_assembly_write(a, file, &text, err);

    if (!status && write_text(file, text))
        status = portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be written", file);
    free(text);
    return status;
}

/* ------------------------------------------------- the run */

/* The files of the experiment, in its folder. */
struct files {
    const char *assembly, *store, *trace;
};

static enum portolan_status run(const struct assembly_experiment *x, const struct files *files,
                                struct portolan_error *err)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *words[] = {self,
                     (char *)"run",
                     (char *)"--fixed",
                     (char *)"--quiet",
                     (char *)"--store",
                     (char *)files->store,
                     (char *)files->assembly,
                     NULL};
    const struct recording r = {.launcher = x->launcher,
                                .n_ranks = x->n_ranks,
                                .program = words,
                                .folder = files->trace,
                                .records_itself = true};
    enum portolan_status status;
    int result = 0;

    self[length > 0 ? length : 0] = 0;
    status = record_program(&r, &result, err);
    if (!status && result)
        status =
            portolan_error_set(err, PORTOLAN_EFOREIGN, "the run ended with exit status %d", result);
    return status;
}

/* ------------------------------------------------- rows of calls as spans */

struct spans {
    struct portolan_arena *arena;
    struct portolan_trace_span *spans;
    size_t n, room;
    const int64_t *began; /* of each rank, in the trace's time; INT64_MAX: not known */
    int n_ranks;
    const struct portolan_sample *path; /* of the row before */
    struct portolan_trace_region region;
    const char *names[PORTOLAN_CONTEXT_MAX];
    bool has_memory;
};

static void take_path(struct spans *s, const struct portolan_sample *path)
{
    if (path == s->path)
        return;
    s->path = path;
    s->region =
        (struct portolan_trace_region){.kind = PORTOLAN_TRACE_PORT,
                                       .name = portolan_arena_strdup(s->arena, path->method),
                                       .user = portolan_arena_strdup(s->arena, path->user),
                                       .port = portolan_arena_strdup(s->arena, path->uses),
                                       .provider = portolan_arena_strdup(s->arena, path->instance)};
    for (int i = 0; i < path->n_context; i++)
        s->names[i] = portolan_arena_strdup(s->arena, path->context_name[i]);
}

static int take_row(void *arg, const struct portolan_sample *path,
                    const struct portolan_invocation *row)
{
    struct spans *s = arg;
    struct portolan_trace_span span = {.rank = path->rank, .thread = path->thread};
    size_t n = (size_t)path->n_context;
    const char **names;
    double *values;

    if (path->rank >= s->n_ranks || s->began[path->rank] == INT64_MAX)
        return 0;
    take_path(s, path);
    names = portolan_arena_alloc(s->arena, n, sizeof *names);
    values = portolan_arena_alloc(s->arena, n, sizeof *values);
    if (s->arena->failed || !portolan_reserve(&s->spans, &s->room, s->n + 1, sizeof *s->spans)) {
        s->has_memory = false;
        return 1;
    }
    for (size_t i = 0; i < n; i++)
        if (!isnan(row->context[i])) {
            names[span.n_values] = s->names[i];
            values[span.n_values++] = row->context[i];
        }
    span.region = s->region;
    span.names = names;
    span.values = values;
    span.begin_ns = s->began[path->rank] + llround(row->start_ns);
    span.end_ns = span.begin_ns + llround(row->inclusive_ns);
    s->spans[s->n++] = span;
    return 0;
}

/* When the trial began: the value is read a little before its event, so the least is nearest. */
static void find_begins(const struct portolan_trace *t, int64_t *began)
{
    for (int rank = 0; rank < t->n_ranks; rank++)
        began[rank] = INT64_MAX;
    for (size_t i = 0; i < t->n_locations; i++) {
        const struct portolan_trace_location *l = &t->locations[i];

        for (size_t k = l->first; k < l->first + l->n; k++) {
            const struct portolan_trace_event *e = &t->events[k];
            int64_t begin;

            if (e->kind != PORTOLAN_TRACE_VALUE ||
                strcmp(t->names[e->what], PORTOLAN_RECORDER_TRIAL_NS) != 0)
                continue;
            begin = e->ns - llround(portolan_trace_value(e));
            if (begin < began[l->rank])
                began[l->rank] = begin;
        }
    }
}

static enum portolan_status join_rows(struct spans *s, const char *path,
                                      struct portolan_trace **trace, struct portolan_error *err)
{
    struct portolan_store *store = NULL;
    struct portolan_trace *both = NULL;
    enum portolan_status status = portolan_store_open(path, PORTOLAN_STORE_READ, &store, err);

    if (!status)
        status = portolan_store_visit_invocations(store, 1, NULL, take_row, s, err);
    portolan_store_close(store);
    if (!status && !s->has_memory)
        status = portolan_no_memory(err);
    if (!status)
        status = portolan_trace_with_spans(*trace, s->spans, s->n, &both, err);
    if (status)
        return status;
    portolan_trace_destroy(*trace);
    *trace = both;
    return PORTOLAN_OK;
}

static enum portolan_status read_both(const struct files *files, struct portolan_arena *arena,
                                      struct portolan_diagnostics *d, struct portolan_trace **trace,
                                      struct portolan_error *err)
{
    struct spans s = {.arena = arena, .has_memory = true};
    enum portolan_status status = portolan_trace_read(files->trace, d, trace, err);
    int64_t *began;

    if (status)
        return status;
    began = portolan_arena_alloc(arena, (size_t)(*trace)->n_ranks, sizeof *began);
    if (!began)
        return portolan_no_memory(err);
    find_begins(*trace, began);
    s.began = began;
    s.n_ranks = (*trace)->n_ranks;
    status = join_rows(&s, files->store, trace, err);
    free(s.spans);
    return status;
}

enum portolan_status diagnose_assembly(const struct assembly_experiment *x,
                                       struct portolan_arena *arena, struct portolan_diagnostics *d,
                                       struct portolan_trace **trace, struct portolan_error *err)
{
    const struct files files = {.assembly = portolan_arena_printf(arena, "%s/run.xml", x->folder),
                                .store = portolan_arena_printf(arena, "%s/run.db", x->folder),
                                .trace = portolan_arena_printf(arena, "%s/trace", x->folder)};
    enum portolan_status status;

    if (arena->failed)
        return portolan_no_memory(err);
    choose_ports(x->assembly, x->paradigm);
    status = write_assembly(x->assembly, files.assembly, err);
    if (!status)
        status = run(x, &files, err);
    return status ? status : read_both(&files, arena, d, trace, err);
}
