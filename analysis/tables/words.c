/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for the parts of models. */
#include "tables.h"

#include <portolan/stats.h>

#include <math.h>
#include <stdlib.h>

/* A term without its constant: "n^1.5 log2(p)". */
static void add_shape(const struct portolan_model *m, const struct portolan_model_shape *shape,
                      struct portolan_text *out)
{
    const char *between = "";
    char *expression = NULL;

    if (shape->expression) {
        if (portolan_formula_write(shape->expression, PORTOLAN_NOTATION_INFIX, &expression, NULL))
            out->failed = true;
        else
            portolan_text_add(out, "%s", expression);
        free(expression);
        return;
    }
    for (size_t p = 0; p < portolan_model_n_params(m); p++) {
        const char *name = portolan_model_peek_param(m, p);

        if (shape->exponents[p] == 1)
            portolan_text_add(out, "%s%s", between, name);
        else if (shape->exponents[p] != 0)
            portolan_text_add(out, "%s%s^%.4g", between, name, shape->exponents[p]);
        else if (!shape->logs[p])
            continue;
        if (shape->logs[p])
            portolan_text_add(out, "%slog2(%s)", shape->exponents[p] != 0 ? " " : between, name);
        if (shape->logs[p] > 1)
            portolan_text_add(out, "^%d", shape->logs[p]);
        between = " ";
    }
    if (!*between)
        portolan_text_add(out, "1");
}

/* A parameter, or the ratio of two. */
static void add_ratio(const struct portolan_model *m, size_t param, size_t divisor,
                      struct portolan_text *out)
{
    portolan_text_add(out, "%s", portolan_model_peek_param(m, param));
    if (divisor != SIZE_MAX)
        portolan_text_add(out, "/%s", portolan_model_peek_param(m, divisor));
}

void model_add_conditions(const struct portolan_model *m, const struct portolan_model_condition *c,
                          size_t n, struct portolan_text *out)
{
    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, i ? ", " : "");
        add_ratio(m, c[i].param, c[i].divisor, out);
        if (isinf(c[i].low))
            portolan_text_add(out, " < %.6g", c[i].high);
        else if (isinf(c[i].high))
            portolan_text_add(out, " >= %.6g", c[i].low);
        else
            portolan_text_add(out, " from %.6g to %.6g", c[i].low, c[i].high);
    }
}

void model_add_breaks(const struct portolan_model *m, struct portolan_text *out)
{
    size_t n;
    const struct portolan_model_break *b = portolan_model_peek_breaks(m, &n);

    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, "  %-14s", i ? "" : "breaks");
        add_ratio(m, b[i].param, b[i].divisor, out);
        portolan_text_add(out, " between %.6g and %.6g; it may lie from %.6g to %.6g\n", b[i].below,
                          b[i].above, b[i].low, b[i].high);
    }
}

/* ---------------------------------------------------------------------------------- constants */

/* Adds the constant of term I, after a label; dropped terms come last. OWN is the user's term. */
static void add_constant(const struct portolan_model *m, const char *label, size_t i,
                         const struct portolan_formula *own, struct portolan_text *out)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(m);
    const struct portolan_model_shape given = {.expression = own};
    size_t n, n_dropped;
    const struct portolan_model_term *t = portolan_model_peek_terms(m, &n);
    const struct portolan_model_dropped *d = portolan_model_peek_dropped(m, &n_dropped);

    portolan_text_add(out, "  %-14s", label);
    if (i < n) {
        double half = t[i].std_error * portolan_student_quantile(s->confidence, s->dof);

        portolan_text_add(out, "%.6g", t[i].constant);
        if (isfinite(t[i].std_error))
            portolan_text_add(out, " +- %.2g (%g %%: %.4g to %.4g) of ", t[i].std_error,
                              100 * s->confidence, t[i].constant - half, t[i].constant + half);
        else
            portolan_text_add(out, " (error not known) of ");
    } else if (own) {
        portolan_text_add(out, "0 of ");
    }
    add_shape(m, own ? &given : i < n ? &t[i].shape : &d[i - n].shape, out);
    portolan_text_add(out, "%s\n",
                      i < n ? t[i].fitted_exponents ? ", exponent fitted" : ""
                      : i - n < n_dropped && d[i - n].reason == PORTOLAN_MODEL_DROP_NEGATIVE
                          ? ": its constant would be negative"
                          : ": the rows cannot tell it from the others");
}

