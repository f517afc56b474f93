/* SPDX-License-Identifier: BSD-3-Clause */
/* Methods: modifiers, arguments, raw arrays, exceptions, attributes. */
#include "model.h"

#include <string.h>

static bool is_number(const struct portolan_sidl_type *type)
{
    switch (type->kind) {
    case PORTOLAN_SIDL_DCOMPLEX:
    case PORTOLAN_SIDL_DOUBLE:
    case PORTOLAN_SIDL_FCOMPLEX:
    case PORTOLAN_SIDL_FLOAT:
    case PORTOLAN_SIDL_INT:
    case PORTOLAN_SIDL_LONG:
        return true;
    default:
        return false;
    }
}

static bool can_be_context(const struct portolan_sidl_type *type)
{
    return type->kind == PORTOLAN_SIDL_BOOL || type->kind == PORTOLAN_SIDL_CHAR ||
           type->kind == PORTOLAN_SIDL_ENUM ||
           (is_number(type) && type->kind != PORTOLAN_SIDL_DCOMPLEX &&
            type->kind != PORTOLAN_SIDL_FCOMPLEX);
}

static void check_modifiers(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    const unsigned communication =
        m->flags & (PORTOLAN_SIDL_ONEWAY | PORTOLAN_SIDL_LOCAL | PORTOLAN_SIDL_NONBLOCKING);
    const unsigned kind =
        m->flags & (PORTOLAN_SIDL_ABSTRACT | PORTOLAN_SIDL_FINAL | PORTOLAN_SIDL_STATIC);
    bool returns = m->result->kind != PORTOLAN_SIDL_VOID;

    if (communication & (communication - 1))
        diagnose_at(d, &m->place, "%s may have one of oneway, local and nonblocking, not several",
                    m->name);
    if ((kind & PORTOLAN_SIDL_ABSTRACT) && (kind & (kind - 1)))
        diagnose_at(d, &m->place, "%s is abstract and cannot be %s too", m->name,
                    kind & PORTOLAN_SIDL_FINAL ? "final" : "static");
    if (m->owner->kind == PORTOLAN_SIDL_INTERFACE &&
        (kind & (PORTOLAN_SIDL_STATIC | PORTOLAN_SIDL_FINAL)))
        diagnose_at(d, &m->place, "%s is a method of an interface and cannot be %s", m->name,
                    kind & PORTOLAN_SIDL_STATIC ? "static" : "final");
    for (size_t i = 0; i < m->n_arguments; i++)
        returns |= m->arguments[i].mode != PORTOLAN_SIDL_IN;
    if ((m->flags & PORTOLAN_SIDL_ONEWAY) && (returns || m->n_throws))
        diagnose_at(d, &m->place,
                    "%s is oneway: nothing comes back, so it is void, throws nothing and has only "
                    "in arguments",
                    m->name);
}

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

static void check_extent_argument(struct portolan_sidl_method *m,
                                  const struct portolan_sidl_expr *name, const char *array,
                                  bool is_alone, struct portolan_diagnostics *d)
{
    const char *known[64], *nearest;
    size_t n_known = 0;

    for (size_t i = 0; i < m->n_arguments; i++) {
        struct portolan_sidl_argument *a = &m->arguments[i];

        if (strcmp(a->name, name->text) != 0) {
            if (n_known < 64)
                known[n_known++] = a->name;
            continue;
        }
        a->is_extent |= is_alone;
        if (a->mode != PORTOLAN_SIDL_IN ||
            (a->type->kind != PORTOLAN_SIDL_INT && a->type->kind != PORTOLAN_SIDL_LONG))
            diagnose_at(d, &a->place, "%s is an extent of %s, so it must be an in int or in long",
                        a->name, array);
        return;
    }
    nearest = portolan_nearest_word(name->text, known, n_known);
    diagnose_at(d, &name->place, "%s is an extent of %s, but no argument of %s%s%s%s", name->text,
                array, m->name, nearest ? ", did you mean " : "", nearest ? nearest : "",
                nearest ? "?" : "");
}

static void check_rarray(struct portolan_sidl_method *m, const struct portolan_sidl_argument *a,
                         struct portolan_diagnostics *d)
{
    if (!is_number(a->type->element))
        diagnose_at(d, &a->type->element->place, "an rarray holds numbers, use array<%s> instead",
                    a->type->element->name);
    if (a->mode == PORTOLAN_SIDL_OUT)
        diagnose_at(d, &a->place, "rarray %s cannot be out, its memory is the caller's: use inout",
                    a->name);
    if (a->type->n_extents != (size_t)a->type->dimension)
        diagnose_at(d, &a->place, "rarray %s has %d dimension%s but %zu extent%s", a->name,
                    a->type->dimension, a->type->dimension == 1 ? "" : "s", a->type->n_extents,
                    a->type->n_extents == 1 ? "" : "s");
    for (size_t i = 0; i < a->type->n_extents; i++) {
        const struct portolan_sidl_expr *name = NULL;

        if (check_extent_form(a->type->extents[i], &name, d) && name)
            check_extent_argument(m, name, a->name, name == a->type->extents[i], d);
    }
}

static bool has_rarray(const struct portolan_sidl_type *type)
{
    for (size_t i = 0; type->kind == PORTOLAN_SIDL_STRUCT && i < type->symbol->n_fields; i++)
        if (type->symbol->fields[i].type->kind == PORTOLAN_SIDL_RARRAY)
            return true;
    return false;
}

