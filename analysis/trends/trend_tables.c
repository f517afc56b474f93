/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends as tables: a list, measured compared with predicted, two sets of trials compared. */
#include "trend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = MAX_PARAMS + 7 };
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
    const struct trend *t;
    struct portolan_prediction at; /* value NaN: none */
    double growth, error;
};

/* The point to predict at: for parameters that are not given, that of the last row. */
static void choose_point(const struct trend *t, const struct portolan_trend_view *view,
                         const double *at, double *x)
{
    for (size_t p = 0; p < t->key.n_params; p++) {
        x[p] = trend_last_row(t)[p];
        for (size_t k = 0; k < view->n_at; k++)
            if (!strcmp(view->at[k].name, t->key.params[p]))
                x[p] = at[k];
    }
}

static struct line look_at(const struct trend *t, const struct portolan_trend_view *view,
                           const double *at)
{
    struct line l = {
        .t = t, .at = {.value = NAN, .low = NAN, .high = NAN}, .growth = NAN, .error = NAN};
    double x[MAX_PARAMS], twice;

    if (!t->model)
        return l;
    choose_point(t, view, at, x);
    l.error = portolan_model_peek_summary(t->model)->rms;
    if (portolan_model_predict(t->model, x, &l.at))
        return l;
    l.at.extrapolates = l.at.extrapolates || trend_leaves_line(t, x);
    for (size_t p = 0; p < t->key.n_params; p++)
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

enum sort_key { BY_VALUE, BY_GROWTH, BY_ERROR, BY_NAME, BY_CALL };

/* Lines with equal sort keys stay in the order of the calls. */
static int compare_lines(const void *left, const void *right, void *order)
{
    const struct line *a = left, *b = right;
    int c = 0;

    switch (*(const enum sort_key *)order) {
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

static enum sort_key find_order(struct statement *s, const char *name)
{
    static const char *const names[] = {"value", "growth", "error", "name", "called"};

    for (int i = BY_VALUE; i <= BY_CALL; i++)
        if (!strcmp(names[i], name ? name : "value"))
            return (enum sort_key)i;
    statement_fail(s, NULL, "unknown order '%s'; use value, growth, error, name or called", name);
}

static bool is_param(const struct portolan_trends *trends, const char *name)
{
    for (size_t i = 0; i < trends->n; i++)
        if (trend_param(&trends->items[i], name) != NONE)
            return true;
    return false;
}

static double *read_at(const struct writing *w)
{
    double *at = statement_alloc(w->s, w->view->n_at, sizeof *at);

    for (size_t k = 0; k < w->view->n_at; k++) {
        const struct portolan_name_value *a = &w->view->at[k];

        if (!is_param(w->t, a->name))
            statement_fail(w->s, NULL, "'%s' is no parameter here", a->name);
        if (!portolan_read_double(a->value, &at[k]) || !isfinite(at[k]))
            statement_fail(w->s, NULL, "%s=%s: want a number", a->name, a->value);
    }
    return at;
}

static const struct grid_column list_columns[] = {
    {"call path", GRID_NAME}, {"rows", GRID_COUNT}, {"off by", GRID_PERCENT}, {"value", GRID_TEXT},
    {"low", GRID_TEXT},       {"high", GRID_TEXT},  {"", GRID_TEXT},          {"model", GRID_NAME}};

static void add_value(struct grid *table, const struct portolan_trends *trends, double value)
{
    char text[32];

    grid_text(table, isnan(value) ? "-" : value_text(trends, value, text));
}

/* The marks that the legend below the table must explain; MODEL is any of the models. */
struct marks {
    bool outside, assumed, unfit;
    const struct portolan_model *model;
};

static void add_line(struct grid *table, const struct portolan_trends *trends, const struct line *l,
                     struct marks *marks)
{
    const struct trend *t = l->t;
    bool relative =
        t->model && portolan_model_peek_summary(t->model)->weighting == PORTOLAN_MODEL_RELATIVE;
    bool unfit = t->model && !portolan_model_fits(t->model);

    grid_text(table, t->path);
    grid_number(table, (double)t->rows->n_rows);
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
        portolan_text_add(out, "! outside the measured range\n");
    if (marks->assumed)
        portolan_text_add(out, "? the interval is based on assumptions: too few rows\n");
    if (marks->unfit)
        portolan_text_add(out, "* does not fit its own points: see portolan model show\n");
}

void trend_write_list(const struct writing *w)
{
    const struct portolan_trends *trends = w->t;
    struct grid table = {.in = &w->s->arena,
                         .columns = list_columns,
                         .n_columns = sizeof list_columns / sizeof *list_columns,
                         .wide = w->view->wide};
    enum sort_key order = find_order(w->s, w->view->sort);
    const double *at = read_at(w);
    struct line *lines = statement_alloc(w->s, trends->n, sizeof *lines);
    size_t top = w->view->top, shown = top && top < trends->n ? top : trends->n;
    struct marks marks = {0};

    for (size_t i = 0; i < trends->n; i++)
        lines[i] = look_at(&trends->items[i], w->view, at);
    qsort_r(lines, trends->n, sizeof *lines, compare_lines, &order);
    for (size_t i = 0; i < shown; i++)
        add_line(&table, trends, &lines[i], &marks);
    trend_add_head(trends, w->out);
    grid_write(&table, w->out);
    add_foot(trends, shown, &marks, w->out);
}

/* ------------------------------------------------- measured against predicted */

static size_t start_table(const struct portolan_trends *trends, const struct trend *t,
                          struct grid_column *columns)
{
    enum grid_kind kind = strcmp(trends->unit, "ns") ? GRID_PLAIN : GRID_EACH;
    size_t n = 0;

    for (size_t p = 0; p < t->key.n_params; p++)
        columns[n++] = (struct grid_column){t->key.params[p], GRID_TEXT};
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

static void add_point(const struct trend *t, const struct points *p, size_t i, struct grid *table,
                      struct errors *errors)
{
    const double *x = p->x + i * p->n_by, measured = p->y[i];
    struct portolan_prediction at = {.value = NAN, .low = NAN, .high = NAN};
    double error;

    portolan_model_predict(t->model, x, &at);
    error = measured != 0 && isfinite(measured) ? 100 * (measured - at.value) / measured : NAN;
    for (size_t k = 0; k < p->n_by; k++)
        grid_format(table, "%.10g", x[k]);
    grid_numbers(table, (double)(p->last[i] - p->first[i]), measured, at.value, at.low, at.high);
    grid_format(table, isnan(error) ? "-" : "%.2f", error);
    grid_text(table, at.extrapolates ? "! outside" : "");
    if (!isnan(error)) {
        errors->sum += fabs(error);
        errors->n++;
        errors->sum_outside += at.extrapolates ? fabs(error) : 0;
        errors->n_outside += at.extrapolates;
    }
}

void trend_write_errors(const struct writing *w, const struct trend *t)
{
    struct grid_column columns[MAX_COLUMNS];
    struct grid table = {.in = &w->s->arena, .columns = columns};
    size_t by[MAX_PARAMS], n_by = t->key.n_params;
    struct errors errors = {0};
    struct points points;

    if (!t->model) {
        portolan_text_add(w->out, "no model: %s\n", t->why ? t->why : "it was not fitted");
        return;
    }
    for (size_t p = 0; p < n_by; p++)
        by[p] = p;
    points = table_points(w->s, t->rows, by, n_by, n_by, w->t->statistic);
    table.n_columns = start_table(w->t, t, columns);
    for (size_t i = 0; i < points.n; i++)
        add_point(t, &points, i, &table, &errors);
    grid_write(&table, w->out);
    add_level(t->model, w->out);
    if (errors.n)
        portolan_text_add(w->out, "mean |error| %.2f %%", errors.sum / (double)errors.n);
    if (errors.n_outside && errors.n_outside < errors.n)
        portolan_text_add(w->out, ", of the points outside %.2f %%",
                          errors.sum_outside / (double)errors.n_outside);
    portolan_text_add(w->out, errors.n ? "\n" : "");
}

/* ------------------------------------------------- two sets */

static int by_path(const void *left, const void *right)
{
    const struct trend *const *a = left, *const *b = right;

    return strcmp((*a)->path, (*b)->path);
}

/* The trends sorted by path. */
static const struct trend **sort_by_path(struct statement *s, const struct portolan_trends *trends)
{
    const struct trend **sorted = statement_alloc(s, trends->n, sizeof(void *));

    for (size_t i = 0; i < trends->n; i++)
        sorted[i] = &trends->items[i];
    qsort(sorted, trends->n, sizeof *sorted, by_path);
    return sorted;
}

/* The largest point within both ranges, X for A and Y for B; false when the parameters differ. */
static bool common_point(const struct trend *a, const struct trend *b, double *x, double *y)
{
    if (a->key.n_params != b->key.n_params || !a->model || !b->model)
        return false;
    for (size_t p = 0; p < a->key.n_params; p++) {
        size_t q = trend_param(b, a->key.params[p]);

        if (q == NONE)
            return false;
        x[p] = fmin(portolan_model_peek_range(a->model, p)->max,
                    portolan_model_peek_range(b->model, q)->max);
        y[q] = x[p];
    }
    return true;
}

static const char *formula_of(const struct trend *t)
{
    return !t ? "-" : t->model ? portolan_model_peek_formula(t->model) : "no model";
}

struct pair {
    const struct trend *a, *b;
    struct portolan_prediction at_a, at_b;
    bool compared;
    double larger; /* the larger of both values: the sort key */
};

static struct pair pair_of(const struct trend *a, const struct trend *b)
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
    grid_text(table, formula_of(p->a));
    grid_text(table, formula_of(p->b));
}

/* Pairs the trends of one path; those on one side only get no partner. */
static struct pair *match_paths(const struct writing *w, size_t *n)
{
    const struct portolan_trends *a = w->t, *b = w->view->other;
    const struct trend **in_a = sort_by_path(w->s, a), **in_b = sort_by_path(w->s, b);
    struct pair *pairs = statement_alloc(w->s, a->n + b->n, sizeof *pairs);

    *n = 0;
    for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
        int order = i == a->n ? 1 : k == b->n ? -1 : strcmp(in_a[i]->path, in_b[k]->path);

        pairs[(*n)++] = pair_of(order <= 0 ? in_a[i] : NULL, order >= 0 ? in_b[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
    return pairs;
}

void trend_write_comparison(const struct writing *w)
{
    static const struct grid_column columns[] = {
        {"call path", GRID_NAME}, {"in A", GRID_TEXT}, {"in B", GRID_TEXT},
        {"B / A", GRID_TEXT},     {"", GRID_TEXT},     {"model of A", GRID_NAME},
        {"model of B", GRID_NAME}};
    struct grid table = {.in = &w->s->arena,
                         .columns = columns,
                         .n_columns = sizeof columns / sizeof *columns,
                         .wide = w->view->wide};
    size_t n, top = w->view->top;
    struct pair *pairs = match_paths(w, &n);

    qsort(pairs, n, sizeof *pairs, larger_pair_first);
    portolan_text_add(w->out, "A: ");
    trend_add_head(w->t, w->out);
    portolan_text_add(w->out, "B: ");
    trend_add_head(w->view->other, w->out);
    for (size_t i = 0; i < n && (!top || i < top); i++)
        add_pair(w->t, &pairs[i], &table);
    grid_write(&table, w->out);
    if (top && n > top)
        portolan_text_add(w->out, "(%zu more; --top=0 shows all)\n", n - top);
    portolan_text_add(w->out, "values at the largest point that both cover; * the intervals of new "
                              "rows there do not meet\n");
}
