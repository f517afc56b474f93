/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_component.h"

static const struct heat_assembler_kind kind = {
    .cls = HEAT_ASSEMBLER_CLASS("heat.StencilAssembler"), .assemble = heat_assemble_stencil};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return heat_assembler_component_create(&kind, _ex);
}

PORTOLAN_COMPONENT(heat_StencilAssembler, "heat.StencilAssembler", create);
