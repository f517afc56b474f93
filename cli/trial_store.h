/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_TRIAL_STORE_H
#define PORTOLAN_TRIAL_STORE_H

#include "cli.h"

#include <portolan/profile.h>

/* A store, named by itself or by an assembly whose Mastermind names it. */
struct trial_store {
    const char *path;
    const char *assembly; /* its trials only; NULL: all */
    struct portolan_store *store;
    struct workbench bench;
};

struct trial_store_options {
    const char *file;  /* a store or an assembly's XML; NULL: "portolan.db" here */
    const char *store; /* --store, or NULL */
    const char *path;  /* --path, or NULL */
};

/* Argp child: --store and --path. */
extern const struct argp trial_store_argp;

/* Of a command with the arguments [STORE] [TRIALS]: ARG is the next of them; WHAT is the second. */
void trial_store_take_argument(struct trial_store_options *o, const char **trials, const char *what,
                               const char *arg, struct argp_state *state);

/* A whole number from 0 on that OPTION wants. */
int read_natural(struct argp_state *state, const char *option, const char *text);

/* What an option sets in the command's struct, which is the parser's input. Ends with key 0. */
struct option_target {
    int key;
    enum { OPTION_TEXT, OPTION_FLAG, OPTION_INT, OPTION_SIZE } kind; /* numbers: whole, from 0 on */
    size_t offset;
    const char *name; /* of numbers, for messages */
};

/* Sets what option KEY of the command is for, or tells how it is used rightly. */
error_t take_option(const struct option_target *targets, int key, char *arg,
                    struct argp_state *state);

/* Whether FILE can be such: it is a store, a server or an assembly. */
bool trial_store_is_one(const char *file);

enum portolan_status trial_store_open(struct trial_store *t, const struct trial_store_options *o,
                                      enum portolan_store_mode mode, struct portolan_error *err);
void trial_store_close(struct trial_store *t);

/* Trials as portolan_trials_select() knows them; TEXT NULL: all of the assembly. */
enum portolan_status trial_store_select(const struct trial_store *t, const char *text,
                                        struct portolan_trial_list *list,
                                        struct portolan_error *err);

#endif
