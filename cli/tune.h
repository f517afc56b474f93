/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan tune`: the options of a command line as an assembly. */
#ifndef PORTOLAN_CLI_TUNE_H
#define PORTOLAN_CLI_TUNE_H

#include "measure.h"

struct tune_options {
    struct measure_options measure;
    size_t n_command;
    char **command;
    double accuracy, timeout_s; /* 0: none */
    const char *accuracy_from, *time_from, *memory, *output;
    int ranks;
    size_t n_varied, n_failed, n_contexts, n_variables;
    const char **varied, **failed, **contexts, **variables; /* NAME=… but FAILED */
    bool dry_run, runs;
};

/* The assembly's XML, in ARENA; NULL, with ERR set to EINVAL (the command) or ENOMEM. */
char *tune_make_assembly(struct portolan_arena *arena, const struct tune_options *o,
                         struct portolan_error *err);

#endif
