/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types of C++ as text that means the same in every scope: the compiler's full spelling, except
 * that aliases in namespaces keep their names (std::string, uint64_t).
 */
#include "class.h"

#include <string.h>

/*
 * Inside a class with the same name as a namespace, the name means the class; with "::" before it,
 * it means the namespace.
 */
const char *proxygen_cxx_anchor(const struct cxx_reader *r, const char *text)
{
    struct portolan_arena *arena = &r->h->run->arena;

    for (size_t i = 0; i < r->n_classes; i++) {
        const char *plain = r->classes[i].name;
        const char *word = proxygen_print(arena, "%.*s", (int)strcspn(plain, "<"), plain);
        size_t length;

        word = strrchr(word, ':') ? strrchr(word, ':') + 1 : word;
        length = strlen(word);
        if (!length)
            break; /* memory is out */
        for (const char *at = text; (at = proxygen_find_word(text, at, word)); at += length) {
            if (strncmp(at + length, "::", 2) != 0 || (at > text && at[-1] == ':'))
                continue;
            at = proxygen_print(arena, "%.*s::%s", (int)(at - text), text, at);
            return proxygen_cxx_anchor(r, at);
        }
    }
    return text;
}

bool proxygen_cxx_is_linkage(enum CXCursorKind kind)
{
    return kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl;
}

/* The namespace or class around CURSOR. */
static CXCursor scope_of(const struct cxx_reader *r, CXCursor cursor)
{
    const struct portolan_libclang *clang = r->h->clang;

    do
        cursor = clang->getCursorSemanticParent(cursor);
    while (proxygen_cxx_is_linkage(clang->getCursorKind(cursor)) ||
           clang->Cursor_isInlineNamespace(cursor));
    return cursor;
}

const char *proxygen_cxx_name(const struct cxx_reader *r, CXCursor cursor)
{
    CXCursor scope = scope_of(r, cursor);
    const char *name = proxygen_header_spelling(r->h, cursor);

    return r->h->clang->getCursorKind(scope) == CXCursor_Namespace
               ? proxygen_print(&r->h->run->arena, "%s::%s", proxygen_cxx_name(r, scope), name)
               : name;
}

/* Returns whether ALIAS is a typedef that all code can name, since it is no member of a class. */
static bool is_public_alias(const struct cxx_reader *r, CXCursor alias)
{
    enum CXCursorKind kind = r->h->clang->getCursorKind(alias), parent;

    if (kind != CXCursor_TypedefDecl && kind != CXCursor_TypeAliasDecl)
        return false;
    parent = r->h->clang->getCursorKind(scope_of(r, alias));
    return parent == CXCursor_Namespace || parent == CXCursor_TranslationUnit;
}

static const char *qualified(const struct cxx_reader *r, CXType type, const char *name,
                             const char *inner)
{
    const struct portolan_libclang *clang = r->h->clang;

    return proxygen_print(&r->h->run->arena, "%s%s%s%s%s",
                          clang->isConstQualifiedType(type) ? "const " : "",
                          clang->isVolatileQualifiedType(type) ? "volatile " : "",
                          proxygen_cxx_anchor(r, name), *inner ? " " : "", inner);
}

/* A type's name. If a function hides it, it needs its keyword: "struct stat". */
static const char *leaf(const struct cxx_reader *r, CXType type, const char *inner)
{
    static const char *const keywords[] = {"struct ", "union ", "enum ", "class "};
    struct header *h = r->h;
    const struct portolan_libclang *clang = h->clang;
    CXType canonical = clang->getCanonicalType(type), named = type;
    const char *text = proxygen_header_type_text(h, canonical);
    const char *spelling = proxygen_header_type_text(h, type);
    const char *word = "";

    if (type.kind == CXType_Elaborated)
        named = clang->Type_getNamedType(type);
    if (named.kind == CXType_Typedef && is_public_alias(r, clang->getTypeDeclaration(named)))
        return qualified(r, type, proxygen_cxx_name(r, clang->getTypeDeclaration(named)), inner);
    while (strncmp(spelling, "const ", 6) == 0 || strncmp(spelling, "volatile ", 9) == 0)
        spelling += spelling[0] == 'c' ? 6 : 9;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strncmp(spelling, keywords[i], strlen(keywords[i])) == 0)
            word = keywords[i];
    /* The canonical spelling already has the qualifiers. */
    if (*word) {
        CXCursor declaration = clang->getTypeDeclaration(canonical);

        text = proxygen_header_type_text(h, clang->getCursorType(declaration));
        return qualified(r, type, proxygen_print(&h->run->arena, "%s%s", word, text), inner);
    }
    return proxygen_print(&h->run->arena, "%s%s%s", proxygen_cxx_anchor(r, text), *inner ? " " : "",
                          inner);
}

