/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses a header, collects what holds for every kind of port, and chooses the port's reader. */
#include "read_header.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The main file, which only includes the header: so the header is found as compilers find it. */
static const char *const main_files[] = {"portolan-proxygen.c", "portolan-proxygen.cc"};

/* Types that gcc has built in and libclang has not; the C library's headers say the same. */
static const char builtin_types[] =
    "typedef float _Float32; typedef double _Float64; typedef double _Float32x; "
    "typedef long double _Float64x; typedef __float128 _Float128;\n";

bool proxygen_header_is_main(const struct place *place)
{
    return !place->file || strcmp(place->file, main_files[0]) == 0 ||
           strcmp(place->file, main_files[1]) == 0;
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

/* By the flags, the port's name, the file's ending; a file in ".h" may be either. */
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
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0)
            return LANGUAGE_CXX;
    return LANGUAGE_EITHER;
}

/* A flag that only the other language understands, as compile commands may have it. */
static bool is_foreign(const char *flag, bool cxx)
{
    return strncmp(flag, "-std=", 5) == 0 && (strstr(flag, "++") != NULL) != cxx;
}

/* A header that compilers warn of can be proxied all the same. */
static bool is_strict(const char *flag)
{
    return strncmp(flag, "-Werror", 7) == 0 || strcmp(flag, "-pedantic-errors") == 0 ||
           strcmp(flag, "-w") == 0;
}

/* ------------------------------------------------------------------ parsing */

/* C: a function whose body is skipped does not look like one that has a body. */
static unsigned declarations(bool cxx)
{
    return CXTranslationUnit_DetailedPreprocessingRecord |
           (cxx ? CXTranslationUnit_SkipFunctionBodies : 0U);
}

/* MORE stands behind the header; FLAG, unless NULL, behind all other flags. */
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
    /* Warnings that tell of what the syntax tree does not show. */
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

static bool has_errors(struct header *h, CXTranslationUnit unit)
{
    bool found = false;

    for (unsigned i = 0; !found && i < h->clang->getNumDiagnostics(unit); i++) {
        CXDiagnostic d = h->clang->getDiagnostic(unit, i);

        found = h->clang->getDiagnosticSeverity(d) >= CXDiagnostic_Error;
        h->clang->disposeDiagnostic(d);
    }
    return found;
}

/* As a C compiler complains of C++. */
static bool names_cxx(struct header *h, CXTranslationUnit unit)
{
    static const char *const texts[] = {
        "unknown type name 'class'", "unknown type name 'namespace'",
        "unknown type name 'template'", "unknown type name 'using'"};
    bool found = false;

    for (unsigned i = 0; !found && i < h->clang->getNumDiagnostics(unit); i++) {
        CXDiagnostic d = h->clang->getDiagnostic(unit, i);
        const char *text = proxygen_header_text(h, h->clang->getDiagnosticSpelling(d));

        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            found |= strcmp(text, texts[k]) == 0;
        h->clang->disposeDiagnostic(d);
    }
    return found;
}

/* What is no C may be C++; what is neither is reported as what it looks like. */
static enum portolan_status parse_either(struct header *h)
{
    enum language wanted = language(h);
    CXTranslationUnit second = NULL;
    enum portolan_status status;

    h->is_cxx = wanted == LANGUAGE_CXX;
    status = parse(h, h->is_cxx, "", NULL, declarations(h->is_cxx), &h->unit);
    if (status != PORTOLAN_OK || wanted != LANGUAGE_EITHER || !has_errors(h, h->unit))
        return status;
    status = parse(h, true, "", NULL, declarations(true), &second);
    if (status != PORTOLAN_OK)
        return status;
    h->is_cxx = !has_errors(h, second) || names_cxx(h, h->unit);
    h->clang->disposeTranslationUnit(h->is_cxx ? h->unit : second);
    if (h->is_cxx)
        h->unit = second;
    return PORTOLAN_OK;
}

/* Unknown types and missing files do not fail a parse, they falsify it: every error is fatal. */
static enum portolan_status judge_diagnostics(struct header *h)
{
    const struct portolan_libclang *clang = h->clang;
    struct run *run = h->run;
    enum portolan_status status = PORTOLAN_OK;

