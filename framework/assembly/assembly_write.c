/* SPDX-License-Identifier: BSD-3-Clause */
/* An assembly as XML again, with the selected alternatives as the classes. */
#include "assembly.h"

#include <stdlib.h>
#include <string.h>

#include "value.h"

/* The place where the text will be stored. */
struct place {
    const char *file;   /* the assembly's own file */
    bool moves;         /* to another folder than that of FILE */
    bool only_computed; /* leave out what does not affect the computation: folders, places */
};

static void end_element(struct portolan_text *b)
{
    portolan_text_add(b, "/>\n");
}

static void write_parameter(struct portolan_text *b, const char *indent,
                            const struct portolan_assembly_parameter *p)
{
    xml_add_start(b, indent, "parameter", "name", p->name, "type",
                  value_type_word(p->type, p->is_array), "value", p->text, NULL);
    end_element(b);
}

/* Parameters that all alternatives share belong to the instance; others belong to one class. */
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

/* The number of leading fields that all alternatives have in common. */
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

static void write_configures(struct portolan_text *b, const char *indent,
                             const struct portolan_assembly_alternative *x, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        xml_add_start(b, indent, "configure", "port", x->configures[i].port, "field",
                      x->configures[i].field, "value", x->configures[i].text, NULL);
        end_element(b);
    }
}

static void write_applies(struct portolan_text *b, const char *indent,
                          const struct portolan_assembly_alternative *x)
{
    xml_add_start(b, indent, "applies", "if", x->applies_stated, NULL);
    end_element(b);
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
 * Writes a path as attribute NAME: relative to the assembly's file, as it was read, or the real
 * path if the text goes to another folder.
 */
static void write_path(struct portolan_text *b, const struct place *place, const char *name,
                       const char *path)
{
    const char *slash = strrchr(place->file, '/');
    size_t dir = slash ? (size_t)(slash - place->file) : 1;
    char *real = place->moves ? realpath(path, NULL) : NULL;

    if (!place->moves && !strncmp(path, slash ? place->file : ".", dir) && path[dir] == '/' &&
        path[dir + 1])
        path += dir + 1;
    xml_add_attribute(b, name, real ? real : path);
    free(real);
}

static void write_alternative(struct portolan_text *b, const struct place *place,
                              const struct portolan_assembly_instance *i, size_t k)
{
    const struct portolan_assembly_alternative *x = &i->alternatives[k];
    size_t shared = shared_configures(i);
    bool applies_here = x->applies_stated && !same_applies(i);
    bool has_own = x->n_configures > shared || applies_here || x->n_models || x->n_layouts;

    for (size_t p = 0; p < x->n_parameters; p++)
        has_own |= !is_shared(i, &x->parameters[p]);
    if (k == i->selected && !has_own && !x->memory && !x->is_pinned && !x->is_forbidden &&
        !x->remedies)
        return;
    xml_add_start(b, "    ", "alternative", "class", x->class_name, "memory", x->memory, NULL);
    xml_add_attribute(b, "pin", x->is_pinned ? "yes" : NULL);
    xml_add_attribute(b, "forbid", x->is_forbidden ? "yes" : NULL);
    xml_add_attribute(b, "remedies", x->remedies);
    portolan_text_add(b, has_own ? ">\n" : "/>\n");
    for (size_t p = 0; p < x->n_parameters; p++)
        if (!is_shared(i, &x->parameters[p]))
            write_parameter(b, "      ", &x->parameters[p]);
    write_configures(b, "      ", x, shared, x->n_configures);
    if (applies_here)
        write_applies(b, "      ", x);
    for (size_t m = 0; m < x->n_models; m++) {
        xml_add_start(b, "      ", "model", NULL);
        write_path(b, place, "file", x->models[m].file);
        xml_add_attribute(b, "method", x->models[m].method);
        end_element(b);
    }
    for (size_t m = 0; m < x->n_layouts; m++) {
        xml_add_start(b, "      ", "layout", "data", x->layouts[m].data, "is", x->layouts[m].layout,
                      NULL);
        end_element(b);
    }
    if (has_own)
        portolan_text_add(b, "    </alternative>\n");
}

static void write_instance(struct portolan_text *b, const struct place *place,
                           const struct portolan_assembly_instance *i)
{
    const struct portolan_assembly_alternative *chosen = &i->alternatives[i->selected];

    xml_add_start(b, "  ", "instance", "name", i->name, "class", chosen->class_name, NULL);
    if (i->stateful != PORTOLAN_STATEFUL_UNSTATED)
        xml_add_attribute(b, "stateful", i->stateful == PORTOLAN_STATEFUL_YES ? "yes" : "no");
    if (i->is_placed && !place->only_computed)
        portolan_text_add(b, " x=\"%d\" y=\"%d\"", i->x, i->y);
    if (i->accuracy != 0)
        xml_add_number(b, "accuracy", i->accuracy);
    if (i->n_alternatives == 1 && !chosen->n_parameters && !chosen->n_configures &&
        !chosen->applies_stated && !chosen->n_models && !chosen->n_layouts && !chosen->memory) {
        end_element(b);
        return;
    }
    portolan_text_add(b, ">\n");
    for (size_t p = 0; p < chosen->n_parameters; p++)
        if (is_shared(i, &chosen->parameters[p]))
            write_parameter(b, "    ", &chosen->parameters[p]);
    write_configures(b, "    ", chosen, 0, shared_configures(i));
    if (chosen->applies_stated && same_applies(i))
        write_applies(b, "    ", chosen);
    write_alternative(b, place, i, i->selected);
    for (size_t k = 0; k < i->n_alternatives; k++)
        if (k != i->selected)
            write_alternative(b, place, i, k);
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

static void write_paths(struct portolan_text *b, const struct place *place,
                        const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_paths && !place->only_computed; i++) {
        xml_add_start(b, "  ", "path", NULL);
        write_path(b, place, "dir", a->paths[i]);
        end_element(b);
    }
}

/* Writes what is measured on a connection, if anything; for the go port, the provider names it. */
static void write_monitor(struct portolan_text *b, const struct portolan_assembly_connection *c)
{
    if (!c->monitored)
        return;
    if (*c->user)
        xml_add_start(b, "  ", "monitor", "user", c->user, "uses", c->uses, NULL);
    else
        xml_add_start(b, "  ", "monitor", "instance", c->provider, "port", c->provides, NULL);
    xml_add_attribute(b, "variant", c->variant);
    xml_add_attribute(b, "rows", c->has_rows ? "yes" : NULL);
    if (c->one_in)
        portolan_text_add(b, " sample=\"%u\"", c->one_in);
    end_element(b);
}

static void write_connections(struct portolan_text *b, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_connections; i++) {
        const struct portolan_assembly_connection *c = &a->connections[i];

        xml_add_start(b, "  ", "connect", "user", c->user, "uses", c->uses, "provider", c->provider,
                      "provides", c->provides, NULL);
        end_element(b);
        write_monitor(b, c);
    }
    write_monitor(b, &a->go);
    for (size_t i = 0; i < a->n_pairs; i++) {
        xml_add_start(b, "  ", "pair", "of", a->pairs[i].of, "with", a->pairs[i].with, "method",
                      a->pairs[i].method, NULL);
        end_element(b);
    }
}

