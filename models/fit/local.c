/* SPDX-License-Identifier: BSD-3-Clause */
/* Prediction from measured places and their neighbours; errors of these and of laws on rows that
 * were left out. */
#include "models_internal.h"

#include <portolan/local.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONFLICTS = 256, FEW_PLACES = 8, RISES = 3 };

/* The least degrees of freedom of repetitions: with one, the interval would have no meaning. */
static const double least_dof = 3;
/* With a smaller sum of weights there is one repetition and something beside it. */
static const double least_repeated = 1.5;
/* The relative standard deviation that is assumed if no place has repetitions. */
static const double assumed_repeat = 0.1;
/* Between neighbours no cost grows faster than this power of the parameters. */
static const double steepest = 5;
/* A conflict is an unexplained log ratio of two places that is larger than this. */
static const double least_conflict = 0.4;

/* The error of a trend (a logarithm) for each factor of two outside the measured range. */
static const double per_octave = 0.1;
/* Scaled parameters are cut at this many standard deviations from the middle. */
static const double farthest = 8;

struct place {
    double z[MODEL_PARAMS]; /* scaled; of the parameters that vary */
    double level;           /* logarithm of the mean value */
    double mean, squares;
    double n;          /* repetitions, the sum of their weights */
    size_t group, row; /* its first row */
};

struct portolan_local {
    struct portolan_arena memory; /* of all arrays */
    size_t n_params, n_used, used[MODEL_PARAMS];
    bool logs[MODEL_PARAMS];
    double middle[MODEL_PARAMS], scale[MODEL_PARAMS];
    double low[MODEL_PARAMS], high[MODEL_PARAMS];
    size_t n;
    struct place *places;
    double *x;                 /* of the places, as given */
    double t_repeated, t_near; /* Student's, at 95 % */
    double assumed;            /* of repetitions, if the rows show none */
    double most, least;        /* a value of 0 counts as half the least positive one */
    struct kriging *between;   /* through one place in STRIDE, … */
    size_t n_asked, stride;
    double *z, *level; /* … of which there are N_ASKED */
    bool rises;        /* the value is never less where no parameter is less */
    size_t *group;
    struct portolan_local_summary summary;
};

/* ---- places ---- */

static double scaled_value(const struct portolan_local *l, size_t k, double x)
{
    double v = l->logs[l->used[k]] ? (x > 0 ? log(x) : -DBL_MAX) : x;

    return (v - l->middle[k]) / l->scale[k];
}

static void scale_place(const struct portolan_local *l, const double *x, double *z)
{
    for (size_t k = 0; k < l->n_used; k++)
        z[k] = fmax(-farthest, fmin(farthest, scaled_value(l, k, x[l->used[k]])));
}

/* Finds which parameters vary, and how to bring them to one scale. */
static void find_scales(struct portolan_local *l, const struct portolan_local_data *d)
{
    for (size_t p = 0; p < d->n_params; p++) {
        double sum = 0, squares = 0;

        l->low[p] = INFINITY;
        l->high[p] = -INFINITY;
        for (size_t i = 0; i < d->n_rows; i++) {
            l->low[p] = fmin(l->low[p], d->x[i * d->n_params + p]);
            l->high[p] = fmax(l->high[p], d->x[i * d->n_params + p]);
        }
        l->logs[p] = l->low[p] > 0;
        if (!(l->high[p] > l->low[p]))
            continue;
        for (size_t i = 0; i < d->n_rows; i++) {
            double x = d->x[i * d->n_params + p], v = l->logs[p] ? log(x) : x;

            sum += v;
            squares += v * v;
        }
        sum /= (double)d->n_rows;
        l->middle[l->n_used] = sum;
        l->scale[l->n_used] = sqrt(fmax(squares / (double)d->n_rows - sum * sum, 1e-30));
        l->used[l->n_used++] = p;
    }
}

static bool same_x(const struct portolan_local *l, const double *a, const double *b)
{
    for (size_t k = 0; k < l->n_params; k++)
        if (!(fabs(a[k] - b[k]) <= 1e-9 * fmax(fabs(a[k]), fabs(b[k]))))
            return false;
    return true;
}

