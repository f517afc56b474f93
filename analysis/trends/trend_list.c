/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends as a table, and the words that all texts of trends share. */
#include "trend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = PORTOLAN_MODEL_MAX_PARAMS };
static const double rounding = 1e-9; /* relative errors below are 0 */

/* ------------------------------------------------- words */

const double *trend_last_point(const struct portolan_trend *t)
{
    return t->n_params ? t->x + (t->n_rows - 1) * t->n_params : NULL;
}

const char *trend_value_text(const struct portolan_trends *t, double value, char *storage)
{
    if (!strcmp(t->unit, "ns"))
        return portolan_format_time(value, 4, storage, 32);
    snprintf(storage, 32, "%.4g%s%.8s", value, *t->unit ? " " : "", t->unit);
    return storage;
}

void trend_add_head(const struct portolan_trends *t, struct portolan_text *out)
{
    portolan_text_add(out, "%s", t->what);
    if (t->n_trials)
        portolan_text_add(out, ", %zu trial%s", t->n_trials, t->n_trials == 1 ? "" : "s");
    if (!strcmp(t->unit, "ns"))
        portolan_text_add(out, "; formulas in ns");
    portolan_text_add(out, "\n");
}

/* ------------------------------------------------- what is shown of a trend */

struct line {
    const struct portolan_trend *t;
    struct portolan_prediction at; /* value NaN: none */
    double growth, error;
};

/* The point to predict at: where nothing is asked, that of the last row. */
static void choose_point(const struct portolan_trend *t, const struct portolan_trend_list *list,
                         const double *at, double *x)
{
    for (size_t p = 0; p < t->n_params; p++) {
        x[p] = trend_last_point(t)[p];
        for (size_t k = 0; k < list->n_at; k++)
            if (!strcmp(list->at[k].name, t->params[p]))
                x[p] = at[k];
    }
}

static struct line look(const struct portolan_trend *t, const struct portolan_trend_list *list,
                        const double *at)
{
    struct line l = {
        .t = t, .at = {.value = NAN, .low = NAN, .high = NAN}, .growth = NAN, .error = NAN};
    double x[MAX_PARAMS], twice;

    if (!t->model)
        return l;
    choose_point(t, list, at, x);
    l.error = portolan_model_peek_summary(t->model)->rms;
    if (portolan_model_predict(t->model, x, &l.at))
        return l;
    for (size_t p = 0; p < t->n_params; p++)
        x[p] *= 2;
    twice = portolan_model_value(t->model, x);
    l.growth = l.at.value > 0 && twice > 0 ? log2(twice / l.at.value) : 0;
    return l;
}

/* Larger ones first, what is not known last. */
static int by_size(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return (a < b) - (a > b);
}

enum order { BY_VALUE, BY_GROWTH, BY_ERROR, BY_NAME, BY_CALL };

/* Lines that are alike in what they are sorted by stay as they were called. */
static int compare_lines(const void *left, const void *right, void *order)
{
    const struct line *a = left, *b = right;
    int c = 0;

    switch (*(const enum order *)order) {
    case BY_GROWTH:
        c = by_size(a->growth, b->growth);
        if (c)
            return c;
        /* fall through */
    case BY_VALUE:
        c = by_size(a->at.value, b->at.value);
        break;
    case BY_ERROR:
        c = by_size(a->error, b->error);
        break;
    case BY_NAME:
        c = strcmp(a->t->path, b->t->path);
        break;
    case BY_CALL:
        break;
    }
    return c ? c : (a->t > b->t) - (a->t < b->t);
}

static enum portolan_status find_order(const char *name, enum order *order,
                                       struct portolan_error *err)
{
    static const char *const names[] = {"value", "growth", "error", "name", "called"};

    for (int i = BY_VALUE; i <= BY_CALL; i++)
        if (!strcmp(names[i], name ? name : "value")) {
            *order = (enum order)i;
            return PORTOLAN_OK;
        }
    return portolan_error_set(err, PORTOLAN_EINVAL,
                              "no order '%s': want value, growth, error, name or called", name);
}

/* ------------------------------------------------- where to predict */

static bool is_param(const struct portolan_trends *trends, const char *name)
{
    for (size_t i = 0; i < trends->n; i++)
        if (trend_param(&trends->items[i], name) != SIZE_MAX)
            return true;
    return false;
}

