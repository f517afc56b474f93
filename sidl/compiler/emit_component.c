/* SPDX-License-Identifier: BSD-3-Clause */
/* In the skeleton of a class that is a CCA component: the descriptor by which it is loaded. */
#include "emit.h"

#include <string.h>

bool emit_is_component(const struct portolan_sidl_symbol *s)
{
    return !(s->flags & PORTOLAN_SIDL_ABSTRACT) && symbol_inherits(s, "gov.cca.Component");
}

/* The method of S or a class above it by which it says where it applies; NULL: none. */
static const struct portolan_sidl_method *find_query(const struct portolan_sidl_symbol *s)
{
    for (; s; s = class_parent(s))
        for (size_t i = 0; i < s->n_methods; i++)
            if (portolan_sidl_attribute(s->methods[i]->attributes, s->methods[i]->n_attributes,
                                        "applies"))
                return s->methods[i];
    return NULL;
}

/* What its values lie between, as arguments of C. */
static const char *limits_of(const struct portolan_sidl_type *type)
{
    switch (type->kind) {
    case PORTOLAN_SIDL_BOOL:
        return "0, 1";
    case PORTOLAN_SIDL_CHAR:
        return "0, 127";
    case PORTOLAN_SIDL_LONG:
        return "-9007199254740992.0, 9007199254740992.0";
    case PORTOLAN_SIDL_FLOAT:
        return "-3.4e38, 3.4e38";
    case PORTOLAN_SIDL_DOUBLE:
        return "-1.7e308, 1.7e308";
    default:
        return "INT32_MIN, INT32_MAX";
    }
}

/* From the values of contexts, looked up by the names of the arguments, to a call. */
static void emit_query(struct emitter *e, struct portolan_text *t,
                       const struct portolan_sidl_method *m)
{
    struct portolan_text call = {.arena = e->arena};

    portolan_text_add(t,
                      "\nstatic enum portolan_answer applies(portolan_condition_lookup_fn lookup, "
                      "void *arg)\n{\n    double value[%zu];\n"
                      "    sidl_BaseInterface ex = NULL;\n    sidl_bool answer;\n\n",
                      m->n_arguments + 1);
    portolan_text_add(&call, "    answer = %s_%s(", m->owner->c_name, m->slot_name);
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];
        const char *type = c_value(e->arena, a->type);

        portolan_text_add(t,
                          "    if (!portolan_condition_number(lookup, arg, \"%s\", %s, "
                          "&value[%zu]))\n        return PORTOLAN_UNKNOWN;\n",
                          a->name, limits_of(a->type), i);
        portolan_text_add(&call, "(%.*s)value[%zu], ", (int)strcspn(type, " "), type, i);
    }
    portolan_text_add(t,
                      "%s&ex);\n    if (ex) {\n        sidl_reference_delete(ex, NULL);\n"
                      "        return PORTOLAN_UNKNOWN;\n    }\n"
                      "    return answer ? PORTOLAN_YES : PORTOLAN_NO;\n}\n",
                      call.bytes);
}

void emit_component(struct emitter *e, struct portolan_text *t,
                    const struct portolan_sidl_symbol *s)
{
    const struct portolan_sidl_method *query = find_query(s);

    portolan_text_add(t,
                      "\nstatic gov_cca_Component create(sidl_BaseInterface *_ex)\n{\n"
                      "    %s object = %s__create(_ex);\n"
                      "    gov_cca_Component component = object ? gov_cca_Component__cast(object, "
                      "_ex) : NULL;\n\n"
                      "    sidl_reference_delete(object, NULL);\n"
                      "    return component;\n}\n",
                      s->c_name, s->c_name);
    if (query)
        emit_query(e, t, query);
    portolan_text_add(t, "\nPORTOLAN_COMPONENT%s(%s, \"%s\", create%s);\n", query ? "_ASKED" : "",
                      s->c_name, s->full_name, query ? ", applies" : "");
}
