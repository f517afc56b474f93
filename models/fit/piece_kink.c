/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A law whose slope changes but whose value does not jump, such as a cost per element that grows
 * where a cache ends: c0 + c1 min(t, T) + c2 max(t - T, 0), where t is a shape of the one parameter
 * and T its value at the kink. No constant is negative, so no slope is.
 */
#include "pieces_internal.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 3, SHAPES = 4, PLACES = 48, FINER = 8, LEAST_POINTS = 6, SIDE_POINTS = 2 };

/* The shapes to try if none is given. */
static const struct portolan_model_shape usual[SHAPES] = {
    {.exponents = {1}}, {.exponents = {1}, .logs = {1}}, {.exponents = {2}}, {.exponents = {3}}};

struct kink {
    size_t shape, below; /* the last point below the kink */
    bool constant;
    double at, c[COLUMNS]; /* c0, c1, c2 */
    double rss;
};

struct kink_fit {
    struct pieces_fit *f;
    size_t m;
    size_t n_shapes;
    const struct portolan_model_shape *shapes;
    double *factor, *rhs, *t[SHAPES], *columns; /* m each; COLUMNS × m */
    struct kink best;
};

static double shape_at(const struct kink_fit *kf, size_t shape, double x)
{
    return shape_value(&kf->shapes[shape], 1, &x);
}

/* The factor of constant J, where the shape has the value T here and TOP at the kink. */
static double basis_value(size_t j, double t, double top)
{
    return j == 0 ? 1 : j == 1 ? fmin(t, top) : fmax(t - top, 0);
}

/* Fills in the columns of the kink, with the constant's if it has one; returns their number. */
static size_t load_columns(const struct kink_fit *kf, const struct kink *k)
{
    double top = shape_at(kf, k->shape, k->at), *column = kf->columns;

    for (size_t j = !k->constant; j < COLUMNS; j++)
        for (size_t i = 0; i < kf->m; i++)
            *column++ = kf->factor[i] * basis_value(j, kf->t[k->shape][i], top);
    return COLUMNS - !k->constant;
}

static void try_kink(struct kink_fit *kf, struct kink k)
{
    double *rest = kf->columns + COLUMNS * kf->m, *c = k.c + !k.constant;
    size_t n = load_columns(kf, &k);

    memcpy(rest, kf->rhs, kf->m * sizeof *rest);
    if (!linear_quick(kf->m, n, kf->columns, rest, c, NULL, NULL))
        return;
    for (size_t j = 0; j < n; j++)
        if (!(c[j] > 0))
            return;
    k.rss = linear_dot(kf->m, rest, rest);
    /* A constant must pay for itself. */
    if (k.rss * (k.constant ? 1 + 2 / (double)kf->m : 1) <
        kf->best.rss * (kf->best.constant && !k.constant ? 1 + 2 / (double)kf->m : 1))
        kf->best = k;
}

/* The last point below AT that leaves enough points on either side. */
static size_t point_below(const struct kink_fit *kf, double at)
{
    size_t i = SIDE_POINTS - 1;

    while (i + 1 + SIDE_POINTS < kf->m && kf->f->points.x[i + 1] <= at)
        i++;
    return i;
}

/* Tries kinks in equal factors from LOW to HIGH, with and without a constant, for the shapes BEGIN
 * … END - 1. */
static void try_places(struct kink_fit *kf, size_t begin, size_t end, double low, double high,
                       int steps)
{
    for (int step = 0; step <= steps; step++) {
        struct kink k = {.at = low * pow(high / low, (double)step / steps)};

        k.below = point_below(kf, k.at);
        for (k.shape = begin; k.shape < end; k.shape++)
            for (int constant = 0; constant < 2; constant++) {
                k.constant = constant;
                try_kink(kf, k);
            }
    }
}

static void try_all(struct kink_fit *kf, size_t begin, size_t end)
{
    double low = kf->f->points.x[SIDE_POINTS - 1], high = kf->f->points.x[kf->m - SIDE_POINTS];
    double ratio = pow(high / low, 1. / PLACES);

    kf->best.rss = INFINITY;
    try_places(kf, begin, end, low, high, PLACES);
    for (; ratio > 1.001 && kf->best.rss < INFINITY; ratio = pow(ratio, 2. / FINER))
        try_places(kf, kf->best.shape, kf->best.shape + 1, fmax(kf->best.at / ratio, low),
                   fmin(kf->best.at * ratio, high), FINER);
}

