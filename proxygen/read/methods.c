/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the members of a table of operations: methods with their parameters, and plain data. */
#include "read.h"

#include <string.h>

bool proxygen_is_object(struct header *h, CXType type, CXType object)
{
    CXType to = proxygen_pointee(h, type);

    return object.kind != CXType_Invalid && to.kind == CXType_Record &&
           !h->clang->isVolatileQualifiedType(to) &&
           h->clang->equalCursors(h->clang->getTypeDeclaration(to),
                                  h->clang->getTypeDeclaration(h->clang->getCanonicalType(object)));
}

struct method *proxygen_add_skipped(struct header *h, CXCursor cursor, const char *why)
{
    struct method *m = proxygen_add_method(h->run);

    if (!m)
        return NULL;
    m->name = m->member = proxygen_header_spelling(h, cursor);
    m->head = m->result = "void @";
    m->place = proxygen_header_cursor_place(h, cursor);
    m->skip = why;
    return m;
}

/* A struct first mentioned in a parameter list is local to it, so nothing else can name it. */
static bool is_invisible(struct header *h, CXType type)
{
    struct place place;

    type = h->clang->getCanonicalType(type);
    while (type.kind == CXType_Pointer)
        type = h->clang->getCanonicalType(h->clang->getPointeeType(type));
    if (type.kind != CXType_Record && type.kind != CXType_Enum)
        return false;
    place = proxygen_header_cursor_place(h, h->clang->getTypeDeclaration(type));
    for (size_t i = 0; i < h->n_invisible; i++)
        if (place.file && h->invisible[i].file && place.line == h->invisible[i].line &&
            place.column == h->invisible[i].column && strcmp(place.file, h->invisible[i].file) == 0)
            return true;
    return false;
}

static const char *canonical_spelling(struct header *h, CXType type)
{
    return proxygen_header_type_text(h, h->clang->getCanonicalType(type));
}

bool proxygen_is_nameless(const char *declaration)
{
    return strstr(declaration, "(unnamed") || strstr(declaration, "(anonymous");
}

/* The declaration of a variable for the result, without a const at the top level. */
static const char *declare_result(struct header *h, CXType type)
{
    const char *text = proxygen_declare(h, type, "@");
    const char *cut = type.kind == CXType_Pointer ? strstr(text, "const @") : text;

    if (!h->clang->isConstQualifiedType(type) || !cut || strncmp(cut, "const ", 6) != 0)
        return text;
    return proxygen_print(&h->run->arena, "%.*s%s", (int)(cut - text), text, cut + 6);
}

/* The function type of an argument; NULL when no stand-in is possible. */
static const struct method *read_callee(struct header *h, CXType type)
{
    struct portolan_arena *arena = &h->run->arena;
    CXType function = h->clang->getCanonicalType(type), result;
    struct method *m = portolan_arena_alloc(arena, 1, sizeof *m);
    bool known;

    if (function.kind == CXType_Pointer)
        function = h->clang->getPointeeType(function);
    result = h->clang->getResultType(function);
    if (!m || function.kind != CXType_FunctionProto || h->clang->isFunctionTypeVariadic(function))
        return NULL;
    m->convention = proxygen_calling_convention(h, function, &known);
    m->n_arguments = (size_t)h->clang->getNumArgTypes(function);
    m->arguments = portolan_arena_alloc(arena, m->n_arguments + 1, sizeof *m->arguments);
    m->result = declare_result(h, result);
    m->head = proxygen_print(arena, "%s%s%s", m->convention ? m->convention : "",
                             m->convention ? " " : "", proxygen_declare(h, result, "@"));
    m->returns = result.kind != CXType_Void;
    known &= !proxygen_is_nameless(m->result) && !is_invisible(h, result);
    for (size_t i = 0; m->arguments && i < m->n_arguments; i++) {
        CXType argument = h->clang->getArgType(function, (unsigned)i);

        m->arguments[i].name = "";
        m->arguments[i].declaration = proxygen_declare(h, argument, "@");
        known &= !proxygen_is_nameless(m->arguments[i].declaration) && !is_invisible(h, argument);
    }
    if (!m->arguments || !known)
        return NULL;
    proxygen_name_arguments(h->run, m);
    return m;
}

