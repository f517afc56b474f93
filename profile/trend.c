/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows by call path, and the trends that they make. */
#include "trend.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return portolan_hash(text, strlen(text) + 1, seed);
}

static uint64_t hash_place(const struct trend_place *p)
{
    return hash_text(
        p->method,
        hash_text(p->port, hash_text(p->instance, portolan_hash(&p->parent, sizeof p->parent, 0))));
}

/* Is the place at I like the one behind the last? */
static bool same_place(const void *builder, size_t i)
{
    const struct trend_builder *all = builder;
    const struct trend_place *a = &all->places[i], *b = &all->places[all->n_places];

    return a->parent == b->parent && !strcmp(a->method, b->method) &&
           !strcmp(a->instance, b->instance) && !strcmp(a->port, b->port);
}

static uint64_t hash_series(const struct trend_series *s)
{
    uint64_t h = portolan_hash(&s->place, sizeof s->place, s->n_params);

    return hash_text(s->metric, hash_text(s->implementation, h));
}

static bool same_series(const void *builder, size_t i)
{
    const struct trend_builder *all = builder;
    const struct trend_series *a = &all->series[i], *b = &all->series[all->n_series];
    bool same = a->place == b->place && a->n_params == b->n_params &&
                !strcmp(a->implementation, b->implementation) && !strcmp(a->metric, b->metric);

    for (size_t p = 0; p < a->n_params && same; p++)
        same = !strcmp(a->params[p], b->params[p]);
    return same;
}

/* ITEMS, moved if need be, with room for one more of SIZE bytes behind COUNT; or NULL. */
static void *make_room(void *items, size_t count, size_t *room, size_t size)
{
    size_t wanted = *room ? 2 * *room : 256;

    if (count < *room)
        return items;
    if ((items = portolan_reallocarray(items, wanted, size)))
        *room = wanted;
    return items;
}

