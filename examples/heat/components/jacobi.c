/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_component.h"

static enum portolan_status configure(gov_cca_TypeMap properties,
                                      struct heat_preconditioner **preconditioner,
                                      struct portolan_error *err)
{
    (void)properties;
    return heat_jacobi_create(preconditioner, err);
}

static const struct heat_preconditioner_kind kind = {
    .cls = HEAT_PRECONDITIONER_CLASS("heat.Jacobi"), .create = configure};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return heat_preconditioner_component_create(&kind, _ex);
}

PORTOLAN_COMPONENT(heat_Jacobi, "heat.Jacobi", create);
