/* SPDX-License-Identifier: BSD-3-Clause */
/* What `run`, `shell` and `convert` share of Ccaffeine's scripts. */
#ifndef PORTOLAN_CLI_SCRIPT_H
#define PORTOLAN_CLI_SCRIPT_H

#include "cli.h"

#include <portolan/ccaffeine.h>

struct script_options {
    const char *path; /* --path */
    bool quiet, keeps_going, allows_shell;
};

/* ESYNTAX: FILE should be a script. */
enum portolan_status script_refuse(const char *file, struct portolan_error *err);

/*
 * Collective: rank 0 reads FILE and says on standard error what is wrong with it; all ranks get the
 * same script, or NULL when FILE is none (and is not read any further).
 */
enum portolan_status script_share(struct job *job, const char *file, struct portolan_script **s,
                                  struct portolan_error *err);

/* Collective: an interpreter that prints on rank 0; JOB and O must outlive it. */
enum portolan_status script_open(struct job *job, const struct script_options *o,
                                 struct portolan_interpreter **in, struct portolan_error *err);

/* Collective: runs a whole script in an interpreter of its own; returns the exit status. */
int script_run(struct job *job, const struct script_options *o, const struct portolan_script *s);

#endif
