/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured against predicted, and the models of two sets of trials side by side. */
#include "trend.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = PORTOLAN_MODEL_MAX_PARAMS, MAX_COLUMNS = MAX_PARAMS + 7 };

static bool same_point(const struct portolan_trend *t, size_t i, size_t k)
{
    return !t->n_params ||
           memcmp(t->x + i * t->n_params, t->x + k * t->n_params, t->n_params * sizeof *t->x) == 0;
}

static size_t start_table(const struct portolan_trends *trends, const struct portolan_trend *t,
                          struct column *columns)
{
    enum column_kind kind = strcmp(trends->unit, "ns") ? COLUMN_PLAIN : COLUMN_EACH;
    size_t n = 0;

    for (size_t p = 0; p < t->n_params; p++)
        columns[n++] = (struct column){t->params[p], COLUMN_TEXT};
    columns[n++] = (struct column){"rows", COLUMN_COUNT};
    columns[n++] = (struct column){"measured", kind};
    columns[n++] = (struct column){"predicted", kind};
    columns[n++] = (struct column){"low", kind};
    columns[n++] = (struct column){"high", kind};
    columns[n++] = (struct column){"error %", COLUMN_TEXT};
    columns[n++] = (struct column){"", COLUMN_TEXT};
    return n;
}

struct errors {
    double sum, sum_outside;
    size_t n, n_outside;
};

/* The rows [FROM, TO) of a point; ROOM has place for their values. */
static void add_point(const struct portolan_trend *t, size_t from, size_t to, double *room,
                      struct table *table, struct errors *errors)
{
    const double *x = t->x ? t->x + from * t->n_params : NULL;
    struct portolan_prediction at = {.value = NAN, .low = NAN, .high = NAN};
    double measured, error;

    memcpy(room, t->y + from, (to - from) * sizeof *room);
    measured = portolan_model_stand_in(t->statistic, to - from, room);
    portolan_model_predict(t->model, x, &at);
    error = measured != 0 && isfinite(measured) ? 100 * (measured - at.value) / measured : NAN;
    for (size_t p = 0; p < t->n_params; p++)
        table_format(table, "%.10g", x[p]);
    table_number(table, (double)(to - from));
    table_number(table, measured);
    table_number(table, at.value);
    table_number(table, at.low);
    table_number(table, at.high);
    table_format(table, isnan(error) ? "-" : "%.2f", error);
    table_text(table, at.extrapolates ? "! outside" : "");
    if (!isnan(error)) {
        errors->sum += fabs(error);
        errors->n++;
        errors->sum_outside += at.extrapolates ? fabs(error) : 0;
        errors->n_outside += at.extrapolates;
    }
}

void trend_add_level(const struct portolan_model *m, struct portolan_text *out)
{
    portolan_text_add(out, "a new row lies between low and high with %g %%\n",
                      100 * portolan_model_peek_summary(m)->confidence);
}

enum portolan_status portolan_trend_write_errors(const struct portolan_trends *trends,
                                                 const struct portolan_trend *t,
                                                 struct portolan_text *out,
                                                 struct portolan_error *err)
{
    struct column columns[MAX_COLUMNS];
    struct table table = {.columns = columns};
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
    table_write(&table, out);
    trend_add_level(t->model, out);
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

/* The trends by their paths; the caller frees. */
static const struct portolan_trend **sort_by_path(const struct portolan_trends *trends)
{
    const struct portolan_trend **sorted = portolan_calloc(trends->n + 1, sizeof *sorted);

    for (size_t i = 0; sorted && i < trends->n; i++)
        sorted[i] = &trends->items[i];
    if (sorted && trends->n)
        qsort(sorted, trends->n, sizeof *sorted, by_path);
    return sorted;
}

/* The largest point that both cover, by A's names; false when they differ in their parameters. */
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
    double larger; /* of both values: what the table is sorted by */
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

static int larger_first(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    if (a->larger != b->larger)
        return a->larger > b->larger ? -1 : 1;
    return strcmp(a->a ? a->a->path : a->b->path, b->a ? b->a->path : b->b->path);
}

static void add_pair(const struct portolan_trends *a, const struct pair *p, struct table *table)
{
    char text[32];

    table_text(table, p->a ? p->a->path : p->b->path);
    table_text(table, p->compared ? trend_value_text(a, p->at_a.value, text) : "-");
    table_text(table, p->compared ? trend_value_text(a, p->at_b.value, text) : "-");
    if (p->compared && p->at_a.value != 0)
        table_format(table, "%.3g", p->at_b.value / p->at_a.value);
    else
        table_text(table, "-");
    table_text(table, !p->compared                                               ? ""
                      : p->at_a.low > p->at_b.high || p->at_b.low > p->at_a.high ? "*"
                                                                                 : "");
    table_text(table, model_text(p->a));
    table_text(table, model_text(p->b));
}

/* The pairs of trends with one path, and those that only one side has; *PAIRS NULL: no memory. */
static size_t match(const struct portolan_trends *a, const struct portolan_trends *b,
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
    static const struct column columns[] = {{"call path", COLUMN_NAME}, {"in A", COLUMN_TEXT},
                                            {"in B", COLUMN_TEXT},      {"B / A", COLUMN_TEXT},
                                            {"", COLUMN_TEXT},          {"model of A", COLUMN_NAME},
                                            {"model of B", COLUMN_NAME}};
    struct table table = {
        .columns = columns, .n_columns = sizeof columns / sizeof *columns, .wide = wide};
    struct pair *pairs = NULL;
    size_t n = match(a, b, &pairs);

    if (!pairs)
        return portolan_no_memory(err);
    qsort(pairs, n, sizeof *pairs, larger_first);
    portolan_text_add(out, "A: ");
    trend_add_head(a, out);
    portolan_text_add(out, "B: ");
    trend_add_head(b, out);
    for (size_t i = 0; i < n && (!top || i < top); i++)
        add_pair(a, &pairs[i], &table);
    table_write(&table, out);
    if (top && n > top)
        portolan_text_add(out, "(%zu more; --top=0 shows all)\n", n - top);
    portolan_text_add(out, "values at the largest point that both cover; * the intervals of new "
                           "rows there do not meet\n");
    free(pairs);
    return PORTOLAN_OK;
}
