/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with the model, and what can only be known once it is whole. */
#include "model.h"

#include <string.h>

struct checker {
    struct portolan_sidl_model *model;
    struct portolan_diagnostics *d;
};

static bool value_is_used(const struct portolan_sidl_symbol *s, int64_t value, size_t before)
{
    for (size_t i = 0; i < s->n_enumerators; i++)
        if ((s->enumerators[i].is_explicit || i < before) && s->enumerators[i].value == value)
            return true;
    return false;
}

/* Each enumerator without a value takes the smallest number from 0 that nobody has. */
static void number_enumerators(struct portolan_sidl_symbol *s)
{
    int64_t next = 0;

    for (size_t i = 0; i < s->n_enumerators; i++) {
        if (s->enumerators[i].is_explicit)
            continue;
        while (value_is_used(s, next, i))
            next++;
        s->enumerators[i].value = next++;
    }
}

static bool uses_name(const struct portolan_sidl_expr *e, const char *name)
{
    if (e->op == PORTOLAN_SIDL_OP_NAME && strcmp(e->text, name) == 0)
        return true;
    for (size_t i = 0; i < e->n_operands; i++)
        if (uses_name(e->operands[i], name))
            return true;
    return false;
}

static void mark_extents(struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_type *type = m->arguments[i].type;

        for (size_t k = 0; k < type->n_extents; k++)
            for (size_t j = 0; j < m->n_arguments; j++)
                if (uses_name(type->extents[k], m->arguments[j].name))
                    m->arguments[j].is_extent = true;
    }
}

static void check_package(struct checker *c, struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        struct portolan_sidl_symbol *s = package->children[i];

        if (s->kind == PORTOLAN_SIDL_PACKAGE)
            check_package(c, s);
        else
            s->version = package->version;
        number_enumerators(s);
        for (size_t k = 0; k < s->n_methods; k++)
            mark_extents(s->methods[k]);
    }
}

void check_model(struct portolan_sidl_model *model, struct portolan_diagnostics *d)
{
    struct checker checker = {model, d};

    check_package(&checker, model->global);
}
