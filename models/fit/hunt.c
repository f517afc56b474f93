/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which few of many shapes (powers with logarithms: words) span given values? Some rows are enough
 * to see that most sets do not: in four directions, a set of two words and the values lie in a
 * plane, one of three in a space of three dimensions, or they do not. Only sets that may be exact
 * are shown to the caller, who looks at all values.
 */
#include "hunt.h"

/* ---- shapes to choose from ---- */

/* Powers with the logarithms that may go with them; the plain ones come first:
 * PLAIN_WORDS. */
static const struct {
    double exponent;
    unsigned char from, to;
} powers[] = {{1, 0, 1},       {2, 0, 1},       {3, 0, 1},       {0, 1, 2},       {.5, 0, 1},
              {1.5, 0, 1},     {2.5, 0, 0},     {-1, 0, 1},      {-2, 0, 0},      {-.5, 0, 0},
              {4, 0, 0},       {0, 3, 3},       {1, 2, 2},       {2, 2, 2},       {3, 2, 2},
              {.5, 2, 2},      {1.5, 2, 2},     {2.5, 1, 2},     {-1, 2, 2},      {-2, 1, 2},
              {-.5, 1, 2},     {-1.5, 0, 2},    {4, 1, 1},       {5, 0, 0},       {6, 0, 0},
              {7, 0, 0},       {3.5, 0, 1},     {-3, 0, 0},      {1. / 4, 0, 2},  {3. / 4, 0, 2},
              {5. / 4, 0, 2},  {7. / 4, 0, 2},  {9. / 4, 0, 2},  {11. / 4, 0, 2}, {1. / 3, 0, 2},
              {2. / 3, 0, 2},  {4. / 3, 0, 2},  {5. / 3, 0, 2},  {7. / 3, 0, 2},  {8. / 3, 0, 2},
              {-1. / 4, 0, 2}, {-3. / 4, 0, 2}, {-5. / 4, 0, 2}, {-7. / 4, 0, 2}, {-1. / 3, 0, 2},
              {-2. / 3, 0, 2}, {-4. / 3, 0, 2}, {-5. / 3, 0, 2}, {4. / 5, 0, 0}};
enum { POWERS = sizeof powers / sizeof *powers, BLOCK = 8 };

double quick_price(double exponent, unsigned log)
{
    double unusual = exponent == round(exponent) ? 0 : 2 * exponent == round(2 * exponent) ? 1 : 2;

    return unusual + log + (exponent < 0 ? 0.5 : 0) + 0.1 * fabs(exponent);
}

/* ---- vectors ---- */

double span_take(const struct span *s, double *v)
{
    double before = sqrt(linear_dot(s->m, v, v));

    for (int again = 0; again < 2; again++)
        for (size_t j = 0; j < s->n; j++)
            linear_subtract(s->m, linear_dot(s->m, v, s->q[j]), s->q[j], v);
    return before > 0 ? sqrt(linear_dot(s->m, v, v)) / before : 0;
}

void span_scale(size_t m, double *v)
{
    double length = sqrt(linear_dot(m, v, v));

    for (size_t i = 0; i < m && length > 0; i++)
        v[i] /= length;
}

bool span_add(struct span *s, const double *v)
{
    double *q = s->q[s->n];

    if (s->n == s->m)
        return false;
    memcpy(q, v, s->m * sizeof *q);
    if (!(span_take(s, q) > 1e-7))
        return false;
    span_scale(s->m, q);
    s->n++;
    return true;
}

void quick_list_words(struct quick *q, size_t param, const double *x, const double *w)
{
    double logs[QUICK], column[QUICK];
    bool positive = true;

    for (size_t i = 0; i < q->m; i++) {
        positive = positive && x[i] > 0;
        logs[i] = x[i] > 0 ? log2(x[i]) : 0;
    }
    q->words.n = 0;
    for (size_t p = 0; p < POWERS; p++) {
        double exponent = powers[p].exponent;

        if (!positive && !(exponent > 0 && exponent == round(exponent)))
            continue;
        for (size_t i = 0; i < q->m; i++)
            column[i] = w[i] * (positive ? exp2(exponent * logs[i]) : pow(x[i], exponent));
        for (unsigned char log = 0; log <= (positive ? powers[p].to : 0); log++) {
            size_t e = q->words.n;

            for (size_t i = 0; i < q->m && log; i++)
                column[i] *= logs[i];
            if (log < powers[p].from)
                continue;
            memcpy(q->column[e], column, sizeof column);
            q->words.shape[e] = (struct portolan_model_shape){0};
            q->words.shape[e].exponents[param] = exponent;
            q->words.shape[e].logs[param] = log;
            q->words.cost[e] = quick_price(exponent, log);
            q->words.n++;
        }
    }
}

size_t quick_compress(struct quick *q)
{
    double rest[QUICK], look[DIMS][QUICK];
    size_t dims = q->m - q->fixed.n < DIMS ? q->m - q->fixed.n : DIMS;

    /* Any directions will do that no law is likely to avoid. */
    for (size_t d = 0; d < DIMS; d++)
        for (size_t i = 0; i < QUICK; i++)
            look[d][i] = sin((double)(i + 1) * (1.7 + 2.3 * (double)d));
    memset(rest, 0, sizeof rest);
    for (size_t t = 0; t < q->target.n; t++)
        linear_subtract(q->m, -1 - 0.37 * (double)t, q->target.q[t], rest);
    q->varies = span_take(&q->fixed, rest);
    span_scale(q->m, rest);
    memcpy(q->rest, rest, sizeof rest);
    for (size_t d = 0; d < DIMS; d++)
        q->aim[d] = linear_dot(q->m, look[d], rest);
    for (size_t e = 0; e < q->words.n; e++) {
        bool usable = span_take(&q->fixed, q->column[e]) > 1e-7;

        span_scale(q->m, q->column[e]);
        for (size_t d = 0; d < DIMS; d++)
            q->at[d][e] = usable ? linear_dot(q->m, look[d], q->column[e]) : NAN;
    }
    return dims;
}

