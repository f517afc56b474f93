/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A quantity is a measured number as a function of contexts or parameters. Fits it, predicts with
 * it, and takes in rows that arrive while a program runs.
 *
 * Two predictors compete for each time: the law, a formula that models/ finds, and the neighbours,
 * kriging between the measured places. Both predict rows that are left out of the fit, and
 * compete() takes the one that errs less. At a place that was measured, the measurement itself is
 * the prediction. Other quantities use the law, or their mean if there is none.
 *
 * A law is too confident. plan_quantity_value() widens its interval to the error on rows left out,
 * further outside the measured range, and by what the rows do not show (spread within blocks of
 * time, only first calls). A parameter that had one value in all rows is remembered: at another
 * value, the prediction counts as outside. If a file states a law, it is used there, scaled so that
 * it meets the nearest measured place.
 *
 * Rows that arrive (kept_rows.c) update the constants only (Givens rotations); learn.c decides when
 * the form is searched again.
 */
#include "plan_internal.h"

#include <portolan/list.h>
#include <stdlib.h>
#include <string.h>

/* Rows farther off, in standard deviations, are spikes and are moved to this distance. */
static const double gate = 3;
/* The form is not searched again before this many rows, and this share of all, have arrived. */
enum { LEAST_PATIENCE = 8 };
static const double patience = 0.25;

/* ---- fits ---- */

enum { MANY_INPUTS = 3 };

/* Separates the inputs that have several values in the rows from those that have one. */
static void pick_inputs(const struct plan_rows *r, struct quantity *q)
{
    for (size_t k = 0; k < r->n_names; k++) {
        bool varies = false;

        for (size_t i = 1; i < r->n; i++)
            varies = varies || r->x[i * r->n_names + k] != r->x[k];
        if (varies) {
            q->inputs[q->n_inputs++] = k;
        } else {
            q->fixed_at[q->n_fixed] = r->x[k];
            q->fixed[q->n_fixed++] = k;
        }
    }
}

/* If the value always equals one input, keeps only that: its form needs no search. */
static void take_identity(const struct plan_rows *r, struct quantity *q)
{
    for (size_t k = 0; k < q->n_inputs; k++) {
        size_t i = 0;

        while (i < r->n && r->x[i * r->n_names + q->inputs[k]] == r->y[i])
            i++;
        if (i < r->n)
            continue;
        q->inputs[0] = q->inputs[k];
        q->n_inputs = 1;
        return;
    }
}

static bool all_equal(size_t n, const double *y)
{
    for (size_t i = 1; i < n; i++)
        if (fabs(y[i] - y[0]) > 1e-12 * fabs(y[0]))
            return false;
    return true;
}

enum portolan_status plan_own_model(struct portolan_plan *p, struct portolan_model *model)
{
    if (portolan_arena_append(&p->s.pool, &p->owned, &p->n_owned, &model, sizeof *p->owned))
        return PORTOLAN_OK;
    portolan_model_destroy(model);
    return PORTOLAN_ENOMEM;
}

/* Sets the mean and range of the values, and the inputs. */
static void begin_quantity(const struct plan_rows *r, enum quantity_kind kind, struct quantity *q)
{
    *q = (struct quantity){.known = true,
                           .kind = kind,
                           .by_context = r->by_context,
                           .n_rows = (size_t)fmin(fmax(r->n_steps, (double)r->n), 1e15),
                           .low = r->y[0],
                           .high = r->y[0]};
    double weight = 0;

    for (size_t i = 0; i < r->n; i++)
        weight += r->weight[i];
    for (size_t i = 0; i < r->n; i++) {
        q->constant += r->weight[i] * r->y[i] / weight;
        q->low = fmin(q->low, r->y[i]);
        q->high = fmax(q->high, r->y[i]);
    }
    pick_inputs(r, q);
}

struct inputs {
    const char *names[MAX_INPUTS];
    double *x;
    struct portolan_model_data data;
};

/* Copies only the columns of the inputs; the caller frees in->x. */
static bool inputs_init(struct inputs *in, const struct quantity *q, const struct plan_rows *r)
{
    in->x = portolan_calloc(r->n, (q->n_inputs + 1) * sizeof *in->x);
    if (!in->x)
        return false;
    for (size_t k = 0; k < q->n_inputs; k++) {
        in->names[k] = r->names[q->inputs[k]];
        for (size_t i = 0; i < r->n; i++)
            in->x[i * q->n_inputs + k] = r->x[i * r->n_names + q->inputs[k]];
    }
    in->data = (struct portolan_model_data){.n_params = q->n_inputs,
                                            .params = in->names,
                                            .n_rows = r->n,
                                            .x = q->n_inputs ? in->x : NULL,
                                            .y = r->y,
                                            .weight = r->weight};
    return true;
}

