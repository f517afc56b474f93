/* SPDX-License-Identifier: BSD-3-Clause */
/* Which combinations of a program's options are looked at, and what stored trials say of them. */
#include <portolan/options.h>
#include <portolan/trials.h>
#include <portolan/tune.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tune_has_parameters(const struct portolan_assembly *a, const struct portolan_trial *t)
{
    const struct portolan_assembly_alternative *x = a->instances[0].alternatives;

    /* The last is the command, which differs between combinations. */
    for (size_t i = 0; i + 1 < x->n_parameters; i++) {
        char *name = portolan_asprintf("%s.%s", a->program->name, x->parameters[i].name);
        const char *own = name ? portolan_peek_value(t->parameters, t->n_parameters, name) : NULL;
        bool same = own && !strcmp(own, x->parameters[i].text);

        free(name);
        if (!same)
            return false;
    }
    return true;
}

enum portolan_status tune_offer(struct portolan_assembly *a, const char *changes_of, bool *is_race,
                                bool *grew, struct portolan_error *err)
{
    size_t before = a->instances[0].n_alternatives, k = 0;
    enum portolan_status status = PORTOLAN_OK;

    *is_race = portolan_options_count(a, TUNE_MOST_OF_ALL + 1) > TUNE_MOST_OF_ALL;
    if (!*is_race)
        status = portolan_options_offer_all(a, err);
    while (*is_race && changes_of &&
           strcmp(a->instances[0].alternatives[k].class_name, changes_of) != 0)
        k++;
    if (*is_race)
        status = portolan_options_offer_changes(a, k, 1, SIZE_MAX, err);
    /* Options that only help together are found once no single change does. */
    if (!status && *is_race && changes_of && a->instances[0].n_alternatives == before)
        status = portolan_options_offer_changes(a, k, 2, TUNE_MOST_PAIRS, err);
    *grew = a->instances[0].n_alternatives > before;
    return status;
}

enum portolan_status tune_draw(struct portolan_assembly *a, bool *grew, struct portolan_error *err)
{
    size_t before = a->instances[0].n_alternatives;
    enum portolan_status status =
        before < TUNE_MOST_DRAWN ? portolan_options_offer_drawn(a, err) : PORTOLAN_OK;

    *grew = a->instances[0].n_alternatives > before;
    return status;
}

enum portolan_status tune_offer_measured(struct portolan_assembly *a,
                                         const struct portolan_sample_set *set,
                                         struct portolan_error *err)
{
    struct portolan_error other = {0};

    for (size_t i = 0; i < set->n_trials; i++) {
        const struct portolan_trial *t = &set->trials[i];
        const char *text =
            portolan_peek_value(t->implementations, t->n_implementations, a->program->name);

        if (text && portolan_options_offer(a, text, &other) == PORTOLAN_ENOMEM)
            return portolan_no_memory(err);
    }
    return PORTOLAN_OK; /* trials with other options do not count */
}

/* Returns whether T ran with values that are at least the present ones, of all that are varied but
 * NAME. */
static bool is_as_large_besides(const struct portolan_assembly *a, const struct portolan_trial *t,
                                const char *name)
{
    bool so_large = true;

    for (size_t i = 0; so_large && i < a->n_sweeps; i++) {
        char other[256];
        double own, wanted;

        snprintf(other, sizeof other, "%s.%s", a->sweeps[i].instance, a->sweeps[i].parameter);
        if (a->sweeps[i].varies && strcmp(other, name) != 0 &&
            portolan_read_double(portolan_peek_value(t->parameters, t->n_parameters, other),
                                 &own) &&
            portolan_read_double(
                portolan_assembly_peek_parameter(a, a->sweeps[i].instance, a->sweeps[i].parameter),
                &wanted))
            so_large = own >= wanted;
    }
    return so_large;
}

/* The largest value of NAME in trials of a combination that ended, or (GOOD) ended well, among
 * those as large in all else (A NULL: among all); COMBINATION NULL: of any; -INFINITY: none. */
static double largest(const struct portolan_assembly *a, const struct portolan_sample_set *set,
                      const char *program, const char *name, const char *combination, bool good)
{
    double most = -INFINITY, x;

    for (size_t i = 0; i < set->n_trials; i++) {
        const struct portolan_trial *t = &set->trials[i];
        const char *own = portolan_peek_value(t->implementations, t->n_implementations, program);
        const char *value = portolan_peek_value(t->parameters, t->n_parameters, name);

        if ((good ? !strcmp(t->outcome, "finished") : strcmp(t->outcome, "running") != 0) && own &&
            value && portolan_read_double(value, &x) &&
            (!combination || !strcmp(own, combination)) && (!a || is_as_large_besides(a, t, name)))
            most = fmax(most, x);
    }
    return most;
}

static enum portolan_status restrict_to_known(struct portolan_assembly *a,
                                              const struct portolan_sample_set *set,
                                              const char *name, struct portolan_error *err)
{
    const struct portolan_assembly_instance *i = a->instances;
    double most = largest(a, set, i->name, name, NULL, true);
    enum portolan_status status = PORTOLAN_OK;

    for (size_t k = 1; !status && k < i->n_alternatives; k++) {
        const char *own_name = i->alternatives[k].class_name;
        double own = largest(a, set, i->name, name, own_name, true);
        double tried = largest(a, set, i->name, name, own_name, false);
        char text[300];

        if (tried == -INFINITY) { /* it was never so large in anything */
            own = largest(NULL, set, i->name, name, own_name, true);
            tried = largest(NULL, set, i->name, name, own_name, false);
        }
        snprintf(text, sizeof text, "%s <= %.17g", name, own);
        /* What failed or was stopped at a larger value is excluded by that. */
        if (own < most && own > -INFINITY && own == tried)
            status = portolan_options_restrict(a, k, text, err);
    }
    return status;
}

enum portolan_status tune_offer_known(struct portolan_assembly *a,
                                      const struct portolan_sample_set *set,
                                      struct portolan_error *err)
{
    enum portolan_status status = tune_offer_measured(a, set, err);

    for (size_t i = 0; !status && i < a->n_sweeps; i++) {
        char name[256];

        snprintf(name, sizeof name, "%s.%s", a->sweeps[i].instance, a->sweeps[i].parameter);
        if (a->sweeps[i].varies)
            status = restrict_to_known(a, set, name, err);
    }
    return status;
}

enum portolan_status tune_select(struct portolan_assembly *a, const char *combination,
                                 struct portolan_error *err)
{
    char *copy = portolan_strdup(combination), *rest = copy, *name;
    enum portolan_status status = copy ? PORTOLAN_OK : portolan_no_memory(err);

    while (!status && (name = strsep(&rest, " "))) {
        char *value = strchr(name, '=');

        if (!value)
            continue; /* the program has no options */
        *value++ = '\0';
        status = portolan_assembly_select(a, name, value, err);
    }
    free(copy);
    return status;
}
