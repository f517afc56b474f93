/* SPDX-License-Identifier: BSD-3-Clause */
/* `measure --all-fixed`: every assembly that the alternatives allow, once. */
#include "measure.h"

#include <portolan/progress.h>
#include <portolan/report.h>

#include <stdio.h>
#include <string.h>

/* Selects combination number N of the alternatives; false when there are fewer. */
static bool select_combination(struct portolan_assembly *a, size_t n)
{
    for (size_t i = 0; i < a->n_instances; i++) {
        struct portolan_assembly_instance *instance = &a->instances[i];

        instance->selected = n % instance->n_alternatives;
        n /= instance->n_alternatives;
    }
    return n == 0;
}

static size_t count_combinations(const struct portolan_assembly *a)
{
    size_t n = 1;

    for (size_t i = 0; i < a->n_instances; i++)
        n *= a->instances[i].n_alternatives;
    return n;
}

/* Whether a selected class has the uses port that is connected to the instance. */
static bool is_used(const struct workbench *w, const char *instance)
{
    const struct portolan_assembly *a = w->assembly;
    bool has_users = false;

    for (size_t i = 0; i < a->n_connections; i++) {
        const struct portolan_assembly_connection *c = &a->connections[i];
        const struct portolan_assembly_instance *user;

        if (strcmp(c->provider, instance))
            continue;
        has_users = true;
        user = portolan_assembly_peek_instance(a, c->user);
        if (portolan_class_uses(
                portolan_palette_find(w->palette, user->alternatives[user->selected].class_name),
                c->uses))
            return true;
    }
    return !has_users;
}

/* An instance that nobody uses makes no difference, so only its class as written is run. */
static bool is_distinct(const struct workbench *w)
{
    const struct portolan_assembly *a = w->assembly;

    for (size_t i = 0; i < a->n_instances; i++)
        if (a->instances[i].selected > 0 && !is_used(w, a->instances[i].name))
            return false;
    return true;
}

static bool trial_has_selection(const struct portolan_trial *t, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < t->n_implementations; i++) {
        const struct portolan_assembly_instance *instance =
            portolan_assembly_peek_instance(a, t->implementations[i].name);

        if (!instance || strcmp(instance->alternatives[instance->selected].class_name,
                                t->implementations[i].value))
            return false;
    }
    return true;
}

/* Whether the veto of any class in a trial that failed was lifted since. */
static bool is_lifted(const struct portolan_sample_set *set, const struct portolan_trial *t)
{
    for (size_t i = 0; i < set->n_lifted; i++) {
        const struct portolan_lifted_veto *x = &set->lifted[i];

        for (size_t k = 0; k < t->n_implementations; k++)
            if (t->id <= x->trial && !strcmp(x->assembly, t->assembly) &&
                !strcmp(x->instance, t->implementations[k].name) &&
                !strcmp(x->implementation, t->implementations[k].value))
                return true;
    }
    return false;
}

/* Whether it was run, and ended; what failed would fail again. */
static bool is_measured(const struct portolan_sample_set *set, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < set->n_trials; i++)
        if ((!strcmp(set->trials[i].outcome, "finished") ||
             (!strcmp(set->trials[i].outcome, "failed") && !is_lifted(set, &set->trials[i]))) &&
            portolan_trial_has_parameters(&set->trials[i], a) &&
            trial_has_selection(&set->trials[i], a))
            return true;
    return false;
}

static enum portolan_status write_selection(const struct measurement *m, struct orders *o,
                                            struct portolan_error *err)
{
    const struct portolan_assembly *a = m->w->assembly;
    struct portolan_text t = {0};
    char told[512] = "";

    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *instance = &a->instances[i];
        const char *name = instance->alternatives[instance->selected].class_name;
        size_t used = strlen(told);

        if (instance->n_alternatives < 2)
            continue;
        portolan_text_add(&t, "select %s %s\n", instance->name, name);
        if (is_used(m->w, instance->name))
            snprintf(told + used, sizeof told - used, " %s=%s", instance->name, name);
    }
    measure_say(m, told + (told[0] == ' '));
    portolan_progress("assemblies", m->combination - 1, count_combinations(a), true);
    return measure_take_orders(&t, o, err);
}

/* For --all-fixed: runs every combination of alternatives once, as the oracle of a choice. */
enum portolan_status measure_next_fixed(struct measurement *m, struct orders *o,
                                        struct portolan_error *err)
{
    struct portolan_sample_set *set = NULL;
    enum portolan_status status = measure_read_trials(m, false, &set, err);
    char text[128];
    bool found = false;

    if (status != PORTOLAN_OK)
        return status;
    while (!found && select_combination(m->w->assembly, m->combination)) {
        m->combination++;
        found = is_distinct(m->w) && !is_measured(set, m->w->assembly);
    }
    portolan_sample_set_destroy(set);
    if (found)
        return write_selection(m, o, err);
    portolan_progress_done("assemblies");
    snprintf(text, sizeof text,
             m->trials ? "done: %d fixed assemblies in %.1f s"
                       : "nothing to do: every fixed assembly is in the store (%d new, %.1f s)",
             m->trials, measure_spent_s(m));
    measure_say(m, text);
    return PORTOLAN_OK;
}
