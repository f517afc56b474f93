/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_WHERE = 256,
    OPTION_METADATA,
    OPTION_LABEL,
    OPTION_DELETE,
    OPTION_MIGRATE,
    OPTION_JSON,
    OPTION_WIDE
};

enum action { LIST, METADATA, LABEL, DELETE, MIGRATE };

struct options {
    struct trial_store_options store;
    struct portolan_text conditions; /* joined with '&' */
    enum action action;
    const char *trials; /* of the action, or as second argument */
    const char *label;
    bool json, wide;
};

static const struct argp_option options[] = {
    {"where", OPTION_WHERE, "KEY=VALUE", 0,
     "trials with this parameter, implementation or fact; name:, label:, purpose:, outcome: too",
     0},
    {"metadata", OPTION_METADATA, "TRIAL", 0, "all that is known of these trials", 0},
    {"label", OPTION_LABEL, "TRIAL=TEXT", 0, "label trials; without TEXT take their label away", 0},
    {"delete", OPTION_DELETE, "TRIAL", 0, "delete trials with all that was measured", 0},
    {"migrate", OPTION_MIGRATE, NULL, 0, "bring the store to today's schema", 0},
    {"wide", OPTION_WIDE, NULL, 0, "long names whole", 0},
    {"json", OPTION_JSON, NULL, 0, "the list, or the metadata, as JSON", 0},
    {0},
};

static const struct option_target targets[] = {
    {OPTION_JSON, OPTION_FLAG, offsetof(struct options, json), NULL},
    {OPTION_WIDE, OPTION_FLAG, offsetof(struct options, wide), NULL},
    {0},
};

static error_t set_action(struct options *o, enum action action, char *trials,
                          struct argp_state *state)
{
    if (o->action != LIST)
        argp_error(state, "one of --metadata, --label, --delete and --migrate at a time");
    o->action = action;
    o->trials = trials;
    return 0;
}

/* The label is what stands behind the last '=', for a condition may have one, too. */
static error_t set_label(struct options *o, char *arg, struct argp_state *state)
{
    char *equals = strrchr(arg, '=');

    if (!equals || equals == arg)
        argp_error(state, "--label wants TRIAL=TEXT, not '%s'", arg);
    *equals = '\0';
    o->label = equals + 1;
    return set_action(o, LABEL, arg, state);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->store;
        return 0;
    case OPTION_WHERE:
        portolan_text_add(&o->conditions, "%s%s", o->conditions.length ? "&" : "", arg);
        return 0;
    case OPTION_METADATA:
        return set_action(o, METADATA, arg, state);
    case OPTION_LABEL:
        return set_label(o, arg, state);
    case OPTION_DELETE:
        return set_action(o, DELETE, arg, state);
    case OPTION_MIGRATE:
        return set_action(o, MIGRATE, NULL, state);
    case ARGP_KEY_ARG:
        trial_store_take_argument(&o->store, &o->trials, "set of trials", arg, state);
        return 0;
    default:
        return take_option(targets, key, arg, state);
    }
}

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

/* What was done is said trial by trial: if one fails, those before it are done. */
static enum portolan_status change(const struct options *o, const struct trial_store *t,
                                   const struct portolan_trial_list *list,
                                   struct portolan_text *out, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; status == PORTOLAN_OK && i < list->n; i++) {
        const struct portolan_trial *trial = list->trials[i];

        status = o->action == DELETE
                     ? portolan_store_delete_trial(t->store, trial->id, err)
                     : portolan_store_label_trial(t->store, trial->id, o->label, err);
        if (status == PORTOLAN_OK)
            portolan_text_add(out, "%s trial %lld of '%s' (%s), %s%s%s\n",
                              o->action == DELETE ? "deleted"
                              : *o->label         ? "labelled"
                                                  : "took the label from",
                              (long long)trial->id, trial->assembly, trial->purpose, trial->started,
                              o->action == LABEL && *o->label ? ": " : "",
                              o->action == LABEL ? o->label : "");
    }
    return status;
}

static enum portolan_status act(struct options *o, const struct trial_store *t,
                                struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_trial_list list = {0};
    const char *trials = o->trials ? o->trials : o->conditions.bytes;
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
    static const struct argp_child children[] = {{&trial_store_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "[STORE|ASSEMBLY.xml] [TRIAL]",
        .doc = "List the trials of a store, label and delete them.\vTRIAL is 12 or 10-15 or "
               "name:plate or label:base or KEY=VALUE; a comma joins several.",
        .children = children,
    };
    struct options o = {0};
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    struct trial_store t;
    int result;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (trial_store_open(&t, &o.store,
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