/* Takes the weights from the values or, if FITTED, from the best fit so far. */
static void weigh_points(struct kink_fit *kf, bool fitted)
{
    const struct points *pts = &kf->f->points;
    const struct kink *k = &kf->best;
    double top = fitted ? shape_at(kf, k->shape, k->at) : 0;

    for (size_t i = 0; i < kf->m; i++) {
        double v = fitted ? 0 : pts->y[i];

        for (size_t j = 0; fitted && j < COLUMNS; j++)
            v += k->c[j] * basis_value(j, kf->t[k->shape][i], top);
        kf->factor[i] = sqrt(pts->w[i]) / points_scale_of(pts, i, v);
        kf->rhs[i] = kf->factor[i] * pts->y[i];
    }
}

/* ---- the model ---- */

/* Makes the model of side S: 0 below, 1 above; its errors follow from those of the constants. */
static enum portolan_status make_side(struct kink_fit *kf, size_t s, size_t n,
                                      const double *covariance, struct portolan_error *err)
{
    const struct kink *k = &kf->best;
    double top = shape_at(kf, k->shape, k->at), sign = (double)s, made[2 * COLUMNS];
    const double all[2][COLUMNS] = {{1, sign * top, -sign * top}, {0, 1 - sign, sign}};
    struct pieces_form form = {.k = 2, .shape = {[1] = kf->shapes[k->shape]}};
    struct part part = {
        .n_conditions = 1,
        .conditions = {
            {.divisor = SIZE_MAX, .low = s ? k->at : -INFINITY, .high = s ? INFINITY : k->at}}};
    enum portolan_status status = pieces_add(kf->f, &part, &form, err);
    size_t without = !s && !k->constant;
    struct portolan_model *m = kf->f->model->pieces[s].model;

    if (status)
        return status;
    for (size_t t = 0; t < form.k; t++)
        memcpy(made + t * n, all[t] + COLUMNS - n, n * sizeof *made);
    m->summary.family = kf->f->n_shapes         ? PORTOLAN_MODEL_GIVEN
                        : form.shape[1].logs[0] ? PORTOLAN_MODEL_LOGARITHMIC
                                                : PORTOLAN_MODEL_POLYNOMIAL;
    status = pieces_write(m, form.k - without, form.shape + without, n, made + without * n,
                          k->c + COLUMNS - n, covariance, err);
    m->summary.nonnegative = m->terms[0].constant >= 0;
    return status;
}

/* Sets the range of the kink: all positions whose additional squares noise explains. */
static void write_break(struct kink_fit *kf, double variance)
{
    const double *x = kf->f->points.x;
    struct portolan_model *m = kf->f->model;
    struct kink best = kf->best;
    double first = x[SIDE_POINTS - 1], last = x[kf->m - SIDE_POINTS];
    struct portolan_model_break *b = &m->breaks[0];

    *b = (struct portolan_model_break){.divisor = SIZE_MAX,
                                       .below = x[best.below],
                                       .above = x[best.below + 1],
                                       .at = best.at,
                                       .low = x[best.below],
                                       .high = x[best.below + 1]};
    for (int step = 1; step < PLACES; step++) {
        struct kink at = best;

        at.at = first * pow(last / first, (double)step / PLACES);
        at.below = point_below(kf, at.at);
        kf->best.rss = INFINITY;
        try_kink(kf, at);
        if (kf->best.rss <= best.rss + 3.84 * variance) {
            b->low = fmin(b->low, x[at.below]);
            b->high = fmax(b->high, x[at.below + 1]);
        }
    }
    kf->best = best;
    m->n_breaks = 1;
}

