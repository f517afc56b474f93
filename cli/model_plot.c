/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan model plot: rows and model as a picture. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_X = 512, OPTION_LINEAR };

struct options {
    struct model_options source;
    struct portolan_trend_plot plot;
    const char *output;
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "The picture:", 0},
    {"output", 'o', "FILE", 0,
     "where to: .svg (default: model.svg), or .gp for a script of gnuplot", 0},
    {"x", OPTION_X, "PARAM", 0,
     "the parameter along the axis (default: the first that differs); others are as large as "
     "measured",
     0},
    {"linear", OPTION_LINEAR, NULL, 0, "linear axes, whatever the numbers", 0},
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
    default:
        return ARGP_ERR_UNKNOWN;
    }
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
    char *text = NULL;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    o.plot.top = o.source.top;
    if (model_source_open(&o.source, &trends, &err) == PORTOLAN_OK &&
        portolan_trends_write_chart(trends, &o.plot, o.output, &text, &err) == PORTOLAN_OK)
        portolan_replace_file(o.output, text, strlen(text), &err);
    free(text);
    portolan_trends_destroy(trends);
    return err.status == PORTOLAN_OK ? 0 : model_source_fail(&err);
}
