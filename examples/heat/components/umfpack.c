/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_component.h"

static enum portolan_status configure(gov_cca_TypeMap properties,
                                      struct heat_preconditioner *preconditioner,
                                      struct heat_solver **solver, struct portolan_error *err)
{
    (void)properties;
    (void)preconditioner;
    return heat_umfpack_create(solver, err);
}

static const struct heat_solver_kind kind = {.cls = HEAT_SOLVER_CLASS("heat.Umfpack"),
                                             .uses_blas = true,
                                             .uses_preconditioner = false,
                                             .create = configure};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return heat_solver_component_create(&kind, _ex);
}

PORTOLAN_COMPONENT(heat_Umfpack, "heat.Umfpack", create);
