/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of commands on assemblies. */
#include "cli.h"

static error_t check_case(void *to, char *arg, const struct cli_option *option,
                          struct argp_state *state)
{
    const struct assembly_options *o = to;

    (void)option;
    if (o->n_cases && !o->takes_cases)
        argp_error(state, "one case at a time, but '%s' was also given", arg);
    return 0;
}

const struct cli_option settings_table[] = {
    {"store", 'd', "FILE", "the experiment store (default: the Mastermind's)",
     INTO(struct assembly_options, store)},
    {"set", 's', "INSTANCE.PARAMETER=VALUE",
     "set a parameter; INSTANCE may be omitted if only one instance has this parameter",
     INTO_LIST(struct assembly_options, sets, n_sets), .take = need_equals},
    {"case", 0, "NAME", "set all parameters of this case",
     INTO_LIST(struct assembly_options, cases, n_cases), .take = check_case},
    {"select", 'i', "INSTANCE=CLASS", "start with this alternative",
     INTO_LIST(struct assembly_options, selects, n_selects), .take = need_equals},
    {"pin", 0, "INSTANCE=CLASS", "run or choose only this alternative",
     INTO_LIST(struct assembly_options, pins, n_pins), .take = need_equals},
    {"forbid", 0, "INSTANCE=CLASS", "never run or choose this alternative",
     INTO_LIST(struct assembly_options, forbids, n_forbids), .take = need_equals},
    {0},
};

const struct cli_option assembly_table[] = {
    {"path", 'p', "DIR:...", "search these folders for components first",
     INTO(struct assembly_options, path)},
    {.kind = CLI_TABLE, .table = settings_table},
    {.key = CLI_WORD, .doc = "one assembly at a time", INTO(struct assembly_options, file)},
    {.key = CLI_END,
     .doc = "which assembly? name its XML file",
     INTO(struct assembly_options, file)},
    {0},
};
