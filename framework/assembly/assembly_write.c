/* SPDX-License-Identifier: BSD-3-Clause */
/* An assembly as XML again, with the selected alternatives as the classes. */
#include "assembly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value.h"

static void attribute(struct portolan_text *b, const char *name, const char *value)
{
    if (!value)
        return;
    portolan_text_add(b, " %s=\"", name);
    portolan_text_add_xml(b, value);
    portolan_text_add(b, "\"");
}

/* The shortest text that reads back as the same number. */
static void number(struct portolan_text *b, const char *name, double value)
{
    char text[40];
    double back;

    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        for (char *comma = strchr(text, ','); comma; comma = NULL)
            *comma = '.';
        if (portolan_read_double(text, &back) && back == value)
            break;
    }
    attribute(b, name, text);
}

/* Where the text will lie: the assembly's own file, and whether it goes to another folder. */
struct place {
    const char *file;
    bool moves;
};

static void parameter(struct portolan_text *b, const char *indent,
                      const struct portolan_assembly_parameter *p)
{
    portolan_text_add(b, "%s<parameter", indent);
    attribute(b, "name", p->name);
    attribute(b, "type", value_type_word(p->type, p->is_array));
    attribute(b, "value", p->text);
    portolan_text_add(b, "/>\n");
}

/* Parameters that all alternatives share are the instance's; others stay with their own class. */
static bool is_shared(const struct portolan_assembly_instance *i,
                      const struct portolan_assembly_parameter *p)
{
    for (size_t k = 0; k < i->n_alternatives; k++) {
        const struct portolan_assembly_parameter *q =
            assembly_parameter(&i->alternatives[k], p->name);

        if (!q || q->type != p->type || q->is_array != p->is_array || strcmp(q->text, p->text))
            return false;
    }
    return true;
}

/* How many of their fields all alternatives begin with. */
static size_t shared_configures(const struct portolan_assembly_instance *i)
{
    const struct portolan_assembly_alternative *first = &i->alternatives[0];
    size_t n = first->n_configures;

    for (size_t k = 1; k < i->n_alternatives; k++) {
        const struct portolan_assembly_alternative *x = &i->alternatives[k];
        size_t same = 0;

        while (same < n && same < x->n_configures &&
               !strcmp(first->configures[same].port, x->configures[same].port) &&
               !strcmp(first->configures[same].field, x->configures[same].field) &&
               !strcmp(first->configures[same].text, x->configures[same].text))
            same++;
        n = same;
    }
    return n;
}

static void configures(struct portolan_text *b, const char *indent,
                       const struct portolan_assembly_alternative *x, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        portolan_text_add(b, "%s<configure", indent);
        attribute(b, "port", x->configures[i].port);
        attribute(b, "field", x->configures[i].field);
        attribute(b, "value", x->configures[i].text);
        portolan_text_add(b, "/>\n");
    }
}

static void applies(struct portolan_text *b, const char *indent,
                    const struct portolan_assembly_alternative *x)
{
    portolan_text_add(b, "%s<applies", indent);
    attribute(b, "if", x->applies_stated);
    portolan_text_add(b, "/>\n");
}

static bool same_applies(const struct portolan_assembly_instance *i)
{
    const char *first = i->alternatives[0].applies_stated;

    for (size_t k = 1; k < i->n_alternatives; k++) {
        const char *other = i->alternatives[k].applies_stated;

        if (!first != !other || (first && strcmp(first, other) != 0))
            return false;
    }
    return true;
}

/*
 * A path as NAME: back to what is relative to the assembly's file, as it was written; or, for a
 * file in another folder, the real one.
 */
static void path_attribute(struct portolan_text *b, const struct place *place, const char *name,
                           const char *path)
{
    const char *slash = strrchr(place->file, '/');
    size_t dir = slash ? (size_t)(slash - place->file) : 1;
    char *real = place->moves ? realpath(path, NULL) : NULL;

    if (!place->moves && !strncmp(path, slash ? place->file : ".", dir) && path[dir] == '/' &&
        path[dir + 1])
        path += dir + 1;
    attribute(b, name, real ? real : path);
    free(real);
}

