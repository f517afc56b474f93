/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of `portolan diagnose` share. */
#ifndef PORTOLAN_CLI_DIAGNOSE_H
#define PORTOLAN_CLI_DIAGNOSE_H

#include "cli.h"

#include <portolan/hercule.h>

/* Prints where ranks waited and who made them: what can be said without a paradigm. */
void diagnose_print_waits(const struct portolan_waits *w);

/* An assembly that is run to be diagnosed. */
struct assembly_experiment {
    struct portolan_assembly *assembly;                /* what of it is measured is changed */
    const struct portolan_assembly_paradigm *paradigm; /* or NULL */
    const char *launcher;                              /* as struct recording */
    int n_ranks;
    const char *folder; /* for its files */
};

/*
 * *TRACE: what its ranks did, with the calls of the ports that parts of the paradigm name. Results
 * of the store are in ARENA, which must live as long. PORTOLAN_EFOREIGN: the run failed, and has
 * said why; else as the store and traces.
 */
enum portolan_status diagnose_assembly(const struct assembly_experiment *x,
                                       struct portolan_arena *arena, struct portolan_diagnostics *d,
                                       struct portolan_trace **trace, struct portolan_error *err);

#endif
