/* SPDX-License-Identifier: BSD-3-Clause */
/* Time in MPI by routine, traffic between pairs of ranks, and events (values with a name). */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MATRIX_RANKS = 16 };

/* The sums of a routine over all ranks. */
struct routine {
    const char *name;
    double calls, bytes, time_ns, max_ns;
    int max_rank, last_rank;
    double last_ns; /* time of LAST_RANK so far */
};

static int by_routine(const void *a, const void *b)
{
    const struct portolan_traffic *x = a, *y = b;
    int order = strcmp(x->routine, y->routine);

    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static int longest_first(const void *a, const void *b)
{
    const struct routine *x = a, *y = b;

    return x->time_ns != y->time_ns ? (x->time_ns > y->time_ns ? -1 : 1) : strcmp(x->name, y->name);
}

static void add_traffic(struct routine *r, const struct portolan_traffic *t)
{
    r->last_ns = r->last_rank == t->rank ? r->last_ns + t->time_ns : t->time_ns;
    r->last_rank = t->rank;
    if (r->last_ns > r->max_ns) {
        r->max_ns = r->last_ns;
        r->max_rank = t->rank;
    }
    r->calls += (double)t->calls;
    r->bytes += t->bytes;
    r->time_ns += t->time_ns;
}

/* Sorts SET and returns its routines, the longest first; the caller frees them. */
static struct routine *collect_routines(struct portolan_traffic_set *set, size_t *n)
{
    struct routine *routines = portolan_calloc(set->n + 1, sizeof *routines);

    *n = 0;
    if (set->n)
        qsort(set->rows, set->n, sizeof *set->rows, by_routine);
    for (size_t i = 0; routines && i < set->n; i++) {
        const struct portolan_traffic *t = &set->rows[i];

        if (i == 0 || strcmp(t->routine, t[-1].routine) != 0)
            routines[(*n)++] = (struct routine){.name = t->routine, .last_rank = -1};
        add_traffic(&routines[*n - 1], t);
    }
    if (routines)
        qsort(routines, *n, sizeof *routines, longest_first);
    return routines;
}

static void write_share(const struct portolan_profile *p, bool raw, struct portolan_text *out)
{
    double all = 0, mpi = 0;
    char mpi_text[32], compute_text[32], all_text[32];

    for (size_t i = 0; i < p->n_nodes; i++)
        if (!p->nodes[i].is_context && (raw || !isnan(p->nodes[i].exclusive.value))) {
            const struct portolan_profile_node *n = &p->nodes[i];

            all += (raw ? n->exclusive_ns.sum : n->exclusive.value) / p->ranks;
            mpi += (raw ? n->mpi_ns.sum : n->mpi.value) / p->ranks;
        }
    portolan_text_add(out, "of %s that were measured per rank, %s were in MPI (%.1f %%), %s not\n",
                      portolan_format_time(all, 4, all_text, sizeof all_text),
                      portolan_format_time(mpi, 4, mpi_text, sizeof mpi_text),
                      all > 0 ? 100 * mpi / all : 0,
                      portolan_format_time(all - mpi, 4, compute_text, sizeof compute_text));
}

static enum portolan_status write_mpi(const struct view *v, struct portolan_traffic_set *set)
{
    static const struct grid_column columns[] = {
        {"routine", GRID_NAME},      {"calls", GRID_COUNT},    {"time", GRID_TIME},
        {"per call", GRID_EACH},     {"bytes", GRID_BYTES},    {"max", GRID_TIME},
        {"imbalance", GRID_PERCENT}, {"max rank", GRID_COUNT},
    };
    struct grid t = {.columns = columns, .n_columns = 8, .wide = v->r->wide};
    struct portolan_text *out = v->out;
    int ranks = v->p->ranks;
    size_t n, shown = 0, top = v->r->top;
    struct routine *routines = collect_routines(set, &n);

    if (!routines)
        return portolan_no_memory(v->err);
    write_share(v->p, v->r->values == PORTOLAN_PROFILE_RAW, out);
    for (size_t i = 0; i < n && (!top || i < top); i++, shown++) {
        double mean = routines[i].time_ns / ranks;

        grid_text(&t, routines[i].name);
        grid_numbers(&t, routines[i].calls, mean,
                     routines[i].calls > 0 ? routines[i].time_ns / routines[i].calls : NAN,
                     routines[i].bytes, routines[i].max_ns,
                     mean > 0 ? routines[i].max_ns / mean - 1 : 0, routines[i].max_rank);
    }
    free(routines);
    if (n == 0) {
        portolan_text_add(out, "no data on routines and partners are stored\n");
        return PORTOLAN_OK;
    }
    portolan_text_add(out, "calls and bytes: of all ranks; time: mean over %d rank%s\n", ranks,
                      ranks == 1 ? "" : "s");
    grid_write(&t, out);
    if (shown < n)
        portolan_text_add(out, "... and %zu more (--top)\n", n - shown);
    return PORTOLAN_OK;
}

/* ------------------------------------------------- pairs */

static void write_matrix(int ranks, const struct portolan_profile_pair *pairs, size_t n,
                         struct portolan_text *out)
{
    struct grid_column columns[MATRIX_RANKS + 1] = {{"from \\ to", GRID_COUNT}};
    struct grid t = {.columns = columns, .n_columns = (size_t)ranks + 1};
    char titles[MATRIX_RANKS][8];
    double most = 0, factor;
    const char *unit;
    size_t at = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fmax(pairs[i].sent, pairs[i].received));
    unit = unit_of_bytes(most, &factor);

    for (int k = 0; k < ranks; k++) {
        snprintf(titles[k], sizeof titles[k], "%d", k);
        columns[k + 1] = (struct grid_column){titles[k], GRID_PLAIN};
    }
    for (int from = 0; from < ranks; from++) {
        grid_number(&t, from);
        for (int to = 0; to < ranks; to++) {
            bool is = at < n && pairs[at].from == from && pairs[at].to == to;

            grid_number(&t, is ? fmax(pairs[at].sent, pairs[at].received) / factor : NAN);
            at += is;
        }
    }
    portolan_text_add(out, "%s from rank to rank\n", unit);
    grid_write(&t, out);
    portolan_text_add(out, "\n");
}

