/* SPDX-License-Identifier: BSD-3-Clause */
/* What is right SIDL, but cannot be said in C: refused with its place, never left out. */
#include "emit.h"

#include <limits.h>
#include <string.h>

struct checker {
    struct portolan_diagnostics *d;
};

/* Babel has no arrays of structs either. */
static void refuse_struct_array(struct checker *c, const struct portolan_sidl_type *type)
{
    if (type->element && type->element->kind == PORTOLAN_SIDL_STRUCT)
        diagnose_at(c->d, &type->place, "arrays hold no structs, make %s an interface",
                    type->element->symbol->full_name);
}

static void check_method_emittable(struct checker *c, const struct portolan_sidl_method *m)
{
    static const char *const taken[] = {"addRef", "deleteRef", "isSame", "isType", "getClassInfo"};

    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(m->slot_name, taken[i]) == 0)
            diagnose_at(c->d, &m->place, "every object has a method %s already, rename this one",
                        m->slot_name);
    refuse_struct_array(c, m->result);
    for (size_t i = 0; i < m->n_arguments; i++) {
        refuse_struct_array(c, m->arguments[i].type);
        if (strcmp(m->arguments[i].name, "self") == 0)
            diagnose_at(c->d, &m->arguments[i].place,
                        "'self' is the object's own name in C, rename the argument");
    }
}

static void check_enum_emittable(struct checker *c, const struct portolan_sidl_symbol *s)
{
    for (size_t i = 0; i < s->n_enumerators; i++)
        if (s->enumerators[i].value < INT_MIN || s->enumerators[i].value > INT_MAX)
            diagnose_at(c->d, &s->enumerators[i].place, "%s does not fit into an int of C",
                        s->enumerators[i].name);
}

static void check_type(void *arg, const struct portolan_sidl_symbol *s)
{
    struct checker *c = arg;

    if (!s->is_requested || emit_is_handwritten(s))
        return;
    for (size_t i = 0; i < s->n_fields; i++)
        refuse_struct_array(c, s->fields[i].type);
    if (s->kind == PORTOLAN_SIDL_ENUMERATION)
        check_enum_emittable(c, s);
    for (size_t i = 0; i < s->n_methods; i++)
        check_method_emittable(c, s->methods[i]);
}

void check_emittable(const struct portolan_sidl_model *model, bool server,
                     struct portolan_diagnostics *d)
{
    struct checker checker = {d};

    if (server)
        return; /* no more than what callers need */

    portolan_sidl_visit(model->global, check_type, &checker);
}
