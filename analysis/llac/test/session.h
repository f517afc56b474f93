/* SPDX-License-Identifier: BSD-3-Clause */
/* A session whose output and failures a test looks at. */
#ifndef PORTOLAN_LLAC_TEST_SESSION_H
#define PORTOLAN_LLAC_TEST_SESSION_H

#include <portolan/llac.h>

struct session {
    struct portolan_llac *llac;
    struct portolan_text out, warnings, failures;
};

void session_begin(struct session *s, const struct portolan_llac_options *like);
void session_end(struct session *s);

/* Runs COMMANDS; what they show is in S->out until the next run. */
enum portolan_status session_run(struct session *s, const char *commands);

#endif