static void add_row(struct portolan_local *l, const struct portolan_local_data *d, size_t i)
{
    const double *x = d->x ? &d->x[i * d->n_params] : NULL;
    double weight = d->weight ? d->weight[i] : 1;
    struct place *p;
    size_t at = 0;

    if (!(weight > 0))
        return;
    while (at < l->n && !(l->places[at].group == d->group[i] &&
                          (!d->n_params || same_x(l, &l->x[at * d->n_params], x))))
        at++;
    p = &l->places[at];
    if (at == l->n) {
        *p = (struct place){.group = d->group[i], .row = i};
        if (d->n_params)
            memcpy(&l->x[at * d->n_params], x, d->n_params * sizeof *x);
        l->n++;
    }
    p->n += weight;
    p->mean += weight * (d->y[i] - p->mean) / p->n;
    p->squares += weight * d->y[i] * d->y[i];
}

static void finish_places(struct portolan_local *l)
{
    double sum = 0, dof = 0;

    for (size_t i = 0; i < l->n; i++) {
        struct place *p = &l->places[i];
        double spread = fmax(0, p->squares - p->n * p->mean * p->mean);

        if (spread < 1e-12 * p->squares) /* rounding */
            spread = 0;
        p->level = log(fmax(p->mean, l->least));
        scale_place(l, &l->x[i * l->n_params], p->z);
        if (p->n >= least_repeated && p->mean > 0) {
            sum += spread / (p->mean * p->mean);
            dof += p->n - 1;
        }
    }
    l->summary.n_places = l->n;
    l->summary.repeat = dof > 0 ? sqrt(sum / dof) : NAN;
    l->summary.repeat_dof = dof;
}

/* ---- between the places ---- */

static enum portolan_status krige_places(struct portolan_local *l)
{
    l->stride = (l->n + KRIGING_MOST - 1) / KRIGING_MOST;
    l->n_asked = (l->n + l->stride - 1) / l->stride;
    l->level = portolan_arena_alloc(&l->memory, l->n_asked, sizeof *l->level);
    l->z = portolan_arena_alloc(&l->memory, l->n_asked, (l->n_used + 1) * sizeof *l->z);
    l->group = portolan_arena_alloc(&l->memory, l->n_asked, sizeof *l->group);
    for (size_t i = 0; !l->memory.failed && i < l->n_asked; i++) {
        const struct place *p = &l->places[i * l->stride];

        memcpy(&l->z[i * l->n_used], p->z, l->n_used * sizeof *p->z);
        l->group[i] = p->group;
        l->level[i] = p->level;
    }
    if (!l->memory.failed)
        l->between = kriging_create(&l->memory, l->n_used, l->n_asked, l->z, l->level, l->group);
    return l->between ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

/* Is no parameter of A larger than that of B? */
static bool is_below(const struct portolan_local *l, const double *a, const double *b)
{
    for (size_t k = 0; k < l->n_used; k++)
        if (a[k] > b[k])
            return false;
    return true;
}

/* The relative standard deviation of repetitions, known or assumed. */
static double noise_of(const struct portolan_local *l)
{
    return isnan(l->summary.repeat) ? l->assumed : l->summary.repeat;
}

/* How much a rising value may fall because of noise. */
static double slack_of(const struct portolan_local *l)
{
    return 2 * noise_of(l);
}

static void find_rise(struct portolan_local *l)
{
    size_t n = 0;

    l->rises = true;
    for (size_t i = 0; i < l->n_asked && l->rises; i++)
        for (size_t k = 0; k < l->n_asked && l->rises; k++) {
            const double *a = &l->z[i * l->n_used], *b = &l->z[k * l->n_used];

            if (is_below(l, a, b) && !is_below(l, b, a)) {
                n++;
                l->rises = l->level[i] <= l->level[k] + slack_of(l);
            }
        }
    l->rises = l->rises && n >= RISES;
}

/* Adds an ERROR; until all are added, sigma is a mean square. */
static void add_error(struct portolan_left_out *o, double error)
{
    o->n++;
    o->mean += (fabs(error) - o->mean) / (double)o->n;
    o->sigma += (error * error - o->sigma) / (double)o->n;
}

static void sum_up_errors(struct portolan_local *l)
{
    struct portolan_left_out *o = &l->summary.left_out;
    double error, expected;

    for (size_t i = 0; i < l->n_asked && kriging_left_out(l->between, i, &error, &expected); i++)
        add_error(o, error);
    o->sigma = sqrt(o->sigma);
}

/* The sum of |log ratio| of the parameters of two places; infinite if a ratio is not positive. */
static double octaves_between(const struct portolan_local *l, size_t a, size_t b)
{
    double sum = 0;

    for (size_t k = 0; k < l->n_used; k++) {
        double u = l->x[a * l->n_params + l->used[k]], v = l->x[b * l->n_params + l->used[k]];

        if (u != v)
            sum += u > 0 && v > 0 ? fabs(log(u / v)) : INFINITY;
    }
    return sum;
}

/* Counts places with a neighbour of another group whose value differs by more than any smooth cost
 * explains, and notes the worst pair. */
static void find_conflicts(struct portolan_local *l)
{
    double noise = noise_of(l), worst = 0;
    size_t stride = l->n / MOST_CONFLICTS + 1;

    for (size_t i = 0; i < l->n; i += stride) {
        double most = 0;
        size_t other = 0;

        for (size_t k = 0; k < l->n; k++) {
            double gap = fabs(l->places[i].level - l->places[k].level) -
                         steepest * octaves_between(l, i, k) - 6 * noise;

            if (k != i && l->places[k].group != l->places[i].group && gap > most) {
                most = gap;
                other = k;
            }
        }
        if (!(most > least_conflict))
            continue;
        l->summary.n_conflicts++;
        if (most > worst) {
            bool above = l->places[i].level > l->places[other].level;

            worst = most;
            l->summary.conflict = (struct portolan_local_conflict){
                .row = l->places[above ? i : other].row,
                .other = l->places[above ? other : i].row,
                .ratio = exp(fabs(l->places[i].level - l->places[other].level))};
        }
    }
}

/* ---- life ---- */

static bool is_good(const struct portolan_local_data *d)
{
    if (!d->n_rows || d->n_params > MODEL_PARAMS)
        return false;
    for (size_t i = 0; i < d->n_rows * d->n_params; i++)
        if (!isfinite(d->x[i]))
            return false;
    for (size_t i = 0; i < d->n_rows; i++)
        if (!(d->y[i] >= 0) || !isfinite(d->y[i]) ||
            (d->weight && (!(d->weight[i] >= 0) || !isfinite(d->weight[i]))))
            return false;
    return true;
}

static enum portolan_status take_rows(struct portolan_local *l, const struct portolan_local_data *d)
{
    double most = 0, least = INFINITY;

