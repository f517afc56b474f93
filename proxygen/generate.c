/* SPDX-License-Identifier: BSD-3-Clause */
/* The public call: read, check, emit to memory, write. */
#include "proxygen_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <portolan/command.h>

enum portolan_status proxygen_fail(struct run *run, enum portolan_status status,
                                   const struct place *place, const char *format, ...)
{
    char text[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (place->file) {
        portolan_diagnose(run->diagnostics, place->file, place->line, place->column, "%s", text);
        if (run->diagnostics)
            return status; /* the sum comes at the end */
        return portolan_error_set(run->err, status, "%s:%d: %s", place->file, place->line, text);
    }
    return portolan_error_set(run->err, status, "%s", text);
}

static bool is_sidl(const char *file)
{
    const char *dot = strrchr(file, '.');

    return dot && strcmp(dot, ".sidl") == 0;
}

static enum portolan_status check_options(const struct portolan_proxygen_options *o,
                                          struct portolan_error *err)
{
    const char *lacking = !o->n_files                 ? "a file to read"
                          : !o->port || !*o->port     ? "a port's type"
                          : !o->folder || !*o->folder ? "a folder for the output"
                                                      : NULL;

    if (lacking)
        return portolan_error_set(err, PORTOLAN_EINVAL, "proxygen needs %s", lacking);
    for (size_t i = 1; i < o->n_files; i++)
        if (is_sidl(o->files[i]) != is_sidl(o->files[0]))
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "'%s' and '%s': SIDL and C do not go together", o->files[0],
                                      o->files[i]);
    if (is_sidl(o->files[0]) && (o->n_functions || o->from || o->compile_commands))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' is SIDL: patterns of functions and of headers and compile "
                                  "commands are for headers",
                                  o->files[0]);
    return PORTOLAN_OK;
}

static bool copy_flags(const struct run *run, struct portolan_proxygen_result *result)
{
    result->flags = portolan_calloc(run->n_flags + 1, sizeof *result->flags);
    for (size_t i = 0; result->flags && i < run->n_flags; i++) {
        result->flags[i] = portolan_strdup(run->flags[i]);
        if (!result->flags[i])
            return false;
        result->n_flags++;
    }
    return result->flags != NULL;
}

static enum portolan_status fill_result(struct run *run, struct portolan_proxygen_result *result)
{
    bool failed = run->arena.failed || run->report.failed;

    result->class_name = portolan_asprintf("%sProxy", run->port->type);
    result->report = portolan_strdup(run->report.bytes ? run->report.bytes : "");
    failed |= !result->class_name || !result->report;
    for (const struct output *o = run->outputs; o && !failed; o = o->next) {
        char **files = realloc(result->files, (result->n_files + 1) * sizeof *files);

        failed = !files || o->text.failed;
        if (!files)
            break;
        result->files = files;
        files[result->n_files] = portolan_asprintf("%s/%s", run->options->folder, o->name);
        failed |= !files[result->n_files++];
    }
    failed = failed || !copy_flags(run, result);
    return failed ? portolan_no_memory(run->err) : PORTOLAN_OK;
}

/* NAMES are those of the outputs, in their folder. */
static enum portolan_status write_files(struct run *run, char *const *names)
{
    struct portolan_made_file *made = NULL;
    size_t n = 0;

    for (const struct output *o = run->outputs; o; o = o->next) {
        made = portolan_arena_grow(&run->arena, made, n, sizeof *made);
        if (!made)
            return portolan_no_memory(run->err);
        made[n] = (struct portolan_made_file){names[n], o->text.bytes, o->text.length, false};
        n++;
    }
    return portolan_files_write(&run->arena, run->options->folder, made, n, run->err);
}

/* Everything is in memory when the first byte is written. */
static enum portolan_status write_output(struct run *run, struct portolan_proxygen_result *result)
{
    enum portolan_status status;

    proxygen_emit(run);
    proxygen_emit_report(run, &run->report);
    status = fill_result(run, result);
    return status == PORTOLAN_OK ? write_files(run, result->files) : status;
}

/* What stands against a proxy of a class the compiler says. */
static enum portolan_status try_class(struct run *run)
{
    struct portolan_text text = {.arena = &run->arena};

    proxygen_emit_cxx_trial(run, &text);
    return run->arena.failed ? PORTOLAN_ENOMEM : proxygen_judge_class(run, text.bytes);
}

enum portolan_status portolan_proxygen_generate(const struct portolan_proxygen_options *options,
                                                struct portolan_proxygen_result *result,
                                                struct portolan_diagnostics *diagnostics,
                                                struct portolan_error *err)
{
    struct portolan_error own = {0};
    struct portolan_proxygen_result made = {0};
    struct run run = {.options = options,
                      .diagnostics = diagnostics,
                      .err = err ? err : &own,
                      .port = &run.main_port,
                      .last_output = &run.outputs};
    enum portolan_status status = check_options(options, run.err);

    if (status == PORTOLAN_OK) {
        run.whole = (struct place){.file = options->files[0], .line = 1};
        status = is_sidl(options->files[0]) ? proxygen_read_sidl(&run) : proxygen_read_header(&run);
    }
    if (run.arena.failed)
        status = PORTOLAN_ENOMEM;
    if (status == PORTOLAN_OK && run.port->shape == SHAPE_CLASS)
        status = try_class(&run);
    if (status == PORTOLAN_OK)
        status = proxygen_read_side_file(&run);
    if (status == PORTOLAN_OK)
        status = proxygen_apply_hints(&run);
    if (status == PORTOLAN_OK)
        status = proxygen_judge_expressions(&run);
    if (status == PORTOLAN_OK)
        status = proxygen_check_port(&run);
    if (status != PORTOLAN_OK && diagnostics && diagnostics->count)
        portolan_error_set(run.err, status, "%d problem%s", diagnostics->count,
                           diagnostics->count == 1 ? "" : "s");
    if (run.arena.failed)
        status = portolan_no_memory(run.err);
    if (status == PORTOLAN_OK)
        status = write_output(&run, &made);
    if (status == PORTOLAN_OK && result)
        *result = made;
    else
        portolan_proxygen_result_clear(&made);
    portolan_text_clear(&run.report);
    portolan_arena_clear(&run.arena);
    return status;
}

void portolan_proxygen_result_clear(struct portolan_proxygen_result *result)
{
    free(result->report);
    free(result->class_name);
    for (size_t i = 0; i < result->n_files; i++)
        free(result->files[i]);
    free(result->files);
    for (size_t i = 0; i < result->n_flags; i++)
        free(result->flags[i]);
    free(result->flags);
    *result = (struct portolan_proxygen_result){0};
}
