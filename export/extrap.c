/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extra-P's JSON: per call path and metric the points of the parameters that vary, with the values
 * of the trials there. A value is the mean over ranks.
 */
#include "internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Before the counters. */
enum { EXCLUSIVE, INCLUSIVE, MPI, CALLS, FIXED };
static const char *const fixed_names[] = {"exclusive_ns", "inclusive_ns", "mpi_ns", "calls"};

struct trial {
    struct portolan_profile *p;
    struct tree t;
    double *point;
};

/* What one trial has of one call path. */
struct entry {
    const char *path;
    const struct trial *trial;
    double *values; /* per metric */
};

struct writer {
    struct portolan_arena arena;
    const struct portolan_export_options *o;
    struct trial *trials;
    size_t n_trials;
    const char **parameters;
    size_t n_parameters;
    const char **metrics;
    size_t n_metrics;
    struct entry *entries;
    size_t n_entries;
};

static enum portolan_status no_memory(struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
}

/* ------------------------------------------------- parameters */

#define RANKS "ranks"

static bool value_of(const struct trial *t, const char *parameter, double *value)
{
    const struct portolan_trial *of = t->p->trial;

    for (size_t i = 0; i < of->n_parameters; i++)
        if (!strcmp(of->parameters[i].name, parameter))
            return portolan_read_double(of->parameters[i].value, value) && isfinite(*value);
    *value = of->ranks;
    return !strcmp(parameter, RANKS);
}

/* A number in every trial, and not the same in all. */
static bool varies(const struct writer *w, const char *parameter)
{
    double first = 0, value;
    bool differs = false;

    for (size_t i = 0; i < w->n_trials; i++) {
        if (!value_of(&w->trials[i], parameter, &value))
            return false;
        first = i ? first : value;
        differs = differs || value != first;
    }
    return differs;
}

static bool add_name(struct writer *w, const char ***names, size_t *n, const char *name)
{
    const char **grown = portolan_arena_grow(&w->arena, *names, *n, sizeof *grown);

    if (!grown)
        return false;
    *names = grown;
    grown[(*n)++] = name;
    return true;
}

static enum portolan_status find_parameters(struct writer *w, struct portolan_error *err)
{
    const struct portolan_trial *first = w->trials[0].p->trial;
    bool good = !varies(w, RANKS) || add_name(w, &w->parameters, &w->n_parameters, RANKS);

    for (size_t i = 0; good && i < first->n_parameters; i++)
        if (strcmp(first->parameters[i].name, RANKS) && varies(w, first->parameters[i].name))
            good = add_name(w, &w->parameters, &w->n_parameters, first->parameters[i].name);
    for (size_t i = 0; good && i < w->n_trials; i++) {
        double *point = portolan_arena_alloc(&w->arena, w->n_parameters, sizeof *point);

        for (size_t k = 0; point && k < w->n_parameters; k++)
            value_of(&w->trials[i], w->parameters[k], &point[k]);
        w->trials[i].point = point;
        good = point != NULL;
    }
    if (!good)
        return no_memory(err);
    if (w->n_parameters == 0)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "no number among the parameters differs between the trials; "
                                  "name trials of several sizes, or of several numbers of ranks");
    return PORTOLAN_OK;
}

/* ------------------------------------------------- values */

