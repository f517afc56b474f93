/* SPDX-License-Identifier: BSD-3-Clause */
/* Running an assembly from its options to the exit status: what `portolan run` does. */
#include "cli.h"

#include <portolan/control.h>

#include <stdio.h>
#include <stdlib.h>

const struct cli_option run_table[] = {
    {"control", 0, "FILE",
     "obey the commands in FILE whenever it is written (PORTOLAN_CONTROL; portolan-control(1))",
     INTO(struct run_options, control)},
    {"signal", 0, "NAME[:COMMAND],...",
     "obey signals: USR1 switches measuring off and on, USR2:dump writes profiles "
     "(PORTOLAN_SIGNAL)",
     INTO(struct run_options, signals)},
    {"fixed", 'f', NULL, "no swaps: run the assembly as it stands",
     INTO(struct run_options, fixed)},
    {"quiet", 'q', NULL, "say nothing but errors and warnings", INTO(struct run_options, quiet)},
    {0},
};

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
