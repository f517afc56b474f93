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
    struct portolan_obsp_machine machine; /* NaN: not given */
    enum portolan_obsp_combine combine;
    bool predict, totals;
    bool models[2];
};

static error_t take_model(void *to, char *arg, const struct cli_option *option,
                          struct argp_state *state)
{
    bool is_bsp = !strcmp(arg, "bsp");

    if (!is_bsp && strcmp(arg, "obsp") != 0)
        argp_error(state, "--%s is obsp or bsp, not '%s'", option->name, arg);
    ((struct options *)to)->models[is_bsp ? PORTOLAN_OBSP : PORTOLAN_BSP] = false;
    return 0;
}

static error_t check_models(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    const struct options *o = to;

    (void)arg, (void)option;
    if (!o->models[PORTOLAN_OBSP] && !o->models[PORTOLAN_BSP])
        argp_error(state, "--model is given once");
    return 0;
}

static const struct cli_option options[] = {
    {"predict", 'p', NULL,
     "take the time of computation from constants and formulas, not from the trace",
     INTO(struct options, predict)},
    {"constants", 'c', "NAME=C0,C1,...", "constants of an experiment; may be repeated (implies -p)",
     INTO_LIST(struct options, constants, n_constants), .take = need_equals},
    {"report", 'r', "FILE", "fit the constants to this CALL report (implies -p)",
     INTO(struct options, report)},
    {"from", 0, "TRACE", "fit g, L, speed and constants to this trace (implies -p)",
     INTO(struct options, from)},
    {"gap", 'g', "SECONDS", "g, the time per byte", INTO(struct options, machine.g),
     .wanted = "seconds"},
    {"latency", 'L', "SECONDS", "L, the time per superstep", INTO(struct options, machine.latency),
     .wanted = "seconds"},
    {"speed", 0, "SECONDS", "time of an operation in plain BSP",
     INTO(struct options, machine.speed), .wanted = "seconds"},
    {"combine", 0, "max|sum",
     "h counts bytes in or out, whichever is more (default), or both together",
     INTO_CHOICE(struct options, combine, "max", "sum")},
    {"model", 0, "obsp|bsp", "use only this model", .take = take_model},
    {"totals", 0, NULL, "print processors only, not each superstep", INTO(struct options, totals)},
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

static enum portolan_status fit_to_report(struct portolan_obsp_trace *t, const char *file,
                                          struct portolan_error *err)
{
    struct portolan_diagnostics d = {print_diagnostic, NULL, 0};
    struct portolan_cll_report *report = NULL;
    enum portolan_status status = portolan_cll_report_read(file, &d, &report, err);

    if (status == PORTOLAN_OK)
        status = portolan_obsp_fit(t, report, err);
    portolan_cll_report_destroy(report);
    return status;
}

static enum portolan_status set_constants(struct portolan_obsp_trace *t, const char *text,
                                          struct portolan_error *err)
{
    double constants[PORTOLAN_OBSP_MAX_CONSTANTS];
    const char *list = strchr(text, '=');
    char *name = strndup(text, (size_t)(list - text)), *copy = portolan_strdup(list + 1),
         *rest = copy;
    enum portolan_status status = PORTOLAN_OK;
    size_t n = 0;

    if (!name || !copy)
        status = portolan_no_memory(err);
    while (status == PORTOLAN_OK && rest) {
        const char *number = strsep(&rest, ",");

        if (n == PORTOLAN_OBSP_MAX_CONSTANTS || !portolan_read_double(number, &constants[n++]))
            status = portolan_error_set(err, PORTOLAN_EINVAL, "--constants %s: '%s' is no number",
                                        text, number);
    }
    if (status == PORTOLAN_OK)
        status = portolan_obsp_set_constants(t, name, n, constants, err);
    free(name);
    free(copy);
    return status;
}

static bool lacks_constants(const struct portolan_obsp_trace *t)
{
    size_t n;
    const struct portolan_obsp_experiment *e = portolan_obsp_peek_experiments(t, &n);

    for (size_t i = 0; i < n; i++)
        if (e[i].constants)
            return false;
    return true;
}

/* Sets constants and machine: from options, else from the report, else from the other trace. */
static enum portolan_status prepare(struct options *o, struct portolan_obsp_trace *t,
                                    struct portolan_error *err)
{
    struct portolan_obsp_trace *from = NULL;
    struct portolan_obsp_machine m;
    enum portolan_status status = PORTOLAN_OK;

    o->predict = o->predict || o->from || o->report || o->n_constants;
    if (o->from)
        status = read_trace(o->from, &from, err);
    if (from) /* may fail without formulas: g and latency are still available */
        portolan_obsp_fit(from, NULL, NULL);
    if (from && status == PORTOLAN_OK)
        status = portolan_obsp_take_constants(t, from, err);
    if (status == PORTOLAN_OK && o->report)
        status = fit_to_report(t, o->report, err);
    for (size_t i = 0; i < o->n_constants && status == PORTOLAN_OK; i++)
        status = set_constants(t, o->constants[i], err);
    if (status == PORTOLAN_OK && o->predict && lacks_constants(t))
        status = portolan_obsp_fit(t, NULL, err);
    if (status == PORTOLAN_OK)
        status = portolan_obsp_machine(from ? from : t, o->combine, &m, err);
    if (status == PORTOLAN_OK) {
        bool is_given = !isnan(o->machine.g) || !isnan(o->machine.latency);

        if (is_given) {
            m = (struct portolan_obsp_machine){.speed = m.speed, .error = NAN};
            m.g = isnan(o->machine.g) ? 0 : o->machine.g;
            m.latency = isnan(o->machine.latency) ? 0 : o->machine.latency;
        }
        if (!isnan(o->machine.speed))
            m.speed = o->machine.speed;
        o->machine = m;
    }
    portolan_obsp_destroy(from);
    return status;
}

/* -- what is shown -- */

static void print_machine(const struct options *o, const struct portolan_obsp_trace *t)
{
    const struct portolan_obsp_machine *m = &o->machine;
    const struct portolan_obsp_experiment *e;
    size_t n;

    printf("%s: %zu processor%s", o->file, portolan_obsp_n_processors(t),
           portolan_obsp_n_processors(t) == 1 ? "" : "s");
    if (!isnan(m->latency))
        printf("; g %.3g s/byte, L %.3g s", m->g, m->latency);
    if (m->n_rows)
        printf(" (fitted to %zu ends of supersteps, off by %.0f %%)", m->n_rows, m->error * 100);
    if (o->predict && !isnan(m->speed))
        printf("; plain BSP: %.3g s an operation", m->speed);
    printf("\n");
    e = portolan_obsp_peek_experiments(t, &n);
    for (size_t i = 0; o->predict && i < n; i++) {
        printf("  %s, %zu run%s: %s", e[i].name, e[i].n_runs, e[i].n_runs == 1 ? "" : "s",
               e[i].formula ? e[i].formula : "no formula");
        for (size_t k = 0; e[i].constants && k < e[i].n_constants; k++)
            printf("%s %.4g", k ? "," : ";", e[i].constants[k]);
        if (e[i].n_intervals > 1)
            printf(" (%zu intervals have their own)", e[i].n_intervals);
        printf("%s\n", e[i].is_local ? "; between measured values as its neighbours" : "");
    }
}

static void print_time(double t)
{
    if (isnan(t))
        printf(" %11s", "-");
    else
        printf(" %11.6g", t);
}

/* (real - predicted) / real, as in the paper's Table 1. */
static void print_error_of(double real, double predicted)
{
    if (isnan(real) || real == 0)
        printf(" %9s", "-");
    else
        printf(" %9.2f", (real - predicted) / real * 100);
}

static void print_times(const struct options *o, const double predicted[2], double measured)
{
    for (int m = 0; m < 2; m++)
        if (o->models[m])
            print_time(predicted[m]);
    print_time(measured);
    for (int m = 0; m < 2; m++)
        if (o->models[m])
            print_error_of(measured, predicted[m]);
    printf("\n");
}

static void print_heading(const struct options *o, const char *left)
{
    static const char *const names[2] = {"OBSP*", "BSP"};

    printf("%s", left);
    for (int m = 0; m < 2; m++)
        if (o->models[m])
            printf(" %11s", names[m]);
    printf(" %11s", "measured");
    for (int m = 0; m < 2; m++)
        if (o->models[m])
            printf(" %5s err%%", m ? "BSP" : "OBSP*");
    printf("\n");
}

static void print_result(const struct options *o, const struct portolan_obsp_result r[2])
{
    const struct portolan_obsp_result *any = &r[o->models[PORTOLAN_OBSP] ? 0 : 1];

    if (!o->totals && any->n_rows) {
        print_heading(o, "\nprocessor depth superstep     bytes        work");
        for (size_t i = 0; i < any->n_rows; i++) {
            const struct portolan_obsp_row *row = &any->rows[i];
            double ends[2] = {r[0].n_rows ? r[0].rows[i].end : NAN,
                              r[1].n_rows ? r[1].rows[i].end : NAN};

            printf("%9zu %5zu %9zu %9.6g %11.6g", row->processor, row->depth, row->superstep,
                   row->bytes, row->work);
            print_times(o, ends, row->measured);
        }
    }
    print_heading(o, "\nprocessor");
    for (size_t p = 0; p < any->n_processors; p++) {
        double ends[2] = {r[0].ends ? r[0].ends[p] : NAN, r[1].ends ? r[1].ends[p] : NAN};

        printf("%9zu", p);
        print_times(o, ends, any->measured_ends[p]);
    }
    printf("%9s", "all");
    print_times(o, (double[2]){r[0].total, r[1].total}, any->measured_total);
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
    struct options o = {.machine = {.g = NAN, .latency = NAN, .speed = NAN},
                        .models = {true, true}};
    struct portolan_obsp_result r[2] = {0};
    struct portolan_obsp_trace *t = NULL;
    struct portolan_error err = {0};
    enum portolan_status status;

    parse_line(&line, argc, argv, 0, &o);
    status = read_trace(o.file, &t, &err);
    if (status == PORTOLAN_OK)
        status = prepare(&o, t, &err);
    for (int m = 0; m < 2 && status == PORTOLAN_OK; m++) {
        const struct portolan_obsp_options evaluation = {
            .model = (enum portolan_obsp_model)m,
            .combine = o.combine,
            .predict = o.predict,
            .machine = &o.machine,
        };

        if (o.models[m])
            status = portolan_obsp_evaluate(t, &evaluation, &r[m], &err);
    }
    if (status == PORTOLAN_OK) {
        print_machine(&o, t);
        print_result(&o, r);
    } else if (err.text[0]) {
        print_error(&err);
    }
    portolan_obsp_result_clear(&r[0]);
    portolan_obsp_result_clear(&r[1]);
    portolan_obsp_destroy(t);
    free(o.constants);
    return status == PORTOLAN_OK ? 0 : EXIT_BAD_INPUT;
}
