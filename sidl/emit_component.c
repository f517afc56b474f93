/* SPDX-License-Identifier: BSD-3-Clause */
/* In the skeleton of a class that is a CCA component: the descriptor by which it is loaded. */
#include "emit.h"

bool emit_is_component(const struct portolan_sidl_symbol *s)
{
    return !(s->flags & PORTOLAN_SIDL_ABSTRACT) && symbol_inherits(s, "gov.cca.Component");
}

void emit_component(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    portolan_text_add(t,
                      "\nstatic gov_cca_Component create(sidl_BaseInterface *_ex)\n{\n"
                      "    %s object = %s__create(_ex);\n"
                      "    gov_cca_Component component = object ? gov_cca_Component__cast(object, "
                      "_ex) : NULL;\n\n"
                      "    sidl_reference_delete(object, NULL);\n"
                      "    return component;\n}\n",
                      s->c_name, s->c_name);
    portolan_text_add(t, "\nPORTOLAN_COMPONENT(%s, \"%s\", create);\n", s->c_name, s->full_name);
}
