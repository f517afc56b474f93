/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends as charts. */
#include "model_view.h"
#include "trend.h"

#include <portolan/chart.h>

#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = PORTOLAN_MODEL_MAX_PARAMS, PER_TREND = 3 };
static const double wide = 8;   /* a larger span gets a logarithmic axis */
static const double beyond = 2; /* the line extends to so many times the largest row */

struct drawing {
    struct portolan_arena arena;
    const struct portolan_trends *trends;
    const struct portolan_trend_plot *plot;
    const struct portolan_trend **chosen;
    size_t n;
    const char *x_name;
    struct portolan_chart chart;
    struct portolan_chart_series *series;
};

static double last_value(const struct portolan_trend *t)
{
    return t->y[t->n_rows - 1];
}

static int larger_first(const void *left, const void *right)
{
    double a = last_value(*(const struct portolan_trend *const *)left);
    double b = last_value(*(const struct portolan_trend *const *)right);

    return (a < b) - (a > b);
}

struct span {
    double low, high;
};

static struct span span_of(const struct portolan_trend *t, size_t p)
{
    struct span s = {INFINITY, -INFINITY};

    for (size_t i = 0; i < t->n_rows; i++) {
        s.low = fmin(s.low, t->x[i * t->n_params + p]);
        s.high = fmax(s.high, t->x[i * t->n_params + p]);
    }
    return s;
}

static const char *first_that_varies(const struct portolan_trend *t)
{
    for (size_t p = 0; p < t->n_params; p++) {
        const struct span s = span_of(t, p);

        if (s.low < s.high)
            return t->params[p];
    }
    return t->n_params ? t->params[0] : NULL;
}

/* The largest trends that have the parameter. */
static enum portolan_status choose_trends(struct drawing *d, struct portolan_error *err)
{
    const struct portolan_trend **all =
        portolan_arena_alloc(&d->arena, d->trends->n, sizeof(void *));
    size_t n = d->trends->n;

    if (!all)
        return portolan_no_memory(err);
    for (size_t i = 0; i < n; i++)
        all[i] = &d->trends->items[i];
    qsort(all, n, sizeof(void *), larger_first);
    d->x_name = d->plot->x;
    for (size_t i = 0; i < n && !d->x_name; i++)
        d->x_name = first_that_varies(all[i]);
    d->chosen = all;
    for (size_t i = 0; i < n && d->x_name && (!d->plot->top || d->n < d->plot->top); i++)
        if (trend_param(all[i], d->x_name) != SIZE_MAX)
            all[d->n++] = all[i];
    return d->n ? PORTOLAN_OK
                : portolan_error_set(err, PORTOLAN_EINVAL, "%s%s%s",
                                     d->x_name ? "'" : "there is no parameter to draw against",
                                     d->x_name ? d->x_name : "",
                                     d->x_name ? "' is no parameter here" : "");
}

/* The point with all parameters at their largest measured values. */
static void base_point(const struct portolan_trend *t, double *x)
{
    for (size_t p = 0; p < t->n_params; p++)
        x[p] = span_of(t, p).high;
}

/* Whether row I has the base point's values in all parameters except P. */
static bool is_on_line(const struct portolan_trend *t, size_t i, size_t p, const double *base)
{
    for (size_t q = 0; q < t->n_params; q++)
        if (q != p && t->x[i * t->n_params + q] != base[q])
            return false;
    return true;
}

static void add_series(struct drawing *d, enum portolan_chart_kind kind, const char *name, size_t n,
                       const double *x, const double *y, const double *low, const double *high)
{
    d->series[d->chart.n_series++] = (struct portolan_chart_series){name, kind, n, x, y, low, high};
}

static bool add_points(struct drawing *d, const struct portolan_trend *t, size_t p,
                       const double *base, bool single)
{
    double *x = portolan_arena_alloc(&d->arena, t->n_rows, sizeof *x);
    double *y = portolan_arena_alloc(&d->arena, t->n_rows, sizeof *y);
    size_t n = 0;

    for (size_t i = 0; x && y && i < t->n_rows; i++)
        if (is_on_line(t, i, p, base)) {
            x[n] = t->x[i * t->n_params + p];
            y[n++] = t->y[i];
        }
    if (x && y)
        add_series(d, PORTOLAN_CHART_POINTS, single ? "measured" : t->label, n, x, y, NULL, NULL);
    return x && y;
}

