/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Models of several parameters: a product of one shape for each, a product and one more term, and a
 * sum. The shapes are found one parameter at a time, the others held, until nothing gets better.
 */
#include "models_internal.h"

#include <math.h>
#include <string.h>

enum { NONE = -1 };

/* One shape of the list for each parameter; NONE = the parameter does not appear. */
struct choice {
    bool product;  /* else a sum */
    bool constant; /* plus a constant */
    int entry[MODEL_PARAMS];
    size_t extra;    /* a product may have one more term added, of this parameter … */
    int extra_entry; /* … and this shape, or NONE */
};

static struct candidate build_candidate(const struct search *s, const struct choice *choice)
{
    struct candidate c = {.k = choice->constant};

    c.family = choice->product ? PORTOLAN_MODEL_PRODUCT : PORTOLAN_MODEL_SUM;
    for (size_t p = 0; p < s->points->n_params; p++) {
        if (choice->entry[p] == NONE)
            continue;
        candidate_list(&c, c.k, p, (size_t)choice->entry[p]);
        c.cost += 0.5;
        if (!choice->product)
            c.k++;
    }
    if (choice->product)
        c.k++;
    if (choice->extra_entry != NONE) {
        candidate_list(&c, c.k++, choice->extra, (size_t)choice->extra_entry);
        c.cost += 1;
        c.family = PORTOLAN_MODEL_SUM;
    }
    return c;
}

static double try_choice(struct search *s, const struct choice *choice)
{
    struct candidate c = build_candidate(s, choice);

    return c.k ? search_try(s, &c) : INFINITY;
}

/* Tries every shape for PARAM or, if PARAM is n_params, for the extra term. */
static bool improve_entry(struct search *s, struct choice *choice, size_t param, double *score)
{
    bool extra = param == s->points->n_params, better = false;
    size_t of = extra ? choice->extra : param;
    int was = extra ? choice->extra_entry : choice->entry[param];

    for (int e = extra ? 0 : NONE; e < (int)GRID; e++) {
        struct choice trial = *choice;
        double now;

        if (e == was || (e != NONE && !search_grid_fits(s, of, (size_t)e)))
            continue;
        *(extra ? &trial.extra_entry : &trial.entry[param]) = e;
        now = try_choice(s, &trial);
        if (now < *score) {
            *score = now;
            *choice = trial;
            better = true;
        }
    }
    return better;
}

static double descend_choice(struct search *s, struct choice *choice)
{
    double score = try_choice(s, choice);
    bool better = true;

    for (int round = 0; round < 4 && better; round++) {
        better = false;
        for (size_t p = 0; p < s->points->n_params; p++)
            if (search_varies(s, p) && improve_entry(s, choice, p, &score))
                better = true;
        if (choice->extra_entry != NONE && improve_entry(s, choice, s->points->n_params, &score))
            better = true;
    }
    return score;
}

/* ---- where to start: exponents by least squares on logarithms ---- */

static bool start_exponents(struct search *s, double *exponents)
{
    const struct points *pts = s->points;
    double *columns = s->work, coefficients[MODEL_PARAMS + 1];
    double *rhs = columns + (MODEL_PARAMS + 1) * pts->m;
    size_t k = 1, which[MODEL_PARAMS + 1];

    for (size_t p = 0; p < pts->n_params; p++) {
        exponents[p] = 0;
        if (!search_varies(s, p))
            continue;
        if (!search_above(s, p, 0))
            return false;
        which[k++] = p;
    }
    for (size_t i = 0; i < pts->m; i++) {
        bool in = s->factor[i] > 0;

        if (in && pts->y[i] <= 0)
            return false;
        rhs[i] = in ? log(pts->y[i]) : 0;
        columns[i] = in;
        for (size_t j = 1; j < k; j++)
            columns[j * pts->m + i] = in ? log(pts->x[i * pts->n_params + which[j]]) : 0;
    }
    if (s->m <= k || !linear_quick(pts->m, k, columns, rhs, coefficients, NULL, NULL))
        return false;
    for (size_t j = 1; j < k; j++)
        exponents[which[j]] = fmax(-8, fmin(8, coefficients[j]));
    return true;
}

static int nearest_entry(double exponent)
{
    int best = NONE;
    double distance = fabs(exponent);

    for (size_t e = 0; e < GRID; e++)
        if (!search_grid[e].log && fabs(search_grid[e].exponent - exponent) < distance) {
            distance = fabs(search_grid[e].exponent - exponent);
            best = (int)e;
        }
    return best;
}

