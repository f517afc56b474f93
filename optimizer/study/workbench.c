/* SPDX-License-Identifier: BSD-3-Clause */
/* An assembly with its palette: the first step of every command on assemblies. */
#include <portolan/optimizer.h>
#include <portolan/program.h>
#include <portolan/workbench.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void workbench_clear_lists(struct assembly_options *o)
{
    free(o->sets);
    free(o->selects);
    free(o->pins);
    free(o->forbids);
    free(o->cases);
    o->sets = o->selects = o->pins = o->forbids = o->cases = NULL;
    o->n_sets = o->n_selects = o->n_pins = o->n_forbids = o->n_cases = 0;
}

static const struct portolan_class_description *
class_of(const struct workbench *w, const struct portolan_assembly_alternative *alternative)
{
    return w->palette ? portolan_palette_find(w->palette, alternative->class_name) : NULL;
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

/* The name that is nearest to PARAMETER, of all that the classes have; NULL: none is near. */
static const char *near_parameter(const struct workbench *w, const char *parameter)
{
    const char *near = NULL;

    for (size_t i = 0; i < w->assembly->n_instances; i++)
        for (size_t k = 0; !near && k < w->assembly->instances[i].n_alternatives; k++) {
            const struct portolan_class_description *c =
                class_of(w, &w->assembly->instances[i].alternatives[k]);

            if (c && c->n_parameters)
                near = portolan_nearest_member(parameter, &c->parameters[0].name, c->n_parameters,
                                               sizeof c->parameters[0]);
        }
    return near;
}

/* The only instance that has a parameter of this name; NULL (with a cause) if none or several. */
static const char *find_owner(const struct workbench *w, const char *parameter,
                              struct portolan_error *err)
{
    const struct portolan_assembly *a = w->assembly;
    const char *owner = a->program ? a->program->name : NULL;

    for (size_t i = 0; i < a->n_instances && !a->program; i++) {
        const char *name = a->instances[i].name;

        if (!has_parameter(w, &a->instances[i], parameter))
            continue;
        if (owner) {
            portolan_error_set(err, PORTOLAN_EINVAL,
                               "both '%s' and '%s' have this parameter; write %s.%s=VALUE", owner,
                               name, owner, parameter);
            return NULL;
        }
        owner = name;
    }
    if (!owner)
        portolan_error_set(err, PORTOLAN_ENOTFOUND, "no instance of '%s' has this parameter%s",
                           a->file, portolan_did_you_mean(near_parameter(w, parameter)).text);
    return owner;
}

/* Sets a parameter that the assembly states, or else one that the description of a class has. */
static enum portolan_status set_parameter(struct workbench *w, const char *instance,
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

enum portolan_status apply_set(struct workbench *w, const char *text, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    char *copy = portolan_strdup(text), *value, *dot;
    const char *instance = copy, *parameter;

    if (!copy)
        return portolan_error_set(err, status, "out of memory");
    value = strchr(copy, '=');
    *value++ = '\0';
    dot = strchr(copy, '.');
    if (dot) {
        *dot = '\0';
        parameter = dot + 1;
    } else {
        parameter = copy;
        if (!(instance = find_owner(w, parameter, err)))
            portolan_error_prefix(err, "--set %s", parameter);
    }
    status = instance ? set_parameter(w, instance, parameter, value, err) : err->status;
    free(copy);
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
        status = set_parameter(w, owner, parameter, text, err);
    else if (dot)
        status = set_parameter(w, instance, dot + 1, text, err);
    else
        status = portolan_error_set(err, unowned.status, "%s: %s", parameter, unowned.text);
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

/* Calls APPLY with the two sides of TEXT, INSTANCE=CLASS. */
static enum portolan_status apply_pair(struct portolan_assembly *a, const char *text,
                                       enum portolan_status (*apply)(struct portolan_assembly *,
                                                                     const char *, const char *,
                                                                     struct portolan_error *),
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    char *copy = portolan_strdup(text), *class_name;

    if (!copy)
        return portolan_error_set(err, status, "out of memory");
    class_name = strchr(copy, '=');
    *class_name++ = '\0';
    status = apply(a, copy, class_name, err);
    free(copy);
    return status;
}

enum portolan_status apply_select(struct portolan_assembly *a, const char *text,
                                  struct portolan_error *err)
{
    return apply_pair(a, text, portolan_assembly_select, err);
}

enum portolan_status apply_choices(struct portolan_assembly *a, const struct assembly_options *o,
                                   struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_selects; i++)
        status = apply_pair(a, o->selects[i], portolan_assembly_select, err);
    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_pins; i++)
        status = apply_pair(a, o->pins[i], portolan_assembly_pin, err);
    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_forbids; i++)
        status = apply_pair(a, o->forbids[i], portolan_assembly_forbid, err);
    return status;
}

