/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

struct optimize_options {
    struct study_options study;
    const char *output;
    bool left_out;
};

static const struct cli_option options[] = {
    {"output", 'o', "FILE", "write the chosen assembly there",
     INTO(struct optimize_options, output)},
    {"left-out", 'l', NULL, "choose for each case from all others, and tell how good that is",
     INTO(struct optimize_options, left_out)},
    TABLE_OF(study_table, struct optimize_options, study),
    {0},
};

/* The assembly with the chosen class in each instance. */
static enum portolan_status write_chosen(struct study *s, const char *file,
                                         struct portolan_error *err)
{
    const struct portolan_plan_choice *choice;
    enum portolan_status status = portolan_plan_choose(s->plan, &choice, err);
    char *text = NULL;

    for (size_t i = 0; status == PORTOLAN_OK && i < choice->n_variables; i++) {
        const struct portolan_plan_variable *v = &choice->variables[i];

        status = portolan_assembly_select(s->w.assembly, v->instance,
                                          v->options[v->chosen].implementation, err);
    }
    if (status == PORTOLAN_OK)
        status = portolan_assembly_write(s->w.assembly, file, &text, err);
    if (status == PORTOLAN_OK && write_text(file, text))
        status = portolan_error_set(err, PORTOLAN_EIO, "the chosen assembly is not written");
    free(text);
    return status;
}

/* Tells the choice; writes it only where there is one. */
static int choose(struct study *s, const struct optimize_options *o)
{
    const struct portolan_plan_choice *choice;
    struct portolan_error err = {0};
    char *text = NULL;
    int result;

    if (portolan_plan_report_choice(s->plan, &text, &err) != PORTOLAN_OK ||
        portolan_plan_choose(s->plan, &choice, &err) != PORTOLAN_OK)
        return free(text), study_cannot_tell(s, &err);
    result = write_text(NULL, text);
    free(text);
    if (result == 0 && choice->verdict == PORTOLAN_PLAN_CANNOT_TELL)
        return EXIT_CANNOT_TELL;
    if (result == 0 && o->output) {
        if (write_chosen(s, o->output, &err) != PORTOLAN_OK)
            return print_error(&err);
        printf("written: %s\n", o->output);
    }
    return result;
}

static int tell_left_out(struct study *s)
{
    struct portolan_error err = {0};
    char *text = NULL;

    portolan_plan_report_left_out(s->w.assembly, s->data, &s->options, &text, &err);
    return print_made(text, &err);
}

int command_optimize(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc = "Choose the best assembly from what is stored, and say why.",
        .options = options,
    };
    struct optimize_options o = {0};
    struct portolan_error err = {0};
    struct study s;
    int result;

    parse_line(&line, argc, argv, 0, &o);
    if (study_open(&s, &o.study, true, &err) != PORTOLAN_OK)
        return study_cannot_tell(&s, &err);
    result = o.left_out ? tell_left_out(&s) : choose(&s, &o);
    study_close(&s);
    return result;
}
