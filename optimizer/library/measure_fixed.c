/* SPDX-License-Identifier: BSD-3-Clause */
/* `measure --all-fixed`: every assembly that the alternatives allow, once. */
#include "measure_internal.h"

#include <portolan/progress.h>
#include <portolan/trials.h>

#include <stdio.h>
#include <string.h>

static const struct portolan_assembly_instance *find_instance(const struct portolan_assembly *a,
                                                              const char *name)
{
    for (size_t i = 0; i < a->n_instances; i++)
        if (!strcmp(a->instances[i].name, name))
            return &a->instances[i];
    return NULL;
}

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

/* Returns whether a selected class has the uses port that is connected to the instance. */
static bool is_used(const struct session *s, const char *instance)
{
    const struct portolan_assembly *a = s->a;
    bool has_users = false;

    for (size_t i = 0; i < a->n_connections; i++) {
        const struct portolan_assembly_connection *c = &a->connections[i];
        const struct portolan_assembly_instance *user;

        if (strcmp(c->provider, instance))
            continue;
        has_users = true;
        user = find_instance(a, c->user);
        if (s->r->has_port(s->r->arg, user->alternatives[user->selected].class_name, c->uses))
            return true;
    }
    return !has_users;
}

/* Returns whether the combination differs from those before: an unused instance makes no
 * difference, so only its class as written is run. */
static bool is_distinct(const struct session *s)
{
    for (size_t i = 0; i < s->a->n_instances; i++)
        if (s->a->instances[i].selected > 0 && !is_used(s, s->a->instances[i].name))
            return false;
    return true;
}

static bool trial_has_selection(const struct portolan_trial *t, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < t->n_implementations; i++) {
        const struct portolan_assembly_instance *instance =
            find_instance(a, t->implementations[i].name);

        if (!instance || strcmp(instance->alternatives[instance->selected].class_name,
                                t->implementations[i].value))
            return false;
    }
    return true;
}

/* Returns whether the veto of any class in a trial that failed was lifted since. */
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

/* Returns whether it was run, and ended; what failed would fail again. */
static bool is_measured(const struct session *s, const struct portolan_sample_set *set)
{
    for (size_t i = 0; i < set->n_trials; i++) {
        const struct portolan_trial *t = &set->trials[i];

        if ((!strcmp(t->outcome, "finished") ||
             (!portolan_trial_counts(t) && !is_lifted(set, t))) &&
            s->r->has_parameters(s->r->arg, t) && trial_has_selection(t, s->a))
            return true;
    }
    return false;
}

static enum portolan_status write_selection(const struct session *s, char **orders,
                                            struct portolan_error *err)
{
    struct portolan_text t = {0};
    const struct portolan_assembly *a = s->a;
    char text[512] = "";

    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *instance = &a->instances[i];
        const char *name = instance->alternatives[instance->selected].class_name;
        size_t used = strlen(text);

        if (instance->n_alternatives < 2)
            continue;
        portolan_text_add(&t, "select %s %s\n", instance->name, name);
        if (is_used(s, instance->name))
            snprintf(text + used, sizeof text - used, " %s=%s", instance->name, name);
    }
    s->r->say(s->r->arg, text + (text[0] == ' '));
    portolan_progress("assemblies", s->combination - 1, count_combinations(a), true);
    return portolan_text_take(&t, orders, err);
}

/* Runs every combination of alternatives once, by which a choice can be judged. */
enum portolan_status measure_next_fixed(struct session *s, char **orders,
                                        struct portolan_error *err)
{
    const struct portolan_sample_set *set = NULL;
    enum portolan_status status = s->r->read(s->r->arg, false, &set, err);
    char text[128];
    bool found = false;

    if (status != PORTOLAN_OK)
        return status;
    while (!found && select_combination(s->a, s->combination)) {
        s->combination++;
        found = is_distinct(s) && !is_measured(s, set);
    }
    if (found)
        return write_selection(s, orders, err);
    portolan_progress_done("assemblies");
    snprintf(text, sizeof text,
             s->n_trials ? "done: %d fixed assemblies in %.1f s"
                         : "nothing to do: every fixed assembly is in the store (%d new, %.1f s)",
             s->n_trials, measure_spent_s(s));
    s->r->say(s->r->arg, text);
    return PORTOLAN_OK;
}
