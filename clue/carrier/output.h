/* SPDX-License-Identifier: BSD-3-Clause */
/* Where portolan-clue puts what a run says, by the options that say so. */
#ifndef PORTOLAN_CLUE_OUTPUT_H
#define PORTOLAN_CLUE_OUTPUT_H

#include <portolan/clue_report.h>
#include <portolan/command_line.h>

struct output {
    const char *store, *calls, *json;
    const char *traces[2]; /* a folder, an archive of OTF2 */
    bool by[3];            /* enum clue_report_part */
    bool is_quiet, has_no_trial, compares_real;
    struct clue_recorder *recorder;
};

/* They fill a struct output. */
extern const struct cli_option output_options[];

/* Tells which routines the program names that would end the run. */
void output_warn_of_unserved(const struct clue_run *run);
/* Before the run: makes the observer, if anything needs one. ENOMEM. */
enum portolan_status output_begin(struct output *o, struct clue_run *run,
                                  struct portolan_error *err);
/* After it: prints and writes all that was asked for. REPORT's recorder is set here. */
enum portolan_status output_write(struct output *o, struct clue_report *report,
                                  struct portolan_error *err);
/* Adds a line on five real runs under mpiexec: from the end of MPI_Init to MPI_Finalize, as
 * VIRTUAL_NS, with the interval of repetitions. */
enum portolan_status output_compare_real(const struct clue_report *report, double virtual_ns,
                                         struct portolan_text *text, struct portolan_error *err);
void output_end(struct output *o);

/* main.c: the path of a library of ours, in the folder INSTALLED or BUILT as seen from this one;
 * NULL: there is none. Freed by the caller. */
char *clue_find_library(const char *installed, const char *built, const char *name);

#endif
