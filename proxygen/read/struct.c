/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the struct of a header that is the port, its functions, inline functions and macros of the
 * header that work on it, and the structs that its methods hand out.
 */
#include "read.h"

#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------ the struct */

struct search {
    struct header *h;
    const char *word;
    CXCursor found; /* struct or typedef of that name */
    CXCursor other; /* another declaration of that name */
    const char **names;
    size_t n_names;
};

static void look_at(struct search *s, CXCursor cursor)
{
    const struct portolan_libclang *clang = s->h->clang;
    enum CXCursorKind kind = clang->getCursorKind(cursor);
    const char *name;

    if (kind == CXCursor_MacroDefinition)
        return;
    name = proxygen_header_spelling(s->h, cursor);
    if (kind != CXCursor_StructDecl && kind != CXCursor_TypedefDecl) {
        if (strcmp(name, s->word) == 0)
            s->other = cursor;
        return;
    }
    if (strcmp(name, s->word) == 0)
        s->found = cursor;
    if (!clang->Location_isInSystemHeader(clang->getCursorLocation(cursor)) ||
        proxygen_header_counts(s->h, cursor))
        PROXYGEN_APPEND(&s->h->run->arena, s->names, s->n_names, name);
}

/* The definition of the struct that CURSOR, a struct or typedef, means; or a null cursor. */
static CXCursor struct_definition(struct header *h, CXCursor cursor)
{
    CXType type = h->clang->getCanonicalType(h->clang->getCursorType(cursor));

    if (type.kind == CXType_Pointer)
        type = proxygen_pointee(h, type);
    return h->clang->getCursorDefinition(h->clang->getTypeDeclaration(type));
}

