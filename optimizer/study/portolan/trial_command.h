/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * trial_command: the command by which each trial of an assembly of components runs in processes of
 * its own, on the ranks of this machine or of a virtual one. One thread. Nothing here prints or
 * exits.
 */
#ifndef PORTOLAN_TRIAL_COMMAND_H
#define PORTOLAN_TRIAL_COMMAND_H

#include <portolan/command.h>
#include <portolan/session.h>

struct trial_command {
    struct portolan_words start; /* before a trial's options: "mpiexec -n 2 portolan run --quiet" */
    struct portolan_words rest;  /* after them: the assembly */
    struct portolan_arena arena; /* of both */
    bool is_silent;              /* what a trial writes to standard output is dropped */
    void (*line)(void *arg, bool is_error, const char *text); /* gets each line that it writes */
};

/*
 * `portolan run` of O's assembly, before O's lists are used, on N_RANKS that LAUNCHER starts; NULL:
 * MPIEXEC does, or nothing if there is one. O must outlive C. Errors: ENOMEM.
 */
enum portolan_status trial_command_here(struct trial_command *c, const struct assembly_options *o,
                                        const char *launcher, const char *mpiexec, int n_ranks,
                                        struct portolan_error *err);

/* `portolan clue run` of the linked PROGRAM on N_RANKS of the virtual machine in FILE; both must
 * outlive C. Errors: ENOMEM. */
enum portolan_status trial_command_virtual(struct trial_command *c, const char *file, int n_ranks,
                                           const char *program, struct portolan_error *err);

/* The words that run a trial with ORDERS and store it for S, in ARENA. False: no memory. */
bool trial_command_words(const struct trial_command *c, const struct measure_session *s,
                         const char *orders, struct portolan_arena *arena,
                         struct portolan_words *words);

/*
 * Runs a trial of S by the command. *WHY: it did not end well. Errors: it could not be run, or,
 * with S's signal_number, this process was told to end.
 */
enum portolan_status trial_command_run(const struct trial_command *c, struct measure_session *s,
                                       const struct portolan_measure_trial *trial,
                                       struct portolan_error *why, struct portolan_error *err);

/* Frees what C holds. */
void trial_command_clear(struct trial_command *c);

#endif
