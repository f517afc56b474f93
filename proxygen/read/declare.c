/* SPDX-License-Identifier: BSD-3-Clause */
/* C declarations from libclang's types, and other queries of the readers to a parsed header. */
#include "read.h"

#include <string.h>

const char *proxygen_header_text(struct header *h, CXString s)
{
    return portolan_libclang_text(h->clang, &h->run->arena, s);
}

const char *proxygen_header_spelling(struct header *h, CXCursor cursor)
{
    return proxygen_header_text(h, h->clang->getCursorSpelling(cursor));
}

struct place proxygen_header_place(struct header *h, CXSourceLocation location)
{
    struct place place = {0};
    unsigned line = 0, column = 0;
    CXFile file = NULL;

    h->clang->getFileLocation(location, &file, &line, &column, NULL);
    place.file = file ? proxygen_header_text(h, h->clang->getFileName(file)) : NULL;
    if (place.file && strncmp(place.file, "./", 2) == 0)
        place.file += 2;
    place.line = (int)line;
    place.column = (int)column;
    return place;
}

struct place proxygen_header_cursor_place(struct header *h, CXCursor cursor)
{
    return proxygen_header_place(h, h->clang->getCursorLocation(cursor));
}

const char *proxygen_header_type_text(struct header *h, CXType type)
{
    return proxygen_header_text(h, h->clang->getTypeSpelling(type));
}

struct collector {
    struct header *h;
    struct cursors list;
    bool all; /* else those of KIND */
    enum CXCursorKind kind;
};

static enum CXChildVisitResult collect_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct collector *c = data;

    (void)parent;
    if (c->all || c->h->clang->getCursorKind(cursor) == c->kind)
        PROXYGEN_APPEND(&c->h->run->arena, c->list.items, c->list.n, cursor);
    return CXChildVisit_Continue;
}

struct cursors proxygen_children(struct header *h, CXCursor cursor)
{
    struct collector c = {.h = h, .all = true};

    h->clang->visitChildren(cursor, collect_child, &c);
    return c.list;
}

struct cursors proxygen_children_of(struct header *h, CXCursor cursor, enum CXCursorKind kind)
{
    struct collector c = {.h = h, .kind = kind};

    h->clang->visitChildren(cursor, collect_child, &c);
    return c.list;
}

CXType proxygen_pointee(struct header *h, CXType type)
{
    type = h->clang->getCanonicalType(type);
    if (type.kind != CXType_Pointer)
        return (CXType){CXType_Invalid, {NULL, NULL}};
    return h->clang->getCanonicalType(h->clang->getPointeeType(type));
}

/* ------------------------------------------------------------------ declarations */

static bool is_function(struct header *h, CXType type)
{
    enum CXTypeKind kind = h->clang->getCanonicalType(type).kind;

    return kind == CXType_FunctionProto || kind == CXType_FunctionNoProto;
}

static bool is_array(enum CXTypeKind kind)
{
    return kind == CXType_ConstantArray || kind == CXType_IncompleteArray ||
           kind == CXType_VariableArray;
}

/* Returns whether TYPE is written as its name, even if it is an alias. */
static bool is_leaf(enum CXTypeKind kind)
{
    return kind == CXType_Typedef || kind == CXType_Elaborated;
}

static const char *qualifiers(struct header *h, CXType type)
{
    return proxygen_print(&h->run->arena, "%s%s%s",
                          h->clang->isConstQualifiedType(type) ? "const " : "",
                          h->clang->isVolatileQualifiedType(type) ? "volatile " : "",
                          h->clang->isRestrictQualifiedType(type) ? "restrict " : "");
}

/* A parameter in a list without names. */
static const char *declare_listed(struct header *h, CXType type)
{
    bool listed = h->in_list;
    const char *text;

    h->in_list = true;
    text = proxygen_declare(h, type, "");
    h->in_list = listed;
    return text;
}

static const char *declare_function(struct header *h, CXType type, const char *inner)
{
    struct portolan_arena *arena = &h->run->arena;
    int count = h->clang->getNumArgTypes(type);
    const char *list = "";

    for (int i = 0; i < count; i++)
        list = proxygen_print(arena, "%s%s%s", list, i ? ", " : "",
                              declare_listed(h, h->clang->getArgType(type, (unsigned)i)));
    if (h->clang->getCanonicalType(type).kind == CXType_FunctionNoProto)
        list = ""; /* a function parameter without prototype: its arguments are unknown */
    else if (h->clang->isFunctionTypeVariadic(type))
        list = proxygen_print(arena, "%s%s...", list, count > 0 ? ", " : "");
    else if (count <= 0)
        list = "void";
    return proxygen_declare(h, h->clang->getResultType(type),
                            proxygen_print(arena, "%s(%s)", inner, list));
}

