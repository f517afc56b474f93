/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = o;
    state->child_inputs[1] = &o->assembly;
    return 0;
}

int command_run(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&run_argp, 0, NULL, 0}, {&assembly_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .parser = parse_option,
        .args_doc = "ASSEMBLY.xml",
        .doc = "Run an assembly: mpiexec.mpich -n RANKS portolan run ASSEMBLY.xml",
        .children = children,
    };
    struct run_options o = {0};
    struct job job;

    if (job_begin(&job, "run"))
        return EXIT_BAD_INPUT;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    return run_assembly(&job, &o);
}
