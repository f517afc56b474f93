/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether searched pieces are kept. They must beat the best model of all points by more than noise
 * explains, and also that model bent smoothly by some more constants: a law that is not in the list
 * looks like pieces to a search that compares pieces only.
 */
#include "pieces_internal.h"

#include <math.h>
#include <string.h>

enum { BENDS = 8 };

struct rivals {
    const struct pieces_fit *f;
    size_t m;
    double *factor; /* m: 1 over the standard deviation of a point, up to a common factor */
    double *whole;  /* m: values of the one model */
    double whole_rss, pieces_rss;
    size_t whole_k, pieces_k; /* constants and exponents */
    size_t breaks;            /* where the law jumps */
};

static void compare_rivals(struct rivals *r, bool continuous)
{
    const struct portolan_model *model = r->f->model;
    const struct points *pts = &r->f->points;

    for (size_t i = 0; i < r->m; i++) {
        const double *x = pts->x + i * pts->n_params;
        double v = portolan_model_value(model, x);

        r->factor[i] = sqrt(pts->w[i]) / points_scale_of(pts, i, v);
        r->whole[i] = portolan_model_value(r->f->single, x);
        r->pieces_rss += pow((pts->y[i] - v) * r->factor[i], 2);
        r->whole_rss += pow((pts->y[i] - r->whole[i]) * r->factor[i], 2);
    }
    r->whole_k = r->f->single->n_estimates;
    for (size_t i = 0; i < model->n_pieces; i++)
        r->pieces_k += model->pieces[i].model->n_estimates;
    r->breaks = continuous ? 0 : model->n_breaks;
}

/* Do the pieces gain more than noise would at any of the possible breaks? */
static bool beat_the_whole(const struct rivals *r)
{
    const struct points *pts = &r->f->points;
    double breaks = (double)r->breaks, dof;
    double free = (double)r->m - (double)r->pieces_k - breaks;
    double extra = fmax((double)r->pieces_k - (double)r->whole_k, 0) + breaks;
    double variance =
        breaks_variance(r->pieces_rss, free, r->f->repeat_variance, pts->repeat_dof, &dof);

    variance += 1e-16 * (double)pts->m;
    return dof > 0 &&
           portolan_fisher_p((r->whole_rss - r->pieces_rss) / extra / variance, extra, dof) *
                   (double)r->m <
               r->f->risk;
}

/* Maps the variable of the break to -1 … 1, logarithmically if all its values are positive. */
static bool place_variable(const struct rivals *r, const struct portolan_model_break *b, double *u)
{
    const struct points *pts = &r->f->points;
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < r->m; i++) {
        u[i] = variable_value(b->param, b->divisor, pts->x + i * pts->n_params);
        low = fmin(low, u[i]);
    }
    for (size_t i = 0; i < r->m; i++) {
        u[i] = low > 0 ? log(u[i] / low) : u[i] - low;
        high = fmax(high, u[i]);
    }
    for (size_t i = 0; i < r->m; i++)
        u[i] = 2 * u[i] / high - 1;
    return high > 0;
}

/* The squares that the one model leaves when it is multiplied by a polynomial of K constants. */
static double bent_rss(const struct rivals *r, const double *u, size_t k, double *rows,
                       size_t *unit)
{
    struct segment_problem p = {
        .n_rows = r->m, .k = k, .rows = rows, .n_units = r->m, .unit = unit};
    double constants[MODEL_TERMS];

    for (size_t i = 0; i < r->m; i++) {
        double *row = rows + i * (k + 1);

        unit[i] = i;
        for (size_t j = 0; j < k; j++)
            row[j] = j == 0 ? 1 : j == 1 ? u[i] : 2 * u[i] * row[j - 1] - row[j - 2];
        for (size_t j = 0; j < k; j++)
            row[j] *= r->whole[i] * r->factor[i];
        row[k] = r->f->points.y[i] * r->factor[i];
    }
    unit[r->m] = r->m;
    return segment_fit(&p, 0, r->m, constants);
}

static double information(const struct rivals *r, double rss, size_t k)
{
    double known = r->f->points.repeat_dof, m = (double)r->m;

    rss += known > 0 ? known * r->f->repeat_variance : 0;
    return (m + known) * log(rss / (m + known) + 1e-16) + pieces_price(m) * (double)k;
}

