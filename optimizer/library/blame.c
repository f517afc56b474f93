/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes that ended the process of a trial, as the store blames them, and classes that ran well.
 */
#include "survey.h"

#include <string.h>

bool survey_blames(const struct portolan_trial *t, const char *instance, const char *class_name)
{
    size_t prefix = strlen(PORTOLAN_STORE_BLAMED);

    for (size_t i = 0; i < t->n_metadata; i++)
        if (!strncmp(t->metadata[i].name, PORTOLAN_STORE_BLAMED, prefix) &&
            (!instance || (!strcmp(t->metadata[i].name + prefix, instance) &&
                           !strcmp(t->metadata[i].value, class_name))))
            return true;
    return false;
}

/* Returns whether T, a trial whose assembly did not change, ended well with the class. */
static bool ended_well(const struct portolan_trial *t, const char *instance, const char *class_name)
{
    const char *ran = portolan_peek_value(t->implementations, t->n_implementations, instance);

    return !strcmp(t->outcome, "finished") && strcmp(t->purpose, "run") != 0 && ran &&
           !strcmp(ran, class_name);
}

bool survey_is_blamed(const struct survey *s, const struct survey_trial *u, const char *instance,
                      const char *class_name)
{
    if (!survey_blames(u->trial, instance, class_name) ||
        survey_is_lifted(s, u->trial->id, instance, class_name))
        return false;
    for (size_t i = 0; i < s->n_trials; i++)
        if (s->trials[i].point == u->point && s->trials[i].trial->id > u->trial->id &&
            ended_well(s->trials[i].trial, instance, class_name))
            return false;
    return true;
}

static bool is_of_host(const struct portolan_trial *t, const char *host)
{
    const char *its = portolan_trial_peek_fact(t, "host");

    return !host || !its || !strcmp(its, host);
}

const struct portolan_trial *portolan_plan_peek_blame(const struct portolan_sample_set *data,
                                                      const struct portolan_assembly *a,
                                                      const char *host, const char *instance,
                                                      const char *class_name)
{
    const struct survey lifts = {.a = a, .data = data};
    const struct portolan_trial *found = NULL;

    for (size_t i = 0; i < data->n_trials; i++) {
        const struct portolan_trial *t = &data->trials[i];

        if (strcmp(t->assembly, a->name) != 0 || !is_of_host(t, host))
            continue;
        if (survey_blames(t, instance, class_name) &&
            !survey_is_lifted(&lifts, t->id, instance, class_name))
            found = t;
        else if (ended_well(t, instance, class_name))
            found = NULL;
    }
    return found;
}

bool portolan_plan_ran_well(const struct portolan_sample_set *data,
                            const struct portolan_assembly *a, const char *host,
                            const char *instance, const char *class_name)
{
    const struct portolan_trial *t = data->trials, *end = t + data->n_trials;

    for (size_t i = 0; i < data->n_samples; i++) {
        const struct portolan_sample *x = &data->samples[i];

        if (x->calls < 1 || x->failed_calls || strcmp(x->instance, instance) != 0 ||
            strcmp(x->implementation, class_name) != 0)
            continue;
        while (t < end && t->id < x->trial) /* both lists are sorted by trial */
            t++;
        if (t < end && t->id == x->trial && !strcmp(t->assembly, a->name) && is_of_host(t, host) &&
            !strcmp(t->outcome, "finished"))
            return true;
    }
    return false;
}

enum portolan_status portolan_plan_report_blames(const struct portolan_sample_set *data,
                                                 const struct portolan_assembly *a, char **text,
                                                 struct portolan_error *err)
{
    struct portolan_text out = {0};

    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; a->instances[i].n_alternatives > 1 && k < a->instances[i].n_alternatives;
             k++) {
            const char *name = a->instances[i].name;
            const char *class_name = a->instances[i].alternatives[k].class_name;
            const struct portolan_trial *t =
                portolan_plan_peek_blame(data, a, NULL, name, class_name);
            const char *why = t ? portolan_trial_peek_fact(t, "failure") : NULL;

            if (t)
                portolan_text_add(&out, "%s=%s  %s, in trial %lld\n", name, class_name,
                                  why ? why : "failed", (long long)t->id);
        }
    return portolan_text_take(&out, text, err);
}
