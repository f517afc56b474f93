/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan model plot: rows and model as a picture. */
#include "model.h"

#include <portolan/chart.h>

#include <stdlib.h>
#include <string.h>

enum { OPTION_X = 512, OPTION_GNUPLOT, OPTION_LINEAR };

struct options {
    struct model_options source;
    struct portolan_trend_plot plot;
    const char *output, *gnuplot;
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "The picture:", 0},
    {"output", 'o', "FILE.svg", 0, "where to (default: model.svg)", 0},
    {"x", OPTION_X, "PARAM", 0,
     "the parameter along the axis (default: the first that differs); others are as large as "
     "measured",
     0},
    {"linear", OPTION_LINEAR, NULL, 0, "linear axes, whatever the numbers", 0},
    {"gnuplot", OPTION_GNUPLOT, "FILE", 0,
     "draw the same by gnuplot, too: .png, .pdf, .eps, .svg or .txt; .gp: its script alone", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->source;
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case OPTION_X:
        o->plot.x = arg;
        return 0;
    case OPTION_LINEAR:
        o->plot.linear = true;
        return 0;
    case OPTION_GNUPLOT:
        o->gnuplot = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

extern char **environ;

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return length > tail && !strcmp(text + length - tail, end);
}

static enum portolan_status draw_by_gnuplot(const struct options *o,
                                            const struct portolan_trends *trends,
                                            struct portolan_error *err)
{
    bool script_only = ends_in(o->gnuplot, ".gp");
    char *script = NULL;
    enum portolan_status status = portolan_trends_write_gnuplot(
        trends, &o->plot, script_only ? NULL : o->gnuplot, &script, err);

    if (!status && script_only)
        status = portolan_replace_file(o->gnuplot, script, strlen(script), err);
    else if (!status)
        status = portolan_chart_run_gnuplot(script, err);
    free(script);
    return status;
}

int model_verb_plot(int argc, char **argv)
{
    static const struct argp_child children[] = {{&model_argp, 0, NULL, 1}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "[STORE|ASSEMBLY.xml|FILE] [TRIALS]",
        .doc = "Draw rows, model and interval of one call path, or of a few: --method chooses.",
        .children = children,
    };
    struct options o = {.output = "model.svg", .source = {.top = 6}};
    struct portolan_trends *trends = NULL;
    struct portolan_error err = {0};
    char *svg = NULL;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    o.plot.top = o.source.top;
    if (model_source_open(&o.source, &trends, &err) == PORTOLAN_OK &&
        portolan_trends_write_svg(trends, &o.plot, &svg, &err) == PORTOLAN_OK &&
        portolan_replace_file(o.output, svg, strlen(svg), &err) == PORTOLAN_OK && o.gnuplot)
        draw_by_gnuplot(&o, trends, &err);
    free(svg);
    portolan_trends_destroy(trends);
    return err.status == PORTOLAN_OK ? 0 : model_source_fail(&err);
}
