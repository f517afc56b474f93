/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's command, files and environment with one combination of its options. */
#ifndef PORTOLAN_TUNE_TRIAL_H
#define PORTOLAN_TUNE_TRIAL_H

#include <portolan/supervise.h>
#include <portolan/tune.h>

struct prepared {
    struct portolan_arena arena;
    struct portolan_words words;
    char **environment; /* NAME=VALUE; ends with NULL */
    const char *folder; /* NULL: it runs in this process's */
};

/* With the combination that is selected. Errors: EIO, ENOMEM. Released also then. */
enum portolan_status prepare(struct prepared *p, const struct tune_session *s,
                             struct portolan_error *err);
void prepared_release(struct prepared *p);

/* Stores a trial of the selected combination that ran elsewhere. */
enum portolan_status trial_keep(struct tune_session *s, const struct portolan_usage *usage,
                                struct portolan_error *err);

#endif
