/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The input file of the heat example: geometry, grid, material, time steps, tolerance.
 *
 * Lines are `key = value`; `#` starts a comment. README.md lists the keys.
 */
#ifndef HEAT_INPUT_H
#define HEAT_INPUT_H

#include <portolan/base.h>

enum heat_solution {
    HEAT_MANUFACTURED, /**< a solution known in closed form, so that the error can be computed */
    HEAT_PULSE,        /**< a hot spot in the centre spreads and cools down */
    HEAT_TORCH         /**< a source of heat goes round in a circle */
};

struct heat_input {
    int dimension; /**< 2 = plate, 3 = block */
    int grid;      /**< interior points along each edge */
    int steps;
    double time_step;
    double k0, k1, k2; /**< conductivity k(u) = k0 (1 + k1 u + k2 u²) */
    double tolerance;  /**< of the outer iteration: relative residual */
    int overlap;       /**< layers by which neighbouring domains overlap */
    enum heat_solution solution;
};

/**
 * Reads and checks FILE. Every problem goes to D (may be NULL), the first also to ERR as
 * "file:line: what, what would be right". Errors: EIO when the file can't be read, ESYNTAX; then
 * *INPUT is undefined.
 */
enum portolan_status heat_input_read(const char *file, struct heat_input *input,
                                     struct portolan_diagnostics *d, struct portolan_error *err);

#endif
