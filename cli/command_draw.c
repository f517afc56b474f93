/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct draw_options {
    struct assembly_options assembly;
    const char *output;
    bool text;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "write there instead of to standard output", 0},
    {"text", 't', NULL, 0, "list instances, alternatives and connections as text", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct draw_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->assembly;
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case 't':
        o->text = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* "[proxy]" stands where a call passes one: monitored, or ready to be swapped. */
static void list_connection(const struct portolan_assembly *a,
                            const struct portolan_assembly_connection *c)
{
    const struct portolan_assembly_instance *provider =
        portolan_assembly_peek_instance(a, c->provider);
    bool swappable = provider && provider->n_alternatives > 1;

    printf("  %s.%s --%s--> %s.%s\n", c->user, c->uses,
           c->monitored ? "[timing proxy]"
           : swappable  ? "[proxy]"
                        : "",
           c->provider, c->provides);
}

static void list_assembly(const struct portolan_assembly *a)
{
    printf("assembly '%s' (%s)\n", a->name, a->file);
    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *instance = &a->instances[i];

        printf("  %-12s %s", instance->name, instance->alternatives[instance->selected].class_name);
        for (size_t k = 0; k < instance->n_alternatives; k++)
            if (k != instance->selected)
                printf(" | %s", instance->alternatives[k].class_name);
        printf("\n");
    }
    printf("connections\n");
    for (size_t i = 0; i < a->n_connections; i++)
        list_connection(a, &a->connections[i]);
}

int command_draw(int argc, char **argv)
{
    static const struct argp_child children[] = {{&assembly_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "ASSEMBLY.xml",
        .doc = "Draw an assembly as a Graphviz graph: portolan draw a.xml | dot -Tsvg > a.svg",
        .children = children,
    };
    struct draw_options o = {0};
    struct portolan_error err = {0};
    struct workbench w;
    char *dot;
    int result = 0;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (workbench_open(&w, &o.assembly, true, &err) != PORTOLAN_OK)
        return print_error(&err);
    if (o.text) {
        list_assembly(w.assembly);
    } else if (portolan_assembly_draw(w.assembly, w.palette, &dot, &err) == PORTOLAN_OK) {
        result = write_text(o.output, dot);
        free(dot);
    } else {
        result = print_error(&err);
    }
    workbench_close(&w);
    return result;
}