/* Fits the exponents of all parameters at once, then moves CHOICE to the nearest in the list. */
static void try_fitted(struct search *s, struct choice *choice)
{
    struct candidate c = build_candidate(s, choice);
    size_t last = c.k - 1;

    if (!isfinite(search_try(s, &c)))
        return;
    c.cost = 0;
    memset(c.listed[last], 0, sizeof c.listed[last]);
    for (size_t p = 0; p < s->points->n_params; p++)
        if (c.shape[last].exponents[p] != 0 && !c.shape[last].logs[p] && search_above(s, p, 0))
            c.fitted[last] |= 1u << p;
    if (!c.fitted[last] || !isfinite(search_try(s, &c)))
        return;
    for (size_t p = 0; p < s->points->n_params; p++)
        if (c.fitted[last] >> p & 1)
            choice->entry[p] = nearest_entry(c.shape[last].exponents[p]);
}

/*
 * Tries a product plus a constant. Without the constant all exponents come out too flat, and a
 * single steeper one does not help; so there are several starts, and fits of all exponents from the
 * best.
 */
static void try_shifted(struct search *s, const struct choice *product)
{
    static const double steeper[] = {1, 1.5, 2.5};
    struct choice best = *product;
    double least = INFINITY;

    for (size_t i = 0; i < sizeof steeper / sizeof *steeper; i++) {
        struct choice shifted = *product;
        double score;

        shifted.constant = true;
        for (size_t p = 0; p < s->points->n_params && i > 0; p++)
            if (product->entry[p] != NONE)
                shifted.entry[p] =
                    nearest_entry(steeper[i] * search_grid[product->entry[p]].exponent);
        score = descend_choice(s, &shifted);
        if (score < least) {
            least = score;
            best = shifted;
        }
    }
    for (int i = 0; i < 2; i++) {
        try_fitted(s, &best);
        descend_choice(s, &best);
    }
}

/* Tries a product plus one term of one parameter: work that is shared out, and the cost of sharing.
 */
static void try_extras(struct search *s, const struct choice *product)
{
    for (size_t p = 0; p < s->points->n_params; p++) {
        struct choice choice = *product;

        if (!search_varies(s, p))
            continue;
        choice.extra = p;
        choice.extra_entry = 0;
        descend_choice(s, &choice);
        choice.constant = true;
        try_choice(s, &choice);
    }
}

void search_several(struct search *s)
{
    struct choice sum = {.extra_entry = NONE}, product = {.product = true, .extra_entry = NONE};
    struct choice fitted;
    double exponents[MODEL_PARAMS];
    bool started = start_exponents(s, exponents);

    for (size_t p = 0; p < MODEL_PARAMS; p++) {
        sum.entry[p] = NONE;
        product.entry[p] = started && p < s->points->n_params ? nearest_entry(exponents[p]) : NONE;
    }
    descend_choice(s, &product);
    try_shifted(s, &product);
    fitted = product;
    try_fitted(s, &fitted);
    if (s->options->only_products)
        return;
    sum.constant = true;
    descend_choice(s, &sum);
    try_extras(s, &product);
    sum.constant = false;
    descend_choice(s, &sum);
}

/*
 * ---- Points along lines on which only one parameter varies. On such a line every product and sum
 * of shapes is a constant plus a constant times the shape of that parameter, so the lines show the
 * likely shapes, one parameter at a time. Then all combinations of these are sketched. ----
 */

enum { LISTED = 10, MASKS = 8, TERMS = 3, SKETCHES = 24 };

static const double hopeless = 9;

struct likely_shape {
    double residual;
    unsigned char entry;
};

/* The likely shapes of one parameter; N = 0: it does not vary, or there are no lines. */
struct likely {
    size_t n;
    struct likely_shape shape[LISTED];
};

/* ---- lines ---- */

static bool on_line(const struct points *pts, size_t a, size_t b, size_t param)
{
    const double *x = pts->x + a * pts->n_params, *y = pts->x + b * pts->n_params;

    for (size_t p = 0; p < pts->n_params; p++)
        if (p != param && x[p] != y[p])
            return false;
    return true;
}

size_t search_number_lines(const struct search *s, size_t param, size_t *line)
{
    const struct points *pts = s->points;
    size_t n = 0;

    for (size_t i = 0; i < pts->m; i++) {
        size_t j = 0;

        while (j < i && !(search_is_in(s, j) && on_line(pts, i, j, param)))
            j++;
        line[i] = j < i ? line[j] : n++;
    }
    return n;
}

