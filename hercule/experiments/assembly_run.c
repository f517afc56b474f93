/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An assembly as an experiment: it runs with its calls of MPI recorded, and with the ports that its
 * paradigm names measured call by call; both become one trace.
 */
#include "internal.h"

#include <portolan/command.h>

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- what is measured */

/* Returns whether R needs the times of the part's calls. */
static bool is_wanted(const struct experiment_run *r, const struct portolan_assembly_part *p)
{
    for (size_t i = 0; i < r->n_components; i++)
        if (!strcmp(r->components[i], p->component))
            return true;
    return r->experiment == 3;
}

/* Ports of the parts that are needed are measured, for a trace call by call; others only forward.
 */
static void choose_ports(struct portolan_assembly *a, const struct portolan_assembly_paradigm *p,
                         const struct experiment_run *r)
{
    for (size_t i = 0; i < a->n_connections; i++) {
        struct portolan_assembly_connection *c = &a->connections[i];

        bool is_measured = false;

        for (size_t k = 0; p && k < p->n_parts && !is_measured; k++)
            is_measured = portolan_part_uses(&p->parts[k], c) && is_wanted(r, &p->parts[k]);
        c->monitored = c->monitored || is_measured;
        c->has_rows = is_measured && r->experiment == 3;
        c->one_in = 0;
        c->variant = is_measured ? "mastermind" : "forward";
    }
    a->go.monitored = true;
    a->go.variant = "mastermind";
}

static enum portolan_status write_assembly(const struct portolan_assembly *a, const char *file,
                                           struct portolan_error *err)
{
    char *text = NULL;
    enum portolan_status status = portolan_assembly_write(a, file, &text, err);

    if (!status)
        status = portolan_replace_file(file, text, strlen(text), err);
    free(text);
    return status;
}

/* Returns the option by which each look at a clock that stands still takes 1 ns. NULL: the clock
 * moves by itself. */
static char *tick_option(struct portolan_subject *s)
{
    bool stands_still;
    const char *clock = portolan_manual_clock(s->assembly, &stands_still);

    return clock && stands_still ? portolan_arena_printf(&s->arena, "--set=%s.tick=1e-9", clock)
                                 : NULL;
}

enum portolan_status experiment_run_assembly(struct portolan_subject *s,
                                             const struct portolan_experiment_options *o,
                                             const struct experiment_run *r, const char *folder,
                                             const char *token, struct portolan_error *err)
{
    const struct portolan_assembly *declaration = s->declaration ? s->declaration : s->assembly;
    char *temporary = portolan_temporary_folder(&s->arena, err),
         *file = portolan_arena_printf(&s->arena, "%s/run.xml", temporary);
    char *words[] = {(char *)o->command,
                     (char *)"run",
                     (char *)"--fixed",
                     (char *)"--quiet",
                     (char *)"--as",
                     (char *)o->file,
                     (char *)"--store",
                     (char *)s->store,
                     file,
                     tick_option(s),
                     NULL};
    const struct portolan_recording recording = {.launcher = o->launcher,
                                                 .mpiexec = o->mpiexec,
                                                 .n_ranks = o->ranks,
                                                 .program = words,
                                                 .folder = folder,
                                                 .window = r->window,
                                                 .token = token};
    enum portolan_status status;
    int result = 0;

    if (!temporary || !file)
        return err->status ? err->status : portolan_no_memory(err);
    choose_ports(s->assembly, declaration->paradigm, r);
    status = write_assembly(s->assembly, file, err);
    if (!status)
        status = portolan_record_program(&recording, &result, err);
    if (!status && result)
        status =
            portolan_error_set(err, PORTOLAN_EFOREIGN, "the run ended with exit status %d", result);
    portolan_folder_remove(temporary);
    return status;
}
