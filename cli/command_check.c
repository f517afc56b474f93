/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdio.h>

int command_check(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc = "Judge an assembly against the components that there are. Prints one line per "
               "problem; exits 1 if there is any.",
        .options = assembly_table,
    };
    struct assembly_options o = {0};
    struct portolan_error err = {0};
    struct workbench w;

    parse_line(&line, argc, argv, 0, &o);
    if (workbench_open(&w, &o, true, &err) != PORTOLAN_OK)
        return print_error(&err);
    printf("%s: good: %zu instances, %zu connections\n", o.file, w.assembly->n_instances,
           w.assembly->n_connections);
    workbench_close(&w);
    return 0;
}