/* ---- sets of words that span the targets ---- */

static void offer(struct hunt *h, struct set set)
{
    set.cost = 0;
    for (size_t j = 0; j < set.n; j++)
        set.cost += h->q->words.cost[set.word[j]];
    if ((!h->best.n || set.cost < h->best.cost) && h->holds(h, &set))
        h->best = set;
}

void hunt_singles(struct hunt *h)
{
    double(*at)[WORDS] = h->q->at, *aim = h->q->aim;

    for (size_t e = 0; e < h->q->words.n; e++)
        if (fabs(aim[0] * at[1][e] - aim[1] * at[0][e]) <= nearly)
            offer(h, (struct set){.n = 1, .word = {e}});
}

void hunt_pairs(struct hunt *h)
{
    double(*at)[WORDS] = h->q->at, *aim = h->q->aim;

    for (size_t e = 0; e < h->q->words.n; e++) {
        double normal[3], length;

        for (size_t d = 0; d < 3; d++)
            normal[d] =
                aim[(d + 1) % 3] * at[(d + 2) % 3][e] - aim[(d + 2) % 3] * at[(d + 1) % 3][e];
        length = sqrt(linear_dot(3, normal, normal));
        for (size_t f = 0; f < e; f++)
            if (fabs(normal[0] * at[0][f] + normal[1] * at[1][f] + normal[2] * at[2][f]) <=
                nearly * length + 1e-14)
                offer(h, (struct set){.n = 2, .word = {e, f}});
    }
}

/* A vector orthogonal to A, B and C. */
static void find_normal(const double *a, const double *b, const double *c, double *normal)
{
    double m[DIMS][DIMS];

    for (size_t i = 0; i < DIMS; i++)
        for (size_t j = i + 1; j < DIMS; j++)
            m[i][j] = a[i] * b[j] - a[j] * b[i];
    normal[0] = m[1][2] * c[3] - m[1][3] * c[2] + m[2][3] * c[1];
    normal[1] = -(m[0][2] * c[3] - m[0][3] * c[2] + m[2][3] * c[0]);
    normal[2] = m[0][1] * c[3] - m[0][3] * c[1] + m[1][3] * c[0];
    normal[3] = -(m[0][1] * c[2] - m[0][2] * c[1] + m[1][2] * c[0]);
}

void hunt_triples(struct hunt *h, size_t n)
{
    double(*at)[WORDS] = h->q->at;

    for (size_t e = 0; e < n; e++)
        for (size_t f = 0; f < e; f++) {
            double first[DIMS], second[DIMS], normal[DIMS], length;

            for (size_t d = 0; d < DIMS; d++) {
                first[d] = at[d][e];
                second[d] = at[d][f];
            }
            find_normal(h->q->aim, first, second, normal);
            length = sqrt(linear_dot(DIMS, normal, normal));
            /* By blocks, so that compilers see what they can do at once. */
            for (size_t from = 0; from < f; from += BLOCK) {
                double off[BLOCK], least = INFINITY;

                for (size_t i = 0; i < BLOCK; i++)
                    off[i] = fabs(normal[0] * at[0][from + i] + normal[1] * at[1][from + i] +
                                  normal[2] * at[2][from + i] + normal[3] * at[3][from + i]);
                for (size_t i = 0; i < BLOCK; i++)
                    least = off[i] < least ? off[i] : least;
                for (size_t i = 0; i < BLOCK && least <= nearly * length + 1e-14; i++)
                    if (from + i < f && off[i] <= nearly * length + 1e-14)
                        offer(h, (struct set){.n = 3, .word = {e, f, from + i}});
            }
        }
}

bool hunt_all(struct hunt *h, size_t most)
{
    size_t told = quick_compress(h->q) - 1;

    if (told >= 1)
        hunt_singles(h);
    if (!h->best.n && told >= 2 && most >= 2)
        hunt_pairs(h);
    if (!h->best.n && told >= 3 && most >= 3)
        hunt_triples(h, h->q->words.n);
    return h->best.n > 0;
}

double quick_nearest_miss(const struct quick *q, size_t n, size_t size)
{
    double gram[WORDS][WORDS], b[WORDS], most = 0;

    for (size_t e = 0; e < n; e++) {
        b[e] = linear_dot(q->m, q->rest, q->column[e]);
        for (size_t f = 0; f < e; f++)
            gram[e][f] = linear_dot(q->m, q->column[e], q->column[f]);
    }
    for (size_t e = 0; e < n; e++)
        for (size_t f = 0; f < e; f++) {
            double left = 1 - gram[e][f] * gram[e][f], of_f = b[f] - gram[e][f] * b[e];
            double both = b[e] * b[e] + of_f * of_f / left;

            if (!(left > 1e-9))
                continue;
            most = both > most ? both : most;
            for (size_t g = 0; g < f && size == 3; g++) {
                double cross = gram[f][g] - gram[e][f] * gram[e][g];
                double rest = 1 - gram[e][g] * gram[e][g] - cross * cross / left;
                double of_g = b[g] - gram[e][g] * b[e] - cross * of_f / left;
                double all = both + of_g * of_g / rest;

                most = rest > 1e-9 && all > most ? all : most;
            }
        }
    return q->varies * sqrt(fmax(1 - most, 0));
}
