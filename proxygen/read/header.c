/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses a header, collects what all kinds of ports need, and chooses the port's reader. */
#include "class.h"
#include "read.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The main file only includes the header, so libclang finds the header as compilers do. */
static const char *const main_files[] = {"portolan-proxygen.c", "portolan-proxygen.cc"};

#ifdef __SIZEOF_FLOAT128__
#define FLOAT128 "__float128"
#else /* as of AArch64: long double has its 128 bits */
#define FLOAT128 "long double"
#endif

/* Types built into gcc but not into libclang; the C library's headers declare them alike. */
static const char builtin_types[] =
    "typedef float _Float32; typedef double _Float64; typedef double _Float32x; "
    "typedef long double _Float64x; typedef " FLOAT128 " _Float128;\n";

/* ------------------------------------------------------------------ messages */

static bool is_main(const struct place *place)
{
    return !place->file || PROXYGEN_IS_AMONG(place->file, main_files);
}

const struct message *proxygen_header_messages(struct header *h, CXTranslationUnit unit, size_t *n)
{
    const struct portolan_libclang *clang = h->clang;
    size_t count = clang->getNumDiagnostics(unit);
    struct message *list = portolan_arena_alloc(&h->run->arena, count + 1, sizeof *list);

    *n = list ? count : 0;
    for (unsigned i = 0; i < *n; i++) {
        CXDiagnostic d = clang->getDiagnostic(unit, i);
        struct message *m = &list[i];

        m->location = clang->getDiagnosticLocation(d);
        m->place = proxygen_header_place(h, m->location);
        m->main_line = is_main(&m->place) ? m->place.line : -1;
        if (m->main_line >= 0)
            m->place = h->run->whole;
        m->is_error = clang->getDiagnosticSeverity(d) >= CXDiagnostic_Error;
        m->text = proxygen_header_text(h, clang->getDiagnosticSpelling(d));
        m->option = proxygen_header_text(h, clang->getDiagnosticOption(d, NULL));
        clang->disposeDiagnostic(d);
    }
    return list;
}

const struct message *proxygen_header_first_error(struct header *h, CXTranslationUnit unit)
{
    size_t n;
    const struct message *list = proxygen_header_messages(h, unit, &n);

    for (size_t i = 0; i < n; i++)
        if (list[i].is_error)
            return &list[i];
    return NULL;
}

/* ------------------------------------------------------------------ the language */

enum language { LANGUAGE_C, LANGUAGE_CXX, LANGUAGE_EITHER };

static enum language language_of_flags(const struct header *h)
{
    enum language found = LANGUAGE_EITHER;

    for (size_t i = 0; i < h->n_flags; i++) {
        const char *name = h->flags[i];

        if (strncmp(name, "-x", 2) != 0)
            continue;
        name = name[2] ? name + 2 : i + 1 < h->n_flags ? h->flags[i + 1] : "";
        found = strncmp(name, "c++", 3) == 0 ? LANGUAGE_CXX : LANGUAGE_C;
    }
    return found;
}

/* The language, from the flags, the port's name or the file's ending; ".h" may be either. */
static enum language language(const struct header *h)
{
    static const char *const endings[] = {".hh", ".hpp", ".hxx", ".h++", ".hp", ".H"};
    const char *dot = strrchr(h->run->options->files[0], '.');
    enum language said = language_of_flags(h);

    if (said != LANGUAGE_EITHER)
        return said;
    if (h->run->options->port &&
        (strstr(h->run->options->port, "::") || strchr(h->run->options->port, '<')))
        return LANGUAGE_CXX;
    return dot && PROXYGEN_IS_AMONG(dot, endings) ? LANGUAGE_CXX : LANGUAGE_EITHER;
}

/* Returns whether FLAG is only for the other language; compile commands may contain such flags. */
static bool is_foreign(const char *flag, bool cxx)
{
    return strncmp(flag, "-std=", 5) == 0 && (strstr(flag, "++") != NULL) != cxx;
}

/* Flags that make warnings fatal or silent; headers with warnings can be proxied all the same. */
static bool is_strict(const char *flag)
{
    return strncmp(flag, "-Werror", 7) == 0 || strcmp(flag, "-pedantic-errors") == 0 ||
           strcmp(flag, "-w") == 0;
}

/* ------------------------------------------------------------------ parsing */

/* Bodies are parsed in C, since a function with a skipped body looks like a mere declaration. */
static unsigned declarations(bool cxx)
{
    return CXTranslationUnit_DetailedPreprocessingRecord |
           (cxx ? CXTranslationUnit_SkipFunctionBodies : 0U);
}

