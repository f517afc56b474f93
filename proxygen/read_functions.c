/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a flat list of functions: those of the header whose names match the given patterns. */
#include "read_header.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* A declaration whose name matches. */
struct found {
    const char *name;
    CXCursor cursor;
    size_t order;
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

/* Chosen by a pattern (or by all there are being exclusions), and excluded by none. */
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

static void note_name(struct search *s, const char *name)
{
    s->names = portolan_arena_grow(&s->h->run->arena, s->names, s->n_names, sizeof *s->names);
    if (s->names)
        s->names[s->n_names++] = name;
    else
        s->n_names = 0;
}

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct search *s = data;
    const char *name;
    bool counts;

    (void)parent;
    if (s->h->clang->getCursorKind(cursor) != CXCursor_FunctionDecl)
        return CXChildVisit_Continue;
    counts = proxygen_header_counts(s->h, cursor);
    name = proxygen_header_spelling(s->h, cursor);
    if (counts)
        note_name(s, name);
    if (!is_chosen(s->h->run->options, name))
        return CXChildVisit_Continue;
    if (!counts) {
        if (s->elsewhere++ == 0)
            s->example = proxygen_header_cursor_place(s->h, cursor);
        return CXChildVisit_Continue;
    }
    s->items = portolan_arena_grow(&s->h->run->arena, s->items, s->n, sizeof *s->items);
    if (!s->items)
        return CXChildVisit_Break;
    s->items[s->n] = (struct found){.name = name, .cursor = cursor, .order = s->n};
    s->n++;
    return CXChildVisit_Continue;
}

static int by_name(const void *a, const void *b)
{
    const struct found *one = a, *other = b;
    int order = strcmp(one->name, other->name);

    return order ? order : one->order < other->order ? -1 : one->order > other->order;
}

static int by_order(const void *a, const void *b)
{
    const struct found *one = a, *other = b;

    return one->order < other->order ? -1 : one->order > other->order;
}

