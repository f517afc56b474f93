/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan clue`: programs run in the time of a cluster that one does not own. */
#include "clue.h"

#include <portolan/command.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Becomes portolan-clue, whose process ranks live in and which has no MPI. */
static int clue_run_command(int argc, char **argv)
{
    struct portolan_error err = {0};
    char *program;

    (void)argc;
    if (portolan_settings_find("../clue/carrier/portolan-clue", PORTOLAN_CLUE_PROGRAM, &program,
                               &err))
        return print_error(&err);
    execv(program, argv);
    fprintf(stderr, "portolan: error: cannot run '%s': %s\n", program, strerror(errno));
    free(program);
    return EXIT_BAD_INPUT;
}

static const struct {
    const char *name;
    command_fn *run;
    const char *summary;
} parts[] = {
    {"run", clue_run_command, "run a program on a virtual cluster"},
    {"study", command_clue_study, "find the best cluster for a budget and workloads"},
    {"calibrate", command_clue_calibrate, "measure a real machine, and write its file"},
    {"check", command_clue_check, "check and draw a machine file"},
};
enum { PARTS = sizeof parts / sizeof *parts };

static void print_usage(FILE *to)
{
    fprintf(to, "Usage: portolan clue COMMAND [OPTION]... [FILE]...\n\n");
    for (size_t i = 0; i < PARTS; i++)
        fprintf(to, "  %-10s %s\n", parts[i].name, parts[i].summary);
    fprintf(to, "\n`portolan clue COMMAND --help` lists the options of a command.\n");
}

int command_clue(int argc, char **argv)
{
    char name[64];

    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        print_usage(stdout);
        return 0;
    }
    for (size_t i = 0; argc > 1 && i < PARTS; i++)
        if (!strcmp(argv[1], parts[i].name)) {
            snprintf(name, sizeof name, "portolan clue %s", argv[1]);
            argv[1] = name;
            return parts[i].run(argc - 1, argv + 1);
        }
    if (argc > 1)
        fprintf(stderr,
                "portolan clue: error: unknown command '%s'%s\n`portolan clue --help` lists the "
                "commands.\n",
                argv[1],
                portolan_did_you_mean(
                    portolan_nearest_member(argv[1], &parts[0].name, PARTS, sizeof parts[0]))
                    .text);
    else
        print_usage(stderr);
    return EXIT_USAGE;
}
