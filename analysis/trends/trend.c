/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows by call path, the trends that they make, and the models of these. */
#include "trend.h"

#include <portolan/formula.h>

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct trend_place trend_place(struct trend_builder *b, const struct trend_place *parent,
                               const char *instance, const char *port, const char *method)
{
    const char *parts[] = {parent ? parent->path : "", parent ? "->" : "", instance,
                           *instance ? "." : "", method};
    enum { PARTS = sizeof parts / sizeof *parts };
    size_t length = 0;
    char *path, *end;

    for (int i = 0; i < PARTS; i++)
        length += strlen(parts[i]);
    end = path = portolan_arena_alloc(&b->arena, length + 1, 1);
    for (int i = 0; path && i < PARTS; i++) /* without printf: there is one for each sample */
        end = stpcpy(end, parts[i]);
    return (struct trend_place){path,
                                portolan_hash(port, strlen(port) + 1, parent ? parent->ports : 0)};
}

static const char *label_of(const char *path)
{
    const char *label = path, *arrow;

    while ((arrow = strstr(label, "->")))
        label = arrow + 2;
    return label;
}

/* "main->solve [heat.Band]"; without WORD the path itself. */
static const char *path_with(struct portolan_arena *arena, const char *path, const char *word)
{
    return *word ? portolan_arena_printf(arena, "%s [%s]", path, word) : path;
}

static bool is_like(const char *path, const char *pattern)
{
    return !fnmatch(pattern, label_of(path), 0) || !fnmatch(pattern, path, 0);
}

/* The pattern may match the label or the whole path, with or without implementation or metric. */
static bool is_wanted(const struct trend_builder *b, const struct trend_series *s)
{
    struct portolan_arena arena = {0};
    const char *path = s->place.path, *with, *named;
    bool wanted;

    if (!b->method || is_like(path, b->method))
        return true;
    with = path_with(&arena, path, s->implementation);
    named = with && b->names_metrics ? path_with(&arena, with, s->metric) : with;
    wanted = named && (is_like(with, b->method) || is_like(named, b->method));
    portolan_arena_clear(&arena);
    return wanted;
}

static uint64_t hash_series(const struct trend_series *s)
{
    uint64_t h = portolan_hash(s->place.path, strlen(s->place.path), s->place.ports);

    h = portolan_hash(s->implementation, strlen(s->implementation), h);
    return portolan_hash(s->metric, strlen(s->metric), h);
}

struct wanted {
    const struct trend_builder *b;
    const struct trend_series *series;
};

static bool same_series(const void *wanted, size_t i)
{
    const struct wanted *w = wanted;
    const struct trend_series *a = &w->b->series[i], *b = w->series;
    bool same = a->place.ports == b->place.ports && a->n_params == b->n_params &&
                !strcmp(a->place.path, b->place.path) &&
                !strcmp(a->implementation, b->implementation) && !strcmp(a->metric, b->metric);

    for (size_t p = 0; p < a->n_params && same; p++)
        same = !strcmp(a->params[p], b->params[p]);
    return same;
}

static bool add_series(struct trend_builder *b, const struct trend_series *like, uint64_t hash)
{
    const char **params = portolan_arena_alloc(&b->arena, like->n_params, sizeof *params);
    struct trend_series *grown =
        portolan_arena_grow(&b->arena, b->series, b->n_series, sizeof *grown);

    if (!params || !grown || !portolan_index_add(&b->index, hash, b->n_series))
        return false;
    for (size_t p = 0; p < like->n_params; p++)
        params[p] = portolan_arena_strdup(&b->arena, like->params[p]);
    b->series = grown;
    b->series[b->n_series++] = (struct trend_series){
        .place = {portolan_arena_strdup(&b->arena, like->place.path), like->place.ports},
        .implementation = portolan_arena_strdup(&b->arena, like->implementation),
        .metric = portolan_arena_strdup(&b->arena, like->metric),
        .n_params = like->n_params,
        .params = params};
    return !b->arena.failed;
}

