/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What commands make of their arguments, and how they complain. Two of the commands are also built
 * alone, as tools of the build: sidlc and proxygenc. They need no more than this.
 */
#ifndef PORTOLAN_CLI_ARGUMENTS_H
#define PORTOLAN_CLI_ARGUMENTS_H

#include <argp.h>

#include <portolan/base.h>

enum { EXIT_BAD_INPUT = 1, EXIT_USAGE = 2, EXIT_CANNOT_TELL = 3 };

/* False in `portolan`. */
extern const bool is_build_tool;

/* argv[0] is the command's name, as in all commands. */
int command_proxygen(int argc, char **argv);
int command_sidl(int argc, char **argv);

/* Prints `file:line[:column]: error: text` to stderr; the report function of diagnostics. */
void print_diagnostic(void *arg, const char *file, int line, int column, const char *text);

/* Prints `portolan: error: text` to stderr and returns EXIT_BAD_INPUT. */
int print_error(const struct portolan_error *err);

/* Adds TEXT, borrowed, to a list of options that occur more than once; 0 or ENOMEM. */
int append_text(const char ***list, size_t *n, const char *text);
/* The same for each of TEXTS, which stand between commas and are cut there. */
int append_list(const char ***list, size_t *n, char *texts);
/* What stands behind "--" are compiler flags, to be added to FLAGS; how many words are left. */
int take_flags(int argc, char **argv, const struct argp_option *options, const char ***flags,
               size_t *n);

#endif
