/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the values of metrics, each after those that its formula names. */
#include <math.h>
#include <stdlib.h>

#include "diagnosis.h"

struct evaluation {
    const struct paradigm *paradigm;
    hercule_lookup_fn lookup;
    void *arg;
    struct measured *values;
    bool *is_done; /* by metric, the caller's memory; NULL: all are done */
};

static bool metric_value(struct evaluation *e, size_t i);

static bool reference_value(struct evaluation *e, const struct reference *reference,
                            struct measured *value)
{
    if (reference->kind != REFERENCE_METRIC)
        return e->lookup(e->arg, e->paradigm, reference, value);
    if (!metric_value(e, reference->index))
        return false;
    *value = e->values[reference->index];
    return true;
}

/* Returns a formula's spread to first order: each name is moved alone by its own spread. */
static double formula_spread(const struct portolan_formula *formula, double *x,
                             const double *spreads, size_t n, double value)
{
    double squares = 0;

    for (size_t i = 0; i < n; i++)
        if (spreads[i] > 0) {
            double at = x[i], moved;

            x[i] = at + spreads[i];
            moved = portolan_formula_value(formula, x) - value;
            x[i] = at;
            squares += isfinite(moved) ? moved * moved : 0;
        }
    return sqrt(squares);
}

static bool expression_of(struct evaluation *e, const struct expression *expression,
                          struct measured *out)
{
    double x[PORTOLAN_FORMULA_MAX_NAMES], spreads[PORTOLAN_FORMULA_MAX_NAMES];

    *out = (struct measured){NAN, 0, 0, true, NULL};
    if (!expression->formula || expression->n_references > PORTOLAN_FORMULA_MAX_NAMES)
        return false;
    for (size_t i = 0; i < expression->n_references; i++) {
        struct measured value = {NAN, 0, 0, true, NULL};

        if (!reference_value(e, &expression->references[i], &value))
            return false;
        x[i] = value.value;
        spreads[i] = value.spread;
        if (value.samples > out->samples)
            out->samples = value.samples;
        if (!value.is_trusted && out->is_trusted) {
            out->is_trusted = false;
            out->why = value.why;
        }
    }
    out->value = portolan_formula_value(expression->formula, x);
    out->spread =
        formula_spread(expression->formula, x, spreads, expression->n_references, out->value);
    out->samples += !out->samples;
    return true;
}

static bool metric_value(struct evaluation *e, size_t i)
{
    if (!e->values[i].samples && e->is_done && !e->is_done[i]) {
        struct measured value;

        e->is_done[i] = true;
        if (expression_of(e, &e->paradigm->metrics[i].formula, &value))
            e->values[i] = value;
    }
    return e->values[i].samples > 0;
}

bool metrics_evaluate(const struct paradigm *paradigm, hercule_lookup_fn lookup, void *arg,
                      struct measured *values)
{
    bool *is_done = portolan_calloc(paradigm->n_metrics + 1, sizeof *is_done);
    struct evaluation e = {paradigm, lookup, arg, values, is_done};

    for (size_t i = 0; i < paradigm->n_metrics; i++)
        values[i] = (struct measured){NAN, 0, 0, true, NULL};
    for (size_t i = 0; is_done && i < paradigm->n_metrics; i++)
        metric_value(&e, i);
    free(is_done);
    return is_done;
}

bool expression_evaluate(const struct paradigm *paradigm, const struct expression *expression,
                         hercule_lookup_fn lookup, void *arg, struct measured *values,
                         struct measured *value)
{
    struct evaluation e = {paradigm, lookup, arg, values, NULL};

    return expression_of(&e, expression, value);
}
