/* SPDX-License-Identifier: BSD-3-Clause */
/* From an assembly to a script. */
#include "convert.h"

#include <string.h>

struct writer {
    const struct portolan_assembly *a;
    const struct portolan_palette *palette;
    struct portolan_conversion *c;
    struct portolan_text text;
    bool as_bld;
};

#define NOTE(W, LINE, ...) convert_report((W)->c, (W)->a->file, LINE, false, __VA_ARGS__)
#define LOSS(W, LINE, ...) convert_report((W)->c, (W)->a->file, LINE, true, __VA_ARGS__)

/* Returns whether TEXT can be one word of a script. */
static bool is_word(const char *text)
{
    return *text && !text[strcspn(text, " \t\r\n\f\v")] && text[strlen(text) - 1] != '\\';
}

/* Returns whether TEXT can be the rest of a line: words with single blanks between. */
static bool is_line(const char *text)
{
    size_t length = strlen(text);

    return length && text[0] != ' ' && text[length - 1] != ' ' && text[length - 1] != '\\' &&
           !strstr(text, "  ") && !text[strcspn(text, "\t\r\n\f\v")];
}

/* The elements of a list may be separated by any blanks. */
static void add_list(struct portolan_text *t, const char *text)
{
    bool first = true;

    for (const char *at = text + strspn(text, " \t\r\n"); *at; at += strspn(at, " \t\r\n")) {
        size_t length = strcspn(at, " \t\r\n");

        portolan_text_add(t, "%s%.*s", first ? "" : " ", (int)length, at);
        first = false;
        at += length;
    }
}

/* -------------------------------------------------------------------------------------- heads */

/* The assembly is named after its file unless the head says otherwise. */
static void write_head(struct writer *w, const char *stem)
{
    const char *name = w->a->name;
    bool differs = strcmp(stem, name) != 0;

    if (w->as_bld ||
        (differs && (name[strcspn(name, "\r\n")] || !is_word(name + strlen(name) - 1)))) {
        if (differs)
            LOSS(w, 0, "the name of the assembly, '%s', cannot be said", name);
        differs = false;
    }
    if (!w->as_bld)
        portolan_text_add(&w->text, SCRIPT_MAGIC " bootstrap file.%s%s\n" SCRIPT_RULE "\n",
                          differs ? SCRIPT_NAME : "", differs ? name : "");
}

static void write_path(struct writer *w)
{
    bool first = true;

    for (size_t i = 0; i < w->a->n_paths; i++) {
        const char *path = w->a->paths[i];

        if (w->as_bld || !is_word(path) || strchr(path, ':') || strchr(path, '=')) {
            LOSS(w, w->a->path_lines[i], "%s cannot name the search path '%s'",
                 w->as_bld ? "a .bld file" : "a script", path);
            continue;
        }
        /* The path is relative to the current folder, in which the script is to be run. */
        if (!strncmp(path, "./", 2) && path[2])
            path += 2;
        portolan_text_add(&w->text, "%s%s", first ? "path set " : ":", path);
        first = false;
    }
    if (!first)
        portolan_text_add(&w->text, "\n");
}

static const struct portolan_assembly_alternative *
chosen(const struct portolan_assembly_instance *i)
{
    return &i->alternatives[i->selected];
}

/* Returns whether a script can make the instance with this name. */
static bool can_make(const struct writer *w, const char *name)
{
    const struct portolan_assembly_instance *i = portolan_assembly_peek_instance(w->a, name);

    return i && is_word(chosen(i)->class_name);
}

static void write_classes(struct writer *w)
{
    const struct portolan_assembly *a = w->a;

    for (size_t i = 0; i < a->n_instances; i++) {
        const char *class_name = chosen(&a->instances[i])->class_name;
        size_t k = 0;

        while (strcmp(chosen(&a->instances[k])->class_name, class_name) != 0)
            k++;
        if (k == i && is_word(class_name))
            portolan_text_add(&w->text, "repository get %s\n", class_name);
    }
}

/* ---------------------------------------------------------------------------------- instances */

