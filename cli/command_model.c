/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

int command_model(int argc, char **argv)
{
    return study_report(argc, argv,
                        "Show the models of the implementations of each core component.",
                        portolan_plan_report_models);
}