static bool is_variable(struct header *h, CXType type)
{
    while (is_array(type.kind) && type.kind != CXType_VariableArray)
        type = h->clang->getArrayElementType(type);
    return type.kind == CXType_VariableArray;
}

/*
 * An array with its bounds as written. "[static 3]" and "[n][n]" are available only in the
 * spelling, after the element's type. "[*]" is not allowed in a definition, and a list without
 * names cannot name a bound; in both cases the bound 1 is written, which is compatible with all
 * others.
 */
static const char *declare_array(struct header *h, CXType type, const char *inner)
{
    struct portolan_arena *arena = &h->run->arena;
    const char *spelling = proxygen_header_type_text(h, type);
    const char *bounds = strchr(spelling, '[');
    CXType element = h->clang->getArrayElementType(type);
    bool is_nested = *inner && inner[strlen(inner) - 1] == ']';

    if (bounds && !(h->in_list && is_variable(h, type)) && !strchr(spelling, '(') &&
        !strchr(bounds, '*')) {
        while (is_array(element.kind))
            element = h->clang->getArrayElementType(element);
        return proxygen_declare(h, element, proxygen_print(arena, "%s%s", inner, bounds));
    }
    if (type.kind == CXType_ConstantArray)
        return proxygen_declare(
            h, element, proxygen_print(arena, "%s[%lld]", inner, h->clang->getArraySize(type)));
    return proxygen_declare(h, element,
                            proxygen_print(arena, "%s[%s]", inner, is_nested ? "1" : ""));
}

const char *proxygen_declare(struct header *h, CXType type, const char *inner)
{
    struct portolan_arena *arena = &h->run->arena;

    if (type.kind == CXType_Unexposed) { /* for example parentheses around an array's declarator */
        CXType canonical = h->clang->getCanonicalType(type);

        if (is_array(canonical.kind))
            type = canonical;
    }
    if (type.kind == CXType_Pointer) {
        CXType to = h->clang->getPointeeType(type);
        bool parenthesis = !is_leaf(to.kind) &&
                           (is_function(h, to) || is_array(h->clang->getCanonicalType(to).kind));
        bool known;
        const char *convention =
            parenthesis && is_function(h, to) ? proxygen_calling_convention(h, to, &known) : NULL;
        const char *pointer = proxygen_print(arena, "%s%s%s*%s%s%s", parenthesis ? "(" : "",
                                             convention ? convention : "", convention ? " " : "",
                                             qualifiers(h, type), inner, parenthesis ? ")" : "");

        return proxygen_declare(h, to, pointer);
    }
    if (!is_leaf(type.kind) && is_array(type.kind))
        return declare_array(h, type, inner);
    if (!is_leaf(type.kind) && is_function(h, type))
        return declare_function(h, type, inner);
    return proxygen_print(arena, "%s%s%s", proxygen_header_type_text(h, type), *inner ? " " : "",
                          inner);
}

bool proxygen_step_through(struct header *h, CXType *type, CXCursor *definition)
{
    *definition = (CXCursor){.kind = CXCursor_InvalidFile};
    if (type->kind == CXType_Elaborated) {
        *type = h->clang->Type_getNamedType(*type);
    } else if (type->kind == CXType_Typedef) {
        *definition = h->clang->getTypeDeclaration(*type);
        *type = h->clang->getTypedefDeclUnderlyingType(*definition);
    } else if (type->kind == CXType_Pointer) {
        *type = h->clang->getPointeeType(*type);
    } else {
        return false;
    }
    return true;
}

CXType proxygen_pointed_function(struct header *h, CXType type)
{
    CXCursor definition;
    int pointers = 0;

    do
        pointers += type.kind == CXType_Pointer;
    while (pointers < 2 && proxygen_step_through(h, &type, &definition));
    return pointers == 1 && is_function(h, type) ? type : (CXType){CXType_Invalid, {NULL, NULL}};
}

struct cursors proxygen_find_parameters(struct header *h, CXCursor member, int count)
{
    struct cursors list = proxygen_children_of(h, member, CXCursor_ParmDecl);
    CXType type = h->clang->getCursorType(member);
    CXCursor definition;

    /* A member declared by a typedef has no parameters of its own: the typedef has them. */
    while (list.n < (size_t)count) {
        if (!proxygen_step_through(h, &type, &definition))
            return (struct cursors){0};
        if (!h->clang->Cursor_isNull(definition))
            list = proxygen_children_of(h, definition, CXCursor_ParmDecl);
    }
    /* If a function pointer is returned, the parameters of its function come first. */
    for (; list.n > (size_t)count; list.n--)
        list.items++;
    return list;
}