bool trend_add(struct trend_builder *b, const struct trend_series *series, const double *x,
               double y)
{
    uint64_t hash = hash_series(series);
    size_t at = portolan_index_find(&b->index, hash, same_series, &(struct wanted){b, series});
    struct trend_series *s;

    if (at == SIZE_MAX) {
        if (!is_wanted(b, series))
            return true;
        at = b->n_series;
        if (!add_series(b, series, hash))
            return false;
    }
    s = &b->series[at];
    s->x = portolan_arena_grow(&b->arena, s->x, s->n_rows, s->n_params * sizeof *s->x);
    s->y = portolan_arena_grow(&b->arena, s->y, s->n_rows, sizeof *s->y);
    if (!s->x || !s->y)
        return false;
    if (s->n_params)
        memcpy(s->x + s->n_rows * s->n_params, x, s->n_params * sizeof *x);
    s->y[s->n_rows++] = y;
    return true;
}

static int compare_rows(const void *left, const void *right, void *series)
{
    const struct trend_series *s = series;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const double *p = s->x + a * s->n_params, *q = s->x + b * s->n_params;

    for (size_t k = 0; k < s->n_params; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return (a > b) - (a < b);
}

static bool fill_trend(struct trend_builder *b, struct trend_series *s, struct portolan_trend *t)
{
    struct portolan_arena *arena = &b->arena;
    double *x = portolan_arena_alloc(arena, s->n_rows, (s->n_params + 1) * sizeof *x);
    double *y = portolan_arena_alloc(arena, s->n_rows, sizeof *y);
    size_t *in_time = portolan_arena_alloc(arena, s->n_rows, sizeof *in_time);
    size_t *order = portolan_arena_alloc(arena, s->n_rows, sizeof *order);

    t->callpath = path_with(arena, s->place.path, s->implementation);
    t->path =
        t->callpath && b->names_metrics ? path_with(arena, t->callpath, s->metric) : t->callpath;
    if (!x || !y || !in_time || !order || !t->path)
        return false;
    for (size_t i = 0; i < s->n_rows; i++)
        order[i] = i;
    qsort_r(order, s->n_rows, sizeof *order, compare_rows, s);
    for (size_t i = 0; i < s->n_rows; i++) {
        if (s->n_params)
            memcpy(x + i * s->n_params, s->x + order[i] * s->n_params, s->n_params * sizeof *x);
        y[i] = s->y[order[i]];
        in_time[order[i]] = i;
    }
    t->label = label_of(t->path);
    t->metric = s->metric;
    t->n_params = s->n_params;
    t->params = s->params;
    t->n_rows = s->n_rows;
    t->x = s->n_params ? x : NULL;
    t->y = y;
    t->in_time = in_time;
    return true;
}

enum portolan_status trend_finish(struct trend_builder *b, const char *unit, const char *what,
                                  size_t n_trials, struct portolan_trends **trends,
                                  struct portolan_error *err)
{
    struct portolan_trends *t = portolan_calloc(1, sizeof *t);
    bool good = t;

    if (good) {
        t->unit = portolan_arena_strdup(&b->arena, unit);
        t->what = portolan_arena_strdup(&b->arena, what);
        t->n_trials = n_trials;
        t->n = b->n_series;
        t->items = portolan_arena_alloc(&b->arena, t->n, sizeof *t->items);
        good = t->unit && t->what && t->items;
    }
    for (size_t i = 0; good && i < t->n; i++)
        good = fill_trend(b, &b->series[i], &t->items[i]);
    if (good) {
        t->arena = b->arena;
        b->arena = (struct portolan_arena){0};
        *trends = t;
    } else {
        free(t);
    }
    trend_clear(b);
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}

void trend_clear(struct trend_builder *b)
{
    portolan_index_clear(&b->index);
    portolan_arena_clear(&b->arena);
    *b = (struct trend_builder){0};
}

size_t trend_param(const struct portolan_trend *t, const char *name)
{
    for (size_t p = 0; p < t->n_params; p++)
        if (!strcmp(t->params[p], name))
            return p;
    return SIZE_MAX;
}

int trend_time(const char *metric)
{
    static const char *const times[] = {"exclusive", "inclusive", "mpi"};

    for (int i = 0; i < 3; i++)
        if (!strcmp(metric, times[i]))
            return i;
    return -1;
}

void portolan_trends_destroy(struct portolan_trends *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++)
        portolan_model_destroy(t->items[i].model);
    portolan_arena_clear(&t->arena);
    free(t);
}

/* ------------------------------------------------- models */