static enum portolan_status beat_the_bent(const struct rivals *r, struct portolan_arena *memory,
                                          double price, bool *beaten)
{
    const struct portolan_model *m = r->f->model;
    double *rows = portolan_arena_alloc(memory, r->m, (BENDS + 2) * sizeof *rows), *u;
    size_t *unit = portolan_arena_alloc(memory, r->m + 1, sizeof *unit);
    bool good = true;

    if (memory->failed)
        return PORTOLAN_ENOMEM;
    u = rows + (BENDS + 1) * r->m;
    for (size_t b = 0; good && b < m->n_breaks; b++) {
        if (!place_variable(r, &m->breaks[b], u))
            continue;
        for (size_t k = 2; k <= BENDS && k + 2 <= r->m && good; k++)
            good = information(r, bent_rss(r, u, k, rows, unit), r->whole_k + k - 1) > price;
    }
    *beaten = good;
    return PORTOLAN_OK;
}

enum portolan_status pieces_are_worth_it(struct pieces_fit *f, bool continuous, bool *worth)
{
    struct rivals r = {.f = f, .m = f->points.m};
    enum portolan_status status = PORTOLAN_OK;
    double price;

    r.factor = portolan_arena_alloc(&f->memory, r.m, 2 * sizeof *r.factor);
    if (!r.factor)
        return PORTOLAN_ENOMEM;
    r.whole = r.factor + r.m;
    compare_rivals(&r, continuous);
    price = information(&r, r.pieces_rss, r.pieces_k + BREAK * r.breaks);
    /* The breaks of a given form were judged when they were found. */
    *worth = r.pieces_rss < r.whole_rss && price < f->price &&
             ((f->n_shapes && !continuous) || beat_the_whole(&r));
    if (*worth && !f->n_shapes)
        status = beat_the_bent(&r, &f->memory, price, worth);
    f->price = *worth ? price : f->price;
    return status;
}

/*
 * ---- merging: searched pieces are found with one form for all. When each has its own form, some
 * breaks are not needed any more; neighbours that one law describes as well become one piece ----
 */

struct merger {
    struct pieces_fit *f;
    double variance, price; /* of a point of precision 1; of a constant */
};

static const struct portolan_model_condition *
condition_on(const struct part *part, const struct portolan_model_condition *like)
{
    for (size_t i = 0; i < part->n_conditions; i++)
        if (part->conditions[i].param == like->param &&
            part->conditions[i].divisor == like->divisor)
            return &part->conditions[i];
    return NULL;
}

/* Do the conditions of A and B differ only in one, where B begins at A's end? *SEAM becomes both
 * together. */
static bool find_seam(const struct part *a, const struct part *b,
                      struct portolan_model_condition *seam)
{
    bool found = false;

    for (size_t i = 0; i < a->n_conditions; i++) {
        const struct portolan_model_condition *c = &a->conditions[i], *d = condition_on(b, c);

        if (!d)
            return false;
        if (c->low == d->low && c->high == d->high)
            continue;
        if (found || c->high != d->low)
            return false;
        found = true;
        *seam = (struct portolan_model_condition){c->param, c->divisor, c->low, d->high};
    }
    return found && a->n_conditions == b->n_conditions;
}

static bool join_parts(struct portolan_arena *memory, const struct part *a, const struct part *b,
                       const struct portolan_model_condition *seam, struct part *both)
{
    *both = (struct part){.n = a->n + b->n};
    both->point = portolan_arena_alloc(memory, both->n, sizeof *both->point);
    if (!both->point)
        return false;
    memcpy(both->point, a->point, a->n * sizeof *a->point);
    memcpy(both->point + a->n, b->point, b->n * sizeof *b->point);
    for (size_t i = 0; i < a->n_conditions; i++) {
        struct portolan_model_condition c = a->conditions[i];

        if (c.param == seam->param && c.divisor == seam->divisor)
            c = *seam;
        if (c.low > -INFINITY || c.high < INFINITY)
            both->conditions[both->n_conditions++] = c;
    }
    return true;
}

/* The squares that MODEL leaves at PART's points, with the weights of the pieces. */
static double squares(const struct pieces_fit *f, const struct part *part,
                      const struct portolan_model *model)
{
    const struct points *pts = &f->points;
    double sum = 0;

    for (size_t i = 0; i < part->n; i++) {
        size_t at = part->point[i];
        const double *x = pts->x + at * pts->n_params;
        double e = (pts->y[at] - portolan_model_value(model, x)) /
                   points_scale_of(pts, at, portolan_model_value(f->model, x));

        sum += pts->w[at] * e * e;
    }
    return sum;
}

/* The squares that a merger adds, minus the price of the constants that it saves; below 0 it is
 * worth it. */