/* Structs that the header does not show can be pointed to, but neither passed nor returned. */
static void note_incomplete(struct header *h, CXType type, struct method *m)
{
    CXType canonical = h->clang->getCanonicalType(type);

    if ((canonical.kind == CXType_Record || canonical.kind == CXType_Enum) &&
        h->clang->Type_getSizeOf(canonical) == CXTypeLayoutError_Incomplete)
        m->skip = proxygen_print(&h->run->arena,
                                 "the header does not show what '%s' is, which it passes by value",
                                 proxygen_header_type_text(h, type));
}

/*
 * The only member of the struct TYPE points to that points to the port's struct. Functions that do
 * not take their object may find it there, for example those of libjpeg's managers in cinfo->dest.
 */
static const char *find_holder(struct header *h, CXType type)
{
    CXType to = proxygen_pointee(h, type);
    const char *member = NULL;
    struct cursors fields;
    int n = 0;

    if (h->held.kind == CXType_Invalid || to.kind != CXType_Record ||
        h->clang->isConstQualifiedType(to))
        return NULL;
    fields = proxygen_children_of(h, h->clang->getTypeDeclaration(to), CXCursor_FieldDecl);
    for (size_t i = 0; i < fields.n; i++) {
        CXType field = h->clang->getCursorType(fields.items[i]);

        if (!proxygen_is_object(h, field, h->held) ||
            h->clang->isConstQualifiedType(proxygen_pointee(h, field)))
            continue;
        member = proxygen_header_spelling(h, fields.items[i]);
        n++;
    }
    return n == 1 ? member : NULL;
}

static bool reads_integer(struct header *h, CXType type)
{
    CXType to = proxygen_pointee(h, type);

    return to.kind != CXType_Invalid && h->clang->isConstQualifiedType(to) &&
           to.kind != CXType_Char_S && to.kind != CXType_Char_U &&
           proxygen_type_value_kind(h, to) == VALUE_INTEGER;
}

void proxygen_describe_argument(struct header *h, CXCursor cursor, struct method *m,
                                struct argument *a)
{
    struct annotations notes = proxygen_read_annotations(h, cursor);

    a->name = proxygen_header_spelling(h, cursor);
    a->place = proxygen_header_cursor_place(h, cursor);
    a->context = notes.context;
    a->accuracy = notes.accuracy;
    m->described |= notes.context;
}

static enum portolan_status read_argument(struct header *h, CXType type, const CXCursor *cursor,
                                          CXType object, struct method *m, struct argument *a)
{
    struct run *run = h->run;

    if (cursor) {
        type = h->clang->getCursorType(*cursor); /* arrays as they are written */
        proxygen_describe_argument(h, *cursor, m, a);
    } else {
        a->name = "";
    }
    if (is_invisible(h, type))
        return proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &a->place,
                             "%s is first mentioned in this parameter list, where nobody else can "
                             "name it; declare it above the table",
                             proxygen_header_type_text(h, type));
    note_incomplete(h, type, m);
    a->declaration = proxygen_declare(h, type, "@"); /* the name may still change */
    a->kind = proxygen_type_value_kind(h, type);
    a->form = proxygen_type_form(h, type);
    if (a->form == FORM_FUNCTION)
        a->callee = read_callee(h, type);
    a->record = proxygen_record_behind(h, type, &a->depth);
    a->reads_integer = reads_integer(h, type);
    a->input = true;
    a->role = proxygen_is_object(h, type, object) ? ROLE_PEER : ROLE_PLAIN;
    a->holder = a->role == ROLE_PEER ? NULL : find_holder(h, type);
    if (proxygen_is_nameless(a->declaration))
        return proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &a->place,
                             "the type of this parameter has no name, so nothing else can have it");
    return PORTOLAN_OK;
}

