/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole translation: problems are collected first; then the files are written. */
#include "internal.h"

#include <portolan/command.h>

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- problems */

void problem_print(struct translation *t, const char *file, struct place place, const char *format,
                   va_list args)
{
    struct problem problem = {file, place, portolan_arena_vprintf(&t->arena, format, args),
                              t->n_problems};

    for (size_t i = 0; problem.text && i < t->n_problems; i++)
        if (t->problems[i].place.line == place.line &&
            t->problems[i].place.column == place.column &&
            strcmp(t->problems[i].text, problem.text) == 0 &&
            strcmp(t->problems[i].file, file) == 0)
            return;
    problem.file = portolan_libclang_print(&t->arena, "%s", file);
    if (problem.text)
        portolan_arena_append(&t->arena, &t->problems, &t->n_problems, &problem, sizeof problem);
}

void problem_add(struct translation *t, const char *file, struct place place, const char *format,
                 ...)
{
    va_list args;

    va_start(args, format);
    problem_print(t, file, place, format, args);
    va_end(args);
}

void problem_at(struct translation *t, size_t at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    problem_print(t, t->source.file, source_place(&t->source, at), format, args);
    va_end(args);
}

int line_of(const struct translation *t, const struct directive *d)
{
    return source_place(&t->source, d->start).line;
}

