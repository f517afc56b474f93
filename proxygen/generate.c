/* SPDX-License-Identifier: BSD-3-Clause */
/* The public call: read, check, emit to memory, write. */
#include "proxygen_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    return PORTOLAN_OK;
}

/* Everything is in memory when the first byte is written. */
static enum portolan_status write_output(struct run *run, struct portolan_proxygen_result *result)
{
    struct portolan_text source = {0}, description = {0};
    enum portolan_status status;

    proxygen_emit_source(run, &source);
    proxygen_emit_description(run, &description);
    proxygen_emit_report(run, &run->report);
    result->source = portolan_asprintf("%s/%s_proxy.c", run->options->folder, run->port.c_type);
    result->description =
        portolan_asprintf("%s/%sProxy.xml", run->options->folder, run->port.c_type);
    result->class_name = portolan_asprintf("%sProxy", run->port.type);
    result->report = portolan_strdup(run->report.bytes);
    if (source.failed || description.failed || run->report.failed || run->arena.failed ||
        !result->source || !result->description || !result->class_name || !result->report)
        status = portolan_error_set(run->err, PORTOLAN_ENOMEM, "out of memory");
    else if (mkdir(run->options->folder, 0777) != 0 && errno != EEXIST)
        status = portolan_error_set(run->err, PORTOLAN_EIO, "%s: %s", run->options->folder,
                                    strerror(errno));
    else
        status = proxygen_write_if_changed(result->source, &source, run->err);
    if (status == PORTOLAN_OK)
        status = proxygen_write_if_changed(result->description, &description, run->err);
    portolan_text_clear(&source);
    portolan_text_clear(&description);
    return status;
}

enum portolan_status portolan_proxygen_generate(const struct portolan_proxygen_options *options,
                                                struct portolan_proxygen_result *result,
                                                struct portolan_diagnostics *diagnostics,
                                                struct portolan_error *err)
{
    struct portolan_error own = {0};
    struct portolan_proxygen_result made = {0};
    struct run run = {.options = options, .diagnostics = diagnostics, .err = err ? err : &own};
    enum portolan_status status = check_options(options, run.err);

    if (status == PORTOLAN_OK)
        status = is_sidl(options->files[0]) ? proxygen_read_sidl(&run) : proxygen_read_header(&run);
    if (status == PORTOLAN_OK)
        status = proxygen_read_side_file(&run);
    if (status == PORTOLAN_OK)
        status = proxygen_check_port(&run);
    if (status != PORTOLAN_OK && diagnostics && diagnostics->count)
        portolan_error_set(run.err, status, "%d problem%s", diagnostics->count,
                           diagnostics->count == 1 ? "" : "s");
    if (run.arena.failed)
        status = portolan_error_set(run.err, PORTOLAN_ENOMEM, "out of memory");
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
    free(result->source);
    free(result->description);
    *result = (struct portolan_proxygen_result){0};
}
