/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends as tables: a list, measured compared with predicted, two sets of trials compared. */
#include "trend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = PORTOLAN_MODEL_MAX_PARAMS, MAX_COLUMNS = MAX_PARAMS + 7 };
static const double rounding = 1e-9; /* smaller relative errors count as 0 */

/* ------------------------------------------------- words */

/* A value with its unit, in 32 bytes. */
static const char *value_text(const struct portolan_trends *t, double value, char *storage)
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

/* Explains low and high. */
static void add_level(const struct portolan_model *m, struct portolan_text *out)
{
    portolan_text_add(out, "a new row lies between low and high with %g %%\n",
                      100 * portolan_model_peek_summary(m)->confidence);
}

/* ------------------------------------------------- a list */

struct line {
    const struct portolan_trend *t;
    struct portolan_prediction at; /* value NaN: none */
    double growth, error;
};

/* The point to predict at: for parameters that are not given, that of the last row. */
static void choose_point(const struct portolan_trend *t, const struct portolan_trend_list *list,
                         const double *at, double *x)
{
    for (size_t p = 0; p < t->n_params; p++) {
        x[p] = t->x[(t->n_rows - 1) * t->n_params + p];
        for (size_t k = 0; k < list->n_at; k++)
            if (!strcmp(list->at[k].name, t->params[p]))
                x[p] = at[k];
    }
}

static struct line look_at(const struct portolan_trend *t, const struct portolan_trend_list *list,
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

/* Larger values first, NaN last. */
static int by_size(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return (a < b) - (a > b);
}

enum order { BY_VALUE, BY_GROWTH, BY_ERROR, BY_NAME, BY_CALL };

/* Lines with equal sort keys stay in the order of the calls. */
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

static const struct grid_column list_columns[] = {
    {"call path", GRID_NAME}, {"rows", GRID_COUNT}, {"off by", GRID_PERCENT}, {"value", GRID_TEXT},
    {"low", GRID_TEXT},       {"high", GRID_TEXT},  {"", GRID_TEXT},          {"model", GRID_NAME}};

static void add_value(struct grid *table, const struct portolan_trends *trends, double value)
{
    char text[32];

    grid_text(table, isnan(value) ? "-" : value_text(trends, value, text));
}

/* What the legend below the table must explain; MODEL is any of the models. */
struct marks {
    bool outside, assumed, unfit;
    const struct portolan_model *model;
};

static void add_line(struct grid *table, const struct portolan_trends *trends, const struct line *l,
                     struct marks *marks)
{
    const struct portolan_trend *t = l->t;
    bool relative =
        t->model && portolan_model_peek_summary(t->model)->weighting == PORTOLAN_MODEL_RELATIVE;
    bool unfit = t->model && !portolan_model_fits(t->model);

    grid_text(table, t->path);
    grid_number(table, (double)t->n_rows);
    grid_number(table, !relative ? NAN : l->error < rounding ? 0 : l->error);
    add_value(table, trends, l->at.value);
    add_value(table, trends, l->at.low);
    add_value(table, trends, l->at.high);
    grid_format(table, "%s%s%s", l->at.extrapolates ? "!" : "", l->at.is_assumed ? "?" : "",
                unfit ? "*" : "");
    grid_text(table, t->model ? portolan_model_peek_formula(t->model) : t->why ? t->why : "");
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
        add_level(marks->model, out);
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
    struct grid table = {.columns = list_columns,
                         .n_columns = sizeof list_columns / sizeof *list_columns,
                         .wide = list->wide};
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
            lines[i] = look_at(&trends->items[i], list, at);
        qsort_r(lines, trends->n, sizeof *lines, compare_lines, &order);
        for (size_t i = 0; i < shown; i++)
            add_line(&table, trends, &lines[i], &marks);
        trend_add_head(trends, out);
        grid_write(&table, out);
        add_foot(trends, shown, &marks, out);
    }
    free(lines);
    free(at);
    return status;
}

/* ------------------------------------------------- measured against predicted */

static bool same_point(const struct portolan_trend *t, size_t i, size_t k)
{
    return !t->n_params ||
           memcmp(t->x + i * t->n_params, t->x + k * t->n_params, t->n_params * sizeof *t->x) == 0;
}

static size_t start_table(const struct portolan_trends *trends, const struct portolan_trend *t,
                          struct grid_column *columns)
{
    enum grid_kind kind = strcmp(trends->unit, "ns") ? GRID_PLAIN : GRID_EACH;
    size_t n = 0;

