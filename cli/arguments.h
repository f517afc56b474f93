/* SPDX-License-Identifier: BSD-3-Clause */
/* Two of the commands are also built alone as build tools, sidlc and proxygenc; they need nothing
 * else. */
#ifndef PORTOLAN_CLI_ARGUMENTS_H
#define PORTOLAN_CLI_ARGUMENTS_H

#include <portolan/command_line.h>

/* argv[0] is the command's name, for all commands. */
int command_proxygen(int argc, char **argv);
int command_sidl(int argc, char **argv);

#endif
