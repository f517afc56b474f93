/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Points far off their neighbours. With some luck in where it lies, such a point makes a piece of
 * its own with its neighbours, so it is taken out before pieces are looked for.
 */
#include "pieces_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 2 }; /* neighbours looked at on each side */

/* The middle one of point I and its neighbours. */
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

/* How many points around I, itself included, are off to its side without a pause. */
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
 * Two neighbours may be hit alike, but at the ends they are rather a short piece; and what is off
 * half as far belongs to them, though the limit may lie between the two.
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

    f->spike = portolan_calloc(f->data->n_rows, sizeof *f->spike);
    if (!f->spike)
        return PORTOLAN_ENOMEM;
    if (pts->n_params != 1 || pts->m < 2 * AROUND + 1 || !log_ratios(f, r))
        return PORTOLAN_OK;
    for (size_t i = 0; i < pts->m; i++) {
        off[i] = r[i] - local_median(r, pts->m, i);
        sorted[i] = fabs(off[i]);
    }
    portolan_sort_numbers(pts->m, sorted);
    /* Twice as long and more, and beyond what the others do; at most one in five. */
    cut = fmax(fmax(log(2), 6 * 1.4826 * sorted[pts->m / 2]), sorted[pts->m - 1 - limit]);
    remove_points(f, off, cut);
    return PORTOLAN_OK;
}
