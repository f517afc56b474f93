/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows by call path, the trends that they make, and the models of these. */
#include "trend.h"

#include <portolan/progress.h>

#include <fnmatch.h>
#include <math.h>
#include <string.h>

enum portolan_status trend_call(void (*run)(struct statement *s), void *arg,
                                struct portolan_diagnostics *d, struct portolan_error *err)
{
    struct statement s = {.arg = arg};
    struct portolan_diagnostics_relay relay = {.user = d, .err = &s.err};

    s.d = &(struct portolan_diagnostics){.report = portolan_diagnostics_relay, .arg = &relay};
    if (statement_attempt(&s, run))
        portolan_error_set(err, s.status, "%s", s.err.text);
    return s.status;
}

/* ----------------------------------------------------------------------------------- building */

static void free_index(void *index)
{
    portolan_index_clear(index);
}

struct trend_builder *trend_begin(struct statement *s, const char *method)
{
    struct trend_builder *b = statement_alloc(s, 1, sizeof *b);

    *b = (struct trend_builder){.s = s, .t = statement_alloc(s, 1, sizeof *b->t), .method = method};
    statement_own(s, free_index, &b->index);
    return b;
}

void trend_place(struct trend_builder *b, struct trend_key *key, const struct trend_key *parent,
                 const char *instance, const char *port, const char *method)
{
    const char *parts[] = {parent ? parent->path : "", parent ? "->" : "", instance,
                           *instance ? "." : "", method};
    enum { PARTS = sizeof parts / sizeof *parts };
    size_t length = 0;
    char *end;

    for (int i = 0; i < PARTS; i++)
        length += strlen(parts[i]);
    key->path = end = statement_alloc(b->s, length + 1, 1);
    for (int i = 0; i < PARTS; i++) /* without printf: there is one for each sample */
        end = stpcpy(end, parts[i]);
    key->ports = portolan_hash(port, strlen(port) + 1, parent ? parent->ports : 0);
}

static const char *label_of(const char *path)
{
    const char *label = path, *arrow;

    while ((arrow = strstr(label, "->")))
        label = arrow + 2;
    return label;
}

/* "main->solve [heat.Band]"; without WORD the path itself. */
static const char *path_with(struct statement *s, const char *path, const char *word)
{
    return *word ? portolan_arena_printf(&s->arena, "%s [%s]", path, word) : path;
}

static bool is_like(const char *path, const char *pattern)
{
    return !fnmatch(pattern, label_of(path), 0) || !fnmatch(pattern, path, 0);
}

static uint64_t hash_key(const struct trend_key *k)
{
    uint64_t h = portolan_hash(k->path, strlen(k->path), k->ports);

    h = portolan_hash(k->implementation, strlen(k->implementation), h);
    return portolan_hash(k->metric, strlen(k->metric), h);
}

struct wanted {
    const struct trend *items;
    const struct trend_key *key;
};

static bool same_key(const void *wanted, size_t i)
{
    const struct wanted *w = wanted;
    const struct trend_key *a = &w->items[i].key, *b = w->key;
    bool same = a->ports == b->ports && a->n_params == b->n_params && !strcmp(a->path, b->path) &&
                !strcmp(a->implementation, b->implementation) && !strcmp(a->metric, b->metric);

    for (size_t p = 0; p < a->n_params && same; p++)
        same = !strcmp(a->params[p], b->params[p]);
    return same;
}

/*
 * A trend without rows. The pattern may match the label or the whole path, with or without
 * implementation and metric; a trend that it excludes has no table.
 */
static struct trend make_trend(struct trend_builder *b, const struct trend_key *like)
{
    struct portolan_arena *arena = &b->s->arena;
    const char **params = statement_alloc(b->s, like->n_params, sizeof *params);
    struct trend t = {.key = {.path = portolan_arena_strdup(arena, like->path),
                              .ports = like->ports,
                              .implementation = portolan_arena_strdup(arena, like->implementation),
                              .metric = portolan_arena_strdup(arena, like->metric),
                              .n_params = like->n_params,
                              .params = params}};
    const char *callpath = path_with(b->s, t.key.path, t.key.implementation);

