/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/cll_report.h>
#include <portolan/command.h>
#include <portolan/obsp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *file, *from, *report;
    const char **constants;
    size_t n_constants;
    struct portolan_obsp_comparison with;
};

static error_t take_model(void *to, char *arg, const struct cli_option *option,
                          struct argp_state *state)
{
    bool is_bsp = !strcmp(arg, "bsp");

    if (!is_bsp && strcmp(arg, "obsp") != 0)
        argp_error(state, "--%s is obsp or bsp, not '%s'", option->name, arg);
    ((struct options *)to)->with.models[is_bsp ? PORTOLAN_OBSP : PORTOLAN_BSP] = false;
    return 0;
}

static error_t check_models(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    const struct options *o = to;

    (void)arg, (void)option;
    if (!o->with.models[PORTOLAN_OBSP] && !o->with.models[PORTOLAN_BSP])
        argp_error(state, "--model is given once");
    return 0;
}

static const struct cli_option options[] = {
    {"predict", 'p', NULL,
     "take the time of computation from constants and formulas, not from the trace",
     INTO(struct options, with.predict)},
    {"constants", 'c', "NAME=C0,C1,...", "constants of an experiment; may be repeated (implies -p)",
     INTO_LIST(struct options, constants, n_constants), .take = need_equals},
    {"report", 'r', "FILE", "fit the constants to this CALL report (implies -p)",
     INTO(struct options, report)},
    {"from", 0, "TRACE", "fit g, L, speed and constants to this trace (implies -p)",
     INTO(struct options, from)},
    {"gap", 'g', "SECONDS", "g, the time per byte", INTO(struct options, with.given.g),
     .wanted = "seconds"},
    {"latency", 'L', "SECONDS", "L, the time per superstep",
     INTO(struct options, with.given.latency), .wanted = "seconds"},
    {"speed", 0, "SECONDS", "time of an operation in plain BSP",
     INTO(struct options, with.given.speed), .wanted = "seconds"},
    {"combine", 0, "max|sum",
     "h counts bytes in or out, whichever is more (default), or both together",
     INTO_CHOICE(struct options, with.combine, "max", "sum")},
    {"model", 0, "obsp|bsp", "use only this model", .take = take_model},
    {"totals", 0, NULL, "print processors only, not each superstep",
     INTO(struct options, with.totals)},
    {.key = CLI_WORD, .doc = "one trace at a time", INTO(struct options, file)},
    {.key = CLI_END,
     .doc = "which trace? BSP_TRACE=FILE makes a program of the BSP library write one",
     INTO(struct options, file)},
    {.key = CLI_END, .take = check_models},
    {0},
};

/* -- input: the trace and the options -- */

static enum portolan_status read_trace(const char *file, struct portolan_obsp_trace **t,
                                       struct portolan_error *err)
{
    struct portolan_diagnostics d = {print_diagnostic, NULL, 0};
    struct portolan_arena arena = {0};
    const char *text;
    size_t size;
    enum portolan_status status = portolan_file_read(&arena, file, &text, &size, err);

    if (status == PORTOLAN_OK)
        status = portolan_obsp_read(text, size, file, &d, t, err);
    if (d.count) /* they are printed already */
        err->text[0] = '\0';
    portolan_arena_clear(&arena);
    return status;
}

/* The report of an annotated program, of which the constants may come. */
static enum portolan_status read_report(const char *file, struct portolan_cll_report **report,
                                        struct portolan_error *err)
{
    struct portolan_diagnostics d = {print_diagnostic, NULL, 0};

    return portolan_cll_report_read(file, &d, report, err);
}

int command_obsp(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "TRACE",
        .doc = "Compare a run of the BSP library with the models OBSP* and plain BSP.\vBy default, "
               "the time of computation is as measured, and that of communication is g h + L, "
               "fitted to the trace itself. With --predict, constants that are not given are "
               "fitted to the runs in the trace.",
        .options = options,
    };
    struct options o = {
        .with = {.given = {.g = NAN, .latency = NAN, .speed = NAN}, .models = {true, true}}};
    struct portolan_cll_report *report = NULL;
    struct portolan_obsp_trace *t = NULL;
    struct portolan_error err = {0};
    enum portolan_status status;
    char *text = NULL;

    parse_line(&line, argc, argv, 0, &o);
    status = read_trace(o.file, &t, &err);
    if (status == PORTOLAN_OK && o.from)
        status = read_trace(o.from, &o.with.from, &err);
    if (status == PORTOLAN_OK && o.report)
        status = read_report(o.report, &report, &err);
    o.with.name = o.file;
    o.with.report = report;
    o.with.constants = o.constants;
    o.with.n_constants = o.n_constants;
    if (status == PORTOLAN_OK)
        status = portolan_obsp_compare(&o.with, t, &text, &err);
    if (text)
        fputs(text, stdout);
    else if (err.text[0])
        print_error(&err);
    free(text);
    portolan_cll_report_destroy(report);
    portolan_obsp_destroy(o.with.from);
    portolan_obsp_destroy(t);
    free(o.constants);
    return status == PORTOLAN_OK ? 0 : EXIT_BAD_INPUT;
}
