/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the parameters of a C++ method: their types, what may be a context, what is handed on how.
 */
#include "class.h"

#include <string.h>

static const struct portolan_libclang *clang_of(const struct cxx_reader *r)
{
    return r->h->clang;
}

struct cxx_notes proxygen_cxx_notes(struct cxx_reader *r, CXCursor cursor)
{
    struct cxx_list list = proxygen_cxx_children(r, cursor);
    struct cxx_notes notes = {0};

    for (size_t i = 0; i < list.n; i++) {
        const char *text;

        if (clang_of(r)->getCursorKind(list.items[i]) != CXCursor_AnnotateAttr)
            continue;
        text = proxygen_header_spelling(r->h, list.items[i]);
        notes.context |= strcmp(text, "portolan.context") == 0;
        notes.accuracy |= strcmp(text, "portolan.accuracy") == 0;
        notes.status |= strcmp(text, "portolan.status") == 0;
    }
    return notes;
}

CXType proxygen_cxx_without_reference(struct cxx_reader *r, CXType type)
{
    const struct portolan_libclang *clang = clang_of(r);

    type = clang->getCanonicalType(type);
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference
               ? clang->getCanonicalType(clang->getPointeeType(type))
               : type;
}

/* A class's own: `size() const`, which anybody may call and which gives a whole number. */
static bool has_size(struct cxx_reader *r, CXType type)
{
    const struct portolan_libclang *clang = clang_of(r);
    CXCursor declaration, pattern;
    struct cxx_list list;

    if (type.kind != CXType_Record)
        return false;
    declaration = clang->getTypeDeclaration(type);
    pattern = clang->getSpecializedCursorTemplate(declaration);
    if (!clang->Cursor_isNull(pattern))
        declaration = pattern;
    list = proxygen_cxx_children(r, clang->getCursorDefinition(declaration));
    for (size_t i = 0; i < list.n; i++)
        if (clang->getCursorKind(list.items[i]) == CXCursor_CXXMethod &&
            strcmp(proxygen_header_spelling(r->h, list.items[i]), "size") == 0 &&
            clang->CXXMethod_isConst(list.items[i]) &&
            clang->getCXXAccessSpecifier(list.items[i]) == CX_CXXPublic &&
            clang->getNumArgTypes(clang->getCursorType(list.items[i])) == 0)
            return true;
    return false;
}

/* The length of a text rarely says how long a call takes. */
static bool holds_characters(struct cxx_reader *r, CXType type)
{
    const struct portolan_libclang *clang = clang_of(r);
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
    const struct portolan_libclang *clang = clang_of(r);
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
    const struct portolan_libclang *clang = clang_of(r);
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
    struct cxx_notes notes = proxygen_cxx_notes(r, cursor);

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
    const struct portolan_libclang *clang = clang_of(r);
    CXType type = clang->getCursorType(method);
    struct cxx_list list = proxygen_cxx_children(r, method);
    struct cxx_list written = proxygen_cxx_children(r, written_method);
    int count = clang->getNumArgTypes(type);
    enum portolan_status status = PORTOLAN_OK;
    size_t n = 0, w = 0;

    m->arguments = portolan_arena_alloc(&r->h->run->arena, (size_t)count + 1, sizeof *m->arguments);
    if (!m->arguments)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < list.n && n < (size_t)count && status == PORTOLAN_OK; i++) {
        if (clang->getCursorKind(list.items[i]) != CXCursor_ParmDecl)
            continue;
        status = read_argument(r, clang->getArgType(type, (unsigned)n), list.items[i], m,
                               &m->arguments[n]);
        while (w < written.n && clang->getCursorKind(written.items[w]) != CXCursor_ParmDecl)
            w++;
        if (w < written.n)
            m->arguments[n].place = proxygen_header_cursor_place(r->h, written.items[w++]);
        n++;
    }
    m->n_arguments = n;
    proxygen_name_arguments(r->h->run, m);
    for (size_t i = 0; i < n; i++)
        if (m->arguments[i].is_sized)
            m->arguments[i].value =
                proxygen_print(&r->h->run->arena, "%s.size()", m->arguments[i].name);
    return status;
}
