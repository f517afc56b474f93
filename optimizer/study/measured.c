/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session of measuring asks of the store and of the assembly. */
#include <portolan/measured.h>
#include <portolan/trials.h>
#include <portolan/tune.h>

#include <stdlib.h>
#include <string.h>

/* The store's trials with this assembly, purpose, machine and number of ranks. */
enum portolan_status measured_read(void *arg, bool with_samples,
                                   const struct portolan_sample_set **set,
                                   struct portolan_error *err)
{
    struct measured_trials *m = arg;
    struct portolan_store_query query = {
        .assembly = m->w->assembly->name, .purpose = m->w->assembly->purpose, .ranks = m->ranks};
    struct portolan_store *store;
    enum portolan_status status = portolan_store_open(m->file, PORTOLAN_STORE_WRITE, &store, err);

    if (status != PORTOLAN_OK)
        return status;
    portolan_sample_set_destroy(m->set);
    m->set = NULL;
    status = portolan_store_read(store, &query, with_samples, &m->set, err);
    portolan_store_close(store);
    if (!status)
        portolan_trials_keep_of_machine(m->set, m->machine);
    *set = m->set;
    if (!status && m->w->assembly->program)
        status = tune_offer_measured(m->w->assembly, m->set, err);
    return status;
}

bool measured_has_port(void *arg, const char *class_name, const char *port)
{
    const struct measured_trials *m = arg;

    return portolan_class_uses(portolan_palette_find(m->w->palette, class_name), port);
}

static enum portolan_status apply_order(struct portolan_assembly *a, char *line,
                                        struct portolan_error *err)
{
    char *verb = strsep(&line, " "), *instance = strsep(&line, " "), *parameter;

    if (!strcmp(verb, "select"))
        return portolan_assembly_select(a, instance, line, err);
    parameter = strsep(&line, " ");
    return portolan_assembly_set(a, instance, parameter, line, err);
}

enum portolan_status measured_apply(void *arg, const char *orders, struct portolan_error *err)
{
    struct measured_trials *m = arg;
    char *text = portolan_strdup(orders), *rest = text, *line;
    enum portolan_status status = text ? PORTOLAN_OK : portolan_no_memory(err);

    while (status == PORTOLAN_OK && (line = strsep(&rest, "\n")))
        if (*line)
            status = apply_order(m->w->assembly, line, err);
    free(text);
    return status;
}

enum portolan_status measured_keep(void *arg, const struct portolan_stored_model *model,
                                   struct portolan_error *err)
{
    const struct measured_trials *m = arg;
    struct portolan_store *store;
    enum portolan_status status = portolan_store_open(m->file, PORTOLAN_STORE_WRITE, &store, err);

    if (status == PORTOLAN_OK)
        status = portolan_store_put_model(store, model, err);
    portolan_store_close(store);
    return status;
}

enum portolan_status measured_offer(void *arg, const char *changes_of, bool *is_race, bool *grew,
                                    struct portolan_error *err)
{
    return tune_offer(((struct measured_trials *)arg)->w->assembly, changes_of, is_race, grew, err);
}