static enum portolan_status make_model(struct kink_fit *kf, struct portolan_error *err)
{
    const struct points *pts = &kf->f->points;
    double inverse[COLUMNS * COLUMNS], repeat = kf->f->repeat_variance, dof, variance;
    struct linear_fit fit = {.inverse = inverse, .leverage = kf->columns + COLUMNS * kf->m};
    size_t n = load_columns(kf, &kf->best);
    enum portolan_status status = linear_full(kf->m, n, kf->columns, kf->rhs, &fit, err);

    /* A break must lie above the point below it, if only by the last digit. */
    kf->best.at = fmax(kf->best.at, nextafter(pts->x[kf->best.below], INFINITY));
    variance =
        breaks_variance(kf->best.rss, (double)kf->m - (double)n - 1, repeat, pts->repeat_dof, &dof);
    for (size_t i = 0; i < n * n; i++)
        inverse[i] *= variance;
    for (size_t s = 0; s < 2 && !status; s++)
        status = make_side(kf, s, n, inverse, err);
    for (size_t s = 0; s < 2 && !status; s++) {
        struct portolan_model *side = kf->f->model->pieces[s].model;

        pieces_judge(kf->f, s, fit.leverage);
        side->summary.dof = dof;
        side->summary.sigma_is_assumed = false;
        side->summary.sigma = sqrt(repeat > 0 ? pts->repeat_sigma * pts->repeat_sigma +
                                                    fmax(variance - repeat, 0) / pts->mean_gain
                                              : variance);
        status = model_finish(side, err);
    }
    if (!status)
        write_break(kf, variance);
    return status;
}

/* Keeps the kink only if it is better than F->model, which may have no pieces. */
static enum portolan_status try_rival(struct kink_fit *kf, struct portolan_error *err)
{
    struct pieces_fit *f = kf->f;
    struct portolan_model *before = f->model, *kinked = NULL;
    bool worth = false;
    enum portolan_status status = model_create(f->data->n_params, f->data->params, &kinked, err);

    status = status ? status : model_make_pieces(kinked, err);
    if (!status) {
        f->model = kinked;
        status = make_model(kf, err);
        status = status ? status : pieces_are_worth_it(f, true, &worth);
    }
    if (!status && worth) {
        pieces_summarize(kinked, f->n_spikes);
        status = model_finish(kinked, err);
        kinked = before;
    } else {
        f->model = before;
    }
    portolan_model_destroy(kinked);
    return status;
}

/* A given law may have a kink if it is a constant and one other shape. */
static bool choose_shapes(struct kink_fit *kf)
{
    const struct pieces_fit *f = kf->f;
    bool first = f->n_shapes == 2 && shape_is_constant(&f->shapes[0], 1);

    kf->n_shapes = f->n_shapes ? 1 : SHAPES;
    kf->shapes = f->n_shapes ? &f->shapes[first] : usual;
    return !f->n_shapes || (f->n_shapes == 2 && (first || shape_is_constant(&f->shapes[1], 1)));
}

enum portolan_status pieces_try_kink(struct pieces_fit *f, struct portolan_error *err)
{
    struct kink_fit kf = {.f = f, .m = f->points.m};
    enum portolan_status status = PORTOLAN_OK;
    double *room;

    if (f->data->n_params != 1 || !choose_shapes(&kf) || kf.m < LEAST_POINTS ||
        !(f->points.x[0] >= 1))
        return PORTOLAN_OK;
    if (!(room = portolan_arena_alloc(&f->memory, kf.m, (2 + SHAPES + COLUMNS + 1) * sizeof *room)))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a kink");
    kf.factor = room;
    kf.rhs = room + kf.m;
    for (size_t s = 0; s < kf.n_shapes; s++) {
        kf.t[s] = room + (2 + s) * kf.m;
        for (size_t i = 0; i < kf.m; i++)
            kf.t[s][i] = shape_at(&kf, s, f->points.x[i]);
    }
    kf.columns = room + (2 + SHAPES) * kf.m;
    weigh_points(&kf, false);
    try_all(&kf, 0, kf.n_shapes);
    if (kf.best.rss < INFINITY) {
        weigh_points(&kf, true);
        try_all(&kf, kf.best.shape, kf.best.shape + 1);
    }
    if (kf.best.rss < INFINITY)
        status = try_rival(&kf, err);
    return status;
}
