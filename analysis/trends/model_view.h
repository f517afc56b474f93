/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by all that show models: words for their parts, and points of their curves. */
#ifndef PORTOLAN_TREND_MODEL_VIEW_H
#define PORTOLAN_TREND_MODEL_VIEW_H

#include <portolan/models.h>

/* A term of M without its constant: "n^1.5 log2(p)". */
void model_add_shape(const struct portolan_model *m, const struct portolan_model_shape *shape,
                     struct portolan_text *out);
/* Where a piece of M holds: "n >= 1024, n/p from 64 to 4096". */
void model_add_conditions(const struct portolan_model *m, const struct portolan_model_condition *c,
                          size_t n, struct portolan_text *out);
/* "n between 190 and 200; it may lie from 180 to 200". */
void model_add_break(const struct portolan_model *m, const struct portolan_model_break *b,
                     struct portolan_text *out);

/* N points of a curve; where the model has no value, Y, LOW and HIGH are NaN. */
struct model_curve {
    size_t n;
    double *x, *y, *low, *high;
};

/*
 * Traces M along its parameter P from FIRST to LAST, in equal steps or, if LOG, in equal factors;
 * AT has the other parameters, and is changed. False when ARENA has no memory.
 */
bool model_trace(const struct portolan_model *m, size_t p, double *at, double first, double last,
                 bool log, struct portolan_arena *arena, struct model_curve *curve);

#endif
