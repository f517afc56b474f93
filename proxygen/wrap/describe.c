/* SPDX-License-Identifier: BSD-3-Clause */
/* The program and its libraries as an assembly: what reports and models of trials start from. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Instances are named by letters, digits, '-' and '_'. */
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
                                                        wrap_base_name(run->program.image)},
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

enum portolan_status wrap_describe(struct wrap_run *run, struct portolan_error *err)
{
    const char *dot = strrchr(run->front.type, '.'),
               *name = wrap_base_name(run->options->program[0]);
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
