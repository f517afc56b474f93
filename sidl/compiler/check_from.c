/* SPDX-License-Identifier: BSD-3-Clause */
/* `from Scope.method`: a class gives an inherited interface's method another name. */
#include "model.h"

#include <string.h>

/* Whether an interface's method can be renamed by this class. */
static bool check_scope(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    const struct portolan_sidl_symbol *scope = m->from_type->symbol;
    const struct portolan_sidl_place *place = &m->from_type->place;

    if (!scope)
        return false;
    if (scope->kind != PORTOLAN_SIDL_INTERFACE)
        diagnose_at(d, place, "from %s: %s is %s, only methods of interfaces get another name",
                    m->from, scope->full_name, symbol_kind_text(scope));
    else if (m->owner->kind != PORTOLAN_SIDL_CLASS)
        diagnose_at(d, place,
                    "from %s: %s is an interface, only a class gives a method another name",
                    m->from, m->owner->name);
    else if (m->owner->own.is_broken)
        return symbol_inherits(m->owner, scope->full_name);
    else if (!symbol_inherits(m->owner, scope->full_name))
        diagnose_at(d, place, "from %s: %s is no interface that %s implements", m->from,
                    scope->full_name, m->owner->name);
    else
        return true;
    return false;
}

bool check_from(struct portolan_sidl_model *model, struct portolan_sidl_method *m,
                struct portolan_diagnostics *d)
{
    const struct portolan_sidl_symbol *scope = m->from_type->symbol;
    const char *name = portolan_arena_printf(&model->arena, "%s%s", strrchr(m->from, '.') + 1,
                                             m->from_extension ? m->from_extension : "");
    const struct portolan_sidl_method *method = NULL;

    if (!check_scope(m, d))
        return false;
    for (size_t i = 0; i < scope->n_slots && !method; i++)
        if (strcmp(scope->slots[i]->slot_name, name) == 0)
            method = scope->slots[i];
    if (!method && scope->own.is_broken)
        return false;
    if (!method)
        diagnose_at(d, &m->from_place, "from %s: %s has no method %s", m->from, scope->full_name,
                    name);
    else if (strcmp(m->slot_name, name) == 0)
        diagnose_at(d, &m->from_place, "from %s: that is the method's own name, leave it out",
                    m->from);
    else
        m->renames = method;
    if (m->renames && !method_same_signature(method, m))
        diagnose_at(d, &m->from_place,
                    "from %s: that method has another signature, repeat it exactly", m->from);
    return m->renames != NULL;
}
