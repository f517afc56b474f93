/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the store and its trials, for commands on trials. */
#include "trial_store.h"

#include <portolan/command.h>
#include <portolan/profile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------- stores and trials */

static const char default_store[] = "portolan.db";

static enum portolan_status store_of_assembly(struct trial_store *t, const char *file,
                                              const char *path, struct portolan_error *err)
{
    struct assembly_options o = {.file = file, .path = path};
    enum portolan_status status = workbench_open(&t->bench, &o, print_diagnostic, err);

    if (status != PORTOLAN_OK)
        return status;
    t->path = workbench_peek_store(&t->bench);
    if (!t->path)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "'%s' has no Mastermind, so it has no stored trials", file);
    return PORTOLAN_OK;
}

/* If the store is named, the assembly's components need not be installed. */
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

enum portolan_status trial_store_find(struct trial_store *t, const struct trial_store_options *o,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    *t = (struct trial_store){.path = o->store ? o->store : o->file ? o->file : default_store};
    if (is_assembly(o->file))
        status = o->store ? name_of_assembly(t, o->file, err)
                          : store_of_assembly(t, o->file, o->path, err);
    if (status == PORTOLAN_OK && t->bench.assembly)
        t->assembly = t->bench.assembly->name;
    if (status != PORTOLAN_OK)
        trial_store_close(t);
    return status;
}

enum portolan_status trial_store_open(struct trial_store *t, const struct trial_store_options *o,
                                      enum portolan_store_mode mode, struct portolan_error *err)
{
    enum portolan_status status = trial_store_find(t, o, err);

    if (status != PORTOLAN_OK)
        return status;
    if (!portolan_store_is_one(t->path))
        mode = PORTOLAN_STORE_READ; /* Trials that are there are changed: no store is made. */
    status = portolan_store_open(t->path, mode, &t->store, err);
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

void trial_store_remove_trace(const struct trial_store *t, const char *folder)
{
    struct portolan_arena arena = {0};
    char *own = portolan_store_traces(&arena, t->path);
    char *from = own ? realpath(own, NULL) : NULL, *path = realpath(folder, NULL);
    size_t length = from ? strlen(from) : 0;

    if (from && path && !strncmp(path, from, length) && path[length] == '/') {
        portolan_folder_remove(path);
        rmdir(from); /* if it was the last */
    }
    portolan_arena_clear(&arena);
    free(from);
    free(path);
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

void print_what_is_kept(void (*keep)(struct portolan_trial_list *, struct portolan_text *),
                        struct portolan_trial_list *list)
{
    struct portolan_text note = {0};

    keep(list, &note);
    if (note.length)
        fprintf(stderr, "portolan: note: %s\n", note.bytes);
    portolan_text_clear(&note);
}

enum portolan_status trial_store_select_alike(const struct trial_store *t, const char *text,
                                              struct portolan_trial_list *list,
                                              struct portolan_error *err)
{
    enum portolan_status status = trial_store_select(t, text, list, err);

    if (!status)
        print_what_is_kept(portolan_trials_keep_alike, list);
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
