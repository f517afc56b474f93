/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up what names of instances, classes and parameters stand for in assemblies and trials. */
#include "survey.h"

#include <stdlib.h>
#include <string.h>

size_t survey_variable_of(const struct survey *s, const char *instance)
{
    for (size_t v = 0; v < s->n_variables; v++)
        if (strcmp(s->variables[v].instance->name, instance) == 0)
            return v;
    return NONE;
}

static int compare_names(const void *left, const void *right)
{
    const struct survey_name *a = left, *b = right;
    int order = strcmp(a->name, b->name);

    return order ? order : (a->alternative > b->alternative) - (a->alternative < b->alternative);
}

void survey_sort_names(struct survey_variable *v)
{
    for (size_t k = 0; k < v->n; k++)
        v->names[k] = (struct survey_name){v->instance->alternatives[k].class_name, k};
    qsort(v->names, v->n, sizeof *v->names, compare_names);
}

size_t survey_alternative_of(const struct survey *s, size_t variable, const char *class_name)
{
    const struct survey_variable *v = &s->variables[variable];
    size_t from = 0, to = v->n; /* the first that is not before CLASS_NAME */

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (strcmp(v->names[middle].name, class_name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < v->n && !strcmp(v->names[from].name, class_name) ? v->names[from].alternative
                                                                   : NONE;
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