/* Parses the header followed by the text MORE; FLAG, unless NULL, comes after all other flags. */
static enum portolan_status parse(struct header *h, bool cxx, const char *more, const char *flag,
                                  unsigned how, CXTranslationUnit *unit)
{
    struct portolan_arena *arena = &h->run->arena;
    const char *text = proxygen_print(arena, "%s#include \"%s\"\n%s", cxx ? "" : builtin_types,
                                      h->run->options->files[0], more);
    struct CXUnsavedFile file = {main_files[cxx], text, (unsigned long)strlen(text)};
    const char **flags = portolan_arena_alloc(arena, h->n_flags + 11, sizeof *flags);
    int n = 0;

    if (!flags)
        return PORTOLAN_ENOMEM;
    flags[n++] = cxx ? "-xc++" : "-xc";
    flags[n++] = cxx ? "-std=gnu++17" : "-std=gnu17";
    flags[n++] = "-DPORTOLAN_PROXYGEN";
    flags[n++] = "-fdouble-square-bracket-attributes"; /* gcc knows them in C17, too */
    for (size_t i = 0; i < h->n_flags; i++)
        if (!is_foreign(h->flags[i], cxx) && !is_strict(h->flags[i]))
            flags[n++] = h->flags[i];
    /* Warnings about facts that the syntax tree does not show. */
    flags[n++] = "-Wvisibility";
    flags[n++] = "-Wunknown-attributes";
    if (!cxx)
        flags[n++] = "-Wsystem-headers";
    if (flag) {
        flags[n++] = "-Wno-error";
        flags[n++] = flag;
    }
    if (h->clang->parseTranslationUnit2(h->index, file.Filename, flags, n, &file, 1, how, unit) !=
        CXError_Success)
        return portolan_error_set(h->run->err, PORTOLAN_ESYNTAX,
                                  "%s: libclang cannot read it with these flags",
                                  h->run->options->files[0]);
    return PORTOLAN_OK;
}

/* Returns whether there are error messages that C++ causes in a C compiler. */
static bool names_cxx(struct header *h, CXTranslationUnit unit)
{
    static const char *const texts[] = {
        "unknown type name 'class'", "unknown type name 'namespace'",
        "unknown type name 'template'", "unknown type name 'using'"};
    size_t n;
    const struct message *list = proxygen_header_messages(h, unit, &n);

    for (size_t i = 0; i < n; i++)
        if (PROXYGEN_IS_AMONG(list[i].text, texts))
            return true;
    return false;
}

/* Parses as C, then as C++ if that fails; if both fail, errors are for the likelier language. */
static enum portolan_status parse_either(struct header *h)
{
    enum language wanted = language(h);
    CXTranslationUnit second = NULL;
    enum portolan_status status;

    h->is_cxx = wanted == LANGUAGE_CXX;
    status = parse(h, h->is_cxx, "", NULL, declarations(h->is_cxx), &h->unit);
    if (status != PORTOLAN_OK || wanted != LANGUAGE_EITHER ||
        !proxygen_header_first_error(h, h->unit))
        return status;
    status = parse(h, true, "", NULL, declarations(true), &second);
    if (status != PORTOLAN_OK)
        return status;
    h->is_cxx = !proxygen_header_first_error(h, second) || names_cxx(h, h->unit);
    h->clang->disposeTranslationUnit(h->is_cxx ? h->unit : second);
    if (h->is_cxx)
        h->unit = second;
    return PORTOLAN_OK;
}

/* After unknown types and missing files, libclang's results are wrong, so every error is fatal. */
static enum portolan_status judge_messages(struct header *h)
{
    enum portolan_status status = PORTOLAN_OK;
    size_t n;
    const struct message *list = proxygen_header_messages(h, h->unit, &n);

    for (const struct message *m = list; m < list + n; m++)
        if (m->is_error)
            status = proxygen_fail(
                h->run, PORTOLAN_ESYNTAX, &m->place, "%s%s", m->text,
                strstr(m->text, "file not found") ? "; the flag -IFOLDER says where it is" : "");
        else if (strcmp(m->option, "-Wvisibility") == 0)
            PROXYGEN_APPEND(&h->run->arena, h->invisible, h->n_invisible, m->place);
        else if (strcmp(m->option, "-Wunknown-attributes") == 0)
            proxygen_note_unknown_attribute(h, m->location, m->text);
    return status;
}