/* Sums over the points of a line, for the fit of a constant and one column. */
struct line_sums {
    double one, t, tt, y, ty, yy, n;
};

static double left_by_line(const struct line_sums *l, double *dof)
{
    double tt = l->tt - l->t * l->t / l->one, ty = l->ty - l->t * l->y / l->one;
    double yy = l->yy - l->y * l->y / l->one;

    if (l->n < 3 || !(tt > 1e-12 * l->tt))
        return 0;
    *dof += l->n - 2;
    return fmax(yy - ty * ty / tt, 1e-13 * l->yy);
}

static double left_by_lines(const struct search *s, const size_t *line, size_t n,
                            const double *column, struct line_sums *sums, double *dof)
{
    double left = 0;

    memset(sums, 0, n * sizeof *sums);
    *dof = 0;
    for (size_t i = 0; i < s->points->m; i++) {
        struct line_sums *l = &sums[line[i]];
        double f = s->factor[i], t = f * column[i];

        if (!search_is_in(s, i))
            continue;
        l->n++;
        l->one += f * f;
        l->t += f * t;
        l->tt += t * t;
        l->y += f * s->rhs[i];
        l->ty += t * s->rhs[i];
        l->yy += s->rhs[i] * s->rhs[i];
    }
    for (size_t j = 0; j < n; j++)
        left += left_by_line(&sums[j], dof);
    return left;
}

/* Lists the likely shapes of PARAM, at most LIMIT. */
static void list_likely(struct search *s, size_t param, size_t limit, size_t *line,
                        struct line_sums *sums, struct likely *likely)
{
    size_t n = search_number_lines(s, param, line);
    double dof = 0, known;

    likely->n = 0;
    for (size_t e = 0; e < GRID; e++) {
        const double *column;
        double left;

        if (!search_grid_fits(s, param, e))
            continue;
        column = search_grid_column(s, param, e, s->work);
        left = left_by_lines(s, line, n, column, sums, &dof);
        if (dof > 0 && isfinite(left))
            numbers_rank(likely->shape, &likely->n, limit,
                         &(struct likely_shape){left, (unsigned char)e}, sizeof *likely->shape);
    }
    if (!likely->n)
        return;
    if (!(s->line_variance < likely->shape[0].residual / dof))
        s->line_variance = likely->shape[0].residual / dof;
    known = s->known + s->least + 1e-30;
    while (likely->n > 1 &&
           (s->known_dof + dof) * log((known + likely->shape[likely->n - 1].residual) /
                                      (known + likely->shape[0].residual)) >
               hopeless + 3)
        likely->n--;
}

/* ---- combinations ---- */

struct combination {
    double score;
    unsigned char entry[3];     /* of each parameter */
    unsigned char masks[TERMS]; /* each a set of parameters: the product of their shapes */
    unsigned char n;
    bool constant;
};

struct combining {
    struct search *s;
    size_t n_masks; /* 2^parameters; the last mask is the product of all */
    struct likely likely[3];
    size_t n;
    struct combination best[SKETCHES];
    struct least least;
    double gram[MASKS][MASKS], rhs[MASKS], largest[MASKS], yy;
};

static double price_form(const struct combination *form)
{
    double cost = form->n - 1;
    unsigned used = 0;

    for (size_t j = 0; j < form->n; j++)
        used |= form->masks[j];
    for (size_t p = 0; used >> p; p++)
        if (used >> p & 1)
            cost += search_grid[form->entry[p]].cost;
    return cost;
}

static void sketch_form(struct combining *c, struct combination *form)
{
    double a[LINEAR_NORMAL][LINEAR_NORMAL], b[LINEAR_NORMAL], volume = 1, determinant, off;
    unsigned char columns[TERMS + 1] = {0};
    size_t k = form->constant;

    memcpy(columns + k, form->masks, form->n);
    k += form->n;
    if (k >= c->s->m)
        return;
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i <= j; i++)
            a[i][j] = c->gram[columns[i]][columns[j]];
        b[j] = c->rhs[columns[j]];
        volume *= c->s->largest / c->largest[columns[j]];
    }
    off = linear_normal(k, a, b, !c->s->options->allow_negative, &determinant);
    if (!(off >= 0))
        return;
    off = sketch_left(c->s, &c->least, k, c->yy, off);
    form->score = search_score(c->s, k, off, log(determinant * volume)) + price_form(form);
    if (!c->n || form->score < c->best[0].score + hopeless)
        numbers_rank(c->best, &c->n, SKETCHES, form, sizeof *form);
}