size_t trend_place(struct trend_builder *b, size_t parent, const char *instance, const char *port,
                   const char *method)
{
    struct trend_place *p = make_room(b->places, b->n_places, &b->place_room, sizeof *p);
    struct portolan_text path = {.arena = &b->arena};
    size_t at;

    if (!p)
        return SIZE_MAX;
    b->places = p;
    p += b->n_places;
    *p = (struct trend_place){parent, instance, port, method, NULL};
    if (!portolan_index_put(&b->by_place, hash_place(p), b->n_places, same_place, b, &at))
        return SIZE_MAX;
    if (at < b->n_places)
        return at;
    p->instance = portolan_arena_strdup(&b->arena, instance);
    p->port = portolan_arena_strdup(&b->arena, port);
    p->method = portolan_arena_strdup(&b->arena, method);
    if (parent != SIZE_MAX)
        portolan_text_add(&path, "%s->", b->places[parent].path);
    portolan_text_add(&path, "%s%s%s", instance, *instance ? "." : "", method);
    p->path = path.bytes;
    if (b->arena.failed || path.failed)
        return SIZE_MAX;
    return b->n_places++;
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

/* The pattern may be of the label or the whole path, with the implementation or metric or without.
 */
static bool is_wanted(const struct trend_builder *b, const char *path, const char *implementation,
                      const char *metric)
{
    struct portolan_arena arena = {0};
    const char *with, *named;
    bool wanted;

    if (!b->method || is_like(path, b->method))
        return true;
    with = path_with(&arena, path, implementation);
    named = with && b->names_metrics ? path_with(&arena, with, metric) : with;
    wanted = named && (is_like(with, b->method) || is_like(named, b->method));
    portolan_arena_clear(&arena);
    return wanted;
}

size_t trend_series(struct trend_builder *b, size_t place, const char *implementation,
                    const char *metric, const char *const *params, size_t n_params)
{
    struct trend_series *s;
    size_t at;

    if (!is_wanted(b, b->places[place].path, implementation, metric))
        return SIZE_MAX - TREND_UNWANTED;
    if (!(s = make_room(b->series, b->n_series, &b->series_room, sizeof *s)))
        return SIZE_MAX;
    b->series = s;
    s += b->n_series;
    *s = (struct trend_series){place, implementation, metric, n_params, (const char **)params, 0};
    if (!portolan_index_put(&b->by_series, hash_series(s), b->n_series, same_series, b, &at))
        return SIZE_MAX;
    if (at < b->n_series)
        return at;
    s->implementation = portolan_arena_strdup(&b->arena, implementation);
    s->metric = portolan_arena_strdup(&b->arena, metric);
    s->params = portolan_arena_alloc(&b->arena, n_params, sizeof *s->params);
    for (size_t p = 0; s->params && p < n_params; p++)
        s->params[p] = portolan_arena_strdup(&b->arena, params[p]);
    return b->arena.failed ? SIZE_MAX : b->n_series++;
}

bool trend_add(struct trend_builder *b, size_t series, int64_t trial, const double *x, double y)
{
    struct trend_series *s = &b->series[series];
    double *copy = portolan_arena_alloc(&b->arena, s->n_params, sizeof *copy);
    struct trend_row *rows = make_room(b->rows, b->n_rows, &b->row_room, sizeof *rows);

    if (rows)
        b->rows = rows;
    if (!copy || !rows)
        return false;
    if (s->n_params)
        memcpy(copy, x, s->n_params * sizeof *copy);
    b->rows[b->n_rows] = (struct trend_row){series, b->n_rows, trial, y, copy};
    b->n_rows++;
    s->n_rows++;
    return true;
}

static int compare_rows(const void *left, const void *right, void *arg)
{
    const struct trend_builder *b = arg;
    const struct trend_row *p = left, *q = right;

    if (p->series != q->series)
        return p->series < q->series ? -1 : 1;
    for (size_t k = 0; k < b->series[p->series].n_params; k++)
        if (p->x[k] != q->x[k])
            return p->x[k] < q->x[k] ? -1 : 1;
    return (p->sequence > q->sequence) - (p->sequence < q->sequence);
}

/* What belongs to the trends: the arena, and the models in them. */
struct impl {
    struct portolan_arena arena;
};

static int compare_in_time(const void *left, const void *right, void *arg)
{
    const struct trend_row *rows = arg;
    size_t a = rows[*(const size_t *)left].sequence, b = rows[*(const size_t *)right].sequence;

    return (a > b) - (a < b);
}

static bool fill(struct portolan_arena *arena, const struct trend_builder *b, size_t first,
                 size_t series, struct portolan_trend *t)
{
    const struct trend_series *s = &b->series[series];
    const struct trend_place *place = &b->places[s->place];
    struct trend_row *rows = b->rows + first;
    double *x = portolan_arena_alloc(arena, s->n_rows, (s->n_params + 1) * sizeof *x);
    double *y = portolan_arena_alloc(arena, s->n_rows, sizeof *y);
    int64_t *trials = portolan_arena_alloc(arena, s->n_rows, sizeof *trials);
    size_t *in_time = portolan_arena_alloc(arena, s->n_rows, sizeof *in_time);

    t->callpath = path_with(arena, place->path, s->implementation);
    t->path =
        t->callpath && b->names_metrics ? path_with(arena, t->callpath, s->metric) : t->callpath;
    if (!x || !y || !trials || !in_time || !t->path)
        return false;
    for (size_t i = 0; i < s->n_rows; i++) {
        const struct trend_row *row = &rows[i];

        if (s->n_params)
            memcpy(x + i * s->n_params, row->x, s->n_params * sizeof *x);
        y[i] = row->y;
        trials[i] = row->trial;
        in_time[i] = i;
    }
    qsort_r(in_time, s->n_rows, sizeof *in_time, compare_in_time, rows);
    t->label = label_of(t->path);
    t->metric = s->metric;
    t->n_params = s->n_params;
    t->params = s->params;
    t->n_rows = s->n_rows;
    t->x = s->n_params ? x : NULL;
    t->y = y;
    t->trials = trials[0] ? trials : NULL;
    t->in_time = in_time;
    return true;
}

enum portolan_status trend_finish(struct trend_builder *b, const char *unit, const char *what,
                                  size_t n_trials, struct portolan_trends **trends,
                                  struct portolan_error *err)
{
    struct portolan_trends *t = portolan_calloc(1, sizeof *t);
    struct impl *impl = portolan_calloc(1, sizeof *impl);
    bool good = t && impl;

    if (b->n_rows)
        qsort_r(b->rows, b->n_rows, sizeof *b->rows, compare_rows, b);
    if (good) {
        t->unit = portolan_arena_strdup(&b->arena, unit);
        t->what = portolan_arena_strdup(&b->arena, what);
        t->n_trials = n_trials;
        t->items = portolan_arena_alloc(&b->arena, b->n_series, sizeof *t->items);
        good = t->unit && t->what && t->items;
    }
    for (size_t i = 0, first = 0; good && i < b->n_series; first += b->series[i++].n_rows)
        if (b->series[i].n_rows)
            good = fill(&b->arena, b, first, i, &t->items[t->n++]);
    if (good) {
        impl->arena = b->arena;
        b->arena = (struct portolan_arena){0};
        t->impl = impl;
        *trends = t;
    } else {
        free(impl);
        free(t);
    }
    trend_clear(b);
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}

const char *trend_keep_text(struct portolan_trends *t, const char *text)
{
    return portolan_arena_strdup(&((struct impl *)t->impl)->arena, text);
}

void trend_clear(struct trend_builder *b)
{
    free(b->places);
    free(b->series);
    free(b->rows);
    portolan_index_clear(&b->by_place);
    portolan_index_clear(&b->by_series);
    portolan_arena_clear(&b->arena);
    *b = (struct trend_builder){0};
}

void portolan_trends_destroy(struct portolan_trends *t)
{
    struct impl *impl = t ? t->impl : NULL;

    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++)
        portolan_model_destroy(t->items[i].model);
    portolan_arena_clear(&impl->arena);
    free(impl);
    free(t);
}
