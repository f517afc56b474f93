/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the store and its trials, for commands on trials. */
#include "trial_store.h"

#include <portolan/command.h>
#include <portolan/list.h>
#include <portolan/profile.h>
#include <portolan/wrap.h>

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
    enum portolan_status status = workbench_open(&t->bench, &o, true, err);

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

enum portolan_status trial_store_trace(const struct trial_store *t,
                                       const struct portolan_trial *trial, char **folder,
                                       struct portolan_error *err)
{
    const char *fact = portolan_trial_peek_fact(trial, PORTOLAN_STORE_TRACE);
    const char *slash = portolan_store_is_server(t->path) ? NULL : strrchr(t->path, '/');
    int length = slash && fact && *fact != '/' ? (int)(slash - t->path) + 1 : 0;

    *folder = NULL;
    if (!fact || !*fact)
        return PORTOLAN_OK;
    *folder = portolan_asprintf("%.*s%s", length, t->path, fact);
    return *folder ? PORTOLAN_OK : portolan_no_memory(err);
}

void trial_store_remove_trace(const struct trial_store *t, const char *folder)
{
    bool is_server = portolan_store_is_server(t->path);
    char *own = portolan_asprintf("%s.traces", is_server ? "portolan" : t->path);
    char *from = own ? realpath(own, NULL) : NULL, *path = realpath(folder, NULL);
    size_t length = from ? strlen(from) : 0;

    if (from && path && !strncmp(path, from, length) && path[length] == '/') {
        portolan_folder_remove(path);
        rmdir(from); /* if it was the last */
    }
    free(own);
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

/* ------------------ instead of an assembly: what a store says about a program that has no file */

const struct cli_option of_trials_table[] = {
    {.kind = CLI_TABLE, .table = assembly_table},
    {"trial", 'n', "NAME", "for a store: use the trials of this name (default: that of the newest)",
     INTO(struct assembly_options, trial)},
    {0},
};

static const char *peek_assembly_text(const struct portolan_trial *t)
{
    return portolan_trial_peek_fact(t, PORTOLAN_ASSEMBLY_TEXT);
}

static const struct portolan_trial *find_trial(const struct portolan_sample_set *set,
                                               const char *name)
{
    for (size_t i = set->n_trials; i-- > 0;)
        if (peek_assembly_text(&set->trials[i]) &&
            (!name || !strcmp(set->trials[i].assembly, name)))
            return &set->trials[i];
    return NULL;
}

static enum portolan_status read_assembly(const struct portolan_trial *t,
                                          struct portolan_assembly **a, struct portolan_error *err)
{
    const char *text = peek_assembly_text(t);
    struct portolan_diagnostics_relay relay = {.err = err};
    struct portolan_diagnostics d = {.report = portolan_diagnostics_relay, .arg = &relay};

    return portolan_assembly_read_text(text, strlen(text), "trial", &d, a, err);
}

/* The second instance provides the port (proxygen/wrap/run.c, framework/core/candidates.c). */
static struct portolan_assembly_instance *port_of(struct portolan_assembly *a)
{
    return &a->instances[1];
}

/* Adds the libraries of FROM that TO lacks as alternatives. */
static void add_libraries(struct portolan_arena *arena, struct portolan_assembly_instance *to,
                          const struct portolan_assembly_instance *from)
{
    for (size_t i = 0; i < from->n_alternatives; i++) {
        const char *name = from->alternatives[i].class_name;
        const struct portolan_assembly_alternative added = {.class_name =
                                                                portolan_arena_strdup(arena, name)};
        size_t k = 0;

        while (k < to->n_alternatives && strcmp(to->alternatives[k].class_name, name) != 0)
            k++;
        if (k == to->n_alternatives && added.class_name)
            portolan_arena_append(arena, &to->alternatives, &to->n_alternatives, &added,
                                  sizeof added);
    }
}

/*
 * Trials of one program may have different libraries: all become alternatives, those of the newest
 * trial first.
 */
static enum portolan_status join_libraries(const struct portolan_sample_set *set,
                                           struct portolan_assembly *newest, struct workbench *w,
                                           struct portolan_error *err)
{
    struct portolan_assembly_instance own = *port_of(newest), joined = own;
    struct portolan_arena arena = {0};
    enum portolan_status status = PORTOLAN_OK;
    char *text = NULL;

    joined.alternatives = NULL;
    joined.n_alternatives = 0;
    add_libraries(&arena, &joined, &own);
    for (size_t i = 0; status == PORTOLAN_OK && i < set->n_trials; i++) {
        struct portolan_assembly *a = NULL;

        if (!peek_assembly_text(&set->trials[i]) || strcmp(set->trials[i].assembly, newest->name))
            continue;
        status = read_assembly(&set->trials[i], &a, err);
        if (status == PORTOLAN_OK)
            add_libraries(&arena, &joined, port_of(a));
        portolan_assembly_destroy(a);
    }
    if (arena.failed)
        status = portolan_no_memory(err);
    *port_of(newest) = joined;
    if (status == PORTOLAN_OK)
        status = portolan_assembly_write(newest, NULL, &text, err);
    *port_of(newest) = own;
    if (status == PORTOLAN_OK)
        status = portolan_assembly_read_text(text, strlen(text), "trial", NULL, &w->assembly, err);
    free(text);
    portolan_arena_clear(&arena);
    return status;
}

static enum portolan_status open_newest(struct workbench *w, const struct assembly_options *o,
                                        const struct portolan_sample_set *set,
                                        struct portolan_error *err)
{
    const struct portolan_trial *t = find_trial(set, o->trial);
    struct portolan_assembly *newest = NULL;
    enum portolan_status status;

    if (!t)
        return portolan_error_set(
            err, PORTOLAN_ENOTFOUND,
            "store '%s' has no trial%s%s of a wrapped program, or of one that "
            "chooses among candidates; for others, name the assembly's XML "
            "file",
            o->file, o->trial ? " called " : "", o->trial ? o->trial : "");
    status = read_assembly(t, &newest, err);
    if (status == PORTOLAN_OK)
        status = join_libraries(set, newest, w, err);
    portolan_assembly_destroy(newest);
    return status;
}

enum portolan_status workbench_open_store(struct workbench *w, const struct assembly_options *o,
                                          struct portolan_error *err)
{
    struct portolan_sample_set *set = NULL;
    struct portolan_store *store = NULL;
    enum portolan_status status;

    *w = (struct workbench){.store = o->file};
    if (o->n_sets || o->n_cases || o->store)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "--store, --set and --case are for assemblies; '%s' is a store",
                                  o->file);
    status = portolan_store_open(o->file, PORTOLAN_STORE_READ, &store, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_read(store, NULL, false, &set, err);
    portolan_store_close(store);
    if (status == PORTOLAN_OK)
        status = open_newest(w, o, set, err);
    if (status == PORTOLAN_OK)
        status = apply_choices(w->assembly, o, err);
    portolan_sample_set_destroy(set);
    return status;
}
