/* SPDX-License-Identifier: BSD-3-Clause */
/* How types, arguments and slots are written in C. */
#include <portolan/sidl.h>

#include <stdio.h>
#include <string.h>

#include "emit.h"

/* snprintf in pieces: keeps counting when the buffer is full. */
struct out {
    char *buffer;
    size_t size, length;
};

static void put(struct out *o, const char *format, ...) PORTOLAN_PRINTF(2, 3);

static void put(struct out *o, const char *format, ...)
{
    const size_t room = o->length < o->size ? o->size - o->length : 0;
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(room ? o->buffer + o->length : NULL, room, format, args);
    va_end(args);
    o->length += length > 0 ? (size_t)length : 0;
}

/* The element's part of array names: sidl_double, gov_cca_ComponentID, … */
static void array_prefix(const struct portolan_sidl_type *element, struct out *o)
{
    if (element->symbol)
        put(o, "%s", element->symbol->c_name);
    else
        put(o, "sidl_%s", element->name);
}

/* The type of a value, without what mode and position add; ends ready for a name. */
static void value_type(const struct portolan_sidl_type *type, bool is_const, struct out *o)
{
    static const char *const names[] = {
        [PORTOLAN_SIDL_VOID] = "void ",     [PORTOLAN_SIDL_BOOL] = "sidl_bool ",
        [PORTOLAN_SIDL_CHAR] = "char ",     [PORTOLAN_SIDL_DCOMPLEX] = "struct sidl_dcomplex ",
        [PORTOLAN_SIDL_DOUBLE] = "double ", [PORTOLAN_SIDL_FCOMPLEX] = "struct sidl_fcomplex ",
        [PORTOLAN_SIDL_FLOAT] = "float ",   [PORTOLAN_SIDL_INT] = "int32_t ",
        [PORTOLAN_SIDL_LONG] = "int64_t ",  [PORTOLAN_SIDL_OPAQUE] = "void *",
    };

    switch (type->kind) {
    case PORTOLAN_SIDL_STRING:
        put(o, "%schar *", is_const ? "const " : "");
        break;
    case PORTOLAN_SIDL_ARRAY:
    case PORTOLAN_SIDL_RARRAY:
        put(o, "struct ");
        if (type->element)
            array_prefix(type->element, o);
        else
            put(o, "sidl");
        put(o, "__array *");
        break;
    case PORTOLAN_SIDL_ENUM:
        put(o, "enum %s__enum ", type->symbol->c_name);
        break;
    case PORTOLAN_SIDL_STRUCT:
        put(o, "struct %s__data ", type->symbol->c_name);
        break;
    case PORTOLAN_SIDL_OBJECT:
        put(o, "%s ", type->symbol->c_name);
        break;
    default:
        put(o, "%s", names[type->kind]);
    }
}

/* A parameter as VIEW has it. An in rarray is const to callers only: Babel's Impl files say so. */
static void parameter(const struct portolan_sidl_argument *a, enum c_view view, struct out *o)
{
    const bool is_in = a->mode == PORTOLAN_SIDL_IN;

    if (a->type->kind == PORTOLAN_SIDL_RARRAY && view != C_SLOT) {
        if (is_in && view == C_STUB)
            put(o, "const ");
        value_type(a->type->element, false, o);
        put(o, "*%s", a->name);
        return;
    }
    if (a->type->kind == PORTOLAN_SIDL_STRUCT && is_in)
        put(o, "const ");
    value_type(a->type, is_in, o);
    if (a->type->kind == PORTOLAN_SIDL_STRUCT || (!is_in && a->type->kind != PORTOLAN_SIDL_RARRAY))
        put(o, "*");
    put(o, "%s", a->name);
}

/* Enums come back as a long from Babel's Impl functions. */
static void result_type(const struct portolan_sidl_method *m, enum c_view view, struct out *o)
{
    if (view == C_IMPL && m->result->kind == PORTOLAN_SIDL_ENUM)
        put(o, "int64_t ");
    else
        value_type(m->result, false, o);
}

static void function(const struct portolan_sidl_method *m, enum c_view view, const char *name,
                     const char *self, struct out *o)
{
    result_type(m, view, o);
    put(o, "%s(%s", name, self ? self : "");
    for (size_t i = 0; i < m->n_arguments; i++) {
        if (view == C_SLOT && m->arguments[i].is_extent)
            continue;
        put(o, "%s", self ? ", " : "");
        self = "";
        parameter(&m->arguments[i], view, o);
    }
    put(o, "%ssidl_BaseInterface *_ex)", self ? ", " : "");
}