static const char *declare_function(const struct cxx_reader *r, CXType type, const char *inner)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct portolan_arena *arena = &r->h->run->arena;
    int count = clang->getNumArgTypes(type);
    const char *spelling = proxygen_header_type_text(r->h, type);
    const char *end = strrchr(spelling, ')'), *list = "";

    for (int i = 0; i < count; i++)
        list = proxygen_print(arena, "%s%s%s", list, i ? ", " : "",
                              proxygen_cxx_declare(r, clang->getArgType(type, (unsigned)i), ""));
    if (clang->isFunctionTypeVariadic(type))
        list = proxygen_print(arena, "%s%s...", list, count > 0 ? ", " : "");
    /* Qualifiers after the parameters (const, &, noexcept) are part of the type. */
    return proxygen_cxx_declare(r, clang->getResultType(type),
                                proxygen_print(arena, "%s(%s)%s", inner, list, end ? end + 1 : ""));
}

static const char *declare_array(const struct cxx_reader *r, CXType type, const char *inner)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct portolan_arena *arena = &r->h->run->arena;
    CXType element = clang->getArrayElementType(type);

    if (type.kind == CXType_ConstantArray)
        inner = proxygen_print(arena, "%s[%lld]", inner, clang->getArraySize(type));
    else
        inner = proxygen_print(arena, "%s[]", inner);
    return proxygen_cxx_declare(r, element, inner);
}

static bool needs_parentheses(enum CXTypeKind kind)
{
    return kind == CXType_FunctionProto || kind == CXType_ConstantArray ||
           kind == CXType_IncompleteArray;
}

static const char *declare_pointer(const struct cxx_reader *r, CXType type, const char *inner)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct portolan_arena *arena = &r->h->run->arena;
    CXType to = clang->getPointeeType(type);
    const char *sign = "*";
    bool parentheses;

    if (type.kind == CXType_LValueReference)
        sign = "&";
    else if (type.kind == CXType_RValueReference)
        sign = "&&";
    else if (type.kind == CXType_MemberPointer)
        sign = proxygen_print(arena, "%s::*",
                              proxygen_cxx_declare(r, clang->Type_getClassType(type), ""));
    if (to.kind == CXType_Unexposed) { /* for example parentheses around the declarator */
        CXType canonical = clang->getCanonicalType(to);

        if (needs_parentheses(canonical.kind))
            to = canonical;
    }
    parentheses = needs_parentheses(to.kind);
    inner = proxygen_print(arena, "%s%s%s%s%s%s", parentheses ? "(" : "", sign,
                           clang->isConstQualifiedType(type) ? "const " : "",
                           clang->isVolatileQualifiedType(type) ? "volatile " : "", inner,
                           parentheses ? ")" : "");
    return proxygen_cxx_declare(r, to, inner);
}

const char *proxygen_cxx_declare(const struct cxx_reader *r, CXType type, const char *inner)
{
    const struct portolan_libclang *clang = r->h->clang;
    CXType canonical = clang->getCanonicalType(type);

    /* Types without a name: auto, decltype, decayed arrays. */
    if (type.kind == CXType_Unexposed || type.kind == CXType_Auto)
        type = canonical;
    switch (type.kind) {
    case CXType_Pointer:
    case CXType_LValueReference:
    case CXType_RValueReference:
    case CXType_MemberPointer:
        return declare_pointer(r, type, inner);
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
        return declare_array(r, type, inner);
    case CXType_FunctionProto:
        return declare_function(r, type, inner);
    default:
        break;
    }
    /* An alias that is a class member cannot be named: pointers and the like are taken apart. */
    if (type.kind == CXType_Typedef || type.kind == CXType_Elaborated) {
        CXType named = type.kind == CXType_Elaborated ? clang->Type_getNamedType(type) : type;
        bool open =
            named.kind == CXType_Typedef && is_public_alias(r, clang->getTypeDeclaration(named));
        bool composed = canonical.kind == CXType_Pointer ||
                        canonical.kind == CXType_LValueReference ||
                        canonical.kind == CXType_RValueReference ||
                        canonical.kind == CXType_MemberPointer || needs_parentheses(canonical.kind);

        if (!open && composed)
            return proxygen_cxx_declare(r, canonical, inner);
    }
    return leaf(r, type, inner);
}
