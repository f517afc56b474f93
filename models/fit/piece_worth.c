/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether searched pieces are kept. They must beat the best model of all points by more than noise
 * explains, and also that model bent smoothly by some more constants: a law that is not in the list
 * looks like pieces to a search that compares pieces only.
 */
#include "pieces_internal.h"

#include <math.h>

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

double pieces_price(double m)
{
    return fmax(log(m), 0.299 * pow(log(m), 2.1));
}
