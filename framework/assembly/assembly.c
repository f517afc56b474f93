/* SPDX-License-Identifier: BSD-3-Clause */
#include "assembly.h"

#include <portolan/options.h>

#include <string.h>

#include "value.h"

struct portolan_assembly_instance *
portolan_assembly_peek_instance(const struct portolan_assembly *a, const char *name)
{
    const struct portolan_assembly_program *p = a->program;
    struct portolan_assembly_instance *i =
        named_find(a->instances, a->n_instances, sizeof *a->instances, name);

    return i || !p ? i : named_find(p->options, p->n_options, sizeof *p->options, name);
}

const char *assembly_nearest_instance(const struct portolan_assembly *a, const char *name)
{
    const struct portolan_assembly_program *p = a->program;

    return p ? named_nearest(p->options, p->n_options, sizeof *p->options, name)
             : named_nearest(a->instances, a->n_instances, sizeof *a->instances, name);
}

const struct portolan_assembly_parameter *
assembly_parameter(const struct portolan_assembly_alternative *alternative, const char *name)
{
    return named_find(alternative->parameters, alternative->n_parameters,
                      sizeof *alternative->parameters, name);
}

bool assembly_is_inherited(const struct portolan_assembly_instance *instance,
                           const struct portolan_assembly_parameter *parameter)
{
    for (size_t k = 0; k < instance->n_alternatives; k++) {
        const struct portolan_assembly_parameter *p =
            assembly_parameter(&instance->alternatives[k], parameter->name);

        /* Only parameters read from one element share the text of their name. */
        if (p && p != parameter && p->name == parameter->name)
            return true;
    }
    return false;
}

const struct portolan_assembly_parameter *
assembly_any_parameter(const struct portolan_assembly_instance *instance, const char *name)
{
    const struct portolan_assembly_parameter *p = NULL;

    for (size_t k = 0; !p && k < instance->n_alternatives; k++)
        p = assembly_parameter(&instance->alternatives[k], name);
    return p;
}

const char *portolan_assembly_peek_parameter(const struct portolan_assembly *a,
                                             const char *instance, const char *parameter)
{
    const struct portolan_assembly_instance *i = portolan_assembly_peek_instance(a, instance);
    const struct portolan_assembly_parameter *p =
        i ? assembly_parameter(&i->alternatives[i->selected], parameter) : NULL;

    return p ? p->text : NULL;
}

int portolan_assembly_steps(const struct portolan_assembly *a)
{
    const char *text = a->steps_instance ? portolan_assembly_peek_parameter(a, a->steps_instance,
                                                                            a->steps_parameter)
                                         : NULL;
    int64_t steps;

    return text && portolan_read_int64(text, &steps) && steps > 0 && steps < INT32_MAX ? (int)steps
                                                                                       : 0;
}

static enum portolan_status unknown_instance(const struct portolan_assembly *a, const char *name,
                                             struct portolan_error *err)
{
    const char *near = assembly_nearest_instance(a, name);

    return portolan_error_set(err, PORTOLAN_ENOTFOUND, "assembly '%s' has no instance '%s'%s",
                              a->name, name, portolan_did_you_mean(near).text);
}

enum portolan_status assembly_unknown_parameter(const struct portolan_assembly_instance *i,
                                                const char *name, struct portolan_error *err)
{
    const char *near = NULL;

    for (size_t k = 0; k < i->n_alternatives; k++)
        for (size_t p = 0; p < i->alternatives[k].n_parameters; p++)
            near = nearer_word(name, near, i->alternatives[k].parameters[p].name);
    return portolan_error_set(err, PORTOLAN_ENOTFOUND, "instance '%s' is given no parameter '%s'%s",
                              i->name, name, portolan_did_you_mean(near).text);
}

enum portolan_status portolan_assembly_set(struct portolan_assembly *a, const char *instance,
                                           const char *parameter, const char *text,
                                           struct portolan_error *err)
{
    struct portolan_assembly_instance *i = portolan_assembly_peek_instance(a, instance);
    struct assembly_impl *impl = a->impl;
    const struct portolan_assembly_parameter *any;
    char *copy;

