/* SPDX-License-Identifier: BSD-3-Clause */
/* The places to which portolan-clue writes the results of a run, by its options. */
#ifndef PORTOLAN_CLUE_OUTPUT_H
#define PORTOLAN_CLUE_OUTPUT_H

#include <portolan/clue_report.h>
#include <portolan/command_line.h>

struct output {
    const char *store, *calls, *json;
    const char *traces[2]; /* a folder, and an archive of OTF2 */
    bool by[3];            /* by enum clue_report_part */
    bool is_quiet, has_no_trial, compares_real;
    struct clue_recorder *recorder;
};

/* Options that fill a struct output. */
extern const struct cli_option output_options[];

/* Warns of routines that the program names and that would end the run. */
void output_warn_of_unserved(const struct clue_run *run);
/* Prepares for the run: makes the observer, if any output needs one. ENOMEM. */
enum portolan_status output_begin(struct output *o, struct clue_run *run,
                                  struct portolan_error *err);
/* Prints and writes after the run all that was asked for. Sets REPORT's recorder. */
enum portolan_status output_write(struct output *o, struct clue_report *report,
                                  struct portolan_error *err);
/* Adds a line on five real runs under mpiexec. They are timed from the end of MPI_Init to
 * MPI_Finalize, as VIRTUAL_NS is, and printed with the interval of repetitions. */
enum portolan_status output_compare_real(const struct clue_report *report, double virtual_ns,
                                         struct portolan_text *text, struct portolan_error *err);
void output_end(struct output *o);

/* main.c: returns the path of one of our libraries, in the folder INSTALLED or BUILT relative to
 * this program's; NULL: there is none. The caller frees it. */
char *clue_find_library(const char *installed, const char *built, const char *name);

#endif
