/* SPDX-License-Identifier: BSD-3-Clause */
/* Which struct of a header is the port, and where its functions are. */
#include "read_header.h"

#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------ the struct */

struct search {
    struct header *h;
    const char *word;
    CXCursor found; /* struct or typedef of that name */
    CXCursor other; /* what else has it */
    const char **names;
    size_t n_names;
};

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct search *s = data;
    const struct portolan_libclang *clang = s->h->clang;
    enum CXCursorKind kind = clang->getCursorKind(cursor);
    const char *name;

    (void)parent;
    if (kind == CXCursor_MacroDefinition)
        return CXChildVisit_Continue;
    name = proxygen_header_spelling(s->h, cursor);
    if (kind != CXCursor_StructDecl && kind != CXCursor_TypedefDecl) {
        if (strcmp(name, s->word) == 0)
            s->other = cursor;
        return CXChildVisit_Continue;
    }
    if (strcmp(name, s->word) == 0)
        s->found = cursor;
    if (clang->Location_isInSystemHeader(clang->getCursorLocation(cursor)) &&
        !proxygen_header_counts(s->h, cursor))
        return CXChildVisit_Continue;
    s->names = portolan_arena_grow(&s->h->run->arena, s->names, s->n_names, sizeof *s->names);
    if (!s->names)
        return CXChildVisit_Break;
    s->names[s->n_names++] = name;
    return CXChildVisit_Continue;
}

/* The definition of the struct that a struct's or typedef's cursor means, or a null cursor. */
static CXCursor struct_definition(struct header *h, CXCursor cursor)
{
    CXType type = h->clang->getCanonicalType(h->clang->getCursorType(cursor));

    if (type.kind == CXType_Pointer)
        type = h->clang->getCanonicalType(h->clang->getPointeeType(type));
    return h->clang->getCursorDefinition(h->clang->getTypeDeclaration(type));
}

/* A name that is taken by what cannot be a port of this kind. */
static enum portolan_status refuse_other(const struct search *s)
{
    enum CXCursorKind kind = s->h->clang->getCursorKind(s->other);
    struct place place = proxygen_header_cursor_place(s->h, s->other);

    if (kind == CXCursor_FunctionDecl)
        return proxygen_fail(s->h->run, PORTOLAN_EUNSUPPORTED, &place,
                             "'%s' is a function; --functions '%s' makes a port of functions",
                             s->word, s->word);
    return proxygen_fail(s->h->run, PORTOLAN_EUNSUPPORTED, &place,
                         "'%s' is %s; a port is a struct with functions", s->word,
                         kind == CXCursor_UnionDecl  ? "a union"
                         : kind == CXCursor_EnumDecl ? "an enumeration"
                         : kind == CXCursor_VarDecl  ? "a variable"
                                                     : "no struct");
}

