/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many pieces a sequence has, and where they end. The exact best segmentations into 1, 2, …
 * pieces come from segment.c; more pieces are accepted when noise is unlikely to cause their gain
 * at any of the possible breaks (F test, Bonferroni over the positions). Repetitions and residuals
 * give the noise together if they agree; otherwise the residuals alone.
 */
#include "pieces_internal.h"

#include <math.h>
#include <string.h>

/* Relative errors below this are rounding. */
static const double rounding = 1e-8;

struct work {
    const struct sequence *q;
    struct portolan_arena memory;        /* of all arrays */
    struct segment_problem fine, coarse; /* one unit per v; one unit per block of neighbours */
    struct segment_solution solution;    /* of the coarse problem */
    double *rows;                        /* m × (k + 1), weighted */
    double *scale;                       /* m */
    double *sweep;                       /* 2 × m */
    size_t *unit;                        /* m + 1 */
    double *blocks; /* the coarse problem's rows and bases; NULL: coarse is the same as fine */
    size_t *block;  /* first unit of each block, then rows before, then points before it */
    size_t likely;  /* number of pieces that is likely, but perhaps not enough to be accepted */
    size_t near;    /* how far a break moves in one step of refinement */
    size_t pieces;  /* the accepted number */
    size_t begin[MODEL_PIECES + 1]; /* their first units */
    double rss;
    double least; /* a smaller variance is rounding */
};

static enum portolan_status make_blocks(struct work *w)
{
    size_t n = w->q->most_units, k = w->q->k;
    double width = (double)w->fine.n_units / (double)n;

    w->blocks = portolan_arena_alloc(&w->memory, n, (k * (k + 1) + 1) * sizeof *w->blocks);
    w->block = portolan_arena_alloc(&w->memory, n + 1, 3 * sizeof *w->block);
    if (w->memory.failed)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i <= n; i++) {
        w->block[i] = i == n ? w->fine.n_units : (size_t)(width * (double)i);
        w->block[n + 1 + i] = i * k;
        w->block[2 * (n + 1) + i] = w->unit[w->block[i]];
    }
    w->coarse.n_rows = n * k;
    w->coarse.rows = w->blocks;
    w->coarse.base = w->blocks + n * k * (k + 1);
    w->coarse.n_units = n;
    w->coarse.unit = w->block + n + 1;
    w->coarse.count = w->block + 2 * (n + 1);
    w->near = (size_t)ceil(2 * width);
    w->coarse.least_units = (size_t)ceil((double)w->q->least_units / width);
    return PORTOLAN_OK;
}

static void fill_blocks(struct work *w)
{
    size_t n = w->coarse.n_units, k = w->q->k;

    for (size_t i = 0; w->blocks && i < n; i++)
        w->blocks[n * k * (k + 1) + i] =
            segment_compress(&w->fine, w->block[i], w->block[i + 1], w->blocks + i * k * (k + 1));
}

static enum portolan_status prepare_rows(struct work *w)
{
    const struct sequence *q = w->q;
    size_t n = 0;

    w->rows = portolan_arena_alloc(&w->memory, q->m, (q->k + 4) * sizeof *w->rows);
    w->unit = portolan_arena_alloc(&w->memory, q->m + 1, sizeof *w->unit);
    if (w->memory.failed)
        return PORTOLAN_ENOMEM;
    w->scale = w->rows + q->m * (q->k + 1);
    w->sweep = w->scale + q->m;
    memcpy(w->scale, q->scale, q->m * sizeof *w->scale);
    for (size_t i = 0; i < q->m; i++)
        if (!i || q->v[i] != q->v[i - 1])
            w->unit[n++] = i;
    w->unit[n] = q->m;
    w->fine = (struct segment_problem){.n_rows = q->m,
                                       .k = q->k,
                                       .rows = w->rows,
                                       .n_units = n,
                                       .unit = w->unit,
                                       .least_units = q->least_units,
                                       .least_points = q->least_points,
                                       .nonnegative = q->nonnegative};
    w->coarse = w->fine;
    return n > q->most_units ? make_blocks(w) : PORTOLAN_OK;
}

