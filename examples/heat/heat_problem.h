/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The physics: ∂u/∂t = ∇·(k(u) ∇u) + f on the unit square or cube with given values on the
 * boundary. A point is (x, y, z) with z unused on a plate.
 */
#ifndef HEAT_PROBLEM_H
#define HEAT_PROBLEM_H

#include "heat_input.h"

/** k(u). */
double heat_conductivity(const struct heat_input *in, double u);

/**
 * u on the boundary at any time and everywhere at time 0; with HEAT_MANUFACTURED the exact solution
 * everywhere at any time.
 */
double heat_value(const struct heat_input *in, double time, const double point[3]);

/** f. */
double heat_source(const struct heat_input *in, double time, const double point[3]);

#endif
