/* SPDX-License-Identifier: BSD-3-Clause */
/* What is right SIDL, but what this version cannot emit: refused with its place, never left out. */
#include "emit.h"

#include <limits.h>
#include <string.h>

struct checker {
    const struct portolan_sidl_model *model;
    struct portolan_diagnostics *d;
};

static void refuse_struct(struct checker *c, const struct portolan_sidl_type *type)
{
    if (type->kind == PORTOLAN_SIDL_STRUCT)
        diagnose_at(c->d, &type->place,
                    "%s is a struct, which cannot be emitted yet, pass its fields as arguments",
                    type->symbol->full_name);
    else if (type->element)
        refuse_struct(c, type->element);
}

static void check_method_emittable(struct checker *c, const struct portolan_sidl_method *m)
{
    static const char *const taken[] = {"addRef", "deleteRef", "isSame", "isType", "getClassInfo"};

    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(m->slot_name, taken[i]) == 0)
            diagnose_at(c->d, &m->place, "every object has a method %s already, rename this one",
                        m->slot_name);
    if (m->n_requires || m->n_ensures)
        diagnose_at(c->d, m->n_requires ? &m->requires[0].place : &m->ensures[0].place,
                    "contracts cannot be enforced yet, remove the clauses of %s", m->name);
    refuse_struct(c, m->result);
    for (size_t i = 0; i < m->n_arguments; i++) {
        refuse_struct(c, m->arguments[i].type);
        if (strcmp(m->arguments[i].name, "self") == 0)
            diagnose_at(c->d, &m->arguments[i].place,
                        "'self' is the object's own name in C, rename the argument");
    }
}

static void check_class_emittable(struct checker *c, const struct portolan_sidl_symbol *s)
{
    const struct portolan_sidl_symbol *base = symbol_find(c->model, "sidl.BaseException");

    if (!s->is_exception)
        diagnose_at(c->d, &s->place,
                    "class %s cannot be emitted yet, only exception classes can: declare an "
                    "interface, and implement that",
                    s->name);
    else if (base && s->n_slots != base->n_slots)
        diagnose_at(c->d, &s->place,
                    "exception class %s has methods beyond those of sidl.BaseException, which "
                    "cannot be emitted yet: declare an interface, and implement that",
                    s->name);
    else if (s->flags & PORTOLAN_SIDL_ABSTRACT)
        diagnose_at(c->d, &s->place, "abstract class %s cannot be emitted yet", s->name);
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
    if (s->kind == PORTOLAN_SIDL_STRUCTURE)
        diagnose_at(c->d, &s->place, "struct %s cannot be emitted yet, use an interface", s->name);
    if (s->kind == PORTOLAN_SIDL_ENUMERATION)
        check_enum_emittable(c, s);
    if (s->kind == PORTOLAN_SIDL_CLASS)
        check_class_emittable(c, s);
    if (s->n_invariants)
        diagnose_at(c->d, &s->invariants[0].place,
                    "contracts cannot be enforced yet, remove the invariants of %s", s->name);
    for (size_t i = 0; i < s->n_methods; i++)
        check_method_emittable(c, s->methods[i]);
}

void check_emittable(const struct portolan_sidl_model *model, struct portolan_diagnostics *d)
{
    struct checker checker = {model, d};

    portolan_sidl_visit(model->global, check_type, &checker);
}
