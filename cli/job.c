/* SPDX-License-Identifier: BSD-3-Clause */
/* Running an assembly on all ranks, and ending together whatever happens. */
#include "cli.h"

#include <portolan/mpi.h>

#include <stdio.h>

/* How long a rank that failed waits for the others before it ends them all. */
static const double patience_s = 2;

int job_begin(struct job *job)
{
    struct portolan_error err = {0};

    if (portolan_mpi_init(&err) != PORTOLAN_OK ||
        portolan_mpi_cohort_create(&job->cohort, &err) != PORTOLAN_OK)
        return print_error(&err);
    return 0;
}

void job_end(struct job *job)
{
    portolan_mpi_cohort_destroy(job->cohort);
    portolan_mpi_finalize();
}

int job_fail(struct job *job, const struct portolan_error *err)
{
    if (job->cohort->rank == 0)
        print_error(err);
    job_end(job);
    return EXIT_BAD_INPUT;
}

enum portolan_status job_execute(struct job *job, const struct workbench *w, int *result,
                                 struct portolan_error *err)
{
    struct portolan_framework *framework = NULL;
    enum portolan_status status =
        portolan_framework_create(w->palette, job->cohort, &framework, err);

    if (status == PORTOLAN_OK)
        status = portolan_framework_build(framework, w->assembly, err);
    if (status == PORTOLAN_OK) {
        status = portolan_framework_go(framework, result, err);
        if (!portolan_mpi_verdict(job->cohort, &status, patience_s, err)) {
            portolan_error_prefix(err, "rank %d", job->cohort->rank);
            print_error(err);
            portolan_mpi_abort(EXIT_BAD_INPUT);
        }
    }
    portolan_framework_destroy(framework);
    return status;
}
