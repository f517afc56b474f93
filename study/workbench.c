/* SPDX-License-Identifier: BSD-3-Clause */
/* An assembly with its palette: the first step of all that works on assemblies. */
#include <portolan/study.h>

#include <stdlib.h>
#include <string.h>

static const struct portolan_class_description *
class_of(const struct workbench *w, const struct portolan_assembly_alternative *alternative)
{
    return portolan_palette_find(w->palette, alternative->class_name);
}

/* The palette's description of a parameter of an alternative's class; NULL if it has none. */
static const struct portolan_parameter_description *
describe(const struct workbench *w, const struct portolan_assembly_alternative *alternative,
         const char *parameter)
{
    const struct portolan_class_description *c = class_of(w, alternative);

    return c ? portolan_class_parameter(c, parameter) : NULL;
}

static bool has_parameter(const struct workbench *w, const struct portolan_assembly_instance *i,
                          const char *parameter)
{
    for (size_t k = 0; k < i->n_alternatives; k++)
        if (describe(w, &i->alternatives[k], parameter))
            return true;
    return false;
}

/* The only instance that has a parameter of this name; NULL (with a cause) if none or several. */
static const char *find_owner(const struct workbench *w, const char *parameter,
                              struct portolan_error *err)
{
    const struct portolan_assembly *a = w->assembly;
    const char *owner = NULL;

    for (size_t i = 0; i < a->n_instances; i++) {
        const char *name = a->instances[i].name;

        if (!has_parameter(w, &a->instances[i], parameter))
            continue;
        if (owner) {
            portolan_error_set(err, PORTOLAN_EINVAL,
                               "both '%s' and '%s' have parameter '%s'; write '%s.%s'", owner, name,
                               parameter, owner, parameter);
            return NULL;
        }
        owner = name;
    }
    if (!owner)
        portolan_error_set(err, PORTOLAN_ENOTFOUND, "no instance of '%s' has parameter '%s'",
                           a->file, parameter);
    return owner;
}

enum portolan_status workbench_set_of(struct workbench *w, const char *instance,
                                      const char *parameter, const char *text,
                                      struct portolan_error *err)
{
    const struct portolan_assembly_instance *i =
        portolan_assembly_peek_instance(w->assembly, instance);
    struct portolan_error unstated = {0};
    enum portolan_status status =
        portolan_assembly_set(w->assembly, instance, parameter, text, &unstated);

    if (status != PORTOLAN_ENOTFOUND || !i || !has_parameter(w, i, parameter)) {
        if (status != PORTOLAN_OK)
            portolan_error_set(err, status, "%s", unstated.text);
        return status;
    }
    status = PORTOLAN_OK;
    for (size_t k = 0; status == PORTOLAN_OK && k < i->n_alternatives; k++) {
        const struct portolan_parameter_description *d =
            describe(w, &i->alternatives[k], parameter);

        if (d)
            status = portolan_assembly_add_parameter(
                w->assembly, instance, k,
                &(struct portolan_assembly_parameter){
                    .name = parameter, .type = d->type, .is_array = d->is_array, .text = text},
                err);
    }
    return status;
}

enum portolan_status workbench_set(struct workbench *w, const char *parameter, const char *text,
                                   struct portolan_error *err)
{
    const char *dot = strchr(parameter, '.'), *owner;
    char *instance = portolan_strdup(parameter);
    struct portolan_error unowned = {0};
    enum portolan_status status;

    if (!instance)
        return portolan_no_memory(err);
    if (dot)
        instance[dot - parameter] = '\0';
    /* A parameter's name may have a dot, too. */
    if ((!dot || !portolan_assembly_peek_instance(w->assembly, instance)) &&
        (owner = find_owner(w, parameter, &unowned)))
        status = workbench_set_of(w, owner, parameter, text, err);
    else if (dot)
        status = workbench_set_of(w, instance, dot + 1, text, err);
    else
        status = portolan_error_set(err, unowned.status, "%s", unowned.text);
    free(instance);
    return status;
}