/* A function may be declared any number of times; the first declaration stays. */
static void drop_repeated(struct search *s)
{
    size_t n = 0;

    if (s->n == 0)
        return;
    qsort(s->items, s->n, sizeof *s->items, by_name);
    for (size_t i = 0; i < s->n; i++)
        if (i == 0 || strcmp(s->items[i].name, s->items[n - 1].name) != 0)
            s->items[n++] = s->items[i];
    s->n = n;
    qsort(s->items, s->n, sizeof *s->items, by_order);
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

static int by_symbol(const void *a, const void *b)
{
    const struct method *const *one = a, *const *other = b;
    int order = strcmp((*one)->symbol, (*other)->symbol);

    return order ? order : *one < *other ? -1 : *one > *other;
}

static struct method *add_method(struct run *run)
{
    struct port *port = &run->port;

    port->methods =
        portolan_arena_grow(&run->arena, port->methods, port->n_methods, sizeof *port->methods);
    if (!port->methods) {
        port->n_methods = 0;
        return NULL;
    }
    port->methods[port->n_methods] = (struct method){0};
    return &port->methods[port->n_methods++];
}

/* One that the report mentions and nothing else does. */
static enum portolan_status add_skipped(struct header *h, const char *name, CXCursor cursor,
                                        const char *why)
{
    struct method *m = add_method(h->run);

    if (!m)
        return PORTOLAN_ENOMEM;
    m->name = m->member = name;
    m->head = m->result = "void @";
    m->place = proxygen_header_cursor_place(h, cursor);
    m->skip = why;
    return PORTOLAN_OK;
}

static enum portolan_status add_function(struct header *h, const struct found *f)
{
    const CXType none = {CXType_Invalid, {NULL, NULL}};
    const char *why = skip_reason(h, f);
    enum portolan_status status;
    struct method *m;

    if (why)
        return add_skipped(h, f->name, f->cursor, why);
    m = add_method(h->run);
    if (!m)
        return PORTOLAN_ENOMEM;
    status = proxygen_read_method(h, f->cursor, h->clang->getCursorType(f->cursor), none, m);
    if (status != PORTOLAN_OK)
        return status;
    m->symbol = proxygen_header_text(h, h->clang->Cursor_getMangling(f->cursor));
    m->destroys = false; /* there is no object */
    /* What is called as it is has its place behind the others; what returns twice cannot. */
    m->present = !m->skip || m->variadic;
    if (m->variadic && !m->convention)
        m->skip =
            "variadic, which C cannot forward: its pointer is passed on as it is, and a front "
            "leaves the calls to the library; \"NAME.variadic: TWIN\" in a side file names a "
            "function that takes a va_list instead";
    return PORTOLAN_OK;
}

/* Two names for one symbol, as large-file declarations have them: the first one stays. */
static void drop_same_symbols(struct run *run)
{
    struct port *port = &run->port;
    struct method **sorted = portolan_arena_alloc(&run->arena, port->n_methods + 1, sizeof *sorted);
    size_t n = 0;

    if (!sorted)
        return;
    for (size_t i = 0; i < port->n_methods; i++)
        if (port->methods[i].present)
            sorted[n++] = &port->methods[i];
    qsort(sorted, n, sizeof *sorted, by_symbol);
    for (size_t i = 1; i < n; i++)
        if (strcmp(sorted[i]->symbol, sorted[i - 1]->symbol) == 0) {
            sorted[i]->present = false;
            sorted[i]->skip = proxygen_print(&run->arena, "another name for %s's symbol, %s",
                                             sorted[i - 1]->name, sorted[i]->symbol);
        }
}

/* Macros with parameters: what the reader has found of them. Functions are added elsewhere. */
static enum portolan_status add_macros(struct header *h, const struct search *s)
{
    for (size_t i = 0; i < h->n_unseen; i++) {
        const struct unseen *u = &h->unseen[i];
        bool function = false;
        enum portolan_status status;

        if (h->clang->getCursorKind(u->cursor) != CXCursor_MacroDefinition ||
            !is_chosen(h->run->options, u->name))
            continue;
        for (size_t k = 0; k < s->n && !function; k++)
            function = strcmp(s->items[k].name, u->name) == 0;
        if (function)
            continue; /* the macro is a short cut that callers take instead */
        status =
            add_skipped(h, u->name, u->cursor, "a macro, which the compiler puts in its place");
        if (status != PORTOLAN_OK)
            return status;
    }
    return PORTOLAN_OK;
}

static enum portolan_status refuse_pattern(const struct search *s, const char *pattern)
{
    struct run *run = s->h->run;
    const struct place whole = {.file = run->options->files[0], .line = 1};
    const char *nearest = portolan_nearest_word(pattern, s->names, s->n_names);

    if (s->elsewhere)
        return proxygen_fail(run, PORTOLAN_ENOTFOUND, &whole,
                             "no function that it declares itself matches '%s'; %s:%d, which it "
                             "includes, has one: name that header, or say --from",
                             pattern, s->example.file, s->example.line);
    return proxygen_fail(run, PORTOLAN_ENOTFOUND, &whole, "no function matches '%s'%s", pattern,
                         portolan_did_you_mean(nearest).text);
}

/* A pattern that matches nothing is a mistake worth knowing of. */
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
    run->port.shape = SHAPE_FUNCTIONS;
    run->port.type = proxygen_header_type(h);
    run->port.place = (struct place){.file = run->options->files[0], .line = 1};
    h->clang->visitChildren(h->clang->getTranslationUnitCursor(h->unit), visit_function, &s);
    first = check_patterns(&s);
    if (first != PORTOLAN_OK)
        return first;
    drop_repeated(&s);
    for (size_t i = 0; i < s.n; i++) {
        status = add_function(h, &s.items[i]);
        if (first == PORTOLAN_OK)
            first = status;
    }
    status = add_macros(h, &s);
    drop_same_symbols(run);
    if (first == PORTOLAN_OK)
        first = status;
    return first == PORTOLAN_OK ? proxygen_read_libraries(run) : first;
}