    if (!i)
        return unknown_instance(a, instance, err);
    if (!(any = assembly_any_parameter(i, parameter)))
        return assembly_unknown_parameter(i, parameter, err);
    if (!value_fits(any->type, any->is_array, text))
        return portolan_error_set(err, PORTOLAN_ESYNTAX,
                                  "value '%s' for parameter '%s' of '%s' is not %s", text,
                                  parameter, instance, value_expected(any->type));
    if (!(copy = portolan_arena_strdup(&impl->arena, text)))
        return portolan_no_memory(err);
    for (size_t k = 0; k < i->n_alternatives; k++) {
        const struct portolan_assembly_parameter *p =
            assembly_parameter(&i->alternatives[k], parameter);

        if (p)
            i->alternatives[k].parameters[p - i->alternatives[k].parameters].text = copy;
    }
    return PORTOLAN_OK;
}

enum portolan_status portolan_assembly_add_parameter(
    struct portolan_assembly *a, const char *instance, size_t alternative,
    const struct portolan_assembly_parameter *parameter, struct portolan_error *err)
{
    struct portolan_assembly_instance *i = portolan_assembly_peek_instance(a, instance);
    struct assembly_impl *impl = a->impl;
    struct portolan_assembly_alternative *x;
    struct portolan_assembly_parameter *more;

    if (!i)
        return unknown_instance(a, instance, err);
    x = &i->alternatives[alternative];
    if (assembly_parameter(x, parameter->name))
        return portolan_error_set(err, PORTOLAN_EEXISTS, "instance '%s' has parameter '%s'",
                                  instance, parameter->name);
    if (!value_fits(parameter->type, parameter->is_array, parameter->text))
        return portolan_error_set(
            err, PORTOLAN_ESYNTAX, "value '%s' for parameter '%s' of '%s' is not %s",
            parameter->text, parameter->name, instance, value_expected(parameter->type));
    more = portolan_arena_alloc(&impl->arena, x->n_parameters + 1, sizeof *more);
    if (more && x->n_parameters)
        memcpy(more, x->parameters, x->n_parameters * sizeof *more);
    if (more) {
        more[x->n_parameters] = *parameter;
        more[x->n_parameters].name = portolan_arena_strdup(&impl->arena, parameter->name);
        more[x->n_parameters].text = portolan_arena_strdup(&impl->arena, parameter->text);
    }
    if (!more || !more[x->n_parameters].name || !more[x->n_parameters].text)
        return portolan_no_memory(err);
    x->parameters = more;
    x->n_parameters++;
    return PORTOLAN_OK;
}

/* Finds the instance, and its alternative of that class. */
static enum portolan_status find_alternative(struct portolan_assembly *a, const char *instance,
                                             const char *class_name,
                                             struct portolan_assembly_instance **of,
                                             struct portolan_assembly_alternative **alternative,
                                             struct portolan_error *err)
{
    struct portolan_assembly_instance *i = *of = portolan_assembly_peek_instance(a, instance);
    const size_t size = sizeof **alternative;
    const char *near;

    if (!i)
        return unknown_instance(a, instance, err);
    if ((*alternative = named_find(i->alternatives, i->n_alternatives, size, class_name)))
        return PORTOLAN_OK;
    near = named_nearest(i->alternatives, i->n_alternatives, size, class_name);
    return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                              "class '%s' is not an alternative of instance '%s'%s", class_name,
                              instance, portolan_did_you_mean(near).text);
}

/* If I is an option of a program, the combination as written changes with it. */
static enum portolan_status settle(struct portolan_assembly *a,
                                   const struct portolan_assembly_instance *i,
                                   struct portolan_error *err)
{
    return a->program && i != a->instances ? portolan_options_settle(a, err) : PORTOLAN_OK;
}

