/* SPDX-License-Identifier: BSD-3-Clause */
/* What the readers and the writers of the two forms share. */
#ifndef CALL_REPORT_INTERNAL_H
#define CALL_REPORT_INTERNAL_H

#include <portolan/cll_report.h>

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

/* 17 digits at most, as few as read back the same. SIZE of TEXT: REPORT_NUMBER. */
#define REPORT_NUMBER 32
const char *report_number(double value, char *text);

void report_write_text(const struct portolan_cll_report *report, struct report_sink *sink);
void report_write_json(const struct portolan_cll_report *report, struct report_sink *sink);

/* How many rows each process gave: *N of them, freed by the caller; NULL: out of memory. */
size_t *report_count_tests(const struct portolan_cll_sample *s, size_t *n);

/* What is derived from the formula; all "" or NULL when it is none that can be read. */
struct report_formula {
    char *postfix;
    size_t n_components;
    char **components, **postfix_components;
};
/* False: out of memory. */
bool report_formula_derive(const struct portolan_cll_sample *s, struct report_formula *f);
void report_formula_clear(struct report_formula *f);

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

/* Lists that grow: false is complained of already. */
bool report_add_word(struct report_reader *r, int line, char ***words, size_t *n, const char *word,
                     size_t length);
bool report_split_words(struct report_reader *r, int line, const char *value, char ***words,
                        size_t *n);
bool report_add_number(struct report_reader *r, int line, const char *name, double value,
                       unsigned **numbers, size_t *n);
void report_free_words(char **words, size_t n);

#define REPORT_MAX_CONSTANTS 1000
bool report_set_dimension(struct report_reader *r, int line, double value,
                          struct portolan_cll_sample *s);
/* What stands under NAME in an experiment, lists with spaces between; others are left alone. */
bool report_set(struct report_reader *r, int line, struct portolan_cll_sample *s, const char *name,
                const char *value);
/* The columns of a finished description: what is behind the identifiers are observables. */
bool report_check_columns(struct report_reader *r, int line, struct portolan_cll_sample *s,
                          char *const *columns, size_t n);
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
