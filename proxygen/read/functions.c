/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a flat list of functions: those of the header whose names match the given patterns, and the
 * shared objects that implement them, with their names as components.
 */
#include "read.h"

#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Characters allowed in a component's name. */
#define WORD_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* A declaration whose name matches. */
struct found {
    const char *name;
    CXCursor cursor;
};

struct search {
    struct header *h;
    struct found *items;
    size_t n;
    size_t elsewhere; /* declarations that match but do not count */
    struct place example;
    const char **names; /* of all functions that count, for suggestions */
    size_t n_names;
};

/* ------------------------------------------------------------------ patterns */

static bool is_exclusion(const char *pattern)
{
    return *pattern == '!';
}

/* Returns whether a pattern chooses NAME (or all patterns are exclusions) and none excludes it. */
static bool is_chosen(const struct portolan_proxygen_options *o, const char *name)
{
    bool chosen = false, positive = false;

    for (size_t i = 0; i < o->n_functions; i++) {
        const char *pattern = o->functions[i];

        if (is_exclusion(pattern)) {
            if (fnmatch(pattern + 1, name, 0) == 0)
                return false;
            continue;
        }
        positive = true;
        chosen = chosen || fnmatch(pattern, name, 0) == 0;
    }
    return chosen || !positive;
}

/* ------------------------------------------------------------------ declarations */

static bool is_found(const struct search *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->items[i].name, name) == 0)
            return true;
    return false;
}

/* A function may be declared any number of times; the first declaration stays. */
static void add_declaration(struct search *s, CXCursor cursor)
{
    struct header *h = s->h;
    bool counts = proxygen_header_counts(h, cursor);
    const char *name = proxygen_header_spelling(h, cursor);

    if (counts)
        PROXYGEN_APPEND(&h->run->arena, s->names, s->n_names, name);
    if (!is_chosen(h->run->options, name))
        return;
    if (!counts && s->elsewhere++ == 0)
        s->example = proxygen_header_cursor_place(h, cursor);
    else if (counts && !is_found(s, name))
        PROXYGEN_APPEND(&h->run->arena, s->items, s->n, (struct found){name, cursor});
}

/* ------------------------------------------------------------------ what cannot be had */

static const char *skip_reason(struct header *h, const struct found *f)
{
    const struct portolan_libclang *clang = h->clang;
    enum CXVisibilityKind visibility = clang->getCursorVisibility(f->cursor);

    if (!clang->Cursor_isNull(clang->getCursorDefinition(f->cursor)))
        return "defined in the header, so calls of it are compiled into their callers";
    if (clang->Cursor_getStorageClass(f->cursor) == CX_SC_Static)
        return "static, so no shared object has it";
    if (visibility == CXVisibility_Hidden)
        return "hidden, so no shared object shows it";
    if (clang->getCursorAvailability(f->cursor) == CXAvailability_NotAvailable)
        return "not available here";
    return NULL;
}

/* ------------------------------------------------------------------ methods */

static enum portolan_status add_function(struct header *h, const struct found *f)
{
    const CXType none = {CXType_Invalid, {NULL, NULL}};
    const char *why = skip_reason(h, f);
    enum portolan_status status;
    struct method *m;

    m = why ? proxygen_add_skipped(h, f->cursor, why) : proxygen_add_method(h->run);
    if (m && why)
        return PORTOLAN_OK;
    if (!m)
        return PORTOLAN_ENOMEM;
    status = proxygen_read_method(h, f->cursor, h->clang->getCursorType(f->cursor), none, m);
    if (status != PORTOLAN_OK)
        return status;
    m->symbol = proxygen_header_text(h, h->clang->Cursor_getMangling(f->cursor));
    m->destroys = false; /* there is no object */
    /* Variadic functions are passed on, so they are members; other skipped functions are not. */
    m->present = !m->skip || m->variadic;
    if (m->variadic && !m->convention)
        m->skip =
            "variadic, which C cannot forward: its pointer is passed on as it is, and a front "
            "leaves the calls to the library; \"NAME.variadic: TWIN\" in a side file names a "
            "function that takes a va_list instead";
    return PORTOLAN_OK;
}

/* Two names may mean one symbol, as in large-file declarations: the first one stays. */
static void drop_same_symbols(struct run *run)
{
    struct port *port = run->port;

    for (size_t i = 0; i < port->n_methods; i++)
        for (size_t k = 0; k < i && port->methods[i].present; k++) {
            const struct method *first = &port->methods[k];
            struct method *m = &port->methods[i];

            if (!first->present || strcmp(first->symbol, m->symbol) != 0)
                continue;
            m->present = false;
            m->skip = proxygen_print(&run->arena, "another name for %s's symbol, %s", first->name,
                                     first->symbol);
        }
}

/* Lists the macros with parameters that were found. Where there is a function of that name, callers
 * may use that instead. */
static void add_macros(struct header *h, const struct search *s)
{
    for (size_t i = 0; i < h->n_unseen; i++) {
        const struct unseen *u = &h->unseen[i];

        if (h->clang->getCursorKind(u->cursor) == CXCursor_MacroDefinition &&
            is_chosen(h->run->options, u->name) && !is_found(s, u->name))
            proxygen_add_skipped(h, u->cursor, "a macro, which the compiler puts in its place");
    }
}

static enum portolan_status refuse_pattern(const struct search *s, const char *pattern)
{
    struct run *run = s->h->run;
    const char *nearest = portolan_nearest_word(pattern, s->names, s->n_names);

    if (s->elsewhere)
        return proxygen_fail(run, PORTOLAN_ENOTFOUND, &run->whole,
                             "no function that it declares itself matches '%s'; %s:%d, which it "
                             "includes, has one: name that header, or say --from",
                             pattern, s->example.file, s->example.line);
    return proxygen_fail(run, PORTOLAN_ENOTFOUND, &run->whole, "no function matches '%s'%s",
                         pattern, portolan_did_you_mean(nearest).text);
}

