/* SPDX-License-Identifier: BSD-3-Clause */
/* amr.Driver: the operations of each step, in turn. */
#include "amr.h"
#include "steps.h"

#include <inttypes.h>

static enum portolan_status prepare(struct steps *s, gov_cca_TypeMap properties,
                                    struct portolan_error *err)
{
    (void)s, (void)properties, (void)err;
    return PORTOLAN_OK;
}

static double step(struct steps *s, void *port, sidl_BaseInterface *_ex)
{
    static void (*const operations[])(amr_Mesh, sidl_BaseInterface *) = {
        amr_Mesh_checkRefinement, amr_Mesh_refine,  amr_Mesh_checkDerefinement, amr_Mesh_derefine,
        amr_Mesh_balance,         amr_Mesh_prolong, amr_Mesh_fillGuardCells,    amr_Mesh_advance};

    (void)s;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        operations[i](port, _ex);
        SIDL_CHECK(*_ex);
    }
EXIT:
    return 0;
}

static void finish(struct steps *s)
{
    sidl_BaseInterface ex = NULL;

    if (s->port)
        portolan_log(PORTOLAN_LOG_NOTICE, "amr.Driver", "checksum %016" PRIx64,
                     (uint64_t)amr_Mesh_checksum(s->port, &ex));
    SIDL_CLEAR(ex);
}

static const struct steps_kind kind = {.cls = STEPS_CLASS("amr.Driver", struct steps),
                                       .port = "mesh",
                                       .type = "amr.Mesh",
                                       .prepare = prepare,
                                       .step = step,
                                       .finish = finish};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return steps_create(&kind, _ex);
}

PORTOLAN_COMPONENT(amr_Driver, "amr.Driver", create);
