/* SPDX-License-Identifier: BSD-3-Clause */
/* A session of `measure`: rank 0 runs trials in jobs of their own. */
#ifndef PORTOLAN_CLI_MEASURE_H
#define PORTOLAN_CLI_MEASURE_H

#include "cli.h"
#include "virtual_trials.h"

#include <portolan/trial_command.h>

/* One measurement session; only rank 0 reads the store. */
struct measurement {
    struct measure_session session;
    struct job *job;
    struct virtual_trials virtual;   /* `file` NULL: trials run on this machine */
    struct portolan_name_value fact; /* of the trials that count there */
    struct trial_command command;    /* of each trial */
    bool is_together; /* trials run in these processes instead: they are on several hosts */
    int n_ranks;      /* of this job */
    bool quiet;
    double began_s; /* on the clock of portolan_now_s() */
};

struct measure_options {
    struct assembly_options assembly;
    double budget_s; /* < 0: the assembly's */
    int repeat, n, parallel;
    const char *machine;
    const char *launcher; /* words; NULL: mpiexec -n N, or none for one rank */
    double factor;        /* a program's trial may take so many times as long as the best; 0: 3 */
    bool all_fixed, quiet;
};

/* A whole session in JOB, of which O was read. */
enum portolan_status measure_all(struct job *job, struct measure_options *o,
                                 struct portolan_error *err);

#endif
