/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Laws that hold to the last digit, with constants of either sign: counts, sizes, values without
 * noise. Such a law is not weighed against others, it is looked for: the values lie in the space
 * that a few shapes span, which chance does not bring about as soon as two values are left over.
 * With several parameters, the values along the lines of one show its shapes, whatever the others
 * contribute; then products of these shapes are tried. In noise, lines span everything, and the
 * search ends before it began.
 */
#include "hunt.h"

#include <math.h>

enum { MOST_POINTS = 512, SPARE = 2 };

/* Relative to values: what is exact. */
static const double exact = 1e-9;

/* ---- all values ---- */

struct exact {
    struct search *s;
    double *weight; /* 1 / |y|, or nearly so for values that are 0 */
    bool eager;
    struct candidate law;
};

/* Fits the constants of E's law; is it exact at every point? Returns its least needed term. */
static bool fit_law(struct exact *e, size_t *least)
{
    struct search *s = e->s;
    const struct points *pts = s->points;
    size_t m = pts->m, k = e->law.k;
    double *rhs = s->work + k * m, most[CANDIDATE_TERMS] = {0};

    for (size_t i = 0; i < m; i++)
        rhs[i] = e->weight[i] * pts->y[i];
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < m; i++) {
            double v = e->weight[i] *
                       shape_value(&e->law.shape[j], pts->n_params, pts->x + i * pts->n_params);

            s->work[j * m + i] = v;
            most[j] = fmax(most[j], fabs(v));
        }
    if (k >= m || !linear_quick(m, k, s->work, rhs, e->law.constant, NULL, NULL))
        return false;
    *least = 0;
    for (size_t j = 0; j < k; j++) {
        most[j] *= fabs(e->law.constant[j]);
        *least = most[j] < most[*least] ? j : *least;
    }
    for (size_t i = 0; i < m; i++)
        if (!(fabs(rhs[i]) <= exact))
            return false;
    return true;
}

static void remove_term(struct candidate *c, size_t term)
{
    for (size_t j = term; j + 1 < c->k; j++)
        c->shape[j] = c->shape[j + 1];
    c->k--;
}

/* Is the law plain enough to be believed with one point to spare? */
static bool is_plain(const struct candidate *c, size_t n_params)
{
    for (size_t j = 0; j < c->k; j++)
        for (size_t p = 0; p < n_params; p++) {
            double exponent = c->shape[j].exponents[p];

            if (exponent != round(exponent) || exponent < 0 || exponent + c->shape[j].logs[p] > 2)
                return false;
        }
    return true;
}

/* Drops the terms that E's law does not need; is it exact then, with points to spare? */
static bool settle_law(struct exact *e)
{
    struct candidate smaller;
    size_t least;

    if (!fit_law(e, &least))
        return false;
    while (e->law.k > 1) {
        candidate_copy(&smaller, &e->law);
        remove_term(&e->law, least);
        if (!fit_law(e, &least)) {
            candidate_copy(&e->law, &smaller);
            break;
        }
    }
    return e->law.k + SPARE <= e->s->points->m ||
           (e->law.k < e->s->points->m && is_plain(&e->law, e->s->points->n_params));
}

static bool law_holds(const struct hunt *h, const struct set *set)
{
    struct exact *e = h->exact;

    e->law.k = 0;
    candidate_add(&e->law);
    for (size_t j = 0; j < set->n; j++)
        e->law.shape[candidate_add(&e->law)] = h->q->words.shape[set->word[j]];
    return settle_law(e);
}

/* Which points the quick tests look at: all, or some that follow no pattern. Returns how many. */
static size_t look_at(const struct points *pts, size_t *which)
{
    size_t n = pts->m < QUICK ? pts->m : QUICK;

    for (size_t i = 0; i < n; i++) {
        size_t first = i * pts->m / n, end = (i + 1) * pts->m / n;

        which[i] = first + portolan_hash(&i, sizeof i, 0) % (end - first);
    }
    return n;
}

/* Starts Q with some points, a constant and the values. */
static void begin_quick(const struct exact *e, struct quick *q, size_t *which)
{
    const struct points *pts = e->s->points;
    double w[QUICK], y[QUICK];

    q->m = look_at(pts, which);
    for (size_t i = 0; i < q->m; i++) {
        w[i] = e->weight[which[i]];
        y[i] = w[i] * pts->y[which[i]];
    }
    q->fixed.m = q->target.m = q->m;
    q->fixed.n = q->target.n = 0;
    span_add(&q->fixed, w);
    span_add(&q->target, y);
}

