/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that read the measurements of an assembly and print what the plan says. */
#include "virtual_trials.h"

#include <portolan/list.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

const struct study_means study_means = {print_diagnostic, virtual_machine_name};

int study_cannot_tell(const struct study *s, const struct portolan_error *err)
{
    if (!(s->data || s->was_read) ||
        (err->status != PORTOLAN_ENOTFOUND && err->status != PORTOLAN_EINFEASIBLE))
        return print_error(err);
    fprintf(stderr, "portolan: cannot tell: %s\n", err->text);
    return EXIT_CANNOT_TELL;
}

static int add_context(struct assembly_options *o, const char *name, double value)
{
    size_t n = o->n_contexts;

    if (!portolan_append(&o->contexts, &n, &value, sizeof value))
        return ENOMEM;
    return append_text(&o->context_names, &o->n_contexts, name);
}

static error_t take_context(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    char *equals = strchr(arg, '=');
    struct study_options *o = to;
    double value;

    (void)option;
    if (!equals || equals == arg || !portolan_read_double(equals + 1, &value)) {
        argp_error(state, "--context needs NAME=NUMBER, not '%s'", arg);
        return EINVAL;
    }
    *equals = '\0';
    return add_context(&o->assembly, arg, value);
}

const struct cli_option study_table[] = {
    {"any-machine", 0, NULL, "also use trials of other machines and builds",
     INTO(struct study_options, any_machine)},
    {"machine", 'm', "FILE",
     "for the virtual machine that this file describes, portolan-machine(5)",
     INTO(struct study_options, machine)},
    {"ranks", 'n', "N", "number of ranks (default: as explored last)",
     INTO(struct study_options, ranks), .least = 1, .wanted = "a number of ranks"},
    {"context", 0, "NAME=VALUE", "calls will have this value of a context", .take = take_context},
    TABLE_OF(assembly_table, struct study_options, assembly),
    {0},
};

int study_print(struct study_options *o, study_report_fn *report)
{
    struct portolan_error err = {0};
    struct study s;
    char *text = NULL;
    int result;

    if (study_open(&s, o, &study_means, false, &err) == PORTOLAN_OK)
        report(s.plan, &text, &err);
    result = print_made(text, &err);
    study_close(&s);
    return result;
}

struct report_form {
    struct study_options study;
    bool json;
};

static const struct cli_option report_form_table[] = {
    {"json", 0, NULL, "print all numbers as JSON", INTO(struct report_form, json)},
    TABLE_OF(of_trials_table, struct report_form, study.assembly),
    {0},
};

int study_report(int argc, char **argv, const char *words, const char *doc, study_report_fn *report,
                 study_report_fn *as_json)
{
    const struct cli_line line = {words, doc, report_form_table, NULL};
    struct report_form o = {0};

    parse_line(&line, argc, argv, 0, &o);
    return study_print(&o.study, o.json ? as_json : report);
}
