/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial_words.h"

#include <portolan/profile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum action { LIST, METADATA, LABEL, DELETE, MIGRATE, RECOVER };

struct options {
    struct trial_store_options store;
    struct portolan_text conditions; /* joined with '&' */
    enum action action;
    const char *label;
    bool json, wide;
};

/* Sets the action in the row's value, and its TRIALS. */
static error_t take_action(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    struct options *o = to;

    if (o->action != LIST)
        argp_error(state,
                   "one of --metadata, --label, --delete, --migrate and --recover at a time");
    o->action = (enum action)option->value;
    o->store.trials = arg;
    return 0;
}

/* The label is the text after the last '=', because a condition may contain '=', too. */
static error_t take_label(void *to, char *arg, const struct cli_option *option,
                          struct argp_state *state)
{
    char *equals = strrchr(arg, '=');

    if (!equals || equals == arg)
        argp_error(state, "--label needs TRIAL=TEXT, not '%s'", arg);
    *equals = '\0';
    ((struct options *)to)->label = equals + 1;
    return take_action(to, arg, option, state);
}

static error_t take_condition(void *to, char *arg, const struct cli_option *option,
                              struct argp_state *state)
{
    struct options *o = to;

    (void)option, (void)state;
    portolan_text_add(&o->conditions, "%s%s", o->conditions.length ? "&" : "", arg);
    return 0;
}

static const struct cli_option options[] = {
    {"where", 0, "KEY=VALUE",
     "list only trials with this parameter, implementation or metadata, or with name:, label:, "
     "purpose: or outcome:",
     .take = take_condition},
    {"metadata", 0, "TRIAL", "show all metadata of these trials", .take = take_action,
     .value = METADATA},
    {"label", 0, "TRIAL=TEXT", "label trials; without TEXT, remove their label", .take = take_label,
     .value = LABEL},
    {"delete", 0, "TRIAL", "delete trials with all their measurements", .take = take_action,
     .value = DELETE},
    {"migrate", 0, NULL, "convert the store to the current schema", .take = take_action,
     .value = MIGRATE},
    {"recover", 0, NULL, "add what runs could not store, from the files beside the store",
     .take = take_action, .value = RECOVER},
    {"wide", 0, NULL, "print long names in full", INTO(struct options, wide)},
    {"json", 0, NULL, "print the list, or the metadata, as JSON", INTO(struct options, json)},
    TABLE_OF(trial_store_table, struct options, store),
    TRIAL_WORDS("set of trials", struct options, store),
    {0},
};

static enum portolan_status show(const struct options *o, const struct trial_store *t,
                                 const struct portolan_trial_list *list, struct portolan_text *out,
                                 struct portolan_error *err)
{
    if (o->json)
        return portolan_trials_write_json(list, out, err);
    if (o->action == LIST)
        return portolan_trials_write(t->store, list, o->wide, out, err);
    portolan_trials_write_facts(list, out);
    return PORTOLAN_OK;
}

/* Deletes a trial, and after it the recorded trace, so that no trial lacks its own. */
static enum portolan_status delete_trial(const struct trial_store *t,
                                         const struct portolan_trial *trial,
                                         struct portolan_error *err)
{
    char *folder;
    enum portolan_status status = portolan_trial_trace(trial, t->path, &folder, err);

    if (!status)
        status = portolan_store_delete_trial(t->store, trial->id, err);
    if (!status && folder)
        trial_store_remove_trace(t, folder);
    free(folder);
    return status;
}

/* Reports each trial when it is done: if one fails, the ones before it are done. */
static enum portolan_status change(const struct options *o, const struct trial_store *t,
                                   const struct portolan_trial_list *list,
                                   struct portolan_text *out, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; status == PORTOLAN_OK && i < list->n; i++) {
        const struct portolan_trial *trial = list->trials[i];

        status = o->action == DELETE
                     ? delete_trial(t, trial, err)
                     : portolan_store_label_trial(t->store, trial->id, o->label, err);
        if (status == PORTOLAN_OK)
            portolan_text_add(out, "%s trial %lld of '%s' (%s), %s%s%s\n",
                              o->action == DELETE ? "deleted"
                              : *o->label         ? "labelled"
                                                  : "removed the label of",
                              (long long)trial->id, trial->assembly, trial->purpose, trial->started,
                              o->action == LABEL && *o->label ? ": " : "",
                              o->action == LABEL ? o->label : "");
    }
    return status;
}

static void report_recovered(void *out, const char *file, int64_t id)
{
    portolan_text_add(out, "added trial %lld from '%s'\n", (long long)id, file);
}

/* Not even the store need be left. */
static void recover(struct trial_store *t, const struct options *o, struct portolan_text *out,
                    struct portolan_error *err)
{
    if (!trial_store_find(t, &o->store, print_diagnostic, err) &&
        !portolan_store_recover(t->path, report_recovered, out, err) && !out->length)
        portolan_text_add(out, "store '%s': there is nothing to recover\n", t->path);
}

static enum portolan_status act(struct options *o, const struct trial_store *t,
                                struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_trial_list list = {0};
    const char *trials = o->store.trials ? o->store.trials : o->conditions.bytes;
    enum portolan_status status;

    if (o->action == MIGRATE) {
        portolan_text_add(out, "store '%s' is of today's schema\n", t->path);
        return PORTOLAN_OK;
    }
    if (!trials && t->assembly) {
        portolan_text_add(&o->conditions, "name:%s", t->assembly);
        trials = o->conditions.bytes;
    }
    status = trial_store_select(t, trials, &list, err);
    if (status == PORTOLAN_OK)
        status = o->action == LIST || o->action == METADATA ? show(o, t, &list, out, err)
                                                            : change(o, t, &list, out, err);
    portolan_trials_clear(&list);
    return status;
}

int command_trials(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "[STORE|ASSEMBLY.xml] [TRIAL]",
        .doc = "List, label and delete the trials of a store.\vTRIAL is 12, 10-15, name:plate, "
               "label:base or KEY=VALUE; a comma joins several.",
        .options = options,
    };
    struct options o = {0};
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    struct trial_store t;
    int result;

    parse_line(&line, argc, argv, 0, &o);
    if (o.action == RECOVER)
        recover(&t, &o, &out, &err);
    else if (trial_store_open(&t, &o.store, print_diagnostic,
                              o.action < LABEL ? PORTOLAN_STORE_READ : PORTOLAN_STORE_WRITE,
                              &err) == PORTOLAN_OK)
        act(&o, &t, &out, &err);
    result = out.bytes ? write_text(NULL, out.bytes) : 0;
    if (err.status != PORTOLAN_OK)
        result = print_error(&err);
    portolan_text_clear(&out);
    portolan_text_clear(&o.conditions);
    trial_store_close(&t);
    return result;
}
