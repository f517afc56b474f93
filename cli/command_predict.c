/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The classes that the variable instances have as selected. */
static size_t list_selection(const struct portolan_assembly *a, struct portolan_name_value *list)
{
    size_t n = 0;

    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *instance = &a->instances[i];

        if (instance->n_alternatives > 1)
            list[n++] = (struct portolan_name_value){
                instance->name, instance->alternatives[instance->selected].class_name};
    }
    return n;
}

static int print_prediction(const struct portolan_plan_prediction *p,
                            const struct portolan_name_value *selection, size_t n)
{
    char total[32], low[32], high[32], step[32];

    if (p->is_unusable) {
        printf("cannot tell: too little was measured near here");
        printf(p->n_extrapolating ? " (%s)\n" : "\n", p->extrapolating);
        return EXIT_CANNOT_TELL;
    }
    portolan_format_time(p->total_ns, 3, total, sizeof total);
    portolan_format_time(p->low_ns, 3, low, sizeof low);
    portolan_format_time(p->high_ns, 3, high, sizeof high);
    portolan_format_time(p->step_ns, 3, step, sizeof step);
    printf("predicted: %s (%s ... %s), %d steps of %s\n", total, low, high, p->steps, step);
    for (size_t i = 0; i < n; i++)
        printf("  with %s = %s\n", selection[i].name, selection[i].value);
    if (p->n_extrapolating)
        printf("  outside what was measured: %zu models, the farthest %s\n", p->n_extrapolating,
               p->extrapolating);
    if (!isnan(p->accuracy))
        printf("  accuracy: %.3g of %s (%.2g ... %.2g)%s\n", p->accuracy, p->accuracy_of,
               p->accuracy_low, p->accuracy_high,
               p->accuracy_extrapolates ? ", outside what was measured" : "");
    if (p->is_assumed)
        printf("  part of the interval rests on assumption: too few measurements\n");
    return 0;
}

int command_predict(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc = "Predict the time of the assembly as it stands: "
               "portolan predict a.xml --set driver.n=200 --select solver=heat.Cholmod",
        .options = study_table,
    };
    struct study_options o = {0};
    struct portolan_error err = {0};
    struct portolan_plan_prediction prediction;
    struct portolan_name_value *selection = NULL;
    struct study s;
    size_t n;
    int result = 0;

    parse_line(&line, argc, argv, 0, &o);
    if (study_open(&s, &o, true, &err) != PORTOLAN_OK)
        return study_cannot_tell(&s, &err);
    selection = portolan_calloc(s.w.assembly->n_instances + 1, sizeof *selection);
    n = selection ? list_selection(s.w.assembly, selection) : 0;
    if (!selection)
        portolan_no_memory(&err);
    else if (portolan_plan_predict(s.plan, selection, n, &prediction, &err) == PORTOLAN_OK)
        result = print_prediction(&prediction, selection, n);
    for (size_t i = 0; err.status == PORTOLAN_OK && portolan_plan_peek_note(s.plan, i); i++)
        printf("  %s\n", portolan_plan_peek_note(s.plan, i));
    if (err.status != PORTOLAN_OK)
        result = study_cannot_tell(&s, &err);
    free(selection);
    study_close(&s);
    return result;
}