/*
 * Sets the options of a fit. In three or more parameters, a search among sums takes seconds and
 * finds little in a few dozen cases; there the law is a single product of powers.
 */
static struct portolan_model_options options_of(const struct portolan_model_data *data,
                                                enum quantity_kind kind)
{
    struct portolan_model_options options = {.allow_negative = kind == QUANTITY_CONTEXT};

    if (kind == QUANTITY_ACCURACY)
        options.statistic = PORTOLAN_MODEL_MAXIMUM;
    if (data->n_params >= MANY_INPUTS) {
        options.only_products = true;
        options.max_pieces = 1;
    }
    return options;
}

/* *MODEL stays NULL if no model can be made; then the mean is used. */
static enum portolan_status fit_model(const struct portolan_model_data *data,
                                      enum quantity_kind kind, struct portolan_model **model)
{
    struct portolan_model_options options = options_of(data, kind);
    enum portolan_status status =
        kind == QUANTITY_TIME ? portolan_model_fit_pieces(data, NULL, 0, &options, model, NULL)
                              : portolan_model_fit(data, &options, model, NULL);

    if (status)
        *model = NULL;
    return status == PORTOLAN_ENOMEM ? status : PORTOLAN_OK;
}

/* ---- laws and neighbours compete ---- */

enum { MOST_FOLDS = 12, FEW_FOLDS = 5, MANY_ROWS = 128, LEAST_PLACES = 6 };

/* A law that misses its own rows by more than this ratio is not used. */
static const double worst_misfit = 1.4;

static bool misses_its_rows(const struct plan_rows *r, const struct portolan_model_data *data)
{
    const struct portolan_local_summary *s = portolan_local_peek_summary(r->local);
    double noise = isnan(s->repeat) ? 0 : s->repeat, most = 0;

    for (size_t i = 0; i < r->n; i++)
        most = fmax(most, r->y[i]);
    for (size_t i = 0; i < r->n; i++) {
        double value =
            portolan_model_value(r->model, data->x ? &data->x[i * data->n_params] : NULL);

        if (r->y[i] > 1e-3 * most && value > 0 &&
            fabs(log(value / r->y[i])) > log(worst_misfit) + 4 * noise)
            return true;
    }
    return false;
}

/*
 * The error of a law on rows left out. With few places, a form searched without one of them may
 * differ much; then it is the leave-one-out error of the form that was found in all.
 */
static double law_error(const struct portolan_model *model, size_t places,
                        const struct portolan_left_out *law)
{
    double fixed = portolan_model_n_pieces(model) > 1
                       ? NAN
                       : portolan_model_peek_summary(model)->leave_one_out;

    if (!law->n || (places < LEAST_PLACES && fixed >= 0))
        return fixed;
    return law->sigma;
}

/* Creates the neighbours, from the rows since the law changed. */
static enum portolan_status find_neighbours(struct plan_rows *r,
                                            const struct portolan_model_data *data)
{
    double *weight = portolan_calloc(data->n_rows + 1, sizeof *weight);
    const struct portolan_local_data local = {.n_params = data->n_params,
                                              .n_rows = data->n_rows,
                                              .x = data->x,
                                              .y = data->y,
                                              .weight = weight,
                                              .group = r->point};
    enum portolan_status status = PORTOLAN_ENOMEM;

    portolan_local_destroy(r->local);
    r->local = NULL;
    r->drift = 0;
    for (size_t i = r->n_old; weight && i < data->n_rows; i++)
        weight[i] = r->weight[i];
    if (weight)
        status = portolan_local_create(&local, &r->local, NULL);
    free(weight);
    return status;
}

/* Lets the law and the neighbours predict rows left out, and chooses the one that errs less. */
static enum portolan_status compete(struct plan_rows *r, const struct portolan_model_data *data,
                                    enum quantity_kind kind)
{
    const struct portolan_left_out *neighbours;
    struct portolan_model_options options = options_of(data, kind);
    struct portolan_left_out law;
    enum portolan_status status = find_neighbours(r, data);

    if (status)
        return status == PORTOLAN_ENOMEM ? status : PORTOLAN_OK;
    neighbours = &portolan_local_peek_summary(r->local)->left_out;
    r->by_local = !r->model;
    r->sigma = neighbours->n ? neighbours->sigma : NAN;
    if (!r->model || kind != QUANTITY_TIME)
        return PORTOLAN_OK;
    options.max_pieces = portolan_model_n_pieces(r->model) > 1 ? 0 : 1;
    status = portolan_model_left_out(data, r->point, NULL, 0, &options,
                                     data->n_rows > MANY_ROWS ? FEW_FOLDS : MOST_FOLDS, &law, NULL);
    if (status)
        return status == PORTOLAN_ENOMEM ? status : PORTOLAN_OK;
    if (law.n && neighbours->n && portolan_local_peek_summary(r->local)->n_places >= LEAST_PLACES)
        r->by_local = neighbours->mean < law.mean;
    else
        r->by_local = misses_its_rows(r, data);
    if (!r->by_local)
        r->sigma = law_error(r->model, portolan_local_peek_summary(r->local)->n_places, &law);
    return PORTOLAN_OK;
}

