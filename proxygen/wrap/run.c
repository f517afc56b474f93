/* SPDX-License-Identifier: BSD-3-Clause */
/* A run from the options to the report. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <portolan/functions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    const char *base = portolan_file_name(file), *end = strstr(base, ".so");

    return portolan_arena_strndup(arena, base, end ? (size_t)(end - base) : strlen(base));
}

/* With the last folder before it, for libraries with equal names: "atlas-libblas". */
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

/* ------------------------------------------------------------------ the assembly */

/* Names of instances consist of letters, digits, '-' and '_'. */
static char *instance_name(struct portolan_arena *arena, const char *text)
{
    char *name = portolan_arena_strdup(arena, text);

    for (char *c = name; c && *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              *c == '-'))
            *c = '_';
    return name;
}

/* The program that calls, and the port's instance, of which each library is an alternative. */
static enum portolan_status write_text(struct wrap_run *run, struct portolan_error *err)
{
    struct portolan_assembly_alternative program = {.class_name =
                                                        portolan_file_name(run->program.image)},
                                         *libraries = portolan_arena_alloc(
                                             &run->arena, run->n_libraries, sizeof *libraries);
    struct portolan_assembly_instance instances[] = {
        {.name = run->user, .n_alternatives = 1, .alternatives = &program},
        {.name = run->port, .n_alternatives = run->n_libraries, .alternatives = libraries}};
    struct portolan_assembly_connection connection = {.user = run->user,
                                                      .uses = run->port,
                                                      .provider = run->port,
                                                      .provides = run->port,
                                                      .monitored = true};
    const struct portolan_assembly a = {
        .file = "program",
        .name = run->trial,
        .n_instances = 2,
        .instances = instances,
        .n_connections = 1,
        .connections = &connection,
        .alpha = PORTOLAN_ASSEMBLY_PRUNING,
        .beta = PORTOLAN_ASSEMBLY_PRUNING,
        .go = {.user = "", .uses = "go", .provider = run->user, .provides = WRAP_MAIN}};
    enum portolan_status status;
    char *text = NULL;

    for (size_t i = 0; libraries && i < run->n_libraries; i++)
        libraries[i].class_name = run->libraries[i].name;
    if (run->arena.failed)
        return portolan_no_memory(err);
    status = portolan_assembly_write(&a, NULL, &text, err);
    run->assembly_text = portolan_arena_strdup(&run->arena, text ? text : "");
    free(text);
    return status;
}

/* Describes the program and its libraries as an assembly, which reports and models need. */
static enum portolan_status describe_run(struct wrap_run *run, struct portolan_error *err)
{
    const char *dot = strrchr(run->front.type, '.'),
               *name = portolan_file_name(run->options->program[0]);
    char *port = instance_name(&run->arena, dot ? dot + 1 : run->front.type);
    char *user = instance_name(&run->arena, name);
    struct portolan_diagnostics_relay relay = {.err = err};
    struct portolan_diagnostics d = {.report = portolan_diagnostics_relay, .arg = &relay};
    enum portolan_status status;

    if (port && user && !strcmp(port, user))
        user = portolan_arena_printf(&run->arena, "%s-program", user);
    run->user = user;
    run->port = port;
    run->trial = run->options->trial ? run->options->trial : name;
    status = write_text(run, err);
    if (status == PORTOLAN_OK && run->arena.failed)
        status = portolan_no_memory(err);
    return status == PORTOLAN_OK
               ? portolan_assembly_read_text(run->assembly_text, strlen(run->assembly_text),
                                             "program", &d, &run->assembly, err)
               : status;
}

/* ------------------------------------------------------------------ the shared file */

struct writer {
    struct wrap_orders *orders;
    size_t used;
    bool is_full;
};

static void put_text(struct writer *w, const char *text)
{
    size_t bytes = strlen(text ? text : "") + 1;

    if (bytes > sizeof w->orders->text - w->used) {
        w->is_full = true;
        return;
    }
    memcpy(w->orders->text + w->used, text ? text : "", bytes);
    w->used += bytes;
}

