/* SPDX-License-Identifier: BSD-3-Clause */
/* Single calls: the first ones, or the longest. */
#include "report.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const struct portolan_sample *path;
    struct portolan_invocation call;
    double key;
    size_t number; /* in the order of the store */
};

struct collecting {
    const struct portolan_profile_report *report;
    enum { AS_STORED, BY_INCLUSIVE, BY_EXCLUSIVE, BY_MPI } order;
    struct row *rows;
    size_t n, capacity, seen, matching;
    struct portolan_kept_paths paths;
    bool failed;
};

static enum portolan_status set_order(struct collecting *c, struct portolan_error *err)
{
    static const char *const names[] = {"called", "inclusive", "exclusive", "mpi"};
    const char *sort = c->report->sort ? c->report->sort : names[0];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(sort, names[i])) {
            c->order = (unsigned)i;
            return PORTOLAN_OK;
        }
    return portolan_error_set(
        err, PORTOLAN_EINVAL,
        "cannot sort single calls by '%s'; the keys are: called, inclusive, exclusive, mpi", sort);
}

static double key_of(const struct collecting *c, const struct portolan_invocation *r)
{
    switch (c->order) {
    case BY_INCLUSIVE:
        return r->inclusive_ns;
    case BY_EXCLUSIVE:
        return r->exclusive_ns;
    case BY_MPI:
        return r->mpi_ns;
    default:
        return 0;
    }
}

static bool matches(const struct collecting *c, const struct portolan_sample *s)
{
    const char *pattern = c->report->method;
    char name[512];

    if (!pattern || !fnmatch(pattern, s->method, 0))
        return true;
    snprintf(name, sizeof name, "%s.%s", s->instance, s->method);
    return !fnmatch(pattern, name, 0);
}

