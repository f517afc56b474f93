/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan new`: projects, ports, components and assemblies, for their users to go on with. */
#include "cli.h"

#include <portolan/project.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct new_options {
    const char *name; /* of the project or assembly, type of the port, class of the component */
    struct portolan_new_port port;
    struct portolan_new_component component;
    const char *driver;
    enum portolan_project_build build;
};

static error_t take_language(void *to, char *arg, const struct cli_option *option,
                             struct argp_state *state)
{
    struct new_options *o = to;

    (void)option;
    if (!portolan_sidl_language_find(arg, &o->component.language))
        argp_error(
            state,
            "no language '%s', there are C, C++, Fortran and Python; what is written in another "
            "one can be called from C, with --source and --libs",
            arg);
    return 0;
}

static const struct cli_option project_options[] = {
    {"build", 'b', "make|meson", "what builds it (default: make)",
     INTO_CHOICE(struct new_options, build, "make", "meson")},
    {.key = CLI_WORD, INTO(struct new_options, name), .doc = "one project at a time"},
    {.key = CLI_END,
     .doc = "which name? as in: portolan new smoother",
     INTO(struct new_options, name)},
    {0},
};

static const struct cli_option port_options[] = {
    {"method", 'm', "METHOD",
     "a method in SIDL, for instance 'solve(inout rarray<double> x(n), in int n)'; may be repeated",
     INTO_LIST(struct new_options, port.methods.word, port.methods.n)},
    {"context", 'c', "ARGUMENT", "an argument on which the time of a call depends; may be repeated",
     INTO_LIST(struct new_options, port.contexts.word, port.contexts.n), .has_commas = true},
    {"from-header", 'H', "FILE:STRUCT", "the port is this struct of functions in a C header",
     INTO(struct new_options, port.header)},
    {.key = CLI_WORD, INTO(struct new_options, name), .doc = "one port at a time"},
    {.key = CLI_END, .doc = "which type, as in my.Smoother?", INTO(struct new_options, name)},
    {0},
};

static const struct cli_option component_options[] = {
    {"provides", 'p', "NAME:TYPE", "a port that the component provides; may be repeated",
     INTO_LIST(struct new_options, component.provides.word, component.provides.n)},
    {"uses", 'u', "NAME:TYPE", "a port that the component uses; may be repeated",
     INTO_LIST(struct new_options, component.uses.word, component.uses.n)},
    {"parameter", 's', "NAME:TYPE=DEFAULT", "a parameter that assemblies can set; may be repeated",
     INTO_LIST(struct new_options, component.parameters.word, component.parameters.n)},
    {"from-header", 'H', "FILE:STRUCT",
     "the component provides an object of this struct of functions in a C header",
     INTO(struct new_options, component.header)},
    {"object", 'o', "EXPRESSION",
     "with --from-header: the object's address (default: the only one)",
     INTO(struct new_options, component.object)},
    {"source", 'S', "FILE", "also compile this source into the component; may be repeated",
     INTO_LIST(struct new_options, component.sources.word, component.sources.n)},
    {"libs", 'l', "FLAGS", "libraries that the component needs, for instance -lblis",
     INTO(struct new_options, component.libs)},
    {"language", 'L', "LANGUAGE", "language of the code: C, C++, Fortran or Python (default: C)",
     .take = take_language},
    {.key = CLI_WORD, INTO(struct new_options, name), .doc = "one component at a time"},
    {.key = CLI_END, .doc = "which class, as in my.Jacobi?", INTO(struct new_options, name)},
    {0},
};

static const struct cli_option assembly_options[] = {
    {"driver", 'd', "CLASS", "the component that starts the run and has the time steps",
     INTO(struct new_options, driver)},
    {.key = CLI_WORD, INTO(struct new_options, name), .doc = "one assembly at a time"},
    {.key = CLI_END,
     .doc = "which driver? name it with --driver CLASS",
     INTO(struct new_options, driver)},
    {0},
};

static enum portolan_status create_project(struct portolan_project *p, struct new_options *o,
                                           struct portolan_error *err)
{
    return portolan_project_create(p, o->name, o->build, err);
}

static enum portolan_status add_port(struct portolan_project *p, struct new_options *o,
                                     struct portolan_error *err)
{
    o->port.type = o->name;
    return portolan_project_add_port(p, &o->port, err);
}

static enum portolan_status add_component(struct portolan_project *p, struct new_options *o,
                                          struct portolan_error *err)
{
    o->component.class_name = o->name;
    return portolan_project_add_component(p, &o->component, err);
}

static enum portolan_status add_assembly(struct portolan_project *p, struct new_options *o,
                                         struct portolan_error *err)
{
    return portolan_project_add_assembly(
        p, &(struct portolan_new_assembly){.name = o->name, .driver = o->driver}, err);
}

static const struct kind {
    const char *name;
    struct cli_line line;
    enum portolan_status (*make)(struct portolan_project *p, struct new_options *o,
                                 struct portolan_error *err);
} kinds[] = {
    {"port",
     {.words = "TYPE", .doc = "Add a port type to this project.", .options = port_options},
     add_port},
    {"component",
     {.words = "CLASS", .doc = "Add a component to this project.", .options = component_options},
     add_component},
    {"assembly",
     {.words = "[NAME]",
      .doc = "Create an assembly: connect a driver to what it uses, and list the alternatives.",
      .options = assembly_options},
     add_assembly},
    {"",
     {.words = "NAME\nport TYPE\ncomponent CLASS\nassembly [NAME]",
      .doc = "Create a project of components that measures and tunes itself, or extend the project "
             "in this folder (see `portolan new port --help`). Existing files are not replaced.",
      .options = project_options},
     create_project},
};

int command_new(int argc, char **argv)
{
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_project p = {.folder = ".", .d = &d};
    const struct kind *kind = kinds;
    struct portolan_error err = {0};
    struct new_options o = {0};
    char name[64];
    enum portolan_status status;

    while (*kind->name && (argc < 2 || strcmp(argv[1], kind->name) != 0))
        kind++;
    if (*kind->name) {
        snprintf(name, sizeof name, "portolan new %s", kind->name);
        argc--, argv++;
        argv[0] = name;
    }
    parse_line(&kind->line, argc, argv, 0, &o);
    status = kind->make(&p, &o, &err);
    if (p.said.bytes)
        fputs(p.said.bytes, stdout);
    portolan_text_clear(&p.said);
    free(o.port.methods.word);
    free(o.port.contexts.word);
    free(o.component.provides.word);
    free(o.component.uses.word);
    free(o.component.parameters.word);
    free(o.component.sources.word);
    if (status == PORTOLAN_OK)
        return 0;
    portolan_error_set(&err, status, "%d error%s", d.count, d.count == 1 ? "" : "s");
    return print_error(&err);
}
