/* SPDX-License-Identifier: BSD-3-Clause */
/* What the readers and the writers of the two forms share. */
#ifndef CALL_REPORT_INTERNAL_H
#define CALL_REPORT_INTERNAL_H

#include <portolan/cll_report.h>

void report_free_words(char **words, size_t n);
/* Frees what is in S, which is empty then. */
void report_sample_clear(struct portolan_cll_sample *s);

/* ------------------------------------------------------------------ writing */

/* A text that goes out piece by piece. */
struct report_sink {
    struct portolan_text text;
    int fd;    /* -1: all stays in TEXT */
    int error; /* errno of what went wrong */
};

/* Sends what has come together so far, once it is worth it. */
void report_sink_drain(struct report_sink *sink, bool all);

void report_write(const struct portolan_cll_report *report, bool is_json, struct report_sink *sink);

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
/* Whether TEXT can stand in front of a colon: letters, digits and _. */
bool report_is_key(const char *text, size_t length);
bool report_take_header(struct report_reader *r, int line, const char *name, const char *value);
/* Adds S to the report, which takes it over; S is empty then, also when it failed. */
bool report_take_sample(struct report_reader *r, struct portolan_cll_sample *s);

bool report_read_text(struct report_reader *r, const char *text, size_t size);
bool report_read_json(struct report_reader *r, const char *text, size_t size);

#endif
