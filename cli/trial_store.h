/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_TRIAL_STORE_H
#define PORTOLAN_TRIAL_STORE_H

#include "cli.h"

#include <portolan/profile.h>

/* A store, named directly or by the Mastermind of an assembly. */
struct trial_store {
    const char *path;
    const char *assembly; /* use only its trials; NULL: all */
    struct portolan_store *store;
    struct workbench bench;
};

struct trial_store_options {
    const char *file;  /* a store or an assembly's XML; NULL: "portolan.db" in the current folder */
    const char *store; /* --store, or NULL */
    const char *path;  /* --path, or NULL */
    const char *trials; /* the second word, or NULL */
};

/* Options for struct trial_store_options: --store and --path. */
extern const struct cli_option trial_store_table[];

/*
 * Takes ARG, the next of the words [STORE] [TRIALS]; WHAT describes the second one. The row of a
 * table for it has the offset of the options and WHAT in its doc.
 */
void trial_store_take_argument(struct trial_store_options *o, const char **trials, const char *what,
                               const char *arg, struct argp_state *state);
cli_take_fn trial_store_take_word;
#define TRIAL_WORDS(what, type, member)                                                            \
    {                                                                                              \
        .key = CLI_WORD, .doc = (what), .take = trial_store_take_word,                             \
        .offset = offsetof(type, member)                                                           \
    }

/* Returns whether FILE is a store, a server or an assembly. */
bool trial_store_is_one(const char *file);

/* Finds out where the store is; trial_store_open() opens it, too, and makes none. */
enum portolan_status trial_store_find(struct trial_store *t, const struct trial_store_options *o,
                                      struct portolan_error *err);
enum portolan_status trial_store_open(struct trial_store *t, const struct trial_store_options *o,
                                      enum portolan_store_mode mode, struct portolan_error *err);
void trial_store_close(struct trial_store *t);

/* Removes FOLDER if it lies in the folder that the store keeps for them. */
void trial_store_remove_trace(const struct trial_store *t, const char *folder);

/* Selects trials in the notation of portolan_trials_select(); TEXT NULL: all of the assembly. */
enum portolan_status trial_store_select(const struct trial_store *t, const char *text,
                                        struct portolan_trial_list *list,
                                        struct portolan_error *err);
/* Leaves in LIST what KEEP leaves (portolan_trials_keep_alike() or _machine()); a note says what
 * was left out. */
void print_what_is_kept(void (*keep)(struct portolan_trial_list *, struct portolan_text *),
                        struct portolan_trial_list *list);
/* Selects trials that make one law; a note says which others were left out. */
enum portolan_status trial_store_select_alike(const struct trial_store *t, const char *text,
                                              struct portolan_trial_list *list,
                                              struct portolan_error *err);

#endif