static double loss_of_merger(const struct merger *g, const struct part *both,
                             const struct portolan_model *model, size_t i, size_t j)
{
    const struct piece *pieces = g->f->model->pieces;
    double saved = (double)(pieces[i].model->n_estimates + pieces[j].model->n_estimates + BREAK) -
                   (double)model->n_estimates;

    return (squares(g->f, both, model) - squares(g->f, both, g->f->model)) / g->variance -
           g->price * saved;
}

static void forget_break(struct portolan_model *m, const struct portolan_model_condition *seam,
                         double at)
{
    for (size_t i = 0; i < m->n_pieces; i++)
        for (size_t c = 0; c < m->pieces[i].n_conditions; c++) {
            const struct portolan_model_condition *k = &m->pieces[i].conditions[c];

            if (k->param == seam->param && k->divisor == seam->divisor &&
                (k->low == at || k->high == at))
                return;
        }
    for (size_t b = 0; b < m->n_breaks; b++)
        if (m->breaks[b].param == seam->param && m->breaks[b].divisor == seam->divisor &&
            m->breaks[b].at == at) {
            memmove(&m->breaks[b], &m->breaks[b + 1], (m->n_breaks - b - 1) * sizeof *m->breaks);
            m->n_breaks--;
            return;
        }
}

/* Replaces piece I by BOTH with its MODEL, and removes J. */
static void put_merged(struct pieces_fit *f, size_t i, size_t j, const struct part *both,
                       struct portolan_model *model, const struct portolan_model_condition *seam)
{
    struct portolan_model *m = f->model;
    double at = condition_on(&f->parts[i], seam)->high;

    portolan_model_destroy(m->pieces[i].model);
    portolan_model_destroy(m->pieces[j].model);
    f->parts[i] = *both;
    m->pieces[i].model = model;
    m->pieces[i].n_conditions = both->n_conditions;
    memcpy(m->pieces[i].conditions, both->conditions, sizeof both->conditions);
    memmove(&f->parts[j], &f->parts[j + 1], (f->n_parts - j - 1) * sizeof *f->parts);
    memmove(&f->part_form[j], &f->part_form[j + 1], (f->n_parts - j - 1) * sizeof *f->part_form);
    memmove(&m->pieces[j], &m->pieces[j + 1], (m->n_pieces - j - 1) * sizeof *m->pieces);
    f->n_parts--;
    m->n_pieces--;
    forget_break(m, seam, at);
}

/* Merges I and J if one law describes both as well. */
static enum portolan_status try_pair(const struct merger *g, size_t i, size_t j, bool *merged)
{
    struct pieces_fit *f = g->f;
    struct portolan_model_condition seam = {0};
    struct portolan_model *model = NULL;
    struct part both;
    enum portolan_status status;

    if (!find_seam(&f->parts[i], &f->parts[j], &seam))
        return PORTOLAN_OK;
    if (!join_parts(&f->memory, &f->parts[i], &f->parts[j], &seam, &both))
        return PORTOLAN_ENOMEM;
    status = pieces_fit_part(f, &both, &f->part_form[i], &model, NULL);
    if (!status && loss_of_merger(g, &both, model, i, j) < 0) {
        put_merged(f, i, j, &both, model, &seam);
        *merged = true;
        return PORTOLAN_OK;
    }
    portolan_model_destroy(model);
    return status == PORTOLAN_ENOMEM ? status : PORTOLAN_OK;
}

static struct merger prepare_merger(struct pieces_fit *f)
{
    double m = (double)f->points.m, k = (double)f->model->n_breaks, rss = 0, dof;
    struct merger g = {.f = f, .price = pieces_price(m)};

    for (size_t i = 0; i < f->n_parts; i++) {
        rss += squares(f, &f->parts[i], f->model);
        k += (double)f->model->pieces[i].model->n_estimates;
    }
    g.variance =
        breaks_variance(rss, m - k, f->repeat_variance, f->points.repeat_dof, &dof) + 1e-16;
    return g;
}

enum portolan_status pieces_merge(struct pieces_fit *f)
{
    struct merger g = prepare_merger(f);
    enum portolan_status status = PORTOLAN_OK;
    bool merged = isfinite(g.variance);

    while (merged && !status) {
        merged = false;
        for (size_t i = 0; i < f->n_parts && !merged && !status; i++)
            for (size_t j = 0; j < f->n_parts && !merged && !status; j++)
                if (i != j)
                    status = try_pair(&g, i, j, &merged);
    }
    return status;
}

double pieces_price(double m)
{
    return fmax(log(m), 0.299 * pow(log(m), 2.1));
}
