/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of bench_models share. */
#ifndef BENCH_MODELS_H
#define BENCH_MODELS_H

#include <portolan/models.h>
#include <stdint.h>

/* A sum of terms: the truth, or what a method made of its rows. */
struct sum {
    size_t n_params, n;
    struct portolan_model_term terms[PORTOLAN_MODEL_MAX_TERMS];
};

double sum_value(const struct sum *sum, const double *x);
/* The exponents that PARAM leads with: those of the term that grows fastest in it. */
void sum_lead(const struct sum *sum, size_t param, double *exponent, int *log);
/* The same terms, whatever the constants and with or without an additive one. */
bool sum_same_form(const struct sum *a, const struct sum *b);

/* Extra-P's default list for one parameter: notes-models.md, section 2.2. */
enum { EXTRAP_PAIRS = 42 };
struct pair {
    double exponent;
    unsigned char log;
};
extern const struct pair extrap_pairs[EXTRAP_PAIRS];

enum { MAX_POINTS = 25, REPETITIONS = 5, MAX_ROWS = MAX_POINTS * REPETITIONS };

struct series {
    struct sum truth;
    size_t n_params, m, n_rows;
    double x[MAX_ROWS * 2], y[MAX_ROWS]; /* repetitions of a point are neighbours */
    double one[2], four[2];              /* so many steps outside, in every parameter */
    size_t repetitions;                  /* of each point: at most REPETITIONS */
};

/* Numbers in [0, 1), the same everywhere. */
double draw(uint64_t *state);
/*
 * A truth of Extra-P's 43 classes over a doubling, linear or quadratic series of POINTS sizes in
 * each parameter; each term is 0.1 to 1 at the last point. Rows are value × (1 + noise (u - 1/2)).
 */
void series_draw(struct series *series, size_t n_params, size_t points, double noise,
                 uint64_t *state);

/* Size number I of a series of KIND 0, 1, 2: 4 8 16 …, 10 20 30 … or 4 16 36 …. */
double size_at(int kind, size_t i);

/* Extra-P's default method on the medians of the repetitions, every fit by LAPACK. */
void extrap_fit(const struct series *series, struct sum *found);

/* The table of predictions at twice the largest size. */
bool ahead_run(size_t n_series, uint64_t state);

/* Predictions of laws that are in no list, at 4 and 16 times the largest size. */
bool outside_run(size_t n_series, uint64_t state);

/* How far spikes change what is chosen. */
bool spikes_run(size_t n_series, uint64_t state);

#endif