static void alternative(struct portolan_text *b, const struct place *place,
                        const struct portolan_assembly_instance *i, size_t k)
{
    const struct portolan_assembly_alternative *x = &i->alternatives[k];
    size_t shared = shared_configures(i);
    bool applies_here = x->applies_stated && !same_applies(i);
    bool has_own = x->n_configures > shared || applies_here || x->n_models;

    for (size_t p = 0; p < x->n_parameters; p++)
        has_own |= !is_shared(i, &x->parameters[p]);
    if (k == i->selected && !has_own)
        return;
    portolan_text_add(b, "    <alternative");
    attribute(b, "class", x->class_name);
    portolan_text_add(b, has_own ? ">\n" : "/>\n");
    for (size_t p = 0; p < x->n_parameters; p++)
        if (!is_shared(i, &x->parameters[p]))
            parameter(b, "      ", &x->parameters[p]);
    configures(b, "      ", x, shared, x->n_configures);
    if (applies_here)
        applies(b, "      ", x);
    for (size_t m = 0; m < x->n_models; m++) {
        portolan_text_add(b, "      <model");
        path_attribute(b, place, "file", x->models[m].file);
        attribute(b, "method", x->models[m].method);
        portolan_text_add(b, "/>\n");
    }
    if (has_own)
        portolan_text_add(b, "    </alternative>\n");
}

static void instance(struct portolan_text *b, const struct place *place,
                     const struct portolan_assembly_instance *i)
{
    const struct portolan_assembly_alternative *chosen = &i->alternatives[i->selected];

    portolan_text_add(b, "  <instance");
    attribute(b, "name", i->name);
    attribute(b, "class", chosen->class_name);
    if (i->is_placed)
        portolan_text_add(b, " x=\"%d\" y=\"%d\"", i->x, i->y);
    if (i->n_alternatives == 1 && !chosen->n_parameters && !chosen->n_configures &&
        !chosen->applies_stated && !chosen->n_models) {
        portolan_text_add(b, "/>\n");
        return;
    }
    portolan_text_add(b, ">\n");
    for (size_t p = 0; p < chosen->n_parameters; p++)
        if (is_shared(i, &chosen->parameters[p]))
            parameter(b, "    ", &chosen->parameters[p]);
    configures(b, "    ", chosen, 0, shared_configures(i));
    if (chosen->applies_stated && same_applies(i))
        applies(b, "    ", chosen);
    alternative(b, place, i, i->selected);
    for (size_t k = 0; k < i->n_alternatives; k++)
        if (k != i->selected)
            alternative(b, place, i, k);
    portolan_text_add(b, "  </instance>\n");
}

/* The real path of FILE's folder; the caller frees it. NULL when there is none. */
static char *folder_of(const char *file)
{
    char *dir = portolan_strdup(file), *slash = dir ? strrchr(dir, '/') : NULL, *real;

    if (slash)
        slash[1] = '\0';
    real = dir ? realpath(slash ? dir : ".", NULL) : NULL;
    free(dir);
    return real;
}

static bool in_one_folder(const char *file, const char *other)
{
    char *a = folder_of(file), *b = folder_of(other);
    bool same = a && b && !strcmp(a, b);

    free(a);
    free(b);
    return same;
}

static void paths(struct portolan_text *b, const struct place *place,
                  const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_paths; i++) {
        portolan_text_add(b, "  <path");
        path_attribute(b, place, "dir", a->paths[i]);
        portolan_text_add(b, "/>\n");
    }
}

static void measuring(struct portolan_text *b, const char *variant, bool has_rows, unsigned one_in)
{
    if (variant)
        attribute(b, "variant", variant);
    if (has_rows)
        attribute(b, "rows", "yes");
    if (one_in)
        portolan_text_add(b, " sample=\"%u\"", one_in);
}

static void connections(struct portolan_text *b, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_connections; i++) {
        const struct portolan_assembly_connection *c = &a->connections[i];

        portolan_text_add(b, "  <connect");
        attribute(b, "user", c->user);
        attribute(b, "uses", c->uses);
        attribute(b, "provider", c->provider);
        attribute(b, "provides", c->provides);
        portolan_text_add(b, "/>\n");
        if (!c->monitored)
            continue;
        portolan_text_add(b, "  <monitor");
        attribute(b, "user", c->user);
        attribute(b, "uses", c->uses);
        measuring(b, c->variant, c->has_rows, c->one_in);
        portolan_text_add(b, "/>\n");
    }
    if (a->go_monitored) {
        portolan_text_add(b, "  <monitor");
        attribute(b, "instance", a->go_instance);
        attribute(b, "port", a->go_port);
        measuring(b, a->go_variant, a->go_has_rows, a->go_one_in);
        portolan_text_add(b, "/>\n");
    }
}

