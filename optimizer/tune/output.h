/* SPDX-License-Identifier: BSD-3-Clause */
/* What a trial's program says: numbers that are looked for, and lines that tell of a failure. */
#ifndef PORTOLAN_TUNE_OUTPUT_H
#define PORTOLAN_TUNE_OUTPUT_H

#include <portolan/assembly.h>

#include <regex.h>

enum { LAST_LINES = 4, LINE_BYTES = 240 };

/* A number that is looked for; the last line that has one counts. */
struct wanted {
    const char *what;
    regex_t regex;
    bool found;
    double value;
};

struct output {
    struct portolan_arena *arena;
    size_t n_wanted, n_failures;
    struct wanted *wanted; /* accuracy and time, as far as they are stated, then contexts */
    regex_t *failures;
    size_t n_bytes, n_lines;
    char last[LAST_LINES][LINE_BYTES]; /* line number N is at N modulo LAST_LINES */
    char failed_line[LINE_BYTES];
};

/* O->arena is set; false: no memory. */
bool output_begin(struct output *o, const struct portolan_assembly_program *p);
void output_end(struct output *o);
/* Takes the next line; as portolan_supervision.line, with a struct output. */
void output_take_line(void *arg, bool is_error, const char *line);
/* Returns whether lines were dropped because there were too many. */
bool output_was_cut(const struct output *o);
/* The last lines, in the arena; "" if there were none, NULL: no memory. */
const char *output_last_lines(struct output *o);

#endif