static enum portolan_status read_at(const struct portolan_trends *trends,
                                    const struct portolan_trend_list *list, double *at,
                                    struct portolan_error *err)
{
    for (size_t k = 0; k < list->n_at; k++) {
        const struct portolan_name_value *a = &list->at[k];

        if (!is_param(trends, a->name))
            return portolan_error_set(err, PORTOLAN_EINVAL, "'%s' is no parameter here", a->name);
        if (!portolan_read_double(a->value, &at[k]) || !isfinite(at[k]))
            return portolan_error_set(err, PORTOLAN_EINVAL, "%s=%s: want a number", a->name,
                                      a->value);
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------- the table */

static const struct column columns[] = {{"call path", COLUMN_NAME}, {"rows", COLUMN_COUNT},
                                        {"off by", COLUMN_PERCENT}, {"value", COLUMN_TEXT},
                                        {"low", COLUMN_TEXT},       {"high", COLUMN_TEXT},
                                        {"", COLUMN_TEXT},          {"model", COLUMN_NAME}};

static void add_value(struct table *table, const struct portolan_trends *trends, double value)
{
    char text[32];

    table_text(table, isnan(value) ? "-" : trend_value_text(trends, value, text));
}

/* What the table below must explain; any of its models. */
struct marks {
    bool outside, assumed, unfit;
    const struct portolan_model *model;
};

static void add_line(struct table *table, const struct portolan_trends *trends,
                     const struct line *l, struct marks *marks)
{
    const struct portolan_trend *t = l->t;
    bool relative =
        t->model && portolan_model_peek_summary(t->model)->weighting == PORTOLAN_MODEL_RELATIVE;
    bool unfit = t->model && !portolan_model_fits(t->model);

    table_text(table, t->path);
    table_number(table, (double)t->n_rows);
    table_number(table, !relative ? NAN : l->error < rounding ? 0 : l->error);
    add_value(table, trends, l->at.value);
    add_value(table, trends, l->at.low);
    add_value(table, trends, l->at.high);
    table_format(table, "%s%s%s", l->at.extrapolates ? "!" : "", l->at.is_assumed ? "?" : "",
                 unfit ? "*" : "");
    table_text(table, t->model ? portolan_model_peek_formula(t->model) : t->why ? t->why : "");
    marks->outside = marks->outside || l->at.extrapolates;
    marks->assumed = marks->assumed || l->at.is_assumed;
    marks->unfit = marks->unfit || unfit;
    marks->model = t->model ? t->model : marks->model;
}

static void add_foot(const struct portolan_trends *trends, size_t shown, const struct marks *marks,
                     struct portolan_text *out)
{
    if (shown < trends->n)
        portolan_text_add(out, "(%zu more; --top=0 shows all)\n", trends->n - shown);
    if (marks->model)
        trend_add_level(marks->model, out);
    if (marks->outside)
        portolan_text_add(out, "! outside what was measured\n");
    if (marks->assumed)
        portolan_text_add(out, "? the interval rests on assumption: too few rows\n");
    if (marks->unfit)
        portolan_text_add(out, "* does not fit its own points: see portolan model show\n");
}

enum portolan_status portolan_trends_write_list(const struct portolan_trends *trends,
                                                const struct portolan_trend_list *list,
                                                struct portolan_text *out,
                                                struct portolan_error *err)
{
    struct table table = {
        .columns = columns, .n_columns = sizeof columns / sizeof *columns, .wide = list->wide};
    struct line *lines = portolan_calloc(trends->n + 1, sizeof *lines);
    double *at = portolan_calloc(list->n_at + 1, sizeof *at);
    enum order order = BY_VALUE;
    struct marks marks = {0};
    enum portolan_status status = find_order(list->sort, &order, err);
    size_t shown = list->top && list->top < trends->n ? list->top : trends->n;

    if (!status && (!lines || !at))
        status = portolan_no_memory(err);
    if (!status)
        status = read_at(trends, list, at, err);
    if (!status) {
        for (size_t i = 0; i < trends->n; i++)
            lines[i] = look(&trends->items[i], list, at);
        qsort_r(lines, trends->n, sizeof *lines, compare_lines, &order);
        for (size_t i = 0; i < shown; i++)
            add_line(&table, trends, &lines[i], &marks);
        trend_add_head(trends, out);
        table_write(&table, out);
        add_foot(trends, shown, &marks, out);
    }
    free(lines);
    free(at);
    return status;
}
