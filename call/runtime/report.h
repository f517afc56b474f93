/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report is of, and where it goes. */
#ifndef CALL_RUNTIME_REPORT_H
#define CALL_RUNTIME_REPORT_H

#include "internal.h"

struct cll_run {
    const struct portolan_cll_driver *driver;
    const char *program;
    const struct cll_blocks *blocks;
};

struct cll_output {
    char *path; /* NULL: no file */
    enum portolan_cll_form form;
    bool overwrite;
    const char *store; /* NULL: none; borrowed */
};

/* By the environment; false: out of memory. */
bool cll_output_choose(const char *program, struct cll_output *output);
void cll_blocks_clear(struct cll_blocks *blocks);

#endif
