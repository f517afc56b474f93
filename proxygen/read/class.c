/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a C++ class: which one it is, what it is derived from, whether a proxy can be. */
#include "class.h"

#include <ctype.h>
#include <string.h>

#define PORT "portolan_port"

/* Each layer of templates takes a round; no port needs so many. */
static const int most_rounds = 8;

/* ------------------------------------------------------------------ small things */

bool proxygen_cxx_is_method(const struct cxx_reader *r, CXCursor cursor)
{
    enum CXCursorKind kind = r->h->clang->getCursorKind(cursor);

    return (kind == CXCursor_CXXMethod && !r->h->clang->CXXMethod_isStatic(cursor)) ||
           kind == CXCursor_ConversionFunction;
}

bool proxygen_cxx_is_final(struct cxx_reader *r, CXCursor cursor)
{
    return proxygen_children_of(r->h, cursor, CXCursor_CXXFinalAttr).n > 0;
}

/* ------------------------------------------------------------------ the port's name */

/* "heat.Solver" means heat::Solver, as SIDL would have it. */
static const char *class_name(struct header *h)
{
    const char *word = proxygen_header_word(h), *dot;

    if (strncmp(word, "class ", 6) == 0)
        word += 6;
    while (!strchr(word, '<') && (dot = strchr(word, '.')))
        word = proxygen_print(&h->run->arena, "%.*s::%s", (int)(dot - word), word, dot + 1);
    return strncmp(word, "::", 2) == 0 ? word + 2 : word;
}

/* heat::Field<double, 3> travels as heat.Field_double_3, unless another name is given. */
static const char *type_name(struct header *h)
{
    const char *word = class_name(h);
    char *name = portolan_arena_strdup(&h->run->arena, word), *to = name;
    bool arguments = false;

    if (strchr(h->run->options->port, '='))
        return proxygen_header_type(h);
    for (const char *c = word; to && *c; c++) {
        arguments |= *c == '<';
        if (isalnum((unsigned char)*c) || *c == '_')
            *to++ = *c;
        else if (strncmp(c, "::", 2) == 0 && !arguments)
            c++, *to++ = '.';
        else if (*c != '>' && to > name && to[-1] != '_')
            *to++ = '_';
    }
    if (to)
        *to = '\0';
    return name ? name : "";
}

/* ------------------------------------------------------------------ the hierarchy */

static enum portolan_status add_class(struct cxx_reader *r, CXType type,
                                      const struct cxx_class *below, CXCursor base);

/* Returns whether libclang shows members, as it does for specialisations that are written out. */
static bool has_members(struct cxx_reader *r, CXCursor definition)
{
    struct cursors list = proxygen_children(r->h, definition);

    for (size_t i = 0; i < list.n; i++) {
        enum CXCursorKind kind = r->h->clang->getCursorKind(list.items[i]);

        if (kind == CXCursor_CXXBaseSpecifier || kind == CXCursor_CXXMethod ||
            kind == CXCursor_Constructor || kind == CXCursor_Destructor)
            return true;
    }
    return false;
}

static bool is_instance(struct cxx_reader *r, CXCursor definition, CXCursor *pattern)
{
    const struct portolan_libclang *clang = r->h->clang;
    CXCursor declaration = clang->getSpecializedCursorTemplate(definition);

    if (clang->Cursor_isNull(declaration) || has_members(r, definition))
        return false;
    *pattern = clang->getCursorDefinition(declaration);
    return true;
}

static enum portolan_status add_bases(struct cxx_reader *r, size_t number)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct cursors bases =
        proxygen_children_of(r->h, r->classes[number].definition, CXCursor_CXXBaseSpecifier);
    struct cursors aliases = {0};
    enum portolan_status status = PORTOLAN_OK;
    size_t next = 0;

    if (r->classes[number].is_mirrored)
        aliases = proxygen_children(r->h, r->classes[number].members);
    for (size_t i = 0; i < bases.n && status == PORTOLAN_OK; i++) {
        CXType type = clang->getCursorType(bases.items[i]);
        struct cxx_class below = r->classes[number];

        below.derived = number;
        if (r->classes[number].is_mirrored) {
            while (next < aliases.n && strncmp(proxygen_header_spelling(r->h, aliases.items[next]),
                                               "portolan_base_", 14) != 0)
                next++;
            if (next == aliases.n)
                continue;
            type = clang->getTypedefDeclUnderlyingType(aliases.items[next++]);
        }
        status = add_class(r, clang->getCanonicalType(type), &below, bases.items[i]);
    }
    return status;
}

/* Sets the expression that leads from the object of class BELOW to its base C. */
static void describe_way(struct cxx_reader *r, struct cxx_class *c, const struct cxx_class *below,
                         CXCursor base)
{
    const struct portolan_libclang *clang = r->h->clang;

    c->derived = below->derived;
    c->is_virtual = below->is_virtual || clang->isVirtualBase(base);
    c->is_hidden = below->is_hidden || clang->getCXXAccessSpecifier(base) != CX_CXXPublic;
    /* Only a C cast reaches bases that are not public. */
    c->path = proxygen_print(
        &r->h->run->arena,
        clang->getCXXAccessSpecifier(base) == CX_CXXPublic ? "static_cast<%s &>(%s)" : "((%s &)%s)",
        c->name, below->path);
}

