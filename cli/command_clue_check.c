/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan clue check`: judges and draws machine files. */
#include "clue.h"

#include <portolan/clue_machine.h>
#include <portolan/command.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_options {
    const char *file, *output;
};

static const struct cli_option check_table[] = {
    {"output", 'o', "FILE", "draw the machine: .svg, .png or .pdf (with Graphviz), or .dot",
     INTO(struct check_options, output)},
    {NULL, CLI_WORD, NULL, "only one machine file can be checked",
     INTO(struct check_options, file)},
    {NULL, CLI_END, NULL, "a machine file is missing", INTO(struct check_options, file)},
    {0},
};

/* Writes DOT as a picture into FILE, whose ending determines the kind. */
static enum portolan_status make_picture(const char *dot, const char *file,
                                         struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    const char *folder = portolan_temporary_folder(&arena, err), *ending = strrchr(file, '.');
    struct portolan_words command = {0};
    enum portolan_status status = PORTOLAN_ENOMEM;
    char *graph, *log;

    if (!folder)
        return err->status;
    graph = portolan_arena_printf(&arena, "%s/machine.dot", folder);
    log = portolan_arena_printf(&arena, "%s/log", folder);
    if (log && portolan_words_append(
                   &arena, &command,
                   PORTOLAN_WORDS("dot", portolan_arena_printf(&arena, "-T%s", ending + 1), "-o",
                                  file, graph)))
        status = portolan_replace_file(graph, dot, strlen(dot), err);
    if (status == PORTOLAN_OK)
        status = portolan_command_run(&arena, &command, log, err);
    if (status != PORTOLAN_OK)
        portolan_error_prefix(err, "cannot draw %s; without Graphviz, write a .dot file", file);
    portolan_folder_remove(folder);
    portolan_arena_clear(&arena);
    return status;
}

static int draw(const struct clue_machine_file *machine, const char *file)
{
    static const char *const endings[] = {".svg", ".png", ".pdf", ".dot"};
    const char *ending = strrchr(file, '.');
    struct portolan_error err = {0};
    int result = 0;
    size_t i = 0;
    char *dot;

    while (i < 4 && (!ending || strcmp(ending, endings[i]) != 0))
        i++;

    if (clue_machine_draw(machine, &dot, &err) != PORTOLAN_OK)
        return print_error(&err);
    if (i == 4)
        result = print_error(&(struct portolan_error){
            .text = "the picture's name must end with .svg, .png, .pdf or .dot"});
    else if (i == 3)
        result = write_text(file, dot);
    else if (make_picture(dot, file, &err) != PORTOLAN_OK)
        result = print_error(&err);
    free(dot);
    return result;
}

static void describe(const char *file, const struct clue_machine *m)
{
    static const char *const models[] = {"delays alone", "factors of contention", "queues",
                                         "fair shares"};
    unsigned long cpus = 0;

    for (size_t i = 0; i < m->n_hosts; i++)
        cpus += m->hosts[i].cpus;
    printf("%s: good: '%s', %zu host%s with %lu processor%s; network: %s", file, m->name,
           m->n_hosts, m->n_hosts == 1 ? "" : "s", cpus, cpus == 1 ? "" : "s",
           models[m->network.model]);
    if (m->network.n_links)
        printf(", %zu links", m->network.n_links);
    printf("\n");
}

int command_clue_check(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "MACHINE.xml",
        .doc = "Check a machine file, portolan-machine(5). Prints one line per problem; the exit "
               "status is 1 if there is any.",
        .options = check_table,
    };
    struct check_options o = {0};
    struct portolan_diagnostics d = {print_diagnostic, NULL, 0};
    struct portolan_error err = {0};
    struct clue_machine_file *machine;
    int result = 0;

    parse_line(&line, argc, argv, 0, &o);
    if (clue_machine_read(o.file, &d, &machine, &err) != PORTOLAN_OK) {
        if (d.count)
            snprintf(err.text, sizeof err.text, "%d error%s in %s", d.count,
                     d.count == 1 ? "" : "s", o.file);
        return print_error(&err);
    }
    if (machine->ignored)
        fprintf(stderr, "portolan: warning: %s\n", machine->ignored);
    describe(o.file, &machine->machine);
    if (o.output)
        result = draw(machine, o.output);
    clue_machine_destroy(machine);
    return result;
}