static bool add_curve(struct drawing *d, const struct portolan_trend *t, size_t p, double *base,
                      bool single)
{
    struct model_curve c;
    struct span s = span_of(t, p);
    bool log = d->chart.x_log;

    if (log)
        s = (struct span){s.low / beyond, s.high * beyond};
    else
        s.high += (s.high - s.low) / 4;
    if (!model_trace(t->model, p, base, s.low, s.high, log, &d->arena, &c))
        return false;
    if (single)
        add_series(d, PORTOLAN_CHART_BAND, "interval of a new row", c.n, c.x, NULL, c.low, c.high);
    add_series(d, PORTOLAN_CHART_LINE, single ? portolan_model_peek_formula(t->model) : NULL, c.n,
               c.x, c.y, NULL, NULL);
    return true;
}

static void choose_axes(struct drawing *d)
{
    struct span x = {INFINITY, -INFINITY}, y = x;

    for (size_t k = 0; k < d->n; k++) {
        struct span s = span_of(d->chosen[k], trend_param(d->chosen[k], d->x_name));

        x = (struct span){fmin(x.low, s.low), fmax(x.high, s.high)};
        for (size_t i = 0; i < d->chosen[k]->n_rows; i++) {
            y.low = fmin(y.low, d->chosen[k]->y[i]);
            y.high = fmax(y.high, d->chosen[k]->y[i]);
        }
    }
    d->chart.x_log = !d->plot->linear && x.low > 0 && x.high / x.low >= wide;
    d->chart.y_log = !d->plot->linear && y.low > 0 && y.high / y.low >= wide;
}

/* "driver.n (ranks=4)" */
static char *x_label(struct drawing *d, const double *base)
{
    const struct portolan_trend *t = d->chosen[0];
    struct portolan_text text = {.arena = &d->arena};
    const char *between = " (";

    portolan_text_add(&text, "%s", d->x_name);
    for (size_t p = 0; p < t->n_params; p++)
        if (strcmp(t->params[p], d->x_name) != 0) {
            portolan_text_add(&text, "%s%s=%.10g", between, t->params[p], base[p]);
            between = ", ";
        }
    portolan_text_add(&text, between[0] == ',' ? ")" : "");
    return text.bytes;
}

static enum portolan_status draw_chart(struct drawing *d, struct portolan_error *err)
{
    enum portolan_status status = choose_trends(d, err);
    bool single = d->n == 1, good = true;

    if (status)
        return status;
    d->series = portolan_arena_alloc(&d->arena, d->n * PER_TREND, sizeof *d->series);
    if (!d->series)
        return portolan_no_memory(err);
    choose_axes(d);
    for (size_t k = 0; k < d->n && good; k++) {
        const struct portolan_trend *t = d->chosen[k];
        size_t p = trend_param(t, d->x_name);
        double base[MAX_PARAMS];

        base_point(t, base);
        if (k == 0)
            d->chart.x_label = x_label(d, base);
        good = !t->model || add_curve(d, t, p, base, single);
        base_point(t, base);
        good = good && add_points(d, t, p, base, single);
    }
    d->chart.title = single ? d->chosen[0]->path : d->trends->what;
    d->chart.y_label = *d->trends->unit ? portolan_arena_printf(&d->arena, "%s in %s",
                                                                d->trends->what, d->trends->unit)
                                        : d->chosen[0]->metric;
    d->chart.series = d->series;
    return good && !d->arena.failed ? PORTOLAN_OK : portolan_no_memory(err);
}

enum portolan_status portolan_trends_write_chart(const struct portolan_trends *trends,
                                                 const struct portolan_trend_plot *plot,
                                                 const char *file, char **text,
                                                 struct portolan_error *err)
{
    struct drawing d = {.trends = trends, .plot = plot};
    enum portolan_status status = draw_chart(&d, err);

    if (!status)
        status = portolan_chart_write(&d.chart, file, text, err);
    portolan_arena_clear(&d.arena);
    return status;
}
