/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows everything that is known about one trend. */
#include "trend.h"

#include <portolan/series.h>

#include <string.h>

static void add_ranges(const struct portolan_model *m, struct portolan_text *out)
{
    for (size_t p = 0; p < portolan_model_n_params(m); p++) {
        const struct portolan_model_range *r = portolan_model_peek_range(m, p);

        portolan_text_add(out, "  %-14s%s %.10g to %.10g", p ? "" : "measured for",
                          portolan_model_peek_param(m, p), r->min, r->max);
        if (r->drift_below > 0 || r->drift_above > 0)
            portolan_text_add(out,
                              "; forms that fit as well differ by %.3g %% per doubling above, "
                              "%.3g %% per halving below",
                              100 * r->drift_above, 100 * r->drift_below);
        portolan_text_add(out, "\n");
    }
}

/* Adds where the formula turns negative outside the rows. */
static void add_negative(const struct portolan_model *m, struct portolan_text *out)
{
    bool bounded = portolan_model_peek_summary(m)->bounded;

    for (size_t p = 0; p < portolan_model_n_params(m); p++)
        for (int above = 0; above < 2; above++) {
            double from;

            if (portolan_model_turns_negative(m, p, above, &from))
                portolan_text_add(out, "  %-14s%s %s %.4g%s\n", "negative",
                                  portolan_model_peek_param(m, p), above ? "above" : "below", from,
                                  bounded ? "; predictions are kept above 0 there" : "");
        }
}

/* ------------------------------------------------- parameters that move together */

static void add_together(const struct trend *t, struct portolan_text *out)
{
    double level, slope;

    for (size_t b = 1; b < t->key.n_params; b++)
        for (size_t a = 0; a < b; a++)
            if (trend_moves_together(t, a, b, &level, &slope))
                portolan_text_add(out,
                                  "  %-14s%s is %.3g %s^%.3g in all rows, which cannot tell their "
                                  "effects apart; elsewhere is outside\n",
                                  "together", t->key.params[b], exp(level), t->key.params[a],
                                  slope);
}

/* ------------------------------------------------- the model */

/* Adds the origin of the model: rows, points, and how well they determine its constants. */
static void add_origin(const struct portolan_model *m, struct portolan_text *out)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(m);

    portolan_text_add(out, "  %-14s%zu row%s, %zu point%s", "from", s->n_rows,
                      s->n_rows == 1 ? "" : "s", s->n_points, s->n_points == 1 ? "" : "s");
    if (s->n_outliers)
        portolan_text_add(out, ", %zu left out as too far off", s->n_outliers);
    portolan_text_add(out, "\n  %-14s%.3g%s\n", "condition", s->condition,
                      s->condition > 100 ? " (large: constants are known less well than values)"
                                         : "");
}

static void add_model(const struct portolan_model *m, struct portolan_text *out)
{
    size_t pieces = portolan_model_n_pieces(m);

    if (pieces > 1) {
        portolan_text_add(out, "  %-14s%zu intervals\n", "valid in", pieces);
        model_add_breaks(m, out);
        model_add_errors(m, out);
        add_origin(m, out);
    }
    for (size_t i = 0; i < pieces; i++) {
        const struct portolan_model_condition *conditions;
        size_t n;
        const struct portolan_model *piece = portolan_model_peek_piece(m, i, &conditions, &n);

        if (pieces > 1) {
            portolan_text_add(out, "where ");
            model_add_conditions(m, conditions, n, out);
            portolan_text_add(out, "\n");
        }
        portolan_text_add(out, "  %-14s%s (%s)\n", "model", portolan_model_peek_formula(piece),
                          portolan_model_family_name(portolan_model_peek_summary(piece)->family));
        model_add_constants(piece, NULL, 0, out);
        add_ranges(piece, out);
        add_negative(piece, out);
        model_add_errors(piece, out);
        add_origin(piece, out);
    }
}

/* ------------------------------------------------- the rows in time */

