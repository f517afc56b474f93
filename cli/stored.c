/* SPDX-License-Identifier: BSD-3-Clause */
/* A store in place of an assembly: what it tells of a program that was wrapped. */
#include "cli.h"

#include <portolan/profile.h>
#include <portolan/wrap.h>

#include <stdlib.h>
#include <string.h>

static const struct argp_option options[] = {
    {"trial", 'n', "NAME", 0, "of a store: the trials of this name (default: of the newest)", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct assembly_options *o = state->input;

    if (key != 'n')
        return ARGP_ERR_UNKNOWN;
    o->trial = arg;
    return 0;
}

const struct argp trial_argp = {.options = options, .parser = parse_option};

static const char *peek_text(const struct portolan_trial *t)
{
    return portolan_profile_peek_fact(t, PORTOLAN_WRAP_ASSEMBLY);
}

static const struct portolan_trial *find_trial(const struct portolan_sample_set *set,
                                               const char *name)
{
    for (size_t i = set->n_trials; i-- > 0;)
        if (peek_text(&set->trials[i]) && (!name || !strcmp(set->trials[i].assembly, name)))
            return &set->trials[i];
    return NULL;
}

static enum portolan_status read_assembly(const struct portolan_trial *t,
                                          struct portolan_assembly **a, struct portolan_error *err)
{
    const char *text = peek_text(t);
    struct portolan_diagnostics_relay relay = {.err = err};
    struct portolan_diagnostics d = {.report = portolan_diagnostics_relay, .arg = &relay};

    return portolan_assembly_read_text(text, strlen(text), "trial", &d, a, err);
}

/* Libraries by name, those of the newest trial first. */
struct libraries {
    const char **names;
    size_t n;
};

static error_t add_library(struct libraries *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->names[i], name))
            return 0;
    return append_text(&l->names, &l->n, name);
}

/* The port's instance is the second (proxygen/wrap/describe.c). */
static error_t add_libraries(struct libraries *l, const struct portolan_assembly *a)
{
    const struct portolan_assembly_instance *port = &a->instances[1];
    error_t error = 0;

    for (size_t i = 0; i < port->n_alternatives && !error; i++)
        error = add_library(l, port->alternatives[i].class_name);
    return error;
}

/* The text of NEWEST with the libraries L at its port. */
static enum portolan_status write_joined(struct portolan_assembly *newest,
                                         const struct libraries *l, char **text,
                                         struct portolan_error *err)
{
    struct portolan_assembly_instance *port = &newest->instances[1], own = *port;
    enum portolan_status status;

    port->n_alternatives = l->n;
    port->alternatives = portolan_calloc(l->n, sizeof *port->alternatives);
    for (size_t i = 0; port->alternatives && i < l->n; i++)
        port->alternatives[i].class_name = l->names[i];
    status =
        port->alternatives ? portolan_assembly_write(newest, NULL, text, err) : PORTOLAN_ENOMEM;
    free(port->alternatives);
    *port = own;
    return status;
}

/* Trials of one program differ in the libraries they had: all are alternatives. */
static enum portolan_status join(const struct portolan_sample_set *set,
                                 struct portolan_assembly *newest, struct workbench *w,
                                 struct portolan_error *err)
{
    struct portolan_assembly **all = portolan_calloc(set->n_trials + 1, sizeof(void *));
    struct libraries l = {0};
    enum portolan_status status = all && !add_libraries(&l, newest) ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    char *text = NULL;

    for (size_t i = 0; status == PORTOLAN_OK && i < set->n_trials; i++) {
        if (!peek_text(&set->trials[i]) || strcmp(set->trials[i].assembly, newest->name))
            continue;
        status = read_assembly(&set->trials[i], &all[i], err);
        if (status == PORTOLAN_OK && add_libraries(&l, all[i]))
            status = PORTOLAN_ENOMEM;
    }
    if (status == PORTOLAN_OK)
        status = write_joined(newest, &l, &text, err);
    if (status == PORTOLAN_OK)
        status = portolan_assembly_read_text(text, strlen(text), "trial", NULL, &w->assembly, err);
    for (size_t i = 0; all && i < set->n_trials; i++)
        portolan_assembly_destroy(all[i]);
    free(all);
    free(l.names);
    free(text);
    return status == PORTOLAN_ENOMEM ? portolan_error_set(err, status, "out of memory") : status;
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
                                  "store '%s' has no trial of a wrapped program%s%s; for others, "
                                  "name the assembly's XML file",
                                  o->file, o->trial ? " called " : "", o->trial ? o->trial : "");
    status = read_assembly(t, &newest, err);
    if (status == PORTOLAN_OK)
        status = join(set, newest, w, err);
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
    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_selects; i++)
        status = apply_select(w->assembly, o->selects[i], err);
    portolan_sample_set_destroy(set);
    return status;
}