/* Divides rows by their scale, and columns by their length. */
static void weigh_rows(struct work *w)
{
    const struct sequence *q = w->q;
    double length[MODEL_TERMS] = {0}, squares = 0;

    for (size_t i = 0; i < q->m; i++) {
        double factor = sqrt(q->w[i]) / w->scale[i], *row = w->rows + i * (q->k + 1);

        for (size_t j = 0; j < q->k; j++) {
            row[j] = q->a[i * q->k + j] * factor;
            length[j] += row[j] * row[j];
        }
        row[q->k] = q->y[i] * factor;
        squares += row[q->k] * row[q->k];
    }
    for (size_t i = 0; i < q->m; i++)
        for (size_t j = 0; j < q->k; j++)
            if (length[j] > 0)
                w->rows[i * (q->k + 1) + j] /= sqrt(length[j] / (double)q->m);
    w->least = rounding * rounding * squares / (double)q->m;
    fill_blocks(w);
}

/* ---- how many ---- */

double breaks_variance(double rss, double free, double repeat_variance, double repeat_dof,
                       double *dof)
{
    double fit = free > 0 ? rss / free : INFINITY;

    *dof = free;
    /* If residuals are much larger than repetitions explain, the form is wrong: use them alone. */
    if (!(repeat_dof > 0) ||
        (free > 0 && portolan_fisher_p(fit / repeat_variance, free, repeat_dof) < 0.001))
        return fit;
    *dof = fmax(free, 0) + repeat_dof;
    return ((free > 0 ? rss : 0) + repeat_dof * repeat_variance) / *dof;
}

/* The variance of a row if there are N pieces that leave RSS. */
static double row_variance(const struct work *w, size_t n, double rss, double *dof)
{
    const struct sequence *q = w->q;
    double free = (double)q->m - (double)(n * q->k);

    return fmax(breaks_variance(rss, free, q->repeat_variance, q->repeat_dof, dof), w->least);
}

/*
 * The probability that noise alone makes MORE pieces, which leave RSS, gain GAIN over LESS pieces
 * at any of the possible breaks.
 */
static double chance_of_noise(const struct work *w, size_t less, size_t more, double rss,
                              double gain)
{
    double places = 1, dof, s2 = row_variance(w, more, rss, &dof);
    size_t added = more - less, room = w->fine.n_units - more * w->q->least_units + added;
    double extra = (double)(added * w->q->k);

    if (dof <= 0)
        return 1;
    /* The number of ways to place the added breaks so that all pieces are long enough. */
    for (size_t i = 0; i < added; i++)
        places *= (double)(room - i) / (double)(i + 1);
    /* Each further piece that is added may take half the risk, so that the sum stays bounded. */
    return fmin(1, portolan_fisher_p(gain / extra / s2, extra, dof) * places * exp2((double)added));
}

/* Sets how many pieces are accepted, and how many are likely. */
static void count_pieces(struct work *w)
{
    const double *rss = w->solution.rss;
    double least = 1;

    w->pieces = w->likely = 1;
    for (size_t more = 2; more <= w->solution.n; more++) {
        double p =
            chance_of_noise(w, w->pieces, more, rss[more - 1], rss[w->pieces - 1] - rss[more - 1]);

        if (p < least) {
            least = p;
            w->likely = more;
        }
        if (p < w->q->risk) {
            w->pieces = more;
            least = 1;
        }
    }
}

/* ---- where ---- */

/*
 * The best unit to split FIRST … LAST - 1 at, no farther than NEAR from BEST. *RSS gets the squares
 * of both parts; W->sweep keeps those of every split.
 */
