/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the methods of a C++ class and of its bases: which of them a proxy overrides, their
 * parameters, and how they are passed on.
 */
#include "class.h"

#include <string.h>

/* A method of one class; several with the same signature may come to one override. */
struct candidate {
    CXCursor cursor;  /* as the compiler sees it */
    CXCursor written; /* as written in the header; for an instance, the template's method */
    size_t class_number;
    const char *signature; /* name, parameters, qualifiers */
    bool is_virtual, is_pure, is_final, is_done;
};

struct collection {
    struct cxx_reader *r;
    struct candidate *items;
    size_t n;
};

/* ------------------------------------------------------------------ qualifiers */

/* Returns what the compiler writes after the parameters: "const", "&&", "noexcept". */
static const char *tail(struct cxx_reader *r, CXCursor method)
{
    const char *text = proxygen_header_type_text(
        r->h, r->h->clang->getCanonicalType(r->h->clang->getCursorType(method)));
    const char *end = strrchr(text, ')');

    return end ? end + 1 : "";
}

static const char *qualifiers(struct cxx_reader *r, CXCursor method)
{
    const struct portolan_libclang *clang = r->h->clang;
    enum CXRefQualifierKind reference =
        clang->Type_getCXXRefQualifier(clang->getCursorType(method));

    return proxygen_print(&r->h->run->arena, "%s%s%s",
                          clang->CXXMethod_isConst(method) ? " const" : "",
                          strstr(tail(r, method), "volatile") ? " volatile" : "",
                          reference == CXRefQualifier_LValue   ? " &"
                          : reference == CXRefQualifier_RValue ? " &&"
                                                               : "");
}

static bool never_throws(struct cxx_reader *r, CXCursor method)
{
    int kind = r->h->clang->getCursorExceptionSpecificationType(method);

    if (kind == CXCursor_ExceptionSpecificationKind_ComputedNoexcept)
        return strstr(tail(r, method), "noexcept") != NULL;
    return kind == CXCursor_ExceptionSpecificationKind_BasicNoexcept ||
           kind == CXCursor_ExceptionSpecificationKind_DynamicNone ||
           kind == CXCursor_ExceptionSpecificationKind_NoThrow;
}

/* ------------------------------------------------------------------ candidates */

static const char *signature(struct cxx_reader *r, CXCursor method)
{
    const struct portolan_libclang *clang = r->h->clang;
    CXType type = clang->getCanonicalType(clang->getCursorType(method));
    const char *name = proxygen_header_spelling(r->h, method), *list = "";

    if (clang->getCursorKind(method) == CXCursor_ConversionFunction)
        name = proxygen_print(&r->h->run->arena, "operator %s",
                              proxygen_header_type_text(r->h, clang->getResultType(type)));
    for (int i = 0; i < clang->getNumArgTypes(type); i++)
        list =
            proxygen_print(&r->h->run->arena, "%s%s,", list,
                           proxygen_header_type_text(r->h, clang->getArgType(type, (unsigned)i)));
    return proxygen_print(&r->h->run->arena, "%s(%s%s)%s", name, list,
                          clang->isFunctionTypeVariadic(type) ? "..." : "", qualifiers(r, method));
}

static void collect_class(struct collection *c, size_t number)
{
    struct cxx_reader *r = c->r;
    const struct portolan_libclang *clang = r->h->clang;
    struct cursors seen = proxygen_children(r->h, r->classes[number].members);
    struct cursors written = proxygen_children(r->h, r->classes[number].definition);
    size_t w = 0;

    for (size_t i = 0; i < seen.n; i++) {
        if (!proxygen_cxx_is_method(r, seen.items[i]))
            continue;
        while (w < written.n && !proxygen_cxx_is_method(r, written.items[w]))
            w++;
        if (w == written.n)
            return;
        PROXYGEN_APPEND(&r->h->run->arena, c->items, c->n,
                        (struct candidate){.cursor = seen.items[i],
                                           .written = written.items[w],
                                           .class_number = number,
                                           .signature = signature(r, seen.items[i]),
                                           .is_virtual = clang->CXXMethod_isVirtual(seen.items[i]),
                                           .is_pure = clang->CXXMethod_isPureVirtual(seen.items[i]),
                                           .is_final = proxygen_cxx_is_final(r, written.items[w])});
        w++;
    }
}

