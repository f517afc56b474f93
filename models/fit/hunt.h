/* SPDX-License-Identifier: BSD-3-Clause */
/* hunt.c for exact.c: sets of few shapes, called words, that span values of few rows. */
#ifndef MODELS_HUNT_H
#define MODELS_HUNT_H

#include "models_internal.h"

#include <string.h>

enum { QUICK = 16, WORDS = 128, SET = 3, DIMS = 4, PLAIN_WORDS = 18 };

/* Relative to values: what may be exact, before all values are looked at. */
static const double nearly = 1e-8;

struct words {
    size_t n;
    struct portolan_model_shape shape[WORDS];
    double cost[WORDS]; /* the least wins where several sets of shapes are exact */
};

/* Orthonormal vectors. */
struct span {
    size_t m, n;
    double q[QUICK][QUICK];
};

/* Makes V orthogonal to S, and returns how much of its length is left. */
double span_take(const struct span *s, double *v);
void span_scale(size_t m, double *v); /* to the length 1 */
/* Adds what of V is not in S yet; false if that is next to nothing. */
bool span_add(struct span *s, const double *v);

/* Some rows of the problem, as vectors: few, so that many sets of words can be tried. */
struct quick {
    struct words words;
    size_t m;
    double column[WORDS][QUICK];
    struct span fixed, target;  /* what each law may have, the constant say; what it is to give */
    double rest[QUICK], varies; /* of the targets, of length 1; how much of them that is */
    double aim[DIMS], at[DIMS][WORDS]; /* the targets and the words in few dimensions */
};

/* What a word costs: the plainer, the less. */
double quick_price(double exponent, unsigned log);
/* The words of PARAM, and their columns at M values X, times W. */
void quick_list_words(struct quick *q, size_t param, const double *x, const double *w);
/*
 * Sets aim and at: what is fixed is taken away, and the rest is seen in few directions. Returns in
 * how many: a set of words needs one more than it has words to be told from chance.
 */
size_t quick_compress(struct quick *q);
/* By how much, relative to the values, the best SIZE (2 or 3) of Q's first N words miss them. */
double quick_nearest_miss(const struct quick *q, size_t n, size_t size);

struct set {
    size_t n;
    size_t word[SET];
    double cost;
};

/* A search for the cheapest set that HOLDS for all values. */
struct hunt {
    struct quick *q;
    bool (*holds)(const struct hunt *h, const struct set *set);
    struct exact *exact; /* for HOLDS */
    struct set best;
};

/* They try sets of that many words, triples of the first N. */
void hunt_singles(struct hunt *h);
void hunt_pairs(struct hunt *h);
void hunt_triples(struct hunt *h, size_t n);
/* Finds the smallest set of at most MOST words; false: none. */
bool hunt_all(struct hunt *h, size_t most);

#endif