static void write_pairs(const struct portolan_profile_pair *pairs, size_t n, size_t top,
                        struct portolan_text *out)
{
    static const struct grid_column columns[] = {
        {"from", GRID_COUNT}, {"to", GRID_COUNT},       {"sends", GRID_COUNT},
        {"sent", GRID_BYTES}, {"received", GRID_BYTES}, {"time", GRID_TIME},
    };
    struct grid t = {.columns = columns, .n_columns = 6};
    size_t shown = 0;

    for (; shown < n && (!top || shown < top); shown++) {
        grid_numbers(&t, pairs[shown].from, pairs[shown].to, pairs[shown].calls, pairs[shown].sent,
                     pairs[shown].received, pairs[shown].time_ns);
    }
    portolan_text_add(out, "pairs, the heaviest first; time: of the calls on both sides\n");
    grid_write(&t, out);
    if (shown < n)
        portolan_text_add(out, "... and %zu more pairs (--top)\n", n - shown);
}

static enum portolan_status write_all_pairs(const struct view *v,
                                            const struct portolan_traffic_set *set)
{
    int ranks = v->p->trial->ranks;
    size_t n;
    struct portolan_profile_pair *pairs = portolan_profile_sum_pairs(set, &n);
    bool fits = ranks <= MATRIX_RANKS;

    if (!pairs)
        return portolan_no_memory(v->err);
    for (size_t i = 0; i < n; i++)
        fits = fits && pairs[i].from < ranks && pairs[i].to < ranks;
    if (n && fits)
        write_matrix(ranks, pairs, n, v->out);
    portolan_profile_sort_pairs(pairs, n);
    if (n)
        write_pairs(pairs, n, v->r->top, v->out);
    else
        portolan_text_add(v->out, "no message between two ranks is stored\n");
    free(pairs);
    return PORTOLAN_OK;
}

static enum portolan_status write_json(const struct view *v, const struct portolan_traffic_set *set)
{
    struct portolan_json j = {.out = v->out};

