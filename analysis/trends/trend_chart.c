/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends as charts. */
#include "trend.h"

#include <stdlib.h>
#include <string.h>

static const double wide = 8;   /* a larger span gets a logarithmic axis */
static const double beyond = 2; /* the line extends to so many times the largest row */

struct plot {
    const struct writing *w;
    size_t n;
    const struct trend **chosen;
    const char *x_name;
    struct drawing drawing;
};

static double last_value(const struct trend *t)
{
    return trend_last_row(t)[t->key.n_params];
}

static int larger_first(const void *left, const void *right)
{
    double a = last_value(*(const struct trend *const *)left);
    double b = last_value(*(const struct trend *const *)right);

    return (a < b) - (a > b);
}

static const char *first_that_varies(const struct trend *t)
{
    for (size_t p = 0; p < t->key.n_params; p++)
        if (table_varies(t->rows, p))
            return t->key.params[p];
    return t->key.n_params ? t->key.params[0] : NULL;
}

/* The largest trends that have the parameter. */
static void choose_trends(struct plot *d)
{
    const struct portolan_trend_view *view = d->w->view;
    size_t n = d->w->t->n;

    d->chosen = statement_alloc(d->w->s, n, sizeof(void *));
    for (size_t i = 0; i < n; i++)
        d->chosen[i] = &d->w->t->items[i];
    qsort(d->chosen, n, sizeof(void *), larger_first);
    d->x_name = view->x;
    for (size_t i = 0; i < n && !d->x_name; i++)
        d->x_name = first_that_varies(d->chosen[i]);
    if (!d->x_name)
        statement_fail(d->w->s, NULL, "there is no parameter to draw against");
    for (size_t i = 0; i < n && (!view->top || d->n < view->top); i++)
        if (trend_param(d->chosen[i], d->x_name) != NONE)
            d->chosen[d->n++] = d->chosen[i];
    if (!d->n)
        statement_fail(d->w->s, NULL, "'%s' is no parameter here", d->x_name);
}

/* Returns whether the numbers of all chosen trends need a logarithmic axis; X_NAME NULL: the
 * values. */
static bool is_wide(const struct plot *d, const char *x_name)
{
    double low = INFINITY, high = -INFINITY, least, most;

    for (size_t k = 0; k < d->n; k++) {
        const struct trend *t = d->chosen[k];

        if (table_span(t->rows, x_name ? trend_param(t, x_name) : t->key.n_params, &least, &most)) {
            low = fmin(low, least);
            high = fmax(high, most);
        }
    }
    return !d->w->view->linear && low > 0 && high / low >= wide;
}

/* "driver.n (ranks=4)" */
static char *x_label(const struct plot *d, const double *base)
{
    const struct trend *t = d->chosen[0];
    struct portolan_text text = {.arena = &d->w->s->arena};
    const char *between = " (";

    portolan_text_add(&text, "%s", d->x_name);
    for (size_t p = 0; p < t->key.n_params; p++)
        if (strcmp(t->key.params[p], d->x_name) != 0) {
            portolan_text_add(&text, "%s%s=%.10g", between, t->key.params[p], base[p]);
            between = ", ";
        }
    portolan_text_add(&text, between[0] == ',' ? ")" : "");
    return text.bytes;
}

/* Line and rows where the other parameters are as large as they were measured. */
static void add_trend(struct plot *d, const struct trend *t, bool single)
{
    struct curve c = {.model = t->model,
                      .has_band = single,
                      .band = "interval of a new row",
                      .param = trend_param(t, d->x_name)};
    size_t others[MAX_PARAMS], n = 0;
    double values[MAX_PARAMS], least;

    for (size_t p = 0; p < t->key.n_params; p++) {
        table_span(t->rows, p, &least, &c.at[p]);
        if (p != c.param) {
            others[n] = p;
            values[n++] = c.at[p];
        }
    }
    if (t == d->chosen[0])
        d->drawing.chart.x_label = x_label(d, c.at);
    table_span(t->rows, c.param, &c.first, &c.last);
    if (d->drawing.chart.x_log) {
        c.first /= beyond;
        c.last *= beyond;
    } else {
        c.last += (c.last - c.first) / 4;
    }
    if (t->model) {
        c.name = single ? portolan_model_peek_formula(t->model) : NULL;
        drawing_add_curve(&d->drawing, &c);
    }
    drawing_add_points(&d->drawing, t->rows, c.param, t->key.n_params,
                       &(struct scatter){.name = single ? "measured" : t->label,
                                         .n_columns = n,
                                         .columns = others,
                                         .values = values});
}

void trend_write_chart(const struct writing *w)
{
    struct plot d = {.w = w, .drawing.s = w->s};
    struct portolan_chart *chart = &d.drawing.chart;

    choose_trends(&d);
    chart->x_log = is_wide(&d, d.x_name);
    chart->y_log = is_wide(&d, NULL);
    for (size_t k = 0; k < d.n; k++)
        add_trend(&d, d.chosen[k], d.n == 1);
    chart->title = d.n == 1 ? d.chosen[0]->path : w->t->what;
    chart->y_label = *w->t->unit
                         ? portolan_arena_printf(&w->s->arena, "%s in %s", w->t->what, w->t->unit)
                         : d.chosen[0]->key.metric;
    portolan_text_add(w->out, "%s", drawing_write(&d.drawing, NULL, w->view->file));
}