/* A pattern that matches nothing is probably a mistake. */
static enum portolan_status check_patterns(const struct search *s)
{
    const struct portolan_proxygen_options *o = s->h->run->options;

    for (size_t i = 0; i < o->n_functions; i++) {
        bool used = is_exclusion(o->functions[i]);

        for (size_t k = 0; k < s->n_names && !used; k++)
            used = fnmatch(o->functions[i], s->names[k], 0) == 0;
        if (!used)
            return refuse_pattern(s, o->functions[i]);
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ shared objects */

/* The component's name in "NAME=FILE"; a '=' after a '/' belongs to the path. */
static const char *given_name(struct run *run, const char *library, const char **file)
{
    const char *equals = strchr(library, '=');

    *file = library;
    if (!equals || memchr(library, '/', (size_t)(equals - library)))
        return NULL;
    *file = equals + 1;
    return proxygen_print(&run->arena, "%.*s", (int)(equals - library), library);
}

/* The last DEPTH parts of the path as a word, cut at ".so". */
static const char *name_of_file(struct run *run, const char *file, int depth)
{
    const char *begin = file + strlen(file), *last = strrchr(file, '/');
    const char *end = strstr(last ? last : file, ".so");
    char *word;

    while (begin > file && (begin[-1] != '/' || --depth > 0))
        begin--;
    begin += *begin == '/';
    if (!end || end <= begin)
        end = begin + strlen(begin);
    word = portolan_arena_strndup(&run->arena, begin, (size_t)(end - begin));
    for (char *c = word; c && *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return word ? word : "";
}

static bool is_unique(const struct port *p, size_t i)
{
    for (size_t k = 0; k < p->n_providers; k++)
        if (k != i && strcmp(p->providers[k].name, p->providers[i].name) == 0)
            return false;
    return true;
}

/* Files of one name in different folders get the folders' names as a prefix. */
static void separate_names(struct run *run)
{
    struct port *p = run->port;

    for (int depth = 2; depth < 16; depth++) {
        for (size_t i = 0; i < p->n_providers; i++)
            p->providers[i].clashes = !p->providers[i].is_given && !is_unique(p, i);
        for (size_t i = 0; i < p->n_providers; i++)
            if (p->providers[i].clashes)
                p->providers[i].name = name_of_file(run, p->providers[i].file, depth);
    }
}

static enum portolan_status read_library(struct run *run, const char *library,
                                         struct provider *provider)
{
    const char *file;
    const char *name = given_name(run, library, &file);
    char folder[PATH_MAX];

    if (!*file)
        return portolan_error_set(run->err, PORTOLAN_EINVAL,
                                  "--lib '%s' names no file; it reads FILE or NAME=FILE", library);
    if (name && (!*name || name[strspn(name, WORD_BYTES)]))
        return portolan_error_set(run->err, PORTOLAN_EINVAL,
                                  "--lib '%s': '%s' becomes part of a class's name, so it can have "
                                  "letters, digits and '_' only",
                                  library, name);
    /* The component will run in another folder, so relative paths become absolute. */
    if (*file != '/' && strchr(file, '/') && getcwd(folder, sizeof folder))
        file = proxygen_print(&run->arena, "%s/%s", folder, file);
    *provider = (struct provider){
        .name = name ? name : name_of_file(run, file, 1), .file = file, .is_given = name != NULL};
    return PORTOLAN_OK;
}

/* The providers that options->libraries ask for. */
static enum portolan_status read_libraries(struct run *run)
{
    const struct portolan_proxygen_options *o = run->options;
    struct port *p = run->port;
    enum portolan_status status = PORTOLAN_OK;

    p->providers = portolan_arena_alloc(&run->arena, o->n_libraries + 1, sizeof *p->providers);
    if (!p->providers)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < o->n_libraries && status == PORTOLAN_OK; i++) {
        status = read_library(run, o->libraries[i], &p->providers[i]);
        p->n_providers++;
    }
    if (status != PORTOLAN_OK)
        return status;
    separate_names(run);
    for (size_t i = 0; i < p->n_providers; i++)
        if (!is_unique(p, i))
            return portolan_error_set(run->err, PORTOLAN_EINVAL,
                                      "two libraries would be component '%s_%s'; name one by --lib "
                                      "NAME=%s",
                                      p->type, p->providers[i].name, p->providers[i].file);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ the whole */

enum portolan_status proxygen_read_functions(struct header *h)
{
    struct run *run = h->run;
    struct search s = {.h = h};
    enum portolan_status first, status;

    if (h->is_cxx)
        return portolan_error_set(run->err, PORTOLAN_EUNSUPPORTED,
                                  "%s: lists of functions are read from C headers; C++ functions "
                                  "have no names of their own in shared objects",
                                  run->options->files[0]);
    run->port->shape = SHAPE_FUNCTIONS;
    run->port->type = proxygen_header_type(h);
    run->port->place = run->whole;
    for (size_t i = 0; i < h->top.n; i++)
        if (h->clang->getCursorKind(h->top.items[i]) == CXCursor_FunctionDecl)
            add_declaration(&s, h->top.items[i]);
    first = check_patterns(&s);
    if (first != PORTOLAN_OK)
        return first;
    for (size_t i = 0; i < s.n; i++) {
        status = add_function(h, &s.items[i]);
        if (first == PORTOLAN_OK)
            first = status;
    }
    add_macros(h, &s);
    drop_same_symbols(run);
    return first == PORTOLAN_OK ? read_libraries(run) : first;
}
