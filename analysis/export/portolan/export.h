/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * export: writes stored trials as files for other viewers, and reads TAU's profiles as trials.
 *
 * A format is written from a trial's profile (call paths of ranks and threads) or from the rows of
 * its single calls; portolan-export(1) says what each field holds. The same trial gives the same
 * bytes. Files appear as a whole or not at all: they are written under another name and renamed.
 * One thread at a time per store.
 *
 * The formats are defined by others: TAU's profiles, callgrind's format, Chrome's trace events,
 * folded stacks, speedscope's JSON, Extra-P 4, OTF2; CSV is that of RFC 4180.
 */
#ifndef PORTOLAN_EXPORT_H
#define PORTOLAN_EXPORT_H

#include <portolan/base.h>
#include <portolan/store.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The properties of a format. */
struct portolan_export_format {
    const char *name;
    const char *summary; /**< a few words for lists of formats */
    bool is_folder;      /**< false: one file */
    bool takes_several;  /**< trials; false: one */
    bool takes_metric;   /**< of the options; false: it has all metrics, or only time */
};

/** The formats of this build, in the order of the manual; ends with name NULL. Static. */
PORTOLAN_API const struct portolan_export_format *portolan_export_formats(void);

/** The format of that name, static; NULL if this build has no such format. */
PORTOLAN_API const struct portolan_export_format *portolan_export_find_format(const char *name);

/** The data to write. All pointers are borrowed for the call. */
struct portolan_export_options {
    const struct portolan_export_format *format;
    struct portolan_store *store;
    const int64_t *trials; /**< borrowed */
    size_t n_trials;
    const int *rank;    /**< only this rank; NULL: all */
    const char *metric; /**< NULL: time; "mpi", "calls" or a counter that the trial has */
    bool evented;       /**< speedscope: calls one after the other, from rows */
    /** The destination: a file or, for some formats, a folder; NULL: STREAM. */
    const char *path;
    FILE *stream; /**< not closed; formats of one file only */
    bool force;   /**< replace an existing file, or a folder with an export in this format */
    /** otf2: the folder of the trial's trace, which has its messages; NULL: none */
    const char *recorded;
    struct portolan_diagnostics *diagnostics; /**< problems with that trace; may be NULL */
};

/**
 * Writes the trials. Errors: EINVAL (options that the format does not take), ENOTFOUND (no such
 * trial, rank or metric; no rows stored where the format needs them), EEXISTS (the target, without
 * force), EIO, those of the store, ENOMEM. On failure PATH is as before.
 */
PORTOLAN_API enum portolan_status
portolan_export_write(const struct portolan_export_options *options, struct portolan_error *err);

/** Adds a line for each kind of measurement that the store lacks of the trial, since exported files
 * cannot say so. */
PORTOLAN_API void portolan_export_missing(const struct portolan_trial *trial,
                                          struct portolan_text *out);

/** The files to read. All pointers are borrowed for the call. */
struct portolan_import_options {
    const char *const *paths; /**< files, or folders with profile.N.C.T or MULTI__* */
    size_t n_paths;
    const char *name; /**< of the trial; NULL: that of the first path's last part */
};

/**
 * Reads TAU profiles, TAU's own or those of other writers, as one trial of STORE with purpose
 * "import" and a summary; *ID is its number. Problems with the files go to D, whose first is also
 * ERR's text. Errors: ENOTFOUND (no profiles there), ESYNTAX, EIO, those of the store, ENOMEM. On
 * failure nothing is stored.
 */
PORTOLAN_API enum portolan_status portolan_import_tau(struct portolan_store *store,
                                                      const struct portolan_import_options *options,
                                                      int64_t *id, struct portolan_diagnostics *d,
                                                      struct portolan_error *err);

/** The same into the store at PATH, which is created if there is none; if the import fails, a store
 * that was created for it is removed. */
PORTOLAN_API enum portolan_status
portolan_import_tau_at(const char *path, const struct portolan_import_options *options, int64_t *id,
                       struct portolan_diagnostics *d, struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
