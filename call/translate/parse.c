/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libclang reads the source, and later the translated text. That contains a declaration for each
 * name of a formula, in a "file" of its own, to find out: is the text C, and what are the names
 * where they are used?
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static const char probe_file[] = "portolan-call-probe:"; /* a number follows */

/* ------------------------------------------------------------------ reading */

/* Flags that turn warnings into errors would reject code that can be translated. */
static bool is_strict(const char *flag)
{
    return strncmp(flag, "-Werror", 7) == 0 || strcmp(flag, "-pedantic-errors") == 0;
}

/* Parses TEXT as the content of the file into *UNIT. */
static enum portolan_status parse_text(struct translation *t, const char *text, size_t size,
                                       CXTranslationUnit *unit)
{
    struct CXUnsavedFile file = {t->options->file, text, (unsigned long)size};
    const char **flags = portolan_arena_alloc(&t->arena, t->n_flags + 4, sizeof *flags);
    int n = 0;

    if (!flags)
        return portolan_no_memory(t->err);
    flags[n++] = "-xc";
    flags[n++] = "-std=gnu17";
    for (size_t i = 0; i < t->n_flags; i++)
        if (!is_strict(t->flags[i]))
            flags[n++] = t->flags[i];
    flags[n++] = "-w";
    flags[n++] = "-ferror-limit=0";
    if (t->clang->parseTranslationUnit2(t->index, t->options->file, flags, n, &file, 1,
                                        CXTranslationUnit_DetailedPreprocessingRecord,
                                        unit) != CXError_Success)
        return portolan_error_set(t->err, PORTOLAN_ESYNTAX,
                                  "%s: libclang cannot read it with these flags", t->options->file);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ what is wrong */

static const char *remedy(const char *text)
{
    if (strstr(text, "'mpi.h' file not found"))
        return strcmp(PORTOLAN_MPI, "mpich") == 0
                   ? "; give the compiler's flags behind --, as in -- $(pkg-config --cflags mpich)"
                   : "; give the compiler's flags behind --, as in -- $(pkg-config --cflags "
                     "ompi-c)";
    if (strstr(text, "file not found"))
        return "; the compiler's flags stand behind --, as in -- -IFOLDER";
    return "";
}

/* The code of sweeps is one column to the left of its place in the source (see write_sweep()). */
static int moved_by(const struct translation *t, size_t at)
{
    for (size_t i = 0; i < t->n_directives; i++)
        if (t->directives[i].brace && t->directives[i].code <= at && at < t->directives[i].brace)
            return 1;
    return 0;
}

static void judge_one(struct translation *t, CXDiagnostic d,
                      void (*answer)(struct translation *t, size_t probe, const char *text))
{
    CXSourceLocation location = t->clang->getDiagnosticLocation(d);
    const char *text =
        portolan_libclang_text(t->clang, &t->arena, t->clang->getDiagnosticSpelling(d));
    const char *name;
    unsigned line, column, offset;
    CXString file;

    t->clang->getPresumedLocation(location, &file, &line, &column);
    name = portolan_libclang_text(t->clang, &t->arena, file);
    if (answer && strncmp(name, probe_file, sizeof probe_file - 1) == 0) {
        answer(t, strtoul(name + sizeof probe_file - 1, NULL, 10), text);
        return;
    }
    t->clang->getFileLocation(location, NULL, NULL, NULL, &offset);
    if (!answer)
        column += (unsigned)moved_by(t, offset);
    problem_add(t, *name ? name : t->source.file, (struct place){(int)line, (int)column}, "%s%s",
                text, remedy(text));
}

/* Reports the errors of UNIT; those of probe number N go to ANSWER, with the message. */
static void parse_judge(struct translation *t, CXTranslationUnit unit,
                        void (*answer)(struct translation *t, size_t probe, const char *text))
{
    for (unsigned i = 0; i < t->clang->getNumDiagnostics(unit); i++) {
        CXDiagnostic d = t->clang->getDiagnostic(unit, i);

        if (t->clang->getDiagnosticSeverity(d) >= CXDiagnostic_Error)
            judge_one(t, d, answer);
        t->clang->disposeDiagnostic(d);
    }
}

/* ------------------------------------------------------------------ what it includes */

/* Pragmas in an included FILE would not be translated; reports them. */
static void look_into_file(struct translation *t, const char *file, const char *text, size_t size)
{
    struct portolan_translate_options options = {.file = file};
    struct translation other = {.options = &options};

    if (memmem(text, size, "cll", 3) && source_scan(&other, text, size) == PORTOLAN_OK &&
        other.n_directives)
        problem_add(t, file, source_place(&other.source, other.directives[0].start),
                    "pragmas are translated in the file that is given, not in what it includes: "
                    "move the experiment into a source and translate that");
    portolan_arena_clear(&other.arena);
}

struct inclusions {
    struct translation *t;
    CXTranslationUnit unit;
};

static void visit_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    struct inclusions *in = data;
    struct translation *t = in->t;
    const char *name, *text;
    size_t size;

    (void)stack;
    if (!depth)
        return;
    name = portolan_libclang_text(t->clang, &t->arena, t->clang->getFileName(file));
    if (strncmp(name, "/usr/", 5) == 0)
        return;
    if (strncmp(name, "./", 2) == 0)
        name += 2;
    text = t->clang->getFileContents(in->unit, file, &size);
    if (text)
        look_into_file(t, name, text, size);
}

