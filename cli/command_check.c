/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdio.h>

int command_check(int argc, char **argv)
{
    static const struct argp_child children[] = {{&assembly_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .args_doc = "ASSEMBLY.xml",
        .doc = "Judge an assembly against the components that there are. Prints one line per "
               "problem; exits 1 if there is any.",
        .children = children,
    };
    struct assembly_options o = {0};
    struct portolan_error err = {0};
    struct workbench w;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (workbench_open(&w, &o, true, &err) != PORTOLAN_OK)
        return print_error(&err);
    printf("%s: good: %zu instances, %zu connections\n", o.file, w.assembly->n_instances,
           w.assembly->n_connections);
    workbench_close(&w);
    return 0;
}