    for (unsigned i = 0; i < clang->getNumDiagnostics(h->unit); i++) {
        CXDiagnostic d = clang->getDiagnostic(h->unit, i);
        struct place place = proxygen_header_place(h, clang->getDiagnosticLocation(d));
        const char *option = proxygen_header_text(h, clang->getDiagnosticOption(d, NULL));
        const char *text = proxygen_header_text(h, clang->getDiagnosticSpelling(d));

        if (proxygen_header_is_main(&place))
            place = (struct place){.file = run->options->files[0], .line = 1};
        if (clang->getDiagnosticSeverity(d) >= CXDiagnostic_Error)
            status = proxygen_fail(
                run, PORTOLAN_ESYNTAX, &place, "%s%s", text,
                strstr(text, "file not found") ? "; the flag -IFOLDER says where it is" : "");
        else if (strcmp(option, "-Wvisibility") == 0) {
            h->invisible = portolan_arena_grow(&run->arena, h->invisible, h->n_invisible,
                                               sizeof *h->invisible);
            if (h->invisible)
                h->invisible[h->n_invisible++] = place;
        } else if (strcmp(option, "-Wunknown-attributes") == 0) {
            proxygen_note_unknown_attribute(h, clang->getDiagnosticLocation(d), text);
        }
        clang->disposeDiagnostic(d);
    }
    return status;
}

/* Errors in what was put behind the header; one is enough, the others mostly follow from it. */
static enum portolan_status judge_more(struct header *h, CXTranslationUnit unit, bool trial)
{
    const struct portolan_libclang *clang = h->clang;
    struct run *run = h->run;
    enum portolan_status status = PORTOLAN_OK;

    for (unsigned i = 0; status == PORTOLAN_OK && i < clang->getNumDiagnostics(unit); i++) {
        CXDiagnostic d = clang->getDiagnostic(unit, i);
        struct place place = proxygen_header_place(h, clang->getDiagnosticLocation(d));
        const char *text = proxygen_header_text(h, clang->getDiagnosticSpelling(d));
        bool main = proxygen_header_is_main(&place);

        if (main)
            place = (struct place){.file = run->options->files[0], .line = 1};
        if (clang->getDiagnosticSeverity(d) < CXDiagnostic_Error)
            ;
        else if (main && trial)
            status = proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &run->port.place,
                                   "a proxy for %s would not compile: %s", run->port.object, text);
        else
            status = proxygen_fail(run, main ? PORTOLAN_ENOTFOUND : PORTOLAN_ESYNTAX, &place,
                                   "%s%s", text, portolan_did_you_mean(main ? h->hint : NULL).text);
        clang->disposeDiagnostic(d);
    }
    return status;
}

enum portolan_status proxygen_header_parse_more(struct header *h, const char *more, bool trial,
                                                CXTranslationUnit *unit)
{
    enum portolan_status status =
        trial ? parse(h, true, more, "-Wno-error", CXTranslationUnit_None, unit)
              : parse(h, true, more, "-fno-access-control", CXTranslationUnit_SkipFunctionBodies,
                      unit);

    if (status == PORTOLAN_OK)
        status = judge_more(h, *unit, trial);
    if (status == PORTOLAN_OK)
        return status;
    if (*unit)
        h->clang->disposeTranslationUnit(*unit);
    *unit = NULL;
    return status;
}

/* ------------------------------------------------------------------ whose declarations count */

static enum CXChildVisitResult visit_inclusion(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct header *h = data;
    struct place place;

    (void)parent;
    if (h->clang->getCursorKind(cursor) != CXCursor_InclusionDirective)
        return CXChildVisit_Continue;
    place = proxygen_header_cursor_place(h, cursor);
    if (!proxygen_header_is_main(&place))
        return CXChildVisit_Continue;
    h->file = h->clang->getIncludedFile(cursor);
    return CXChildVisit_Break;
}

/* The pattern may leave out leading folders. */
static bool matches(const char *pattern, const char *path)
{
    for (const char *rest = path; *rest; rest++)
        if ((rest == path || rest[-1] == '/') && fnmatch(pattern, rest, 0) == 0)
            return true;
    return false;
}

/* "*" and "*.h" say nothing of the system's headers. */
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
    /* Declarations come file by file. */
    if (file != h->last_file) {
        h->last_file = file;
        h->last_counts = file_counts(h, file, h->clang->Location_isInSystemHeader(location) != 0);
    }
    return h->last_counts;
}

/* ------------------------------------------------------------------ macros, inline functions */

static void note_macro(struct header *h, const char *name)
{
    struct port *port = &h->run->port;

    port->names_taken = portolan_arena_grow(&h->run->arena, port->names_taken, port->n_names_taken,
                                            sizeof *port->names_taken);
    if (port->names_taken)
        port->names_taken[port->n_names_taken++] = name;
    else
        port->n_names_taken = 0;
}