    for (size_t p = 0; p < t->n_params; p++)
        columns[n++] = (struct grid_column){t->params[p], GRID_TEXT};
    columns[n++] = (struct grid_column){"rows", GRID_COUNT};
    columns[n++] = (struct grid_column){"measured", kind};
    columns[n++] = (struct grid_column){"predicted", kind};
    columns[n++] = (struct grid_column){"low", kind};
    columns[n++] = (struct grid_column){"high", kind};
    columns[n++] = (struct grid_column){"error %", GRID_TEXT};
    columns[n++] = (struct grid_column){"", GRID_TEXT};
    return n;
}

struct errors {
    double sum, sum_outside;
    size_t n, n_outside;
};

/* The rows [FROM, TO) of a point; ROOM has place for their values. */
static void add_point(const struct portolan_trend *t, size_t from, size_t to, double *room,
                      struct grid *table, struct errors *errors)
{
    const double *x = t->x ? t->x + from * t->n_params : NULL;
    struct portolan_prediction at = {.value = NAN, .low = NAN, .high = NAN};
    double measured, error;

    memcpy(room, t->y + from, (to - from) * sizeof *room);
    measured = portolan_model_stand_in(t->statistic, to - from, room);
    portolan_model_predict(t->model, x, &at);
    error = measured != 0 && isfinite(measured) ? 100 * (measured - at.value) / measured : NAN;
    for (size_t p = 0; p < t->n_params; p++)
        grid_format(table, "%.10g", x[p]);
    grid_number(table, (double)(to - from));
    grid_number(table, measured);
    grid_number(table, at.value);
    grid_number(table, at.low);
    grid_number(table, at.high);
    grid_format(table, isnan(error) ? "-" : "%.2f", error);
    grid_text(table, at.extrapolates ? "! outside" : "");
    if (!isnan(error)) {
        errors->sum += fabs(error);
        errors->n++;
        errors->sum_outside += at.extrapolates ? fabs(error) : 0;
        errors->n_outside += at.extrapolates;
    }
}

enum portolan_status portolan_trend_write_errors(const struct portolan_trends *trends,
                                                 const struct portolan_trend *t,
                                                 struct portolan_text *out,
                                                 struct portolan_error *err)
{
    struct grid_column columns[MAX_COLUMNS];
    struct grid table = {.columns = columns};
    struct errors errors = {0};
    double *room;

    if (!t->model) {
        portolan_text_add(out, "no model: %s\n", t->why ? t->why : "it was not fitted");
        return PORTOLAN_OK;
    }
    if (!(room = portolan_calloc(t->n_rows, sizeof *room)))
        return portolan_no_memory(err);
    table.n_columns = start_table(trends, t, columns);
    for (size_t from = 0, to; from < t->n_rows; from = to) {
        for (to = from + 1; to < t->n_rows && same_point(t, from, to);)
            to++;
        add_point(t, from, to, room, &table, &errors);
    }
    free(room);
    grid_write(&table, out);
    add_level(t->model, out);
    if (errors.n)
        portolan_text_add(out, "mean |error| %.2f %%", errors.sum / (double)errors.n);
    if (errors.n_outside && errors.n_outside < errors.n)
        portolan_text_add(out, ", of the points outside %.2f %%",
                          errors.sum_outside / (double)errors.n_outside);
    portolan_text_add(out, errors.n ? "\n" : "");
    return PORTOLAN_OK;
}

/* ------------------------------------------------- two sets */

static int by_path(const void *left, const void *right)
{
    const struct portolan_trend *const *a = left, *const *b = right;

    return strcmp((*a)->path, (*b)->path);
}

/* The trends sorted by path; the caller frees the array. */
static const struct portolan_trend **sort_by_path(const struct portolan_trends *trends)
{
    const struct portolan_trend **sorted = portolan_calloc(trends->n + 1, sizeof *sorted);

    for (size_t i = 0; sorted && i < trends->n; i++)
        sorted[i] = &trends->items[i];
    if (sorted && trends->n)
        qsort(sorted, trends->n, sizeof *sorted, by_path);
    return sorted;
}

/* The largest point within both ranges, X for A and Y for B; false when the parameters differ. */
static bool common_point(const struct portolan_trend *a, const struct portolan_trend *b, double *x,
                         double *y)
{
    if (a->n_params != b->n_params || !a->model || !b->model)
        return false;
    for (size_t p = 0; p < a->n_params; p++) {
        size_t q = trend_param(b, a->params[p]);

        if (q == SIZE_MAX)
            return false;
        x[p] = fmin(portolan_model_peek_range(a->model, p)->max,
                    portolan_model_peek_range(b->model, q)->max);
        y[q] = x[p];
    }
    return true;
}

