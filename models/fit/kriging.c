/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kriging: a plane plus Matérn's covariance of order 3/2 between near places (Rasmussen and
 * Williams, Gaussian Processes for Machine Learning, 2006, equations 2.25 and 4.17). Lengths and
 * nugget are those that best predict places left out (there, 5.10 to 5.13), a whole group of places
 * at a time.
 */
#include "models_internal.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static const double lengths[] = {8, 4, 2, 1, 0.5}, nuggets[] = {0.4, 0.1, 0.02, 0.003};
/* The price of a constant in Akaike's criterion. */
static const double price = 2;
/* Factors to try on the length of each dimension, since one may count more than another. */
static const double factors[] = {2, 0.5};
enum { ROUNDS = 2 };
/* Prior variances: of the plane's slopes, of its level relative to that, and of the level alone
 * without a plane. */
static const double steep = 100, level_over_slopes = 100, level_before = 1e4;
/* A plane through fewer places says nothing. */
enum { MORE_PLACES_THAN_SLOPES = 3 };
/* Larger errors (logarithms) count as this one. */
static const double worst_error = 3;

struct kriging {
    size_t n, n_dims;
    const double *z; /* N × N_DIMS; Z and GROUP are the caller's */
    const size_t *group;
    double length[MODEL_PARAMS];
    double mean, nugget, slope; /* variances are relative to VARIANCE */
    double variance;
    double *level;   /* above the mean */
    double *inverse; /* of the covariances */
    double *reach;   /* INVERSE times the levels */
    double *error, *spread;
    double fit; /* twice the log density of the places left out, up to a constant */
    bool is_judged;
};

static double covariance(const struct kriging *k, const double *a, const double *b)
{
    double d2 = 0, along = level_over_slopes, d;

    for (size_t i = 0; i < k->n_dims; i++) {
        d2 += pow((a[i] - b[i]) / k->length[i], 2);
        along += a[i] * b[i];
    }
    d = sqrt(3 * d2);
    return (1 + d) * exp(-d) + (k->slope > 0 ? k->slope * along : level_before);
}

/* Replaces a covariance matrix by its inverse, both triangles. */
static bool invert_matrix(size_t n, double *a)
{
    lapack_int order = (lapack_int)n;

    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', order, a, order) ||
        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'U', order, a, order))
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            a[j * n + i] = a[i * n + j]; /* the upper triangle in column order is the lower one */
    return true;
}

/* Predicts the places of FIRST's group without that group: their errors and expected variances. */
static bool leave_group_out(struct kriging *k, size_t first, size_t *at, double *block)
{
    size_t n = 0;

    for (size_t i = first; i < k->n; i++)
        if (k->group[i] == k->group[first])
            at[n++] = i;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            block[i * n + j] = k->inverse[at[i] * k->n + at[j]];
    if (n == k->n || !invert_matrix(n, block))
        return false;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;

        for (size_t j = 0; j < n; j++)
            sum -= block[i * n + j] * k->reach[at[j]];
        k->error[at[i]] = fmax(-worst_error, fmin(worst_error, sum));
        k->spread[at[i]] = block[i * n + i];
    }
    return true;
}

static bool is_first(const struct kriging *k, size_t i)
{
    size_t j = 0;

    while (j < i && k->group[j] != k->group[i])
        j++;
    return j == i;
}

/* Solves with K's lengths and nugget. False: the covariances are singular, or there is only one
 * group. */
static bool solve_covariances(struct kriging *k, size_t *at, double *block)
{
    double sum = 0;

    for (size_t i = 0; i < k->n; i++)
        for (size_t j = 0; j <= i; j++)
            k->inverse[i * k->n + j] =
                covariance(k, &k->z[i * k->n_dims], &k->z[j * k->n_dims]) + (i == j) * k->nugget;
    if (!invert_matrix(k->n, k->inverse))
        return false;
    for (size_t i = 0; i < k->n; i++)
        k->reach[i] = linear_dot(k->n, k->inverse + i * k->n, k->level);
    for (size_t i = 0; i < k->n; i++)
        if (is_first(k, i) && !leave_group_out(k, i, at, block))
            return false;
    for (size_t i = 0; i < k->n; i++)
        sum += k->error[i] * k->error[i] / k->spread[i];
    /* minus 2, since length and nugget were chosen by the same errors */
    k->variance = fmax(sum / fmax(1, (double)k->n - 2), 1e-12);
    k->fit = 0;
    for (size_t i = 0; i < k->n; i++) {
        k->spread[i] *= k->variance;
        k->fit -= log(k->spread[i]) + k->error[i] * k->error[i] / k->spread[i];
    }
    return true;
}

