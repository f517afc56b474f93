/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_component.h"

static const struct heat_assembler_kind kind = {.cls = HEAT_ASSEMBLER_CLASS("heat.BandAssembler"),
                                                .assemble = heat_assemble_band};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return heat_assembler_component_create(&kind, _ex);
}

PORTOLAN_COMPONENT(heat_BandAssembler, "heat.BandAssembler", create);