static const char *model_text(const struct portolan_trend *t)
{
    return !t ? "-" : t->model ? portolan_model_peek_formula(t->model) : "no model";
}

struct pair {
    const struct portolan_trend *a, *b;
    struct portolan_prediction at_a, at_b;
    bool compared;
    double larger; /* the larger of both values: the sort key */
};

static struct pair pair_of(const struct portolan_trend *a, const struct portolan_trend *b)
{
    double x[MAX_PARAMS], y[MAX_PARAMS];
    struct pair p = {.a = a, .b = b};

    p.compared = a && b && common_point(a, b, x, y) &&
                 !portolan_model_predict(a->model, x, &p.at_a) &&
                 !portolan_model_predict(b->model, y, &p.at_b);
    p.larger = p.compared ? fmax(p.at_a.value, p.at_b.value) : -1;
    return p;
}

static int larger_pair_first(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    if (a->larger != b->larger)
        return a->larger > b->larger ? -1 : 1;
    return strcmp(a->a ? a->a->path : a->b->path, b->a ? b->a->path : b->b->path);
}

static void add_pair(const struct portolan_trends *a, const struct pair *p, struct grid *table)
{
    char text[32];

    grid_text(table, p->a ? p->a->path : p->b->path);
    grid_text(table, p->compared ? value_text(a, p->at_a.value, text) : "-");
    grid_text(table, p->compared ? value_text(a, p->at_b.value, text) : "-");
    if (p->compared && p->at_a.value != 0)
        grid_format(table, "%.3g", p->at_b.value / p->at_a.value);
    else
        grid_text(table, "-");
    grid_text(table, !p->compared                                               ? ""
                     : p->at_a.low > p->at_b.high || p->at_b.low > p->at_a.high ? "*"
                                                                                : "");
    grid_text(table, model_text(p->a));
    grid_text(table, model_text(p->b));
}

/* Pairs the trends of one path; those on one side only get no partner. *PAIRS NULL: no memory. */
static size_t match_paths(const struct portolan_trends *a, const struct portolan_trends *b,
                          struct pair **pairs)
{
    const struct portolan_trend **in_a = sort_by_path(a), **in_b = sort_by_path(b);
    size_t n = 0, i = 0, k = 0;

    if (in_a && in_b)
        *pairs = portolan_calloc(a->n + b->n + 1, sizeof **pairs);
    while (*pairs && (i < a->n || k < b->n)) {
        int order = i == a->n ? 1 : k == b->n ? -1 : strcmp(in_a[i]->path, in_b[k]->path);

        (*pairs)[n++] = pair_of(order <= 0 ? in_a[i] : NULL, order >= 0 ? in_b[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
    free(in_a);
    free(in_b);
    return n;
}

enum portolan_status portolan_trends_write_comparison(const struct portolan_trends *a,
                                                      const struct portolan_trends *b, size_t top,
                                                      bool wide, struct portolan_text *out,
                                                      struct portolan_error *err)
{
    static const struct grid_column columns[] = {
        {"call path", GRID_NAME}, {"in A", GRID_TEXT}, {"in B", GRID_TEXT},
        {"B / A", GRID_TEXT},     {"", GRID_TEXT},     {"model of A", GRID_NAME},
        {"model of B", GRID_NAME}};
    struct grid table = {
        .columns = columns, .n_columns = sizeof columns / sizeof *columns, .wide = wide};
    struct pair *pairs = NULL;
    size_t n = match_paths(a, b, &pairs);

    if (!pairs)
        return portolan_no_memory(err);
    qsort(pairs, n, sizeof *pairs, larger_pair_first);
    portolan_text_add(out, "A: ");
    trend_add_head(a, out);
    portolan_text_add(out, "B: ");
    trend_add_head(b, out);
    for (size_t i = 0; i < n && (!top || i < top); i++)
        add_pair(a, &pairs[i], &table);
    grid_write(&table, out);
    if (top && n > top)
        portolan_text_add(out, "(%zu more; --top=0 shows all)\n", n - top);
    portolan_text_add(out, "values at the largest point that both cover; * the intervals of new "
                           "rows there do not meet\n");
    free(pairs);
    return PORTOLAN_OK;
}