static int in_order(const void *a, const void *b)
{
    const struct problem *x = a, *y = b;

    if (x->place.line != y->place.line)
        return x->place.line < y->place.line ? -1 : 1;
    if (x->place.column != y->place.column)
        return x->place.column < y->place.column ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Reports all problems to the user in the order of the file; PORTOLAN_ESYNTAX if any. */
static enum portolan_status problems_report(struct translation *t)
{
    const char *file = t->source.file;
    struct portolan_diagnostics_relay relay = {t->user, t->err};

    if (!t->n_problems)
        return PORTOLAN_OK;
    qsort(t->problems, t->n_problems, sizeof *t->problems, in_order);
    for (int main = 0; main < 2; main++) /* other files first: their errors may cause ours */
        for (size_t i = 0; i < t->n_problems; i++) {
            const struct problem *p = &t->problems[i];

            if ((strcmp(p->file, file) == 0) == (main == 1))
                portolan_diagnostics_relay(&relay, p->file, p->place.line, p->place.column,
                                           p->text);
        }
    return PORTOLAN_ESYNTAX;
}

static void relay_problem(void *arg, const char *file, int line, int column, const char *text)
{
    problem_add(arg, file, (struct place){line, column}, "%s", text);
}

struct portolan_diagnostics problems_relay(struct translation *t)
{
    return (struct portolan_diagnostics){.report = relay_problem, .arg = t};
}

/* ------------------------------------------------------------------ reading */

static enum portolan_status read_flags(struct translation *t)
{
    struct portolan_compile_flags found = {0};
    enum portolan_status status;

    t->flags = t->options->flags;
    t->n_flags = t->options->n_flags;
    if (!t->options->compile_commands)
        return PORTOLAN_OK;
    status = portolan_compile_flags_find(t->clang, &t->arena, t->options->compile_commands,
                                         t->options->file, t->flags, t->n_flags, &found, t->err);
    if (status == PORTOLAN_OK) {
        t->flags = found.flags;
        t->n_flags = found.n_flags;
    }
    return status;
}

static enum portolan_status open_libclang(struct translation *t)
{
    enum portolan_status status;

    t->clang = portolan_libclang_load(t->err);
    if (!t->clang)
        return PORTOLAN_EUNSUPPORTED;
    status = read_flags(t);
    if (status != PORTOLAN_OK)
        return status;
    t->index = t->clang->createIndex(0, 0);
    return t->index ? PORTOLAN_OK
                    : portolan_error_set(t->err, PORTOLAN_ENOMEM, "libclang cannot start");
}

static enum portolan_status read_pragmas(struct translation *t)
{
    const char *dot = strrchr(t->options->file, '.');
    enum portolan_status status;

    if (!dot || strcmp(dot, ".c") != 0 || dot == t->options->file || dot[-1] == '/')
        return portolan_error_set(t->err, PORTOLAN_EINVAL,
                                  "%s: what is translated is C, in files named NAME.c",
                                  t->options->file);
    status = source_read(t);
    for (size_t i = 0; status == PORTOLAN_OK && i < t->n_directives; i++)
        pragma_read(t, &t->directives[i]);
    return status;
}

/* An experiment reported here but not in this file is in another one, or its name is a slip. */
static void note_reports(struct translation *t)
{
    for (size_t i = 0; i < t->n_directives; i++) {
        const struct directive *d = &t->directives[i];
        struct place place = source_place(&t->source, d->name.at);

        if (d->kind == DIRECTIVE_REPORT && d->name.text && !experiment_find(t, d->name.text))
            portolan_diagnose(t->options->notes, t->source.file, place.line, place.column,
                              "no experiment '%s' is in this file: another one of the program must "
                              "have it",
                              d->name.text);
    }
}

static bool can_rewrite(const struct translation *t)
{
    for (size_t i = 0; i < t->n_directives; i++)
        if (t->directives[i].is_bad || t->directives[i].kind == DIRECTIVE_BAD)
            return false;
    return true;
}

static enum portolan_status check_memory(struct translation *t)
{
    return t->arena.failed ? portolan_no_memory(t->err) : PORTOLAN_OK;
}

/* Checks what depends on correct C. Problems found before this are reported anyway. */
static enum portolan_status check_rewritten(struct translation *t)
{
    size_t before = t->n_problems;
    enum portolan_status status;

    indent_sweeps(t);
    rewrite_jumps(t);
    if (t->n_problems > before)
        return PORTOLAN_OK;
    rewrite_directives(t);
    status = check_memory(t);
    return status == PORTOLAN_OK ? probe_translation(t) : status;
}

/* Finds all problems, except those that an earlier problem hides. */
static enum portolan_status check_source(struct translation *t)
{
    enum portolan_status status = parse_source(t);
    size_t before;
    bool good;

    if (status != PORTOLAN_OK)
        return status;
    driver_choose(t);
    before = t->n_problems;
    pair_directives(t);
    if (t->is_c)
        place_directives(t);
    good = t->is_c && t->n_problems == before && can_rewrite(t);
    experiments_make(t);
    note_reports(t);
    status = check_memory(t);
    return status == PORTOLAN_OK && good ? check_rewritten(t) : status;
}

/* ------------------------------------------------------------------ results */

/* Adds TEXT, which it takes over, as a file NAME. */
static enum portolan_status add_output(struct translation *t,
                                       struct portolan_translate_result *result, const char *name,
                                       struct portolan_text *text, bool is_script)
{
    struct portolan_translate_output o = {
        .name = portolan_strdup(name), .size = text->length, .is_script = is_script};
    enum portolan_status status = portolan_text_take(text, &o.text, t->err);

    if (status == PORTOLAN_OK && !t->arena.failed && o.name &&
        portolan_append(&result->outputs, &result->n_outputs, &o, sizeof o))
        return PORTOLAN_OK;
    free(o.name);
    free(o.text);
    return portolan_no_memory(t->err);
}

static enum portolan_status add_scripts(struct translation *t,
                                        struct portolan_translate_result *result)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; status == PORTOLAN_OK && i < t->n_directives; i++) {
        const struct directive *d = &t->directives[i];
        struct portolan_text text = {0};

        if (d->kind != DIRECTIVE_SCRIPT)
            continue;
        status = script_emit(t, d, &text);
        if (status == PORTOLAN_OK)
            status = add_output(t, result, d->name.text, &text, true);
        portolan_text_clear(&text);
    }
    return status;
}

static enum portolan_status emit(struct translation *t, struct portolan_translate_result *result)
{
    struct portolan_text source = {0}, header = {0};
    const char *program = emit_program(t);
    enum portolan_status status;

    emit_source(t, &source);
    emit_header(t, &header);
    status = add_output(t, result, portolan_libclang_print(&t->arena, "%s.cll.c", program), &source,
                        false);
    if (status == PORTOLAN_OK)
        status = add_output(t, result, portolan_libclang_print(&t->arena, "%s.cll.h", program),
                            &header, false);
    if (status == PORTOLAN_OK)
        status = add_scripts(t, result);
    portolan_text_clear(&source);
    portolan_text_clear(&header);
    result->packages = portolan_strdup(t->driver->packages);
    if (!result->packages)
        status = portolan_no_memory(t->err);
    return status;
}

