/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of `portolan clue`. */
#ifndef PORTOLAN_CLI_CLUE_H
#define PORTOLAN_CLI_CLUE_H

#include "cli.h"

/* argv[0] is "portolan clue NAME". */
command_fn command_clue_calibrate, command_clue_check, command_clue_study;

#endif
