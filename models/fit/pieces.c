/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fit of models that hold in intervals: finds the parameter or ratio of two that splits the
 * points best, then splits the parts again on another.
 */
#include "pieces_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The risk of a false break, over the whole search. Few rows of a known form without repetitions
 * show breaks so badly that the risk is larger there; noise then makes breaks in 2 % of such
 * series.
 */
static const double risk = 0.01, risk_of_few = 0.05;
enum { FEW = 20 };

/* With more different values of a variable, neighbours are grouped at first. */
enum { COARSE = 64, MIDDLE = 128, FINE = 1024 };

/* ---- points of a part in the order of a variable ---- */

static double middle_of(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/*
 * Sets the divisor of residuals before there is a fit. With one parameter it comes from the median
 * of three neighbours, which noise moves less than a single value.
 */
static void first_scale(const struct pieces_fit *f, const struct pieces_space *space, size_t n)
{
    const struct points *pts = &f->points;

    for (size_t i = 0; i < n; i++) {
        double y = space->y[i];

        if (pts->n_params == 1 && i > 0 && i + 1 < n)
            y = middle_of(fabs(space->y[i - 1]), fabs(y), fabs(space->y[i + 1]));
        space->scale[i] = points_scale(pts, y);
    }
}

/* ---- one variable, one form ---- */

static void load_part(const struct pieces_fit *f, const struct part *part,
                      const struct pieces_space *s)
{
    const struct points *pts = &f->points;

    for (size_t i = 0; i < part->n; i++) {
        s->v[i] = f->order[i].v;
        s->y[i] = pts->y[f->order[i].point];
        s->w[i] = pts->w[f->order[i].point];
    }
    first_scale(f, s, part->n);
}

static bool load_terms(const struct pieces_fit *f, const struct part *part,
                       const struct pieces_form *form, double *a)
{
    const struct points *pts = &f->points;

    for (size_t i = 0; i < part->n; i++)
        for (size_t j = 0; j < form->k; j++) {
            double value = shape_value(&form->shape[j], pts->n_params,
                                       pts->x + f->order[i].point * pts->n_params);

            if (!isfinite(value))
                return false;
            a[i * form->k + j] = value;
        }
    return true;
}

/* The score of a segmentation: -2 log likelihood plus the price of its constants; less is better.
 */
static double score_split(const struct pieces_fit *f, const struct part *part, size_t k,
                          const struct breaks *b)
{
    const struct points *pts = &f->points;
    double m = (double)part->n, dof = pts->repeat_dof, repeats = 0;

    if (dof > 0)
        repeats = dof * f->repeat_variance;
    return (m + dof) * log((b->rss + repeats + 1e-300) / (m + dof)) +
           pieces_price(m) * (double)(b->n * k + BREAK * (b->n - 1));
}

/* Fewer units for three or more terms whose constants must not be negative: they take longest. */
static size_t most_units(const struct pieces_fit *f, const struct pieces_form *form)
{
    bool slow = form->k > 2 && !f->options->allow_negative;

    return slow && f->most_units > MIDDLE ? MIDDLE : f->most_units;
}

/* Keeps the form that is best for all points in one piece. */
static void note_whole(struct pieces_fit *f, const struct pieces_form *form, double rss)
{
    double m = (double)f->points.m, now = m * log(rss + 1e-300) + log(m) * (double)form->k;

    if (f->whole.k && now >= f->whole_score)
        return;
    f->whole = *form;
    f->whole_score = now;
}

/*
 * The least points of a piece. Any law meets as many points as it has constants, so a searched one
 * needs one more. For a given one, repetitions tell whether the other pieces miss the points.
 */
static size_t least_points(const struct pieces_fit *f, const struct pieces_form *form)
{
    return f->n_shapes && form->k > 1 && f->repeat_variance > 0 ? form->k : form->k + 1;
}

static enum portolan_status try_form(struct pieces_fit *f, const struct part *part,
                                     const struct pieces_form *form, struct split *best,
                                     struct split *now)
{
    const struct points *pts = &f->points;
    struct sequence q = {.m = part->n,
                         .k = form->k,
                         .v = f->space.v,
                         .a = f->space.a,
                         .y = f->space.y,
                         .w = f->space.w,
                         .scale = f->space.scale,
                         .nonnegative = !f->options->allow_negative,
                         .relative = pts->relative,
                         .floor = pts->floor,
                         .repeat_variance = f->repeat_variance,
                         .repeat_dof = pts->repeat_dof,
                         .least_units = pts->n_params == 1 ? least_points(f, form) : 2,
                         .least_points = least_points(f, form),
                         .max_pieces = f->left + 1,
                         .most_units = most_units(f, form),
                         .risk = f->risk};
    enum portolan_status status;

    if (!load_terms(f, part, form, f->space.a))
        return PORTOLAN_OK;
    if ((status = breaks_find(&q, f->confidence, &now->breaks)))
        return status;
    now->score = score_split(f, part, form->k, &now->breaks);
    if (part->n == pts->m)
        note_whole(f, form, now->breaks.single_rss);
    if (now->breaks.n > 1 && (best->breaks.n < 2 || now->score < best->score)) {
        *best = *now;
        best->form = *form;
        for (size_t i = 0; i < part->n; i++) {
            best->order[i] = f->order[i].point;
            best->v[i] = f->order[i].v;
        }
    }
    return PORTOLAN_OK;
}

/* Does PARAM take several values in PART? */
static bool part_varies(const struct pieces_fit *f, const struct part *part, size_t param)
{
    const struct points *pts = &f->points;

    for (size_t i = 1; i < part->n; i++)
        if (pts->x[part->point[i] * pts->n_params + param] !=
            pts->x[part->point[0] * pts->n_params + param])
            return true;
    return false;
}

static enum portolan_status try_variable(struct pieces_fit *f, const struct part *part,
                                         size_t param, size_t divisor, struct split *best)
{
    struct split now = {.param = param, .divisor = divisor, .order = best->order, .v = best->v};
    enum portolan_status status = PORTOLAN_OK;

    /* A ratio with a parameter that does not vary is the other parameter. */
    if (!part_varies(f, part, param) || (divisor != SIZE_MAX && !part_varies(f, part, divisor)) ||
        !pieces_order(f, part, param, divisor))
        return PORTOLAN_OK;
    load_part(f, part, &f->space);
    f->most_units = f->n_forms > 1 ? COARSE : FINE;
    for (size_t i = 0; i < f->n_forms && !status; i++)
        status = try_form(f, part, &f->forms[i], best, &now);
    return status;
}

/* Splits again with the best form in small groups of points: forms were compared in large ones. */
static enum portolan_status split_again(struct pieces_fit *f, const struct part *part,
                                        struct split *best)
{
    struct split now = *best;

    pieces_order(f, part, best->param, best->divisor);
    load_part(f, part, &f->space);
    f->most_units = MIDDLE;
    best->breaks.n = 1;
    return try_form(f, part, &now.form, best, &now);
}

/*
 * The best split of a part, by any variable; breaks.n < 2: none. All forms compete only for the
 * whole: among so many, some would split any part.
 */
static enum portolan_status find_split(struct pieces_fit *f, const struct part *part,
                                       const struct pieces_form *form, struct split *best)
{
    size_t n = f->points.n_params;
    bool bold = f->n_shapes && part->n < FEW && !(f->points.repeat_dof > 0);
    enum portolan_status status = PORTOLAN_OK;

    if (form->k) {
        f->forms[0] = *form;
        f->n_forms = 1;
    }
    f->risk = (bold ? risk_of_few : risk) / (double)(n + n * (n - 1) / 2);
    for (size_t p = 0; p < n && !status; p++)
        status = try_variable(f, part, p, SIZE_MAX, best);
    for (size_t p = 0; p < n; p++)
        for (size_t q = p + 1; q < n && !status; q++)
            status = try_variable(f, part, p, q, best);
    if (status || best->breaks.n < 2 || f->n_forms == 1 || part->n <= COARSE)
        return status;
    return split_again(f, part, best);
}

/* ---- parts of parts ---- */

static bool narrow_part(struct part *part, size_t param, size_t divisor, double low, double high)
{
    struct portolan_model_condition *c = part->conditions;

    for (size_t i = 0; i < part->n_conditions; i++, c++)
        if (c->param == param && c->divisor == divisor) {
            c->low = fmax(c->low, low);
            c->high = fmin(c->high, high);
            return true;
        }
    if (part->n_conditions == MODEL_PIECES)
        return false;
    *c = (struct portolan_model_condition){param, divisor, low, high};
    part->n_conditions++;
    return true;
}

/* Where prediction changes over: the geometric mean of the rows on both sides, or else their mean.
 */
static double change_over(double below, double above)
{
    double at = below > 0 ? sqrt(below) * sqrt(above) : below / 2 + above / 2;

    return at > below && at < above ? at : above;
}

static void keep_breaks(struct pieces_fit *f, const struct split *split, double *at)
{
    const struct breaks *b = &split->breaks;

    at[0] = -INFINITY;
    at[b->n] = INFINITY;
    for (size_t s = 1; s < b->n; s++) {
        double below = split->v[b->begin[s] - 1], above = split->v[b->begin[s]];

        at[s] = change_over(below, above);
        f->model->breaks[f->model->n_breaks++] =
            (struct portolan_model_break){.param = split->param,
                                          .divisor = split->divisor,
                                          .below = below,
                                          .above = above,
                                          .at = at[s],
                                          .low = b->low[s - 1],
                                          .high = b->high[s - 1]};
    }
}

static enum portolan_status split_part(struct pieces_fit *f, const struct part *part,
                                       const struct pieces_form *form);

static enum portolan_status split_on(struct pieces_fit *f, const struct part *part,
                                     const struct split *split)
{
    const struct breaks *b = &split->breaks;
    double at[MODEL_PIECES + 1];
    enum portolan_status status = PORTOLAN_OK;

    f->left -= b->n - 1;
    keep_breaks(f, split, at);
    for (size_t s = 0; s < b->n && !status; s++) {
        struct part inner = *part;

        inner.n = b->begin[s + 1] - b->begin[s];
        inner.point = portolan_arena_alloc(&f->memory, inner.n, sizeof *inner.point);
        if (!inner.point || !narrow_part(&inner, split->param, split->divisor, at[s], at[s + 1]))
            return PORTOLAN_ENOMEM;
        memcpy(inner.point, split->order + b->begin[s], inner.n * sizeof *inner.point);
        status = split_part(f, &inner, &split->form);
    }
    return status;
}

/* Splits PART as far as possible; parts that stay whole become F's parts. */
static enum portolan_status split_part(struct pieces_fit *f, const struct part *part,
                                       const struct pieces_form *form)
{
    struct split best = {.breaks.n = 1};
    bool once = f->points.n_params == 1 && part->n_conditions; /* the first split was exact */
    enum portolan_status status = PORTOLAN_OK;

    best.order = portolan_arena_alloc(&f->memory, part->n, sizeof *best.order);
    best.v = portolan_arena_alloc(&f->memory, part->n, sizeof *best.v);
    if (f->memory.failed)
        return PORTOLAN_ENOMEM;
    if (f->left && !once)
        status = find_split(f, part, form, &best);
    if (status)
        return status;
    if (best.breaks.n > 1)
        return split_on(f, part, &best);
    f->part_form[f->n_parts] = *form;
    f->parts[f->n_parts++] = *part;
    return PORTOLAN_OK;
}

/* ---- the whole ---- */

static enum portolan_status make_space(struct pieces_fit *f)
{
    size_t m = f->points.m;
    double *all = portolan_arena_alloc(&f->memory, m, (4 + MODEL_TERMS) * sizeof *all);

    f->space = (struct pieces_space){all, all + m, all + 2 * m, all + 3 * m, all + 4 * m};
    f->order = portolan_arena_alloc(&f->memory, m, sizeof *f->order);
    return f->memory.failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
}

static enum portolan_status find_forms(struct pieces_fit *f, const struct part *all)
{
    if (!f->n_shapes)
        return pieces_find_forms(f, all);
    f->n_forms = 1;
    f->forms[0].k = f->n_shapes;
    memcpy(f->forms[0].shape, f->shapes, f->n_shapes * sizeof *f->shapes);
    return PORTOLAN_OK;
}

static enum portolan_status split_all(struct pieces_fit *f)
{
    struct part all = {.n = f->points.m};
    struct pieces_form none = {0};
    enum portolan_status status;

    all.point = portolan_arena_alloc(&f->memory, all.n, sizeof *all.point);
    if (!all.point)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < all.n; i++)
        all.point[i] = i;
    status = find_forms(f, &all);
    return status ? status : split_part(f, &all, &none);
}