static const char *type_word(enum portolan_value_type type)
{
    static const char *const words[] = {"bool", "int", "long", "double", "string"};

    return words[type];
}

static void write_parameter(struct writer *w, const struct portolan_assembly_instance *i,
                            const struct portolan_assembly_parameter *p)
{
    enum portolan_value_type type = PORTOLAN_VALUE_STRING;
    bool is_array = false;

    if (w->as_bld) {
        LOSS(w, p->line, "a .bld file cannot give '%s' its parameter '%s'", i->name, p->name);
        return;
    }
    convert_type(w->palette, chosen(i)->class_name, p->name, &type, &is_array);
    if (type != p->type || is_array != p->is_array)
        LOSS(w, p->line,
             "a script does not say that parameter '%s' of '%s' is of type %s%s, and no "
             "description of class '%s' does",
             p->name, i->name, type_word(p->type), p->is_array ? "[]" : "", chosen(i)->class_name);
    if (!is_word(p->name) || (!p->is_array && !is_line(p->text)) ||
        (p->is_array && !p->text[strspn(p->text, " \t\r\n")])) {
        LOSS(w, p->line, "a script cannot say the value '%s' of parameter '%s' of '%s'", p->text,
             p->name, i->name);
        return;
    }
    portolan_text_add(&w->text, "property %s %s ", i->name, p->name);
    if (p->is_array)
        add_list(&w->text, p->text);
    else
        portolan_text_add(&w->text, "%s", p->text);
    portolan_text_add(&w->text, "\n");
}

static void write_configure(struct writer *w, const struct portolan_assembly_instance *i,
                            const struct portolan_assembly_configure *c)
{
    if (!is_word(c->port) || !is_word(c->field) || !is_line(c->text) || !strcmp(c->field, "ALL"))
        LOSS(w, c->line, "a script cannot say the value '%s' of field '%s' at port '%s' of '%s'",
             c->text, c->field, c->port, i->name);
    else
        portolan_text_add(&w->text, "parameters %s %s %s %s\n", i->name, c->port, c->field,
                          c->text);
}

static void write_instance(struct writer *w, const struct portolan_assembly_instance *i)
{
    const struct portolan_assembly_alternative *x = chosen(i);

    if (!is_word(x->class_name)) {
        LOSS(w, i->line, "a script cannot name class '%s', so that '%s' is left out", x->class_name,
             i->name);
        return;
    }
    for (size_t p = 0; p < x->n_parameters; p++)
        write_parameter(w, i, &x->parameters[p]);
    if (i->is_placed && w->as_bld)
        portolan_text_add(&w->text, "setDropLocation %d %d\n", i->x, i->y);
    else if (i->is_placed)
        NOTE(w, i->line, "a script does not say where '%s' is shown", i->name);
    if (i->stateful != PORTOLAN_STATEFUL_UNSTATED)
        LOSS(w, i->line, "a script does not say whether '%s' is stateful", i->name);
    portolan_text_add(&w->text, "%s %s %s\n", w->as_bld ? "pulldown" : "instantiate", x->class_name,
                      i->name);
    for (size_t c = 0; c < x->n_configures; c++)
        write_configure(w, i, &x->configures[c]);
    for (size_t k = 0; k < i->n_alternatives; k++)
        if (k != i->selected)
            LOSS(w, i->alternatives[k].line,
                 "a script has no alternatives: '%s' stays %s, never %s", i->name, x->class_name,
                 i->alternatives[k].class_name);
}

/* ---------------------------------------------------------------------------------------- rest */

static void write_connection(struct writer *w, const struct portolan_assembly_connection *c)
{
    if (!can_make(w, c->user) || !can_make(w, c->provider))
        LOSS(w, c->line, "the connection of '%s' to '%s' is left out with one of its ends", c->user,
             c->provider);
    else if (is_word(c->uses) && is_word(c->provides))
        portolan_text_add(&w->text, "connect %s %s %s %s\n", c->user, c->uses, c->provider,
                          c->provides);
    else
        LOSS(w, c->line, "a script cannot name the ports '%s' and '%s'", c->uses, c->provides);
    if (c->monitored)
        LOSS(w, c->line, "a script cannot monitor the connection of '%s' at '%s'", c->uses,
             c->user);
}

