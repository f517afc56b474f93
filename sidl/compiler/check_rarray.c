/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw arrays: what they hold, and their extents over arguments or fields. */
#include "model.h"

#include <string.h>

/* + - * / over integers and at most one name, which goes to *NAME. */
static bool check_extent_form(const struct portolan_sidl_expr *e,
                              const struct portolan_sidl_expr **name,
                              struct portolan_diagnostics *d)
{
    static const char operators[] = "+-*/";

    if (e->op == PORTOLAN_SIDL_OP_NAME) {
        if (*name && strcmp((*name)->text, e->text) != 0) {
            diagnose_at(d, &e->place, "an extent depends on one argument only, not on %s and %s",
                        (*name)->text, e->text);
            return false;
        }
        *name = e;
    } else if (e->op == PORTOLAN_SIDL_OP_BINARY || e->op == PORTOLAN_SIDL_OP_UNARY) {
        if (strlen(e->text) != 1 || !strchr(operators, *e->text)) {
            diagnose_at(d, &e->place, "'%s' in an extent, only + - * / are possible", e->text);
            return false;
        }
        for (size_t i = 0; i < e->n_operands; i++)
            if (!check_extent_form(e->operands[i], name, d))
                return false;
    } else if (e->op != PORTOLAN_SIDL_OP_INTEGER) {
        diagnose_at(d, &e->place, "'%s' in an extent, only integers and arguments are possible",
                    e->text);
        return false;
    }
    return true;
}

static bool is_integer(const struct portolan_sidl_type *type)
{
    return type->kind == PORTOLAN_SIDL_INT || type->kind == PORTOLAN_SIDL_LONG ||
           type_is_unknown(type);
}

/* What may be an extent, nearest to NAME. */
static const char *nearest_name(const struct extent_scope *scope, const char *name)
{
    const char *known[64];
    size_t n = 0;

    for (size_t i = 0; i < scope->n_arguments && n < 64; i++)
        if (is_integer(scope->arguments[i].type))
            known[n++] = scope->arguments[i].name;
    for (size_t i = 0; i < scope->n_fields && n < 64; i++)
        if (is_integer(scope->fields[i].type))
            known[n++] = scope->fields[i].name;
    return portolan_nearest_word(name, known, n);
}

static void check_extent_name(const struct extent_scope *scope,
                              const struct portolan_sidl_expr *name, const char *array,
                              bool is_alone, struct portolan_diagnostics *d)
{
    const void *found = names_find(scope->words, name->text, strlen(name->text));
    const char *nearest = found ? NULL : nearest_name(scope, name->text);

    if (!found) {
        diagnose_at(d, &name->place, "%s is an extent of %s, but no %s of %s%s", name->text, array,
                    scope->arguments ? "argument" : "field", scope->of,
                    portolan_did_you_mean(nearest).text);
    } else if (scope->arguments) {
        struct portolan_sidl_argument *a = (struct portolan_sidl_argument *)found;

        if (a->mode == PORTOLAN_SIDL_IN && is_integer(a->type)) {
            a->is_extent |= is_alone;
            return;
        }
        if (!a->is_extent)
            diagnose_at(d, &a->place, "%s is an extent of %s, so it must be an in int or in long",
                        a->name, array);
        a->is_extent = true; /* told once */
    } else if (!is_integer(((const struct portolan_sidl_field *)found)->type)) {
        diagnose_at(d, &name->place, "%s is an extent of %s, so it must be an int or long",
                    name->text, array);
    }
}

static bool can_be_element(const struct portolan_sidl_type *type)
{
    switch (type->kind) {
    case PORTOLAN_SIDL_CHAR: /* Babel's own files use it */
    case PORTOLAN_SIDL_DCOMPLEX:
    case PORTOLAN_SIDL_DOUBLE:
    case PORTOLAN_SIDL_FCOMPLEX:
    case PORTOLAN_SIDL_FLOAT:
    case PORTOLAN_SIDL_INT:
    case PORTOLAN_SIDL_LONG:
        return true;
    default:
        return type_is_unknown(type);
    }
}

void check_rarray(const struct extent_scope *scope, const struct portolan_sidl_type *type,
                  const char *name, const struct portolan_sidl_place *place,
                  struct portolan_diagnostics *d)
{
    if (!can_be_element(type->element))
        diagnose_at(d, &type->element->place, "an rarray holds numbers, use array<%s> instead",
                    type->element->name);
    if (type->n_extents != (size_t)type->dimension)
        diagnose_at(d, place, "rarray %s has %d dimension%s but %zu extent%s", name,
                    type->dimension, type->dimension == 1 ? "" : "s", type->n_extents,
                    type->n_extents == 1 ? "" : "s");
    for (size_t i = 0; i < type->n_extents; i++) {
        const struct portolan_sidl_expr *variable = NULL;

        if (check_extent_form(type->extents[i], &variable, d) && variable)
            check_extent_name(scope, variable, name, variable == type->extents[i], d);
    }
}