/* Sets the first case; if several may be given, drops all others. */
static enum portolan_status apply_cases(struct portolan_assembly *a,
                                        const struct assembly_options *o,
                                        struct portolan_error *err)
{
    size_t *kept = portolan_calloc(o->n_cases, sizeof *kept), n = 0;
    enum portolan_status status = kept ? PORTOLAN_OK : PORTOLAN_ENOMEM;

    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_cases; i++) {
        bool twice = false;

        status = portolan_assembly_peek_case(a, o->cases[i], &kept[n], err);
        for (size_t k = 0; status == PORTOLAN_OK && k < n; k++)
            twice |= kept[k] == kept[n];
        n += !twice;
    }
    if (status == PORTOLAN_OK)
        status = portolan_assembly_set_case(a, kept[0], err);
    if (status == PORTOLAN_OK && o->takes_cases)
        status = portolan_assembly_keep_cases(a, kept, n, err);
    free(kept);
    return status ? portolan_error_set(err, status, "--case: %s", portolan_status_text(status))
                  : PORTOLAN_OK;
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

enum portolan_status workbench_look_beside(struct workbench *w, struct portolan_error *err)
{
    const char *keeper = find_keeper(w), *file = workbench_peek_store(w), *beside;
    struct portolan_arena arena = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (!keeper || !file || !access(file, F_OK))
        return PORTOLAN_OK;
    beside = portolan_file_beside(&arena, w->assembly->file, file);
    if (!beside)
        status = portolan_no_memory(err);
    else if (!access(beside, F_OK))
        status = set_parameter(w, keeper, "store", beside, err);
    portolan_arena_clear(&arena);
    return status;
}

enum portolan_status workbench_put_store(struct workbench *w, const char *file,
                                         struct portolan_error *err)
{
    const char *keeper = find_keeper(w);

    if (w->assembly->program) {
        w->assembly->program->store = file;
        return PORTOLAN_OK;
    }
    if (!keeper)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "'%s' has no instance with an experiment store",
                                  w->assembly->file);
    return set_parameter(w, keeper, "store", file, err);
}

const char *workbench_peek_store(const struct workbench *w)
{
    const char *keeper = w->store ? NULL : find_keeper(w), *file;

    if (!keeper)
        return w->store || !w->assembly->program ? w->store : w->assembly->program->store;
    file = portolan_assembly_peek_parameter(w->assembly, keeper, "store");
    if (file)
        return file;
    return describe(w, portolan_assembly_peek_instance(w->assembly, keeper)->alternatives, "store")
        ->default_text;
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

static enum portolan_status add_builtins(struct workbench *w,
                                         const struct portolan_program *program,
                                         struct portolan_error *err)
{
    enum portolan_status status = portolan_palette_create(&w->palette, err);

    for (size_t i = 0; i < program->n_classes && status == PORTOLAN_OK; i++)
        status = portolan_palette_add_builtin(w->palette, program->classes[i].component,
                                              program->classes[i].description, err);
    return status;
}

/* Reads from files, or from what is linked into the program. */
static enum portolan_status read_all(struct workbench *w, const struct assembly_options *o,
                                     struct portolan_diagnostics *d, struct portolan_error *err)
{
    const struct portolan_program *p = o->program;
    enum portolan_status status = p ? portolan_assembly_read_text(p->assembly, strlen(p->assembly),
                                                                  o->file, d, &w->assembly, err)
                                    : portolan_assembly_read(o->file, d, &w->assembly, err);

    if (status != PORTOLAN_OK)
        return status;
    if (o->as)
        w->assembly->file = o->as;
    return p ? add_builtins(w, p, err) : workbench_open_palette(w, o->path, d, err);
}

/* Weak: a linked program without an Optimizer does not need models. */
#pragma weak portolan_plan_check_models

enum portolan_status workbench_check(const struct workbench *w, struct portolan_diagnostics *d)
{
    enum portolan_status status = portolan_assembly_check(w->assembly, w->palette, d);

    return status || !portolan_plan_check_models ? status
                                                 : portolan_plan_check_models(w->assembly, d);
}

enum portolan_status workbench_open(struct workbench *w, struct assembly_options *o,
                                    workbench_report_fn *report, struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = report};
    enum portolan_status status;

    *w = (struct workbench){0};
    status = read_all(w, o, &d, err);
    if (status == PORTOLAN_OK)
        status = portolan_assembly_join_applies(w->assembly, w->palette, err);
    if (status == PORTOLAN_OK && o->n_cases)
        status = apply_cases(w->assembly, o, err);
    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_sets; i++)
        status = apply_set(w, o->sets[i], err);
    if (status == PORTOLAN_OK)
        status = apply_choices(w->assembly, o, err);
    workbench_clear_lists(o);
    if (status == PORTOLAN_OK && o->store && (status = workbench_put_store(w, o->store, err)))
        portolan_error_prefix(err, "--store");
    else if (status == PORTOLAN_OK && !o->store && o->reads_only)
        status = workbench_look_beside(w, err);
    if (status == PORTOLAN_OK)
        status = workbench_check(w, &d);
    if (status != PORTOLAN_OK) {
        if (d.count)
            *err = (struct portolan_error){0}; /* the cause is among the printed errors */
        portolan_error_set(err, status, "%d error%s in '%s' or what it needs", d.count,
                           d.count == 1 ? "" : "s", o->file);
        workbench_close(w);
    }
    return status;
}

void workbench_close(struct workbench *w)
{
    portolan_assembly_destroy(w->assembly);
    portolan_palette_destroy(w->palette);
    *w = (struct workbench){0};
}