    l->n_params = d->n_params;
    l->places = portolan_arena_alloc(&l->memory, d->n_rows, sizeof *l->places);
    l->x = portolan_arena_alloc(&l->memory, d->n_rows * d->n_params + 1, sizeof *l->x);
    if (l->memory.failed)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < d->n_rows; i++) {
        most = fmax(most, d->y[i]);
        least = d->y[i] > 0 ? fmin(least, d->y[i]) : least;
    }
    l->most = most;
    l->least = most > 0 ? least / 2 : DBL_MIN;
    find_scales(l, d);
    for (size_t i = 0; i < d->n_rows; i++)
        add_row(l, d, i);
    finish_places(l);
    return PORTOLAN_OK;
}

enum portolan_status portolan_local_create(const struct portolan_local_data *d,
                                           struct portolan_local **local,
                                           struct portolan_error *err)
{
    struct portolan_local *l;

    if (!is_good(d))
        return portolan_error_set(err, PORTOLAN_EINVAL, "no rows to predict from");
    l = portolan_calloc(1, sizeof *l);
    if (l)
        l->assumed = assumed_repeat;
    if (!l || take_rows(l, d) || krige_places(l)) {
        portolan_local_destroy(l);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "predicting from measurements");
    }
    sum_up_errors(l);
    find_rise(l);
    find_conflicts(l);
    l->t_repeated = portolan_student_quantile(
        0.95, isnan(l->summary.repeat) ? INFINITY : fmax(l->summary.repeat_dof, least_dof));
    l->t_near = portolan_student_quantile(0.95, fmax(2, (double)l->summary.left_out.n - 1));
    *local = l;
    return PORTOLAN_OK;
}
void portolan_local_destroy(struct portolan_local *l)
{
    if (!l)
        return;
    portolan_arena_clear(&l->memory);
    free(l);
}

void portolan_local_assume(struct portolan_local *l, double repeat)
{
    l->summary.repeat = NAN;
    l->assumed = repeat;
    l->t_repeated = portolan_student_quantile(0.95, INFINITY);
}