enum portolan_status proxygen_header_parse_more(struct header *h, const char *more,
                                                const char *hint, CXTranslationUnit *unit)
{
    enum portolan_status status =
        parse(h, true, more, "-fno-access-control", CXTranslationUnit_SkipFunctionBodies, unit);
    /* One error is enough, the others mostly follow from it. */
    const struct message *m = status == PORTOLAN_OK ? proxygen_header_first_error(h, *unit) : NULL;

    if (m && m->main_line >= 0)
        status = proxygen_fail(h->run, PORTOLAN_ENOTFOUND, &m->place, "%s%s", m->text,
                               portolan_did_you_mean(hint).text);
    else if (m)
        status = proxygen_fail(h->run, PORTOLAN_ESYNTAX, &m->place, "%s", m->text);
    return status;
}

/* ------------------------------------------------------------------ whose declarations count */

/* The header itself: what the main file includes. */
static void find_file(struct header *h)
{
    for (size_t i = 0; i < h->top.n && !h->file; i++) {
        struct place place;

        if (h->clang->getCursorKind(h->top.items[i]) != CXCursor_InclusionDirective)
            continue;
        place = proxygen_header_cursor_place(h, h->top.items[i]);
        if (is_main(&place))
            h->file = h->clang->getIncludedFile(h->top.items[i]);
    }
}

/* The pattern may leave out leading folders. */
static bool matches(const char *pattern, const char *path)
{
    for (const char *rest = path; *rest; rest++)
        if ((rest == path || rest[-1] == '/') && fnmatch(pattern, rest, 0) == 0)
            return true;
    return false;
}

/* Patterns such as "*" and "*.h" do not include the system's headers. */
static bool is_specific(const char *pattern)
{
    size_t length = strlen(pattern);

    if (length > 1 && strcmp(pattern + length - 2, ".h") == 0)
        length -= 2;
    return strspn(pattern, "*?/") < length;
}

static bool file_counts(struct header *h, CXFile file, bool is_system)
{
    const char *from = h->run->options->from;
    bool counts = file && h->file && h->clang->File_isEqual(file, h->file);

    if (file && from && (!is_system || is_specific(from)))
        counts = matches(from, proxygen_header_text(h, h->clang->getFileName(file)));
    return counts;
}

bool proxygen_header_counts(struct header *h, CXCursor cursor)
{
    CXSourceLocation location = h->clang->getCursorLocation(cursor);
    CXFile file = NULL;

    h->clang->getFileLocation(location, &file, NULL, NULL, NULL);
    /* Declarations come file by file, so the last answer is kept. */
    if (file != h->last_file) {
        h->last_file = file;
        h->last_counts = file_counts(h, file, h->clang->Location_isInSystemHeader(location) != 0);
    }
    return h->last_counts;
}

/* ------------------------------------------------------------------ macros, inline functions */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds LIST to what is declared, with what stands in extern "C". */
static void add_top(struct header *h, struct cursors list)
{
    for (size_t i = 0; i < list.n; i++)
        if (h->is_cxx && proxygen_cxx_is_linkage(h->clang->getCursorKind(list.items[i])))
            add_top(h, proxygen_children(h, list.items[i]));
        else
            PROXYGEN_APPEND(&h->run->arena, h->top.items, h->top.n, list.items[i]);
}

static void survey(struct header *h)
{
    const struct portolan_libclang *clang = h->clang;
    struct portolan_arena *arena = &h->run->arena;
    struct port *port = h->run->port;

    add_top(h, proxygen_children(h, clang->getTranslationUnitCursor(h->unit)));
    find_file(h);
    for (size_t i = 0; i < h->top.n; i++) {
        CXCursor cursor = h->top.items[i];
        enum CXCursorKind kind = clang->getCursorKind(cursor);
        bool is_macro = kind == CXCursor_MacroDefinition && !clang->Cursor_isMacroBuiltin(cursor);
        bool is_unseen = is_macro
                             ? clang->Cursor_isMacroFunctionLike(cursor)
                             : kind == CXCursor_FunctionDecl && clang->isCursorDefinition(cursor);

        if (is_macro)
            PROXYGEN_APPEND(arena, port->names_taken, port->n_names_taken,
                            proxygen_header_spelling(h, cursor));
        if (is_unseen && proxygen_header_counts(h, cursor))
            PROXYGEN_APPEND(arena, h->unseen, h->n_unseen,
                            (struct unseen){proxygen_header_spelling(h, cursor), cursor});
    }
    if (port->n_names_taken)
        qsort(port->names_taken, port->n_names_taken, sizeof *port->names_taken, compare_names);
}