/* Refuses a name that belongs to a function, union or the like. */
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
    struct place place;
    const char *nearest;

    for (size_t i = 0; i < h->top.n; i++)
        look_at(s, h->top.items[i]);
    if (h->run->arena.failed)
        return PORTOLAN_ENOMEM;
    if (h->clang->Cursor_isNull(s->found) && !h->clang->Cursor_isNull(s->other))
        return refuse_other(s);
    if (h->clang->Cursor_isNull(s->found)) {
        nearest = portolan_nearest_word(s->word, s->names, s->n_names);
        return proxygen_fail(h->run, PORTOLAN_ENOTFOUND, asked ? asked : &h->run->whole,
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
};

static bool has_functions(struct header *h, CXCursor definition);

/* Adds the members of DEFINITION, with PREFIX before their names; structs in it that have functions
 * are replaced by their members. */
static void add_members(struct members *m, CXCursor definition, const char *prefix)
{
    struct portolan_arena *arena = &m->h->run->arena;
    const struct portolan_libclang *clang = m->h->clang;
    struct cursors list = proxygen_children(m->h, definition);

    for (size_t i = 0; i < list.n; i++) {
        CXCursor cursor = list.items[i], inner = cursor;
        enum CXCursorKind kind = clang->getCursorKind(cursor);
        /* A struct or union without a name for itself or its member. */
        bool anonymous = (kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl) &&
                         clang->Cursor_isAnonymousRecordDecl(cursor);
        const char *name = anonymous ? "" : proxygen_header_spelling(m->h, cursor);
        size_t n = m->n;

        if (kind != CXCursor_FieldDecl && !anonymous)
            continue;
        if (!anonymous)
            inner = clang->getCursorDefinition(
                clang->getTypeDeclaration(clang->getCanonicalType(clang->getCursorType(cursor))));
        if (!clang->Cursor_isNull(inner) && clang->getCursorKind(inner) == CXCursor_StructDecl &&
            has_functions(m->h, inner)) {
            add_members(m, inner, *name ? proxygen_print(arena, "%s%s.", prefix, name) : prefix);
            continue;
        }
        PROXYGEN_APPEND(arena, m->paths, n, proxygen_print(arena, "%s%s", prefix, name));
        if (n > m->n) /* the two keep step, also where memory is out */
            PROXYGEN_APPEND(arena, m->fields, m->n, cursor);
    }
}

static struct members struct_members(struct header *h, CXCursor definition)
{
    struct members m = {.h = h};

    if (!h->clang->Cursor_isNull(definition))
        add_members(&m, definition, "");
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
        CXType pointer = h->clang->getCursorType(object->fields[i]);
        CXType to = proxygen_pointee(h, pointer);
        struct members m;

        /* A link to the next object of the same kind is no table. */
        if (to.kind == CXType_Invalid || proxygen_is_object(h, pointer, type))
            continue;
        m = struct_members(h, h->clang->getCursorDefinition(h->clang->getTypeDeclaration(to)));
        if (count_methods(h, &m, type) == 0)
            continue;
        /* The first one that has any, unless a later one has the usual name. */
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

/* Sets the kinds of all members; functions count as data here, see find_data() in check.c. */
static void describe_members(struct header *h, const struct members *object, CXCursor table_field)
{
    struct port *port = h->run->port;

    port->members = portolan_arena_alloc(&h->run->arena, object->n + 1, sizeof *port->members);
    for (size_t i = 0; port->members && i < object->n; i++) {
        struct member *m = &port->members[port->n_members++];
        CXType type = h->clang->getCursorType(object->fields[i]);
        const char *declaration = proxygen_header_type_text(h, h->clang->getCanonicalType(type));
        const char *record = proxygen_record_behind(h, type, &(int){0});

        m->name = object->paths[i];
        m->kind = record && strcmp(record, port->record) == 0 ? MEMBER_LINK
                  : is_name(m->name, declaration)             ? MEMBER_NAME
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
    struct port *port = h->run->port;
    CXCursor last = object->fields[object->n - 1];
    CXType table = clang->getCursorType(definition);

    port->object = port->table = proxygen_header_type_text(h, table);
    port->place = proxygen_header_cursor_place(h, definition);
    port->record = proxygen_header_type_text(h, clang->getCanonicalType(table));
    describe_members(h, object, table_field);
    if (port->shape == SHAPE_TABLE) {
        table = proxygen_pointee(h, clang->getCursorType(table_field));
        table = clang->getCursorType(clang->getTypeDeclaration(table)); /* without const */
        port->table = proxygen_header_type_text(h, table);
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

/* Guesses by its name what a member before all functions says about the table's length. */
static enum version_kind guess_version(struct header *h, CXCursor field)
{
    static const char *const sizes[] = {"struct_size", "structSize", "cbSize"};
    static const char *const versions[] = {"version", "iVersion", "abi_version", "api_version"};
    const char *name = proxygen_header_spelling(h, field);
    CXType type = h->clang->getCursorType(field);

    if (PROXYGEN_IS_AMONG(name, versions))
        return VERSION_NUMBER;
    if (PROXYGEN_IS_AMONG(name, sizes))
        return VERSION_SIZE;
    /* The word "size" is too general, except for a size_t at the beginning of a table. */
    return strcmp(name, "size") == 0 && h->run->port->shape == SHAPE_TABLE &&
                   strcmp(proxygen_header_type_text(h, type), "size_t") == 0
               ? VERSION_SIZE
               : VERSION_NONE;
}

static void find_version(struct header *h, const struct members *table)
{
    struct port *port = h->run->port;
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

/* ------------------------------------------------------------------ inline functions and macros */

static bool takes_object(struct header *h, CXCursor function, CXType object)
{
    CXType type = h->clang->getCursorType(function);
    int n = h->clang->getNumArgTypes(type);

    for (int i = 0; i < n; i++)
        if (proxygen_is_object(h, h->clang->getArgType(type, (unsigned)i), object))
            return true;
    return false;
}

static bool is_method(const struct port *port, const char *name)
{
    for (size_t i = 0; i < port->n_methods; i++)
        if (strcmp(port->methods[i].member, name) == 0)
            return true;
    return false;
}

/* True when the macro's text names a method after "->" or ".". */
static bool names_method(struct header *h, CXCursor macro)
{
    const char *previous = "";
    CXToken *tokens = NULL;
    unsigned n = 0;
    bool found = false;

    h->clang->tokenize(h->unit, h->clang->getCursorExtent(macro), &tokens, &n);
    for (unsigned i = 0; i < n && !found; i++) {
        const char *text = proxygen_header_text(h, h->clang->getTokenSpelling(h->unit, tokens[i]));

        found = (strcmp(previous, "->") == 0 || strcmp(previous, ".") == 0) &&
                is_method(h->run->port, text);
        previous = text;
    }
    if (tokens)
        h->clang->disposeTokens(h->unit, tokens, n);
    return found;
}

/* Notes the inline functions and macros that work on OBJECT, once the methods are known. They are
 * compiled into their callers, so no proxy sees calls of them, but it sees the calls they make. */
static void read_unseen(struct header *h, CXType object)
{
    struct port *port = h->run->port;

    for (size_t i = 0; i < h->n_unseen; i++) {
        const struct unseen *u = &h->unseen[i];
        bool is_macro = h->clang->getCursorKind(u->cursor) == CXCursor_MacroDefinition;

        if (is_macro ? !names_method(h, u->cursor) : !takes_object(h, u->cursor, object))
            continue;
        PROXYGEN_APPEND(
            &h->run->arena, port->unseen, port->n_unseen,
            (struct unseen_call){u->name, is_macro, proxygen_header_cursor_place(h, u->cursor)});
    }
}

/* ------------------------------------------------------------------ the whole */

/* Returns whether DEFINITION has members that only C++ has: functions with bodies, parents. */
static bool is_class(struct header *h, CXCursor definition)
{
    struct cursors list = proxygen_children(h, definition);

    for (size_t i = 0; i < list.n; i++)
        switch (h->clang->getCursorKind(list.items[i])) {
        case CXCursor_CXXBaseSpecifier:
        case CXCursor_CXXMethod:
        case CXCursor_Constructor:
        case CXCursor_Destructor:
        case CXCursor_ConversionFunction:
        case CXCursor_FunctionTemplate:
        case CXCursor_CXXAccessSpecifier:
            return true;
        default:
            break;
        }
    return false;
}

bool proxygen_is_struct_of_functions(struct header *h)
{
    struct search s = {.h = h, .word = proxygen_header_word(h)};
    struct members object, table;
    CXCursor definition;

    s.found.kind = s.other.kind = CXCursor_InvalidFile;
    for (size_t i = 0; i < h->top.n; i++)
        look_at(&s, h->top.items[i]);
    if (h->run->arena.failed || h->clang->Cursor_isNull(s.found))
        return false;
    definition = struct_definition(h, s.found);
    if (h->clang->Cursor_isNull(definition) ||
        h->clang->getCursorKind(definition) != CXCursor_StructDecl || is_class(h, definition))
        return false;
    object = struct_members(h, definition);
    return has_functions(h, definition) ||
           !h->clang->Cursor_isNull(
               find_table(h, &object, h->clang->getCursorType(definition), &table));
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

/* Makes the struct WORD the run's port; ASKED is where it is asked for, NULL: by the options. */
static enum portolan_status read_object(struct header *h, const char *word,
                                        const struct place *asked)
{
    struct port *port = h->run->port;
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
    port->is_cxx = h->is_cxx;
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
    h->held = port->shape == SHAPE_STRUCT ? type : none;
    if (status == PORTOLAN_OK)
        status = proxygen_read_methods(h, table.fields, table.paths, table.n,
                                       port->selfless ? none : type);
    h->held = none;
    if (status == PORTOLAN_OK)
        read_unseen(h, type);
    return status;
}

/* Reads the struct WORD, which methods hand out according to the side file. */
static enum portolan_status read_given(struct header *h, const char *word,
                                       const struct place *place)
{
    struct run *run = h->run;
    const struct port *main_port = &run->main_port;
    enum portolan_status status;
    struct port *port;

    if (proxygen_find_port(run, word))
        return PORTOLAN_OK;
    port = portolan_arena_alloc(&run->arena, 1, sizeof *port);
    if (!port)
        return PORTOLAN_ENOMEM;
    *port = (struct port){.type = word,
                          .c_type = word,
                          .include = main_port->include,
                          .names_taken = main_port->names_taken,
                          .n_names_taken = main_port->n_names_taken};
    run->port = port;
    status = read_object(h, word, place);
    run->port = &run->main_port;
    PROXYGEN_APPEND(&run->arena, run->given, run->n_given, port);
    return status;
}

enum portolan_status proxygen_read_struct(struct header *h)
{
    enum portolan_status status;

    h->run->port->type = proxygen_header_type(h);
    status = read_object(h, proxygen_header_word(h), NULL);
    return status == PORTOLAN_OK ? proxygen_side_gives(h, read_given) : status;
}
