/* SPDX-License-Identifier: BSD-3-Clause */
/* The words and options of commands on stored trials. */
#ifndef PORTOLAN_CLI_TRIAL_WORDS_H
#define PORTOLAN_CLI_TRIAL_WORDS_H

#include "cli.h"

#include <portolan/trial_store.h>

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

/* Selects trials that make one law; a note says which others were left out. */
enum portolan_status trial_store_select_alike(const struct trial_store *t, const char *text,
                                              struct portolan_trial_list *list,
                                              struct portolan_error *err);

#endif