enum value_kind proxygen_type_value_kind(struct header *h, CXType type)
{
    CXType canonical = h->clang->getCanonicalType(type);
    CXType to;

    switch (canonical.kind) {
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
        return VALUE_REAL;
    case CXType_Bool:
    case CXType_Enum:
        return VALUE_INTEGER;
    case CXType_Pointer:
        to = h->clang->getPointeeType(canonical);
        return (to.kind == CXType_Double || to.kind == CXType_Float) &&
                       !h->clang->isConstQualifiedType(to)
                   ? VALUE_REAL_POINTER
                   : VALUE_OTHER;
    default:
        return (canonical.kind >= CXType_Char_U && canonical.kind <= CXType_ULongLong) ||
                       (canonical.kind >= CXType_Char_S && canonical.kind <= CXType_LongLong)
                   ? VALUE_INTEGER
                   : VALUE_OTHER;
    }
}

/* Returns whether the header's or the compiler's spelling of TYPE is va_list. */
static bool is_va_list(struct header *h, CXType type)
{
    const char *spelling = proxygen_header_type_text(h, type);
    const char *canonical = proxygen_header_type_text(h, h->clang->getCanonicalType(type));

    return strcmp(spelling, "va_list") == 0 || strstr(spelling, "_va_list") ||
           strstr(canonical, "__va_list");
}

enum type_form proxygen_type_form(struct header *h, CXType type)
{
    CXType canonical = h->clang->getCanonicalType(type);

    if (is_va_list(h, type))
        return FORM_VA_LIST;
    if (is_function(h, type))
        return FORM_FUNCTION;
    if (canonical.kind == CXType_Pointer)
        return is_function(h, h->clang->getPointeeType(canonical)) ? FORM_FUNCTION : FORM_POINTER;
    return is_array(canonical.kind) ? FORM_POINTER : FORM_PLAIN;
}

const char *proxygen_record_behind(struct header *h, CXType type, int *depth)
{
    type = h->clang->getCanonicalType(type);
    for (*depth = 0; *depth < 2 && type.kind == CXType_Pointer; ++*depth)
        type = h->clang->getCanonicalType(h->clang->getPointeeType(type));
    if (*depth == 0 || type.kind != CXType_Record)
        return NULL;
    /* The declaration's type has no qualifiers. */
    type = h->clang->getCanonicalType(h->clang->getCursorType(h->clang->getTypeDeclaration(type)));
    return proxygen_header_type_text(h, type);
}

const char *proxygen_calling_convention(struct header *h, CXType function, bool *known)
{
    static const struct {
        enum CXCallingConv convention;
        const char *attribute;
        bool only_clang; /* gcc cannot compile it */
    } conventions[] = {
        {CXCallingConv_X86StdCall, "stdcall", false},
        {CXCallingConv_X86FastCall, "fastcall", false},
        {CXCallingConv_X86ThisCall, "thiscall", false},
        {CXCallingConv_AAPCS, "pcs(\"aapcs\")", false},
        {CXCallingConv_AAPCS_VFP, "pcs(\"aapcs-vfp\")", false},
        {CXCallingConv_X86_64Win64, "ms_abi", false},
        {CXCallingConv_X86_64SysV, "sysv_abi", false},
        {CXCallingConv_AArch64VectorCall, "aarch64_vector_pcs", false},
        {CXCallingConv_X86RegCall, "regcall", true},
        {CXCallingConv_X86VectorCall, "vectorcall", true},
        {CXCallingConv_PreserveMost, "preserve_most", true},
        {CXCallingConv_PreserveAll, "preserve_all", true},
    };
    CXType canonical = h->clang->getCanonicalType(function);
    enum CXCallingConv convention = h->clang->getFunctionTypeCallingConv(canonical);
    const char *spelling = proxygen_header_type_text(h, canonical);
    const char *registers = strstr(spelling, "__attribute__((regparm(");

    *known = true;
    if (registers)
        return proxygen_print(&h->run->arena, "__attribute__((regparm(%.*s)))",
                              (int)strcspn(registers + 23, ")"), registers + 23);
    if (convention <= CXCallingConv_C)
        return NULL;
    for (size_t i = 0; i < sizeof conventions / sizeof *conventions; i++)
        if (conventions[i].convention == convention) {
            h->run->port->only_clang |= conventions[i].only_clang;
            return proxygen_print(&h->run->arena, "__attribute__((%s))", conventions[i].attribute);
        }
    *known = false;
    return NULL;
}