/* True when base object UPPER is one of LOWER's, or the same. */
static bool is_above(const struct cxx_reader *r, size_t upper, size_t lower)
{
    if (upper == lower)
        return true;
    if (upper == 0)
        return false;
    if (is_above(r, r->classes[upper].derived, lower))
        return true;
    for (size_t i = 0; i < r->n_classes; i++)
        if (r->classes[i].is_again && !r->classes[upper].is_again &&
            r->h->clang->equalTypes(r->classes[i].type, r->classes[upper].type) &&
            is_above(r, i, lower))
            return true;
    return false;
}

/* ------------------------------------------------------------------ parameters */

/* The canonical type; for a reference, that of what it refers to. */
static CXType without_reference(struct cxx_reader *r, CXType type)
{
    const struct portolan_libclang *clang = r->h->clang;

    type = clang->getCanonicalType(type);
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference
               ? clang->getCanonicalType(clang->getPointeeType(type))
               : type;
}

/* Returns whether the class has a public `size() const` that returns an integer. */
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
    CXType canonical = clang->getCanonicalType(type), plain = without_reference(r, type);

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

/* A pointer or reference to another object of the port's class, which may be a proxy. */
static bool is_peer(struct cxx_reader *r, CXType type)
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
    proxygen_describe_argument(r->h, cursor, m, a);
    a->place = m->place;
    a->declaration = proxygen_cxx_declare(r, type, "@");
    read_kind(r, type, a);
    a->role = is_peer(r, type) ? ROLE_PEER : ROLE_PLAIN;
    if (!proxygen_is_nameless(a->declaration))
        return PORTOLAN_OK;
    return proxygen_fail(r->h->run, PORTOLAN_EUNSUPPORTED, &a->place,
                         "the type of parameter '%s' has no name, so nothing else can have it",
                         a->name);
}

/* Reads the parameters of METHOD, as it is written in WRITTEN_METHOD, into the model. */
static enum portolan_status read_arguments(struct cxx_reader *r, CXCursor method,
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

/* ------------------------------------------------------------------ methods */

/* Returns whether the class has several members of that name. */
static bool is_overloaded(struct cxx_reader *r, size_t number, const char *name)
{
    struct cursors list = proxygen_children(r->h, r->classes[number].definition);
    size_t length = strlen(name);
    int n = 0;

    for (size_t i = 0; i < list.n; i++) {
        const char *other = proxygen_header_spelling(r->h, list.items[i]);

        n += strncmp(other, name, length) == 0 && (!other[length] || other[length] == '<');
    }
    return n != 1;
}

/* Finds whether the method may return *this; the user must then get the proxy. */
static enum cxx_self self_of(struct cxx_reader *r, CXType result)
{
    return !is_peer(r, result)                                            ? CXX_SELF_NONE
           : r->h->clang->getCanonicalType(result).kind == CXType_Pointer ? CXX_SELF_POINTER
                                                                          : CXX_SELF_REFERENCE;
}

/* "const double *@" -> "const double *", "int @" -> "int". */
static const char *type_item(struct run *run, const struct method *m, const struct argument *a)
{
    const char *declaration = a->declaration;
    size_t length = strlen(declaration);

    (void)m;
    return length > 2 && strcmp(declaration + length - 2, " @") == 0
               ? proxygen_print(&run->arena, "%.*s", (int)length - 2, declaration)
               : proxygen_replace(&run->arena, declaration, "");
}

static struct cxx_method *describe(struct cxx_reader *r, const struct candidate *c,
                                   const struct method *m)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct portolan_arena *arena = &r->h->run->arena;
    struct cxx_method *x = portolan_arena_alloc(arena, 1, sizeof *x);
    const struct cxx_class *owner = &r->classes[c->class_number];
    const char *list = proxygen_list(r->h->run, m, type_item), *suffix = qualifiers(r, c->cursor);

    if (!x)
        return NULL;
    x->list = list;
    x->suffix = suffix;
    x->owner = proxygen_cxx_anchor(r, owner->name);
    x->path = proxygen_cxx_anchor(r, owner->path);
    x->is_rvalue = strstr(suffix, "&&") != NULL;
    suffix = proxygen_print(arena, "%s%s", suffix, never_throws(r, c->cursor) ? " noexcept" : "");
    x->qualifiers = suffix;
    x->pointer =
        proxygen_cxx_declare(r, clang->getResultType(clang->getCursorType(c->cursor)),
                             proxygen_print(arena, "(%s::*@)(%s)%s", x->owner, list, suffix));
    x->is_open = clang->getCXXAccessSpecifier(c->cursor) == CX_CXXPublic || owner->is_mirrored;
    if (owner->is_mirrored)
        x->is_open = clang->getCXXAccessSpecifier(c->written) == CX_CXXPublic;
    x->is_direct = x->is_open &&
                   !is_overloaded(r, c->class_number, proxygen_header_spelling(r->h, c->written));
    x->self = self_of(r, clang->getResultType(clang->getCursorType(c->cursor)));
    return x;
}

