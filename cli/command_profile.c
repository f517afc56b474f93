/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

int command_profile(int argc, char **argv)
{
    return study_report(
        argc, argv,
        "Show the call graph that was measured by call path, and what is pruned and why.",
        portolan_plan_report_callgraph);
}
