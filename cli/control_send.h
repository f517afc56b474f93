/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands to a program that runs, and its answers. */
#ifndef CLI_CONTROL_SEND_H
#define CLI_CONTROL_SEND_H

#include "cli.h"

struct answers {
    int n; /* one a rank */
    char **texts;
    bool *failed;
};

/*
 * Puts COMMANDS in the control file and waits until all ranks that obey it have answered. Waits its
 * turn while another sends. ETIMEOUT after TIMEOUT_S seconds.
 */
enum portolan_status control_send(const char *file, const char *commands, double timeout_s,
                                  struct answers *answers, struct portolan_error *err);
void answers_clear(struct answers *answers);

#endif