static size_t finish(struct out *o)
{
    if (o->size && o->length == 0)
        o->buffer[0] = '\0';
    return o->length;
}

size_t portolan_sidl_c_result(const struct portolan_sidl_method *method, char *buffer, size_t size)
{
    struct out o = {buffer, size, 0};

    value_type(method->result, false, &o);
    if (o.length && o.length < size && buffer[o.length - 1] == ' ')
        buffer[--o.length] = '\0';
    return finish(&o);
}

size_t portolan_sidl_c_parameter(const struct portolan_sidl_argument *argument, bool in_epv,
                                 char *buffer, size_t size)
{
    struct out o = {buffer, size, 0};

    if (!in_epv || !argument->is_extent)
        parameter(argument, in_epv ? C_SLOT : C_STUB, &o);
    return finish(&o);
}

size_t portolan_sidl_c_slot(const struct portolan_sidl_method *method, const char *name,
                            char *buffer, size_t size)
{
    struct out o = {buffer, size, 0};

    function(method, C_SLOT, name, "void *self", &o);
    return finish(&o);
}

size_t portolan_sidl_c_slot_arguments(const struct portolan_sidl_method *method, char *buffer,
                                      size_t size)
{
    struct out o = {buffer, size, 0};

    for (size_t i = 0; i < method->n_arguments; i++)
        if (!method->arguments[i].is_extent)
            put(&o, ", %s", method->arguments[i].name);
    put(&o, ", _ex");
    return finish(&o);
}

size_t portolan_sidl_epv_value(const struct portolan_sidl_method *method,
                               const struct portolan_sidl_argument *argument, char *buffer,
                               size_t size)
{
    struct out o = {buffer, size, 0};

    if (!argument->is_extent)
        put(&o, "%s", argument->name);
    for (size_t i = 0; i < method->n_arguments && argument->is_extent; i++) {
        const struct portolan_sidl_type *type = method->arguments[i].type;

        for (size_t k = 0; type->kind == PORTOLAN_SIDL_RARRAY && k < type->n_extents; k++)
            if (type->extents[k]->op == PORTOLAN_SIDL_OP_NAME && o.length == 0 &&
                strcmp(type->extents[k]->text, argument->name) == 0)
                put(&o, "sidlLength(%s, %zu)", method->arguments[i].name, k);
    }
    return finish(&o);
}

/* Fully parenthesised, so that C's precedence does not matter. */
static void expression(const struct portolan_sidl_expr *e, const char *prefix, struct out *o)
{
    if (e->op == PORTOLAN_SIDL_OP_BINARY) {
        put(o, "(");
        expression(e->operands[0], prefix, o);
        put(o, " %s ", e->text);
        expression(e->operands[1], prefix, o);
        put(o, ")");
    } else if (e->op == PORTOLAN_SIDL_OP_UNARY) {
        put(o, "(%s", e->text);
        expression(e->operands[0], prefix, o);
        put(o, ")");
    } else if (e->op == PORTOLAN_SIDL_OP_INTEGER) {
        put(o, "%lld", (long long)e->integer);
    } else {
        put(o, "%s%s", prefix, e->text);
    }
}

size_t c_expression(const struct portolan_sidl_expr *e, const char *prefix, char *buffer,
                    size_t size)
{
    struct out o = {buffer, size, 0};

    expression(e, prefix, &o);
    return finish(&o);
}

const char *c_value(struct portolan_arena *a, const struct portolan_sidl_type *type)
{
    struct out o = {NULL, 0, 0};

    value_type(type, false, &o);
    o = (struct out){portolan_arena_alloc(a, o.length + 1, 1), o.length + 1, 0};
    value_type(type, false, &o);
    return o.buffer;
}

const char *c_result(struct portolan_arena *a, const struct portolan_sidl_method *m,
                     enum c_view view)
{
    struct out o = {NULL, 0, 0};

    result_type(m, view, &o);
    o = (struct out){portolan_arena_alloc(a, o.length + 1, 1), o.length + 1, 0};
    result_type(m, view, &o);
    return o.buffer;
}

const char *c_function(struct portolan_arena *a, const struct portolan_sidl_method *m,
                       enum c_view view, const char *name, const char *self)
{
    struct out o = {NULL, 0, 0};

    function(m, view, name, self, &o);
    o = (struct out){portolan_arena_alloc(a, o.length + 1, 1), o.length + 1, 0};
    function(m, view, name, self, &o);
    return o.buffer;
}
