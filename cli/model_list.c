/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan model list: the models of all call paths. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { TOP = 50, OPTION_SORT = 512, OPTION_AT };

struct options {
    struct model_options source;
    struct portolan_trend_list list;
    struct portolan_name_value *at;
    enum model_form form;
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is shown:", 0},
    {"sort", OPTION_SORT, "KEY", 0,
     "value (default), growth (per doubling of all parameters), error, name or called", 0},
    {"at", OPTION_AT, "PARAM=VALUE,...", 0, "predict there (default: at the largest point)", 0},
    {0},
};

static void read_at(struct options *o, char *arg, struct argp_state *state)
{
    for (char *word = strtok(arg, ","); word; word = strtok(NULL, ",")) {
        char *equals = strrchr(word, '=');
        struct portolan_name_value *more =
            portolan_reallocarray(o->at, o->list.n_at + 1, sizeof *more);

        if (!equals || !more)
            argp_error(state, "--at wants PARAMETER=NUMBER, not '%s'", word);
        else
            *equals = '\0';
        o->at = more;
        o->at[o->list.n_at++] = (struct portolan_name_value){word, equals + 1};
    }
    o->list.at = o->at;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->source;
        state->child_inputs[1] = &o->form;
        return 0;
    case OPTION_SORT:
        o->list.sort = arg;
        return 0;
    case OPTION_AT:
        read_at(o, arg, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run(int argc, char **argv, const struct argp *argp, bool file_only)
{
    struct options o = {.source = {.top = TOP, .file_only = file_only}};
    struct portolan_trends *trends = NULL;
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    int result;

    argp_parse(argp, argc, argv, 0, NULL, &o);
    o.list.top = o.source.top;
    o.list.wide = o.source.wide;
    if (model_source_open(&o.source, &trends, &err) == PORTOLAN_OK) {
        if (o.form)
            model_emit(trends, o.form, &out, &err);
        else if (file_only && trends->n == 1)
            portolan_trend_write(trends, &trends->items[0], &out, &err);
        else
            portolan_trends_write_list(trends, &o.list, &out, &err);
    }
    result = model_source_finish(&out, NULL, &err);
    portolan_trends_destroy(trends);
    free(o.at);
    return result;
}

static const struct argp_child children[] = {
    {&model_argp, 0, NULL, 1}, {&model_emit_argp, 0, NULL, 0}, {0}};

int model_verb_list(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "[STORE|ASSEMBLY.xml|FILE] [TRIALS]",
        .doc = "List the models of all call paths of stored trials, or of a file of measurements.",
        .children = children,
    };

    return run(argc, argv, &argp, false);
}

int model_verb_fit(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "FILE",
        .doc = "Fit models to a file of measurements: a table of comma separated values, or "
               "Extra-P's text, JSON or JSON Lines. One model is shown with all that is known of "
               "it, several are listed.",
        .children = children,
    };

    return run(argc, argv, &argp, true);
}