/* The same virtual base again is the same object; another base of the same class is not. */
static void compare_known(struct cxx_reader *r, struct cxx_class *c)
{
    for (size_t i = 0; i < r->n_classes; i++) {
        struct cxx_class *other = &r->classes[i];

        if (!r->h->clang->equalTypes(other->type, c->type))
            continue;
        if (c->is_virtual && other->is_virtual)
            c->is_again = true;
        else
            other->is_repeated = c->is_repeated = true;
    }
}

static enum portolan_status add_class(struct cxx_reader *r, CXType type,
                                      const struct cxx_class *below, CXCursor base)
{
    const struct portolan_libclang *clang = r->h->clang;
    CXCursor declaration = clang->getTypeDeclaration(type), pattern;
    struct cxx_class c = {.type = type, .path = "@"};
    enum portolan_status status = PORTOLAN_OK;
    size_t number = r->n_classes;

    c.name = proxygen_header_type_text(r->h, type);
    c.definition = clang->getCursorDefinition(declaration);
    if (clang->Cursor_isNull(c.definition))
        c.definition = declaration;
    if (below)
        describe_way(r, &c, below, base);
    compare_known(r, &c);
    c.members = c.definition;
    if (!c.is_again && is_instance(r, c.definition, &pattern)) {
        c.definition = pattern;
        c.is_mirrored = true;
        status = proxygen_cxx_mirror(r, type, pattern, &c.members);
    }
    r->classes = portolan_arena_grow(&r->h->run->arena, r->classes, number, sizeof c);
    if (!r->classes)
        return PORTOLAN_ENOMEM;
    r->classes[r->n_classes++] = c;
    if (status != PORTOLAN_OK || c.is_again || clang->Cursor_isNull(c.members))
        return status; /* its mirror comes with the next round */
    return add_bases(r, number);
}

/* ------------------------------------------------------------------ names that are near */

/* Adds the classes in LIST and in its namespaces, except those of system headers. */
static void add_names(struct cxx_reader *r, struct cursors list, struct cursors *classes)
{
    const struct portolan_libclang *clang = r->h->clang;

    for (size_t i = 0; i < list.n; i++) {
        enum CXCursorKind kind = clang->getCursorKind(list.items[i]);

        if (clang->Location_isInSystemHeader(clang->getCursorLocation(list.items[i])))
            continue;
        if (kind == CXCursor_Namespace || proxygen_cxx_is_linkage(kind))
            add_names(r, proxygen_children(r->h, list.items[i]), classes);
        else if (kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl ||
                 kind == CXCursor_ClassTemplate)
            PROXYGEN_APPEND(&r->h->run->arena, classes->items, classes->n, list.items[i]);
    }
}

/* The class that a wrong name may mean; NULL if a class of that name exists. */
static const char *near_class(struct cxx_reader *r)
{
    const char *word = class_name(r->h), *same_end = NULL;
    struct cursors list = {0};
    const char **names;

    if (strchr(word, '<'))
        return NULL;
    add_names(r, r->h->top, &list);
    names = portolan_arena_alloc(&r->h->run->arena, list.n + 1, sizeof *names);
    for (size_t i = 0; names && i < list.n; i++) {
        const char *end;

        names[i] = proxygen_cxx_name(r, list.items[i]);
        end = strrchr(names[i], ':');
        if (strcmp(names[i], word) == 0)
            return NULL;
        if (end && strcmp(end + 1, word) == 0)
            same_end = names[i];
    }
    return same_end ? same_end : names ? portolan_nearest_word(word, names, list.n) : NULL;
}

/* ------------------------------------------------------------------ rounds */

/* Asks for the size of the port's class, so that the compiler instantiates the template. */
static enum portolan_status parse_port(struct cxx_reader *r)
{
    struct run *run = r->h->run;
    const char *text = proxygen_print(&run->arena,
                                      "using " PORT " = ::%s;\n"
                                      "enum { portolan_size = sizeof(" PORT ") };\n%s",
                                      class_name(r->h), r->mirrors.bytes ? r->mirrors.bytes : "");

    if (r->unit)
        r->h->clang->disposeTranslationUnit(r->unit);
    r->unit = NULL;
    return proxygen_header_parse_more(r->h, text, r->hint, &r->unit);
}

/* The type of the alias that parse_port() added; of kind CXType_Invalid: there is none. */
static CXType port_type(struct cxx_reader *r)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct cursors aliases = proxygen_children_of(r->h, clang->getTranslationUnitCursor(r->unit),
                                                  CXCursor_TypeAliasDecl);

    for (size_t i = 0; i < aliases.n; i++)
        if (strcmp(proxygen_header_spelling(r->h, aliases.items[i]), PORT) == 0)
            return clang->getCanonicalType(clang->getTypedefDeclUnderlyingType(aliases.items[i]));
    return (CXType){CXType_Invalid, {NULL, NULL}};
}

