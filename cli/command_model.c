/* SPDX-License-Identifier: BSD-3-Clause */
#include "model.h"

#include <stdio.h>
#include <string.h>

static const struct verb {
    const char *name, *full;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"list", "portolan model list", model_verb_list},
    {"show", "portolan model show", model_verb_show},
    {"plot", "portolan model plot", model_verb_plot},
    {"compare", "portolan model compare", model_verb_compare},
    {"fit", "portolan model fit", model_verb_fit},
};

int command_model(int argc, char **argv)
{
    static char name[64];

    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(argv[1], verbs[i].name)) {
            snprintf(name, sizeof name, "%s", verbs[i].full);
            argv[1] = name;
            return verbs[i].run(argc - 1, argv + 1);
        }
    return study_report(argc, argv,
                        "Show the models of the implementations of each core component. With "
                        "list, show, plot, compare or fit in front: the models of all call paths "
                        "of a store, or of a file of measurements (see portolan-model(1)).",
                        portolan_plan_report_models);
}