/* The best constants so far. */
struct constants {
    double length[MODEL_PARAMS], nugget, fit;
};

/* Keeps K's constants in BEST if they predict better by more than GAIN. */
static void try_constants(struct kriging *k, size_t *at, double *block, double gain,
                          struct constants *best)
{
    if (!solve_covariances(k, at, block) || !(k->fit > best->fit + gain))
        return;
    memcpy(best->length, k->length, sizeof k->length);
    best->nugget = k->nugget;
    best->fit = k->fit;
}

/* Tries one length for all dimensions; other lengths than the first, a plane and noise, must pay
 * for themselves. */
static void search_alike(struct kriging *k, size_t *at, double *block, struct constants *best)
{
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (size_t g = 0; g < sizeof nuggets / sizeof *nuggets; g++) {
            for (size_t i = 0; i < MODEL_PARAMS; i++)
                k->length[i] = lengths[l];
            k->nugget = nuggets[g];
            try_constants(k, at, block, 0, best);
            if (!l && !g && isfinite(best->fit))
                best->fit += 2 * price;
        }
}

static void search_each(struct kriging *k, size_t *at, double *block, struct constants *best)
{
    k->nugget = best->nugget;
    for (int round = 0; round < ROUNDS && isfinite(best->fit); round++)
        for (size_t i = 0; i < k->n_dims; i++)
            for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
                memcpy(k->length, best->length, sizeof k->length);
                k->length[i] *= factors[f];
                try_constants(k, at, block, price, best);
            }
}

/* Finds the best lengths and nugget, or takes the usual ones if there is only one group. */
static void search_constants(struct kriging *k, size_t *at, double *block)
{
    struct constants best = {.nugget = 0.1, .fit = -INFINITY};

    for (size_t i = 0; i < MODEL_PARAMS; i++)
        best.length[i] = 1;
    search_alike(k, at, block, &best);
    if (k->n_dims > 1)
        search_each(k, at, block, &best);
    memcpy(k->length, best.length, sizeof k->length);
    k->nugget = best.nugget;
    k->is_judged = solve_covariances(k, at, block);
    if (!k->is_judged)
        k->variance = 1;
}

struct kriging *kriging_create(struct portolan_arena *memory, size_t n_dims, size_t n,
                               const double *z, const double *level, const size_t *group)
{
    struct portolan_arena scratch = {0};
    struct kriging *k = portolan_arena_alloc(memory, 1, sizeof *k);
    double *levels = portolan_arena_alloc(memory, 4 * n, sizeof *levels);
    double *inverse = portolan_arena_alloc(memory, n, n * sizeof *inverse);
    size_t *at = portolan_arena_alloc(&scratch, n, sizeof *at);
    double *block = portolan_arena_alloc(&scratch, n, n * sizeof *block);

    if (memory->failed || scratch.failed) {
        portolan_arena_clear(&scratch);
        return NULL;
    }
    *k = (struct kriging){.n = n,
                          .n_dims = n_dims,
                          .z = z,
                          .group = group,
                          .slope = n >= n_dims + MORE_PLACES_THAN_SLOPES ? steep : 0,
                          .level = levels,
                          .inverse = inverse,
                          .reach = levels + n,
                          .error = levels + 2 * n,
                          .spread = levels + 3 * n};
    for (size_t i = 0; i < n; i++)
        k->mean += level[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        k->level[i] = level[i] - k->mean;
    search_constants(k, at, block);
    portolan_arena_clear(&scratch);
    return k;
}

bool kriging_left_out(const struct kriging *k, size_t i, double *error, double *sigma)
{
    *error = k->error[i];
    *sigma = sqrt(k->spread[i]);
    return k->is_judged;
}

void kriging_ask(const struct kriging *k, const double *z, double *level, double *sigma)
{
    double variance = covariance(k, z, z) + k->nugget, mine[KRIGING_MOST];

    *level = k->mean;
    for (size_t i = 0; i < k->n; i++) {
        mine[i] = covariance(k, z, &k->z[i * k->n_dims]);
        *level += mine[i] * k->reach[i];
    }
    for (size_t i = 0; i < k->n; i++)
        for (size_t j = 0; j <= i; j++)
            variance -= (i == j ? 1 : 2) * mine[i] * k->inverse[i * k->n + j] * mine[j];
    *sigma = sqrt(k->variance * fmax(variance, k->nugget));
}