const struct portolan_local_summary *portolan_local_peek_summary(const struct portolan_local *l)
{
    return &l->summary;
}

/* ---- predictions ---- */

static void note_outside(const struct portolan_local *l, const double *x,
                         struct portolan_prediction *out)
{
    for (size_t p = 0; p < l->n_params; p++) {
        const struct portolan_model_range r = {.min = l->low[p], .max = l->high[p]};

        range_note_outside(&r, p, x[p], out);
    }
}

/* Predicts the next repetition at a measured place: the mean there, and the spread of all. */
static void predict_repeated(const struct portolan_local *l, const struct place *p,
                             struct portolan_prediction *out)
{
    double sigma = noise_of(l);
    double half = l->t_repeated * p->mean * sigma * sqrt(1 + 1 / p->n);

    *out = (struct portolan_prediction){.value = p->mean,
                                        .low = fmax(0, p->mean - half),
                                        .high = p->mean + half,
                                        .std_error = p->mean * sigma / sqrt(p->n),
                                        .is_assumed = isnan(l->summary.repeat)};
}

/* Predicts from places at X of other groups: their mean, and the spread among them. False if there
 * are none. */
static bool predict_same(const struct portolan_local *l, const double *x,
                         struct portolan_prediction *out)
{
    double sum = 0, squares = 0, n = 0, sigma, spread, mean;

    for (size_t i = 0; i < l->n; i++)
        if (same_x(l, &l->x[i * l->n_params], x)) {
            sum += l->places[i].level;
            squares += l->places[i].level * l->places[i].level;
            n++;
        }
    if (n == 0)
        return false;
    mean = sum / n;
    sigma = n > 1 ? sqrt(fmax(0, squares - n * mean * mean) / (n - 1)) : 0;
    sigma = fmax(sigma, noise_of(l));
    spread = sigma * portolan_student_quantile(0.95, fmax(2, n - 1)) * sqrt(1 + 1 / n);
    *out = (struct portolan_prediction){.value = exp(mean),
                                        .low = exp(mean - spread),
                                        .high = exp(mean + spread),
                                        .std_error = exp(mean) * sigma / sqrt(n)};
    return true;
}

void portolan_local_bound(const struct portolan_local *l, const double *x,
                          struct portolan_prediction *p)
{
    double z[MODEL_PARAMS], slack = exp(slack_of(l));

    if (!l->rises || !p->extrapolates)
        return;
    scale_place(l, x, z);
    for (size_t i = 0; i < l->n_asked; i++)
        if (is_below(l, &l->z[i * l->n_used], z))
            p->low = fmax(p->low, exp(l->level[i]) / slack);
    p->value = fmax(p->low, p->value);
    p->high = fmax(p->value, p->high);
}

/* The error is the mean square of kriging's, which is a guess itself, and of the usual one. */
static void predict_near(const struct portolan_local *l, const double *x,
                         struct portolan_prediction *out)
{
    const struct portolan_left_out *o = &l->summary.left_out;
    double z[MODEL_PARAMS], level, spread, sigma;

    note_outside(l, x, out);
    scale_place(l, x, z);
    kriging_ask(l->between, z, &level, &sigma);
    if (o->n && l->n_asked < FEW_PLACES) /* too few to tell how the error grows */
        sigma = o->sigma;
    sigma = hypot(hypot(sigma, o->sigma) / M_SQRT2, per_octave * out->octaves);
    spread = fmin(20, sigma * l->t_near);
    out->value = exp(level);
    out->low = exp(level - spread);
    out->high = exp(level + spread);
    portolan_local_bound(l, x, out);
    out->std_error = exp(level) * sigma;
    out->is_assumed = !o->n;
}

double portolan_local_error(const struct portolan_local *l, size_t group)
{
    double sum = 0, n = 0, error, expected;

    for (size_t i = 0; i < l->n_asked; i++)
        if (l->group[i] == group && kriging_left_out(l->between, i, &error, &expected)) {
            sum += error / expected;
            n++;
        }
    return n > 0 ? sum / n : NAN;
}

void portolan_local_predict(const struct portolan_local *l, const double *x, size_t group,
                            struct portolan_prediction *out, enum portolan_local_source *source)
{
    enum portolan_local_source ignored;