    t.path = b->names_metrics ? path_with(b->s, callpath, t.key.metric) : callpath;
    t.label = label_of(t.path);
    if (!b->method || is_like(t.key.path, b->method) || is_like(callpath, b->method) ||
        is_like(t.path, b->method))
        t.rows = table_create(arena, callpath);
    for (size_t p = 0; p < like->n_params; p++) {
        params[p] = portolan_arena_strdup(arena, like->params[p]);
        if (t.rows)
            table_add_column(t.rows, params[p], COLUMN_IDENTIFIER, NULL);
    }
    if (t.rows)
        table_add_column(t.rows, t.key.metric, COLUMN_OBSERVABLE, NULL);
    return t;
}

void trend_add(struct trend_builder *b, const struct trend_key *key, const double *x, double y,
               bool is_first)
{
    struct portolan_trends *t = b->t;
    uint64_t hash = hash_key(key);
    size_t at = portolan_index_find(&b->index, hash, same_key, &(struct wanted){t->items, key});
    double *row;

    if (at == SIZE_MAX) {
        at = t->n;
        t->items = portolan_arena_grow(&b->s->arena, t->items, at, sizeof *t->items);
        t->items[at] = make_trend(b, key);
        if (!portolan_index_add(&b->index, hash, at))
            statement_no_memory(b->s);
        t->n++;
        b->n_wanted += t->items[at].rows != NULL;
    }
    if (!t->items[at].rows)
        return;
    t->items[at].is_first =
        portolan_arena_grow(&b->s->arena, t->items[at].is_first, t->items[at].rows->n_rows,
                            sizeof *t->items[at].is_first);
    t->items[at].is_first[t->items[at].rows->n_rows] = is_first;
    row = table_add_row(t->items[at].rows);
    if (key->n_params)
        memcpy(row, x, key->n_params * sizeof *x);
    row[key->n_params] = y;
}

/* Drops rows of first calls where others have the same parameters. */
static void drop_first(struct statement *s, struct trend *t)
{
    size_t *kept = statement_alloc(s, t->rows->n_rows, sizeof *kept), n = 0;

    for (size_t i = 0; i < t->rows->n_rows; i++) {
        bool drops = false;

        for (size_t k = 0; t->is_first[i] && k < t->rows->n_rows && !drops; k++)
            drops = !t->is_first[k] && !memcmp(table_row(t->rows, i), table_row(t->rows, k),
                                               t->key.n_params * sizeof(double));
        if (!drops)
            kept[n++] = i;
    }
    if (n < t->rows->n_rows)
        t->rows = table_pick(&s->arena, t->rows, kept, n);
}

static void sort_rows(struct statement *s, struct trend *t)
{
    size_t params[MAX_PARAMS];

    for (size_t p = 0; p < t->key.n_params; p++)
        params[p] = p;
    t->arrival =
        order_rows(s, &(struct order){.t = t->rows, .columns = params, .n = t->key.n_params});
    t->rows = table_pick(&s->arena, t->rows, t->arrival, t->rows->n_rows);
}

struct portolan_trends *trend_finish(struct trend_builder *b, const char *unit, const char *what)
{
    struct portolan_trends *t = b->t;
    size_t kept = 0;

    t->unit = portolan_arena_strdup(&b->s->arena, unit);
    t->what = portolan_arena_strdup(&b->s->arena, what);
    for (size_t i = 0; i < t->n; i++)
        if (t->items[i].rows) {
            t->items[kept] = t->items[i];
            drop_first(b->s, &t->items[kept]);
            sort_rows(b->s, &t->items[kept++]);
        }
    t->n = kept;
    t->arena = b->s->arena;
    t->arena.no_memory = NULL;
    b->s->arena = (struct portolan_arena){0};
    return t;
}