static enum portolan_status assemble(struct pieces_fit *f, struct portolan_error *err)
{
    struct portolan_model *m = f->model;
    enum portolan_status status = PORTOLAN_OK;
    bool worth = false;

    for (size_t i = 0; i < f->n_parts && !status; i++)
        status = pieces_add(f, &f->parts[i], &f->part_form[i], err);
    if (status)
        return status;
    if (pieces_fit_whole_again(f) || pieces_are_worth_it(f, false, &worth))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory to compare pieces");
    if (!worth) {
        while (m->n_pieces)
            portolan_model_destroy(m->pieces[--m->n_pieces].model);
        return PORTOLAN_OK;
    }
    if ((status = pieces_share_constants(f, err)))
        return status;
    pieces_summarize(m, f->n_spikes);
    return model_finish(m, err);
}

static enum portolan_status fit_parts(struct pieces_fit *f, struct portolan_error *err)
{
    enum portolan_status status = points_create(f->data, f->options, &f->memory, &f->points, err);

    status = status ? status : model_create(f->data->n_params, f->data->params, &f->model, err);
    status = status ? status : model_make_pieces(f->model, err);
    if (status)
        return status;
    if (f->points.repeat_dof > 0)
        f->repeat_variance =
            f->points.repeat_sigma * f->points.repeat_sigma * f->points.place_share;
    status = make_space(f);
    status = status ? status : pieces_drop_spikes(f);
    status = status ? status : split_all(f);
    if (status)
        return portolan_error_set(err, status, "no memory for the pieces of %zu points",
                                  f->points.m);
    status = f->n_parts > 1 ? assemble(f, err) : PORTOLAN_OK;
    return status ? status : pieces_try_kink(f, err);
}

