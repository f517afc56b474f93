/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a C header: which struct is the port, and where its table of operations is. */
#include "read_header.h"

#include <stdlib.h>
#include <string.h>

/* The main file, which only includes the header: so the header is found as compilers find it. */
#define MAIN_FILE "portolan-proxygen.c"

static bool is_main(const struct place *place)
{
    return !place->file || strcmp(place->file, MAIN_FILE) == 0;
}

/* ------------------------------------------------------------------ parsing */

/* Unknown types and missing files do not fail a parse, they falsify it: every error is fatal. */
static enum portolan_status judge_diagnostics(struct header *h)
{
    const struct libclang *clang = h->clang;
    struct run *run = h->run;
    enum portolan_status status = PORTOLAN_OK;

    for (unsigned i = 0; i < clang->getNumDiagnostics(h->unit); i++) {
        CXDiagnostic d = clang->getDiagnostic(h->unit, i);
        struct place place = proxygen_header_place(h, clang->getDiagnosticLocation(d));
        const char *option = proxygen_header_text(h, clang->getDiagnosticOption(d, NULL));
        const char *text = proxygen_header_text(h, clang->getDiagnosticSpelling(d));

        if (is_main(&place))
            place = (struct place){.file = run->options->files[0], .line = 1};
        if (clang->getDiagnosticSeverity(d) >= CXDiagnostic_Error)
            status = proxygen_fail(run, PORTOLAN_ESYNTAX, &place, "%s", text);
        else if (strcmp(option, "-Wvisibility") == 0) {
            h->invisible = portolan_arena_grow(&run->arena, h->invisible, h->n_invisible,
                                               sizeof *h->invisible);
            if (h->invisible)
                h->invisible[h->n_invisible++] = place;
        }
        clang->disposeDiagnostic(d);
    }
    return status;
}

static enum portolan_status parse(struct header *h, CXIndex index)
{
    const struct portolan_proxygen_options *o = h->run->options;
    const char *text = proxygen_print(&h->run->arena, "#include \"%s\"\n", o->files[0]);
    struct CXUnsavedFile file = {MAIN_FILE, text, (unsigned long)strlen(text)};
    const char **flags = portolan_arena_alloc(&h->run->arena, o->n_flags + 4, sizeof *flags);
    int n = 0;

    if (!flags)
        return PORTOLAN_ENOMEM;
    flags[n++] = "-xc";
    flags[n++] = "-std=gnu17";
    flags[n++] = "-DPORTOLAN_PROXYGEN";
    for (size_t i = 0; i < o->n_flags; i++)
        flags[n++] = o->flags[i];
    if (h->clang->parseTranslationUnit2(index, MAIN_FILE, flags, n, &file, 1,
                                        CXTranslationUnit_SkipFunctionBodies |
                                            CXTranslationUnit_DetailedPreprocessingRecord,
                                        &h->unit) != CXError_Success)
        return portolan_error_set(h->run->err, PORTOLAN_ESYNTAX,
                                  "%s: libclang cannot read it with these flags", o->files[0]);
    return judge_diagnostics(h);
}

/* ------------------------------------------------------------------ the struct */

struct search {
    struct header *h;
    const char *word;
    CXCursor found; /* struct or typedef of that name */
    const char **names;
    size_t n_names;
    const char **macros;
    size_t n_macros;
    CXFile header_file;
};

