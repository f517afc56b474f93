/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up what names of instances, classes and parameters stand for in assemblies and trials. */
#include "survey.h"

#include <string.h>

size_t survey_variable_of(const struct survey *s, const char *instance)
{
    for (size_t v = 0; v < s->n_variables; v++)
        if (strcmp(s->variables[v].instance->name, instance) == 0)
            return v;
    return NONE;
}

size_t survey_alternative_of(const struct survey *s, size_t variable, const char *class_name)
{
    for (size_t a = 0; a < s->variables[variable].n; a++)
        if (strcmp(s->variables[variable].instance->alternatives[a].class_name, class_name) == 0)
            return a;
    return NONE;
}

const char *survey_set_text(const struct portolan_assembly *a, const char *instance,
                            const char *parameter)
{
    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &a->instances[i];
        const struct portolan_assembly_alternative *now = &x->alternatives[x->selected];

        for (size_t k = 0; !strcmp(x->name, instance) && k < now->n_parameters; k++)
            if (strcmp(now->parameters[k].name, parameter) == 0)
                return now->parameters[k].text;
    }
    return NULL;
}

int survey_read_steps(const char *text)
{
    int64_t steps;

    return portolan_read_int64(text, &steps) && steps > 0 && steps < INT32_MAX ? (int)steps : 0;
}

size_t survey_inputs(const struct survey *s, const double *values, double *x)
{
    size_t n = 0;

    for (size_t d = 0; d < s->n_dims && n < MAX_INPUTS; d++)
        if (s->dims[d].numeric)
            x[n++] = values[d];
    return n;
}

bool survey_is_parameter(const char *name, const char *instance, const char *parameter)
{
    size_t length = strlen(instance);

    return strncmp(name, instance, length) == 0 && name[length] == '.' &&
           strcmp(name + length + 1, parameter) == 0;
}

const char *survey_written_text(const struct portolan_assembly *a,
                                const struct portolan_assembly_instance *own, size_t alternative,
                                const char *name)
{
    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &a->instances[i];
        const struct portolan_assembly_alternative *now =
            &x->alternatives[x == own ? alternative : x->selected];

        for (size_t k = 0; k < now->n_parameters; k++)
            if (survey_is_parameter(name, x->name, now->parameters[k].name))
                return now->parameters[k].text;
    }
    return NULL;
}

const char *survey_trial_parameter(const struct portolan_trial *t, const char *instance,
                                   const char *parameter)
{
    for (size_t i = 0; i < t->n_parameters; i++)
        if (survey_is_parameter(t->parameters[i].name, instance, parameter))
            return t->parameters[i].value;
    return NULL;
}

static bool may_be_number(const char *text)
{
    return (text[0] >= '0' && text[0] <= '9') || strchr("+-. \tiInN", text[0]);
}

bool survey_same_value(const char *a, const char *b)
{
    double x, y;

    if (!a || !b)
        return a == b;
    if (strcmp(a, b) == 0)
        return true;
    if (!may_be_number(a) || !may_be_number(b)) /* saves time: reading numbers is slow */
        return false;
    if (portolan_read_double(a, &x) && portolan_read_double(b, &y))
        return x == y;
    return false;
}