static void fit_destroy(struct pieces_fit *f)
{
    portolan_arena_clear(&f->memory);
    portolan_model_destroy(f->single);
    portolan_model_destroy(f->model);
    free(f);
}

enum portolan_status portolan_model_fit_pieces(const struct portolan_model_data *data,
                                               const struct portolan_model_shape *shapes,
                                               size_t n_shapes,
                                               const struct portolan_model_options *options,
                                               struct portolan_model **model,
                                               struct portolan_error *err)
{
    struct pieces_fit *f = portolan_calloc(1, sizeof *f);
    struct portolan_model_options resolved;
    size_t most;
    enum portolan_status status;

    if (!f)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a fit");
    resolved = model_options(data, options);
    options = &resolved;
    *f = (struct pieces_fit){
        .data = data, .options = options, .shapes = shapes, .n_shapes = n_shapes};
    most = options->max_pieces && options->max_pieces < MODEL_PIECES ? options->max_pieces
                                                                     : MODEL_PIECES;
    f->left = most - 1;
    f->price = INFINITY;
    f->confidence = options->confidence > 0 ? options->confidence : 0.95;
    status = n_shapes ? portolan_model_fit_terms(data, shapes, n_shapes, options, &f->single, err)
                      : model_fit(data, NULL, 0, options, &f->single, err);
    if (!status && f->left && data->n_params)
        status = fit_parts(f, err);
    if (!status && !n_shapes && !(f->model && f->model->n_pieces))
        status = model_try_signs(data, options, &f->single, err);
    if (!status) {
        struct portolan_model **made = f->model && f->model->n_pieces ? &f->model : &f->single;

        *model = *made;
        *made = NULL;
    }
    fit_destroy(f);
    return status;
}
