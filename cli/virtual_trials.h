/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of an assembly on a virtual machine. */
#ifndef PORTOLAN_CLI_VIRTUAL_TRIALS_H
#define PORTOLAN_CLI_VIRTUAL_TRIALS_H

#include "cli.h"

#include <portolan/command.h>

/* The name of the machine in FILE, portolan-machine(5), whose problems are printed; *NAME is for
 * free(). */
enum portolan_status virtual_machine_name(const char *file, char **name,
                                          struct portolan_error *err);

struct virtual_trials {
    const char *file; /* of the machine */
    int n_ranks;
    char *name, *program; /* its name; the assembly as a program */
};

/* Links the assembly of W, which was read from ASSEMBLY. FILE and N_RANKS are set before. */
enum portolan_status virtual_trials_open(struct virtual_trials *v, const struct workbench *w,
                                         const char *assembly, struct portolan_error *err);
/* Legal on one that failed to open. */
void virtual_trials_close(struct virtual_trials *v);

#endif
