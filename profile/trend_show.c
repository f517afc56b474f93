/* SPDX-License-Identifier: BSD-3-Clause */
/* All that is known of one trend. */
#include "trend.h"

#include <portolan/compare.h>
#include <portolan/formula.h>

#include <stdlib.h>
#include <string.h>

/* x with P(|T| < x) = CONFIDENCE, by bisection of the distribution that comparisons use. */
static double student(double confidence, double dof)
{
    double low = 0, high = 1;

    while (portolan_student_p(high, dof) > 1 - confidence && high < 1e8)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        *(portolan_student_p(middle, dof) > 1 - confidence ? &low : &high) = middle;
    }
    return high;
}

static void add_shape(const struct portolan_model *m, const struct portolan_model_shape *shape,
                      struct portolan_text *out)
{
    const char *between = "";
    char *expression = NULL;

    if (shape->expression) {
        if (!portolan_formula_write(shape->expression, PORTOLAN_NOTATION_INFIX, &expression, NULL))
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

static void add_constants(const struct portolan_model *m, struct portolan_text *out)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(m);
    size_t n;
    const struct portolan_model_term *terms = portolan_model_peek_terms(m, &n);

    for (size_t j = 0; j < n; j++) {
        double half = terms[j].std_error * student(s->confidence, s->dof);

        portolan_text_add(out, "  %-14s%.6g", j ? "" : "constants", terms[j].constant);
        if (isfinite(terms[j].std_error))
            portolan_text_add(out, " +- %.2g (%.4g to %.4g)", terms[j].std_error,
                              terms[j].constant - half, terms[j].constant + half);
        else
            portolan_text_add(out, " (error not known)");
        portolan_text_add(out, " of ");
        add_shape(m, &terms[j].shape, out);
        portolan_text_add(out, "%s\n", terms[j].fitted_exponents ? ", exponent fitted" : "");
    }
}

static void add_dropped(const struct portolan_model *m, struct portolan_text *out)
{
    size_t n;
    const struct portolan_model_dropped *dropped = portolan_model_peek_dropped(m, &n);

    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, "  %-14s", i ? "" : "dropped");
        add_shape(m, &dropped[i].shape, out);
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
                              "; forms that fit as well differ by %.2g %% per doubling above, "
                              "%.2g %% per halving below",
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

static void add_residuals(const struct portolan_model *m, struct portolan_text *out)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(m);

    portolan_text_add(out, "  %-14srms ", "residuals");
    add_error(s, s->rms, out);
    portolan_text_add(out, ", largest ");
    add_error(s, s->max, out);
    portolan_text_add(out, ", of points left out ");
    add_error(s, s->leave_one_out, out);
    portolan_text_add(out, "\n  %-14s", "a new row");
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
    portolan_text_add(out, "  %-14s%zu rows, %zu points", "from", s->n_rows, s->n_points);
    if (s->n_outliers)
        portolan_text_add(out, ", %zu left out as too far off", s->n_outliers);
    portolan_text_add(out, "\n  %-14s%.3g%s\n", "condition", s->condition,
                      s->condition > 100 ? " (large: constants are known less well than values)"
                                         : "");
}

static void add_conditions(const struct portolan_model *m, const struct portolan_model_condition *c,
                           size_t n, struct portolan_text *out)
{
    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, "%s%s", i ? ", " : "", portolan_model_peek_param(m, c[i].param));
        if (c[i].divisor != SIZE_MAX)
            portolan_text_add(out, "/%s", portolan_model_peek_param(m, c[i].divisor));
        if (isinf(c[i].low))
            portolan_text_add(out, " < %.6g", c[i].high);
        else if (isinf(c[i].high))
            portolan_text_add(out, " >= %.6g", c[i].low);
        else
            portolan_text_add(out, " from %.6g to %.6g", c[i].low, c[i].high);
    }
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
        portolan_text_add(out, "  %-14s%s", i ? "" : "breaks",
                          portolan_model_peek_param(m, b[i].param));
        if (b[i].divisor != SIZE_MAX)
            portolan_text_add(out, "/%s", portolan_model_peek_param(m, b[i].divisor));
        portolan_text_add(out, " between %.6g and %.6g; it may lie from %.6g to %.6g\n", b[i].below,
                          b[i].above, b[i].low, b[i].high);
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
            add_conditions(m, conditions, n, out);
            portolan_text_add(out, "\n");
        }
        add_piece(piece, out);
    }
}

enum portolan_status portolan_trend_write(const struct portolan_trends *trends,
                                          const struct portolan_trend *t, struct portolan_text *out,
                                          struct portolan_error *err)
{
    portolan_text_add(out, "%s\n  ", t->path);
    trend_add_head(trends, out);
    if (!t->model) {
        portolan_text_add(out, "  no model: %s\n", t->why ? t->why : "it was not fitted");
        return PORTOLAN_OK;
    }
    add_model(t->model, out);
    portolan_text_add(out, "\n");
    return portolan_trend_write_errors(trends, t, out, err);
}
