/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a model. */
#include "internal.h"
#include "model_view.h"

#include <math.h>
#include <string.h>

/* Term I of M, behind the last one of those that were dropped, as the user has it in OWN or NULL.
 */
static void add_term(struct statement *s, struct grid *g, const struct fitted *f,
                     const struct portolan_model *m, size_t i,
                     const struct portolan_formula_term *own)
{
    size_t n, n_dropped;
    const struct portolan_model_term *terms = portolan_model_peek_terms(m, &n);
    const struct portolan_model_dropped *dropped = portolan_model_peek_dropped(m, &n_dropped);
    const struct portolan_model_shape given = {.expression = own ? own->expression : NULL};
    struct portolan_text shape = {0};

    model_add_shape(m, own ? &given : i < n ? &terms[i].shape : &dropped[i - n].shape, &shape);
    llac_own(s, OWNED_TEXT, shape.bytes);
    if (shape.failed)
        llac_no_memory(s);
    if (own)
        llac_grid_add(g, "  %s[%zu]", f->sum.constants, own->index);
    else
        llac_grid_add(g, "%s", "");
    llac_grid_number(g, i < n ? terms[i].constant : 0);
    if (i >= n)
        llac_grid_add(g, "%s", "");
    else if (isnan(terms[i].std_error))
        llac_grid_add(g, "unknown");
    else
        llac_grid_add(g, "%.2g", terms[i].std_error);
    llac_grid_add(g, "%s%s", shape.bytes,
                  i < n ? ""
                  : i - n < n_dropped && dropped[i - n].reason == PORTOLAN_MODEL_DROP_NEGATIVE
                      ? ": dropped, its constant would be negative"
                      : ": dropped, the rows cannot tell it from the others");
}

/* One row per constant, those that were dropped too; in the order of the formula if there is one.
 */
static void add_terms(struct statement *s, const struct fitted *f, const struct portolan_model *m)
{
    struct grid g = {.arena = &s->arena, .n_columns = 4, .left = 9};
    size_t places[PORTOLAN_MODEL_MAX_TERMS], n, n_dropped;
    const char *const heads[] = {f->parsed ? "  constant" : "", "value", "std. error",
                                 "of the term"};

    portolan_model_peek_terms(m, &n);
    portolan_model_peek_dropped(m, &n_dropped);
    llac_grid_add_texts(&g, heads, g.n_columns);
    if (f->parsed && !portolan_model_formula_terms(m, f->parsed, f->sum.n_terms, places, NULL))
        for (size_t k = 0; k < f->sum.n_terms; k++)
            add_term(s, &g, f, m, places[f->sum.terms[k].index], &f->sum.terms[k]);
    else
        for (size_t i = 0; i < n + n_dropped; i++)
            add_term(s, &g, f, m, i, NULL);
    llac_grid_write(&g, &s->in->out);
}

/* "0.35 %" or, absolute, "0.004 s". */
static void add_error(struct portolan_text *out, const struct fitted *f,
                      const struct portolan_model_summary *sum, double error)
{
    if (sum->weighting == PORTOLAN_MODEL_RELATIVE)
        portolan_text_add(out, "%.2f %%", 100 * error);
    else
        portolan_text_add(out, "%.3g%s%s", error, f->unit ? " " : "", f->unit ? f->unit : "");
}

