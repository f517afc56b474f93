/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of portolan-clue as it was parsed. */
#ifndef PORTOLAN_CLUE_OPTIONS_H
#define PORTOLAN_CLUE_OPTIONS_H

#include "law.h"
#include "output.h"
#include "record.h"

#include <portolan/clue_run.h>

struct options {
    struct clue_run run;
    struct output output;
    struct clue_laws laws;
    const char *machine, *placement;
    bool is_sharing;
    const char *table;
    const char *measured_into; /* file of the record for the run whose medians count */
    size_t n_repeats;
    uint64_t repetition;             /* number of the repetition; 0: it is none */
    enum { VIRTUAL, ARRIVAL } order; /* the order of receives */
    const char **argv;               /* the program and all its words */
    size_t program_at, n_words;
    struct record record; /* read from `table`, or runs instead of the program */
    const char **private, **shared;
    const char *libraries[4];
};

/* options.c: fills O; wrong usage ends the process. */
void options_parse(struct options *o, int argc, char **argv);

/* repetitions.c: runs that are measured first, for medians, or repeated. */
/* Runs a program whose computing is --compute=median once, into O's record. EINVAL, ENOMEM. */
enum portolan_status repetitions_measure_first(struct options *o, struct portolan_arena *arena,
                                               struct portolan_error *err);
/* Prepares a run that will be repeated: it is recorded, too. */
enum portolan_status repetitions_begin(struct options *o, struct portolan_arena *arena,
                                       struct portolan_error *err);
/* Repeats the run after it has ended, and fills in REPORT's interval. */
enum portolan_status repetitions_run(struct options *o, struct clue_report *report,
                                     struct portolan_error *err);
/* Fills in REPORT's share of waiting that comes from differences between repeated bursts. */
void repetitions_share(const struct options *o, struct clue_report *report);
/* Removes the files that repetitions have kept. */
void repetitions_end(void);

#endif
