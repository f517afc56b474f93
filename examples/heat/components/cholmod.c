/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_component.h"

#include <string.h>

static enum portolan_status configure(gov_cca_TypeMap properties,
                                      struct heat_preconditioner *preconditioner,
                                      struct heat_solver **solver, struct portolan_error *err)
{
    static const char *const methods[] = {[HEAT_CHOLMOD_AUTO] = "auto",
                                          [HEAT_CHOLMOD_SIMPLICIAL] = "simplicial",
                                          [HEAT_CHOLMOD_SUPERNODAL] = "supernodal"};
    sidl_BaseInterface ex;
    char *method = gov_cca_TypeMap_getString(properties, "method", "auto", &ex);
    enum portolan_status status;
    size_t i;

    (void)preconditioner;
    if (ex)
        return portolan_catch(&ex, err);
    for (i = 0; i < 3 && strcmp(method, methods[i]); i++)
        ;
    if (i < 3)
        status = heat_cholmod_create((enum heat_cholmod_method)i, solver, err);
    else
        status =
            portolan_error_set(err, PORTOLAN_EBADPROPERTIES,
                               "method is \"%s\": wanted auto, simplicial or supernodal", method);
    sidl_String_free(method);
    return status;
}

static const struct heat_solver_kind kind = {.cls = HEAT_SOLVER_CLASS("heat.Cholmod"),
                                             .uses_blas = true,
                                             .uses_preconditioner = false,
                                             .create = configure};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return heat_solver_component_create(&kind, _ex);
}

PORTOLAN_COMPONENT(heat_Cholmod, "heat.Cholmod", create);
