/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of several intervals: which piece holds where, and prediction through them. */
#include "pieces_internal.h"

#include <math.h>

/* ---- where a piece holds ---- */

double variable_value(size_t param, size_t divisor, const double *x)
{
    return divisor == SIZE_MAX ? x[param] : x[param] / x[divisor];
}

static bool condition_holds(const struct portolan_model_condition *c, double v)
{
    return (v >= c->low || (c->low == -INFINITY && !isnan(v))) &&
           (v < c->high || (c->high == INFINITY && !isnan(v)));
}

bool conditions_hold(const struct portolan_model_condition *conditions, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!condition_holds(&conditions[i],
                             variable_value(conditions[i].param, conditions[i].divisor, x)))
            return false;
    return true;
}

/* The piece that holds at X. If OTHER is not NULL, its variable has the value AT instead. */
static size_t find_piece(const struct portolan_model *m, const double *x,
                         const struct portolan_model_break *other, double at)
{
    for (size_t i = 0; i < m->n_pieces; i++) {
        const struct piece *piece = &m->pieces[i];
        bool holds = true;

        for (size_t j = 0; j < piece->n_conditions && holds; j++) {
            const struct portolan_model_condition *c = &piece->conditions[j];
            bool same = other && c->param == other->param && c->divisor == other->divisor;

            holds = condition_holds(c, same ? at : variable_value(c->param, c->divisor, x));
        }
        if (holds)
            return i;
    }
    return m->n_pieces;
}

size_t model_find_piece(const struct portolan_model *m, const double *x)
{
    return find_piece(m, x, NULL, 0);
}

/* ---- prediction ---- */

static bool is_at_break(const struct piece *piece, const struct portolan_model_break *b)
{
    for (size_t i = 0; i < piece->n_conditions; i++) {
        const struct portolan_model_condition *c = &piece->conditions[i];

        if (c->param == b->param && c->divisor == b->divisor &&
            (c->low == b->at || c->high == b->at))
            return true;
    }
    return false;
}

/* Notes in P where X is outside the rows of PIECE, which count as reaching across the gap of break
 * B. */
static void mark_outside(const struct portolan_model *piece, const struct portolan_model_break *b,
                         const double *x, struct portolan_prediction *p)
{
    p->extrapolates = false;
    p->octaves = 0;
    for (size_t i = 0; i < piece->n_params; i++) {
        struct portolan_model_range r = piece->range[i];

        if (b->divisor == SIZE_MAX && b->param == i) {
            r.min = fmin(r.min, b->below);
            r.max = fmax(r.max, b->above);
        }
        range_note_outside(&r, i, x[i], p);
    }
    hull_note_outside(piece, x, p);
}

enum portolan_status model_predict_pieces(const struct portolan_model *m, const double *x,
                                          struct portolan_prediction *out)
{
    size_t i = model_find_piece(m, x);
    struct portolan_prediction p, q;

    if (i == m->n_pieces || portolan_model_predict(m->pieces[i].model, x, &p))
        return PORTOLAN_EINVAL;
    p.piece = i;
    for (size_t j = 0; j < m->n_breaks; j++) {
        const struct portolan_model_break *b = &m->breaks[j];
        double v = variable_value(b->param, b->divisor, x);
        size_t other;

        if (!(v > b->below && v < b->above) || !is_at_break(&m->pieces[i], b))
            continue;
        other = find_piece(m, x, b, v < b->at ? b->above : b->below);
        p.in_gap = true;
        mark_outside(m->pieces[i].model, b, x, &p);
        if (other < m->n_pieces && !portolan_model_predict(m->pieces[other].model, x, &q)) {
            p.low = fmin(p.low, q.low);
            p.high = fmax(p.high, q.high);
            p.is_assumed = p.is_assumed || q.is_assumed;
        }
    }
    *out = p;
    return PORTOLAN_OK;
}

/* ---- questions ---- */

size_t portolan_model_n_pieces(const struct portolan_model *m)
{
    return m->n_pieces ? m->n_pieces : 1;
}

const struct portolan_model *
portolan_model_peek_piece(const struct portolan_model *m, size_t i,
                          const struct portolan_model_condition **conditions, size_t *n_conditions)
{
    bool several = i < m->n_pieces;

    if (conditions)
        *conditions = several ? m->pieces[i].conditions : NULL;
    if (n_conditions)
        *n_conditions = several ? m->pieces[i].n_conditions : 0;
    return several ? m->pieces[i].model : i == 0 ? m : NULL;
}

const struct portolan_model_break *portolan_model_peek_breaks(const struct portolan_model *m,
                                                              size_t *n_breaks)
{
    *n_breaks = m->n_breaks;
    return m->breaks;
}

static void write_condition(struct portolan_text *out, const struct portolan_model *m,
                            const struct portolan_model_condition *c)
{
    bool ratio = c->divisor != SIZE_MAX, both = c->low > -INFINITY && c->high < INFINITY;

    if (both)
        text_add_rounded(out, "", c->low, 4);
    portolan_text_add(out, "%s%s%s%s", both ? " <= " : "", m->params[c->param], ratio ? "/" : "",
                      ratio ? m->params[c->divisor] : "");
    if (c->high < INFINITY)
        text_add_rounded(out, " < ", c->high, 4);
    else if (c->low > -INFINITY)
        text_add_rounded(out, " >= ", c->low, 4);
}

void model_write_pieces(struct portolan_text *out, const struct portolan_model *m)
{
    for (size_t i = 0; i < m->n_pieces; i++) {
        const struct piece *piece = &m->pieces[i];

        portolan_text_add(out, "%s%s (", i ? "; " : "", piece->model->formula);
        for (size_t j = 0; j < piece->n_conditions; j++) {
            portolan_text_add(out, j ? ", " : "");
            write_condition(out, m, &piece->conditions[j]);
        }
        portolan_text_add(out, ")");
    }
}

enum portolan_status model_make_pieces(struct portolan_model *m, struct portolan_error *err)
{
    m->pieces = portolan_calloc(MODEL_PIECES, sizeof *m->pieces);
    m->breaks = portolan_calloc(MODEL_PIECES, sizeof *m->breaks);
    if (m->pieces && m->breaks)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for the pieces of a model");
}