/* Computes the products of all columns: a constant and the products of the entries' shapes. */
static void multiply_columns(struct combining *c, const unsigned char *entry)
{
    struct search *s = c->s;
    size_t m = s->points->m;
    double *columns = s->work;

    memcpy(columns, s->factor, m * sizeof *columns);
    for (size_t mask = 1; mask < c->n_masks; mask++) {
        size_t p = (size_t)__builtin_ctzl(mask);
        const double *shape = search_grid_column(s, p, entry[p], NULL);
        const double *rest = columns + (mask & (mask - 1)) * m;

        for (size_t i = 0; i < m; i++)
            columns[mask * m + i] = rest[i] * shape[i];
    }
    for (size_t a = 0; a < c->n_masks; a++) {
        const double *of_a = columns + a * m;

        c->rhs[a] = linear_dot(m, of_a, s->rhs);
        c->largest[a] = 0;
        for (size_t i = 0; i < m; i++)
            c->largest[a] = fabs(of_a[i]) > c->largest[a] ? fabs(of_a[i]) : c->largest[a];
        for (size_t b = a; b < c->n_masks; b++)
            c->gram[a][b] = c->gram[b][a] = linear_dot(m, of_a, columns + b * m);
    }
}

/* Sketches every sum of one to three products that has more than one parameter. */
static void sketch_all(struct combining *c, const unsigned char *entry)
{
    struct combination form = {0};

    memcpy(form.entry, entry, sizeof form.entry);
    multiply_columns(c, entry);
    for (unsigned set = 2; set < 1u << c->n_masks; set += 2) {
        unsigned used = 0;

        form.n = 0;
        if (__builtin_popcount(set) > TERMS)
            continue;
        for (int size = 3; size > 0; size--)
            for (unsigned char mask = 1; mask < c->n_masks; mask++)
                if (set >> mask & 1 && __builtin_popcount(mask) == size) {
                    form.masks[form.n++] = mask;
                    used |= mask;
                }
        if (!(used & (used - 1)) || (form.n > 1 && c->s->options->only_products))
            continue;
        for (int constant = 0; constant < 2; constant++) {
            form.constant = constant;
            sketch_form(c, &form);
        }
    }
}

static void try_combination(struct search *s, const struct combination *form)
{
    struct candidate c;

    c.k = 0;
    c.cost = 0;
    c.family = form->n == 1 ? PORTOLAN_MODEL_PRODUCT : PORTOLAN_MODEL_SUM;
    if (form->constant)
        candidate_add(&c);
    for (size_t j = 0; j < form->n; j++) {
        size_t term = candidate_add(&c);

        for (size_t p = 0; form->masks[j] >> p; p++)
            if (form->masks[j] >> p & 1)
                candidate_list(&c, term, p, form->entry[p]);
    }
    c.cost = price_form(form);
    search_try(s, &c);
}

static bool find_likely(struct combining *c)
{
    struct search *s = c->s;
    size_t m = s->points->m, n_params = s->points->n_params, n = 0;
    size_t *line = portolan_arena_alloc(s->memory, m, sizeof *line);
    struct line_sums *sums = portolan_arena_alloc(s->memory, m, sizeof *sums);

    for (size_t p = 0; line && sums && p < n_params; p++) {
        list_likely(s, p, n_params == 2 ? LISTED : 6, line, sums, &c->likely[p]);
        n += c->likely[p].n > 0;
    }
    return n > 1;
}

bool search_lines(struct search *s)
{
    struct combining c = {
        .s = s, .n_masks = (size_t)1 << s->points->n_params, .least.residual = INFINITY};
    size_t at[3] = {0}, p, n_params = s->points->n_params;
    unsigned char entry[3] = {0};

    if (n_params > 3 || !s->columns || !find_likely(&c))
        return false;
    c.yy = linear_dot(s->points->m, s->rhs, s->rhs);
    do {
        for (p = 0; p < n_params; p++)
            entry[p] = c.likely[p].n ? c.likely[p].shape[at[p]].entry : 0;
        sketch_all(&c, entry);
        for (p = 0; p < n_params && ++at[p] >= c.likely[p].n; p++)
            at[p] = 0;
    } while (p < n_params);
    if (c.n)
        search_trust(s, c.least.squares, c.least.k);
    for (size_t i = 0; i < c.n && c.best[i].score < c.best[0].score + hopeless && !s->over; i++) {
        try_combination(s, &c.best[i]);
        if (s->first)
            search_starts_over(s);
    }
    return true;
}