static enum portolan_status obey(struct portolan_assembly *a, char *line,
                                 struct portolan_error *err)
{
    char *verb = strsep(&line, " "), *instance = strsep(&line, " "), *parameter;

    if (!strcmp(verb, "select"))
        return portolan_assembly_select(a, instance, line, err);
    parameter = strsep(&line, " ");
    return portolan_assembly_set(a, instance, parameter, line, err);
}

enum portolan_status workbench_obey(struct workbench *w, const char *orders,
                                    struct portolan_error *err)
{
    char *text = portolan_strdup(orders), *rest = text, *line;
    enum portolan_status status = text ? PORTOLAN_OK : portolan_no_memory(err);

    while (status == PORTOLAN_OK && (line = strsep(&rest, "\n")))
        if (*line)
            status = obey(w->assembly, line, err);
    free(text);
    return status;
}

/* The first instance whose class provides a port of TYPE and has PARAMETER, if that is not NULL. */
static const char *find_provider(const struct workbench *w, const char *type, const char *parameter)
{
    for (size_t i = 0; i < w->assembly->n_instances; i++) {
        const struct portolan_assembly_instance *instance = &w->assembly->instances[i];
        const struct portolan_class_description *c = class_of(w, &instance->alternatives[0]);

        for (size_t k = 0; c && k < c->n_provides; k++)
            if (!strcmp(c->provides[k].type, type) &&
                (!parameter || portolan_class_parameter(c, parameter)))
                return instance->name;
    }
    return NULL;
}

/* The instance that keeps an experiment store, and has a parameter for its file; NULL: none. */
static const char *find_keeper(const struct workbench *w)
{
    return find_provider(w, "portolan.ports.Monitor", "store");
}

bool workbench_is_diagnosed(const struct workbench *w)
{
    return find_provider(w, "portolan.ports.Diagnosis", NULL);
}

const char *workbench_peek_store(const struct workbench *w)
{
    const char *keeper = w->store ? NULL : find_keeper(w), *file;

    if (!keeper)
        return w->store;
    file = portolan_assembly_peek_parameter(w->assembly, keeper, "store");
    if (file)
        return file;
    return describe(w, portolan_assembly_peek_instance(w->assembly, keeper)->alternatives, "store")
        ->default_text;
}

enum portolan_status workbench_put_store(struct workbench *w, const char *file,
                                         struct portolan_error *err)
{
    const char *keeper = find_keeper(w);

    if (!keeper)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "'%s' has no instance with an experiment store",
                                  w->assembly->file);
    return workbench_set_of(w, keeper, "store", file, err);
}

enum portolan_status workbench_open_palette(struct workbench *w, const char *path,
                                            struct portolan_diagnostics *d,
                                            struct portolan_error *err)
{
    enum portolan_status status = portolan_palette_create(&w->palette, err);

    if (status == PORTOLAN_OK && path)
        status = portolan_palette_add_path(w->palette, path, d, err);
    if (status == PORTOLAN_OK)
        status = portolan_palette_add_assembly(w->palette, w->assembly, d, err);
    if (status == PORTOLAN_OK)
        status = portolan_palette_add_defaults(w->palette, d, err);
    return status;
}

/* Weak: a linked program without an Optimizer does not need models. */
#pragma weak portolan_plan_check_models

enum portolan_status workbench_check(const struct workbench *w, struct portolan_diagnostics *d)
{
    enum portolan_status status = portolan_assembly_check(w->assembly, w->palette, d);

    return status || !portolan_plan_check_models ? status
                                                 : portolan_plan_check_models(w->assembly, d);
}

void workbench_close(struct workbench *w)
{
    portolan_assembly_destroy(w->assembly);
    portolan_palette_destroy(w->palette);
    *w = (struct workbench){0};
}
