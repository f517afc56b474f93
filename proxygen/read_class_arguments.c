/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the parameters of a C++ method: types, possible contexts, and how they are handed on. */
#include "class.h"

#include <string.h>

CXType proxygen_cxx_without_reference(struct cxx_reader *r, CXType type)
{
    const struct portolan_libclang *clang = r->h->clang;

    type = clang->getCanonicalType(type);
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference
               ? clang->getCanonicalType(clang->getPointeeType(type))
               : type;
}

/* A class's own: `size() const`, which anybody may call and which gives a whole number. */
static bool has_size(struct cxx_reader *r, CXType type)
{
    const struct portolan_libclang *clang = r->h->clang;
    CXCursor declaration, pattern;
    struct cursors list;

    if (type.kind != CXType_Record)
        return false;
    declaration = clang->getTypeDeclaration(type);
    pattern = clang->getSpecializedCursorTemplate(declaration);
    if (!clang->Cursor_isNull(pattern))
        declaration = pattern;
    list = proxygen_children_of(r->h, clang->getCursorDefinition(declaration), CXCursor_CXXMethod);
    for (size_t i = 0; i < list.n; i++)
        if (strcmp(proxygen_header_spelling(r->h, list.items[i]), "size") == 0 &&
            clang->CXXMethod_isConst(list.items[i]) &&
            clang->getCXXAccessSpecifier(list.items[i]) == CX_CXXPublic &&
            clang->getNumArgTypes(clang->getCursorType(list.items[i])) == 0)
            return true;
    return false;
}

/* The length of a text rarely says how long a call takes. */
static bool holds_characters(struct cxx_reader *r, CXType type)
{
    const struct portolan_libclang *clang = r->h->clang;
    CXType element = clang->Type_getTemplateArgumentAsType(type, 0);

    if (element.kind == CXType_Invalid)
        return false;
    element = clang->getCanonicalType(element);
    return element.kind == CXType_Char_S || element.kind == CXType_Char_U ||
           element.kind == CXType_WChar || element.kind == CXType_Char16 ||
           element.kind == CXType_Char32;
}

static void read_kind(struct cxx_reader *r, CXType type, struct argument *a)
{
    const struct portolan_libclang *clang = r->h->clang;
    CXType canonical = clang->getCanonicalType(type),
           plain = proxygen_cxx_without_reference(r, type);

    a->kind = proxygen_type_value_kind(r->h, plain);
    a->form = proxygen_type_form(r->h, plain);
    a->input = true;
    if (canonical.kind == CXType_LValueReference && a->kind == VALUE_REAL &&
        !clang->isConstQualifiedType(plain))
        a->kind = VALUE_REAL_POINTER;
    a->is_sized = has_size(r, plain);
    if (a->is_sized)
        a->kind = VALUE_INTEGER;
    a->is_guessable = a->is_sized && !holds_characters(r, plain) &&
                      (canonical.kind != CXType_LValueReference ||
                       clang->isConstQualifiedType(clang->getPointeeType(canonical)));
    a->is_moved = canonical.kind == CXType_RValueReference || canonical.kind == CXType_Record;
}

/* Another object of the port's class, which may be a proxy's. */
bool proxygen_cxx_is_peer(struct cxx_reader *r, CXType type)
{
    const struct portolan_libclang *clang = r->h->clang;
    CXType canonical = clang->getCanonicalType(type);

    if (canonical.kind != CXType_Pointer && canonical.kind != CXType_LValueReference)
        return false;
    return clang->equalCursors(
        clang->getTypeDeclaration(clang->getCanonicalType(clang->getPointeeType(canonical))),
        clang->getTypeDeclaration(r->classes[0].type));
}

static enum portolan_status read_argument(struct cxx_reader *r, CXType type, CXCursor cursor,
                                          struct method *m, struct argument *a)
{
    struct annotations notes = proxygen_read_annotations(r->h, cursor);

    a->name = proxygen_header_spelling(r->h, cursor);
    a->place = m->place;
    a->context = notes.context;
    a->accuracy = notes.accuracy;
    m->described |= notes.context;
    a->declaration = proxygen_cxx_declare(r, type, "@");
    read_kind(r, type, a);
    a->role = proxygen_cxx_is_peer(r, type) ? ROLE_PEER : ROLE_PLAIN;
    if (!strstr(a->declaration, "(unnamed") && !strstr(a->declaration, "(anonymous"))
        return PORTOLAN_OK;
    return proxygen_fail(r->h->run, PORTOLAN_EUNSUPPORTED, &a->place,
                         "the type of parameter '%s' has no name, so nothing else can have it",
                         a->name);
}

enum portolan_status proxygen_read_class_arguments(struct cxx_reader *r, CXCursor method,
                                                   CXCursor written_method, struct method *m)
{
    const struct portolan_libclang *clang = r->h->clang;
    CXType type = clang->getCursorType(method);
    struct cursors list = proxygen_children_of(r->h, method, CXCursor_ParmDecl);
    struct cursors written = proxygen_children_of(r->h, written_method, CXCursor_ParmDecl);
    size_t count = (size_t)clang->getNumArgTypes(type);
    enum portolan_status status = PORTOLAN_OK;

    m->arguments = portolan_arena_alloc(&r->h->run->arena, count + 1, sizeof *m->arguments);
    if (!m->arguments)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < list.n && i < count && status == PORTOLAN_OK; i++) {
        status = read_argument(r, clang->getArgType(type, (unsigned)i), list.items[i], m,
                               &m->arguments[i]);
        if (i < written.n)
            m->arguments[i].place = proxygen_header_cursor_place(r->h, written.items[i]);
        m->n_arguments++;
    }
    proxygen_name_arguments(r->h->run, m);
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].is_sized)
            m->arguments[i].value =
                proxygen_print(&r->h->run->arena, "%s.size()", m->arguments[i].name);
    return status;
}
