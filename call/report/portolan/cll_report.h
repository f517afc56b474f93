/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * cll_report: the files that programs annotated with CALL's pragmas leave, in memory, and their two
 * forms: text and JSON. The run time (<portolan/cll.h>) writes them, llac reads them.
 *
 * Their contents are CALL's (J. A. González et al., *Analysis and Tools for Performance
 * Prediction*, 2001, and the public parts of its sources); docs/portolan-call.1 has the forms in
 * full. Numbers are written so that they read back as the same double. An observable that was not
 * available is not a number: "nan" in text, null in JSON.
 *
 * Functions may be called from any thread; a report is used by one thread at a time.
 */
#ifndef PORTOLAN_CLL_REPORT_H
#define PORTOLAN_CLL_REPORT_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Numbers before the identifiers in a row: the process (from 0), and how many there are. */
#define PORTOLAN_CLL_FIXED_COLUMNS 2

/** A fact about the run: CALL_VERSION, PROGRAM, NODE_NAME, … Names are words without a colon. */
struct portolan_cll_header {
    char *name, *value;
};

/** One experiment, of all processes. */
struct portolan_cll_sample {
    char *name;
    char *file;           /**< the source file; NULL in reports that do not name it */
    char *formula;        /**< infix as written, on one line; NULL: none */
    unsigned n_constants; /**< NAME[0] … NAME[n_constants-1] */
    size_t n_begin, n_end;
    unsigned *begin_lines, *end_lines;
    size_t n_identifiers, n_observables;
    char **identifiers, **observables;
    size_t n_rows;
    /** n_rows × (2 + n_identifiers + n_observables): CPU, NCPUS, identifiers…, observables… */
    double *rows;
    size_t rows_room; /**< rows that fit into ROWS before it must grow */
};

struct portolan_cll_report {
    size_t n_headers;
    struct portolan_cll_header *headers; /**< a name may occur several times */
    size_t n_experiments;
    struct portolan_cll_sample *experiments;
};

enum portolan_cll_form { PORTOLAN_CLL_TEXT, PORTOLAN_CLL_JSON };

/** Numbers in a row of S. */
PORTOLAN_API size_t portolan_cll_sample_columns(const struct portolan_cll_sample *s);

/**
 * Reads the file at PATH, whose content decides its form. Every problem goes to DIAGNOSTICS with
 * file and line, the first also to ERR. *REPORT is the caller's to destroy. PORTOLAN_EIO,
 * PORTOLAN_ESYNTAX, PORTOLAN_ENOMEM; then *REPORT is NULL.
 */
PORTOLAN_API enum portolan_status portolan_cll_report_read(const char *path,
                                                           struct portolan_diagnostics *diagnostics,
                                                           struct portolan_cll_report **report,
                                                           struct portolan_error *err);

/** The same of the SIZE bytes at TEXT, which messages call FILE. */
PORTOLAN_API enum portolan_status
portolan_cll_report_parse(const char *text, size_t size, const char *file,
                          struct portolan_diagnostics *diagnostics,
                          struct portolan_cll_report **report, struct portolan_error *err);

/** The report as *TEXT, which the caller frees. PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status
portolan_cll_report_write(const struct portolan_cll_report *report, enum portolan_cll_form form,
                          char **text, struct portolan_error *err);

/**
 * Writes the report piece by piece to a new file, which appears complete or not at all: PATH or, if
 * that exists and OVERWRITE is false, PATH with the first free number before its ending
 * ("fft.cll.dat", "fft.cll.1.dat"); several processes may do so at once. If PATH is not a regular
 * file (a terminal, a pipe), writes to it directly. PORTOLAN_EIO, PORTOLAN_ENOMEM: then no file
 * remains.
 */
PORTOLAN_API enum portolan_status portolan_cll_report_save(const struct portolan_cll_report *report,
                                                           enum portolan_cll_form form,
                                                           const char *path, bool overwrite,
                                                           struct portolan_error *err);

/** An empty report; NULL when memory runs out. */
PORTOLAN_API struct portolan_cll_report *portolan_cll_report_create(void);
/** Frees all. NULL is legal. */
PORTOLAN_API void portolan_cll_report_destroy(struct portolan_cll_report *report);

/** The value of the first header NAME, borrowed; NULL: there is none. */
PORTOLAN_API const char *portolan_cll_report_peek_header(const struct portolan_cll_report *report,
                                                         const char *name);

/** Builders. Strings and numbers are copied. PORTOLAN_ENOMEM: the earlier content stays. */
PORTOLAN_API enum portolan_status portolan_cll_report_add_header(struct portolan_cll_report *report,
                                                                 const char *name,
                                                                 const char *value);
/**
 * The experiment of REPORT with LIKE's name, file, formula, identifiers and observables; it is
 * added if there is none. LIKE's lines are added to it, LIKE's rows are not. *SAMPLE is borrowed
 * until the next call with the same report.
 */
PORTOLAN_API enum portolan_status portolan_cll_report_join(struct portolan_cll_report *report,
                                                           const struct portolan_cll_sample *like,
                                                           struct portolan_cll_sample **sample);
/** Room for N more rows at the end of S, which the caller fills in: NULL when memory runs out. */
PORTOLAN_API double *portolan_cll_sample_add_rows(struct portolan_cll_sample *s, size_t n);

#ifdef __cplusplus
}
#endif
#endif