void model_add_constants(const struct portolan_model *m, const struct named_constant *named,
                         size_t n_named, struct portolan_text *out)
{
    size_t n, n_dropped;

    portolan_model_peek_terms(m, &n);
    portolan_model_peek_dropped(m, &n_dropped);
    for (size_t k = 0; k < n_named; k++)
        add_constant(m, named[k].name, named[k].term, named[k].expression, out);
    for (size_t i = 0; !n_named && i < n + n_dropped; i++)
        add_constant(m, i == 0 ? "constants" : i == n ? "dropped" : "", i, NULL, out);
}

/* ------------------------------------------------------------------------------------- errors */

/* "0.35 %" or, absolute, "0.004 s". */
static void add_error(const struct portolan_model *m, double error, struct portolan_text *out)
{
    const char *unit = portolan_model_peek_envelope(m)->unit;

    if (isnan(error))
        portolan_text_add(out, "not known");
    else if (portolan_model_peek_summary(m)->weighting == PORTOLAN_MODEL_RELATIVE)
        portolan_text_add(out, "%.3g %%", 100 * error);
    else
        portolan_text_add(out, "%.4g%s%s", error, unit ? " " : "", unit ? unit : "");
}

/* Adds a line if M does not fit its own points. */
static void add_misfit(const struct portolan_model *m, struct portolan_text *out)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(m);

    if (portolan_model_fits(m))
        return;
    portolan_text_add(out, "  does not fit  its own points: the largest error is ");
    add_error(m, s->max, out);
    if (s->sigma_repeat > 0)
        portolan_text_add(out, ", %.2g times what repetitions scatter", s->max / s->sigma_repeat);
    portolan_text_add(out, "; do not trust it elsewhere\n");
}

void model_add_errors(const struct portolan_model *m, struct portolan_text *out)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(m);

    portolan_text_add(out, "  %-14srms ", "residuals");
    add_error(m, s->rms, out);
    portolan_text_add(out, ", largest ");
    add_error(m, s->max, out);
    portolan_text_add(out, ", of points left out ");
    add_error(m, s->leave_one_out, out);
    portolan_text_add(out, "\n");
    if (s->kind != PORTOLAN_MODEL_AMOUNT)
        portolan_text_add(out, "  %-14s%s\n", "values",
                          s->kind == PORTOLAN_MODEL_COUNT ? "are counts: predictions are integers"
                                                          : "are shares: predictions are 0 to 1");
    add_misfit(m, out);
    portolan_text_add(out, "  %-14s", "a new row");
    add_error(m, s->sigma, out);
    if (s->sigma_is_assumed)
        portolan_text_add(out, " (standard deviation, assumed: too few rows to tell)\n");
    else
        portolan_text_add(out, " (standard deviation, %.3g degrees of freedom)\n", s->dof);
    if (!isnan(s->sigma_repeat)) {
        portolan_text_add(out, "  %-14s", "repetitions");
        add_error(m, s->sigma_repeat, out);
        portolan_text_add(out, " (standard deviation)\n");
    }
}

/* ------------------------------------------------------------------------------- rows in time */

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

void series_findings(struct portolan_arena *arena, const struct portolan_series_report *r,
                     const char *unit, const char *found[SERIES_FINDINGS])
{
    struct portolan_text spikes = {.arena = arena};

    add_spikes(r, &spikes);
    found[0] = spikes.bytes;
    found[1] = !r->drift.is_there
                   ? NULL
                   : portolan_arena_printf(
                         arena, "drifts by %+.3g %% from the first row to the last (p = %.2g)",
                         100 * r->drift.change, r->drift.probability);
    found[2] =
        !r->modes.is_bimodal
            ? NULL
            : portolan_arena_printf(
                  arena, "two values in turn: %.3g (%.0f %% of the rows) and %.3g%s (p = %.2g)",
                  r->modes.low, 100 * r->modes.low_share, r->modes.high, unit,
                  r->modes.probability);
}