enum portolan_status plan_fit_quantity(struct portolan_plan *p, const struct plan_rows *rows,
                                       enum quantity_kind kind, struct quantity *q)
{
    bool keeps = kind == QUANTITY_TIME || kind == QUANTITY_COUNT;
    struct portolan_model *model = NULL;
    struct inputs in;
    enum portolan_status status;

    begin_quantity(rows, kind, q);
    if (kind != QUANTITY_TIME && all_equal(rows->n, rows->y)) {
        q->constant = rows->y[0];
        q->n_inputs = 0;
        return PORTOLAN_OK;
    }
    if (kind == QUANTITY_CONTEXT)
        take_identity(rows, q);
    if (!inputs_init(&in, q, rows))
        return PORTOLAN_ENOMEM;
    status = fit_model(&in.data, kind, &model);
    if (!status && keeps)
        status = plan_rows_keep(p, rows, q);
    q->model = model;
    if (!status && keeps) {
        q->rows->model = model;
        status = compete(q->rows, &in.data, kind);
    } else if (!status && model) {
        status = plan_own_model(p, model);
    } else if (status) {
        portolan_model_destroy(model);
        q->model = NULL;
    }
    free(in.x);
    return status;
}

/* ---- values ---- */

void plan_quantity_inputs(const struct quantity *q, const double *x, double *inputs)
{
    for (size_t k = 0; k < q->n_inputs; k++)
        inputs[k] = x[q->inputs[k]];
}

static void widen(double sigma, struct portolan_prediction *out)
{
    out->low = fmin(out->low, out->value * exp(-fmin(2 * sigma, 20)));
    out->high = fmax(out->high, out->value * exp(fmin(2 * sigma, 20)));
    out->std_error = fmax(isnan(out->std_error) ? 0 : out->std_error, sigma * out->value);
}

/*
 * Widens the error of a law to at least that on rows left out; outside the range it grows with the
 * distance, the faster the fewer places there are.
 */
static void widen_prediction(const struct plan_rows *r, struct portolan_prediction *out)
{
    size_t places = r->local ? portolan_local_peek_summary(r->local)->n_places : 0;
    double per_octave = places < 3 ? 1 : places < 5 ? 0.2 : 0.03;
    double beyond = out->extrapolates ? per_octave * out->octaves : 0;
    double sigma = hypot(r->sigma > 0 ? r->sigma : 0, beyond);

    if (out->value > 0)
        widen(sigma, out);
}

/* Adds what the rows themselves leave open: spread within blocks of time, and first calls, which
 * only bound the time from above. */
static void widen_by_rows(const struct plan_rows *r, struct portolan_prediction *out)
{
    if (out->value > 0)
        widen(r->within, out);
    if (r->is_doubtful) {
        out->low = 0;
        out->std_error = fmax(out->std_error, out->value);
        out->is_assumed = true;
    }
}

static void scale_prediction(double factor, struct portolan_prediction *out)
{
    out->value *= factor;
    out->low *= factor;
    out->high *= factor;
    out->std_error *= factor;
}

static bool predict_quantity(const struct quantity *q, const double *inputs, size_t point,
                             struct portolan_prediction *out)
{
    struct plan_rows *r = q->rows;
    enum portolan_local_source source = PORTOLAN_LOCAL_NEIGHBOURS;

    if (r && r->local)
        portolan_local_predict(r->local, inputs, point, out, &source);
    if (r && r->local && (source != PORTOLAN_LOCAL_NEIGHBOURS || r->by_local)) {
        if (r->n_arrived >= 3) /* enough rows to know the drift */
            scale_prediction(exp(r->drift), out);
        return true;
    }
    if (!q->model)
        return true;
    plan_rows_catch_up(r);
    if (portolan_model_predict(q->model, inputs, out))
        return false;
    if (r)
        widen_prediction(r, out);
    if (q->stated)
        scale_prediction(q->stated->factor, out);
    if (r && r->local && q->kind == QUANTITY_TIME)
        portolan_local_bound(r->local, inputs, out);
    return true;
}

/* The relative standard error; of a constant without rows, or of a file's model, from the interval.
 */
static double error_of(const struct quantity *q, const struct portolan_prediction *x)
{
    if (!(x->value > 0))
        return 0;
    if ((!q->model && !q->rows) || q->stated)
        return (x->high - x->low) / 4 / x->value;
    return isnan(x->std_error) ? 0 : x->std_error / x->value;
}