size_t trend_param(const struct trend *t, const char *name)
{
    size_t p = table_find(t->rows, name);

    return p < t->key.n_params ? p : NONE;
}

int trend_time(const char *metric)
{
    static const char *const times[] = {"exclusive", "inclusive", "mpi"};

    for (int i = 0; i < 3; i++)
        if (!strcmp(metric, times[i]))
            return i;
    return -1;
}

const double *trend_last_row(const struct trend *t)
{
    return table_row(t->rows, t->rows->n_rows - 1);
}

void portolan_trends_destroy(struct portolan_trends *t)
{
    struct portolan_arena arena;

    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++)
        portolan_model_destroy(t->items[i].model);
    arena = t->arena; /* T is in it */
    portolan_arena_clear(&arena);
}

/* ------------------------------------------------------------------------------------- models */

struct fitting {
    struct portolan_trends *trends;
    const struct portolan_trend_fit *how;
    struct portolan_formula *formula;
};

/* Once for all trends, so that errors have its position. */
static struct portolan_formula *parse_formula(struct statement *s, const char *text)
{
    struct portolan_formula_sum *sum = statement_alloc(s, 1, sizeof *sum);
    struct portolan_formula *formula = NULL;

    if (!text)
        return NULL;
    statement_check(
        s, NULL,
        portolan_formula_parse(text, strlen(text), "--formula", 1, 1, s->d, &formula, &s->err));
    statement_own(s, free_formula, formula);
    statement_own(s, free_formula_sum, sum);
    statement_check(s, NULL,
                    portolan_formula_split(formula, "--formula", 1, 1, s->d, sum, &s->err));
    return formula;
}

/* The rows of T up to the limit of the fit. */
static const struct table *choose_rows(struct statement *s, const struct trend *t,
                                       const struct portolan_trend_fit *how)
{
    size_t p = how->up_to ? trend_param(t, how->up_to) : NONE, n = 0;
    size_t *rows = p == NONE ? NULL : statement_alloc(s, t->rows->n_rows, sizeof *rows);

    for (size_t i = 0; rows && i < t->rows->n_rows; i++)
        if (table_row(t->rows, i)[p] <= how->limit)
            rows[n++] = i;
    return rows ? table_pick(&s->arena, t->rows, rows, n) : t->rows;
}

/* Numbers of calls are integers, unless they are means. */
static bool is_count(const struct trend *t, const struct portolan_model_data *data)
{
    if (strcmp(t->key.metric, "calls") != 0)
        return false;
    for (size_t i = 0; i < data->n_rows; i++)
        if (data->y[i] < 0 || floor(data->y[i]) < data->y[i])
            return false;
    return true;
}

static enum portolan_status fit_trend(struct statement *s, const struct fitting *f, struct trend *t)
{
    const struct table *rows = choose_rows(s, t, f->how);
    const char *unit = f->trends->unit;
    struct fit fit = {
        .observable = t->key.n_params,
        .placed.n = t->key.n_params,
        .formula = f->formula,
        .has_pieces = f->how->pieces,
        .options = f->how->options,
        .envelope = {.name = t->path,
                     .unit = *unit ? unit : NULL,
                     /* metrics of files keep their names */
                     .quality = trend_time(t->key.metric) >= 0 ? "time" : t->key.metric,
                     .source = f->trends->what}};
    struct portolan_model_data data;

    for (size_t p = 0; p < t->key.n_params; p++) {
        fit.params[p] = t->key.params[p];
        fit.placed.columns[p] = p;
    }
    data = fit_rows(s, rows, &fit);
    if (!data.n_rows)
        return portolan_error_set(&s->err, PORTOLAN_EINVAL, "no row has %s up to %g", f->how->up_to,
                                  f->how->limit);
    fit.options.statistic = f->trends->statistic;
    if (is_count(t, &data))
        fit.options.kind = PORTOLAN_MODEL_COUNT;
    return fit_data(s, rows, &fit, &data, &t->model);
}

