/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * llac: the analyzer of CALL's reports, an interpreter that works on tables of measurements. It
 * loads and merges reports, takes subsets, transforms, fits models, predicts, compares, plots and
 * saves (J. A. González et al., *Analysis and Tools for Performance Prediction*, 2001, section 3).
 * The language is documented in docs/portolan-llac.1.
 *
 * An interpreter is used by one thread at a time. Nothing prints: what a command shows goes to a
 * function of the caller. Files are read and written where commands say so.
 */
#ifndef PORTOLAN_LLAC_H
#define PORTOLAN_LLAC_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_llac;

struct portolan_llac_options {
    /** Prints what a command shows, in whole lines. May be NULL. */
    void (*print)(void *arg, const char *text);
    /** A warning that is not a failure, one line. May be NULL. */
    void (*warn)(void *arg, const char *text);
    void *arg;
    bool keeps_going;   /**< a script goes on after a command that failed */
    bool without_files; /**< commands that read or write files fail: for untrusted texts */
};

/** OPTIONS is copied. *LLAC is the caller's to destroy. Errors: ENOMEM. */
enum portolan_status portolan_llac_create(const struct portolan_llac_options *options,
                                          struct portolan_llac **llac, struct portolan_error *err);

/** NULL is legal. */
void portolan_llac_destroy(struct portolan_llac *llac);

/**
 * Runs the commands in SIZE bytes of TEXT to their end, to `quit` or, unless the interpreter keeps
 * going, to the first that fails; a command that failed has changed nothing. FILE and LINE (from 1)
 * are the place of the text; relative files that its commands read are also searched in FILE's
 * folder. Every failure goes to DIAGNOSTICS (may be NULL) with line and column, the first also to
 * ERR. Errors: the status of the first failure: ESYNTAX for errors in a command, ENOMEM, or what
 * the library that the command uses returned (EIO, those of the store and of fits).
 */
enum portolan_status portolan_llac_run(struct portolan_llac *llac, const char *text, size_t size,
                                       const char *file, int line,
                                       struct portolan_diagnostics *diagnostics,
                                       struct portolan_error *err);

/** The same with what is in FILE. Errors: also EIO. */
enum portolan_status portolan_llac_run_file(struct portolan_llac *llac, const char *file,
                                            struct portolan_diagnostics *diagnostics,
                                            struct portolan_error *err);

/** Returns whether `quit` was met; *CODE (may be NULL) becomes its argument, 0 without one. */
bool portolan_llac_has_ended(const struct portolan_llac *llac, int *code);

/**
 * The words that may follow at the end of LINE, whose last word is incomplete (empty after a
 * blank): *N whole words, sorted, in one array that ends with NULL; the caller frees it with one
 * free(). They are commands, objects, columns, options or files, according to the position. Errors:
 * ENOMEM.
 */
enum portolan_status portolan_llac_complete(struct portolan_llac *llac, const char *line,
                                            char ***words, size_t *n, struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