/* ------------------------------------------------------------------ the source */

/* Drops pragmas that the preprocessor skips, with the problems reported in them. */
static void forget_directives(struct translation *t, size_t start, size_t end)
{
    int first = source_place(&t->source, start).line, last = source_place(&t->source, end).line;
    size_t kept = 0;

    for (size_t i = 0; i < t->n_directives; i++)
        if (t->directives[i].start < start || t->directives[i].start >= end)
            t->directives[kept++] = t->directives[i];
    t->n_directives = kept;
    kept = 0;
    for (size_t i = 0; i < t->n_problems; i++)
        if (t->problems[i].place.line < first || t->problems[i].place.line > last)
            t->problems[kept++] = t->problems[i];
    t->n_problems = kept;
}

static void forget_skipped(struct translation *t, CXTranslationUnit unit, CXFile file)
{
    CXSourceRangeList *skipped = t->clang->getSkippedRanges(unit, file);

    for (unsigned k = 0; skipped && k < skipped->count; k++) {
        unsigned start, end;

        t->clang->getFileLocation(t->clang->getRangeStart(skipped->ranges[k]), NULL, NULL, NULL,
                                  &start);
        t->clang->getFileLocation(t->clang->getRangeEnd(skipped->ranges[k]), NULL, NULL, NULL,
                                  &end);
        forget_directives(t, start, end);
    }
    if (skipped)
        t->clang->disposeSourceRangeList(skipped);
}

/* Keeps line ends, so that line numbers stay. */
static void blank(char *text, size_t start, size_t end)
{
    for (size_t i = start; i < end; i++)
        if (text[i] != '\n')
            text[i] = ' ';
}

/* Writes sweep D as code into TEXT, a copy of the source: one byte to the left, for the brace. */
static void write_sweep(struct directive *d, char *text)
{
    size_t length = d->header.at + strlen(d->header.text) - d->name.at;

    blank(text, d->start, d->end);
    d->code = d->name.at - 1;
    d->brace = d->code + length;
    memcpy(text + d->code, d->text + (d->name.at - d->body), length);
    text[d->brace] = '{';
}

/* The source for libclang: sweeps become loops, everything else stays in place. */
static char *with_sweeps(struct translation *t)
{
    char *text = portolan_arena_strndup(&t->arena, t->source.text, t->source.size);

    for (size_t i = 0; text && i < t->n_directives; i++) {
        struct directive *d = &t->directives[i];

        if (d->kind == DIRECTIVE_FOR && d->header.text && d->partner) {
            write_sweep(d, text);
            blank(text, d->partner->start, d->partner->end);
            text[d->partner->start] = '}';
        }
    }
    return text;
}

enum portolan_status parse_source(struct translation *t)
{
    size_t before = t->n_problems;
    char *text;
    CXTranslationUnit unit = NULL;
    enum portolan_status status;
    CXFile file;

    pair_directives(t); /* finds the ends of sweeps; problems are reported later */
    t->n_problems = before;
    text = with_sweeps(t);
    if (!text)
        return portolan_no_memory(t->err);
    status = parse_text(t, text, t->source.size, &unit);
    if (status != PORTOLAN_OK)
        return status;
    file = t->clang->getFile(unit, t->options->file);
    forget_skipped(t, unit, file);
    before = t->n_problems;
    parse_judge(t, unit, NULL);
    t->clang->getInclusions(unit, visit_inclusion, &(struct inclusions){t, unit});
    t->is_c = t->n_problems == before;
    if (t->is_c)
        tree_make(t, unit, file);
    t->unit = unit; /* nodes refer to it */
    return PORTOLAN_OK;
}

/* -------------------------------------------------------------------------------- what was made */

static const char probe_name[] = "portolan_cll_probe_"; /* a number follows */