static void sweep_line(struct portolan_text *b, const struct portolan_assembly_sweep *s)
{
    portolan_text_add(b, "    <%s", s->varies ? "vary" : "set");
    attribute(b, "instance", s->instance);
    attribute(b, "parameter", s->parameter);
    portolan_text_add(b, " %s=\"", s->varies ? "values" : "value");
    for (size_t k = 0; k < s->n_values; k++) {
        portolan_text_add(b, "%s", k ? " " : "");
        portolan_text_add_xml(b, s->values[k]);
    }
    portolan_text_add(b, "\"/>\n");
}

/* As the reader takes the words of an attribute apart. INSTANCE, or "", stands in front. */
static void word(struct portolan_text *b, const char *instance, const char *text)
{
    const char *quote = *text && !strpbrk(text, " \t\r\"") ? "" : "&quot;";

    portolan_text_add(b, "%s%s%s", quote, instance, *instance ? "." : "");
    for (const char *at = text; *at; at++) {
        portolan_text_add_xml(b, (char[]){*at, '\0'});
        if (*at == '"')
            portolan_text_add(b, "&quot;");
    }
    portolan_text_add(b, "%s", quote);
}

/* Also those of a file: what is written stands for itself. */
static void cases(struct portolan_text *b, const struct portolan_assembly *a)
{
    if (!a->n_case_columns)
        return;
    portolan_text_add(b, "    <cases columns=\"");
    for (size_t k = 0; k < a->n_case_columns; k++) {
        const struct portolan_assembly_case_column *x = &a->case_columns[k];

        portolan_text_add(b, "%s", k ? " " : "");
        word(b, x->instance ? x->instance : "", x->parameter);
    }
    portolan_text_add(b, "\">\n");
    for (size_t i = 0; i < a->n_cases; i++) {
        portolan_text_add(b, "      <case values=\"");
        for (size_t k = 0; k < a->n_case_columns; k++) {
            portolan_text_add(b, "%s", k ? " " : "");
            word(b, "", a->cases[i].values[k]);
        }
        portolan_text_add(b, "\"/>\n");
    }
    portolan_text_add(b, "    </cases>\n");
}

static void sweep(struct portolan_text *b, const struct portolan_assembly *a)
{
    if (!a->n_sweeps && !a->n_case_columns && a->sweep_budget_s == 0)
        return;
    portolan_text_add(b, "  <sweep");
    if (a->sweep_budget_s != 0)
        number(b, "budget", a->sweep_budget_s);
    portolan_text_add(b, ">\n");
    for (size_t i = 0; i < a->n_sweeps; i++)
        sweep_line(b, &a->sweeps[i]);
    cases(b, a);
    portolan_text_add(b, "  </sweep>\n");
}

static void optimizer(struct portolan_text *b, const struct portolan_assembly *a)
{
    if (a->alpha == PORTOLAN_ASSEMBLY_PRUNING && a->beta == PORTOLAN_ASSEMBLY_PRUNING &&
        a->accuracy == 0 && !a->steps_instance)
        return;
    portolan_text_add(b, "  <optimizer");
    number(b, "alpha", a->alpha);
    number(b, "beta", a->beta);
    if (a->accuracy != 0)
        number(b, "accuracy", a->accuracy);
    if (a->steps_instance) {
        portolan_text_add(b, " steps=\"");
        portolan_text_add_xml(b, a->steps_instance);
        portolan_text_add(b, ".");
        portolan_text_add_xml(b, a->steps_parameter);
        portolan_text_add(b, "\"");
    }
    portolan_text_add(b, "/>\n");
}

enum portolan_status portolan_assembly_write(const struct portolan_assembly *a, const char *file,
                                             char **text, struct portolan_error *err)
{
    struct place place = {a->file, file && !in_one_folder(file, a->file)};
    struct portolan_text b = {0};

    portolan_text_add(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<assembly");
    attribute(&b, "name", a->name);
    portolan_text_add(&b, ">\n");
    paths(&b, &place, a);
    for (size_t i = 0; i < a->n_instances; i++)
        instance(&b, &place, &a->instances[i]);
    connections(&b, a);
    for (size_t i = 0; i < a->n_pairs; i++) {
        portolan_text_add(&b, "  <pair");
        attribute(&b, "of", a->pairs[i].of);
        attribute(&b, "with", a->pairs[i].with);
        attribute(&b, "method", a->pairs[i].method);
        portolan_text_add(&b, "/>\n");
    }
    sweep(&b, a);
    optimizer(&b, a);
    if (a->go_instance) {
        portolan_text_add(&b, "  <go");
        attribute(&b, "instance", a->go_instance);
        attribute(&b, "port", a->go_port);
        portolan_text_add(&b, "/>\n");
    }
    portolan_text_add(&b, "</assembly>\n");
    return portolan_text_take(&b, text, err);
}
