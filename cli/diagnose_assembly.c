/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An assembly as an experiment: it runs with its calls of MPI recorded, and with the ports that its
 * paradigm names measured call by call; both become one trace.
 */
#include "diagnose.h"

#include <portolan/command.h>
#include <portolan/hercule_assembly.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------- what is measured */

/* Ports of parts store a row for each call; others only forward. */
static void choose_ports(struct portolan_assembly *a, const struct portolan_assembly_paradigm *p)
{
    for (size_t i = 0; i < a->n_connections; i++) {
        struct portolan_assembly_connection *c = &a->connections[i];

        c->has_rows = false;
        for (size_t k = 0; p && k < p->n_parts && !c->has_rows; k++)
            c->has_rows = portolan_part_uses(&p->parts[k], c);
        c->monitored = c->monitored || c->has_rows;
        c->one_in = 0;
        c->variant = c->has_rows ? "mastermind" : "forward";
    }
    a->go.variant = a->go.monitored ? "mastermind" : NULL;
}

static enum portolan_status write_assembly(const struct portolan_assembly *a, const char *file,
                                           struct portolan_error *err)
{
    char *text = NULL;
    enum portolan_status status = portolan_assembly_write(a, file, &text, err);

    if (!status && write_text(file, text))
        status = portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be written", file);
    free(text);
    return status;
}

/* ------------------------------------------------- the run */

/* The files of the experiment, in its folder. */
struct files {
    const char *assembly, *store, *trace;
};

static enum portolan_status run(const struct assembly_experiment *x, const struct files *files,
                                struct portolan_error *err)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *words[] = {self,
                     (char *)"run",
                     (char *)"--fixed",
                     (char *)"--quiet",
                     (char *)"--store",
                     (char *)files->store,
                     (char *)files->assembly,
                     NULL};
    const struct recording r = {.launcher = x->launcher,
                                .n_ranks = x->n_ranks,
                                .program = words,
                                .folder = files->trace,
                                .records_itself = true};
    enum portolan_status status;
    int result = 0;

    self[length > 0 ? length : 0] = 0;
    status = record_program(&r, &result, err);
    if (!status && result)
        status =
            portolan_error_set(err, PORTOLAN_EFOREIGN, "the run ended with exit status %d", result);
    return status;
}

/* ------------------------------------------------- what it left */

static enum portolan_status read_both(const struct files *files, struct portolan_diagnostics *d,
                                      struct portolan_trace **trace, struct portolan_error *err)
{
    struct portolan_store *store = NULL;
    struct portolan_trace_rows *rows = NULL;
    enum portolan_status status = portolan_trace_read(files->trace, d, trace, err);

    if (!status)
        status = portolan_store_open(files->store, PORTOLAN_STORE_READ, &store, err);
    if (!status)
        status = portolan_trace_rows_create(*trace, &rows, err);
    if (!status) {
        status =
            portolan_store_visit_invocations(store, 1, NULL, portolan_trace_rows_take, rows, err);
        status = portolan_trace_rows_join(rows, status, trace, err);
    }
    portolan_store_close(store);
    return status;
}

enum portolan_status diagnose_assembly(const struct assembly_experiment *x,
                                       struct portolan_arena *arena, struct portolan_diagnostics *d,
                                       struct portolan_trace **trace, struct portolan_error *err)
{
    const struct files files = {.assembly = portolan_arena_printf(arena, "%s/run.xml", x->folder),
                                .store = portolan_arena_printf(arena, "%s/run.db", x->folder),
                                .trace = portolan_arena_printf(arena, "%s/trace", x->folder)};
    enum portolan_status status;

    if (arena->failed)
        return portolan_no_memory(err);
    choose_ports(x->assembly, x->paradigm);
    status = write_assembly(x->assembly, files.assembly, err);
    if (!status)
        status = run(x, &files, err);
    return status ? status : read_both(&files, d, trace, err);
}