/* ------------------------------------------------------------------ for the readers */

const char *proxygen_header_word(struct header *h)
{
    const char *word = h->run->options->port;

    word = proxygen_print(&h->run->arena, "%.*s", (int)strcspn(word, "="), word);
    return strncmp(word, "struct ", 7) == 0 ? word + 7 : word;
}

const char *proxygen_header_type(struct header *h)
{
    const char *equals = strchr(h->run->options->port, '=');

    return equals ? equals + 1 : proxygen_header_word(h);
}

/* ------------------------------------------------------------------ the whole */

static enum portolan_status read_port(struct header *h)
{
    proxygen_record_inclusion(h);
    if (h->run->options->n_functions)
        return proxygen_read_functions(h);
    if (h->is_cxx && !proxygen_is_struct_of_functions(h))
        return proxygen_read_class(h);
    return proxygen_read_struct(h);
}

/* Ready to parse. */
static enum portolan_status open_header(struct header *h)
{
    h->clang = portolan_libclang_load(h->run->err);
    if (!h->clang)
        return PORTOLAN_EUNSUPPORTED;
    h->flags = h->run->flags;
    h->n_flags = h->run->n_flags;
    h->index = h->clang->createIndex(0, 0);
    return h->index ? PORTOLAN_OK
                    : portolan_error_set(h->run->err, PORTOLAN_ENOMEM, "libclang cannot start");
}

void proxygen_header_close(struct header *h)
{
    if (h->unit)
        h->clang->disposeTranslationUnit(h->unit);
    if (h->index)
        h->clang->disposeIndex(h->index);
}

enum portolan_status proxygen_header_again(struct run *run, const char *more, const char *flag,
                                           struct header *h, int *line)
{
    enum portolan_status status;

    *h = (struct header){.run = run, .is_cxx = run->is_cxx};
    *line = run->is_cxx ? 2 : 3; /* after the inclusion, and in C the built-in types */
    status = open_header(h);
    if (status == PORTOLAN_OK)
        status = parse(h, h->is_cxx, more, flag, declarations(h->is_cxx), &h->unit);
    if (status != PORTOLAN_OK)
        proxygen_header_close(h);
    return status;
}

enum portolan_status proxygen_judge_class(struct run *run, const char *text)
{
    struct header h = {.run = run};
    enum portolan_status status = open_header(&h);
    const struct message *m = NULL;

    if (status == PORTOLAN_OK)
        status = parse(&h, true, text, "-Wno-error", CXTranslationUnit_None, &h.unit);
    if (status == PORTOLAN_OK)
        m = proxygen_header_first_error(&h, h.unit);
    if (m && m->main_line >= 0)
        status = proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &run->port->place,
                               "a proxy for %s would not compile: %s", run->port->object, m->text);
    else if (m)
        status = proxygen_fail(run, PORTOLAN_ESYNTAX, &m->place, "%s", m->text);
    proxygen_header_close(&h);
    return status;
}

/* The run's flags: those of the compile commands, then those of the options. */
static enum portolan_status find_flags(struct run *run)
{
    const struct portolan_proxygen_options *o = run->options;
    const struct portolan_libclang *clang = portolan_libclang_load(run->err);
    struct portolan_compile_flags found = {0};
    enum portolan_status status;

    run->flags = o->flags;
    run->n_flags = o->n_flags;
    if (!clang)
        return PORTOLAN_EUNSUPPORTED;
    if (!o->compile_commands)
        return PORTOLAN_OK;
    status = portolan_compile_flags_find(clang, &run->arena, o->compile_commands, o->files[0],
                                         o->flags, o->n_flags, &found, run->err);
    run->flags = found.flags;
    run->n_flags = found.n_flags;
    run->port->flags_from = found.from;
    return status;
}

enum portolan_status proxygen_read_header(struct run *run)
{
    struct header h = {.run = run};
    enum portolan_status status;

    if (run->options->n_files != 1)
        return portolan_error_set(run->err, PORTOLAN_EINVAL,
                                  "a C port is read from one header; the others that it needs it "
                                  "includes itself");
    status = find_flags(run);
    if (status == PORTOLAN_OK)
        status = open_header(&h);
    if (status != PORTOLAN_OK)
        return status;
    status = parse_either(&h);
    run->is_cxx = h.is_cxx;
    if (status == PORTOLAN_OK)
        status = judge_messages(&h);
    if (status == PORTOLAN_OK) {
        survey(&h);
        status = read_port(&h);
    }
    proxygen_header_close(&h);
    return status;
}