static enum portolan_status read_arguments(struct header *h, CXCursor field, CXType function,
                                           CXType object, struct method *m)
{
    CXType canonical = h->clang->getCanonicalType(function); /* without restrict and the like */
    int count = h->clang->getNumArgTypes(function);
    struct cursors known = proxygen_find_parameters(h, field, count);
    bool found = false;

    m->arguments = portolan_arena_alloc(&h->run->arena, (size_t)count + 1, sizeof *m->arguments);
    if (!m->arguments)
        return PORTOLAN_ENOMEM;
    m->n_arguments = (size_t)count;
    for (int i = 0; i < count; i++) {
        struct argument *a = &m->arguments[i];
        enum portolan_status status;

        a->place = m->place;
        a->type = canonical_spelling(h, h->clang->getArgType(canonical, (unsigned)i));
        status = read_argument(h, h->clang->getArgType(function, (unsigned)i),
                               known.n ? &known.items[i] : NULL, object, m, a);
        if (status != PORTOLAN_OK)
            return status;
        if (!found && (a->role == ROLE_PEER || a->holder)) {
            a->role = a->holder ? ROLE_HOLDER : ROLE_OBJECT;
            found = true;
            h->run->port->selfless = false;
        }
    }
    if (!found && object.kind != CXType_Invalid)
        m->skip =
            proxygen_print(&h->run->arena,
                           "no parameter is a %s *, so the proxy cannot tell whose it is; the "
                           "implementation's own function stays in the table",
                           h->run->port->object);
    return PORTOLAN_OK;
}

static enum portolan_status read_result(struct header *h, CXType function, struct method *m)
{
    CXType result = h->clang->getResultType(function);
    int depth;

    note_incomplete(h, result, m);
    m->result_type = canonical_spelling(h, result);
    m->result = declare_result(h, result);
    m->head = proxygen_declare(h, result, "@"); /* the parameters follow */
    if (m->convention)
        m->head = proxygen_print(&h->run->arena, "%s %s", m->convention, m->head);
    m->result_kind = proxygen_type_value_kind(h, result);
    m->result_record = proxygen_record_behind(h, result, &depth);
    if (depth != 1)
        m->result_record = NULL;
    m->returns = h->clang->getCanonicalType(result).kind != CXType_Void;
    if (!proxygen_is_nameless(m->result))
        return PORTOLAN_OK;
    return proxygen_fail(h->run, PORTOLAN_EUNSUPPORTED, &m->place,
                         "the type that '%s' returns has no name, so nothing else can have it",
                         m->name);
}

/* Returns whether a method with this name ends its object; others need a side file or an
 * annotation. */
static bool is_end(const char *name)
{
    static const char *const names[] = {"free", "destroy", "finalize", "delete"};

    return PROXYGEN_IS_AMONG(name, names);
}

static bool returns_twice(const char *name)
{
    static const char *const names[] = {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp",
                                        "vfork",  "savectx", "getcontext"};

    return PROXYGEN_IS_AMONG(name, names);
}

/* Reads the calling convention, and whether the function returns not at all or twice. */
static enum portolan_status read_call(struct header *h, CXCursor cursor, CXType function,
                                      struct method *m)
{
    const struct unknown_attribute *unknown = proxygen_unknown_attribute(h, cursor);
    const char *attributes = proxygen_print_attributes(h, cursor);
    bool known;