static void check_argument(struct portolan_sidl_method *m, size_t i, struct portolan_diagnostics *d)
{
    const struct portolan_sidl_argument *a = &m->arguments[i];

    check_identifier(a->name, &a->place, "an argument", d);
    if (a->type->kind == PORTOLAN_SIDL_VOID)
        diagnose_at(d, &a->type->place, "argument %s cannot be void", a->name);
    if (a->type->kind == PORTOLAN_SIDL_RARRAY)
        check_rarray(m, a, d);
    if (a->mode == PORTOLAN_SIDL_OUT && has_rarray(a->type))
        diagnose_at(d, &a->place, "%s holds an rarray and cannot be out, use inout",
                    a->type->symbol->name);
    if (a->copy && !(a->type->kind == PORTOLAN_SIDL_OBJECT &&
                     symbol_inherits(a->type->symbol, "sidl.io.Serializable")))
        diagnose_at(d, &a->place, "copy needs a type that is a sidl.io.Serializable, %s is not",
                    a->type->name);
    for (size_t k = 0; k < i; k++)
        if (strcmp(a->name, m->arguments[k].name) == 0)
            diagnose_at(d, &a->place, "%s has two arguments called %s", m->name, a->name);
}

static void check_throws(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    for (size_t i = 0; i < m->n_throws; i++) {
        const struct portolan_sidl_type *thrown = m->throws[i];

        if (!symbol_is_object(thrown->symbol) || !thrown->symbol->is_exception)
            diagnose_at(d, &thrown->place,
                        "%s cannot be thrown, it does not inherit "
                        "sidl.BaseException",
                        thrown->symbol->full_name);
        for (size_t k = 0; k < i; k++)
            if (m->throws[k]->symbol == thrown->symbol)
                diagnose_at(d, &thrown->place, "%s is listed twice", thrown->symbol->full_name);
    }
}

/* Runs when is_extent is known for all arguments. */
static void check_meanings(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    const struct portolan_sidl_attribute *accuracy =
        portolan_sidl_attribute(m->attributes, m->n_attributes, "accuracy");
    const struct portolan_sidl_attribute *context =
        portolan_sidl_attribute(m->attributes, m->n_attributes, "context");

    check_attributes(m->attributes, m->n_attributes, d);
    if (accuracy && m->result->kind != PORTOLAN_SIDL_DOUBLE)
        diagnose_at(d, &accuracy->place,
                    "accuracy on a method means its result, which must be "
                    "double");
    if (context)
        diagnose_at(d, &context->place, "context belongs in front of an argument, not of a method");
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];

        check_attributes(a->attributes, a->n_attributes, d);
        accuracy = portolan_sidl_attribute(a->attributes, a->n_attributes, "accuracy");
        context = portolan_sidl_attribute(a->attributes, a->n_attributes, "context");
        if (accuracy && (a->mode == PORTOLAN_SIDL_IN || a->type->kind != PORTOLAN_SIDL_DOUBLE))
            diagnose_at(d, &accuracy->place, "accuracy needs an out double argument, %s is none",
                        a->name);
        if (context && (a->mode != PORTOLAN_SIDL_IN || !can_be_context(a->type)))
            diagnose_at(d, &context->place,
                        "context needs an in argument that is one number, %s is none", a->name);
    }
}

/* `from Scope.method`: a class gives an interface's method another name. */
static void check_from(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    const char *method = strrchr(m->from, '.');
    const struct portolan_sidl_symbol *scope = NULL;
    const size_t length = method ? (size_t)(method - m->from) : 0;
    size_t k = 0;

    for (size_t i = 0; i < m->owner->n_implements && !scope; i++) {
        const struct portolan_sidl_symbol *s = m->owner->implements[i]->symbol;
        const size_t full = strlen(s->full_name);

        if (full >= length && strncmp(s->full_name + full - length, m->from, length) == 0 &&
            (full == length || s->full_name[full - length - 1] == '.'))
            scope = s;
    }
    if (m->owner->kind != PORTOLAN_SIDL_CLASS || !scope) {
        diagnose_at(d, &m->place, "from %s: %.*s is no interface that %s implements", m->from,
                    (int)length, m->from, m->owner->name);
        return;
    }
    while (k < scope->n_slots && strcmp(scope->slots[k]->slot_name, method + 1) != 0)
        k++;
    if (k == scope->n_slots)
        diagnose_at(d, &m->place, "from %s: %s has no method %s", m->from, scope->full_name,
                    method + 1);
    else if (strcmp(m->slot_name, method + 1) == 0)
        diagnose_at(d, &m->place, "from %s: that is the method's own name, leave it out", m->from);
}

void check_method(struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    check_identifier(m->slot_name, &m->place, "a method", d);
    if (strcmp(m->name, m->owner->name) == 0)
        diagnose_at(d, &m->place, "method %s has the name of its type", m->name);
    if (m->result->kind == PORTOLAN_SIDL_RARRAY || has_rarray(m->result))
        diagnose_at(d, &m->result->place,
                    "an rarray cannot be a result, its memory is the caller's: use array");
    check_modifiers(m, d);
    for (size_t i = 0; i < m->n_arguments; i++)
        check_argument(m, i, d);
    check_throws(m, d);
    if (m->from)
        check_from(m, d);
    check_meanings(m, d);
    check_contract(m, d);
}
