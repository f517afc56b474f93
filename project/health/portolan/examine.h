/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * examine: tries on this machine what Portolan uses, and adds what it finds to a list of findings
 * (<portolan/health.h>, which has the judgements). One thread. Starts processes, also the
 * running program again, which must be `portolan`; prints nothing.
 */
#ifndef PORTOLAN_EXAMINE_H
#define PORTOLAN_EXAMINE_H

#include <portolan/framework.h>
#include <portolan/health.h>

/** What the caller knows. Strings are borrowed for the life of the findings. */
struct portolan_examine_options {
    struct portolan_cohort *cohort;   /**< of this job: one rank, if MPI did not start */
    const struct portolan_error *mpi; /**< why it did not */
    int ranks;                        /**< on this host; 0: as many as were started */
    const char *store;                /**< its path, or a server */
};

/**
 * Collective over the cohort: rank 0 adds all findings to H, which is {0}; the others return at
 * once.
 */
void portolan_examine(const struct portolan_examine_options *o, struct portolan_health *h);

#endif