static void search_note(struct portolan_arena *arena, const char ***list, size_t *n,
                        const char *name)
{
    *list = portolan_arena_grow(arena, *list, *n, sizeof **list);
    if (*list)
        (*list)[(*n)++] = name;
    else
        *n = 0;
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct search *s = data;
    const struct libclang *clang = s->h->clang;
    struct portolan_arena *arena = &s->h->run->arena;
    enum CXCursorKind kind = clang->getCursorKind(cursor);
    CXSourceLocation location = clang->getCursorLocation(cursor);
    const char *name;

    (void)parent;
    if (kind == CXCursor_InclusionDirective) {
        struct place place = proxygen_header_cursor_place(s->h, cursor);

        if (is_main(&place))
            s->header_file = clang->getIncludedFile(cursor);
        return CXChildVisit_Continue;
    }
    if (kind == CXCursor_MacroDefinition) {
        if (!clang->Cursor_isMacroBuiltin(cursor) && !clang->Cursor_isMacroFunctionLike(cursor) &&
            !clang->Location_isInSystemHeader(location))
            search_note(arena, &s->macros, &s->n_macros, proxygen_header_spelling(s->h, cursor));
        return CXChildVisit_Continue;
    }
    if (kind != CXCursor_StructDecl && kind != CXCursor_TypedefDecl)
        return CXChildVisit_Continue;
    name = proxygen_header_spelling(s->h, cursor);
    if (strcmp(name, s->word) == 0)
        s->found = cursor;
    if (!clang->Location_isInSystemHeader(location))
        search_note(arena, &s->names, &s->n_names, name);
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

static enum portolan_status find_struct(struct header *h, struct search *s, CXCursor *definition)
{
    struct place whole = {.file = h->run->options->files[0], .line = 1}, place;
    const char *nearest;

    if (strncmp(s->word, "struct ", 7) == 0)
        s->word += 7;
    h->clang->visitChildren(h->clang->getTranslationUnitCursor(h->unit), visit_top, s);
    if (h->clang->Cursor_isNull(s->found)) {
        nearest = portolan_nearest_word(s->word, s->names, s->n_names);
        return nearest ? proxygen_fail(h->run, PORTOLAN_ENOTFOUND, &whole,
                                       "there is no struct or typedef '%s'; did you mean '%s'?",
                                       s->word, nearest)
                       : proxygen_fail(h->run, PORTOLAN_ENOTFOUND, &whole,
                                       "there is no struct or typedef '%s'", s->word);
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
    size_t n;
};

static enum CXChildVisitResult collect_field(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct members *m = data;

    (void)parent;
    if (m->h->clang->getCursorKind(cursor) == CXCursor_FieldDecl) {
        m->fields = portolan_arena_grow(&m->h->run->arena, m->fields, m->n, sizeof *m->fields);
        if (!m->fields)
            return CXChildVisit_Break;
        m->fields[m->n++] = cursor;
    }
    return CXChildVisit_Continue;
}

static struct members struct_members(struct header *h, CXCursor definition)
{
    struct members m = {.h = h};

    if (!h->clang->Cursor_isNull(definition))
        h->clang->visitChildren(definition, collect_field, &m);
    if (!m.fields)
        m.n = 0;
    return m;
}

/* How many of the members are functions that take a pointer to OBJECT. */
static int count_methods(struct header *h, const struct members *m, CXType object)
{
    int count = 0;

    for (size_t i = 0; i < m->n; i++) {
        CXType function = proxygen_pointed_function(h, h->clang->getCursorType(m->fields[i]));
        int n = function.kind == CXType_Invalid ? 0 : h->clang->getNumArgTypes(function);

        for (int k = 0; k < n; k++)
            if (proxygen_is_object(h, h->clang->getArgType(function, (unsigned)k), object)) {
                count++;
                break;
            }
    }
    return count;
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

static enum portolan_status describe_object(struct header *h, CXCursor definition,
                                            const struct members *object, CXCursor table_field,
                                            CXCursor table_first)
{
    const struct libclang *clang = h->clang;
    struct port *port = &h->run->port;
    CXType table =
        clang->getPointeeType(clang->getCanonicalType(clang->getCursorType(table_field)));
    CXCursor last = object->fields[object->n - 1];

    table = clang->getCursorType(clang->getTypeDeclaration(table)); /* without const */
    port->object =
        proxygen_header_text(h, clang->getTypeSpelling(clang->getCursorType(definition)));
    port->table = proxygen_header_text(h, clang->getTypeSpelling(table));
    port->table_member = proxygen_header_spelling(h, table_field);
    port->place = proxygen_header_cursor_place(h, definition);
    port->has_data = object->n > 1;
    port->table_sized =
        strcmp(proxygen_header_spelling(h, table_first), "size") == 0 &&
        strcmp(proxygen_header_text(h, clang->getTypeSpelling(clang->getCursorType(table_first))),
               "size_t") == 0;
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

static const char *without_dot(const char *path)
{
    return strncmp(path, "./", 2) == 0 ? path + 2 : path;
}

/* How the generated file includes the header: by the shortest name the flags' folders allow. */
static const char *include_text(struct header *h, const struct search *s)
{
    const struct portolan_proxygen_options *o = h->run->options;
    struct portolan_arena *arena = &h->run->arena;
    const char *path = "", *base;

    if (o->include)
        return *o->include == '<' || *o->include == '"'
                   ? o->include
                   : proxygen_print(arena, "\"%s\"", o->include);
    if (s->header_file)
        path = without_dot(proxygen_header_text(h, h->clang->getFileName(s->header_file)));
    for (size_t i = 0; i < o->n_flags; i++) {
        const char *folder = o->flags[i];
        size_t length;

        if (strncmp(folder, "-I", 2) != 0)
            continue;
        folder = without_dot(folder[2] ? folder + 2 : i + 1 < o->n_flags ? o->flags[i + 1] : "");
        length = strlen(folder);
        while (length > 1 && folder[length - 1] == '/')
            length--;
        if (length && strncmp(path, folder, length) == 0 && path[length] == '/')
            return proxygen_print(arena, "<%s>", path + length + 1);
    }
    if (strncmp(path, "/usr/include/", 13) == 0)
        return proxygen_print(arena, "<%s>", path + 13);
    base = strrchr(path, '/');
    return proxygen_print(arena, "\"%s\"", base ? base + 1 : path);
}

static enum portolan_status read_port(struct header *h)
{
    struct run *run = h->run;
    const char *equals = strchr(run->options->port, '=');
    struct search s = {.h = h, .word = run->options->port};
    struct members object, table = {0};
    CXCursor definition, field;
    enum portolan_status status;

    s.found.kind = CXCursor_InvalidFile;
    if (equals)
        s.word = proxygen_print(&run->arena, "%.*s", (int)(equals - s.word), s.word);
    status = find_struct(h, &s, &definition);
    if (status != PORTOLAN_OK)
        return status;
    run->port.shape = SHAPE_TABLE;
    run->port.type = equals ? equals + 1 : s.word;
    run->port.include = include_text(h, &s);
    run->port.names_taken = s.macros;
    run->port.n_names_taken = s.n_macros;
    object = struct_members(h, definition);
    field = find_table(h, &object, h->clang->getCursorType(definition), &table);
    if (h->clang->Cursor_isNull(field)) {
        struct place place = proxygen_header_cursor_place(h, definition);
        bool own = count_methods(h, &object, h->clang->getCursorType(definition)) > 0;

        return proxygen_fail(
            h->run, PORTOLAN_EUNSUPPORTED, &place,
            own ? "'%s' holds its functions itself; only a struct with a pointer to a "
                  "table of functions can be proxied"
                : "'%s' has no pointer to a table of functions that take it: a port "
                  "needs methods",
            s.word);
    }
    status = describe_object(h, definition, &object, field, table.fields[0]);
    return status == PORTOLAN_OK ? proxygen_read_methods(h, table.fields, table.n,
                                                         h->clang->getCursorType(definition))
                                 : status;
}

enum portolan_status proxygen_read_header(struct run *run)
{
    struct header h = {.run = run};
    CXIndex index;
    enum portolan_status status;

    if (run->options->n_files != 1)
        return portolan_error_set(run->err, PORTOLAN_EINVAL,
                                  "a C port is read from one header; the others that it needs it "
                                  "includes itself");
    h.clang = proxygen_libclang_load(run->err);
    if (!h.clang)
        return PORTOLAN_EUNSUPPORTED;
    index = h.clang->createIndex(0, 0);
    if (!index)
        return portolan_error_set(run->err, PORTOLAN_ENOMEM, "libclang cannot start");
    status = parse(&h, index);
    if (status == PORTOLAN_OK)
        status = read_port(&h);
    if (h.unit)
        h.clang->disposeTranslationUnit(h.unit);
    h.clang->disposeIndex(index);
    return status;
}