enum { ROWS_FOR_SERIES = 8 };

/* Inspects the rows, divided by the model's values, in order of time. */
static void add_series(const struct writing *w, const struct trend *t)
{
    size_t n = t->rows->n_rows;
    double *y = statement_alloc(w->s, n, 2 * sizeof *y), *expected = y + n;
    struct portolan_series_report report;
    const char *found[SERIES_FINDINGS];
    size_t n_found = 0;

    if (n < ROWS_FOR_SERIES || w->t->statistic == PORTOLAN_MODEL_DEVIATION)
        return;
    for (size_t i = 0; i < n; i++) {
        const double *row = table_row(t->rows, i);
        size_t k = t->arrival[i];

        y[k] = row[t->key.n_params];
        expected[k] = portolan_model_value(t->model, row);
        if (!(y[k] > 0 && expected[k] > 0 && isfinite(expected[k])))
            return;
    }
    statement_check(w->s, NULL, portolan_series_inspect(n, y, expected, &report, &w->s->err));
    series_findings(&w->s->arena, &report, " times the model", found);
    for (size_t i = 0; i < SERIES_FINDINGS; i++)
        if (found[i]) {
            portolan_text_add(w->out, "  %-14s%s\n", n_found ? "" : "in time", found[i]);
            n_found++;
        }
    if (!n_found)
        portolan_text_add(w->out, "  %-14sno spikes, no drift, one value\n", "in time");
}

static void write_whole(const struct writing *w, const struct trend *t)
{
    portolan_text_add(w->out, "%s\n  ", t->path);
    trend_add_head(w->t, w->out);
    if (!t->model) {
        portolan_text_add(w->out, "  no model: %s\n", t->why ? t->why : "it was not fitted");
        return;
    }
    add_model(t->model, w->out);
    add_together(t, w->out);
    add_series(w, t);
    portolan_text_add(w->out, "\n");
    trend_write_errors(w, t);
}

/* Writes the first trends with WRITE, one after the other. */
static void write_each(const struct writing *w,
                       void (*write)(const struct writing *w, const struct trend *t))
{
    size_t top = w->view->top;

    for (size_t i = 0; i < w->t->n && (!top || i < top); i++) {
        portolan_text_add(w->out, i ? "\n" : "");
        write(w, &w->t->items[i]);
    }
    if (top && w->t->n > top)
        portolan_text_add(w->out, "\n(%zu more; --top=0 shows all)\n", w->t->n - top);
}

static void write_named_errors(const struct writing *w, const struct trend *t)
{
    portolan_text_add(w->out, "%s\n", t->path);
    if (t->model)
        portolan_text_add(w->out, "  %s\n", portolan_model_peek_formula(t->model));
    trend_write_errors(w, t);
}

static void write_trends(struct statement *s)
{
    struct writing *w = s->arg;
    enum portolan_trend_form form = w->view->form;

    w->s = s;
    if (form == PORTOLAN_TREND_LIST_OR_WHOLE)
        form = w->t->n == 1 ? PORTOLAN_TREND_WHOLE : PORTOLAN_TREND_LIST;
    if (form == PORTOLAN_TREND_LIST)
        trend_write_list(w);
    else if (form == PORTOLAN_TREND_WHOLE)
        write_each(w, write_whole);
    else if (form == PORTOLAN_TREND_ERRORS)
        write_each(w, write_named_errors);
    else if (form == PORTOLAN_TREND_COMPARISON)
        trend_write_comparison(w);
    else if (form == PORTOLAN_TREND_CHART)
        trend_write_chart(w);
    else
        trend_write_form(w);
    if (w->out->failed)
        statement_no_memory(s);
}

enum portolan_status portolan_trends_write(const struct portolan_trends *trends,
                                           const struct portolan_trend_view *view,
                                           struct portolan_text *out, struct portolan_error *err)
{
    return trend_call(write_trends, &(struct writing){.t = trends, .view = view, .out = out}, NULL,
                      err);
}
