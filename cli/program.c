/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with its assembly and components linked in. */
#include "cli.h"

#include <portolan/program.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static error_t print_version(void *to, char *arg, const struct cli_option *option,
                             struct argp_state *state)
{
    const struct run_options *o = to;

    (void)arg, (void)option, (void)state;
    printf("portolan %s: %s\n", portolan_version(), o->assembly.program->file);
    exit(0);
}

static error_t refuse_word(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    (void)to, (void)option;
    argp_error(state, "the assembly is part of this program: '%s' is one too many", arg);
    return EINVAL;
}

/* Where the assembly's file would lie beside the program: files that its parameters name do. */
static enum portolan_status place(const struct portolan_program *program, char **file,
                                  struct portolan_error *err)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    char *slash;

    path[length > 0 ? length : 0] = '\0';
    slash = strrchr(path, '/');
    *file = portolan_asprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, program->file);
    return *file ? PORTOLAN_OK : portolan_no_memory(err);
}

int portolan_program_main(const struct portolan_program *program, int argc, char **argv)
{
    static const struct cli_option options[] = {
        {"version", 'V', NULL, "print the version of Portolan and the assembly's name",
         .take = print_version, .group = -1},
        {.key = CLI_WORD, .take = refuse_word},
        {.kind = CLI_TABLE, .table = run_table},
        TABLE_OF(settings_table, struct run_options, assembly),
        {0},
    };
    static const struct cli_line line = {
        .doc = "Run the assembly that this program was linked of: mpiexec." PORTOLAN_MPI
               " -n RANKS PROGRAM",
        .options = options,
    };
    struct run_options o = {.assembly.program = program};
    struct portolan_error err = {0};
    struct job job;
    char *file;
    int result;

    argp_err_exit_status = EXIT_USAGE;
    outlive_file_limits();
    if (job_begin(&job, program->file))
        return EXIT_BAD_INPUT;
    parse_line(&line, argc, argv, 0, &o);
    if (place(program, &file, &err) != PORTOLAN_OK)
        return job_fail(&job, &err);
    o.assembly.file = file;
    result = close_output(run_assembly(&job, &o));
    free(file);
    return result;
}