static void add_summary(struct statement *s, const struct fitted *f, const struct portolan_model *m)
{
    const struct portolan_model_summary *sum = portolan_model_peek_summary(m);
    struct portolan_text *out = &s->in->out;

    portolan_text_add(out, "  %zu row%s at %zu point%s", sum->n_rows, sum->n_rows == 1 ? "" : "s",
                      sum->n_points, sum->n_points == 1 ? "" : "s");
    if (sum->n_outliers)
        portolan_text_add(out, ", %zu left out as outliers", sum->n_outliers);
    portolan_text_add(out, "; condition number %.4g; constants %s\n", sum->condition,
                      sum->nonnegative ? "not negative"
                      : sum->bounded   ? "of either sign, values kept above 0"
                                       : "of either sign");
    if (!isnan(sum->sigma_repeat)) {
        portolan_text_add(out, "  repetitions scatter by ");
        add_error(out, f, sum, sum->sigma_repeat);
        portolan_text_add(out, "\n");
    }
    portolan_text_add(out, "  residuals ");
    add_error(out, f, sum, sum->rms);
    portolan_text_add(out, " rms, ");
    add_error(out, f, sum, sum->max);
    portolan_text_add(out, " at most");
    if (!isnan(sum->leave_one_out)) {
        portolan_text_add(out, "; predicted without itself, a point is off by ");
        add_error(out, f, sum, sum->leave_one_out);
    }
    portolan_text_add(out, "\n");
    if (!portolan_model_fits(m))
        portolan_text_add(out, "  does not fit its own points; do not believe it elsewhere\n");
    if (sum->sigma_is_assumed)
        portolan_text_add(out,
                          "  the rows do not tell their own error: intervals rest on an "
                          "assumed %.0f %%\n",
                          100 * PORTOLAN_MODEL_ASSUMED_ERROR);
}

static void add_range(struct statement *s, const struct portolan_model *m)
{
    struct portolan_text *out = &s->in->out;

    for (size_t p = 0; p < portolan_model_n_params(m); p++) {
        const struct portolan_model_range *r = portolan_model_peek_range(m, p);
        const char *name = portolan_model_peek_param(m, p);

        portolan_text_add(out, "%s", p ? ", " : "  valid for ");
        if (r->min == r->max)
            portolan_text_add(out, "%s = %.10g", name, r->min);
        else
            portolan_text_add(out, "%.10g <= %s <= %.10g", r->min, name, r->max);
    }
    if (portolan_model_n_params(m))
        portolan_text_add(out, "\n");
}

static void add_breaks(struct statement *s, const struct portolan_model *m)
{
    struct portolan_text *out = &s->in->out;
    size_t n;
    const struct portolan_model_break *breaks = portolan_model_peek_breaks(m, &n);

    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, "  break of ");
        model_add_break(m, &breaks[i], out);
        portolan_text_add(out, "\n");
    }
}

static const char *const statistics[] = {
    [PORTOLAN_MODEL_TYPICAL] = "",
    [PORTOLAN_MODEL_MEDIAN] = "the median of ",
    [PORTOLAN_MODEL_MEAN] = "the mean of ",
    [PORTOLAN_MODEL_MINIMUM] = "the least ",
    [PORTOLAN_MODEL_MAXIMUM] = "the greatest ",
    [PORTOLAN_MODEL_DEVIATION] = "the standard deviation of ",
};

void llac_show_model(struct statement *s, const char *name, const struct fitted *f)
{
    const struct portolan_model *m = f->model;
    struct portolan_text *out = &s->in->out;
    size_t n = portolan_model_n_pieces(m);

    portolan_text_add(out, "model%s%s", strcmp(name, "model") ? " " : "",
                      strcmp(name, "model") ? name : "");
    if (f->observable)
        portolan_text_add(out, " of %s%s%s", statistics[portolan_model_peek_summary(m)->statistic],
                          f->observable, llac_unit(s, f->unit));
    portolan_text_add(out, "\n  %s\n", f->formula ? f->formula : portolan_model_peek_formula(m));
    for (size_t i = 0; i < n; i++) {
        const struct portolan_model_condition *conditions;
        size_t n_conditions;
        const struct portolan_model *piece =
            portolan_model_peek_piece(m, i, &conditions, &n_conditions);

        if (n_conditions) {
            portolan_text_add(out, "  where ");
            model_add_conditions(m, conditions, n_conditions, out);
            portolan_text_add(out, "\n");
        }
        add_terms(s, f, piece);
        if (n > 1)
            add_summary(s, f, piece);
    }
    add_breaks(s, m);
    add_summary(s, f, m);
    add_range(s, m);
}
