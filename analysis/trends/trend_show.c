/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows everything that is known about one trend. */
#include "trend.h"

#include <portolan/series.h>

#include <stdlib.h>
#include <string.h>

static void add_constants(const struct portolan_model *m, struct portolan_text *out)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(m);
    size_t n;
    const struct portolan_model_term *terms = portolan_model_peek_terms(m, &n);

    for (size_t j = 0; j < n; j++) {
        double half = terms[j].std_error * portolan_student_quantile(s->confidence, s->dof);

        portolan_text_add(out, "  %-14s%.6g", j ? "" : "constants", terms[j].constant);
        if (isfinite(terms[j].std_error))
            portolan_text_add(out, " +- %.2g (%g %%: %.4g to %.4g)", terms[j].std_error,
                              100 * s->confidence, terms[j].constant - half,
                              terms[j].constant + half);
        else
            portolan_text_add(out, " (error not known)");
        portolan_text_add(out, " of ");
        model_add_shape(m, &terms[j].shape, out);
        portolan_text_add(out, "%s\n", terms[j].fitted_exponents ? ", exponent fitted" : "");
    }
}

static void add_dropped(const struct portolan_model *m, struct portolan_text *out)
{
    size_t n;
    const struct portolan_model_dropped *dropped = portolan_model_peek_dropped(m, &n);

    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, "  %-14s", i ? "" : "dropped");
        model_add_shape(m, &dropped[i].shape, out);
        portolan_text_add(out, "%s\n",
                          dropped[i].reason == PORTOLAN_MODEL_DROP_NEGATIVE
                              ? ": its constant would be negative"
                              : ": the rows cannot tell it from the others");
    }
}

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

/* Relative errors are percent. */
static void add_error(const struct portolan_model_summary *s, double error,
                      struct portolan_text *out)
{
    if (isnan(error))
        portolan_text_add(out, "not known");
    else if (s->weighting == PORTOLAN_MODEL_RELATIVE)
        portolan_text_add(out, "%.3g %%", 100 * error);
    else
        portolan_text_add(out, "%.4g", error);
}

/* Adds a line if M does not fit its own points. */
static void add_misfit(const struct portolan_model *m, struct portolan_text *out)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(m);

    if (portolan_model_fits(m))
        return;
    portolan_text_add(out, "  does not fit  its own points: it misses one by ");
    add_error(s, s->max, out);
    if (s->sigma_repeat > 0)
        portolan_text_add(out, ", %.2g times what repetitions scatter", s->max / s->sigma_repeat);
    portolan_text_add(out, "; do not believe it elsewhere\n");
}

static void add_residuals(const struct portolan_model *m, struct portolan_text *out)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(m);

    portolan_text_add(out, "  %-14srms ", "residuals");
    add_error(s, s->rms, out);
    portolan_text_add(out, ", largest ");
    add_error(s, s->max, out);
    portolan_text_add(out, ", of points left out ");
    add_error(s, s->leave_one_out, out);
    portolan_text_add(out, "\n");
    if (s->kind != PORTOLAN_MODEL_AMOUNT)
        portolan_text_add(out, "  %-14s%s\n", "values",
                          s->kind == PORTOLAN_MODEL_COUNT ? "are counts: predictions are whole"
                                                          : "are shares: predictions are 0 to 1");
    add_misfit(m, out);
    portolan_text_add(out, "  %-14s", "a new row");
    add_error(s, s->sigma, out);
    if (s->sigma_is_assumed)
        portolan_text_add(out, " (standard deviation, assumed: too few rows to tell)\n");
    else
        portolan_text_add(out, " (standard deviation, %.3g degrees of freedom)\n", s->dof);
    if (!isnan(s->sigma_repeat)) {
        portolan_text_add(out, "  %-14s", "repetitions");
        add_error(s, s->sigma_repeat, out);
        portolan_text_add(out, " (standard deviation)\n");
    }
    portolan_text_add(out, "  %-14s%zu row%s, %zu point%s", "from", s->n_rows,
                      s->n_rows == 1 ? "" : "s", s->n_points, s->n_points == 1 ? "" : "s");
    if (s->n_outliers)
        portolan_text_add(out, ", %zu left out as too far off", s->n_outliers);
    portolan_text_add(out, "\n  %-14s%.3g%s\n", "condition", s->condition,
                      s->condition > 100 ? " (large: constants are known less well than values)"
                                         : "");
}

