/* SPDX-License-Identifier: BSD-3-Clause */
/* The public call: read, check, emit to memory, write. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include <portolan/command.h>

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
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "'%s' is SIDL; --functions, --from and --compile-commands are for headers",
            o->files[0]);
    return PORTOLAN_OK;
}

/* Copies the paths of the outputs and the flags; false without memory. */
static bool copy_names(const struct run *run, struct portolan_proxygen_result *result)
{
    size_t n = 0;

    for (const struct output *o = run->outputs; o; o = o->next)
        n++;
    result->files = portolan_calloc(n + 1, sizeof *result->files);
    result->flags = portolan_calloc(run->n_flags + 1, sizeof *result->flags);
    if (!result->files || !result->flags)
        return false;
    for (const struct output *o = run->outputs; o; o = o->next, result->n_files++)
        if (!(result->files[result->n_files] =
                  portolan_asprintf("%s/%s", run->options->folder, o->name)))
            return false;
    for (; result->n_flags < run->n_flags; result->n_flags++)
        if (!(result->flags[result->n_flags] = portolan_strdup(run->flags[result->n_flags])))
            return false;
    return true;
}

static enum portolan_status fill_result(struct run *run, struct portolan_proxygen_result *result)
{
    result->class_name = portolan_asprintf("%sProxy", run->port->type);
    result->report = portolan_strdup(run->report.bytes ? run->report.bytes : "");
    return run->arena.failed || !result->class_name || !result->report || !copy_names(run, result)
               ? portolan_no_memory(run->err)
               : PORTOLAN_OK;
}

/* NAMES are the paths of the outputs. */
static enum portolan_status write_files(struct run *run, char *const *names)
{
    struct portolan_made_file *made = NULL;
    size_t n = 0;

    for (const struct output *o = run->outputs; o; o = o->next)
        PROXYGEN_APPEND(
            &run->arena, made, n,
            (struct portolan_made_file){names[n], o->text.bytes, o->text.length, false});
    if (run->arena.failed)
        return portolan_no_memory(run->err);
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

static enum portolan_status read_port(struct run *run)
{
    const char *file = run->options->files[0];

    run->whole = (struct place){.file = file, .line = 1};
    return is_sidl(file) ? proxygen_read_sidl(run) : proxygen_read_header(run);
}

/* Lets the compiler report why a class cannot have a proxy. */
static enum portolan_status try_class(struct run *run)
{
    struct portolan_text text = {.arena = &run->arena};

    if (run->port->shape != SHAPE_CLASS)
        return PORTOLAN_OK;
    proxygen_emit_cxx_trial(run, &text);
    return run->arena.failed ? PORTOLAN_ENOMEM : proxygen_judge_class(run, text.bytes);
}

/* These complete and check the model; then everything is emitted. */
static enum portolan_status (*const phases[])(struct run *run) = {
    read_port,
    try_class,
    proxygen_read_side_file,
    proxygen_apply_hints,
    proxygen_judge_expressions,
    proxygen_check_port,
};

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
                      .report = {.arena = &run.arena},
                      .last_output = &run.outputs};
    enum portolan_status status = check_options(options, run.err);

    for (size_t i = 0; status == PORTOLAN_OK && i < sizeof phases / sizeof *phases; i++) {
        status = phases[i](&run);
        if (run.arena.failed)
            status = PORTOLAN_ENOMEM;
    }
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