/* Adds the declarations of <portolan/cll.h> and FILE.cll.h that are needed here. */
static void add_stub(struct translation *t, struct portolan_text *out)
{
    portolan_text_add(out, "#include <stddef.h>\n"
                           "struct portolan_cll_experiment;\n"
                           "struct portolan_cll_driver;\n"
                           "void portolan_cll_begin(struct portolan_cll_experiment *, "
                           "const double *);\n"
                           "void portolan_cll_end(struct portolan_cll_experiment *);\n"
                           "void portolan_cll_sync(const struct portolan_cll_driver *, void *, "
                           "void *);\n"
                           "int portolan_cll_report(const struct portolan_cll_driver *, void *, "
                           "const char *, const char *);\n");
    portolan_text_add(out, "extern const struct portolan_cll_driver %s;\n", t->driver->symbol);
    for (const struct experiment *e = t->experiments; e; e = e->next)
        portolan_text_add(out, "extern struct portolan_cll_experiment %s;\n", e->symbol);
    portolan_text_add(out, "#line 1 \"%s\"\n", emit_quoted(t, t->source.file));
}

/* ------------------------------------------------------------------ answers */

static void report(struct translation *t, struct probe *p, const char *what, const char *advice)
{
    p->is_reported = true;
    problem_add(t, t->source.file, p->place, "'%s' %s%s", p->name, what, advice);
}

/* libclang's suggestion, "; did you mean 'n'?", or "". */
static const char *suggestion(const char *text)
{
    const char *found = strstr(text, "; did you mean");

    return found ? found : "";
}

static void answer(struct translation *t, size_t number, const char *text)
{
    struct probe *p = number < t->n_probes ? &t->probes[number] : NULL;

    if (!p || p->is_reported)
        return;
    if (strncmp(text, "use of undeclared identifier", 28) == 0)
        report(t, p,
               p->what ? portolan_libclang_print(&t->arena, "(%s) is not in scope here", p->what)
                       : "is not in scope here",
               *suggestion(text) ? suggestion(text)
                                 : ": declare it before this pragma, or use what is known here");
    else if (strncmp(text, "no member named", 15) == 0)
        report(t, p, "does not exist: ", text);
    else if (p->what && strncmp(text, "initializing", 12) == 0)
        report(t, p, portolan_libclang_print(&t->arena, "(%s) is no pointer", p->what),
               ": put an & before it");
    else
        report(t, p, "cannot stand here: ", text);
}

static const char *kind_of(enum CXTypeKind kind)
{
    switch (kind) {
    case CXType_Pointer:
        return "is a pointer or an array";
    case CXType_Record:
        return "is a struct";
    case CXType_Complex:
        return "is a complex number";
    case CXType_Void:
        return "has no value";
    default:
        return "is no number";
    }
}

static bool is_number(enum CXTypeKind kind)
{
    return kind == CXType_Enum || kind == CXType_Float || kind == CXType_Double ||
           kind == CXType_LongDouble || kind == CXType_Half || kind == CXType_Float16 ||
           (kind >= CXType_Bool && kind <= CXType_UInt128) ||
           (kind >= CXType_Char_S && kind <= CXType_Int128);
}

/* The declaration of a probe has the type of its expression. */
static enum CXChildVisitResult visit_declaration(CXCursor cursor, CXCursor parent,
                                                 CXClientData data)
{
    struct translation *t = data;
    const char *name;
    size_t number;
    CXType type;

    (void)parent;
    if (t->clang->getCursorKind(cursor) != CXCursor_VarDecl)
        return CXChildVisit_Recurse;
    name = portolan_libclang_text(t->clang, &t->arena, t->clang->getCursorSpelling(cursor));
    if (strncmp(name, probe_name, sizeof probe_name - 1) != 0)
        return CXChildVisit_Recurse;
    number = strtoul(name + sizeof probe_name - 1, NULL, 10);
    if (number >= t->n_probes || t->probes[number].is_reported)
        return CXChildVisit_Continue;
    type = t->clang->getCanonicalType(t->clang->getCursorType(cursor));
    type = t->clang->getCanonicalType(t->clang->getPointeeType(type));
    if (!is_number(type.kind))
        report(t, &t->probes[number], kind_of(type.kind),
               ", and formulas are over numbers: put the number that is meant into a variable");
    return CXChildVisit_Continue;
}

enum portolan_status probe_translation(struct translation *t)
{
    struct portolan_text text = {.arena = &t->arena};
    CXTranslationUnit unit = NULL;
    enum portolan_status status;

    add_stub(t, &text);
    rewrite_apply(t, true, &text);
    if (t->arena.failed)
        return portolan_no_memory(t->err);
    status = parse_text(t, text.bytes, text.length, &unit);
    if (status != PORTOLAN_OK)
        return status;
    parse_judge(t, unit, answer);
    t->clang->visitChildren(t->clang->getTranslationUnitCursor(unit), visit_declaration, t);
    t->clang->disposeTranslationUnit(unit);
    return PORTOLAN_OK;
}
