/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan clue calibrate`: measures this machine, or two of a cluster, and writes a machine file.
 */
#include "clue.h"

#include <portolan/clue_calibrate.h>
#include <portolan/command.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"output", 'o', "FILE", "the machine file to write",
     INTO(struct clue_calibrate_options, output)},
    {"hostfile", 'f', "FILE",
     "measure between the first two hosts in FILE, which has one name per line",
     INTO(struct clue_calibrate_options, hostfile)},
    {"seconds", 's', "N", "measure for about N seconds (default: 20)",
     INTO(struct clue_calibrate_options, seconds), .least = 1, .most = 3600, .wanted = "1 to 3600"},
    {"cpus", 'c', "N", "processors of a host (default: those of this one)",
     INTO(struct clue_calibrate_options, cpus), .least = 1, .most = 4096, .wanted = "1 to 4096"},
    {"factor", 0, "THERE:HERE",
     "the performance factor, from times of one program there and here: 13.1,13.4:10.2,10.3",
     INTO(struct clue_calibrate_options, factor)},
    {"name", 0, "NAME", "name of the machine (default: that of the file)",
     INTO(struct clue_calibrate_options, name)},
    {"samples", 0, "FILE", "do not measure; read the output of an earlier portolan-calibrate",
     INTO(struct clue_calibrate_options, samples)},
    {"no-check", 0, NULL, "do not test the file with other communication patterns",
     INTO(struct clue_calibrate_options, has_no_check)},
    {.key = CLI_END,
     .doc = "which machine file? name it with --output FILE",
     INTO(struct clue_calibrate_options, output)},
    {0},
};

/* "here" of "out/here.xml". */
static char *name_of(const char *path)
{
    const char *name = portolan_file_name(path);

    return strndup(name, strcspn(name, "."));
}

/* The programs that O needs; the caller frees FOUND. */
static enum portolan_status find_programs(struct clue_calibrate_options *o, char *found[2],
                                          struct portolan_arena *arena, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (!o->samples)
        status =
            portolan_settings_find("../clue/calibrate/portolan-calibrate",
                                   PORTOLAN_CLUE_PROGRAMS "/portolan-calibrate", &found[0], err);
    if (!status && !o->has_no_check)
        status =
            portolan_settings_find("../clue/calibrate/portolan-patterns",
                                   PORTOLAN_CLUE_PROGRAMS "/portolan-patterns", &found[1], err);
    if (!status && !(o->command = portolan_program_file(arena)))
        status = portolan_no_memory(err);
    o->measure = found[0];
    o->patterns = found[1];
    return status;
}

int command_clue_calibrate(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "-o FILE",
        .doc = "Measure the costs of messages, collective operations and busy processors on this "
               "machine, or between two, and write them to a machine file, portolan-machine(5).",
        .options = options,
    };
    struct clue_calibrate_options o = {.seconds = 20, .mpiexec = MPIEXEC};
    char *programs[2] = {NULL}, *name = NULL, *report = NULL;
    struct portolan_arena arena = {0};
    struct portolan_error err = {0};
    enum portolan_status status = PORTOLAN_OK;

    parse_line(&line, argc, argv, 0, &o);
    if (!o.cpus)
        o.cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (!o.name && !(o.name = name = name_of(o.output)))
        status = portolan_no_memory(&err);
    if (!status)
        status = find_programs(&o, programs, &arena, &err);
    if (!status)
        status = clue_calibrate(&o, &report, &err);
    if (report)
        fputs(report, stdout);
    free(report);
    free(name);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        free(programs[i]);
    portolan_arena_clear(&arena);
    return status ? print_error(&err) : 0;
}