    profile_json_begin(&j, "communication", v->p->trial);
    portolan_json_open(&j, "rows", '[');
    for (size_t i = 0; i < set->n; i++) {
        const struct portolan_traffic *t = &set->rows[i];

        portolan_json_open(&j, NULL, '{');
        portolan_json_number(&j, "rank", t->rank);
        portolan_json_text(&j, "routine", t->routine);
        portolan_json_number(&j, "partner", t->partner);
        portolan_json_bool(&j, "received", t->received);
        portolan_json_number(&j, "calls", (double)t->calls);
        portolan_json_number(&j, "time_ns", t->time_ns);
        portolan_json_number(&j, "bytes", t->bytes);
        portolan_json_close(&j, '}');
    }
    portolan_json_close(&j, ']');
    return profile_json_end(&j, v->err);
}

enum portolan_status report_traffic(const struct view *v)
{
    struct portolan_traffic_set *set = NULL;
    enum portolan_status status =
        portolan_store_read_traffic(v->store, v->p->trial->id, &set, v->err);

    if (status == PORTOLAN_OK)
        status = v->r->as_json                        ? write_json(v, set)
                 : v->r->view == PORTOLAN_PROFILE_MPI ? write_mpi(v, set)
                                                      : write_all_pairs(v, set);
    portolan_traffic_set_destroy(set);
    return status;
}

/* ------------------------------------------------- events: values that a program gave by name */

/* An event by name and call path, over ranks and threads. */
struct event {
    const char *name;
    int64_t path;
    double count, sum, sum_squares, min, max;
};

/* Paths of different ranks are the same only if the store gives them one position. */
static int by_event(const void *a, const void *b)
{
    const struct portolan_event *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->path > y->path) - (x->path < y->path);
}

static void add_event(struct event *t, const struct portolan_event *e)
{
    double n = (double)e->count;

    t->min = t->count == 0 ? e->min : fmin(t->min, e->min);
    t->max = t->count == 0 ? e->max : fmax(t->max, e->max);
    t->count += n;
    t->sum += e->mean * n;
    t->sum_squares += e->sum_squares;
}

/* Sorts SET and returns the totals of its events; the caller frees them. */
static struct event *sum_events(struct portolan_event_set *set, size_t *n)
{
    struct event *totals = portolan_calloc(set->n_events + 1, sizeof *totals);

    *n = 0;
    if (set->n_events)
        qsort(set->events, set->n_events, sizeof *set->events, by_event);
    for (size_t i = 0; totals && i < set->n_events; i++) {
        const struct portolan_event *e = &set->events[i];

        if (i == 0 || by_event(e, e - 1) != 0)
            totals[(*n)++] = (struct event){.name = e->name, .path = e->path};
        if (e->count > 0)
            add_event(&totals[*n - 1], e);
    }
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

static void add_event_name(const struct portolan_event_set *set, const struct event *total,
                           struct grid *t)
{
    struct portolan_text text = {.arena = &t->arena};

    portolan_text_add(&text, "%s", total->name);
    if (total->path >= 0) {
        portolan_text_add(&text, " : ");
        add_path(set, total->path, &text);
    }
    grid_take(t, &text);
}

static enum portolan_status write_events(const struct view *v, struct portolan_event_set *set)
{
    static const struct grid_column columns[] = {
        {"event", GRID_NAME}, {"count", GRID_COUNT}, {"mean", GRID_PLAIN},
        {"min", GRID_PLAIN},  {"max", GRID_PLAIN},   {"stddev", GRID_PLAIN},
    };
    struct grid t = {.columns = columns, .n_columns = 6, .wide = v->r->wide};
    struct portolan_text *out = v->out;
    size_t n, shown = 0, top = v->r->top;
    struct event *totals = sum_events(set, &n);

    if (!totals)
        return portolan_no_memory(v->err);
    for (; shown < n && (!top || shown < top); shown++) {
        const struct event *e = &totals[shown];
        double mean = e->sum / e->count;

        add_event_name(set, e, &t);
        grid_numbers(&t, e->count, mean, e->min, e->max,
                     sqrt(fmax(0, e->sum_squares / e->count - mean * mean)));
    }
    free(totals);
    if (n)
        grid_write(&t, out);
    else
        portolan_text_add(out, "no event is stored\n");
    if (shown < n)
        portolan_text_add(out, "... and %zu more (--top)\n", n - shown);
    return PORTOLAN_OK;
}

static enum portolan_status write_events_json(const struct view *v,
                                              const struct portolan_event_set *set)
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
        status = v->r->as_json ? write_events_json(v, set) : write_events(v, set);
    portolan_event_set_destroy(set);
    return status;
}
