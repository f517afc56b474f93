/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the readers and the writers of both forms. */
#ifndef CALL_REPORT_INTERNAL_H
#define CALL_REPORT_INTERNAL_H

#include <portolan/cll_report.h>

void report_free_words(char **words, size_t n);
/* Frees what S holds and empties S. */
void report_sample_clear(struct portolan_cll_sample *s);

/* ------------------------------------------------------------------ reading */

struct report_reader {
    const char *file;
    struct portolan_diagnostics *diagnostics;
    struct portolan_error *err;
    struct portolan_cll_report *report;
    bool failed;
};

/* Reports what is wrong at LINE; always returns false. */
bool report_complain(struct report_reader *r, int line, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
bool report_no_memory(struct report_reader *r);

/* The kind of member NAME of an experiment. DERIVED: follows from other members, is not read. */
enum report_kind { REPORT_DERIVED, REPORT_TEXT, REPORT_WORDS, REPORT_NUMBERS };
enum report_kind report_kind_of(const char *name);
/* Stores the value of member NAME (a list is separated by spaces); ignores unknown names. */
bool report_set(struct report_reader *r, int line, struct portolan_cll_sample *s, const char *name,
                const char *value);
/* Sets the columns after a description is complete: those after the identifiers are observables. */
bool report_set_columns(struct report_reader *r, int line, struct portolan_cll_sample *s,
                        const char *text);
/* Reads a cell of a table, which may be NaN or infinite. */
bool report_read_number(const char *text, double *value);
/* Returns whether ROW begins with a valid process number and count. */
bool report_row_is_process(const double *row);
bool report_take_header(struct report_reader *r, int line, const char *name, const char *value);
/* Moves S into the report; S is empty afterwards, even on failure. */
bool report_take_sample(struct report_reader *r, struct portolan_cll_sample *s);

bool report_read_json(struct report_reader *r, const char *text, size_t size);

#endif