enum portolan_status portolan_assembly_select(struct portolan_assembly *a, const char *instance,
                                              const char *class_name, struct portolan_error *err)
{
    struct portolan_assembly_instance *i;
    struct portolan_assembly_alternative *x;
    enum portolan_status status = find_alternative(a, instance, class_name, &i, &x, err);

    if (status)
        return status;
    i->selected = (size_t)(x - i->alternatives);
    return settle(a, i, err);
}

enum portolan_status portolan_assembly_pin(struct portolan_assembly *a, const char *instance,
                                           const char *class_name, struct portolan_error *err)
{
    struct portolan_assembly_instance *i;
    struct portolan_assembly_alternative *x;
    enum portolan_status status = find_alternative(a, instance, class_name, &i, &x, err);

    for (size_t k = 0; !status && k < i->n_alternatives; k++)
        i->alternatives[k].is_pinned = false;
    if (status)
        return status;
    x->is_pinned = true;
    x->is_forbidden = false;
    assembly_leave_excluded(i);
    return settle(a, i, err);
}

enum portolan_status portolan_assembly_forbid(struct portolan_assembly *a, const char *instance,
                                              const char *class_name, struct portolan_error *err)
{
    struct portolan_assembly_instance *i;
    struct portolan_assembly_alternative *x;
    enum portolan_status status = find_alternative(a, instance, class_name, &i, &x, err);
    size_t left = 0;

    for (size_t k = 0; !status && k < i->n_alternatives; k++)
        left += &i->alternatives[k] != x && !i->alternatives[k].is_forbidden;
    if (status)
        return status;
    if (!left)
        return portolan_error_set(err, PORTOLAN_EINFEASIBLE,
                                  "all alternatives of instance '%s' would be forbidden", instance);
    x->is_forbidden = true;
    x->is_pinned = false;
    assembly_leave_excluded(i);
    return settle(a, i, err);
}

void assembly_leave_excluded(struct portolan_assembly_instance *i)
{
    for (size_t k = 0; k < i->n_alternatives; k++)
        if (!portolan_assembly_may_run(i, i->selected) && portolan_assembly_may_run(i, k))
            i->selected = k;
}

void portolan_assembly_destroy(struct portolan_assembly *a)
{
    struct assembly_impl *impl;
    struct portolan_arena arena;

    if (!a)
        return;
    impl = a->impl;
    arena = impl->arena; /* the arena contains the assembly and the arena's own head */
    portolan_arena_clear(&arena);
}

const struct portolan_assembly_instance *assembly_known_instance(const struct portolan_assembly *a,
                                                                 struct portolan_diagnostics *d,
                                                                 const char *name, int line,
                                                                 const char *where)
{
    const struct portolan_assembly_instance *i = portolan_assembly_peek_instance(a, name);

    if (!i)
        portolan_diagnose(d, a->file, line, 0, "unknown instance '%s' in %s%s", name, where,
                          portolan_did_you_mean(assembly_nearest_instance(a, name)).text);
    return i;
}

bool assembly_read_flag(const struct xml_element *e, const char *attribute,
                        struct portolan_diagnostics *d)
{
    const char *word = xml_value(e, attribute);

    if (word && strcmp(word, "yes") != 0 && strcmp(word, "no") != 0)
        xml_complain(d, e, attribute, "'%s' is '%.100s'; write \"yes\" or \"no\"", attribute, word);
    return word && !strcmp(word, "yes");
}

void assembly_read_double(struct assembly_reader *r, const struct xml_element *e,
                          const char *attribute, double *value)
{
    const char *text = xml_value(e, attribute);
    double v;

    if (text && portolan_read_double(text, &v) && v >= 0)
        *value = v;
    else if (text)
        xml_complain(r->d, e, attribute,
                     "'%s' is '%.100s'; it must be a number that is not negative", attribute, text);
}

void assembly_require_text(struct assembly_reader *r, const struct xml_element *e)
{
    for (size_t i = 0; i < e->n_attributes; i++)
        if (!*e->attributes[i].value && strcmp(e->attributes[i].name, "value") &&
            strcmp(e->attributes[i].name, "words"))
            xml_complain(r->d, e, e->attributes[i].name, "'%s' of <%s> is empty",
                         e->attributes[i].name, e->name);
}
