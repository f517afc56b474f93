/* SPDX-License-Identifier: BSD-3-Clause */
/* Running an assembly from its options to the exit status: what `portolan run` does. */
#include "cli.h"

#include <stdio.h>

static const struct argp_option options[] = {
    {"fixed", 'f', NULL, 0, "no swaps: run the assembly as it stands", 0},
    {"quiet", 'q', NULL, 0, "say nothing but errors and warnings", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    (void)arg;
    switch (key) {
    case 'f':
        o->fixed = true;
        return 0;
    case 'q':
        o->quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp run_argp = {.options = options, .parser = parse_option};

int run_assembly(struct job *job, struct run_options *o)
{
    struct portolan_error err = {0};
    struct workbench w;
    enum portolan_status status;
    int result = 0;

    print_log(o->quiet, job->cohort->rank);
    status = workbench_open(&w, &o->assembly, job->cohort->rank == 0, &err);
    status = portolan_cohort_agree(job->cohort, status, &err);
    if (status != PORTOLAN_OK) {
        workbench_close(&w);
        return job_fail(job, &err);
    }
    if (o->fixed)
        w.assembly->purpose = "fixed";
    status = job_execute(job, &w, &result, &err);
    workbench_close(&w);
    if (status != PORTOLAN_OK)
        return job_fail(job, &err);
    if (result != 0 && job->cohort->rank == 0)
        fprintf(stderr, "portolan: error: '%s': go returned %d\n", o->assembly.file, result);
    job_end(job);
    return result ? EXIT_BAD_INPUT : 0;
}
