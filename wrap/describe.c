/* SPDX-License-Identifier: BSD-3-Clause */
/* The program and its libraries as an assembly: what reports and models of trials start from. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Instances are named by letters, digits, '-' and '_'. */
static char *instance_name(struct portolan_arena *arena, const char *text)
{
    char *name = portolan_arena_strdup(arena, text);

    for (char *c = name; c && *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              *c == '-'))
            *c = '_';
    return name;
}

static const char *base_of(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash ? slash + 1 : file;
}

static void add_attribute(struct portolan_text *t, const char *name, const char *value)
{
    portolan_text_add(t, " %s=\"", name);
    portolan_text_add_xml(t, value);
    portolan_text_add(t, "\"");
}

static void add_libraries(struct portolan_text *t, const struct portolan_wrap_names *n)
{
    portolan_text_add(t, "  <instance");
    add_attribute(t, "name", n->port);
    add_attribute(t, "class", n->libraries[0]);
    portolan_text_add(t, ">\n");
    for (size_t i = 1; i < n->n_libraries; i++) {
        portolan_text_add(t, "    <alternative");
        add_attribute(t, "class", n->libraries[i]);
        portolan_text_add(t, "/>\n");
    }
    portolan_text_add(t, "  </instance>\n");
}

enum portolan_status portolan_wrap_write_assembly(const struct portolan_wrap_names *n, char **text,
                                                  struct portolan_error *err)
{
    struct portolan_text t = {0};

    portolan_text_add(&t, "<?xml version=\"1.0\"?>\n<assembly");
    add_attribute(&t, "name", n->name);
    portolan_text_add(&t, ">\n  <instance");
    add_attribute(&t, "name", n->program);
    add_attribute(&t, "class", n->class_name);
    portolan_text_add(&t, "/>\n");
    add_libraries(&t, n);
    portolan_text_add(&t, "  <connect");
    add_attribute(&t, "user", n->program);
    add_attribute(&t, "uses", n->port);
    add_attribute(&t, "provider", n->port);
    add_attribute(&t, "provides", n->port);
    portolan_text_add(&t, "/>\n  <monitor");
    add_attribute(&t, "user", n->program);
    add_attribute(&t, "uses", n->port);
    portolan_text_add(&t, "/>\n  <go");
    add_attribute(&t, "instance", n->program);
    portolan_text_add(&t, " port=\"%s\"/>\n</assembly>\n", WRAP_MAIN);
    return portolan_text_take(&t, text, err);
}

static enum portolan_status write_text(struct wrap_run *run, struct portolan_error *err)
{
    const char **libraries = portolan_arena_alloc(&run->arena, run->n_libraries, sizeof *libraries);
    struct portolan_wrap_names names = {.name = run->trial,
                                        .program = run->user,
                                        .class_name = base_of(run->program.image),
                                        .port = run->port,
                                        .libraries = libraries,
                                        .n_libraries = run->n_libraries};
    enum portolan_status status;
    char *text = NULL;

    for (size_t i = 0; libraries && i < run->n_libraries; i++)
        libraries[i] = run->libraries[i].name;
    if (run->arena.failed)
        return portolan_no_memory(err);
    status = portolan_wrap_write_assembly(&names, &text, err);
    run->assembly_text = portolan_arena_strdup(&run->arena, text ? text : "");
    free(text);
    return status;
}

enum portolan_status wrap_describe(struct wrap_run *run, struct portolan_error *err)
{
    const char *dot = strrchr(run->front.type, '.'), *name = base_of(run->options->program[0]);
    char *port = instance_name(&run->arena, dot ? dot + 1 : run->front.type);
    char *user = instance_name(&run->arena, name);
    struct portolan_diagnostics_relay relay = {.err = err};
    struct portolan_diagnostics d = {.report = portolan_diagnostics_relay, .arg = &relay};
    enum portolan_status status;

    if (port && user && !strcmp(port, user))
        user = portolan_arena_printf(&run->arena, "%s-program", user);
    run->user = user;
    run->port = port;
    run->trial = run->options->trial ? run->options->trial : name;
    status = write_text(run, err);
    if (status == PORTOLAN_OK && run->arena.failed)
        status = portolan_no_memory(err);
    return status == PORTOLAN_OK
               ? portolan_assembly_read_text(run->assembly_text, strlen(run->assembly_text),
                                             "program", &d, &run->assembly, err)
               : status;
}
