/* SPDX-License-Identifier: BSD-3-Clause */
/* From call-path records to the rows of a TAU profile: flat totals, call paths, parameters. */
#include "tau.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT_NAME ".TAU application"

/* What becomes of a record. */
struct view {
    bool kept;
    bool mixed;    /* records that are left out were charged to others below it */
    int64_t above; /* the nearest record around it that is kept, or -1: the root */
    uint64_t calls, subroutines;
    double inclusive[TAU_METRICS], exclusive[TAU_METRICS], below[TAU_METRICS];
    const char *name, *path, *group;
};

/* ------------------------------------------------- numbers */

static double metric(const struct portolan_probe_record *r, unsigned m)
{
    return m == 0 ? (r->inclusive_ns + r->open_inclusive_ns) / 1e3 : (double)r->counters[m - 1];
}

/*
 * Inclusive is own time and that of the kept calls below. Own time is the record's, and so is
 * right also where calls are still running on other threads; but where records were left out
 * below (which may have been emptied since) it is the difference.
 */
static void settle(struct view *v, const struct portolan_probe_record *r, unsigned n_metrics)
{
    for (unsigned m = 0; m < n_metrics; m++)
        if (m == 0 && !v->mixed) {
            v->exclusive[0] = (r->exclusive_ns + r->open_exclusive_ns) / 1e3;
            v->inclusive[0] = v->exclusive[0] + v->below[0];
        } else {
            v->inclusive[m] = fmax(metric(r, m), v->below[m]);
            v->exclusive[m] = v->inclusive[m] - v->below[m];
        }
    v->calls = r->calls + r->open_calls;
    if (!v->calls && v->inclusive[0] > 0)
        v->calls = 1; /* it runs on another thread, and so far only what it called is known */
}

static void charge(struct view *to, const struct view *v, unsigned n_metrics)
{
    to->subroutines += v->calls;
    for (unsigned m = 0; m < n_metrics; m++)
        to->below[m] += v->inclusive[m];
}

static bool is_kept(const struct portolan_probe_record *r)
{
    return r->parent >= 0 && r->profiled;
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
            charge(&views[views[i].above], &views[i], n_metrics);
        }
}

/* Whole numbers: some readers take no others in the first row. */
static void settle_root(struct view *root, double elapsed_us, unsigned n_metrics)
{
    root->calls = 1;
    for (unsigned m = 0; m < n_metrics; m++) {
        root->inclusive[m] = ceil(fmax(root->below[m], m ? 0 : elapsed_us));
        root->exclusive[m] = floor(root->inclusive[m] - root->below[m]);
    }
}

/* ------------------------------------------------- names */

/* No quotes, one blank at a time, and none of what means something to readers. */
static void clean(char *name)
{
    char *to = name;

    for (const char *c = name; *c; c++) {
        char x = (unsigned char)*c < ' ' || *c == 127 ? ' ' : *c == '"' ? '\'' : *c;

        if (x == '>' && to > name && to[-1] == '=')
            to[-1] = '-'; /* "=>" is between the steps of a path */
        if (x != ' ' || (to > name && to[-1] != ' '))
            *to++ = x;
    }
    if (to > name && to[-1] == ' ')
        to--;
    *to = '\0';
}

static const char *timer_name(struct portolan_arena *a,
                              const struct portolan_probe_method_info *info)
{
    const struct portolan_probe_connection *c = &info->connection;
    char *name;

    if (*c->provider && *c->provider_class && strcmp(c->provider, c->provider_class))
        name = portolan_arena_printf(a, "%s (%s)::%s()", c->provider, c->provider_class,
                                     info->method.name);
    else if (*c->provider || *c->provider_class)
        name = portolan_arena_printf(a, "%s::%s()", *c->provider ? c->provider : c->provider_class,
                                     info->method.name);
    else
        name = portolan_arena_printf(a, "%s()", info->method.name);
    if (name)
        clean(name);
    return name;
}

/* Groups are divided by '|' and named without blanks. */
static const char *group_name(struct portolan_arena *a,
                              const struct portolan_probe_method_info *info)
{
    char *name = portolan_arena_strdup(a, *info->connection.port_type ? info->connection.port_type
                                                                      : "TAU_USER");

    for (char *c = name; c && *c; c++)
        if (*c == '|' || *c == '"' || (unsigned char)*c <= ' ')
            *c = '_';
    return name;
}

/* NAME [ <n> = <64>, <tolerance> = <1e-06..2e-06> ] */
static const char *parameter_name(struct portolan_arena *a, const struct view *v,
                                  const struct portolan_probe_record *r,
                                  const struct portolan_probe_method_info *info)
{
    struct portolan_text t = {.arena = a};

    portolan_text_add(&t, "%s [", v->name);
    for (unsigned i = 0; i < r->n_context; i++) {
        const struct portolan_probe_context_stats *c = &r->context[i];

        portolan_text_add(&t, "%s <%s> = ", i ? "," : "", info->method.context[i]);
        if (c->exact)
            portolan_text_add(&t, "<%" PRId64 ">", c->value);
        else if (isfinite(c->lower + c->upper))
            portolan_text_add(&t, "<%.6g..%.6g>", c->lower, c->upper);
        else
            portolan_text_add(&t, "<other>");
    }
    portolan_text_add(&t, " ]");
    return t.failed ? NULL : t.bytes;
}