/* Fails unless some trend has the parameter that limits the rows. */
static void check_limit(struct statement *s, const struct fitting *f)
{
    size_t i = 0, n = f->trends->n;

    while (f->how->up_to && i < n && trend_param(&f->trends->items[i], f->how->up_to) == NONE)
        i++;
    if (f->how->up_to && i == n)
        statement_fail(s, NULL, "'%s' is no parameter here", f->how->up_to);
}

static void fit_trends(struct statement *s)
{
    struct fitting *f = s->arg;
    struct portolan_trends *trends = f->trends;
    struct portolan_error first = {0};
    size_t fitted = 0;

    f->formula = parse_formula(s, f->how->formula);
    check_limit(s, f);
    trends->statistic = f->how->options.statistic;
    if (trends->has_means && trends->statistic == PORTOLAN_MODEL_TYPICAL)
        trends->statistic = PORTOLAN_MODEL_MEAN;
    for (size_t i = 0; i < trends->n; i++) {
        struct trend *t = &trends->items[i];
        enum portolan_status status;

        portolan_progress("models", i, trends->n, false);
        portolan_model_destroy(t->model);
        t->model = NULL;
        t->why = NULL;
        s->err = (struct portolan_error){0};
        status = fit_trend(s, f, t);
        if (status == PORTOLAN_ENOMEM)
            statement_no_memory(s);
        fitted += !status;
        if (!status)
            continue;
        first = first.status ? first : s->err;
        if (!(t->why = portolan_arena_strdup(&trends->arena, s->err.text)))
            statement_no_memory(s);
    }
    portolan_progress_done("models");
    s->err = first;
    if (!fitted)
        statement_check(s, NULL, first.status);
}

enum portolan_status portolan_trends_fit(struct portolan_trends *trends,
                                         const struct portolan_trend_fit *fit,
                                         struct portolan_diagnostics *diagnostics,
                                         struct portolan_error *err)
{
    return trend_call(fit_trends, &(struct fitting){.trends = trends, .how = fit}, diagnostics,
                      err);
}

/* Logarithms that differ less are the same. */
static const double same = 0.01;

bool trend_moves_together(const struct trend *t, size_t a, size_t b, double *level, double *slope)
{
    double n = (double)t->rows->n_rows, x = 0, y = 0, xx = 0, xy = 0, yy = 0;

    for (size_t i = 0; i < t->rows->n_rows; i++) {
        const double *row = table_row(t->rows, i);

        if (!(row[a] > 0 && row[b] > 0))
            return false;
        x += log(row[a]) / n;
        y += log(row[b]) / n;
    }
    for (size_t i = 0; i < t->rows->n_rows; i++) {
        const double *row = table_row(t->rows, i);

        xx += (log(row[a]) - x) * (log(row[a]) - x);
        xy += (log(row[a]) - x) * (log(row[b]) - y);
        yy += (log(row[b]) - y) * (log(row[b]) - y);
    }
    if (!(xx > same * same) || !(yy > same * same))
        return false;
    *slope = xy / xx;
    *level = y - *slope * x;
    for (size_t i = 0; i < t->rows->n_rows; i++) {
        const double *row = table_row(t->rows, i);

        if (!(fabs(log(row[b]) - *level - *slope * log(row[a])) < same))
            return false;
    }
    return true;
}

bool trend_leaves_line(const struct trend *t, const double *x)
{
    double level, slope;

    for (size_t b = 1; b < t->key.n_params; b++)
        for (size_t a = 0; a < b; a++)
            if (trend_moves_together(t, a, b, &level, &slope) &&
                !(fabs(log(x[b]) - level - slope * log(x[a])) < same))
                return true;
    return false;
}
