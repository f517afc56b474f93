/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line: one file per subcommand, all thin; what they share is here. */
#ifndef PORTOLAN_CLI_H
#define PORTOLAN_CLI_H

#include <argp.h>

#include <portolan/assembly.h>
#include <portolan/base.h>
#include <portolan/framework.h>

enum { EXIT_BAD_INPUT = 1, EXIT_USAGE = 2 };

struct command {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is "portolan NAME" */
    const char *summary;
};

/* Ends the list with name NULL. */
extern const struct command commands[];

int command_check(int argc, char **argv);
int command_draw(int argc, char **argv);
int command_measure(int argc, char **argv);
int command_model(int argc, char **argv);
int command_optimize(int argc, char **argv);
int command_predict(int argc, char **argv);
int command_profile(int argc, char **argv);
int command_proxygen(int argc, char **argv);
int command_report(int argc, char **argv);
int command_run(int argc, char **argv);
int command_sidl(int argc, char **argv);

/* Prints `file:line[:column]: error: text` to stderr; the report function of diagnostics. */
void print_diagnostic(void *arg, const char *file, int line, int column, const char *text);

/* Prints `portolan: error: text` to stderr and returns EXIT_BAD_INPUT. */
int print_error(const struct portolan_error *err);

/* Installs a receiver of log messages that prints notices to stdout and warnings to stderr. */
void print_log(bool quiet);

/* Options that all commands on an assembly share; an argp child. */
struct assembly_options {
    const char *file;
    const char *path;  /* --path, more folders with component descriptions */
    const char *store; /* --store, in place of the Mastermind's parameter */
    size_t n_sets;
    const char **sets; /* --set INSTANCE.PARAMETER=VALUE or PARAMETER=VALUE */
    size_t n_selects;
    const char **selects; /* --select INSTANCE=CLASS */
};

extern const struct argp assembly_argp;

/* An assembly with its palette, ready to be judged, drawn, run or predicted. */
struct workbench {
    struct portolan_palette *palette;
    struct portolan_assembly *assembly;
};

/*
 * Reads and checks the assembly and applies --set and --select. Problems are printed when PRINT
 * (SPMD: on rank 0 only, for every rank reads the same file).
 */
enum portolan_status workbench_open(struct workbench *w, const struct assembly_options *o,
                                    bool print, struct portolan_error *err);
void workbench_close(struct workbench *w);

/* The store's file name: --store, else the Mastermind's parameter "store", else its default. */
const char *workbench_peek_store(const struct workbench *w, const struct assembly_options *o);

#endif