/* Writes the orders; their texts are in the order of enum wrap_order. */
static enum portolan_status write_orders(struct wrap_run *run, struct portolan_error *err)
{
    const struct portolan_wrap_options *o = run->options;
    const char *preload = getenv("LD_PRELOAD");
    struct wrap_orders *orders = &run->shared->orders;
    struct writer w = {.orders = orders};

    orders->interval_s = o->interval_s;
    orders->rotate_s = o->rotate_s;
    orders->with_children = o->children;
    orders->profile = o->profile;
    orders->one_in = o->one_in;
    orders->n_libraries = (uint32_t)run->n_libraries;
    orders->n_areas = o->children ? WRAP_AREAS : 1;
    orders->takes_commands = o->control || o->signals;
    orders->had_preload = preload != NULL;
    put_text(&w, preload);
    put_text(&w, run->user);
    put_text(&w, o->control ? o->control : "signal");
    put_text(&w, o->counters);
    put_text(&w, run->front.papi);
    for (size_t i = 0; i < run->n_libraries; i++) {
        put_text(&w, run->libraries[i].name);
        put_text(&w, run->libraries[i].file);
    }
    orders->magic = WRAP_MAGIC;
    return w.is_full ? portolan_error_set(err, PORTOLAN_EINVAL,
                                          "libraries and LD_PRELOAD have too long names")
                     : PORTOLAN_OK;
}

/* A high number avoids clashes with the program's descriptors; it is closed before main(). */
static int move_up(int fd)
{
    int up = fcntl(fd, F_DUPFD_CLOEXEC, 200);

    if (up < 0)
        return fd;
    close(fd);
    return up;
}

/* Makes the shared file with the orders. */
static enum portolan_status make_shared(struct wrap_run *run, struct portolan_error *err)
{
    size_t areas = run->options->children ? WRAP_AREAS : 1;
    void *mapped = MAP_FAILED;

    run->shared_bytes = sizeof(struct wrap_file) + areas * sizeof(struct wrap_area);
    run->file = memfd_create("portolan-wrap", MFD_CLOEXEC);
    if (run->file >= 0) {
        run->file = move_up(run->file);
        if (ftruncate(run->file, (off_t)run->shared_bytes) == 0)
            mapped = mmap(NULL, run->shared_bytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_NORESERVE, run->file, 0);
    }
    if (mapped == MAP_FAILED)
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "no memory to share with the program (%zu bytes): %s",
                                  run->shared_bytes, strerror(errno));
    run->shared = mapped;
    for (size_t i = 0; i < areas; i++)
        run->shared->areas[i].reading = WRAP_NOBODY;
    return write_orders(run, err);
}

static void remove_shared(struct wrap_run *run)
{
    if (run->shared)
        munmap(run->shared, run->shared_bytes);
    if (run->file >= 0)
        close(run->file);
    run->shared = NULL;
    run->file = -1;
}

/* ------------------------------------------------------------------ the run */

/* Checks whether FILE can be created, by the permissions of its folder. */
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

/* Checks the store before the program runs; a missing store is made only after the first call. */
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
    if (found == PORTOLAN_OK) /* also in this process, so that errors are reported at once */
        found = portolan_probe_counter_sets_define(run->options->counters, err);
    if (found == PORTOLAN_OK)
        found = find_libraries(run, err);
    if (found == PORTOLAN_OK)
        found = wrap_front_make(&run->arena, run->options, &run->front, d, err);
    if (found == PORTOLAN_OK)
        found = describe_run(run, err);
    if (found == PORTOLAN_OK)
        found = make_shared(run, err);
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
    remove_shared(&run);
    wrap_front_remove(&run.front);
    portolan_assembly_destroy(run.assembly);
    portolan_arena_clear(&run.arena);
    return status;
}
