/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_component.h"

static enum portolan_status configure(gov_cca_TypeMap properties,
                                      struct heat_preconditioner **preconditioner,
                                      struct portolan_error *err)
{
    sidl_BaseInterface ex;
    double modified = gov_cca_TypeMap_getDouble(properties, "modified", 0.0, &ex);

    if (ex)
        return portolan_catch(&ex, err);
    return heat_incomplete_cholesky_create(modified, preconditioner, err);
}

static const struct heat_preconditioner_kind kind = {
    .cls = HEAT_PRECONDITIONER_CLASS("heat.IncompleteCholesky"), .create = configure};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return heat_preconditioner_component_create(&kind, _ex);
}

PORTOLAN_COMPONENT(heat_IncompleteCholesky, "heat.IncompleteCholesky", create);