static enum portolan_status find_struct(struct header *h, struct search *s,
                                        const struct place *asked, CXCursor *definition)
{
    struct place whole = {.file = h->run->options->files[0], .line = 1}, place;
    const char *nearest;

    if (asked)
        whole = *asked;

    h->clang->visitChildren(h->clang->getTranslationUnitCursor(h->unit), visit_top, s);
    if (h->run->arena.failed)
        return PORTOLAN_ENOMEM;
    if (h->clang->Cursor_isNull(s->found) && !h->clang->Cursor_isNull(s->other))
        return refuse_other(s);
    if (h->clang->Cursor_isNull(s->found)) {
        nearest = portolan_nearest_word(s->word, s->names, s->n_names);
        return proxygen_fail(h->run, PORTOLAN_ENOTFOUND, &whole,
                             "there is no struct or typedef '%s'%s", s->word,
                             portolan_did_you_mean(nearest).text);
    }
    place = proxygen_header_cursor_place(h, s->found);
    *definition = struct_definition(h, s->found);
    if (h->clang->Cursor_isNull(*definition) ||
        h->clang->getCursorKind(*definition) != CXCursor_StructDecl)
        return proxygen_fail(
            h->run, PORTOLAN_EUNSUPPORTED, &place,
            "'%s' is no struct whose members the header shows; a port is a struct with "
            "a pointer to its table of operations",
            s->word);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ the table in it */

struct members {
    struct header *h;
    CXCursor *fields;
    const char **paths; /* how each is reached from the struct: "group.member" */
    size_t n;
    const char *prefix; /* of the struct that is being visited */
};

static bool has_functions(struct header *h, CXCursor definition);

static enum CXChildVisitResult collect_field(CXCursor cursor, CXCursor parent, CXClientData data);

/* A struct in the struct that has functions: its members are taken as the outer one's. */
static bool collect_group(struct members *m, CXCursor definition, const char *name)
{
    const struct portolan_libclang *clang = m->h->clang;
    const char *outer = m->prefix;

    if (clang->Cursor_isNull(definition) ||
        clang->getCursorKind(definition) != CXCursor_StructDecl || !has_functions(m->h, definition))
        return false;
    if (*name)
        m->prefix = proxygen_print(&m->h->run->arena, "%s%s.", outer, name);
    clang->visitChildren(definition, collect_field, m);
    m->prefix = outer;
    return true;
}

/* What a member's type is defined as, if that is a struct. */
static CXCursor definition_of(struct header *h, CXCursor field)
{
    CXType type = h->clang->getCanonicalType(h->clang->getCursorType(field));

    return h->clang->getCursorDefinition(h->clang->getTypeDeclaration(type));
}

static enum CXChildVisitResult collect_field(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct members *m = data;
    struct portolan_arena *arena = &m->h->run->arena;
    const struct portolan_libclang *clang = m->h->clang;
    enum CXCursorKind kind = clang->getCursorKind(cursor);
    /* A struct or union without a name for itself or its member. */
    bool anonymous = (kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl) &&
                     clang->Cursor_isAnonymousRecordDecl(cursor);
    const char *name = anonymous ? "" : proxygen_header_spelling(m->h, cursor);

    (void)parent;
    if ((kind != CXCursor_FieldDecl && !anonymous) ||
        collect_group(m, anonymous ? cursor : definition_of(m->h, cursor), name))
        return CXChildVisit_Continue;
    m->fields = portolan_arena_grow(arena, m->fields, m->n, sizeof *m->fields);
    m->paths = portolan_arena_grow(arena, m->paths, m->n, sizeof *m->paths);
    if (!m->fields || !m->paths)
        return CXChildVisit_Break;
    m->paths[m->n] = proxygen_print(arena, "%s%s", m->prefix, name);
    m->fields[m->n++] = cursor;
    return CXChildVisit_Continue;
}

static struct members struct_members(struct header *h, CXCursor definition)
{
    struct members m = {.h = h, .prefix = ""};

    if (!h->clang->Cursor_isNull(definition))
        h->clang->visitChildren(definition, collect_field, &m);
    if (!m.fields || !m.paths)
        m.n = 0;
    return m;
}

/*
 * How many of the members are functions that take a pointer to OBJECT; with OBJECT of kind
 * CXType_Invalid, how many are functions at all.
 */
static int count_methods(struct header *h, const struct members *m, CXType object)
{
    int count = 0;

    for (size_t i = 0; i < m->n; i++) {
        CXType function = proxygen_pointed_function(h, h->clang->getCursorType(m->fields[i]));
        int n = function.kind == CXType_Invalid ? 0 : h->clang->getNumArgTypes(function);

        if (object.kind == CXType_Invalid) {
            count += function.kind != CXType_Invalid;
            continue;
        }

        for (int k = 0; k < n; k++)
            if (proxygen_is_object(h, h->clang->getArgType(function, (unsigned)k), object)) {
                count++;
                break;
            }
    }
    return count;
}

static bool has_functions(struct header *h, CXCursor definition)
{
    const CXType none = {CXType_Invalid, {NULL, NULL}};
    struct members m = struct_members(h, definition);

    return count_methods(h, &m, none) > 0;
}

/* Chooses the member that points to the table; the null cursor when there is none. */
static CXCursor find_table(struct header *h, const struct members *object, CXType type,
                           struct members *table)
{
    CXCursor best = {0};

    best.kind = CXCursor_InvalidFile;
    for (size_t i = 0; i < object->n; i++) {
        CXType pointer = h->clang->getCanonicalType(h->clang->getCursorType(object->fields[i]));
        struct members m;

        /* A link to the next object of the same kind is no table. */
        if (pointer.kind != CXType_Pointer || proxygen_is_object(h, pointer, type))
            continue;
        m = struct_members(h, h->clang->getCursorDefinition(h->clang->getTypeDeclaration(
                                  h->clang->getCanonicalType(h->clang->getPointeeType(pointer)))));
        if (count_methods(h, &m, type) == 0)
            continue;
        /* The first one that has any, unless a later one bears the usual name. */
        if (best.kind == CXCursor_InvalidFile ||
            strcmp(proxygen_header_spelling(h, object->fields[i]), "ops") == 0) {
            best = object->fields[i];
            *table = m;
        }
    }
    return best;
}

static bool is_name(const char *name, const char *declaration)
{
    size_t length = strlen(name);

    return length >= 4 && strcasecmp(name + length - 4, "name") == 0 &&
           strcmp(declaration, "const char *") == 0;
}

/* Which members follow both sides; functions are told apart once it is known which are methods. */
static void describe_members(struct header *h, const struct members *object, CXCursor table_field)
{
    struct port *port = &h->run->port;

    port->members = portolan_arena_alloc(&h->run->arena, object->n + 1, sizeof *port->members);
    for (size_t i = 0; port->members && i < object->n; i++) {
        struct member *m = &port->members[port->n_members++];
        CXType type = h->clang->getCursorType(object->fields[i]);
        const char *declaration =
            proxygen_header_text(h, h->clang->getTypeSpelling(h->clang->getCanonicalType(type)));

        m->name = object->paths[i];
        m->kind = proxygen_record_behind(h, type, &(int){0}) &&
                          strcmp(proxygen_record_behind(h, type, &(int){0}), port->record) == 0
                      ? MEMBER_LINK
                  : is_name(m->name, declaration) ? MEMBER_NAME
                                                  : MEMBER_DATA;
        if (h->clang->equalCursors(object->fields[i], table_field))
            m->kind = MEMBER_TABLE;
    }
}

/* TABLE_FIELD is the null cursor where the struct holds its functions itself. */
static enum portolan_status describe_object(struct header *h, CXCursor definition,
                                            const struct members *object, CXCursor table_field)
{
    const struct portolan_libclang *clang = h->clang;
    struct port *port = &h->run->port;
    CXCursor last = object->fields[object->n - 1];
    CXType table = clang->getCursorType(definition);

    port->object = port->table = proxygen_header_text(h, clang->getTypeSpelling(table));
    port->place = proxygen_header_cursor_place(h, definition);
    port->record = proxygen_header_text(h, clang->getTypeSpelling(clang->getCanonicalType(table)));
    describe_members(h, object, table_field);
    if (port->shape == SHAPE_TABLE) {
        table = clang->getPointeeType(clang->getCanonicalType(clang->getCursorType(table_field)));
        table = clang->getCursorType(clang->getTypeDeclaration(table)); /* without const */
        port->table = proxygen_header_text(h, clang->getTypeSpelling(table));
        port->table_member = proxygen_header_spelling(h, table_field);
    }
    if (strchr(port->object, '(') || strchr(port->table, '('))
        return proxygen_fail(h->run, PORTOLAN_EUNSUPPORTED, &port->place,
                             "the port's struct and its table need names of their own");
    if (clang->getCanonicalType(clang->getCursorType(last)).kind == CXType_IncompleteArray)
        return proxygen_fail(
            h->run, PORTOLAN_EUNSUPPORTED, &port->place,
            "%s ends in an array of unknown length, so a proxy cannot stand in for it",
            port->object);
    return PORTOLAN_OK;
}

static bool is_word(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* What a member in front of all functions says of the table's length, by its name. */
static enum version_kind guess_version(struct header *h, CXCursor field)
{
    static const char *const sizes[] = {"struct_size", "structSize", "cbSize", "size"};
    static const char *const versions[] = {"version", "iVersion", "abi_version", "api_version"};
    const char *name = proxygen_header_spelling(h, field);
    CXType type = h->clang->getCursorType(field);

    if (is_word(name, versions, 4))
        return VERSION_NUMBER;
    if (is_word(name, sizes, 3))
        return VERSION_SIZE;
    /* The plain word may mean anything but in front of a table, where it is a size_t. */
    return is_word(name, sizes + 3, 1) && h->run->port.shape == SHAPE_TABLE &&
                   strcmp(proxygen_header_text(h, h->clang->getTypeSpelling(type)), "size_t") == 0
               ? VERSION_SIZE
               : VERSION_NONE;
}

static void find_version(struct header *h, const struct members *table)
{
    struct port *port = &h->run->port;
    bool in_front = true;

    port->table_numbers =
        portolan_arena_alloc(&h->run->arena, table->n + 1, sizeof *port->table_numbers);
    for (size_t i = 0; port->table_numbers && i < table->n; i++) {
        const char *name = proxygen_header_spelling(h, table->fields[i]);

        if (proxygen_type_value_kind(h, h->clang->getCursorType(table->fields[i])) !=
            VALUE_INTEGER) {
            in_front = false;
            continue;
        }
        port->table_numbers[port->n_table_numbers++] = name;
        if (in_front && port->version_kind == VERSION_NONE) {
            port->version_kind = guess_version(h, table->fields[i]);
            port->version_member = name;
        }
    }
    port->version_guessed = port->version_kind != VERSION_NONE;
    if (port->version_kind == VERSION_NONE)
        port->version_member = NULL;
}

static enum portolan_status refuse_plain(struct header *h, CXCursor definition, const char *word,
                                         const struct place *asked)
{
    struct place place = proxygen_header_cursor_place(h, definition);

    return proxygen_fail(
        h->run, PORTOLAN_EUNSUPPORTED, asked ? asked : &place,
        "'%s' has no pointer to a table of functions that take it, and no functions itself: a port "
        "needs methods",
        word);
}

enum portolan_status proxygen_read_object(struct header *h, const char *word,
                                          const struct place *asked)
{
    struct port *port = &h->run->port;
    struct search s = {.h = h, .word = word};
    struct members object, table = {0};
    CXCursor definition, field;
    const CXType none = {CXType_Invalid, {NULL, NULL}};
    CXType type;
    enum portolan_status status;

    s.found.kind = s.other.kind = CXCursor_InvalidFile;
    status = find_struct(h, &s, asked, &definition);
    if (status != PORTOLAN_OK)
        return status;
    port->word = word;
    type = h->clang->getCursorType(definition);
    object = struct_members(h, definition);
    field = find_table(h, &object, type, &table);
    if (!h->clang->Cursor_isNull(field)) {
        port->shape = SHAPE_TABLE;
    } else if (count_methods(h, &object, none) > 0) {
        port->shape = SHAPE_STRUCT;
        port->selfless = count_methods(h, &object, type) == 0;
        table = object;
    } else {
        return refuse_plain(h, definition, word, asked);
    }
    find_version(h, &table);
    status = describe_object(h, definition, &object, field);
    h->held = port->selfless ? type : none;
    if (status == PORTOLAN_OK)
        status = proxygen_read_methods(h, table.fields, table.paths, table.n,
                                       port->selfless ? none : type);
    h->held = none;
    if (status == PORTOLAN_OK)
        proxygen_read_unseen(h, type);
    return status;
}

enum portolan_status proxygen_read_struct(struct header *h)
{
    enum portolan_status status;

    h->run->port.type = proxygen_header_type(h);
    status = proxygen_read_object(h, proxygen_header_word(h), NULL);
    return status == PORTOLAN_OK ? proxygen_read_given(h) : status;
}