static void note_unseen(struct header *h, CXCursor cursor)
{
    h->unseen = portolan_arena_grow(&h->run->arena, h->unseen, h->n_unseen, sizeof *h->unseen);
    if (h->unseen)
        h->unseen[h->n_unseen++] =
            (struct unseen){.name = proxygen_header_spelling(h, cursor), .cursor = cursor};
    else
        h->n_unseen = 0;
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct header *h = data;
    const struct portolan_libclang *clang = h->clang;

    (void)parent;
    switch (clang->getCursorKind(cursor)) {
    case CXCursor_MacroDefinition:
        if (clang->Cursor_isMacroBuiltin(cursor))
            break;
        note_macro(h, proxygen_header_spelling(h, cursor));
        if (clang->Cursor_isMacroFunctionLike(cursor) && proxygen_header_counts(h, cursor))
            note_unseen(h, cursor);
        break;
    case CXCursor_FunctionDecl:
        if (clang->isCursorDefinition(cursor) && proxygen_header_counts(h, cursor))
            note_unseen(h, cursor);
        break;
    default:
        break;
    }
    return CXChildVisit_Continue;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void survey(struct header *h)
{
    CXCursor top = h->clang->getTranslationUnitCursor(h->unit);
    struct port *port = &h->run->port;

    h->clang->visitChildren(top, visit_inclusion, h);
    h->clang->visitChildren(top, visit_top, h);
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

/* What of PATH is below FOLDER, both by their real names; NULL: nothing. */
static const char *below(struct portolan_arena *arena, const char *folder, const char *path)
{
    char real_folder[PATH_MAX], real_path[PATH_MAX];
    size_t length;

    if (!realpath(*folder ? folder : ".", real_folder) || !realpath(path, real_path))
        return NULL;
    length = strlen(real_folder);
    return strncmp(real_path, real_folder, length) == 0 && real_path[length] == '/'
               ? proxygen_print(arena, "%s", real_path + length + 1)
               : NULL;
}

/* Debian has headers of one machine in a folder of its name, which is searched, too. */
static const char *behind_triplet(const char *path)
{
    const char *slash = strchr(path, '/'), *system = strstr(path, "-linux-");

    return slash && system && system < slash ? slash + 1 : path;
}

static const char *real_path_of(struct portolan_arena *arena, const char *path)
{
    char real[PATH_MAX];

    return realpath(path, real) ? proxygen_print(arena, "%s", real) : path;
}

/* The folder of an -I that is flag number I; NULL: it is another flag. */
static const char *include_folder(struct header *h, size_t i)
{
    const char *flag = h->flags[i];

    if (strncmp(flag, "-I", 2) != 0)
        return NULL;
    return flag[2] ? flag + 2 : i + 1 < h->n_flags ? h->flags[i + 1] : "";
}

/* Folders in front of flag number I have another file NAME, which compilers would take. */
static bool is_shadowed(struct header *h, size_t i, const char *name, const char *path)
{
    struct stat own, other;

    for (size_t k = 0; k < i; k++) {
        const char *folder = include_folder(h, k);

        if (folder && stat(proxygen_print(&h->run->arena, "%s/%s", folder, name), &other) == 0 &&
            (stat(path, &own) != 0 || own.st_dev != other.st_dev || own.st_ino != other.st_ino))
            return true;
    }
    return false;
}

const char *proxygen_header_include(struct header *h)
{
    const struct portolan_proxygen_options *o = h->run->options;
    struct portolan_arena *arena = &h->run->arena;
    const char *path = "", *base, *rest;
    bool shadowed = false;

    if (o->include)
        return *o->include == '<' || *o->include == '"'
                   ? o->include
                   : proxygen_print(arena, "\"%s\"", o->include);
    if (h->file)
        path = proxygen_header_text(h, h->clang->getFileName(h->file));
    for (size_t i = 0; i < h->n_flags; i++) {
        const char *folder = include_folder(h, i);

        rest = folder ? below(arena, folder, path) : NULL;
        if (rest && !is_shadowed(h, i, rest, path))
            return proxygen_print(arena, "<%s>", rest);
        shadowed |= rest != NULL;
    }
    if (shadowed) /* then only its whole path says which is meant */
        return proxygen_print(arena, "\"%s\"", real_path_of(arena, path));
    if (strncmp(path, "/usr/include/", 13) == 0)
        return proxygen_print(arena, "<%s>", behind_triplet(path + 13));
    base = strrchr(path, '/');
    return proxygen_print(arena, "\"%s\"", base ? base + 1 : path);
}

/* ------------------------------------------------------------------ the whole */

static enum portolan_status read_port(struct header *h)
{
    h->run->port.include = proxygen_header_include(h);
    proxygen_record_flags(h);
    if (h->run->options->n_functions)
        return proxygen_read_functions(h);
    if (h->is_cxx)
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
    *line = run->is_cxx ? 2 : 3; /* behind the inclusion, and the built-in types of C */
    status = open_header(h);
    if (status == PORTOLAN_OK)
        status = parse(h, h->is_cxx, more, flag, declarations(h->is_cxx), &h->unit);
    if (status != PORTOLAN_OK)
        proxygen_header_close(h);
    return status;
}

/* The run's flags: its options', behind those of the compile commands. */
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
    run->port.flags_from = found.from;
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
        status = judge_diagnostics(&h);
    if (status == PORTOLAN_OK) {
        survey(&h);
        status = read_port(&h);
    }
    proxygen_header_close(&h);
    return status;
}