/* The rows up to FIT's limit, perhaps copied to *ROOM, which the caller frees. False: no memory. */
static bool choose_rows(const struct portolan_trend *t, const struct portolan_trend_fit *fit,
                        struct portolan_model_data *data, double **room)
{
    size_t p = fit->up_to ? trend_param(t, fit->up_to) : SIZE_MAX, n = t->n_params;
    double *x, *y;

    *data = (struct portolan_model_data){
        .n_params = n, .params = t->params, .n_rows = t->n_rows, .x = t->x, .y = t->y};
    if (p == SIZE_MAX)
        return true;
    if (!(*room = x = portolan_calloc(t->n_rows, (n + 1) * sizeof *x)))
        return false;
    y = x + t->n_rows * n;
    data->n_rows = 0;
    data->x = x;
    data->y = y;
    for (size_t i = 0; i < t->n_rows; i++) {
        if (t->x[i * n + p] > fit->limit)
            continue;
        memcpy(x + data->n_rows * n, t->x + i * n, n * sizeof *x);
        y[data->n_rows++] = t->y[i];
    }
    return true;
}

/* Numbers of calls are integers, unless they are means. */
static bool is_count(const struct portolan_trend *t, const struct portolan_model_data *data)
{
    if (!t->metric || strcmp(t->metric, "calls") != 0)
        return false;
    for (size_t i = 0; i < data->n_rows; i++)
        if (data->y[i] < 0 || floor(data->y[i]) < data->y[i])
            return false;
    return true;
}

static enum portolan_status fit_one(const struct portolan_trends *all, struct portolan_trend *t,
                                    const struct portolan_trend_fit *fit,
                                    struct portolan_error *err)
{
    const struct portolan_model_envelope envelope = {
        .name = t->path,
        .unit = *all->unit ? all->unit : NULL,
        /* metrics of files keep their names */
        .quality = trend_time(t->metric) >= 0 ? "time" : t->metric,
        .source = all->what};
    struct portolan_model_options options = fit->options;
    struct portolan_model_data data;
    double *room = NULL;
    enum portolan_status status;

    if (!choose_rows(t, fit, &data, &room))
        return portolan_no_memory(err);
    if (is_count(t, &data))
        options.kind = PORTOLAN_MODEL_COUNT;
    if (!data.n_rows)
        status = portolan_error_set(err, PORTOLAN_EINVAL, "no row has %s up to %g", fit->up_to,
                                    fit->limit);
    else
        status = portolan_model_fit_as(&data, fit->formula, fit->pieces, &options, &t->model, err);
    free(room);
    return status ? status : portolan_model_describe(t->model, &envelope, err);
}

/* Fails unless some trend has the parameter that limits the rows. */
static enum portolan_status check_limit(const struct portolan_trends *t,
                                        const struct portolan_trend_fit *fit,
                                        struct portolan_error *err)
{
    for (size_t i = 0; fit->up_to && i < t->n; i++)
        if (trend_param(&t->items[i], fit->up_to) != SIZE_MAX)
            return PORTOLAN_OK;
    return fit->up_to
               ? portolan_error_set(err, PORTOLAN_EINVAL, "'%s' is no parameter here", fit->up_to)
               : PORTOLAN_OK;
}

enum portolan_status portolan_trends_fit(struct portolan_trends *trends,
                                         const struct portolan_trend_fit *fit,
                                         struct portolan_error *err)
{
    size_t fitted = 0;
    enum portolan_status status = check_limit(trends, fit, err);
    struct portolan_error first = {0};

    for (size_t i = 0; !status && i < trends->n; i++) {
        struct portolan_trend *t = &trends->items[i];
        struct portolan_error why = {0};

        portolan_model_destroy(t->model);
        t->model = NULL;
        t->statistic = fit->options.statistic;
        status = fit_one(trends, t, fit, &why);
        if (!status) {
            t->why = NULL;
            fitted++;
        } else if (status != PORTOLAN_ENOMEM) {
            first = first.status ? first : why;
            t->why = portolan_arena_strdup(&trends->arena, why.text);
            status = t->why ? PORTOLAN_OK : PORTOLAN_ENOMEM;
        }
    }
    if (status == PORTOLAN_ENOMEM)
        return portolan_error_set(err, status, "out of memory");
    if (!status && !fitted && trends->n)
        return portolan_error_set(err, first.status, "%s", first.text);
    return status;
}