    source = source ? source : &ignored;
    *out = (struct portolan_prediction){0};
    *source = PORTOLAN_LOCAL_MEASURED;
    for (size_t i = 0; group != SIZE_MAX && i < l->n; i++)
        if (l->places[i].group == group && same_x(l, &l->x[i * l->n_params], x)) {
            predict_repeated(l, &l->places[i], out);
            return;
        }
    *source = PORTOLAN_LOCAL_SAME;
    if (l->most == 0) /* all measured values are 0 */
        return;
    if (predict_same(l, x, out))
        return;
    *source = PORTOLAN_LOCAL_NEIGHBOURS;
    predict_near(l, x, out);
}

/* ---- the error of a searched law on rows that were left out ---- */

static const double worst_error = 3;
enum { LEAST_GROUPS = 4 };

struct folds {
    const struct portolan_model_data *data;
    const struct portolan_model_shape *shapes;
    size_t n_shapes;
    const struct portolan_model_options *options;
    size_t *fold; /* of each row */
    double *x, *y;
};

/* Numbers the groups in their order, and deals them out to the folds. */
static size_t deal_groups(const size_t *group, size_t n_rows, size_t folds, size_t *fold)
{
    size_t groups = 0;

    for (size_t i = 0; i < n_rows; i++) {
        size_t k = 0;

        while (k < i && group[k] != group[i])
            k++;
        fold[i] = k < i ? fold[k] : groups++;
    }
    for (size_t i = 0; i < n_rows && folds; i++)
        fold[i] %= folds < groups ? folds : groups;
    return groups;
}

static enum portolan_status judge_fold(struct folds *f, size_t fold, struct portolan_left_out *out)
{
    const struct portolan_model_data *d = f->data;
    struct portolan_model_data some = *d;
    struct portolan_model *model = NULL;
    enum portolan_status status;

    some.n_rows = 0;
    some.weight = NULL;
    for (size_t i = 0; i < d->n_rows; i++)
        if (f->fold[i] != fold) {
            if (d->n_params)
                memcpy(&f->x[some.n_rows * d->n_params], &d->x[i * d->n_params],
                       d->n_params * sizeof *f->x);
            f->y[some.n_rows++] = d->y[i];
        }
    some.x = f->x;
    some.y = f->y;
    status =
        f->options && f->options->max_pieces == 1 && !f->n_shapes
            ? portolan_model_fit(&some, f->options, &model, NULL)
            : portolan_model_fit_pieces(&some, f->shapes, f->n_shapes, f->options, &model, NULL);
    if (status == PORTOLAN_ENOMEM)
        return status;
    for (size_t i = 0; i < d->n_rows; i++) {
        double value;

        if (f->fold[i] != fold || !(d->y[i] > 0))
            continue;
        value = model ? portolan_model_value(model, &d->x[i * d->n_params]) : NAN;
        add_error(out, value > 0 ? fmin(fabs(log(value / d->y[i])), worst_error) : worst_error);
    }
    portolan_model_destroy(model);
    return PORTOLAN_OK;
}

enum portolan_status
portolan_model_left_out(const struct portolan_model_data *data, const size_t *group,
                        const struct portolan_model_shape *shapes, size_t n_shapes,
                        const struct portolan_model_options *options, size_t folds,
                        struct portolan_left_out *out, struct portolan_error *err)
{
    struct folds f = {.data = data, .shapes = shapes, .n_shapes = n_shapes, .options = options};
    struct portolan_arena memory = {0};
    enum portolan_status status = PORTOLAN_OK;
    size_t groups;

    *out = (struct portolan_left_out){0};
    f.fold = portolan_arena_alloc(&memory, data->n_rows, sizeof *f.fold);
    f.x = portolan_arena_alloc(&memory, data->n_rows, data->n_params * sizeof *f.x);
    f.y = portolan_arena_alloc(&memory, data->n_rows, sizeof *f.y);
    if (memory.failed)
        status = PORTOLAN_ENOMEM;
    groups = status ? 0 : deal_groups(group, data->n_rows, folds, f.fold);
    for (size_t k = 0; groups >= LEAST_GROUPS && !status && k < folds && k < groups; k++)
        status = judge_fold(&f, k, out);
    out->sigma = sqrt(out->sigma);
    portolan_arena_clear(&memory);
    return status ? portolan_error_set(err, status, "judging a model") : PORTOLAN_OK;
}
