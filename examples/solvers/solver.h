/* SPDX-License-Identifier: BSD-3-Clause */
/** What the solvers of this example share: each is one function and a descriptor. */
#ifndef SOLVERS_SOLVER_H
#define SOLVERS_SOLVER_H

#include <portolan/framework.h>

#include "matrix.h"

/** x = A⁻¹ b; x is 0 on entry. A status other than OK when it cannot be done, with the reason. */
typedef enum portolan_status solvers_solve_fn(const struct solvers_matrix *a, const double *b,
                                              double *x, struct portolan_error *err);

struct solvers_kind {
    struct sidl_class cls;
    solvers_solve_fn *solve;
};

struct solvers_component {
    struct sidl_object object;
    solvers_solve_fn *solve;
};

extern const struct sidl_implements solvers_implements[2];
gov_cca_Component solvers_component_create(const struct solvers_kind *kind,
                                           sidl_BaseInterface *_ex);

/** The component solvers.NAME, which solves by SOLVE. */
#define SOLVERS_COMPONENT(NAME, SOLVE)                                                             \
    static gov_cca_Component create(sidl_BaseInterface *_ex)                                       \
    {                                                                                              \
        static const struct solvers_kind kind = {.cls = {.name = "solvers." #NAME,                 \
                                                         .version = "1.0",                         \
                                                         .size = sizeof(struct solvers_component), \
                                                         .implements = solvers_implements,         \
                                                         .n_implements = 2},                       \
                                                 .solve = (SOLVE)};                                \
                                                                                                   \
        return solvers_component_create(&kind, _ex);                                               \
    }                                                                                              \
    PORTOLAN_COMPONENT(solvers_##NAME, "solvers." #NAME, create)

#endif
