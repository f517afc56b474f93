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
    for (; *value; value++) {
        if (*value == '<' || *value == '&' || *value == '"')
            portolan_text_add(t, "&#%d;", (unsigned char)*value);
        else
            portolan_text_add_bytes(t, value, 1);
    }
    portolan_text_add(t, "\"");
}

static void add_libraries(struct portolan_text *t, const struct wrap_run *run, const char *port)
{
    portolan_text_add(t, "  <instance");
    add_attribute(t, "name", port);
    add_attribute(t, "class", run->libraries[0].name);
    portolan_text_add(t, ">\n");
    for (size_t i = 1; i < run->n_libraries; i++) {
        portolan_text_add(t, "    <alternative");
        add_attribute(t, "class", run->libraries[i].name);
        portolan_text_add(t, "/>\n");
    }
    portolan_text_add(t, "  </instance>\n");
}

static void add_assembly(struct portolan_text *t, const struct wrap_run *run, const char *port)
{
    portolan_text_add(t, "<?xml version=\"1.0\"?>\n<assembly");
    add_attribute(t, "name", run->trial);
    portolan_text_add(t, ">\n  <instance");
    add_attribute(t, "name", run->user);
    add_attribute(t, "class", base_of(run->program.image));
    portolan_text_add(t, "/>\n");
    add_libraries(t, run, port);
    portolan_text_add(t, "  <connect");
    add_attribute(t, "user", run->user);
    add_attribute(t, "uses", port);
    add_attribute(t, "provider", port);
    add_attribute(t, "provides", port);
    portolan_text_add(t, "/>\n  <monitor");
    add_attribute(t, "user", run->user);
    add_attribute(t, "uses", port);
    portolan_text_add(t, "/>\n  <go");
    add_attribute(t, "instance", run->user);
    portolan_text_add(t, " port=\"%s\"/>\n</assembly>\n", WRAP_MAIN);
}

enum portolan_status wrap_describe(struct wrap_run *run, struct portolan_error *err)
{
    const char *dot = strrchr(run->front.type, '.'), *name = base_of(run->options->program[0]);
    char *port = instance_name(&run->arena, dot ? dot + 1 : run->front.type);
    char *user = instance_name(&run->arena, name);
    struct portolan_diagnostics_relay relay = {.err = err};
    struct portolan_diagnostics d = {.report = portolan_diagnostics_relay, .arg = &relay};
    struct portolan_text text = {.arena = &run->arena};

    if (port && user && !strcmp(port, user))
        user = portolan_arena_printf(&run->arena, "%s-program", user);
    run->user = user;
    run->port = port;
    run->trial = run->options->trial ? run->options->trial : name;
    if (!run->arena.failed)
        add_assembly(&text, run, port);
    if (run->arena.failed || text.failed)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    run->assembly_text = text.bytes;
    return portolan_assembly_read_text(text.bytes, text.length, "program", &d, &run->assembly, err);
}
