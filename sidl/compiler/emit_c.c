/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes pieces of C: types, signatures, calls, comments and long lines. */
#include "emit.h"

#include <string.h>

enum { PAGE_WIDTH = 100 };

/* The element's part of array names: sidl_double, gov_cca_ComponentID, … */
static void put_array_prefix(struct portolan_text *t, const struct portolan_sidl_type *element)
{
    if (element->symbol)
        portolan_text_add(t, "%s", element->symbol->c_name);
    else
        portolan_text_add(t, "sidl_%s", element->name);
}

/* The type of a value, without the stars of its mode; a name can follow. */
static void put_value_type(struct portolan_text *t, const struct portolan_sidl_type *type,
                           bool is_const)
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
        portolan_text_add(t, "%schar *", is_const ? "const " : "");
        break;
    case PORTOLAN_SIDL_ARRAY:
    case PORTOLAN_SIDL_RARRAY:
        portolan_text_add(t, "struct ");
        if (type->element)
            put_array_prefix(t, type->element);
        else
            portolan_text_add(t, "sidl");
        portolan_text_add(t, "__array *");
        break;
    case PORTOLAN_SIDL_ENUM:
        portolan_text_add(t, "enum %s__enum ", type->symbol->c_name);
        break;
    case PORTOLAN_SIDL_STRUCT:
        portolan_text_add(t, "struct %s__data ", type->symbol->c_name);
        break;
    case PORTOLAN_SIDL_OBJECT:
        portolan_text_add(t, "%s ", type->symbol->c_name);
        break;
    default:
        portolan_text_add(t, "%s", names[type->kind]);
    }
}

/* A parameter in VIEW. As in Babel's Impl files, an in rarray is const for callers only. */
static void put_parameter(struct portolan_text *t, const struct portolan_sidl_argument *a,
                          enum c_view view)
{
    const bool is_in = a->mode == PORTOLAN_SIDL_IN;

    if (a->type->kind == PORTOLAN_SIDL_RARRAY && view != C_SLOT) {
        if (is_in && view == C_STUB)
            portolan_text_add(t, "const ");
        put_value_type(t, a->type->element, false);
        portolan_text_add(t, "*%s", a->name);
        return;
    }
    if (a->type->kind == PORTOLAN_SIDL_STRUCT && is_in)
        portolan_text_add(t, "const ");
    put_value_type(t, a->type, is_in);
    if (a->type->kind == PORTOLAN_SIDL_STRUCT || (!is_in && a->type->kind != PORTOLAN_SIDL_RARRAY))
        portolan_text_add(t, "*");
    portolan_text_add(t, "%s", a->name);
}

const char *c_value(struct portolan_arena *a, const struct portolan_sidl_type *type)
{
    struct portolan_text t = {.arena = a};

    put_value_type(&t, type, false);
    return t.bytes;
}

/* Babel's Impl functions return enums as long. */
const char *c_result(struct portolan_arena *a, const struct portolan_sidl_method *m,
                     enum c_view view)
{
    return view == C_IMPL && m->result->kind == PORTOLAN_SIDL_ENUM ? "int64_t "
                                                                   : c_value(a, m->result);
}

const char *c_function(struct portolan_arena *a, const struct portolan_sidl_method *m,
                       enum c_view view, const char *name, const char *self)
{
    struct portolan_text t = {.arena = a};

    portolan_text_add(&t, "%s%s(%s", c_result(a, m, view), name, self ? self : "");
    for (size_t i = 0; i < m->n_arguments; i++) {
        if (view == C_SLOT && m->arguments[i].is_extent)
            continue;
        portolan_text_add(&t, "%s", self ? ", " : "");
        self = "";
        put_parameter(&t, &m->arguments[i], view);
    }
    portolan_text_add(&t, "%ssidl_BaseInterface *_ex)", self ? ", " : "");
    return t.bytes;
}

const char *portolan_sidl_c_result(struct portolan_arena *a, const struct portolan_sidl_method *m)
{
    struct portolan_text t = {.arena = a};

    put_value_type(&t, m->result, false);
    if (t.length && t.bytes[t.length - 1] == ' ')
        t.bytes[--t.length] = '\0';
    return t.bytes;
}

const char *portolan_sidl_c_slot(struct portolan_arena *a, const struct portolan_sidl_method *m,
                                 const char *name)
{
    return c_function(a, m, C_SLOT, name, "void *self");
}

const char *portolan_sidl_c_slot_arguments(struct portolan_arena *a,
                                           const struct portolan_sidl_method *m)
{
    struct portolan_text t = {.arena = a};

    for (size_t i = 0; i < m->n_arguments; i++)
        if (!m->arguments[i].is_extent)
            portolan_text_add(&t, ", %s", m->arguments[i].name);
    portolan_text_add(&t, ", _ex");
    return t.bytes;
}

