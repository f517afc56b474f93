/* SPDX-License-Identifier: BSD-3-Clause */
/* Running an assembly from its options to the exit status: what `portolan run` does. */
#include "cli.h"

#include <portolan/control.h>

#include <stdio.h>
#include <stdlib.h>

enum { OPTION_CONTROL = 300, OPTION_SIGNAL };

static const struct argp_option options[] = {
    {"control", OPTION_CONTROL, "FILE", 0,
     "obey the commands in FILE whenever it is written (PORTOLAN_CONTROL; portolan-control(1))", 0},
    {"signal", OPTION_SIGNAL, "NAME[:COMMAND],...", 0,
     "obey signals: USR1 switches measuring off and on, USR2:dump writes profiles "
     "(PORTOLAN_SIGNAL)",
     0},
    {"fixed", 'f', NULL, 0, "no swaps: run the assembly as it stands", 0},
    {"quiet", 'q', NULL, 0, "say nothing but errors and warnings", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    switch (key) {
    case 'f':
        o->fixed = true;
        return 0;
    case 'q':
        o->quiet = true;
        return 0;
    case OPTION_CONTROL:
        o->control = arg;
        return 0;
    case OPTION_SIGNAL:
        o->signals = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp run_argp = {.options = options, .parser = parse_option};

enum portolan_status run_listen(struct job *job, const struct run_options *o,
                                struct portolan_error *err)
{
    const char *file = o->control ? o->control : getenv("PORTOLAN_CONTROL");
    const char *signals = o->signals ? o->signals : getenv("PORTOLAN_SIGNAL");
    bool has_file = file && *file, has_signals = signals && *signals;
    enum portolan_status status = PORTOLAN_OK;

    if (has_file || has_signals)
        status = portolan_control_listen(has_file ? file : NULL, has_signals ? signals : NULL, err);
    return portolan_cohort_agree(job->cohort, status, err);
}

int run_assembly(struct job *job, struct run_options *o)
{
    struct portolan_error err = {0};
    struct workbench w;
    enum portolan_status status;
    int result = 0;

    print_log(o->quiet, job->cohort->rank);
    status = workbench_open(&w, &o->assembly, job->cohort->rank == 0, &err);
    status = portolan_cohort_agree(job->cohort, status, &err);
    if (status == PORTOLAN_OK)
        status = run_listen(job, o, &err);
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