static void clear_translation(struct translation *t)
{
    experiments_clear(t);
    if (t->unit)
        t->clang->disposeTranslationUnit(t->unit);
    if (t->index)
        t->clang->disposeIndex(t->index);
    portolan_arena_clear(&t->arena);
}

enum portolan_status portolan_translate(const struct portolan_translate_options *options,
                                        struct portolan_diagnostics *diagnostics,
                                        struct portolan_translate_result *result,
                                        struct portolan_error *err)
{
    struct translation t = {.options = options, .user = diagnostics, .err = err};
    enum portolan_status status = read_pragmas(&t);

    *result = (struct portolan_translate_result){0};
    if (status == PORTOLAN_OK)
        status = open_libclang(&t);
    if (status == PORTOLAN_OK)
        status = check_source(&t);
    if (status == PORTOLAN_OK && !t.n_problems)
        status = emit(&t, result);
    if (status == PORTOLAN_OK)
        status = check_memory(&t);
    if (status == PORTOLAN_OK)
        status = problems_report(&t);
    if (status != PORTOLAN_OK)
        portolan_translate_clear(result);
    clear_translation(&t);
    return status;
}

/* If there are several, only the preprocessor knows which one is used. */
static bool has_several_drivers(const struct translation *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_directives; i++)
        n += t->directives[i].kind == DIRECTIVE_PARALLEL;
    return n > 1;
}

static enum portolan_status find_packages(struct translation *t, char **packages)
{
    enum portolan_status status;

    driver_choose(t);
    status = check_memory(t);
    if (status == PORTOLAN_OK)
        status = problems_report(t);
    if (status != PORTOLAN_OK)
        return status;
    *packages = portolan_strdup(t->driver->packages);
    return *packages ? PORTOLAN_OK : portolan_no_memory(t->err);
}

enum portolan_status portolan_translate_packages(const struct portolan_translate_options *options,
                                                 struct portolan_diagnostics *diagnostics,
                                                 char **packages, struct portolan_error *err)
{
    struct translation t = {.options = options, .user = diagnostics, .err = err};
    struct portolan_translate_result result = {0};
    enum portolan_status status = read_pragmas(&t);
    bool several = status == PORTOLAN_OK && has_several_drivers(&t);

    *packages = NULL;
    if (status == PORTOLAN_OK && !several)
        status = find_packages(&t, packages);
    clear_translation(&t);
    if (!several)
        return status;
    status = portolan_translate(options, diagnostics, &result, err);
    *packages = result.packages;
    result.packages = NULL;
    portolan_translate_clear(&result);
    return status;
}

/* ------------------------------------------------------------------ files */

static enum portolan_status check_names(const struct portolan_made_file *files, size_t n,
                                        struct portolan_error *err)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(files[i].path, files[k].path) == 0)
                return portolan_error_set(err, PORTOLAN_EEXISTS,
                                          "%s would be written twice: two sources or scripts have "
                                          "this name; use a folder (-o) for each",
                                          files[i].path);
    return PORTOLAN_OK;
}

enum portolan_status portolan_translate_write(const struct portolan_translate_result *results,
                                              size_t n, const char *folder,
                                              struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct portolan_made_file *files = NULL;
    enum portolan_status status = PORTOLAN_OK;
    size_t n_files = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < results[i].n_outputs; k++) {
            const struct portolan_translate_output *o = &results[i].outputs[k];

            files = portolan_arena_grow(&arena, files, n_files, sizeof *files);
            if (!files)
                break;
            files[n_files++] = (struct portolan_made_file){
                folder ? portolan_arena_printf(&arena, "%s/%s", folder, o->name) : o->name, o->text,
                o->size, o->is_script};
        }
    if (arena.failed)
        status = portolan_no_memory(err);
    if (status == PORTOLAN_OK)
        status = check_names(files, n_files, err);
    if (status == PORTOLAN_OK)
        status = portolan_files_write(&arena, folder ? folder : ".", files, n_files, err);
    portolan_arena_clear(&arena);
    return status;
}

void portolan_translate_clear(struct portolan_translate_result *result)
{
    for (size_t i = 0; i < result->n_outputs; i++) {
        free(result->outputs[i].name);
        free(result->outputs[i].text);
    }
    free(result->outputs);
    free(result->packages);
    *result = (struct portolan_translate_result){0};
}
