/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_component.h"

static enum portolan_status configure(gov_cca_TypeMap properties,
                                      struct heat_preconditioner *preconditioner,
                                      struct heat_solver **solver, struct portolan_error *err)
{
    sidl_BaseInterface ex;
    double tolerance = gov_cca_TypeMap_getDouble(properties, "tolerance", 1e-7, &ex);
    int iterations;

    if (ex)
        return portolan_catch(&ex, err);
    iterations = gov_cca_TypeMap_getInt(properties, "maxIterations", 10000, &ex);
    if (ex)
        return portolan_catch(&ex, err);
    return heat_cg_create(preconditioner, tolerance, iterations, solver, err);
}

static const struct heat_solver_kind kind = {.cls = HEAT_SOLVER_CLASS("heat.ConjugateGradients"),
                                             .uses_blas = false,
                                             .uses_preconditioner = true,
                                             .create = configure};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return heat_solver_component_create(&kind, _ex);
}

PORTOLAN_COMPONENT(heat_ConjugateGradients, "heat.ConjugateGradients", create);
