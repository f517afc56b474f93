/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum portolan_status trial_store_select_alike(const struct trial_store *t, const char *text,
                                              struct portolan_trial_list *list,
                                              struct portolan_error *err)
{
    struct portolan_text note = {0};
    enum portolan_status status = trial_store_select(t, text, list, err);

    if (!status)
        portolan_trials_keep_alike(list, &note);
    print_lines("note", &note);
    return status;
}

void trial_store_take_argument(struct trial_store_options *o, const char **trials, const char *what,
                               const char *arg, struct argp_state *state)
{
    int64_t number;

    /* A number means a trial of the default store, unless a file has that name. */
    if (!o->file && !*trials && portolan_read_int64(arg, &number) && access(arg, F_OK))
        *trials = arg;
    else if (!o->file)
        o->file = arg;
    else if (!*trials)
        *trials = arg;
    else
        argp_error(state, "one store and one %s at a time, but '%s' was also given", what, arg);
}

error_t trial_store_take_word(void *to, char *arg, const struct cli_option *option,
                              struct argp_state *state)
{
    struct trial_store_options *o = (void *)((char *)to + option->offset);

    trial_store_take_argument(o, &o->trials, option->doc, arg, state);
    return 0;
}

const struct cli_option trial_store_table[] = {
    {"store", 'd', "FILE", "use this experiment store instead of the one that the assembly names",
     INTO(struct trial_store_options, store)},
    {"path", 'p', "DIR:...", "for an assembly: search these folders for components first",
     INTO(struct trial_store_options, path)},
    {0},
};

/* ------------------------------------------ a store instead of an assembly */

const struct cli_option of_trials_table[] = {
    {.kind = CLI_TABLE, .table = assembly_table},
    {"trial", 'n', "NAME", "for a store: use the trials of this name (default: that of the newest)",
     INTO(struct assembly_options, trial)},
    {0},
};