static bool is_no_return(struct cxx_reader *r, CXCursor method)
{
    const char *text =
        proxygen_header_text(r->h, r->h->clang->getCursorPrettyPrinted(method, NULL));

    return strstr(text, "[[noreturn]]") || strstr(text, "((noreturn))");
}

static enum portolan_status read_method(struct cxx_reader *r, const struct candidate *c,
                                        struct method *m)
{
    const struct portolan_libclang *clang = r->h->clang;
    CXType type = clang->getCursorType(c->cursor), result = clang->getResultType(type);
    bool conversion = clang->getCursorKind(c->cursor) == CXCursor_ConversionFunction;
    struct annotations notes = proxygen_read_annotations(r->h, c->cursor);
    enum portolan_status status;

    m->place = proxygen_header_cursor_place(r->h, c->written);
    m->member = m->name = proxygen_header_spelling(r->h, c->cursor);
    if (conversion)
        m->name = m->member =
            proxygen_print(&r->h->run->arena, "operator %s", proxygen_cxx_declare(r, result, ""));
    m->head = m->result = conversion ? "@" : proxygen_cxx_declare(r, result, "@");
    m->result_kind = proxygen_type_value_kind(r->h, without_reference(r, result));
    m->returns = clang->getCanonicalType(result).kind != CXType_Void;
    m->accuracy = notes.accuracy;
    m->status = notes.status;
    m->variadic = clang->isFunctionTypeVariadic(type);
    m->no_return = is_no_return(r, c->written);
    r->h->run->port->has_deprecated |=
        clang->getCursorAvailability(c->cursor) == CXAvailability_Deprecated;
    status = read_arguments(r, c->cursor, c->written, m);
    if (status == PORTOLAN_OK && !(m->cxx = describe(r, c, m)))
        status = PORTOLAN_ENOMEM;
    return status;
}

/* ------------------------------------------------------------------ choosing */

/* Methods with one signature in unrelated bases, taken together. */
struct group {
    const struct candidate *first;
    size_t n_bodies;
    bool final;
};

/* The methods with C's signature that no derived class overrides. */
static struct group group_of(struct collection *all, const struct candidate *c)
{
    struct group g = {0};

    for (size_t i = 0; i < all->n; i++) {
        struct candidate *one = &all->items[i];
        bool overridden = false;

        if (!one->is_virtual || strcmp(one->signature, c->signature) != 0)
            continue;
        one->is_done = true;
        for (size_t k = 0; k < all->n && !overridden; k++)
            overridden = all->items[k].class_number != one->class_number &&
                         strcmp(all->items[k].signature, c->signature) == 0 &&
                         is_above(all->r, one->class_number, all->items[k].class_number);
        if (overridden)
            continue;
        g.first = g.first ? g.first : one;
        g.n_bodies += !one->is_pure;
        g.final |= one->is_final;
    }
    return g;
}