static void add_piece(const struct portolan_model *m, struct portolan_text *out)
{
    portolan_text_add(out, "  %-14s%s (%s)\n", "model", portolan_model_peek_formula(m),
                      portolan_model_family_name(portolan_model_peek_summary(m)->family));
    add_constants(m, out);
    add_dropped(m, out);
    add_ranges(m, out);
    add_residuals(m, out);
}

static void add_breaks(const struct portolan_model *m, struct portolan_text *out)
{
    size_t n;
    const struct portolan_model_break *b = portolan_model_peek_breaks(m, &n);

    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, "  %-14s", i ? "" : "breaks");
        model_add_break(m, &b[i], out);
        portolan_text_add(out, "\n");
    }
}

static void add_model(const struct portolan_model *m, struct portolan_text *out)
{
    size_t pieces = portolan_model_n_pieces(m);

    if (pieces > 1) {
        portolan_text_add(out, "  %-14s%zu intervals\n", "valid in", pieces);
        add_breaks(m, out);
        add_residuals(m, out);
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
        add_piece(piece, out);
    }
}

/* ------------------------------------------------- the rows in time */

enum { ROWS_FOR_SERIES = 8 };

static void add_spikes(const struct portolan_series_report *r, struct portolan_text *out)
{
    const struct portolan_series_spikes *s = &r->spikes;

    if (!s->n && !s->n_small)
        return;
    portolan_text_add(out, "%zu spike%s", s->n + s->n_small, s->n + s->n_small == 1 ? "" : "s");
    if (s->n)
        portolan_text_add(out, ", some %.3g times as large, at most %.3g times", s->factor,
                          s->largest);
    portolan_text_add(out, " (row");
    for (size_t i = 0; i < s->n_kept; i++)
        portolan_text_add(out, "%s%zu", i ? ", " : s->n_kept == 1 ? " " : "s ", s->row[i] + 1);
    portolan_text_add(out, "%s of %zu in time)", s->n + s->n_small > s->n_kept ? ", ..." : "",
                      r->n);
}

static void add_modes(const struct portolan_series_modes *m, struct portolan_text *out)
{
    if (m->is_bimodal)
        portolan_text_add(out,
                          "two values in turn: %.3g times the model (%.0f %% of the rows) and %.3g "
                          "times (p = %.2g)",
                          m->low, 100 * m->low_share, m->high, m->probability);
}

static void add_drift(const struct portolan_series_drift *d, struct portolan_text *out)
{
    if (d->is_there)
        portolan_text_add(out, "drifts by %+.3g %% from the first row to the last (p = %.2g)",
                          100 * d->change, d->probability);
}

static void add_findings(const struct portolan_series_report *r, struct portolan_text *out)
{
    struct portolan_text parts[3] = {{0}};
    size_t n = 0;

    add_spikes(r, &parts[0]);
    add_drift(&r->drift, &parts[1]);
    add_modes(&r->modes, &parts[2]);
    for (size_t i = 0; i < 3; i++) {
        if (parts[i].length)
            portolan_text_add(out, "  %-14s%s\n", n++ ? "" : "in time", parts[i].bytes);
        out->failed |= parts[i].failed;
        portolan_text_clear(&parts[i]);
    }
    if (!n)
        portolan_text_add(out, "  %-14sno spikes, no drift, one value\n", "in time");
}

/* Inspects the rows, divided by the model's values, in order of time. */
static void add_series(const struct writing *w, const struct trend *t)
{
    size_t n = t->rows->n_rows;
    double *y = statement_alloc(w->s, n, 2 * sizeof *y), *expected = y + n;
    struct portolan_series_report report;

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
    add_findings(&report, w->out);
}

void trend_write_whole(const struct writing *w, const struct trend *t)
{
    portolan_text_add(w->out, "%s\n  ", t->path);
    trend_add_head(w->t, w->out);
    if (!t->model) {
        portolan_text_add(w->out, "  no model: %s\n", t->why ? t->why : "it was not fitted");
        return;
    }
    add_model(t->model, w->out);
    add_series(w, t);
    portolan_text_add(w->out, "\n");
    trend_write_errors(w, t);
}
