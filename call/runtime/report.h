/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report is of, and where it goes. */
#ifndef CALL_RUNTIME_REPORT_H
#define CALL_RUNTIME_REPORT_H

#include "internal.h"

struct cll_run {
    const char *driver; /* its name */
    const char *program;
    const struct cll_blocks *blocks;
    const struct portolan_cll_report *facts; /* what the head says */
    double cost;                             /* of a begin and an end, in seconds */
};

struct cll_output {
    char *path; /* NULL: no file */
    enum portolan_cll_form form;
    bool overwrite;
    const char *store; /* NULL: none; borrowed */
};

/* By the environment; false: out of memory. */
bool cll_output_choose(const char *program, struct cll_output *output);
/* load.c: adds a trial, all of it or nothing. */
enum portolan_status cll_store_put(const struct cll_run *run, const char *path,
                                   struct portolan_error *err);

/*
 * store.c, which does so. It is a library of its own that is loaded when it is asked for: what it
 * needs, the data base and its servers, would make every annotated program start twice as long.
 */
typedef enum portolan_status cll_store_put_fn(const struct cll_run *run, const char *path,
                                              struct portolan_error *err);
PORTOLAN_API cll_store_put_fn portolan_cll_store_put;
void cll_blocks_clear(struct cll_blocks *blocks);

/* Whether NAME is set in the environment, and not to 0. */
bool cll_is_on(const char *name);

/* Of this process by itself, when its program ends; false: another report is under way. */
bool cll_report_rest(int rank, int n_ranks);
/* In a forked child. */
void cll_report_forget(void);
/* Whether the program has come to a report. */
bool cll_was_reported(void);

#endif
