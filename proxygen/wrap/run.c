/* SPDX-License-Identifier: BSD-3-Clause */
/* What is measured, from the options to the report. */
#include "internal.h"

#include <errno.h>
#include <portolan/functions.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void portolan_wrap_result_clear(struct portolan_wrap_result *result)
{
    free(result->report);
    *result = (struct portolan_wrap_result){0};
}

/* ------------------------------------------------------------------ libraries */

/* "libblas" for ".../atlas/libblas.so.3". */
static const char *short_name(struct portolan_arena *arena, const char *file)
{
    const char *base = wrap_base_name(file), *end = strstr(base, ".so");

    return portolan_arena_strndup(arena, base, end ? (size_t)(end - base) : strlen(base));
}

/* The last folder in front, for libraries that are called alike: "atlas-libblas". */
static const char *long_name(struct portolan_arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/'), *folder = slash;

    while (folder && folder > file && folder[-1] != '/')
        folder--;
    return slash ? portolan_arena_printf(arena, "%.*s-%s", (int)(slash - folder), folder,
                                         short_name(arena, file))
                 : short_name(arena, file);
}

static bool is_taken(const struct wrap_run *run, size_t n, const char *name)
{
    for (size_t i = 0; name && i < n; i++)
        if (!strcmp(run->libraries[i].name, name))
            return true;
    return false;
}

static enum portolan_status find_library(struct wrap_run *run, size_t number, const char *text,
                                         struct portolan_error *err)
{
    struct wrap_library *l = &run->libraries[number];
    const char *equals = strchr(text, '='), *slash = strchr(text, '/');
    enum portolan_status status;
    char *file = NULL;

    if (equals && (!slash || equals < slash)) {
        l->name = portolan_arena_strndup(&run->arena, text, (size_t)(equals - text));
        text = equals + 1;
    }
    if (!strcmp(text, "own")) {
        *l = (struct wrap_library){l->name ? l->name : "own", ""};
    } else {
        status = portolan_functions_library_find(text, &file, err);
        if (status == PORTOLAN_OK)
            status = portolan_functions_library_check(file, err);
        if (status == PORTOLAN_OK)
            l->file = portolan_arena_strdup(&run->arena, file);
        free(file);
        if (status != PORTOLAN_OK || !l->file)
            return status;
        if (!l->name)
            l->name = short_name(&run->arena, l->file);
        if (!equals && is_taken(run, number, l->name))
            l->name = long_name(&run->arena, l->file);
    }
    if (is_taken(run, number, l->name))
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "two libraries are called '%s': name one with --lib NAME=FILE",
                                  l->name);
    return run->arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

static enum portolan_status find_libraries(struct wrap_run *run, struct portolan_error *err)
{
    const struct portolan_wrap_options *o = run->options;
    enum portolan_status status = PORTOLAN_OK;

    run->n_libraries = o->n_libraries ? o->n_libraries : 1;
    run->libraries = portolan_arena_alloc(&run->arena, run->n_libraries, sizeof *run->libraries);
    if (!run->libraries)
        return portolan_no_memory(err);
    if (!o->n_libraries)
        run->libraries[0] = (struct wrap_library){"own", ""};
    for (size_t i = 0; i < o->n_libraries && status == PORTOLAN_OK; i++)
        status = find_library(run, i, o->libraries[i], err);
    return status;
}

/* ------------------------------------------------------------------ the run */

/* Whether a file can be made, as far as its folder says. */
static enum portolan_status check_folder(const char *what, const char *file,
                                         struct portolan_error *err)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash ? strndup(file, (size_t)(slash - file) + 1) : portolan_strdup(".");
    enum portolan_status status = PORTOLAN_OK;

    if (folder && access(folder, W_OK) != 0)
        status = portolan_error_set(err, PORTOLAN_EIO, "cannot make the %s '%s': %s", what, file,
                                    strerror(errno));
    free(folder);
    return status;
}

/* What would fail only when the program runs; a store is not made before there is a call. */
static enum portolan_status check_store(const struct portolan_wrap_options *o,
                                        struct portolan_error *err)
{
    const char *file = o->store ? o->store : "portolan.db";
    struct portolan_store *store = NULL;
    enum portolan_status status;

    if (o->profile)
        return PORTOLAN_OK;
    if (access(file, F_OK) == 0) {
        status = portolan_store_open(file, PORTOLAN_STORE_READ, &store, err);
        portolan_store_close(store);
        return status;
    }
    return check_folder("store", file, err);
}

static enum portolan_status check_files(const struct portolan_wrap_options *o,
                                        struct portolan_error *err)
{
    enum portolan_status status = check_store(o, err);
    char *reply = o->control ? portolan_asprintf("%s.reply", o->control) : NULL;

    if (status == PORTOLAN_OK && reply)
        status = check_folder("control file's answer", reply, err);
    free(reply);
    return status;
}

static enum portolan_status prepare(struct wrap_run *run, int *status,
                                    struct portolan_diagnostics *d, struct portolan_error *err)
{
    enum portolan_status found =
        wrap_program_find(&run->arena, run->options->program, &run->program, status, err);

    if (found == PORTOLAN_OK)
        found = check_files(run->options, err);
    if (found == PORTOLAN_OK)
        found = portolan_control_read_signals(run->options->signals, run->signals, &run->n_signals,
                                              err);
    if (found == PORTOLAN_OK) /* here as there: what is wrong with them is told at once */
        found = portolan_probe_counter_sets_define(run->options->counters, err);
    if (found == PORTOLAN_OK)
        found = find_libraries(run, err);
    if (found == PORTOLAN_OK)
        found = wrap_front_make(&run->arena, run->options, &run->front, d, err);
    if (found == PORTOLAN_OK)
        found = wrap_describe(run, err);
    if (found == PORTOLAN_OK)
        found = wrap_shared_make(run, err);
    return found;
}

enum portolan_status portolan_wrap_run(const struct portolan_wrap_options *options,
                                       struct portolan_wrap_result *result,
                                       struct portolan_diagnostics *diagnostics,
                                       struct portolan_error *err)
{
    struct wrap_run run = {.options = options, .file = -1};
    enum portolan_status status;
    const char *report = NULL;

    *result = (struct portolan_wrap_result){.status = EXIT_OURS};
    status = prepare(&run, &result->status, diagnostics, err);
    if (status == PORTOLAN_OK)
        status = wrap_watch(&run, &result->status, err);
    if (status == PORTOLAN_OK && wrap_was_refused(&run)) {
        const struct wrap_process *p = run.processes[0];

        status = portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "%s",
                                    p && p->n_notes ? p->notes[p->n_notes - 1] : "refused");
        result->status = EXIT_OURS;
    } else if (status == PORTOLAN_OK) {
        report = wrap_report(&run);
    }
    result->report = portolan_strdup(report);
    if (status == PORTOLAN_OK && run.failed.status != PORTOLAN_OK)
        status = portolan_error_set(err, run.failed.status, "%s", run.failed.text);
    while (run.n_waiting)
        free(run.waiting[--run.n_waiting]);
    wrap_collect_clear(&run);
    wrap_shared_remove(&run);
    wrap_front_remove(&run.front);
    portolan_assembly_destroy(run.assembly);
    portolan_arena_clear(&run.arena);
    return status;
}
