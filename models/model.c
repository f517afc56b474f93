/* SPDX-License-Identifier: BSD-3-Clause */
/* The model itself: names, prediction, questions. */
#include "formula_internal.h"
#include "models_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum portolan_status model_create(size_t n_params, const char *const *params,
                                  struct portolan_model **model, struct portolan_error *err)
{
    struct portolan_model *m;
    const char *wrong = model_check_params(n_params, params);

    if (wrong)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%s", wrong);
    m = portolan_calloc(1, sizeof *m);
    if (m)
        m->n_params = n_params;
    if (m)
        hull_open(&m->hull);
    for (size_t p = 0; m && p < n_params; p++) {
        m->range[p] = (struct portolan_model_range){.min = -INFINITY, .max = INFINITY};
        if (!(m->params[p] = portolan_strdup(params[p]))) {
            portolan_model_destroy(m);
            m = NULL;
        }
    }
    if (!m)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a model");
    m->summary.sigma_repeat = m->summary.leave_one_out = NAN;
    m->summary.condition = 1;
    m->summary.confidence = 0.95;
    m->summary.nonnegative = true;
    *model = m;
    return PORTOLAN_OK;
}

static void envelope_clear(struct portolan_model_envelope *e)
{
    free((char *)e->name);
    free((char *)e->unit);
    free((char *)e->quality);
    free((char *)e->machine);
    free((char *)e->program);
    free((char *)e->source);
    free((char *)e->created);
    for (size_t p = 0; p < MODEL_PARAMS; p++)
        free((char *)e->param_units[p]);
    *e = (struct portolan_model_envelope){0};
}

void portolan_model_destroy(struct portolan_model *m)
{
    if (!m)
        return;
    for (size_t p = 0; p < m->n_params; p++)
        free(m->params[p]);
    envelope_clear(&m->envelope);
    for (size_t i = 0; i < m->n_pieces; i++)
        portolan_model_destroy(m->pieces[i].model);
    free(m->pieces);
    free(m->breaks);
    expressions_clear(&m->expressions);
    free(m->covariance);
    free(m->formula);
    free(m);
}

enum portolan_status model_give(enum portolan_status status, struct portolan_model *made,
                                struct portolan_model **model)
{
    if (status)
        portolan_model_destroy(made);
    else
        *model = made;
    return status;
}

/* ---- formula ---- */

/* Like portolan_text_add(), which would take a good part of the time of a small fit. */
static void text_add_words(struct portolan_text *out, const char *first, const char *second)
{
    portolan_text_add_bytes(out, first, strlen(first));
    portolan_text_add_bytes(out, second, strlen(second));
}

void text_add_rounded(struct portolan_text *out, const char *before, double value, int digits)
{
    char number[NUMBER_TEXT];

    portolan_number_round(value, digits, number);
    text_add_words(out, before, number);
}

/* The words of one term's shape: " n^1.5 log2(m)". */
static void write_shape(struct portolan_text *out, const struct portolan_model *m,
                        const struct portolan_model_shape *shape)
{
    if (shape->expression) {
        text_add_words(out, " * ", "");
        formula_write_factor(shape->expression, shape->expression->n_nodes - 1, out);
        return;
    }
    for (size_t p = 0; p < m->n_params; p++) {
        if (shape->exponents[p] != 0)
            text_add_words(out, " ", m->params[p]);
        if (shape->exponents[p] != 0 && shape->exponents[p] != 1)
            text_add_rounded(out, "^", shape->exponents[p], 4);
        if (shape->logs[p] == 1)
            portolan_text_add(out, " log2(%s)", m->params[p]);
        else if (shape->logs[p])
            portolan_text_add(out, " log2(%s)^%d", m->params[p], shape->logs[p]);
    }
}

static enum portolan_status write_formula(struct portolan_model *m, struct portolan_error *err)
{
    struct portolan_text out = {0};

    for (size_t j = 0; j < m->n_terms; j++) {
        double c = m->terms[j].constant;

        text_add_rounded(&out, !j ? "" : c < 0 ? " - " : " + ", j ? fabs(c) : c, 4);
        write_shape(&out, m, &m->terms[j].shape);
    }
    if (m->n_pieces)
        model_write_pieces(&out, m);
    else if (!m->n_terms)
        text_add_words(&out, "0", "");
    free(m->formula);
    if (portolan_text_take(&out, &m->formula, NULL))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a formula");
    return PORTOLAN_OK;
}

