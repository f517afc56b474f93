/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HERCULE_EVALUATE_H
#define HERCULE_EVALUATE_H

#include "internal.h"

/* Supplies what formulas of metrics name, except metrics: from a trace (recognise/), from profiles,
   or from a table. False: not measured yet. */
typedef bool (*hercule_lookup_fn)(void *arg, const struct paradigm *paradigm,
                                  const struct reference *reference, struct measured *value);

/* Values of all metrics: VALUES[i] of metric i; those that cannot be had yet have 0 samples. False:
 * no memory. */
bool metrics_evaluate(const struct paradigm *paradigm, hercule_lookup_fn lookup, void *arg,
                      struct measured *values);

/* One expression, when VALUES are those of the metrics. False: something it names is not measured.
 */
bool expression_evaluate(const struct paradigm *paradigm, const struct expression *expression,
                         hercule_lookup_fn lookup, void *arg, struct measured *values,
                         struct measured *value);

#endif