static void write_sweep_line(struct portolan_text *b, const struct portolan_assembly_sweep *s)
{
    xml_add_start(b, "    ", s->varies ? "vary" : "set", "instance", s->instance, "parameter",
                  s->parameter, NULL);
    portolan_text_add(b, " %s=\"", s->varies ? "values" : "value");
    for (size_t k = 0; k < s->n_values; k++) {
        portolan_text_add(b, "%s", k ? " " : "");
        portolan_text_add_xml(b, s->values[k]);
    }
    portolan_text_add(b, "\"/>\n");
}

/* Writes a word in the form that the reader splits again, after INSTANCE and a dot, unless "". */
static void write_word(struct portolan_text *b, const char *instance, const char *text)
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

/* Cases read from a file are written too, so that the text does not need that file. */
static void write_cases(struct portolan_text *b, const struct portolan_assembly *a)
{
    if (!a->n_case_columns)
        return;
    portolan_text_add(b, "    <cases columns=\"");
    for (size_t k = 0; k < a->n_case_columns; k++) {
        const struct portolan_assembly_case_column *x = &a->case_columns[k];

        portolan_text_add(b, "%s", k ? " " : "");
        write_word(b, x->instance ? x->instance : "", x->parameter);
    }
    portolan_text_add(b, "\">\n");
    for (size_t i = 0; i < a->n_cases; i++) {
        portolan_text_add(b, "      <case values=\"");
        for (size_t k = 0; k < a->n_case_columns; k++) {
            portolan_text_add(b, "%s", k ? " " : "");
            write_word(b, "", a->cases[i].values[k]);
        }
        portolan_text_add(b, "\"/>\n");
    }
    portolan_text_add(b, "    </cases>\n");
}

