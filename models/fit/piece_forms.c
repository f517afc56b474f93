/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preparation of the search for pieces: removes points that stand alone, and finds the forms that
 * pieces may have.
 */
#include "pieces_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * ---- Points far off their neighbours. If it happens to lie well, such a point forms a piece with
 * its neighbours. ----
 */

enum { AROUND = 2 }; /* neighbours looked at on each side */

/* The median of point I and its neighbours. */
static double local_median(const double *r, size_t n, size_t i)
{
    double near[2 * AROUND + 1];
    size_t first = i < AROUND ? 0 : i - AROUND, count = 0;

    if (first + 2 * AROUND + 1 > n)
        first = n - 2 * AROUND - 1;
    for (; count < 2 * AROUND + 1; count++)
        near[count] = r[first + count];
    portolan_sort_numbers(count, near);
    return near[AROUND];
}

/* Logarithms of value over fit; false where there are none. */
static bool log_ratios(const struct pieces_fit *f, double *r)
{
    const struct points *pts = &f->points;

    for (size_t i = 0; i < pts->m; i++) {
        double v = portolan_model_value(f->single, pts->x + i);

        if (!(v > 0) || !(pts->y[i] > 0) || !isfinite(v))
            return false;
        r[i] = log(pts->y[i] / v);
    }
    return true;
}

static void mark_rows(struct pieces_fit *f, double x)
{
    for (size_t i = 0; i < f->data->n_rows; i++)
        f->spike[i] = f->spike[i] || f->data->x[i] == x;
}

/* The number of adjacent points around I, itself included, that are off to the same side; INSIDE:
 * there are points before and after them. */
static size_t run_length(const double *off, size_t n, size_t i, double cut, bool *inside)
{
    double side = off[i] > 0 ? 1 : -1;
    size_t first = i, last = i;

    while (first > 0 && side * off[first - 1] > cut)
        first--;
    while (last + 1 < n && side * off[last + 1] > cut)
        last++;
    *inside = first > 0 && last + 1 < n;
    return last - first + 1;
}

/*
 * Two neighbours may both be spikes, but at the ends they are more likely a short piece. Neighbours
 * that are off half as far count as off, too.
 */
static bool is_spike(const double *off, size_t n, size_t i, double cut)
{
    bool inside;

    return fabs(off[i]) > cut && run_length(off, n, i, cut / 2, &inside) <= (inside ? 2 : 1);
}

static void remove_points(struct pieces_fit *f, const double *off, double cut)
{
    struct points *pts = &f->points;
    size_t kept = 0, n = pts->m;

    for (size_t i = 0; i < n; i++) {
        if (is_spike(off, n, i, cut)) {
            mark_rows(f, pts->x[i]);
            f->n_spikes++;
            continue;
        }
        pts->x[kept] = pts->x[i];
        pts->y[kept] = pts->y[i];
        pts->w[kept++] = pts->w[i];
    }
    pts->m = kept;
}

enum portolan_status pieces_drop_spikes(struct pieces_fit *f)
{
    const struct points *pts = &f->points;
    double *r = f->space.v, *off = f->space.y, *sorted = f->space.w, cut;
    size_t limit = pts->m / 5;

    f->spike = portolan_arena_alloc(&f->memory, f->data->n_rows, sizeof *f->spike);
    if (!f->spike)
        return PORTOLAN_ENOMEM;
    if (pts->n_params != 1 || pts->m < 2 * AROUND + 1 || !log_ratios(f, r))
        return PORTOLAN_OK;
    for (size_t i = 0; i < pts->m; i++) {
        off[i] = r[i] - local_median(r, pts->m, i);
        sorted[i] = fabs(off[i]);
    }
    portolan_sort_numbers(pts->m, sorted);
    /* Off by a factor of two or more, and by six standard deviations; at most one in five. */
    cut = fmax(fmax(log(2), 6 * 1.4826 * sorted[pts->m / 2]), sorted[pts->m - 1 - limit]);
    remove_points(f, off, cut);
    return PORTOLAN_OK;
}

/*
 * ---- Which forms the pieces may have when the caller names none: those that the search finds in
 * all points and in parts of them, since a form that holds only in a part does not show in all.
 * ----
 */

enum { SAMPLE = 48, FORM_TERMS = 4 };

static bool same_form(const struct pieces_form *a, const struct pieces_form *b, size_t n_params)
{
    bool same = a->k == b->k;

    for (size_t i = 0; i < a->k && same; i++) {
        bool found = false;

        for (size_t j = 0; j < b->k; j++)
            found = found || shape_equal(&a->shape[i], &b->shape[j], n_params);
        same = found;
    }
    return same;
}

static void add_form(struct pieces_fit *f, const struct pieces_form *form)
{
    bool known = !form->k || form->k > FORM_TERMS || f->n_forms == PIECES_FORMS;

    for (size_t i = 0; i < f->n_forms && !known; i++)
        known = same_form(form, &f->forms[i], f->points.n_params);
    if (!known)
        f->forms[f->n_forms++] = *form;
}

