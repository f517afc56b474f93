/* SPDX-License-Identifier: BSD-3-Clause */
/* Every assembly that the alternatives make, one after the other: the oracle of a choice. */
#include "measure.h"

#include <stdio.h>
#include <string.h>

/* Selects combination number N of the alternatives; false when there are not so many. */
static bool select_combination(struct portolan_assembly *a, size_t n)
{
    for (size_t i = 0; i < a->n_instances; i++) {
        struct portolan_assembly_instance *instance = &a->instances[i];

        instance->selected = n % instance->n_alternatives;
        n /= instance->n_alternatives;
    }
    return n == 0;
}

/* Somebody's selected class has the uses port that is connected to the instance. */
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

/* An instance that nobody uses makes no difference: only its class as written is run. */
static bool is_distinct(const struct workbench *w)
{
    const struct portolan_assembly *a = w->assembly;

    for (size_t i = 0; i < a->n_instances; i++)
        if (a->instances[i].selected > 0 && !is_used(w, a->instances[i].name))
            return false;
    return true;
}

/* As the assembly has the parameter now. */
static bool trial_has_parameter(const struct portolan_trial *t, const struct portolan_assembly *a,
                                const char *instance, const char *parameter)
{
    const char *now = portolan_assembly_peek_parameter(a, instance, parameter);
    char name[256];

    snprintf(name, sizeof name, "%s.%s", instance, parameter);
    for (size_t k = 0; now && k < t->n_parameters; k++)
        if (!strcmp(t->parameters[k].name, name) && !strcmp(t->parameters[k].value, now))
            return true;
    return false;
}

bool trial_has_parameters(const struct portolan_trial *t, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_sweeps; i++)
        if (!trial_has_parameter(t, a, a->sweeps[i].instance, a->sweeps[i].parameter))
            return false;
    for (size_t k = 0; k < a->n_case_columns; k++)
        if (a->case_columns[k].instance &&
            !trial_has_parameter(t, a, a->case_columns[k].instance, a->case_columns[k].parameter))
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

static bool is_measured(const struct portolan_sample_set *set, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < set->n_trials; i++)
        if (!strcmp(set->trials[i].outcome, "finished") &&
            trial_has_parameters(&set->trials[i], a) && trial_has_selection(&set->trials[i], a))
            return true;
    return false;
}

static enum portolan_status write_selection(const struct measurement *m, struct orders *o,
                                            struct portolan_error *err)
{
    const struct portolan_assembly *a = m->w->assembly;
    FILE *f = open_memstream(&o->text, &o->size);
    char told[512] = "";

    if (!f)
        return portolan_no_memory(err);
    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *instance = &a->instances[i];
        const char *name = instance->alternatives[instance->selected].class_name;
        size_t used = strlen(told);

        if (instance->n_alternatives < 2)
            continue;
        fprintf(f, "select %s %s\n", instance->name, name);
        if (is_used(m->w, instance->name))
            snprintf(told + used, sizeof told - used, " %s=%s", instance->name, name);
    }
    if (fclose(f))
        return portolan_no_memory(err);
    measure_say(m, told + (told[0] == ' '));
    return PORTOLAN_OK;
}

enum portolan_status next_fixed_orders(struct measurement *m, struct orders *o,
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
    snprintf(text, sizeof text,
             m->trials ? "done: %d fixed assemblies in %.1f s"
                       : "nothing to do: every fixed assembly is in the store (%d new, %.1f s)",
             m->trials, measure_spent_s(m));
    measure_say(m, text);
    return PORTOLAN_OK;
}
