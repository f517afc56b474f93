/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a trial says something of an assembly as it is now: apart, since it needs libportolan. */
#include <portolan/measure.h>

#include <stdio.h>
#include <string.h>

/* Returns whether the trial had the parameter's present value. */
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

bool portolan_trial_has_parameters(const struct portolan_trial *t,
                                   const struct portolan_assembly *a)
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