/* ---- one parameter ---- */

/* Values may well be exact if two, or three, plain words miss them by less; of five values, noise
 * often is within the second bound. */
static const double promising_two = 0.05, promising_three = 2e-3, promising_five = 2e-4;

static bool is_promising(const struct exact *e, const struct quick *q, size_t size)
{
    double most = size == 2 ? promising_two : q->m > 5 ? promising_three : promising_five;
    size_t plain = q->words.n < PLAIN_WORDS ? q->words.n : PLAIN_WORDS;

    return e->eager || quick_nearest_miss(q, plain, size) <= most;
}

static void hunt_of_one(struct hunt *h, size_t param, const double *x, const double *w)
{
    struct quick *q = h->q;
    size_t told;

    quick_list_words(q, param, x, w);
    told = quick_compress(q) - 1;
    hunt_singles(h);
    if (h->best.n || told < 2 || !is_promising(h->exact, q, 2))
        return;
    hunt_pairs(h);
    if (h->best.n || told < 3)
        return;
    if (q->m <= DIMS + 1) {
        /* With a constant, too, three words would be one too many. */
        q->fixed.n = 0;
        quick_list_words(q, param, x, w);
        quick_compress(q);
    }
    hunt_triples(h, q->words.n < PLAIN_WORDS ? q->words.n : PLAIN_WORDS);
    if (!h->best.n && is_promising(h->exact, q, 3))
        hunt_triples(h, q->words.n);
}

static bool find_of_one(struct exact *e, struct quick *q, size_t param)
{
    const struct points *pts = e->s->points;
    struct hunt h = {.q = q, .holds = law_holds, .exact = e};
    size_t which[QUICK];
    double x[QUICK], w[QUICK];

    begin_quick(e, q, which);
    for (size_t i = 0; i < q->m; i++) {
        x[i] = pts->x[which[i] * pts->n_params + param];
        w[i] = e->weight[which[i]];
    }
    hunt_of_one(&h, param, x, w);
    return h.best.n && law_holds(&h, &h.best);
}

/* ---- several parameters ---- */

static bool lines_hold(const struct hunt *h, const struct set *set)
{
    struct span all = h->q->fixed;
    double v[QUICK];

    for (size_t j = 0; j < set->n; j++)
        if (!span_add(&all, h->q->column[set->word[j]]))
            return false;
    for (size_t t = 0; t < h->q->target.n && all.n < all.m; t++) {
        memcpy(v, h->q->target.q[t], sizeof v);
        if (span_take(&all, v) > nearly)
            return false;
    }
    return all.n < all.m;
}

/* Adds to SET, and to what is fixed, the words that lie in the space of the targets: where there
 * are several targets, each shape is seen by itself. */
static void find_alone(struct quick *q, struct set *set)
{
    struct span space = q->fixed;
    double v[QUICK];

    for (size_t t = 0; t < q->target.n; t++)
        span_add(&space, q->target.q[t]);
    while (set->n < SET && space.n < space.m) {
        size_t best = WORDS;

        for (size_t e = 0; e < q->words.n; e++) {
            memcpy(v, q->column[e], sizeof v);
            if (best < WORDS && q->words.cost[e] >= q->words.cost[best])
                continue;
            if (span_take(&space, v) > nearly)
                continue;
            memcpy(v, q->column[e], sizeof v);
            best = span_take(&q->fixed, v) > 1e-6 ? e : best;
        }
        if (best == WORDS || !span_add(&q->fixed, q->column[best]))
            return;
        set->word[set->n++] = best;
    }
}

/* The values of the longest line along PARAM, at most QUICK; returns how many. */
static size_t longest_line(const struct points *pts, size_t param, const size_t *line, double *x)
{
    size_t most = 0, best = 0, n = 0;

    for (size_t i = 0; i < pts->m; i++) {
        size_t length = 0;

        for (size_t j = 0; j < pts->m && line[i] >= best; j++)
            length += line[j] == line[i];
        if (length > most) {
            most = length;
            best = line[i];
        }
    }
    for (size_t j = 0; j < pts->m && n < QUICK; j++)
        if (line[j] == best)
            x[n++] = pts->x[j * pts->n_params + param];
    return n;
}

/* Fills TABLE with the values at X, of length 1, of one line after the other; NaN where a line
 * lacks one. Sets the weights W of the values. */
