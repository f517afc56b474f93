/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/command.h>
#include <portolan/trial_store.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum portolan_status store_of_assembly(struct trial_store *t,
                                              const struct trial_store_options *options,
                                              workbench_report_fn *report,
                                              struct portolan_error *err)
{
    struct assembly_options o = {.file = options->file, .path = options->path, .reads_only = true};
    enum portolan_status status = workbench_open(&t->bench, &o, report, err);

    if (status != PORTOLAN_OK)
        return status;
    t->path = workbench_peek_store(&t->bench);
    if (!t->path)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "'%s' has no Mastermind, so it has no stored trials", o.file);
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
                                      workbench_report_fn *report, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    *t = (struct trial_store){.path = o->store  ? o->store
                                      : o->file ? o->file
                                                : TRIAL_STORE_DEFAULT};
    if (is_assembly(o->file))
        status =
            o->store ? name_of_assembly(t, o->file, err) : store_of_assembly(t, o, report, err);
    if (status == PORTOLAN_OK && t->bench.assembly)
        t->assembly = t->bench.assembly->name;
    if (status != PORTOLAN_OK)
        trial_store_close(t);
    return status;
}

enum portolan_status trial_store_open(struct trial_store *t, const struct trial_store_options *o,
                                      workbench_report_fn *report, enum portolan_store_mode mode,
                                      struct portolan_error *err)
{
    enum portolan_status status = trial_store_find(t, o, report, err);

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
    free(t->own_path);
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

/* ------------------------------------------------- sets to be compared */

/* Unfinished trials say nothing about the whole run: they count only if selected by number. */
static enum portolan_status leave_out_unfinished(struct portolan_trial_list *l, const char *set,
                                                 struct portolan_text *notes,
                                                 struct portolan_error *err)
{
    size_t kept = 0;

    if (isdigit((unsigned char)*set))
        return PORTOLAN_OK;
    for (size_t i = 0; i < l->n; i++) {
        if (!strcmp(l->trials[i]->outcome, "finished"))
            l->trials[kept++] = l->trials[i];
        else
            portolan_text_add(notes, "trial %lld did not finish and is left out\n",
                              (long long)l->trials[i]->id);
    }
    l->n = kept;
    return kept ? PORTOLAN_OK
                : portolan_error_set(err, PORTOLAN_ENOTFOUND, "no trial of '%s' finished", set);
}

/* Returns whether FILE is meant to be a store, even if it does not exist. */
static bool is_database(const char *file)
{
    size_t length = strlen(file);

    return length > 3 && !strcmp(file + length - 3, ".db");
}

enum portolan_status trial_store_open_set(struct trial_store *t,
                                          const struct trial_store_options *options,
                                          const char *set, workbench_report_fn *report,
                                          struct portolan_trial_list *list,
                                          struct portolan_text *notes, struct portolan_error *err)
{
    struct trial_store_options o = *options;
    const char *at = strrchr(set, '@');
    struct portolan_text kept = {0};
    char *file = at && at > set ? portolan_asprintf("%.*s", (int)(at - set), set) : NULL;
    enum portolan_status status;

    *t = (struct trial_store){0};
    if (at && at > set && !file)
        return portolan_no_memory(err);
    if (file && (trial_store_is_one(file) || is_database(file))) { /* '@' may be part of a name */
        o = (struct trial_store_options){.file = file, .path = options->path};
        set = at + 1;
    }
    status = trial_store_open(t, &o, report, PORTOLAN_STORE_READ, err);
    t->own_path = file;
    if (!status)
        status = trial_store_select(t, *set ? set : NULL, list, err);
    if (!status)
        status = leave_out_unfinished(list, set, notes, err);
    if (!status)
        portolan_trials_keep_machine(list, &kept);
    if (kept.length)
        portolan_text_add(notes, "%s\n", kept.bytes);
    portolan_text_clear(&kept);
    return status;
}
