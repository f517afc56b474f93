/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that show an assembly: `check` and `draw`. */
#include "cli.h"

#ifdef PORTOLAN_HERCULE
#include <portolan/hercule_assembly.h>
#endif

#include <stdio.h>
#include <stdlib.h>

struct check_options {
    struct assembly_options assembly;
    const char **folders;
    size_t n_folders;
};

static const struct cli_option check_table[] = {
    {"knowledge", 'k', "DIR", "also read paradigms from the files *.clp in DIR; may be repeated",
     INTO_LIST(struct check_options, folders, n_folders)},
    TABLE_OF(assembly_table, struct check_options, assembly),
    {0},
};

#ifdef PORTOLAN_HERCULE
/* Checks that its <paradigm> has the components of the parts, and the factors that alternatives
 * remedy. */
static enum portolan_status check_paradigm(const struct portolan_assembly *a,
                                           const struct check_options *o,
                                           struct portolan_diagnostics *d,
                                           struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct portolan_knowledge *knowledge;
    struct portolan_part *parts;
    size_t n;
    enum portolan_status status =
        portolan_knowledge_read(o->folders, o->n_folders, d, &knowledge, err);

    if (!status)
        status = portolan_paradigm_declare(knowledge, a, &arena, &parts, &n, d, err);
    portolan_knowledge_destroy(knowledge);
    portolan_arena_clear(&arena);
    return status;
}
#endif

static void notice_idle(const struct workbench *w)
{
    const struct portolan_assembly *a = w->assembly;

    for (size_t i = 0; i < a->n_instances; i++) {
        const char *why = workbench_why_idle(w, &a->instances[i]);

        if (why)
            printf("%s:%d: notice: '%s' would never swap anything: %s\n", a->file,
                   a->instances[i].line, a->instances[i].name, why);
    }
}

int command_check(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc =
            "Check an assembly against the available components, and load these. Prints one line "
            "per problem; the exit status is 1 if there is any.",
        .options = check_table,
    };
    struct check_options o = {0};
    struct portolan_diagnostics d = {print_diagnostic, NULL, 0};
    struct portolan_error err = {0};
    struct workbench w;
    enum portolan_status status = PORTOLAN_OK;

    parse_line(&line, argc, argv, 0, &o);
    if (workbench_open(&w, &o.assembly, print_diagnostic, &err) != PORTOLAN_OK)
        return print_error(&err);
#ifdef PORTOLAN_HERCULE
    status = w.assembly->paradigm ? check_paradigm(w.assembly, &o, &d, &err) : PORTOLAN_OK;
#endif
    if (!status)
        status = workbench_check_loads(&w, &d);
    notice_idle(&w);
    if (!status)
        printf("%s: good: %zu instances, %zu connections\n", o.assembly.file,
               w.assembly->n_instances, w.assembly->n_connections);
    else if (!d.count)
        print_error(&err);
    workbench_close(&w);
    free(o.folders);
    return status != PORTOLAN_OK;
}

struct draw_options {
    struct assembly_options assembly;
    const char *output;
    bool text;
};

static const struct cli_option draw_table[] = {
    {"output", 'o', "FILE", "write to FILE instead of standard output",
     INTO(struct draw_options, output)},
    {"text", 't', NULL, "list instances, alternatives and connections as text",
     INTO(struct draw_options, text)},
    TABLE_OF(assembly_table, struct draw_options, assembly),
    {0},
};

int command_draw(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc = "Draw an assembly as a Graphviz graph: portolan draw a.xml | dot -Tsvg > a.svg",
        .options = draw_table,
    };
    struct draw_options o = {0};
    struct portolan_error err = {0};
    struct workbench w;
    char *text = NULL;
    int result = 0;

    parse_line(&line, argc, argv, 0, &o);
    if (workbench_open(&w, &o.assembly, print_diagnostic, &err) != PORTOLAN_OK)
        return print_error(&err);
    if (o.text)
        portolan_assembly_list(w.assembly, &text, &err);
    else
        portolan_assembly_draw(w.assembly, w.palette, &text, &err);
    result = text ? write_text(o.output, text) : print_error(&err);
    free(text);
    workbench_close(&w);
    return result;
}