static int greatest_first(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Keeps the TOP largest rows; called when there are twice as many, and at the end. */
static void leave_top(struct collecting *c)
{
    size_t top = c->report->top;

    if (c->order != AS_STORED && c->n)
        qsort(c->rows, c->n, sizeof *c->rows, greatest_first);
    c->n = top && c->n > top ? top : c->n;
}

static bool keep(struct collecting *c, const struct row *row)
{
    size_t top = c->report->top;

    if (top && c->n >= (c->order == AS_STORED ? top : 2 * top))
        leave_top(c);
    if (top && c->order == AS_STORED && c->n == top)
        return true;
    if (c->n == c->capacity) {
        size_t wanted = c->capacity ? 2 * c->capacity : 64;
        struct row *grown = portolan_reallocarray(c->rows, wanted, sizeof *grown);

        if (!grown)
            return false;
        c->rows = grown;
        c->capacity = wanted;
    }
    c->rows[c->n++] = *row;
    return true;
}

static int visit(void *arg, const struct portolan_sample *path,
                 const struct portolan_invocation *call)
{
    struct collecting *c = arg;
    struct row row = {.call = *call, .key = key_of(c, call), .number = c->seen++};

    if (!matches(c, path))
        return 0;
    c->matching++;
    row.path = portolan_profile_keep_path(&c->paths, call->path, path);
    c->failed = !row.path || !keep(c, &row);
    return c->failed;
}

static void add_context(const struct row *r, struct grid *t)
{
    struct portolan_text text = {.arena = &t->arena};

    for (int i = 0; i < r->path->n_context; i++) {
        portolan_text_add(&text, "%s%s=", i ? " " : "", r->path->context_name[i]);
        portolan_profile_add_context(r->call.context[i], false, &text);
    }
    for (int i = 0; i < r->call.n_counters; i++)
        if (!isnan(r->call.counter[i]))
            portolan_text_add(&text, "%s%s=%.0f", text.length ? " " : "", r->path->counter_name[i],
                              r->call.counter[i]);
    grid_take(t, &text);
}

static void write_text(const struct collecting *c, struct portolan_text *out)
{
    static const struct grid_column columns[] = {
        {"rank", GRID_COUNT},     {"thread", GRID_COUNT},   {"method", GRID_NAME},
        {"call", GRID_COUNT},     {"step", GRID_COUNT},     {"start", GRID_TIME},
        {"inclusive", GRID_TIME}, {"exclusive", GRID_TIME}, {"mpi", GRID_TIME},
        {"with", GRID_NAME},
    };
    struct grid t = {.columns = columns, .n_columns = 10, .wide = c->report->wide};

    for (size_t i = 0; i < c->n; i++) {
        const struct row *r = &c->rows[i];
        const struct portolan_profile_node node = portolan_profile_node_of(r->path);
        struct portolan_text label = {.arena = &t.arena};

        grid_number(&t, r->path->rank);
        grid_number(&t, r->path->thread);
        portolan_profile_add_label(&node, false, &label);
        grid_take(&t, &label);
        grid_numbers(&t, (double)r->call.ordinal, r->call.step, r->call.start_ns,
                     r->call.inclusive_ns, r->call.exclusive_ns, r->call.mpi_ns);
        add_context(r, &t);
    }
    grid_write(&t, out);
    if (c->n < c->matching)
        portolan_text_add(out, "... and %zu more calls (--top)\n", c->matching - c->n);
}

static void write_json_row(struct portolan_json *j, const struct row *r)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_number(j, "rank", r->path->rank);
    portolan_json_number(j, "thread", r->path->thread);
    portolan_json_text(j, "instance", r->path->instance);
    portolan_json_text(j, "implementation", r->path->implementation);
    portolan_json_text(j, "method", r->path->method);
    portolan_json_number(j, "call", (double)r->call.ordinal);
    portolan_json_number(j, "step", r->call.step);
    portolan_json_number(j, "start_ns", r->call.start_ns);
    portolan_json_number(j, "inclusive_ns", r->call.inclusive_ns);
    portolan_json_number(j, "exclusive_ns", r->call.exclusive_ns);
    portolan_json_number(j, "mpi_ns", r->call.mpi_ns);
    portolan_json_number(j, "quality", r->call.quality);
    portolan_json_number(j, "one_in", r->call.one_in);
    portolan_json_numbers(j, "context", r->path->context_name, r->call.context,
                          (size_t)r->path->n_context);
    portolan_json_numbers(j, "counters", r->path->counter_name, r->call.counter,
                          (size_t)r->call.n_counters);
    portolan_json_close(j, '}');
}

static void write_json(const struct collecting *c, const struct portolan_trial *trial,
                       struct portolan_text *out)
{
    struct portolan_json j = {.out = out};

    profile_json_begin(&j, "rows", trial);
    portolan_json_number(&j, "matching", (double)c->matching);
    portolan_json_open(&j, "rows", '[');
    for (size_t i = 0; i < c->n; i++)
        write_json_row(&j, &c->rows[i]);
    portolan_json_close(&j, ']');
    portolan_json_close(&j, '}');
}

enum portolan_status report_rows(const struct view *v)
{
    struct collecting c = {.report = v->r};
    long long trial = v->p->trial->id;
    enum portolan_status status = set_order(&c, v->err);

    if (status == PORTOLAN_OK)
        status = portolan_store_visit_invocations(v->store, trial, v->r->rank, visit, &c, v->err);
    if (status == PORTOLAN_OK && c.failed)
        status = portolan_no_memory(v->err);
    if (status == PORTOLAN_OK && c.seen == 0)
        status = portolan_error_set(v->err, PORTOLAN_ENOTFOUND,
                                    "trial %lld has no rows of single calls; the Mastermind's "
                                    "parameter 'rows' names the ports whose calls are stored",
                                    trial);
    if (status == PORTOLAN_OK) {
        leave_top(&c);
        if (v->r->as_json)
            write_json(&c, v->p->trial, v->out);
        else
            write_text(&c, v->out);
    }
    free(c.rows);
    portolan_arena_clear(&c.paths.arena);
    return status;
}