const char *portolan_sidl_epv_value(struct portolan_arena *a, const struct portolan_sidl_method *m,
                                    const struct portolan_sidl_argument *argument)
{
    for (size_t i = 0; i < m->n_arguments && argument->is_extent; i++) {
        const struct portolan_sidl_type *type = m->arguments[i].type;

        for (size_t k = 0; type->kind == PORTOLAN_SIDL_RARRAY && k < type->n_extents; k++)
            if (type->extents[k]->op == PORTOLAN_SIDL_OP_NAME &&
                strcmp(type->extents[k]->text, argument->name) == 0)
                return portolan_arena_printf(a, "sidlLength(%s, %zu)", m->arguments[i].name, k);
    }
    return portolan_arena_strdup(a, argument->name);
}

/* Fully parenthesised, so that C's precedence does not matter. */
void emit_extent(struct portolan_text *t, const struct portolan_sidl_expr *e)
{
    if (e->op == PORTOLAN_SIDL_OP_BINARY) {
        portolan_text_add(t, "(");
        emit_extent(t, e->operands[0]);
        portolan_text_add(t, " %s ", e->text);
        emit_extent(t, e->operands[1]);
        portolan_text_add(t, ")");
    } else if (e->op == PORTOLAN_SIDL_OP_UNARY) {
        portolan_text_add(t, "(%s", e->text);
        emit_extent(t, e->operands[0]);
        portolan_text_add(t, ")");
    } else if (e->op == PORTOLAN_SIDL_OP_INTEGER) {
        portolan_text_add(t, "%lld", (long long)e->integer);
    } else {
        portolan_text_add(t, "%s", e->text);
    }
}

/* Text */

void emit_named(struct portolan_text *t, const char *name, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "@");

        portolan_text_add_bytes(t, text, length);
        text += length;
        if (*text == '@') {
            portolan_text_add(t, "%s", name);
            text++;
        }
    }
}

void emit_broken(struct portolan_text *t, const char *line, int indent, bool is_macro)
{
    const size_t width = is_macro ? PAGE_WIDTH - 2 : PAGE_WIDTH; /* without the backslash */
    size_t room = width;

    while (strlen(line) > room) {
        size_t cut = room;

        while (cut > 0 &&
               !(line[cut] == ' ' && (line[cut - 1] == ',' || (is_macro && line[cut - 1] == ';'))))
            cut--;
        if (cut == 0)
            break;
        portolan_text_add(t, "%.*s%s\n%*s", (int)cut, line, is_macro ? " \\" : "", indent, "");
        line += cut + 1;
        room = width - (size_t)indent;
    }
    portolan_text_add(t, "%s\n", line);
}

void emit_wrapped(struct emitter *e, struct portolan_text *t, int indent, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    emit_broken(t, portolan_arena_vprintf(e->arena, format, args), indent, false);
    va_end(args);
}

void emit_begin_function(struct emitter *e, struct portolan_text *t,
                         const struct portolan_sidl_method *m, const char *name)
{
    portolan_text_add(t, "\n");
    emit_wrapped(e, t, 4, "static %s",
                 c_function(e->arena, m, C_SLOT, name, method_is_static(m) ? NULL : "void *self"));
    portolan_text_add(t, "{\n");
}

struct call emit_begin_call(struct emitter *e, const char *format, ...)
{
    struct call c = {.text = {.arena = e->arena}};
    va_list args;

    va_start(args, format);
    portolan_text_add(&c.text, "%s(", portolan_arena_vprintf(e->arena, format, args));
    va_end(args);
    return c;
}

void emit_argument(struct call *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    portolan_text_add(&c->text, "%s%s", c->has_arguments ? ", " : "",
                      portolan_arena_vprintf(c->text.arena, format, args));
    va_end(args);
    c->has_arguments = true;
}

void emit_slot_arguments(struct call *c, const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < m->n_arguments; i++)
        if (!m->arguments[i].is_extent)
            emit_argument(c, "%s", m->arguments[i].name);
}

void emit_end_call(struct portolan_text *t, struct call *c)
{
    emit_argument(c, "_ex");
    portolan_text_add(&c->text, ");");
    emit_broken(t, c->text.bytes, 8, false);
}

void emit_unused(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_method *m)
{
    struct portolan_text line = {.arena = e->arena};
    const char *before = "        ";

    if (!method_is_static(m)) {
        portolan_text_add(&line, "        (void)self");
        before = ", ";
    }
    for (size_t i = 0; i < m->n_arguments; i++, before = ", ")
        portolan_text_add(&line, "%s(void)%s", before, m->arguments[i].name);
    if (line.length)
        emit_wrapped(e, t, 8, "%s;", line.bytes);
}

void emit_comment_text(struct portolan_text *t, const char *comment, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const bool opens = i && comment[i] == '*' && comment[i - 1] == '/';
        const bool ends_trigraph =
            i > 1 && comment[i] == '/' && comment[i - 1] == '?' && comment[i - 2] == '?';

        portolan_text_add(t, opens || ends_trigraph ? " %c" : "%c", comment[i]);
    }
}

