/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of a program with options, which knows nothing of Portolan. */
#ifndef PORTOLAN_CLI_PROGRAM_TRIALS_H
#define PORTOLAN_CLI_PROGRAM_TRIALS_H

#include "measure.h"

/* Says which build of the program its trials are of: sets M->fact. Errors: ENOTFOUND: there is no
 * such program; ENOMEM. */
enum portolan_status program_trials_open(struct measurement *m, struct portolan_error *err);

/*
 * Runs the assembly's program with the selected combination, and stores the trial: "finished",
 * "failed", or "stopped" at its limit. PORTOLAN_ECOMPONENT: it failed or was stopped, with the
 * reason.
 */
measure_run_fn program_trials_run;

/* Adds the combinations of which SET has trials to A's alternatives. Errors: ENOMEM. */
enum portolan_status program_offer_measured(struct portolan_assembly *a,
                                            const struct portolan_sample_set *set,
                                            struct portolan_error *err);

/* The command line of an alternative, as a shell takes it, in ARENA; NULL: no memory. */
char *program_command_line(const struct portolan_assembly *a, size_t alternative,
                           struct portolan_arena *arena);

/* Becomes the program with the selected combination; returns only with an error. */
enum portolan_status program_run_here(const struct portolan_assembly *a,
                                      struct portolan_error *err);

/* Adds a table of why trials of A did not work: how many, and the last command. */
void program_list_failures(const struct portolan_assembly *a, const struct portolan_sample_set *set,
                           struct portolan_text *out);

#endif
