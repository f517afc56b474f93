/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

struct optimize_options {
    struct assembly_options assembly;
    const char *output;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "write the chosen assembly there", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct optimize_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->assembly;
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

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

int command_optimize(int argc, char **argv)
{
    static const struct argp_child children[] = {{&study_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "ASSEMBLY.xml",
        .doc = "Choose the best assembly from what is stored, and say why.",
        .children = children,
    };
    struct optimize_options o = {0};
    struct portolan_error err = {0};
    struct study s;
    char *text = NULL;
    int result;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (study_open(&s, &o.assembly, &err) != PORTOLAN_OK)
        return print_error(&err);
    if (portolan_plan_report_choice(s.plan, &text, &err) == PORTOLAN_OK &&
        (!o.output || write_chosen(&s, o.output, &err) == PORTOLAN_OK))
        result = write_text(NULL, text);
    else
        result = print_error(&err);
    if (result == 0 && o.output)
        printf("written: %s\n", o.output);
    free(text);
    study_close(&s);
    return result;
}