/* Reports what only assemblies can express. */
static void report_rest(struct writer *w)
{
    const struct portolan_assembly *a = w->a;

    if (a->go.monitored)
        LOSS(w, a->go.line, "a script cannot monitor the go port");
    for (size_t i = 0; i < a->n_pairs; i++)
        LOSS(w, a->pairs[i].line, "a script does not say <pair of='%s' with='%s'>", a->pairs[i].of,
             a->pairs[i].with);
    for (size_t i = 0; i < a->n_data; i++)
        LOSS(w, a->data[i].line, "a script does not say <data name='%s'>", a->data[i].name);
    if (a->paradigm)
        LOSS(w, a->paradigm->line, "a script does not say <paradigm name='%s'>", a->paradigm->name);
    for (size_t i = 0; i < a->n_sweeps; i++)
        LOSS(w, a->sweeps[i].line, "a script does not sweep '%s' of '%s'", a->sweeps[i].parameter,
             a->sweeps[i].instance);
    for (size_t i = 0; i < a->n_instances; i++)
        if (a->instances[i].alternatives[0].applies_stated)
            LOSS(w, a->instances[i].alternatives[0].applies_line,
                 "a script does not say where '%s' applies", a->instances[i].name);
    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; k < a->instances[i].n_alternatives; k++) {
            const struct portolan_assembly_alternative *x = &a->instances[i].alternatives[k];

            if (x->n_models)
                LOSS(w, x->models[0].line, "a script does not name the models of '%s'",
                     a->instances[i].name);
            if (x->n_layouts || x->memory)
                LOSS(w, x->line, "a script does not say the layouts and the memory of '%s'",
                     x->class_name);
        }
    for (size_t i = 0; i < a->n_instances; i++)
        if (a->instances[i].accuracy > 0)
            LOSS(w, a->instances[i].line, "a script does not say the accuracy of '%s'",
                 a->instances[i].name);
    if (a->n_cases)
        LOSS(w, a->cases_file ? 0 : a->cases_line, "a script has no list of cases");
    if (a->sweep_budget_s > 0)
        LOSS(w, 0, "a script has no budget for measurements");
    if (a->steps_instance)
        LOSS(w, a->steps_line, "a script does not say which parameter counts steps");
    if (a->alpha != PORTOLAN_ASSEMBLY_PRUNING || a->beta != PORTOLAN_ASSEMBLY_PRUNING ||
        a->epsilon > 0 || a->accuracy > 0 || a->composition || a->memory > 0)
        LOSS(w, 0, "a script has no settings of an optimizer");
}

enum portolan_status portolan_assembly_to_script(const struct portolan_assembly *a,
                                                 const struct portolan_palette *palette,
                                                 bool as_bld, const char *out,
                                                 struct portolan_conversion *c, char **text,
                                                 struct portolan_error *err)
{
    struct writer w = {.a = a, .palette = palette, .c = c, .as_bld = as_bld};
    struct portolan_arena arena = {0};
    const char *stem = convert_stem(&arena, out, a->file);

    *text = NULL;
    if (!stem) {
        portolan_arena_clear(&arena);
        return portolan_no_memory(err);
    }
    write_head(&w, stem);
    portolan_arena_clear(&arena);
    write_path(&w);
    if (!as_bld)
        write_classes(&w);
    for (size_t i = 0; i < a->n_instances; i++)
        write_instance(&w, &a->instances[i]);
    for (size_t i = 0; i < a->n_connections; i++)
        write_connection(&w, &a->connections[i]);
    if (a->go.provider && can_make(&w, a->go.provider) && is_word(a->go.provides))
        portolan_text_add(&w.text, "go %s %s\n", a->go.provider, a->go.provides);
    else if (a->go.provider)
        LOSS(&w, a->go.line, "a script cannot call the go port '%s' of '%s'", a->go.provides,
             a->go.provider);
    portolan_text_add(&w.text, as_bld ? "eof\n" : "quit\n");
    report_rest(&w);
    return portolan_text_take(&w.text, text, err);
}