static size_t best_begin(struct work *w, size_t first, size_t best, size_t last, size_t near,
                         double *rss)
{
    const struct segment_problem *p = &w->fine;
    struct segment_window window = {first, last, first + p->least_units, last - p->least_units};
    double *left = w->sweep, *right = w->sweep + (last - first);

    if (best > near && best - near > window.from)
        window.from = best - near;
    if (best + near < window.to)
        window.to = best + near;
    segment_sweep(p, &window, true, left);
    segment_sweep(p, &window, false, right);
    *rss = left[best - first - 1] + right[best - first];
    for (size_t u = window.from; u <= window.to; u++)
        if (left[u - first - 1] + right[u - first] < *rss) {
            *rss = left[u - first - 1] + right[u - first];
            best = u;
        }
    return best;
}

static double piece_rss(const struct work *w, size_t first, size_t last)
{
    double constants[MODEL_TERMS];

    return segment_fit(&w->fine, first, last, constants);
}

/* Moves breaks until no move gains. */
static void move_breaks(struct work *w)
{
    bool moved = true;
    double rss;

    for (int round = 0; round < 4 && moved; round++) {
        moved = false;
        for (size_t s = 0; s + 1 < w->pieces; s++) {
            size_t best =
                best_begin(w, w->begin[s], w->begin[s + 1], w->begin[s + 2], w->near, &rss);

            moved = moved || best != w->begin[s + 1];
            w->begin[s + 1] = best;
        }
    }
    w->rss = 0;
    for (size_t s = 0; s < w->pieces; s++)
        w->rss += piece_rss(w, w->begin[s], w->begin[s + 1]);
}

/* TWO: the gain of two breaks, AT[1] and AT[2], over the best single one, *SINGLE; otherwise the
 * gain of the break AT[1] over none. */
static double double_gain(struct work *w, const size_t *at, bool two, size_t *single)
{
    double rss = piece_rss(w, at[0], at[1]) + piece_rss(w, at[1], at[2]), best;

    if (!two)
        return piece_rss(w, at[0], at[2]) - rss;
    *single = best_begin(w, at[0], at[1], at[3], at[2] - at[1] + w->near, &best);
    return best - rss - piece_rss(w, at[2], at[3]);
}

/* Removes the break that gains least, if noise explains its gain. */
static bool drop_break(struct work *w)
{
    size_t weakest = 0, moved = 0, single = 0;
    double least = INFINITY;

    for (size_t s = 0; s + 1 < w->pieces; s++) {
        double gain = double_gain(w, w->begin + s, s + 2 < w->pieces, &single);

        if (gain < least) {
            least = gain;
            weakest = s + 1;
            moved = single;
        }
    }
    if (!weakest || chance_of_noise(w, w->pieces - 1, w->pieces, w->rss, least) < w->q->risk)
        return false;
    if (weakest + 1 < w->pieces)
        w->begin[weakest + 1] = moved;
    memmove(w->begin + weakest, w->begin + weakest + 1, (w->pieces - weakest) * sizeof *w->begin);
    w->pieces--;
    return true;
}

/*
 * Turns the coarse problem's pieces into the fine one's. As long as blocks stay whole, a true break
 * inside a block looks like two breaks around it.
 */
static void refine_breaks(struct work *w)
{
    const size_t *begin = w->solution.begin[w->pieces - 1];

    for (size_t s = 0; s <= w->pieces; s++)
        w->begin[s] = w->blocks ? w->block[begin[s]] : begin[s];
    w->rss = w->solution.rss[w->pieces - 1];
    if (!w->blocks)
        return;
    do
        move_breaks(w);
    while (drop_break(w));
}

/* ---- weights from the fit ---- */

/*
 * Takes the weights from the likely pieces, not from the accepted ones: a single law over a bump is
 * wrong around it, and so are weights from that law.
 */
