/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * trial_store: the store that a user means by the file of a store or of an assembly, and its
 * trials. One thread. Nothing here prints or exits.
 */
#ifndef PORTOLAN_TRIAL_STORE_H
#define PORTOLAN_TRIAL_STORE_H

#include <portolan/store.h>
#include <portolan/trials.h>
#include <portolan/workbench.h>

/** The store of who names none. */
#define TRIAL_STORE_DEFAULT "portolan.db"

/** A store, named directly or by the Mastermind of an assembly. */
struct trial_store {
    const char *path;
    const char *assembly; /**< use only its trials; NULL: all */
    struct portolan_store *store;
    struct workbench bench;
    char *own_path; /**< of FILE in FILE@SET; or NULL */
};

struct trial_store_options {
    const char *file;   /**< a store or an assembly's XML; NULL: TRIAL_STORE_DEFAULT */
    const char *store;  /**< --store, or NULL */
    const char *path;   /**< --path, or NULL */
    const char *trials; /**< the second word, or NULL */
};

/** Returns whether FILE is a store, a server or an assembly. */
bool trial_store_is_one(const char *file);

/** Finds out where the store is. REPORT gets mistakes in the assembly. Errors of workbench_open();
 * PORTOLAN_ENOTFOUND: the assembly has no Mastermind. */
enum portolan_status trial_store_find(struct trial_store *t, const struct trial_store_options *o,
                                      workbench_report_fn *report, struct portolan_error *err);
/** Finds and opens it, and makes none. */
enum portolan_status trial_store_open(struct trial_store *t, const struct trial_store_options *o,
                                      workbench_report_fn *report, enum portolan_store_mode mode,
                                      struct portolan_error *err);
void trial_store_close(struct trial_store *t);

/** Removes FOLDER if it lies in the folder that the store keeps for traces. */
void trial_store_remove_trace(const struct trial_store *t, const char *folder);

/** Selects trials in the notation of portolan_trials_select(); TEXT NULL: all of the assembly. */
enum portolan_status trial_store_select(const struct trial_store *t, const char *text,
                                        struct portolan_trial_list *list,
                                        struct portolan_error *err);

/**
 * Opens T and selects the finished trials of one machine in it, to be compared with others: SET, in
 * the store of O, or FILE@SET. Trials that are named by their numbers count however they ended.
 * Adds to NOTES, a line each, what is left out. Errors: ENOTFOUND if none finished; those of
 * trial_store_open() and portolan_trials_select(). T must be closed whatever the status.
 */
enum portolan_status trial_store_open_set(struct trial_store *t,
                                          const struct trial_store_options *o, const char *set,
                                          workbench_report_fn *report,
                                          struct portolan_trial_list *list,
                                          struct portolan_text *notes, struct portolan_error *err);

#endif