enum portolan_status model_finish(struct portolan_model *m, struct portolan_error *err)
{
    enum portolan_status status = write_formula(m, err);

    if (status)
        return status;
    /* Without degrees of freedom the error is assumed, and counts as exactly known. */
    m->t = portolan_student_quantile(m->summary.confidence,
                                     m->summary.dof > 0 ? m->summary.dof : INFINITY);
    m->z = portolan_student_quantile(m->summary.confidence, INFINITY);
    for (size_t j = 0; j < m->n_terms; j++)
        m->terms[j].std_error = NAN;
    for (size_t e = 0; e < m->n_estimates && !m->summary.sigma_is_assumed; e++)
        if (m->estimates[e].param == CONSTANT_ESTIMATE)
            m->terms[m->estimates[e].term].std_error = sqrt(m->covariance[e * m->n_estimates + e]);
    return PORTOLAN_OK;
}

enum portolan_status portolan_model_create(size_t n_params, const char *const *params,
                                           const struct portolan_model_term *terms, size_t n_terms,
                                           struct portolan_model **model,
                                           struct portolan_error *err)
{
    struct portolan_model *m = NULL;
    enum portolan_status status;

    if (n_terms > MODEL_TERMS || (n_terms && !terms))
        return portolan_error_set(err, PORTOLAN_EINVAL, "a model can have at most %d terms",
                                  (int)MODEL_TERMS);
    for (size_t j = 0; j < n_terms; j++) {
        bool good = isfinite(terms[j].constant);

        for (size_t p = 0; p < n_params && p < MODEL_PARAMS; p++)
            good = good && isfinite(terms[j].shape.exponents[p]) &&
                   terms[j].shape.logs[p] <= PORTOLAN_MODEL_MAX_LOG;
        if (!good)
            return portolan_error_set(err, PORTOLAN_EINVAL, "term %zu is not finite", j + 1);
    }
    if ((status = model_create(n_params, params, &m, err)))
        return status;
    m->summary.family = PORTOLAN_MODEL_GIVEN;
    m->n_terms = n_terms;
    for (size_t j = 0; j < n_terms; j++) {
        m->terms[j].constant = terms[j].constant;
        m->terms[j].shape = terms[j].shape;
        m->summary.nonnegative = m->summary.nonnegative && terms[j].constant >= 0;
        if (!status)
            status = expressions_own(&m->expressions, &m->terms[j].shape, n_params, params, err);
    }
    status = status ? status : model_finish(m, err);
    return model_give(status, m, model);
}

/* ---- prediction ---- */

/* How many factors of two X is outside; if X or the range is not positive, how many widths. */
static double range_octaves(const struct portolan_model_range *r, double x)
{
    double edge = x > r->max ? r->max : r->min;
    double width = r->max > r->min ? r->max - r->min : fmax(fabs(edge), 1);

    if (x >= r->min && x <= r->max)
        return 0;
    return fmin(x > 0 && edge > 0 ? fabs(log2(x) - log2(edge)) : fabs(x - edge) / width, 1024);
}

/* The terms' sum at X, of a model without pieces. */
static double add_terms(const struct portolan_model *m, const double *x)
{
    double value = 0;

    for (size_t j = 0; j < m->n_terms; j++)
        value += m->terms[j].constant * shape_value(&m->terms[j].shape, m->n_params, x);
    return value;
}

/* Outside the rows a bounded law falls at most with this power, so that a cost stays above 0. */
static const double steepest = 3;

/* VALUE of a bounded model at X, or its lower bound outside the rows if VALUE is below that. */
static double bound_value(const struct portolan_model *m, const double *x, double value)
{
    double inside[MODEL_PARAMS], octaves = 0;

    for (size_t p = 0; p < m->n_params; p++) {
        inside[p] = fmin(fmax(x[p], m->range[p].min), m->range[p].max);
        octaves += range_octaves(&m->range[p], x[p]);
    }
    return octaves > 0 ? fmax(value, add_terms(m, inside) * exp2(-steepest * octaves)) : value;
}

double portolan_model_value(const struct portolan_model *m, const double *x)
{
    if (m->n_pieces) {
        size_t i = model_find_piece(m, x);

        return i < m->n_pieces ? portolan_model_value(m->pieces[i].model, x) : NAN;
    }
    return m->summary.bounded ? bound_value(m, x, add_terms(m, x)) : add_terms(m, x);
}

