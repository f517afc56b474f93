/* SPDX-License-Identifier: BSD-3-Clause */
/* Which store, and which trials of it: for the commands that look at trials. */
#include "trial_store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char default_store[] = "portolan.db";

static enum portolan_status store_of_assembly(struct trial_store *t, const char *file,
                                              const char *path, struct portolan_error *err)
{
    struct assembly_options o = {.file = file, .path = path};
    enum portolan_status status = workbench_open(&t->bench, &o, true, err);

    if (status != PORTOLAN_OK)
        return status;
    t->path = workbench_peek_store(&t->bench);
    if (!t->path)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "'%s' has no Mastermind, so nothing of it is stored", file);
    return PORTOLAN_OK;
}

/* Where the store is named, the assembly's components need not be here. */
static enum portolan_status name_of_assembly(struct trial_store *t, const char *file,
                                             struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {.err = err};
    struct portolan_diagnostics d = {.report = portolan_diagnostics_relay, .arg = &relay};

    return portolan_assembly_read(file, &d, &t->bench.assembly, err);
}

static bool is_assembly(const char *file)
{
    size_t length = file ? strlen(file) : 0;

    return length > 4 && !strcmp(file + length - 4, ".xml");
}

bool trial_store_is_one(const char *file)
{
    return is_assembly(file) || portolan_store_is_one(file);
}

enum portolan_status trial_store_open(struct trial_store *t, const struct trial_store_options *o,
                                      enum portolan_store_mode mode, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    *t = (struct trial_store){.path = o->store ? o->store : o->file ? o->file : default_store};
    if (is_assembly(o->file))
        status = o->store ? name_of_assembly(t, o->file, err)
                          : store_of_assembly(t, o->file, o->path, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_open(t->path, mode, &t->store, err);
    if (status == PORTOLAN_OK && t->bench.assembly)
        t->assembly = t->bench.assembly->name;
    if (status != PORTOLAN_OK)
        trial_store_close(t);
    return status;
}

void trial_store_close(struct trial_store *t)
{
    portolan_store_close(t->store);
    workbench_close(&t->bench);
    *t = (struct trial_store){0};
}

enum portolan_status trial_store_select(const struct trial_store *t, const char *text,
                                        struct portolan_trial_list *list,
                                        struct portolan_error *err)
{
    char *named = NULL;
    enum portolan_status status;

    if (!text && t->assembly && !(named = portolan_asprintf("name:%s", t->assembly)))
        return portolan_no_memory(err);
    status = portolan_trials_select(t->store, text ? text : named, list, err);
    free(named);
    if (status != PORTOLAN_OK)
        portolan_error_prefix(err, "store '%s'", t->path);
    return status;
}

void trial_store_take_argument(struct trial_store_options *o, const char **trials, const char *what,
                               const char *arg, struct argp_state *state)
{
    int64_t number;

    /* A number is a trial of the usual store, unless a file is called so. */
    if (!o->file && !*trials && portolan_read_int64(arg, &number) && access(arg, F_OK))
        *trials = arg;
    else if (!o->file)
        o->file = arg;
    else if (!*trials)
        *trials = arg;
    else
        argp_error(state, "one store and one %s at a time: '%s' is one too many", what, arg);
}

int read_natural(struct argp_state *state, const char *option, const char *text)
{
    int64_t n;

    if (!portolan_read_int64(text, &n) || n < 0 || n > INT32_MAX)
        argp_error(state, "%s wants a whole number from 0 on, not '%s'", option, text);
    return (int)n;
}

error_t take_option(const struct option_target *targets, int key, char *arg,
                    struct argp_state *state)
{
    const struct option_target *t = targets;
    void *to;

    while (t->key && t->key != key)
        t++;
    if (!t->key)
        return ARGP_ERR_UNKNOWN;
    to = (char *)state->input + t->offset;
    switch (t->kind) {
    case OPTION_TEXT:
        *(const char **)to = arg;
        break;
    case OPTION_FLAG:
        *(bool *)to = true;
        break;
    case OPTION_INT:
        *(int *)to = read_natural(state, t->name, arg);
        break;
    case OPTION_SIZE:
        *(size_t *)to = (size_t)read_natural(state, t->name, arg);
        break;
    }
    return 0;
}

static const struct argp_option options[] = {
    {"store", 'd', "FILE", 0, "the experiment store, whatever the assembly says", 0},
    {"path", 'p', "DIR:...", 0, "of an assembly: search these folders for components first", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const struct option_target targets[] = {
        {'d', OPTION_TEXT, offsetof(struct trial_store_options, store), NULL},
        {'p', OPTION_TEXT, offsetof(struct trial_store_options, path), NULL},
        {0},
    };

    return take_option(targets, key, arg, state);
}

const struct argp trial_store_argp = {.options = options, .parser = parse_option};