static void fill_lines(const struct points *pts, const struct quick *q, size_t param,
                       const size_t *line, size_t n_lines, const double *x, double *w,
                       double *table)
{
    double largest[QUICK] = {0};

    for (size_t i = 0; i < n_lines * q->m; i++)
        table[i] = NAN;
    for (size_t i = 0; i < pts->m; i++)
        for (size_t j = 0; j < q->m; j++)
            if (pts->x[i * pts->n_params + param] == x[j])
                table[line[i] * q->m + j] = pts->y[i];
    for (size_t l = 0; l < n_lines; l++) {
        span_scale(q->m, table + l * q->m);
        for (size_t j = 0; j < q->m; j++)
            largest[j] = fmax(largest[j], fabs(table[l * q->m + j]));
    }
    for (size_t j = 0; j < q->m; j++)
        w[j] = largest[j] > 0 ? 1 / largest[j] : 1;
}

/* Sets V to what is left of the line in TABLE that is least in BOTH, and returns how much that is.
 */
static double farthest_line(const struct span *both, size_t n_lines, const double *table,
                            const double *w, double *v)
{
    double most = 0, at[QUICK];

    for (size_t l = 0; l < n_lines; l++) {
        double left, length;

        for (size_t j = 0; j < both->m; j++)
            at[j] = w[j] * table[l * both->m + j];
        length = sqrt(linear_dot(both->m, at, at));
        left = length > 0 && isfinite(length) ? span_take(both, at) : 0;
        if (left > most) {
            most = left;
            memcpy(v, at, both->m * sizeof *v);
        }
    }
    return most;
}

/* Sets Q's targets: the space of the N_LINES lines in TABLE that lack no value, with weights W.
 * False: they span everything, as noise does. */
static bool span_lines(struct quick *q, size_t n_lines, const double *table, const double *w)
{
    double v[QUICK];

    q->fixed.m = q->target.m = q->m;
    q->fixed.n = q->target.n = 0;
    span_add(&q->fixed, w);
    for (;;) {
        struct span both = q->fixed;

        for (size_t t = 0; t < q->target.n; t++)
            span_add(&both, q->target.q[t]);
        if (farthest_line(&both, n_lines, table, w, v) < exact)
            return true;
        if (both.n + 1 >= q->m || q->target.n == SET)
            return false;
        span_scale(q->m, v);
        memcpy(q->target.q[q->target.n++], v, q->m * sizeof *v);
    }
}

/* Adds the shapes that the lines along PARAM show to SHAPES; false: none do. */
static bool find_shapes(struct exact *e, struct quick *q, size_t param,
                        struct portolan_model_shape *shapes, size_t *n)
{
    const struct points *pts = e->s->points;
    size_t *line = portolan_arena_alloc(e->s->memory, pts->m, sizeof *line), n_lines;
    double *table = portolan_arena_alloc(e->s->memory, pts->m, QUICK * sizeof *table);
    struct hunt h = {.q = q, .holds = lines_hold};
    struct set alone = {0};
    double x[QUICK], w[QUICK];

    *n = 0;
    if (!line || !table)
        return false;
    n_lines = search_number_lines(e->s, param, line);
    q->m = longest_line(pts, param, line, x);
    if (q->m < 3)
        return false;
    fill_lines(pts, q, param, line, n_lines, x, w, table);
    if (!span_lines(q, n_lines, table, w))
        return false;
    quick_list_words(q, param, x, w);
    find_alone(q, &alone);
    if (!lines_hold(&h, &(struct set){0}) && !hunt_all(&h, SET - alone.n))
        return false;
    for (size_t j = 0; j < alone.n; j++)
        shapes[(*n)++] = q->words.shape[alone.word[j]];
    for (size_t j = 0; j < h.best.n; j++)
        shapes[(*n)++] = q->words.shape[h.best.word[j]];
    return true;
}

/* Multiplies all words of Q by the N SHAPES of PARAM, which gives further words. */
static bool multiply_words(struct quick *q, size_t param, const struct portolan_model_shape *shapes,
                           size_t n)
{
    size_t before = q->words.n;

    if ((before + 1) * (n + 1) > WORDS)
        return false;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i <= before; i++) {
            size_t at = q->words.n++;

            q->words.shape[at] = i < before ? q->words.shape[i] : (struct portolan_model_shape){0};
            q->words.cost[at] = i < before ? q->words.cost[i] + 0.5 : 0;
            q->words.shape[at].exponents[param] = shapes[j].exponents[param];
            q->words.shape[at].logs[param] = shapes[j].logs[param];
            q->words.cost[at] += quick_price(shapes[j].exponents[param], shapes[j].logs[param]);
        }
    return true;
}