void emit_comment(struct portolan_text *t, const char *comment, int indent)
{
    if (!comment)
        return;
    if (!strchr(comment, '\n')) {
        portolan_text_add(t, "%*s/** ", indent, "");
        emit_comment_text(t, comment, strlen(comment));
        portolan_text_add(t, " */\n");
        return;
    }
    portolan_text_add(t, "%*s/**\n", indent, "");
    while (*comment) {
        const size_t length = strcspn(comment, "\n");

        portolan_text_add(t, "%*s *%s", indent, "", length ? " " : "");
        emit_comment_text(t, comment, length);
        portolan_text_add(t, "\n");
        comment += length + (comment[length] == '\n');
    }
    portolan_text_add(t, "%*s */\n", indent, "");
}

const char *emit_method_comment(struct portolan_arena *a, const struct portolan_sidl_method *m)
{
    struct portolan_text text = {.arena = a};

    if (m->comment)
        portolan_text_add(&text, "%s", m->comment);
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].comment)
            portolan_text_add(&text, "%s%s: %s", text.length ? "\n" : "", m->arguments[i].name,
                              m->arguments[i].comment);
    return text.bytes;
}

/* Values that wrappers return */

const char *emit_zero(const struct portolan_sidl_type *type)
{
    static const char *const zeros[PORTOLAN_SIDL_OBJECT + 1] = {
        [PORTOLAN_SIDL_DCOMPLEX] = "{0}", [PORTOLAN_SIDL_FCOMPLEX] = "{0}",
        [PORTOLAN_SIDL_STRUCT] = "{0}",   [PORTOLAN_SIDL_OPAQUE] = "NULL",
        [PORTOLAN_SIDL_STRING] = "NULL",  [PORTOLAN_SIDL_ARRAY] = "NULL",
        [PORTOLAN_SIDL_OBJECT] = "NULL",
    };

    return zeros[type->kind] ? zeros[type->kind] : "0";
}

void emit_give_up(struct portolan_text *t, const struct portolan_sidl_method *m, const char *result)
{
    const bool is_void = m->result->kind == PORTOLAN_SIDL_VOID;

    portolan_text_add(t, "    if (*_ex)\n        return%s%s;\n", is_void ? "" : " ",
                      is_void ? "" : result);
}

/* Emits code that releases the value PLACE, whose address is POINTER. */
static void put_drop(struct portolan_text *t, const struct portolan_sidl_type *type,
                     const char *place, const char *pointer)
{
    static const char *const kinds[PORTOLAN_SIDL_OBJECT + 1] = {
        [PORTOLAN_SIDL_STRING] = "STRING",
        [PORTOLAN_SIDL_OBJECT] = "OBJECT",
        [PORTOLAN_SIDL_ARRAY] = "ARRAY",
    };

    if (kinds[type->kind])
        portolan_text_add(t, "        SIDL_DROP(%s, %s);\n", kinds[type->kind], place);
    else if (type->kind == PORTOLAN_SIDL_STRUCT)
        portolan_text_add(t, "        SIDL_DROP_STRUCT(%s, %s);\n", type->symbol->c_name, pointer);
}

/* On an exception callers ignore _retval and out arguments: releases them. */
static void put_drops(struct emitter *e, struct portolan_text *t,
                      const struct portolan_sidl_method *m)
{
    const size_t before = t->length;
    size_t after;

    portolan_text_add(t, "    if (*_ex) {\n");
    after = t->length;
    put_drop(t, m->result, "_retval", "&_retval");
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].mode == PORTOLAN_SIDL_OUT)
            put_drop(t, m->arguments[i].type,
                     portolan_arena_printf(e->arena, "*%s", m->arguments[i].name),
                     m->arguments[i].name);
    if (t->length > after)
        portolan_text_add(t, "    }\n");
    else
        t->length = before;
}

void emit_begin_wrapper(struct emitter *e, struct portolan_text *t,
                        const struct portolan_sidl_method *m, const char *name,
                        const char *declarations)
{
    const bool is_void = m->result->kind == PORTOLAN_SIDL_VOID;

    emit_begin_function(e, t, m, name);
    portolan_text_add(t, "%s", declarations);
    if (!is_void)
        portolan_text_add(t, "    %s_retval = %s;\n", c_result(e->arena, m, C_SLOT),
                          emit_zero(m->result));
    portolan_text_add(t, "%s", is_void && !*declarations ? "" : "\n");
}

void emit_end_wrapper(struct emitter *e, struct portolan_text *t,
                      const struct portolan_sidl_method *m)
{
    put_drops(e, t, m);
    portolan_text_add(t, "%s}\n",
                      m->result->kind == PORTOLAN_SIDL_VOID ? "" : "    return _retval;\n");
}
