/* SPDX-License-Identifier: BSD-3-Clause */
/* What users do with an answer: they take what was chosen, or lift a veto. */
#include <portolan/store.h>
#include <portolan/study.h>
#include <portolan/tune.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum portolan_status study_select_chosen(struct workbench *w, const struct portolan_plan_answer *a,
                                         struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; status == PORTOLAN_OK && i < a->n_variables; i++) {
        const struct portolan_answer_variable *v = &a->variables[i];
        const char *chosen = v->options[v->chosen].implementation;

        status = w->assembly->program
                     ? tune_select(w->assembly, chosen, err)
                     : portolan_assembly_select(w->assembly, v->instance, chosen, err);
    }
    return status;
}

enum portolan_status study_lift_veto(const struct workbench *w, const char *what,
                                     struct portolan_error *err)
{
    const char *file = workbench_peek_store(w), *equals = strchr(what, '=');
    struct portolan_store *store = NULL;
    char *instance;
    enum portolan_status status;

    if ((status = apply_select(w->assembly, what, err))) /* there is no such alternative */
        return status;
    if (!file || (!portolan_store_is_server(file) && access(file, F_OK) != 0))
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "'%s' has no stored trials, so there is no veto to lift",
                                  w->assembly->file);
    if (!(instance = portolan_asprintf("%.*s", (int)(equals - what), what)))
        return portolan_no_memory(err);
    status = portolan_store_open(file, PORTOLAN_STORE_WRITE, &store, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_lift_veto(store, w->assembly->name, instance, equals + 1, err);
    portolan_store_close(store);
    free(instance);
    return status;
}