/* The terms' sum where PARAM is OCTAVES outside the rows and the others are at their largest. */
static double value_outside(const struct portolan_model *m, size_t param, double octaves, double *x)
{
    for (size_t p = 0; p < m->n_params; p++)
        x[p] = m->range[p].max;
    x[param] = (octaves < 0 ? m->range[param].min : m->range[param].max) * exp2(octaves);
    return add_terms(m, x);
}

bool portolan_model_turns_negative(const struct portolan_model *m, size_t param, bool above,
                                   double *from)
{
    static const double farthest = 30, step = 0.25;
    double x[MODEL_PARAMS], sign = above ? 1 : -1, inside = 0, outside = step;

    if (m->n_pieces || param >= m->n_params || !(m->range[param].min > 0) ||
        !isfinite(m->range[param].max) || !(value_outside(m, param, sign * 1e-300, x) > 0))
        return false;
    for (; !(value_outside(m, param, sign * outside, x) < 0); outside += step)
        if ((inside = outside) > farthest)
            return false;
    for (int i = 0; i < 60; i++) {
        double middle = (inside + outside) / 2;

        *(value_outside(m, param, sign * middle, x) < 0 ? &outside : &inside) = middle;
    }
    *from = x[param];
    return true;
}

/* g' C g, where g is the gradient of the value with respect to the estimates. */
static double curve_variance(const struct portolan_model *m, const double *x)
{
    double g[MODEL_ESTIMATES], sum = 0;
    size_t n = m->n_estimates;

    for (size_t e = 0; e < n; e++) {
        const struct portolan_model_term *term = &m->terms[m->estimates[e].term];

        g[e] = shape_value(&term->shape, m->n_params, x);
        if (m->estimates[e].param != CONSTANT_ESTIMATE)
            g[e] *= term->constant * log(x[m->estimates[e].param]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum += g[i] * m->covariance[i * n + j] * g[j];
    return fmax(sum, 0);
}

double range_note_outside(const struct portolan_model_range *r, size_t param, double x,
                          struct portolan_prediction *p)
{
    double octaves = range_octaves(r, x);

    if (octaves > p->octaves) {
        p->extrapolates = true;
        p->octaves = octaves;
        p->outside = param;
    }
    return octaves;
}

/*
 * Sets the interval of P from HALF, half its width by noise and by the errors of the constants, and
 * from DRIFT, the possible error of the form outside the rows. DRIFT is a logarithm, since there
 * factors are more likely than differences.
 */
static void put_interval(const struct portolan_model *m, double half, double drift,
                         struct portolan_prediction *p)
{
    double share = half / fabs(p->value);

    p->low = p->value - half;
    p->high = p->value + half;
    if (drift > 0 && p->value > 0 && m->summary.weighting == PORTOLAN_MODEL_RELATIVE) {
        p->high = p->value * exp(hypot(log1p(share), drift));
        p->low = share < 1 ? p->value * exp(-hypot(log1p(-share), drift)) : p->low;
    } else if (drift > 0) {
        p->low -= fabs(p->value) * expm1(drift);
        p->high += fabs(p->value) * expm1(drift);
    }
    if ((m->summary.nonnegative || m->summary.bounded) && p->low < 0)
        p->low = fmin(0, p->value);
}

static void keep_kind(enum portolan_model_kind kind, struct portolan_prediction *p)
{
    double most = kind == PORTOLAN_MODEL_SHARE ? 1 : INFINITY;

    if (kind == PORTOLAN_MODEL_AMOUNT)
        return;
    p->value = fmin(fmax(p->value, 0), most);
    p->low = fmin(fmax(p->low, 0), most);
    p->high = fmin(fmax(p->high, 0), most);
    if (kind == PORTOLAN_MODEL_COUNT) {
        p->value = round(p->value);
        p->low = floor(p->low);
        p->high = ceil(p->high);
    }
}

enum portolan_status portolan_model_predict(const struct portolan_model *m, const double *x,
                                            struct portolan_prediction *out)
{
    struct portolan_prediction p = {.value = portolan_model_value(m, x)};
    const struct portolan_model_summary *s = &m->summary;
    bool relative = s->weighting == PORTOLAN_MODEL_RELATIVE;
    double size = fabs(p.value), variance, row, drift = 0;

    if (m->n_pieces)
        return model_predict_pieces(m, x, out);
    if (!isfinite(p.value))
        return PORTOLAN_EINVAL;
    variance = m->covariance ? curve_variance(m, x) : 0;
    p.is_assumed = s->sigma_is_assumed;
    for (size_t i = 0; i < m->n_params; i++) {
        const struct portolan_model_range *r = &m->range[i];
        double octaves = range_note_outside(r, i, x[i], &p);

        drift = hypot(drift, model_divergence(octaves) *
                                 (x[i] > r->max ? r->drift_above : r->drift_below));
        if (octaves > 0 && !(r->max > r->min))
            p.is_assumed = true;
    }
    drift = hypot(drift, hull_note_outside(m, x, &p));
    row = s->sigma * (relative ? fmax(size, s->floor) : 1);
    p.std_error = hypot(sqrt(variance), size * drift);
    put_interval(m, m->t * sqrt(row * row + variance), m->z * drift, &p);
    keep_kind(s->kind, &p);
    *out = p;
    return PORTOLAN_OK;
}

/* ---- questions ---- */

bool portolan_model_fits(const struct portolan_model *m)
{
    /* USUAL: without repetitions a model may miss a point by 4 × 0.125, half its value. */
    static const double most = 4, usual = 0.125, rounding = 1e-6;
    const struct portolan_model_summary *s = &m->summary;
    double spread = s->sigma_repeat >= 0 ? fmax(s->sigma_repeat, rounding) : usual;

    if (s->weighting == PORTOLAN_MODEL_ABSOLUTE)
        return !(s->sigma_repeat > 0 && s->max > most * s->sigma_repeat);
    return !(s->max > most * spread);
}

const struct portolan_model_summary *portolan_model_peek_summary(const struct portolan_model *m)
{
    return &m->summary;
}

const struct portolan_model_term *portolan_model_peek_terms(const struct portolan_model *m,
                                                            size_t *n_terms)
{
    *n_terms = m->n_terms;
    return m->terms;
}

const struct portolan_model_dropped *portolan_model_peek_dropped(const struct portolan_model *m,
                                                                 size_t *n_dropped)
{
    *n_dropped = m->n_dropped;
    return m->dropped;
}

size_t portolan_model_n_params(const struct portolan_model *m)
{
    return m->n_params;
}

const char *portolan_model_peek_param(const struct portolan_model *m, size_t param)
{
    return param < m->n_params ? m->params[param] : NULL;
}

const struct portolan_model_range *portolan_model_peek_range(const struct portolan_model *m,
                                                             size_t param)
{
    return param < m->n_params ? &m->range[param] : NULL;
}

const char *portolan_model_peek_formula(const struct portolan_model *m)
{
    return m->formula;
}

const struct portolan_model_envelope *portolan_model_peek_envelope(const struct portolan_model *m)
{
    return &m->envelope;
}

const char *const model_families[MODEL_FAMILIES] = {
    "constant", "power", "polynomial", "logarithmic", "product", "sum", "given", "piecewise"};

const char *portolan_model_family_name(enum portolan_model_family family)
{
    for (size_t i = 0; i < MODEL_FAMILIES; i++)
        if (family == 1u << i)
            return model_families[i];
    return "unknown";
}

/* ---- envelope ---- */

static void copy_text(const char **to, const char *from, enum portolan_status *status)
{
    if (!from || *status)
        return;
    if (!formula_text_is_plain(from))
        *status = PORTOLAN_EINVAL;
    else if (!(*to = portolan_strdup(from)))
        *status = PORTOLAN_ENOMEM;
}

enum portolan_status portolan_model_describe(struct portolan_model *m,
                                             const struct portolan_model_envelope *envelope,
                                             struct portolan_error *err)
{
    static const struct portolan_model_envelope empty;
    const struct portolan_model_envelope *from = envelope ? envelope : &empty;
    struct portolan_model_envelope e = {0};
    enum portolan_status status = PORTOLAN_OK;

    copy_text(&e.name, from->name, &status);
    copy_text(&e.unit, from->unit, &status);
    copy_text(&e.quality, from->quality, &status);
    copy_text(&e.machine, from->machine, &status);
    copy_text(&e.program, from->program, &status);
    copy_text(&e.source, from->source, &status);
    copy_text(&e.created, from->created, &status);
    for (size_t p = 0; p < m->n_params; p++)
        copy_text(&e.param_units[p], from->param_units[p], &status);
    if (status) {
        envelope_clear(&e);
        return portolan_error_set(err, status, "%s",
                                  status == PORTOLAN_ENOMEM
                                      ? "no memory for a description"
                                      : "a description must be UTF-8 text that XML can carry");
    }
    envelope_clear(&m->envelope);
    m->envelope = e;
    return PORTOLAN_OK;
}
