/* SPDX-License-Identifier: BSD-3-Clause */
/* Instead of an assembly: what a store says about a program that has no file of it. */
#include <portolan/list.h>
#include <portolan/trials.h>
#include <portolan/workbench.h>

#include <stdlib.h>
#include <string.h>

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
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "store '%s' has no trial%s%s of a wrapped program, of one that "
                                  "was tuned, or of one that "
                                  "chooses among candidates; for others, name the assembly's XML "
                                  "file",
                                  o->file, o->trial ? " called " : "", o->trial ? o->trial : "");
    status = read_assembly(t, &newest, err);
    if (status == PORTOLAN_OK && newest->program) {
        w->assembly = newest;
        return PORTOLAN_OK;
    }
    if (status == PORTOLAN_OK)
        status = join_libraries(set, newest, w, err);
    portolan_assembly_destroy(newest);
    return status;
}

static enum portolan_status open_store(struct workbench *w, const struct assembly_options *o,
                                       struct portolan_error *err)
{
    struct portolan_sample_set *set = NULL;
    struct portolan_store *store = NULL;
    enum portolan_status status;

    *w = (struct workbench){.store = o->file};
    if (o->n_cases || o->store)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "--store and --case are for assemblies; '%s' is a store",
                                  o->file);
    status = portolan_store_open(o->file, PORTOLAN_STORE_READ, &store, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_read(store, NULL, false, &set, err);
    portolan_store_close(store);
    if (status == PORTOLAN_OK)
        status = open_newest(w, o, set, err);
    if (status == PORTOLAN_OK && o->n_sets && !w->assembly->program)
        status = portolan_error_set(err, PORTOLAN_EINVAL,
                                    "--set is for assemblies and programs that were tuned; '%s' is "
                                    "a store of another program",
                                    o->file);
    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_sets; i++)
        status = apply_set(w, o->sets[i], err);
    if (status == PORTOLAN_OK)
        status = apply_choices(w->assembly, o, err);
    portolan_sample_set_destroy(set);
    return status;
}

enum portolan_status workbench_open_store(struct workbench *w, struct assembly_options *o,
                                          struct portolan_error *err)
{
    enum portolan_status status = open_store(w, o, err);

    workbench_clear_lists(o);
    return status;
}