/* ------------------------------------------------- rows */

static void add_row(struct tau_rows *out, enum tau_kind kind, const char *name,
                    const struct view *v, bool outermost, unsigned n_metrics)
{
    struct tau_row *row = &out->rows[out->n++];

    *row = (struct tau_row){.kind = kind,
                            .name = name,
                            .group = v->group,
                            .calls = v->calls,
                            .subroutines = v->subroutines};
    for (unsigned m = 0; m < n_metrics; m++) {
        row->exclusive[m] = v->exclusive[m];
        row->inclusive[m] = outermost ? v->inclusive[m] : 0;
    }
    out->arena.failed = out->arena.failed || !name || !v->group;
}

/* A name's inclusive time is that of its outermost call. */
static bool is_outermost(const struct view *views, size_t i)
{
    for (int64_t k = views[i].above; k > 0; k = views[k].above)
        if (!strcmp(views[k].name, views[i].name))
            return false;
    return true;
}

static void add_record(struct tau_rows *out, struct view *views, size_t i,
                       const struct portolan_probe_record *r, unsigned n_metrics)
{
    const struct portolan_probe_method_info *info = portolan_probe_method_peek(r->handle);
    struct view *v = &views[i];
    bool outermost;

    v->name = timer_name(&out->arena, info);
    v->group = group_name(&out->arena, info);
    v->path = portolan_arena_printf(&out->arena, "%s => %s", views[v->above].path, v->name);
    if (out->arena.failed || !v->calls)
        return;
    outermost = is_outermost(views, i);
    add_row(out, TAU_FLAT, v->name, v, outermost, n_metrics);
    add_row(out, TAU_PATH, v->path, v, true, n_metrics);
    if (r->n_context)
        add_row(out, TAU_PARAMETERS, parameter_name(&out->arena, v, r, info), v, outermost,
                n_metrics);
}

static int compare_rows(const void *a, const void *b)
{
    const struct tau_row *x = a, *y = b;

    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
                              : strcmp(x->name, y->name);
}

/* Rows of one name become one: other contexts, other users, other paths. */
static void merge(struct tau_rows *out, unsigned n_metrics)
{
    size_t kept = 0;

    qsort(out->rows, out->n, sizeof *out->rows, compare_rows);
    for (size_t i = 0; i < out->n; i++) {
        struct tau_row *last = kept ? &out->rows[kept - 1] : NULL, *row = &out->rows[i];

        if (!last || compare_rows(last, row)) {
            out->rows[kept++] = *row;
            continue;
        }
        last->calls += row->calls;
        last->subroutines += row->subroutines;
        for (unsigned m = 0; m < n_metrics; m++) {
            last->exclusive[m] += row->exclusive[m];
            last->inclusive[m] += row->inclusive[m];
        }
    }
    out->n = kept;
}

enum portolan_status tau_rows_make(struct tau_rows *out, const struct portolan_probe_snapshot *s,
                                   uint32_t thread, struct portolan_error *err)
{
    unsigned n_metrics = 1 + (unsigned)portolan_probe_counters_count();
    const struct portolan_probe_record *records;
    struct view *views;
    size_t base = 0, n = 0;

    while (base < s->count && s->records[base].thread != thread)
        base++;
    while (base + n < s->count && s->records[base + n].thread == thread)
        n++;
    views = portolan_calloc(n + 1, sizeof *views);
    out->rows = portolan_arena_alloc(&out->arena, 3 * n + 1, sizeof *out->rows);
    if (!views || !out->rows) {
        free(views);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    }
    records = s->records + base;
    look(views, records, base, n, n_metrics);
    settle_root(&views[0], thread ? 0 : (s->now_ns - s->since_ns) / 1e3, n_metrics);
    views[0].name = views[0].path = ROOT_NAME;
    views[0].group = "TAU_USER";
    add_row(out, TAU_ROOT, ROOT_NAME, &views[0], true, n_metrics);
    for (size_t i = 1; i < n && !out->arena.failed; i++)
        if (views[i].kept)
            add_record(out, views, i, &records[i], n_metrics);
    free(views);
    if (out->arena.failed)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    merge(out, n_metrics);
    return PORTOLAN_OK;
}

uint64_t tau_calls_of(const struct portolan_probe_snapshot *s)
{
    uint64_t calls = 0;

    for (size_t i = 0; i < s->count; i++)
        if (is_kept(&s->records[i]))
            calls += s->records[i].calls + s->records[i].open_calls;
    return calls;
}

enum portolan_status tau_count_calls(uint64_t *calls, struct portolan_error *err)
{
    struct portolan_probe_snapshot s = {0};
    enum portolan_status status = portolan_probe_snapshot_take(&s, err);

    *calls = status == PORTOLAN_OK ? tau_calls_of(&s) : 0;
    portolan_probe_snapshot_clear(&s);
    return status;
}
