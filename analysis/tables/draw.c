/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows and models as charts. */
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_POINTS = 160 };

static struct portolan_chart_series *add_series(struct drawing *d, enum portolan_chart_kind kind,
                                                const char *name, size_t n)
{
    struct portolan_chart_series *series;

    d->series = portolan_arena_grow(&d->s->arena, d->series, d->chart.n_series, sizeof *d->series);
    series = &d->series[d->chart.n_series++];
    *series = (struct portolan_chart_series){.kind = kind, .name = name, .n = n};
    return series;
}

static bool is_of(const struct scatter *which, const double *row)
{
    for (size_t k = 0; k < which->n_columns; k++)
        if (row[which->columns[k]] != which->values[k])
            return false;
    return true;
}

void drawing_add_points(struct drawing *d, const struct table *t, size_t x, size_t y,
                        const struct scatter *which)
{
    double *at = statement_alloc(d->s, t->n_rows, 2 * sizeof *at);
    struct portolan_chart_series *series = add_series(d, PORTOLAN_CHART_POINTS, which->name, 0);

    series->x = at;
    series->y = at + t->n_rows;
    for (size_t i = 0; i < t->n_rows; i++) {
        const double *row = table_row(t, i);

        if (!is_of(which, row))
            continue;
        at[series->n] = row[x];
        at[t->n_rows + series->n++] = row[y];
    }
}

/* N points of the curve, in equal steps or, if LOG, in equal factors, as x, y, low, high. */
static double *trace_curve(struct drawing *d, const struct curve *c, bool log)
{
    double *v = statement_alloc(d->s, CURVE_POINTS, 4 * sizeof *v);
    double at[PORTOLAN_MODEL_MAX_PARAMS];

    memcpy(at, c->at, sizeof at);
    for (size_t i = 0; i < CURVE_POINTS; i++, v++) {
        double part = (double)i / (CURVE_POINTS - 1);
        struct portolan_prediction value = {.value = NAN, .low = NAN, .high = NAN};

        at[c->param] =
            log ? c->first * pow(c->last / c->first, part) : c->first + part * (c->last - c->first);
        portolan_model_predict(c->model, at, &value);
        v[0] = at[c->param];
        v[CURVE_POINTS] = value.value;
        v[2 * CURVE_POINTS] = value.low;
        v[3 * CURVE_POINTS] = value.high;
    }
    return v - CURVE_POINTS;
}

void drawing_add_curve(struct drawing *d, const struct curve *c)
{
    const double *v = trace_curve(d, c, d->chart.x_log && c->first > 0);
    struct portolan_chart_series *series;

    if (c->has_band) {
        series = add_series(d, PORTOLAN_CHART_BAND, c->band, CURVE_POINTS);
        series->x = v;
        series->low = v + 2 * CURVE_POINTS;
        series->high = v + 3 * CURVE_POINTS;
    }
    series = add_series(d, PORTOLAN_CHART_LINE, c->name, CURVE_POINTS);
    series->x = v;
    series->y = v + CURVE_POINTS;
}

const char *drawing_write(struct drawing *d, const struct token *at, const char *file)
{
    char *text = NULL;

    d->chart.series = d->series;
    statement_check(d->s, at, portolan_chart_write(&d->chart, file, &text, &d->s->err));
    statement_own(d->s, free, text);
    return text;
}