    m->convention = proxygen_calling_convention(h, function, &known);
    if (!known)
        return proxygen_fail(h->run, PORTOLAN_EUNSUPPORTED, &m->place,
                             "'%s' has a calling convention that a proxy in C cannot have",
                             m->name);
    if (unknown)
        return proxygen_fail(h->run, PORTOLAN_EUNSUPPORTED, &unknown->place,
                             "attribute '%s' of '%s' is unknown here and may change how it is "
                             "called; leave it out under #ifdef PORTOLAN_PROXYGEN if it does not",
                             unknown->name, m->name);
    m->no_return = strstr(proxygen_header_type_text(h, function), "noreturn") ||
                   strstr(attributes, "_Noreturn") || strstr(attributes, "((noreturn))");
    m->variadic = h->clang->isFunctionTypeVariadic(function);
    if (m->variadic)
        m->skip = m->convention
                      ? "variadic with a calling convention of its own, which C cannot forward"
                      : "variadic, which C cannot forward; the original is called as it is";
    if (returns_twice(m->name) || strstr(attributes, "((returns_twice))"))
        m->skip = "it may return twice, and what stands in for it would be gone the second time";
    return PORTOLAN_OK;
}

enum portolan_status proxygen_read_method(struct header *h, CXCursor field, CXType function,
                                          CXType object, struct method *m)
{
    CXType canonical = h->clang->getCanonicalType(function);
    struct annotations notes = proxygen_read_annotations(h, field);
    bool listed = h->run->port->shape == SHAPE_FUNCTIONS;
    enum portolan_status status;

    m->name = m->member = proxygen_header_spelling(h, field);
    m->place = proxygen_header_cursor_place(h, field);
    if (canonical.kind == CXType_FunctionNoProto)
        return proxygen_fail(
            h->run, PORTOLAN_EUNSUPPORTED, &m->place,
            "'%s' does not say what it takes; write its parameters, or (void)%s%s%s", m->name,
            listed ? ", or leave it out with --functions '!" : "", listed ? m->name : "",
            listed ? "'" : "");
    status = read_call(h, field, canonical, m);
    if (status != PORTOLAN_OK)
        return status;
    m->accuracy = notes.accuracy;
    m->status = notes.status;
    m->destroys = notes.destroys || is_end(m->name);
    status = read_result(h, function, m);
    if (status == PORTOLAN_OK)
        status = read_arguments(h, field, function, object, m);
    if (status != PORTOLAN_OK)
        return status;
    proxygen_name_arguments(h->run, m);
    if (m->variadic && !m->convention && object.kind != CXType_Invalid)
        m->skip = "variadic, which C cannot forward; the implementation's own function stays in "
                  "the table and gets the proxy's object, so it must reach its state through the "
                  "members that the header shows";
    return PORTOLAN_OK;
}

static bool is_function_array(struct header *h, CXCursor field)
{
    CXType type = h->clang->getCanonicalType(h->clang->getCursorType(field));

    while (type.kind == CXType_ConstantArray)
        type = h->clang->getCanonicalType(h->clang->getArrayElementType(type));
    return proxygen_pointed_function(h, type).kind != CXType_Invalid &&
           h->clang->getCanonicalType(h->clang->getCursorType(field)).kind == CXType_ConstantArray;
}

enum portolan_status proxygen_read_methods(struct header *h, const CXCursor *fields,
                                           const char *const *paths, size_t n_fields, CXType object)
{
    enum portolan_status first = PORTOLAN_OK;

    for (size_t i = 0; i < n_fields; i++) {
        CXType function = proxygen_pointed_function(h, h->clang->getCursorType(fields[i]));
        struct method *m;

        if (function.kind == CXType_Invalid && !is_function_array(h, fields[i]))
            continue; /* data: copied with the table */
        if (function.kind == CXType_Invalid) {
            m = proxygen_add_skipped(h, fields[i],
                                     "an array of functions, which is copied as it is");
        } else if ((m = proxygen_add_method(h->run))) {
            enum portolan_status status = proxygen_read_method(h, fields[i], function, object, m);

            if (first == PORTOLAN_OK)
                first = status;
        }
        if (!m)
            return PORTOLAN_ENOMEM;
        /* Members of a struct in the table: "group.member" is measured as "group_member". */
        m->member = paths[i];
        m->name = proxygen_c_name(&h->run->arena, paths[i]);
    }
    return first;
}