/* Adds FORM, and FORM with a constant, since starting anything has a cost. */
static void add_with_constant(struct pieces_fit *f, const struct pieces_form *form)
{
    struct pieces_form with = *form;

    add_form(f, form);
    for (size_t i = 0; i < form->k; i++)
        if (shape_is_constant(&form->shape[i], f->points.n_params))
            return;
    if (!form->k || form->k == MODEL_TERMS)
        return;
    memset(&with.shape[with.k], 0, sizeof with.shape[0]);
    with.k++;
    add_form(f, &with);
}

static struct pieces_form form_of(const struct portolan_model *m)
{
    struct pieces_form form = {.k = m->n_terms};

    for (size_t j = 0; j < m->n_terms; j++)
        form.shape[j] = m->terms[j].shape;
    return form;
}

/* The terms of A and B, each once. */
static struct pieces_form join(const struct pieces_form *a, const struct pieces_form *b,
                               size_t n_params)
{
    struct pieces_form both = *a;

    for (size_t j = 0; j < b->k && both.k < MODEL_TERMS; j++) {
        bool known = false;

        for (size_t i = 0; i < both.k; i++)
            known = known || shape_equal(&both.shape[i], &b->shape[j], n_params);
        if (!known)
            both.shape[both.k++] = b->shape[j];
    }
    return both;
}

/*
 * Searches the form of the points FIRST … LAST - 1 in F->order, or of a sample of them if they are
 * many; no terms if there are too few.
 */
static enum portolan_status find_form(struct pieces_fit *f, size_t first, size_t last,
                                      struct pieces_form *form)
{
    const struct points *pts = &f->points;
    size_t n = last - first, kept = n < SAMPLE ? n : SAMPLE;
    double *x = f->space.a, *y = f->space.y, *w = f->space.w;
    struct portolan_model_data data = {pts->n_params, f->data->params, kept, x, y, w};
    struct portolan_model *model = NULL;
    enum portolan_status status;

    form->k = 0;
    if (n < 3)
        return PORTOLAN_OK;
    for (size_t i = 0; i < kept; i++) {
        size_t point = f->order[first + i * n / kept].point;

        memcpy(x + i * pts->n_params, pts->x + point * pts->n_params, pts->n_params * sizeof *x);
        y[i] = pts->y[point];
        w[i] = pts->w[point];
    }
    status = model_fit(&data, NULL, 0, f->options, &model, NULL);
    if (!status)
        *form = form_of(model);
    portolan_model_destroy(model);
    return status == PORTOLAN_ENOMEM ? status : PORTOLAN_OK;
}

/* Adds the forms of halves and thirds along a variable, and of two of these joined. */
static enum portolan_status find_forms(struct pieces_fit *f, size_t param, size_t divisor,
                                       const struct part *all)
{
    static const struct {
        size_t first, last;
    } sixths[] = {{0, 3}, {3, 6}, {0, 2}, {2, 4}, {4, 6}};
    struct pieces_form found[5];
    size_t m = f->points.m;
    enum portolan_status status = PORTOLAN_OK;

    if (!pieces_order(f, all, param, divisor))
        return PORTOLAN_OK;
    for (size_t i = 0; i < 5 && !status; i++) {
        status = find_form(f, m * sixths[i].first / 6, m * sixths[i].last / 6, &found[i]);
        if (!status)
            add_with_constant(f, &found[i]);
    }
    for (size_t i = 1; i < 5 && !status; i++) {
        struct pieces_form both =
            join(&found[i == 1 ? 0 : i], &found[i == 1 ? 1 : 2], f->points.n_params);

        add_form(f, &both);
    }
    return status;
}

enum portolan_status pieces_find_forms(struct pieces_fit *f, const struct part *all)
{
    struct pieces_form whole = form_of(f->single);
    size_t n = f->points.n_params;
    enum portolan_status status = PORTOLAN_OK;

    add_with_constant(f, &whole);
    for (size_t p = 0; p < n && !status; p++)
        status = find_forms(f, p, SIZE_MAX, all);
    for (size_t p = 0; p < n; p++)
        for (size_t q = p + 1; q < n && !status; q++)
            status = find_forms(f, p, q, all);
    return status;
}

bool pieces_order(struct pieces_fit *f, const struct part *part, size_t param, size_t divisor)
{
    const struct points *pts = &f->points;
    struct ordered *order = f->order;
    size_t n = pts->n_params;

    for (size_t i = 0; i < part->n; i++) {
        const double *x = pts->x + part->point[i] * n;

        if (divisor != SIZE_MAX && !(x[param] > 0 && x[divisor] > 0))
            return false;
        order[i] = (struct ordered){variable_value(param, divisor, x), part->point[i]};
    }
    qsort(order, part->n, sizeof *order, compare_ordered);
    return true;
}
