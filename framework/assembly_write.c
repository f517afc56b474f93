/* SPDX-License-Identifier: BSD-3-Clause */
/* An assembly as XML again, with the selected alternatives as the classes. */
#include "assembly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "textbuf.h"
#include "value.h"

static void attribute(struct textbuf *b, const char *name, const char *value)
{
    if (!value)
        return;
    textbuf_printf(b, " %s=\"", name);
    textbuf_append_xml(b, value);
    textbuf_printf(b, "\"");
}

/* The shortest text that reads back as the same number. */
static void number(struct textbuf *b, const char *name, double value)
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

static void parameter(struct textbuf *b, const char *indent,
                      const struct portolan_assembly_parameter *p)
{
    textbuf_printf(b, "%s<parameter", indent);
    attribute(b, "name", p->name);
    attribute(b, "type", value_type_word(p->type, p->is_array));
    attribute(b, "value", p->text);
    textbuf_printf(b, "/>\n");
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

static void alternative(struct textbuf *b, const struct portolan_assembly_instance *i, size_t k)
{
    const struct portolan_assembly_alternative *x = &i->alternatives[k];
    bool has_own = false;

    for (size_t p = 0; p < x->n_parameters; p++)
        has_own |= !is_shared(i, &x->parameters[p]);
    if (k == i->selected && !has_own)
        return;
    textbuf_printf(b, "    <alternative");
    attribute(b, "class", x->class_name);
    textbuf_printf(b, has_own ? ">\n" : "/>\n");
    for (size_t p = 0; p < x->n_parameters; p++)
        if (!is_shared(i, &x->parameters[p]))
            parameter(b, "      ", &x->parameters[p]);
    if (has_own)
        textbuf_printf(b, "    </alternative>\n");
}

static void instance(struct textbuf *b, const struct portolan_assembly_instance *i)
{
    const struct portolan_assembly_alternative *chosen = &i->alternatives[i->selected];

    textbuf_printf(b, "  <instance");
    attribute(b, "name", i->name);
    attribute(b, "class", chosen->class_name);
    if (i->n_alternatives == 1 && !chosen->n_parameters) {
        textbuf_printf(b, "/>\n");
        return;
    }
    textbuf_printf(b, ">\n");
    for (size_t p = 0; p < chosen->n_parameters; p++)
        if (is_shared(i, &chosen->parameters[p]))
            parameter(b, "    ", &chosen->parameters[p]);
    alternative(b, i, i->selected);
    for (size_t k = 0; k < i->n_alternatives; k++)
        if (k != i->selected)
            alternative(b, i, k);
    textbuf_printf(b, "  </instance>\n");
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

static void path_element(struct textbuf *b, const char *dir)
{
    textbuf_printf(b, "  <path");
    attribute(b, "dir", dir);
    textbuf_printf(b, "/>\n");
}

/* For a file in another folder than the assembly's. */
static void real_paths(struct textbuf *b, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_paths; i++) {
        char *real = realpath(a->paths[i], NULL);

        path_element(b, real ? real : a->paths[i]);
        free(real);
    }
}

static void paths(struct textbuf *b, const struct portolan_assembly *a)
{
    const char *slash = strrchr(a->file, '/');
    size_t dir = slash ? (size_t)(slash - a->file) : 1;
    const char *file_dir = slash ? a->file : ".";

    for (size_t i = 0; i < a->n_paths; i++) {
        const char *path = a->paths[i];

        /* Back to what is relative to the file, as it was written. */
        if (!strncmp(path, file_dir, dir) && path[dir] == '/' && path[dir + 1])
            path += dir + 1;
        path_element(b, path);
    }
}

static void connections(struct textbuf *b, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_connections; i++) {
        const struct portolan_assembly_connection *c = &a->connections[i];

        textbuf_printf(b, "  <connect");
        attribute(b, "user", c->user);
        attribute(b, "uses", c->uses);
        attribute(b, "provider", c->provider);
        attribute(b, "provides", c->provides);
        textbuf_printf(b, "/>\n");
        if (!c->monitored)
            continue;
        textbuf_printf(b, "  <monitor");
        attribute(b, "user", c->user);
        attribute(b, "uses", c->uses);
        textbuf_printf(b, "/>\n");
    }
    if (a->go_monitored) {
        textbuf_printf(b, "  <monitor");
        attribute(b, "instance", a->go_instance);
        attribute(b, "port", a->go_port);
        textbuf_printf(b, "/>\n");
    }
}

static void sweep_line(struct textbuf *b, const struct portolan_assembly_sweep *s)
{
    textbuf_printf(b, "    <%s", s->varies ? "vary" : "set");
    attribute(b, "instance", s->instance);
    attribute(b, "parameter", s->parameter);
    textbuf_printf(b, " %s=\"", s->varies ? "values" : "value");
    for (size_t k = 0; k < s->n_values; k++) {
        textbuf_printf(b, "%s", k ? " " : "");
        textbuf_append_xml(b, s->values[k]);
    }
    textbuf_printf(b, "\"/>\n");
}

static void sweep(struct textbuf *b, const struct portolan_assembly *a)
{
    if (!a->n_sweeps && a->sweep_budget_s == 0)
        return;
    textbuf_printf(b, "  <sweep");
    if (a->sweep_budget_s != 0)
        number(b, "budget", a->sweep_budget_s);
    textbuf_printf(b, ">\n");
    for (size_t i = 0; i < a->n_sweeps; i++)
        sweep_line(b, &a->sweeps[i]);
    textbuf_printf(b, "  </sweep>\n");
}

static void optimizer(struct textbuf *b, const struct portolan_assembly *a)
{
    textbuf_printf(b, "  <optimizer");
    number(b, "alpha", a->alpha);
    number(b, "beta", a->beta);
    if (a->accuracy != 0)
        number(b, "accuracy", a->accuracy);
    if (a->steps_instance) {
        textbuf_printf(b, " steps=\"");
        textbuf_append_xml(b, a->steps_instance);
        textbuf_printf(b, ".");
        textbuf_append_xml(b, a->steps_parameter);
        textbuf_printf(b, "\"");
    }
    textbuf_printf(b, "/>\n");
}

enum portolan_status portolan_assembly_write(const struct portolan_assembly *a, const char *file,
                                             char **text, struct portolan_error *err)
{
    struct textbuf b = {0};

    textbuf_printf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<assembly");
    attribute(&b, "name", a->name);
    textbuf_printf(&b, ">\n");
    if (file && !in_one_folder(file, a->file))
        real_paths(&b, a);
    else
        paths(&b, a);
    for (size_t i = 0; i < a->n_instances; i++)
        instance(&b, &a->instances[i]);
    connections(&b, a);
    for (size_t i = 0; i < a->n_pairs; i++) {
        textbuf_printf(&b, "  <pair");
        attribute(&b, "of", a->pairs[i].of);
        attribute(&b, "with", a->pairs[i].with);
        attribute(&b, "method", a->pairs[i].method);
        textbuf_printf(&b, "/>\n");
    }
    sweep(&b, a);
    optimizer(&b, a);
    if (a->go_instance) {
        textbuf_printf(&b, "  <go");
        attribute(&b, "instance", a->go_instance);
        attribute(&b, "port", a->go_port);
        textbuf_printf(&b, "/>\n");
    }
    textbuf_printf(&b, "</assembly>\n");
    return textbuf_take(&b, text, err);
}