/* Predicts without knowing an input: the value may be anywhere in the measured range. */
static bool predict_anywhere(const struct quantity *q, struct portolan_prediction *out)
{
    if (q->kind == QUANTITY_CONTEXT || !q->rows)
        return false;
    out->extrapolates = out->is_assumed = true;
    out->octaves = INFINITY;
    out->std_error = q->constant > 0 ? (q->high - q->low) / 4 / q->constant : 0;
    return true;
}

static bool predict_measured(const struct quantity *q, const double *x, size_t point,
                             struct portolan_prediction *out)
{
    double inputs[MAX_INPUTS];

    *out = (struct portolan_prediction){.value = q->constant, .low = q->low, .high = q->high};
    plan_quantity_inputs(q, x, inputs);
    for (size_t k = 0; k < q->n_inputs; k++)
        if (isnan(inputs[k]))
            return predict_anywhere(q, out);
    if (!predict_quantity(q, inputs, point, out) || !isfinite(out->value))
        return false;
    if (out->value < 0 && q->kind != QUANTITY_CONTEXT)
        return false; /* a law may be negative far outside its rows, but no call is */
    if (q->rows)
        widen_by_rows(q->rows, out);
    out->std_error = error_of(q, out);
    for (size_t k = 0; q->kind != QUANTITY_COUNT && q->kind != QUANTITY_CONTEXT && k < q->n_fixed;
         k++) {
        double at = q->fixed_at[k], now = x[q->fixed[k]];

        if (at != now &&
            !isnan(now)) { /* only one value was measured, so the effect is not known */
            out->extrapolates = out->is_assumed = true;
            out->octaves = fmax(out->octaves, at * now > 0 ? fabs(log2(now / at)) : 1);
        }
    }
    return true;
}

/* The place nearest to X in the range that was measured. */
static void find_nearest(const struct quantity *q, const double *x, double *near)
{
    memcpy(near, x, MAX_INPUTS * sizeof *near);
    for (size_t k = 0; k < q->n_fixed; k++)
        near[q->fixed[k]] = q->fixed_at[k];
    plan_rows_catch_up(q->rows);
    for (size_t k = 0; q->model && k < q->n_inputs; k++) {
        const struct portolan_model_range *r = portolan_model_peek_range(q->model, k);

        if (r && r->min <= r->max)
            near[q->inputs[k]] = fmin(fmax(near[q->inputs[k]], r->min), r->max);
    }
}

/* Predicts by the law of a file, scaled to go through the measured place nearest to X. */
static void follow_law(const struct quantity *q, const double *x, size_t point,
                       struct portolan_prediction *out)
{
    struct portolan_prediction measured, stated, law;
    double near[MAX_INPUTS];

    find_nearest(q, x, near);
    if (!predict_measured(q, near, point, &measured) || !(measured.value > 0) ||
        !predict_measured(q->beyond, near, point, &stated) || !(stated.value > 0) ||
        !predict_measured(q->beyond, x, point, &law))
        return;
    scale_prediction(measured.value / stated.value, &law);
    *out = law;
}

bool plan_quantity_value(const struct quantity *q, const double *x, size_t point,
                         struct portolan_prediction *out)
{
    if (!predict_measured(q, x, point, out))
        return false;
    if (q->beyond && out->extrapolates)
        follow_law(q, x, point, out);
    return true;
}

/* ---- rows that arrive ---- */

enum portolan_status plan_rows_fit_again(struct portolan_plan *p, size_t path, struct plan_rows *r)
{
    struct portolan_model *model = NULL;
    struct quantity now;
    struct inputs in;
    enum portolan_status status;

    begin_quantity(r, QUANTITY_TIME, &now);
    now.rows = r;
    if (!inputs_init(&in, &now, r))
        return PORTOLAN_ENOMEM;
    status = fit_model(&in.data, QUANTITY_TIME, &model);
    if (!status) {
        plan_rows_catch_up(r); /* in case there is no new model */
        portolan_update_destroy(r->update);
        r->update = NULL;
        r->is_behind = false;
        r->fit_at = 2 * r->n;
        r->patient_until = r->n_arrived + (size_t)fmax(LEAST_PATIENCE, patience * (double)r->n);
    }
    if (model) { /* otherwise everything stays as it was, including the inputs */
        plan_rows_share(p, path, r, model, &now);
        status = compete(r, &in.data, QUANTITY_TIME);
    }
    free(in.x);
    return status;
}

enum portolan_status plan_rows_begin_update(struct plan_rows *r, const struct quantity *q)
{
    struct inputs in;
    enum portolan_status status;

    if (!inputs_init(&in, q, r))
        return PORTOLAN_ENOMEM;
    status = portolan_update_create(r->model, &in.data, gate, &r->update, NULL);
    free(in.x);
    return status == PORTOLAN_ENOMEM ? status : PORTOLAN_OK;
}