static enum portolan_status find_class(struct cxx_reader *r)
{
    struct run *run = r->h->run;
    CXType type = port_type(r);

    if (type.kind == CXType_Invalid)
        return proxygen_fail(run, PORTOLAN_ENOTFOUND, &run->whole, "there is no class '%s'",
                             class_name(r->h));
    if (type.kind != CXType_Record)
        return proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &run->whole,
                             "'%s' is no class, so it has no methods that could be measured",
                             class_name(r->h));
    r->n_classes = 0;
    return add_class(r, type, NULL, r->h->clang->getTypeDeclaration(type));
}

static enum portolan_status read_hierarchy(struct cxx_reader *r)
{
    enum portolan_status status;

    r->mirrors.arena = &r->h->run->arena;
    r->hint = near_class(r);
    for (int round = 0; round < most_rounds; round++) {
        r->has_new_mirrors = false;
        status = parse_port(r);
        if (status == PORTOLAN_OK)
            status = find_class(r);
        if (status != PORTOLAN_OK || !r->has_new_mirrors)
            return status;
    }
    return proxygen_fail(r->h->run, PORTOLAN_EUNSUPPORTED, &r->h->run->whole,
                         "'%s' is made of templates in too many layers", class_name(r->h));
}

/* ------------------------------------------------------------------ can a proxy be? */

/* Returns whether C has a constructor without arguments that a derived class may call. */
static bool can_construct(struct cxx_reader *r, const struct cxx_class *c)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct cursors list = proxygen_children_of(r->h, c->definition, CXCursor_Constructor);

    for (size_t i = 0; i < list.n; i++)
        if (clang->CXXConstructor_isDefaultConstructor(list.items[i]) &&
            clang->getCXXAccessSpecifier(list.items[i]) != CX_CXXPrivate &&
            clang->getCursorAvailability(list.items[i]) != CXAvailability_NotAvailable)
            return true;
    return list.n == 0;
}

static enum portolan_status check_destructor(struct cxx_reader *r, const struct cxx_class *c)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct cursors list = proxygen_children_of(r->h, c->definition, CXCursor_Destructor);
    struct place place;

    for (size_t i = 0; i < list.n; i++) {
        CXCursor member = list.items[i];

        r->h->run->port->has_virtual_end |= clang->CXXMethod_isVirtual(member);
        place = proxygen_header_cursor_place(r->h, member);
        if (clang->getCXXAccessSpecifier(member) == CX_CXXPrivate ||
            clang->getCursorAvailability(member) == CXAvailability_NotAvailable ||
            proxygen_cxx_is_final(r, member))
            return proxygen_fail(r->h->run, PORTOLAN_EUNSUPPORTED, &place,
                                 "the destructor of %s is private, deleted or final, so no proxy "
                                 "can be derived from it; it must be public or protected",
                                 c->name);
    }
    return PORTOLAN_OK;
}

static enum portolan_status check_class(struct cxx_reader *r, size_t number)
{
    const struct cxx_class *c = &r->classes[number];
    struct run *run = r->h->run;
    struct place place = proxygen_header_cursor_place(r->h, c->definition);

    if (proxygen_is_nameless(c->name))
        return proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &place,
                             "%s has no name that other files can use: it must not be in a "
                             "namespace without a name",
                             c->name);
    if (proxygen_cxx_is_final(r, c->definition))
        return proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &place,
                             "%s is final, so no proxy can be derived from it", c->name);
    if (number == 0 && !can_construct(r, c))
        return proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &place,
                             "%s has no constructor without arguments that a derived class may "
                             "call, so no proxy can be made; it may be protected",
                             c->name);
    return check_destructor(r, c);
}

/* Reads all that needs the parsed header; the caller disposes of it. */
static enum portolan_status read_all(struct cxx_reader *r)
{
    struct port *port = r->h->run->port;
    enum portolan_status status = read_hierarchy(r);

    if (status != PORTOLAN_OK)
        return status;
    port->object = r->classes[0].name;
    port->place = proxygen_header_cursor_place(r->h, r->classes[0].definition);
    for (size_t i = 0; i < r->n_classes && status == PORTOLAN_OK; i++)
        status = check_class(r, i);
    port->object = proxygen_cxx_anchor(r, port->object);
    if (status == PORTOLAN_OK)
        status = proxygen_read_class_methods(r);
    return status;
}

enum portolan_status proxygen_read_class(struct header *h)
{
    struct cxx_reader r = {.h = h};
    struct port *port = h->run->port;
    enum portolan_status status;

    port->shape = SHAPE_CLASS;
    port->type = type_name(h);
    status = proxygen_name_port(h->run);
    if (status == PORTOLAN_OK)
        status = read_all(&r);
    if (r.unit)
        h->clang->disposeTranslationUnit(r.unit);
    return status;
}
