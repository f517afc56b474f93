/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that a program gave by name. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An event by name and call path, over ranks and threads. */
struct total {
    const char *name;
    int64_t path;
    double count, sum, sum_squares, min, max;
};

/* Paths of different ranks may be the same, but stand at one position if the store says so. */
static int by_name(const void *a, const void *b)
{
    const struct portolan_event *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);

    return order ? order : ((*x)->path > (*y)->path) - ((*x)->path < (*y)->path);
}

static void add_event(struct total *t, const struct portolan_event *e)
{
    double n = (double)e->count;

    t->min = t->count == 0 ? e->min : fmin(t->min, e->min);
    t->max = t->count == 0 ? e->max : fmax(t->max, e->max);
    t->count += n;
    t->sum += e->mean * n;
    t->sum_squares += e->sum_squares;
}

static struct total *collect(const struct portolan_event_set *set, size_t *n)
{
    const struct portolan_event **sorted = portolan_calloc(set->n_events + 1, sizeof *sorted);
    struct total *totals = portolan_calloc(set->n_events + 1, sizeof *totals);

    *n = 0;
    for (size_t i = 0; sorted && i < set->n_events; i++)
        sorted[i] = &set->events[i];
    if (sorted)
        qsort(sorted, set->n_events, sizeof *sorted, by_name);
    for (size_t i = 0; sorted && totals && i < set->n_events; i++) {
        if (i == 0 || by_name(&sorted[i], &sorted[i - 1]) != 0)
            totals[(*n)++] = (struct total){.name = sorted[i]->name, .path = sorted[i]->path};
        if (sorted[i]->count > 0)
            add_event(&totals[*n - 1], sorted[i]);
    }
    if (!sorted) {
        free(totals);
        totals = NULL;
    }
    free(sorted);
    return totals;
}

/* "main.go => solver.solve", from the root. */
static void add_path(const struct portolan_event_set *set, int64_t path, struct portolan_text *text)
{
    const struct portolan_sample *s;

    if (path < 0)
        return;
    s = &set->samples[path];
    add_path(set, s->parent, text);
    portolan_text_add(text, "%s%s%s%s", s->parent >= 0 ? " => " : "", s->instance,
                      *s->instance ? "." : "", s->method);
}

static void add_name(const struct portolan_event_set *set, const struct total *total,
                     struct table *t)
{
    struct portolan_text text = {.arena = &t->texts};

    portolan_text_add(&text, "%s", total->name);
    if (total->path >= 0) {
        portolan_text_add(&text, " : ");
        add_path(set, total->path, &text);
    }
    table_text(t, text.bytes ? text.bytes : "");
    t->failed |= text.failed;
}

static enum portolan_status write_text(const struct view *v, const struct portolan_event_set *set)
{
    static const struct column columns[] = {
        {"event", COLUMN_NAME}, {"count", COLUMN_COUNT}, {"mean", COLUMN_PLAIN},
        {"min", COLUMN_PLAIN},  {"max", COLUMN_PLAIN},   {"stddev", COLUMN_PLAIN},
    };
    struct table t = {.columns = columns, .n_columns = 6, .wide = v->r->wide};
    struct portolan_text *out = v->out;
    size_t n, shown = 0, top = v->r->top;
    struct total *totals = collect(set, &n);

    if (!totals)
        return portolan_no_memory(v->err);
    for (; shown < n && (!top || shown < top); shown++) {
        const struct total *e = &totals[shown];
        double mean = e->sum / e->count;

        add_name(set, e, &t);
        table_number(&t, e->count);
        table_number(&t, mean);
        table_number(&t, e->min);
        table_number(&t, e->max);
        table_number(&t, sqrt(fmax(0, e->sum_squares / e->count - mean * mean)));
    }
    free(totals);
    if (n)
        table_write(&t, out);
    else
        portolan_text_add(out, "no event is stored\n");
    if (shown < n)
        portolan_text_add(out, "... and %zu more (--top)\n", n - shown);
    return PORTOLAN_OK;
}

static enum portolan_status write_json(const struct view *v, const struct portolan_event_set *set)
{
    struct portolan_json j = {.out = v->out};

    profile_json_begin(&j, "events", v->p->trial);
    portolan_json_open(&j, "events", '[');
    for (size_t i = 0; i < set->n_events; i++) {
        const struct portolan_event *e = &set->events[i];
        struct portolan_text path = {0};

        portolan_json_open(&j, NULL, '{');
        portolan_json_number(&j, "rank", e->rank);
        portolan_json_number(&j, "thread", e->thread);
        portolan_json_text(&j, "name", e->name);
        add_path(set, e->path, &path);
        portolan_json_text(&j, "path", path.bytes);
        v->out->failed |= path.failed;
        portolan_text_clear(&path);
        portolan_json_number(&j, "count", (double)e->count);
        portolan_json_number(&j, "max", e->max);
        portolan_json_number(&j, "min", e->min);
        portolan_json_number(&j, "mean", e->mean);
        portolan_json_number(&j, "sum_squares", e->sum_squares);
        portolan_json_close(&j, '}');
    }
    portolan_json_close(&j, ']');
    return profile_json_end(&j, v->err);
}

enum portolan_status report_events(const struct view *v)
{
    struct portolan_event_set *set = NULL;
    enum portolan_status status =
        portolan_store_read_events(v->store, v->p->trial->id, v->r->rank, &set, v->err);

    if (status == PORTOLAN_OK)
        status = v->r->as_json ? write_json(v, set) : write_text(v, set);
    portolan_event_set_destroy(set);
    return status;
}
