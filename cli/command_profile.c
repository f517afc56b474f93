/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

int command_profile(int argc, char **argv)
{
    static const struct argp_child children[] = {{&assembly_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .args_doc = "ASSEMBLY.xml",
        .doc = "Show the call graph that was measured by call path, and what is pruned and why.",
        .children = children,
    };
    struct assembly_options o = {0};
    struct portolan_error err = {0};
    struct study s;
    char *text = NULL;
    int result;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (study_open(&s, &o, &err) == PORTOLAN_OK &&
        portolan_plan_report_callgraph(s.plan, &text, &err) == PORTOLAN_OK)
        result = write_text(NULL, text);
    else
        result = print_error(&err);
    free(text);
    study_close(&s);
    return result;
}