static void write_sweep(struct portolan_text *b, const struct portolan_assembly *a)
{
    if (!a->n_sweeps && !a->n_case_columns && a->sweep_budget_s == 0 && a->sweep_timeout_s == 0)
        return;
    portolan_text_add(b, "  <sweep");
    if (a->sweep_budget_s != 0)
        xml_add_number(b, "budget", a->sweep_budget_s);
    if (a->sweep_timeout_s != 0)
        xml_add_number(b, "timeout", a->sweep_timeout_s);
    portolan_text_add(b, ">\n");
    for (size_t i = 0; i < a->n_sweeps; i++)
        write_sweep_line(b, &a->sweeps[i]);
    write_cases(b, a);
    portolan_text_add(b, "  </sweep>\n");
}

static void write_optimizer(struct portolan_text *b, const struct portolan_assembly *a)
{
    if (a->alpha == PORTOLAN_ASSEMBLY_PRUNING && a->beta == PORTOLAN_ASSEMBLY_PRUNING &&
        a->epsilon == 0 && a->accuracy == 0 && !a->composition && a->memory == 0 &&
        !a->steps_instance)
        return;
    portolan_text_add(b, "  <optimizer");
    xml_add_number(b, "alpha", a->alpha);
    xml_add_number(b, "beta", a->beta);
    if (a->epsilon != 0)
        xml_add_number(b, "epsilon", a->epsilon);
    if (a->accuracy != 0)
        xml_add_number(b, "accuracy", a->accuracy);
    if (a->composition)
        xml_add_attribute(b, "compose", a->composition == PORTOLAN_COMPOSE_SUM ? "sum" : "product");
    if (a->memory != 0)
        xml_add_number(b, "memory", a->memory);
    if (a->steps_instance) {
        portolan_text_add(b, " steps=\"");
        portolan_text_add_xml(b, a->steps_instance);
        portolan_text_add(b, ".");
        portolan_text_add_xml(b, a->steps_parameter);
        portolan_text_add(b, "\"");
    }
    portolan_text_add(b, "/>\n");
}

static enum portolan_status write_assembly(const struct portolan_assembly *a,
                                           const struct place *place, char **text,
                                           struct portolan_error *err)
{
    struct portolan_text b = {0};

    portolan_text_add(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml_add_start(&b, "", "assembly", "name", a->name, NULL);
    portolan_text_add(&b, ">\n");
    write_paths(&b, place, a);
    if (a->program)
        assembly_write_program(&b, a);
    for (size_t i = 0; i < a->n_instances && !a->program; i++)
        write_instance(&b, place, &a->instances[i]);
    write_connections(&b, a);
    assembly_write_data(&b, a);
    if (a->paradigm)
        assembly_write_paradigm(&b, "  ", a->paradigm);
    write_sweep(&b, a);
    write_optimizer(&b, a);
    if (a->go.provider) {
        xml_add_start(&b, "  ", "go", "instance", a->go.provider, "port", a->go.provides, NULL);
        end_element(&b);
    }
    portolan_text_add(&b, "</assembly>\n");
    return portolan_text_take(&b, text, err);
}

enum portolan_status portolan_assembly_write(const struct portolan_assembly *a, const char *file,
                                             char **text, struct portolan_error *err)
{
    struct place place = {.file = a->file, .moves = file && !in_one_folder(file, a->file)};

    return write_assembly(a, &place, text, err);
}

uint64_t portolan_assembly_hash(const struct portolan_assembly *a)
{
    struct place place = {.file = a->file, .only_computed = true};
    uint64_t h;
    char *text;

    if (write_assembly(a, &place, &text, NULL) != PORTOLAN_OK)
        return 0;
    h = portolan_hash(text, strlen(text), 0);
    free(text);
    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; k < a->instances[i].n_alternatives; k++) {
            const struct portolan_assembly_alternative *x = &a->instances[i].alternatives[k];

            for (size_t m = 0; m < x->n_models; m++)
                h = portolan_hash(x->models[m].text, x->models[m].size, h);
            h = x->applies ? portolan_hash(x->applies, strlen(x->applies), h) : h;
        }
    return h;
}