static size_t find_name(const char *const *names, size_t n, const char *name)
{
    size_t i = 0;

    while (i < n && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static enum portolan_status find_metrics(struct writer *w, struct portolan_error *err)
{
    bool good = true;

    for (size_t i = 0; good && i < FIXED; i++)
        good = add_name(w, &w->metrics, &w->n_metrics, fixed_names[i]);
    for (size_t i = 0; i < w->n_trials; i++) {
        const struct portolan_profile *p = w->trials[i].p;

        for (size_t k = 0; good && k < p->n_counters; k++)
            if (find_name(w->metrics, w->n_metrics, p->counter_names[k]) == w->n_metrics)
                good = add_name(w, &w->metrics, &w->n_metrics, p->counter_names[k]);
    }
    return good ? PORTOLAN_OK : no_memory(err);
}

/* "->" is between the steps of a path. */
static void add_path(struct portolan_text *text, const struct tree *t, const struct tree_node *n)
{
    if (n->above >= 0) {
        add_path(text, t, &t->nodes[n->above]);
        portolan_text_add(text, "->");
    }
    for (const char *c = n->label; *c; c++)
        portolan_text_add(text, c[0] == '-' && c[1] == '>' ? "- " : "%c", *c);
}

static bool add_entry(struct writer *w, const struct trial *trial, const struct tree_node *n)
{
    struct portolan_text path = {.arena = &w->arena};
    struct entry *e = &w->entries[w->n_entries++];
    double ranks = trial->p->ranks > 0 ? trial->p->ranks : 1;

    add_path(&path, &trial->t, n);
    *e = (struct entry){path.bytes, trial,
                        portolan_arena_alloc(&w->arena, w->n_metrics, sizeof *e->values)};
    if (!e->path || !e->values || path.failed)
        return false;
    for (size_t m = FIXED; m < w->n_metrics; m++)
        e->values[m] = NAN;
    e->values[EXCLUSIVE] = n->exclusive[TREE_TIME] / ranks;
    e->values[INCLUSIVE] = n->inclusive[TREE_TIME] / ranks;
    e->values[MPI] = n->exclusive[TREE_MPI] / ranks;
    e->values[CALLS] = n->calls / ranks;
    for (size_t k = 0; k < trial->p->n_counters; k++)
        e->values[find_name(w->metrics, w->n_metrics, trial->p->counter_names[k])] =
            n->inclusive[TREE_COUNTERS + k] / ranks;
    return true;
}

static int compare_points(const struct entry *a, const struct entry *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a->trial->point[i] != b->trial->point[i])
            return a->trial->point[i] < b->trial->point[i] ? -1 : 1;
    return 0;
}

static int compare_entries(const void *a, const void *b, void *arg)
{
    const struct writer *w = arg;
    const struct entry *x = a, *y = b;
    int by_path = strcmp(x->path, y->path);
    int by_point = by_path ? by_path : compare_points(x, y, w->n_parameters);

    return by_point ? by_point : (x->trial > y->trial) - (x->trial < y->trial);
}

/* Call paths that differ only in ports have one name: they are added up. */
static void merge(struct writer *w)
{
    size_t kept = 0;

    qsort_r(w->entries, w->n_entries, sizeof *w->entries, compare_entries, w);
    for (size_t i = 0; i < w->n_entries; i++) {
        struct entry *e = &w->entries[i], *last = kept ? &w->entries[kept - 1] : NULL;

        if (!last || compare_entries(last, e, w)) {
            w->entries[kept++] = *e;
            continue;
        }
        for (size_t m = 0; m < w->n_metrics; m++)
            last->values[m] += e->values[m];
    }
    w->n_entries = kept;
}

static enum portolan_status collect(struct writer *w, struct portolan_error *err)
{
    size_t room = 1;

    for (size_t i = 0; i < w->n_trials; i++)
        room += w->trials[i].t.n;
    w->entries = portolan_arena_alloc(&w->arena, room, sizeof *w->entries);
    if (!w->entries)
        return no_memory(err);
    for (size_t i = 0; i < w->n_trials; i++)
        for (size_t k = 0; k < w->trials[i].t.n; k++)
            if (!add_entry(w, &w->trials[i], &w->trials[i].t.nodes[k]))
                return no_memory(err);
    merge(w);
    return PORTOLAN_OK;
}

/* ------------------------------------------------- the file */

static void put_points(struct sink *s, const struct writer *w, size_t first, size_t last, size_t m)
{
    const struct entry *before = NULL;

    for (size_t i = first; i < last; i++) {
        const struct entry *e = &w->entries[i];

        if (isnan(e->values[m]))
            continue;
        if (before && compare_points(before, e, w->n_parameters) == 0) {
            sink_put(s, ",");
        } else {
            sink_put(s, before ? "]},\n{\"point\":[" : "\n{\"point\":[");
            for (size_t k = 0; k < w->n_parameters; k++) {
                sink_put(s, k ? "," : "");
                sink_number(s, e->trial->point[k], "0");
            }
            sink_put(s, "],\"values\":[");
        }
        sink_number(s, e->values[m], "0");
        before = e;
    }
    sink_put(s, before ? "]}" : "");
}

static bool has_values(const struct writer *w, size_t first, size_t last, size_t m)
{
    while (first < last && isnan(w->entries[first].values[m]))
        first++;
    return first < last;
}

/* W->METRICS[M] is wanted. */
static bool is_wanted(const struct writer *w, size_t m)
{
    const char *wanted = w->o->metric;

    if (!wanted || !strcmp(wanted, w->metrics[m]))
        return true;
    return (is_time(wanted) && (m == EXCLUSIVE || m == INCLUSIVE)) || (is_mpi(wanted) && m == MPI);
}

static void put_path(struct sink *s, const struct writer *w, size_t first, size_t last)
{
    bool any = false;

    sink_json(s, w->entries[first].path);
    sink_put(s, ":{");
    for (size_t m = 0; m < w->n_metrics; m++)
        if (is_wanted(w, m) && has_values(w, first, last, m)) {
            sink_put(s, any ? ",\n" : "");
            sink_json(s, w->metrics[m]);
            sink_put(s, ":[");
            put_points(s, w, first, last, m);
            sink_put(s, "]");
            any = true;
        }
    sink_put(s, "}");
}

static void put_file(struct sink *s, const struct writer *w)
{
    sink_put(s, "{\"parameters\":[");
    for (size_t i = 0; i < w->n_parameters; i++) {
        sink_put(s, i ? "," : "");
        sink_json(s, w->parameters[i]);
    }
    sink_put(s, "],\n\"measurements\":{");
    for (size_t i = 0, next; i < w->n_entries; i = next) {
        for (next = i + 1; next < w->n_entries; next++)
            if (strcmp(w->entries[i].path, w->entries[next].path) != 0)
                break;
        sink_put(s, i ? ",\n" : "\n");
        put_path(s, w, i, next);
    }
    sink_put(s, "\n}}\n");
}

static enum portolan_status read_trials(struct writer *w, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    w->trials = portolan_calloc(w->o->n_trials, sizeof *w->trials);
    if (!w->trials)
        return no_memory(err);
    for (; status == PORTOLAN_OK && w->n_trials < w->o->n_trials; w->n_trials++) {
        struct trial *t = &w->trials[w->n_trials];
        const struct portolan_profile_query query = {.trial = w->o->trials[w->n_trials].id,
                                                     .rank = w->o->rank};

        status = portolan_profile_read(w->o->trials[w->n_trials].store, &query, &t->p, err);
        if (status == PORTOLAN_OK)
            status = tree_of_sums(&t->t, t->p, err);
    }
    return status;
}

static enum portolan_status check_metric(const struct writer *w, struct portolan_error *err)
{
    struct portolan_text known = {0};

    for (size_t m = 0; m < w->n_metrics; m++) {
        if (is_wanted(w, m)) {
            portolan_text_clear(&known);
            return PORTOLAN_OK;
        }
        portolan_text_add(&known, ", %s", w->metrics[m]);
    }
    portolan_error_set(err, PORTOLAN_ENOTFOUND,
                       "the trials have no metric '%s'; there are: time, mpi%s", w->o->metric,
                       known.bytes ? known.bytes : "");
    portolan_text_clear(&known);
    return PORTOLAN_ENOTFOUND;
}

enum portolan_status write_extrap(const struct job *job, struct portolan_error *err)
{
    struct writer w = {.o = job->options};
    struct sink s = {0};
    enum portolan_status status = read_trials(&w, err);

    if (status == PORTOLAN_OK)
        status = find_parameters(&w, err);
    if (status == PORTOLAN_OK)
        status = find_metrics(&w, err);
    if (status == PORTOLAN_OK)
        status = check_metric(&w, err);
    if (status == PORTOLAN_OK)
        status = collect(&w, err);
    if (status == PORTOLAN_OK)
        status = job_open(job, &s, err);
    if (status == PORTOLAN_OK) {
        put_file(&s, &w);
        status = sink_close(&s, status, err);
    }
    for (size_t i = 0; i < w.n_trials; i++) {
        portolan_arena_clear(&w.trials[i].t.arena);
        portolan_profile_destroy(w.trials[i].p);
    }
    free(w.trials);
    portolan_arena_clear(&w.arena);
    return status;
}
