/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * extrap: reads and writes measurements in Extra-P's forms.
 *
 * Of the forms that Extra-P 4 (github.com/extra-p/extrap, docs/file-formats.md) reads, these are
 * its text and its present JSON. Both hold values at points of the parameters for every call path
 * and metric, repetitions included. Nothing here prints, exits or touches files. Measurements are
 * changed by one thread at a time; many may read them.
 */
#ifndef PORTOLAN_EXTRAP_H
#define PORTOLAN_EXTRAP_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PORTOLAN_MEASUREMENTS_MAX_PARAMS = 8,      /**< files with more are refused, and so are … */
    PORTOLAN_MEASUREMENTS_MAX_BYTES = 1 << 28, /**< … longer texts */
};

/** Rows are as portolan_model_fit() takes them: repetitions are rows with equal X. */
struct portolan_measurement {
    char *callpath; /**< "main->solve"; "" when the file names none */
    char *metric;   /**< "time"; "" when the file names none */
    size_t n_rows;  /**< at least 1 */
    double *x;      /**< N_ROWS × the file's parameters, row by row */
    double *y;      /**< N_ROWS values */
};

struct portolan_measurements {
    size_t n_params;
    char **params;
    size_t n; /**< call path and metric together name one item, in order of first appearance */
    struct portolan_measurement *items;
    void *impl; /**< private; NULL unless made by the functions below */
};

enum portolan_measurements_format {
    PORTOLAN_MEASUREMENTS_TEXT, /**< PARAMETER, POINTS, REGION, METRIC, DATA */
    PORTOLAN_MEASUREMENTS_JSON  /**< {"parameters": […], "measurements": {…}} */
};

/** Whether the text looks like one of Extra-P's forms, rather than a table. */
PORTOLAN_API bool portolan_measurements_are_in(const char *text);

/**
 * What SIZE bytes of TEXT are, if they are in a form of measurements, or of files that come with
 * such, that nothing here reads: "Talpas", "a zip archive, …"; NULL: none that is known. Static.
 */
PORTOLAN_API const char *portolan_measurements_foreign_form(const char *text, size_t size);

/**
 * Reads the measurements in SIZE bytes of TEXT, whose content shows its form. FILE names the text
 * in messages: the first problem is reported to DIAGNOSTICS (may be NULL) with line, column and
 * remedy, and ERR gets it as "file:line:column: what". *MEASUREMENTS is the caller's to destroy.
 * PORTOLAN_ESYNTAX, PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_measurements_read(const char *text, size_t size, const char *file,
                           struct portolan_diagnostics *diagnostics,
                           struct portolan_measurements **measurements, struct portolan_error *err);

/**
 * *TEXT: the measurements in that form, malloc'ed, the caller frees it. Numbers keep all their
 * digits. No two items have the same call path and metric. PORTOLAN_EINVAL for what the form cannot
 * carry: no parameter or none of the items, numbers that are not finite, text that is not UTF-8,
 * and in TEXT more than four parameters, names with line ends, or items that were not measured at
 * the same points. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_measurements_write(const struct portolan_measurements *measurements,
                            enum portolan_measurements_format format, char **text,
                            struct portolan_error *err);

/** Measurements without items, the caller's to destroy. PARAMS is copied. NULL: no memory. */
PORTOLAN_API struct portolan_measurements *portolan_measurements_create(size_t n_params,
                                                                        const char *const *params);

/**
 * The item of that call path and metric, borrowed; a new one, without rows, if there is none; NULL
 * when memory runs out. Adding another item may move it. Only for measurements from
 * portolan_measurements_create() or _read().
 */
PORTOLAN_API struct portolan_measurement *
portolan_measurements_item(struct portolan_measurements *measurements, const char *callpath,
                           const char *metric);

/** Adds a row to ITEM; X, one number per parameter, is copied. False when memory runs out. */
PORTOLAN_API bool portolan_measurements_add(struct portolan_measurements *measurements,
                                            struct portolan_measurement *item, const double *x,
                                            double y);

/** NULL is legal. */
PORTOLAN_API void portolan_measurements_destroy(struct portolan_measurements *measurements);

#ifdef __cplusplus
}
#endif
#endif
