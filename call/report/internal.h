/* SPDX-License-Identifier: BSD-3-Clause */
/* What the readers and the writers of the two forms share. */
#ifndef CALL_REPORT_INTERNAL_H
#define CALL_REPORT_INTERNAL_H

#include <portolan/cll_report.h>

void report_free_words(char **words, size_t n);
/* Frees what is in S, which is empty then. */
void report_sample_clear(struct portolan_cll_sample *s);

/* ------------------------------------------------------------------ reading */

struct report_reader {
    const char *file;
    struct portolan_diagnostics *diagnostics;
    struct portolan_error *err;
    struct portolan_cll_report *report;
    bool failed;
};

/* Notes what is wrong at LINE. Always false. */
bool report_complain(struct report_reader *r, int line, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
bool report_no_memory(struct report_reader *r);

/* What member NAME of an experiment holds; derived: it follows from the others and is not read. */
enum report_kind { REPORT_DERIVED, REPORT_TEXT, REPORT_WORDS, REPORT_NUMBERS };
enum report_kind report_kind_of(const char *name);
/* What stands under NAME in an experiment, lists with spaces between; others are left alone. */
bool report_set(struct report_reader *r, int line, struct portolan_cll_sample *s, const char *name,
                const char *value);
/* The columns of a finished description: what is behind the identifiers are observables. */
bool report_set_columns(struct report_reader *r, int line, struct portolan_cll_sample *s,
                        const char *text);
/* A cell of a table, which may be no number (nan) or infinite. */
bool report_read_number(const char *text, double *value);
/* Whether ROW begins with a process and how many there are. */
bool report_row_is_process(const double *row);
bool report_take_header(struct report_reader *r, int line, const char *name, const char *value);
/* Adds S to the report, which takes it over; S is empty then, also when it failed. */
bool report_take_sample(struct report_reader *r, struct portolan_cll_sample *s);

bool report_read_json(struct report_reader *r, const char *text, size_t size);

#endif
