/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the machine of a configuration: the file of its network, with the configuration's nodes
 * instead of the first <host>. */
#include "study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine_writer {
    struct portolan_text t;
    const struct configuration *c;
    int nodes;
    const char *folder; /* folder of the network's file, where the files are that it names */
    const struct xml_element *node;
};

/* Adds an attribute; makes names of files absolute: "rules" of collectives, samples(FILE). */
static void add_value(struct machine_writer *w, const struct xml_attribute *a)
{
    static const char samples[] = "samples(";
    size_t n = strncmp(a->value, samples, strlen(samples)) == 0 ? strlen(samples) : 0;
    bool is_file = n || strcmp(a->name, "rules") == 0;
    char *value = portolan_asprintf("%.*s%s%s%s", (int)n, a->value,
                                    is_file && a->value[n] != '/' ? w->folder : "",
                                    is_file && a->value[n] != '/' ? "/" : "", a->value + n);

    xml_add_attribute(&w->t, a->name, value);
    w->t.failed |= !value;
    free(value);
}

static void add_element(struct machine_writer *w, const struct xml_element *e);

static void add_children(struct machine_writer *w, const struct xml_element *e)
{
    for (const struct xml_element *c = e->children; c; c = c->next) {
        const char *cpus = xml_value(c, "cpus");

        if (e != w->node || !cpus || strcmp(c->name, "busy") != 0 || atoi(cpus) <= w->c->cpus)
            add_element(w, c);
    }
}

static void add_element(struct machine_writer *w, const struct xml_element *e)
{
    portolan_text_add(&w->t, "<%s", e->name);
    for (size_t i = 0; i < e->n_attributes; i++)
        if (e != w->node || !portolan_has_word(" count cpus memory ", e->attributes[i].name))
            add_value(w, &e->attributes[i]);
    if (e == w->node)
        portolan_text_add(&w->t, " count=\"%d\" cpus=\"%d\" memory=\"%.0f\"", w->nodes, w->c->cpus,
                          w->c->memory);
    portolan_text_add(&w->t, ">\n");
    add_children(w, e);
    portolan_text_add(&w->t, "</%s>\n", e->name);
}

enum portolan_status study_write_machine(const struct clue_study *s, const struct configuration *c,
                                         const char *file, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct portolan_diagnostics_relay relay = {NULL, err};
    struct portolan_diagnostics d = {portolan_diagnostics_relay, &relay, 0};
    const char *name = s->networks[c->network].machine;
    const char *path = portolan_file_beside(&arena, s->path, name);
    char *real = path ? realpath(path, NULL) : NULL;
    struct machine_writer w = {.c = c, .nodes = study_nodes(s, c, &as_it_is)};
    enum portolan_status status =
        real ? PORTOLAN_OK
             : portolan_error_set(err, PORTOLAN_EIO, "'%s' is not there", path ? path : name);
    struct xml_element *root;

    if (status == PORTOLAN_OK)
        status = xml_read_file(&arena, path, XML_PLAIN, &d, &root, err);
    if (status == PORTOLAN_OK) {
        w.folder = portolan_arena_strndup(&arena, real, (size_t)(strrchr(real, '/') - real));
        w.node = xml_next(root, NULL, "host");
        add_element(&w, root);
        status = w.t.failed || arena.failed
                     ? portolan_no_memory(err)
                     : portolan_replace_file(file, w.t.bytes, w.t.length, err);
    }
    portolan_text_clear(&w.t);
    portolan_arena_clear(&arena);
    free(real);
    return status;
}