/* Why a proxy cannot override the methods of group G; NULL: it can. */
static const char *obstacle(const struct group *g, const struct method *m)
{
    if (g->final)
        return "final, so it runs in the proxy, on the proxy's own members";
    if (g->n_bodies > 1)
        return "it comes from several base objects with a body in each, and a proxy has only one; "
               "it runs in the proxy";
    if (m->variadic)
        return "variadic, which C++ cannot forward unless '.variadic:' names a form of it with a "
               "va_list; it runs in the proxy, on the proxy's own members";
    return NULL;
}

static enum portolan_status add_virtual(struct collection *all, const struct candidate *c)
{
    struct cxx_reader *r = all->r;
    struct group g = group_of(all, c);
    struct method *m = g.first ? proxygen_add_method(r->h->run) : NULL;
    enum portolan_status status;

    if (!g.first)
        return PORTOLAN_OK;
    if (!m)
        return PORTOLAN_ENOMEM;
    status = read_method(r, g.first, m);
    if (status != PORTOLAN_OK)
        return status;
    m->skip = obstacle(&g, m);
    if (g.final && !g.n_bodies)
        return proxygen_fail(r->h->run, PORTOLAN_EUNSUPPORTED, &m->place,
                             "'%s' is pure and final, so no class can ever implement it", m->name);
    m->is_pure = !g.n_bodies;
    return PORTOLAN_OK;
}

static void add_plain(struct cxx_reader *r, CXCursor written)
{
    proxygen_add_skipped(r->h, written,
                         "not virtual: it runs in the proxy, on the proxy's own members, and what "
                         "it calls of the methods above is seen");
}

/* Lists method templates and data members as skipped. Static members need no proxy. */
static void add_others(struct cxx_reader *r, size_t number)
{
    struct cursors list = proxygen_children(r->h, r->classes[number].definition);

    for (size_t i = 0; i < list.n; i++) {
        enum CXCursorKind kind = r->h->clang->getCursorKind(list.items[i]);

        if (kind == CXCursor_FunctionTemplate)
            add_plain(r, list.items[i]);
        if (kind == CXCursor_FieldDecl)
            proxygen_add_skipped(r->h, list.items[i],
                                 "data: the proxy has its own, so what one side writes the other "
                                 "does not read");
    }
}

static bool shares_name(const struct port *port, const struct method *m)
{
    for (size_t i = 0; i < port->n_methods; i++)
        if (&port->methods[i] != m && port->methods[i].cxx &&
            strcmp(port->methods[i].name, m->name) == 0)
            return true;
    return false;
}

/* Names overloads with their parameters, and if those are equal, with their qualifiers, too. */
static void name_overloads(struct cxx_reader *r)
{
    struct portolan_arena *arena = &r->h->run->arena;
    struct port *port = r->h->run->port;

    for (size_t i = 0; i < port->n_methods; i++) {
        struct method *m = &port->methods[i];
        bool shared = false;

        for (size_t k = 0; k < port->n_methods; k++)
            shared |= k != i && strcmp(port->methods[k].member, m->member) == 0;
        if (shared)
            m->name = proxygen_print(arena, "%s(%s)", m->member, m->cxx->list);
    }
    for (size_t i = 0; i < port->n_methods; i++)
        if (shares_name(port, &port->methods[i]))
            port->methods[i].name =
                proxygen_print(arena, "%s%s", port->methods[i].name, port->methods[i].cxx->suffix);
}

enum portolan_status proxygen_read_class_methods(struct cxx_reader *r)
{
    struct collection all = {.r = r};
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < r->n_classes; i++)
        if (!r->classes[i].is_again)
            collect_class(&all, i);
    if (r->h->run->arena.failed)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < all.n && status == PORTOLAN_OK; i++)
        if (all.items[i].is_virtual && !all.items[i].is_done)
            status = add_virtual(&all, &all.items[i]);
    if (status == PORTOLAN_OK)
        name_overloads(r);
    for (size_t i = 0; i < all.n; i++)
        if (!all.items[i].is_virtual)
            add_plain(r, all.items[i].written);
    for (size_t i = 0; i < r->n_classes; i++)
        if (!r->classes[i].is_again)
            add_others(r, i);
    return status;
}