static void rescale_rows(struct work *w)
{
    const struct sequence *q = w->q;
    bool more = w->likely > w->pieces;
    size_t pieces = more ? w->likely : w->pieces;
    double c[MODEL_TERMS];

    for (size_t s = 0; s < pieces; s++) {
        const size_t *at = more ? w->solution.begin[pieces - 1] : w->begin;
        size_t first = more && w->blocks ? w->block[at[s]] : at[s];
        size_t last = more && w->blocks ? w->block[at[s + 1]] : at[s + 1];

        segment_fit(&w->fine, first, last, c);
        for (size_t i = w->unit[first]; i < w->unit[last]; i++) {
            double v = 0, y = fabs(q->y[i]);

            for (size_t j = 0; j < q->k; j++)
                v += c[j] * w->rows[i * (q->k + 1) + j];
            v = fabs(v) * w->scale[i] / sqrt(q->w[i]);
            w->scale[i] = fmax(y > 0 ? fmin(fmax(v, y / 2), 2 * y) : v, q->floor);
        }
    }
}

static bool same_places(const struct work *w, size_t pieces, const size_t *begin)
{
    return pieces == w->pieces && !memcmp(begin, w->begin, pieces * sizeof *begin);
}

/* Solves for few segments first: more take longer, and few sequences need them. */
static enum portolan_status solve_coarse(struct work *w)
{
    enum portolan_status status;

    w->coarse.max = w->q->max_pieces < 6 ? w->q->max_pieces : 6;
    for (;; w->coarse.max = w->q->max_pieces) {
        if ((status = segment_solve(&w->coarse, &w->solution)) || !w->solution.n)
            return status;
        count_pieces(w);
        if (w->pieces + 1 < w->coarse.max || w->coarse.max == w->q->max_pieces)
            return PORTOLAN_OK;
    }
}

/* Segments, takes the weights from the segments and segments again, until no break moves. */
static enum portolan_status settle_breaks(struct work *w)
{
    enum portolan_status status = PORTOLAN_OK;

    for (int round = 0; round < 4 && !status; round++) {
        size_t before[MODEL_PIECES + 1] = {0}, pieces = w->pieces;

        memcpy(before, w->begin, sizeof before);
        weigh_rows(w);
        if ((status = solve_coarse(w)) || !w->solution.n)
            break;
        refine_breaks(w);
        if (!w->q->relative || (round > 0 && same_places(w, pieces, before)))
            break;
        rescale_rows(w);
    }
    return status;
}

/*
 * The likelihood ratio of a break's position is below -2 ln(1 - sqrt(confidence)) with that
 * confidence (Hansen 2000, "Sample splitting and threshold estimation", Econometrica 68).
 */
static void find_set(struct work *w, size_t s, double confidence, struct breaks *out)
{
    size_t first = w->begin[s], last = w->begin[s + 2], low, high;
    const double *left = w->sweep, *right = w->sweep + (last - first);
    double limit;

    low = high = best_begin(w, first, w->begin[s + 1], last, last, &limit);
    limit -= 2 * log1p(-sqrt(confidence)) * out->variance;
    for (size_t u = first + w->q->least_units; u + w->q->least_units <= last; u++)
        if (left[u - first - 1] + right[u - first] <= limit) {
            low = u < low ? u : low;
            high = u > high ? u : high;
        }
    out->low[s] = w->q->v[w->unit[low] - 1];
    out->high[s] = w->q->v[w->unit[high]];
}

enum portolan_status breaks_find(const struct sequence *q, double confidence, struct breaks *out)
{
    struct work w = {.q = q};
    enum portolan_status status = prepare_rows(&w);

    *out = (struct breaks){.n = 1, .begin = {0, q->m}};
    status = status ? status : settle_breaks(&w);
    if (!status && w.solution.n) {
        out->n = w.pieces;
        out->rss = w.rss;
        out->single_rss = w.solution.rss[0];
        out->variance = row_variance(&w, w.pieces, w.rss, &out->dof);
        for (size_t s = 0; s <= w.pieces; s++)
            out->begin[s] = w.unit[w.begin[s]];
        for (size_t s = 0; s + 1 < w.pieces; s++)
            find_set(&w, s, confidence, out);
    }
    portolan_arena_clear(&w.memory);
    return status;
}