/* Fits all words at once; those that are not needed go. */
static bool fit_all_words(struct exact *e, const struct quick *q)
{
    if (q->words.n + 1 > CANDIDATE_TERMS)
        return false;
    e->law.k = 0;
    candidate_add(&e->law);
    for (size_t j = 0; j < q->words.n; j++)
        e->law.shape[candidate_add(&e->law)] = q->words.shape[j];
    return settle_law(e);
}

static bool find_of_several(struct exact *e, struct quick *q)
{
    const struct points *pts = e->s->points;
    struct portolan_model_shape shapes[MODEL_PARAMS][SET];
    struct hunt h = {.q = q, .holds = law_holds, .exact = e};
    size_t n[MODEL_PARAMS] = {0}, which[QUICK];

    for (size_t p = 0; p < pts->n_params; p++)
        if (search_varies(e->s, p) && !find_shapes(e, q, p, shapes[p], &n[p]))
            return false;
    q->words.n = 0;
    for (size_t p = 0; p < pts->n_params; p++)
        if (!multiply_words(q, p, shapes[p], n[p]))
            return false;
    begin_quick(e, q, which);
    for (size_t j = 0; j < q->words.n; j++)
        for (size_t i = 0; i < q->m; i++)
            q->column[j][i] = e->weight[which[i]] * shape_value(&q->words.shape[j], pts->n_params,
                                                                pts->x + which[i] * pts->n_params);
    if (hunt_all(&h, SET))
        return law_holds(&h, &h.best);
    return fit_all_words(e, q);
}

/* ---- the whole ---- */

/* Weights for relative residuals; false: all values are 0. */
static bool weigh_values(struct exact *e)
{
    const struct points *pts = e->s->points;
    double least = INFINITY;

    for (size_t i = 0; i < pts->m; i++)
        least = pts->y[i] != 0 ? fmin(least, fabs(pts->y[i])) : least;
    for (size_t i = 0; i < pts->m; i++)
        e->weight[i] = 1 / fmax(fabs(pts->y[i]), least);
    return isfinite(least);
}

static enum portolan_model_family family_of(const struct candidate *c, size_t n_params)
{
    bool logs = false, whole = true;

    for (size_t j = 0; j < c->k; j++)
        for (size_t p = 0; p < n_params; p++) {
            logs = logs || c->shape[j].logs[p];
            whole = whole && c->shape[j].exponents[p] == round(c->shape[j].exponents[p]) &&
                    c->shape[j].exponents[p] >= 0;
        }
    if (n_params > 1)
        return c->k == 1 ? PORTOLAN_MODEL_PRODUCT : PORTOLAN_MODEL_SUM;
    return whole && !logs                                         ? PORTOLAN_MODEL_POLYNOMIAL
           : c->k - shape_is_constant(&c->shape[0], n_params) > 1 ? PORTOLAN_MODEL_SUM
           : logs                                                 ? PORTOLAN_MODEL_LOGARITHMIC
                                                                  : PORTOLAN_MODEL_POWER;
}

static bool find_law(struct exact *e)
{
    struct quick *q = portolan_arena_alloc(e->s->memory, 1, sizeof *q);
    size_t param = 0, varying = 0;

    e->weight = portolan_arena_alloc(e->s->memory, e->s->m, sizeof *e->weight);
    if (!e->weight || !q || !weigh_values(e))
        return false;
    for (size_t p = 0; p < e->s->points->n_params; p++)
        if (search_varies(e->s, p)) {
            varying++;
            param = p;
        }
    return varying == 1 ? find_of_one(e, q, param) : varying > 1 && find_of_several(e, q);
}

bool search_exact(struct search *s, bool eager, struct candidate *law)
{
    struct exact e = {.s = s, .eager = eager};
    size_t m = s->points->m;

    if (m < 3 || m > MOST_POINTS || s->options->only_products)
        return false;
    /* What another form took for outliers may be no such thing. */
    s->m = m;
    search_weigh(s, NULL);
    if (!find_law(&e))
        return false;
    e.law.family = family_of(&e.law, s->points->n_params);
    candidate_copy(law, &e.law);
    return true;
}
