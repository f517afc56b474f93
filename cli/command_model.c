/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan model and its verbs: the source of rows, the fit, the output. */
#include "trial_words.h"

#include <portolan/command.h>
#include <portolan/list.h>
#include <portolan/trend.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options for the source of the rows, the fit and the output. */
struct model_options {
    struct trial_store_options store;
    const char *trials;  /* or NULL */
    const char *sets[2]; /* for `compare`: the arguments after the first */
    size_t n_sets, most_sets;
    bool file_only;
    struct portolan_trend_query query;
    struct portolan_trend_fit fit;
    struct portolan_trend_view view;
    struct portolan_name_value *at;           /* of the view; the caller frees it */
    struct portolan_diagnostics *diagnostics; /* for errors in files */
};

/* ------------------------------------------------------------------------------------- options */

/* Takes the argument of --at: "n=64,p=4". */
static error_t take_at(void *to, char *arg, const struct cli_option *option,
                       struct argp_state *state)
{
    struct model_options *o = to;

    (void)option;
    for (char *word = strtok(arg, ","); word; word = strtok(NULL, ",")) {
        char *equals = strrchr(word, '=');

        if (!equals)
            argp_error(state, "--at wants PARAMETER=NUMBER, not '%s'", word);
        else
            *equals = '\0';
        if (!portolan_append(&o->at, &o->view.n_at, &(struct portolan_name_value){word, equals + 1},
                             sizeof *o->at))
            return ENOMEM;
    }
    o->view.at = o->at;
    return 0;
}

static error_t take_up_to(void *to, char *arg, const struct cli_option *option,
                          struct argp_state *state)
{
    struct model_options *o = to;
    char *equals = strrchr(arg, '=');

    (void)option;
    if (!equals || equals == arg || !portolan_read_double(equals + 1, &o->fit.limit))
        argp_error(state, "--up-to wants PARAMETER=NUMBER, not '%s'", arg);
    else
        *equals = '\0';
    o->fit.up_to = arg;
    return 0;
}

static error_t take_pieces(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    struct model_options *o = to;

    (void)option;
    o->fit.pieces = true;
    o->fit.options.max_pieces = arg ? (unsigned)read_natural(state, "--pieces", arg) : 0;
    return 0;
}

static error_t take_confidence(void *to, char *arg, const struct cli_option *option,
                               struct argp_state *state)
{
    struct model_options *o = to;
    double percent;

    (void)option;
    if (!portolan_read_double(arg, &percent) || !(percent > 0 && percent < 100))
        argp_error(state, "--confidence needs a number between 0 and 100, not '%s'", arg);
    o->fit.options.confidence = percent / 100;
    return 0;
}

static error_t take_word(void *to, char *arg, const struct cli_option *option,
                         struct argp_state *state)
{
    struct model_options *o = to;

    (void)option;
    if (o->n_sets < o->most_sets && o->store.file)
        o->sets[o->n_sets++] = arg;
    else if (o->file_only && o->store.file)
        argp_error(state, "one file at a time, but '%s' was also given", arg);
    else if (o->file_only || o->most_sets)
        o->store.file = arg;
    else
        trial_store_take_argument(&o->store, &o->trials, "set of trials", arg, state);
    return 0;
}

/* Options of all verbs: rows, fit and words. */
static const struct cli_option model_table[] = {
    {.doc = "Rows:", .group = 2},
    {"metric", 0, "NAME", "exclusive (default), inclusive, mpi, calls, accuracy, or a counter",
     INTO(struct model_options, query.metric)},
    {"by", 0, "parameters|contexts|both",
     "parameters of the trials (per run) or of the calls (contexts, per call); default: parameters "
     "if they differ",
     INTO_CHOICE(struct model_options, query.by, "auto", "parameters", "contexts", "both")},
    {"over", 0, "mean|max|sum", "how to combine ranks (default: mean)",
     INTO_CHOICE(struct model_options, query.over, "mean", "max", "sum")},
    {"method", 0, "PATTERN", "only call paths or methods that match: 'solver.*'",
     INTO(struct model_options, query.method)},
    {"value", 0, "COLUMN", "for a table: the column to model (default: the last)",
     INTO(struct model_options, query.value)},
    {"up-to", 0, "PARAM=VALUE", "fit the rows up to this value, predict the others",
     .take = take_up_to},
    {.doc = "Fit:", .group = 3},
    {"formula", 0, "TEXT",
     "fit the constants of this formula: 'c[0] + c[1]*n*log2(n)' (default: search for a formula)",
     INTO(struct model_options, fit.formula)},
    {"pieces", 0, "N", "fit at most N intervals of validity", .take = take_pieces,
     .may_lack_argument = true},
    {"statistic", 0, "NAME",
     "statistic of repetitions: typical (default), median, mean, minimum, maximum, deviation",
     INTO_CHOICE(struct model_options, fit.options.statistic, "typical", "median", "mean",
                 "minimum", "maximum", "deviation")},
    {"kind", 0, "amount|count|share",
     "kind of values: amount (default), count (predictions are integers), share (0 to 1)",
     INTO_CHOICE(struct model_options, fit.options.kind, "amount", "count", "share")},
    {"trimmed", 0, NULL, "ignore the worst quarter of the points",
     INTO(struct model_options, fit.options.trimmed)},
    {"negative", 0, NULL, "allow negative constants",
     INTO(struct model_options, fit.options.allow_negative)},
    {"confidence", 0, "PERCENT", "confidence level of intervals (default: 95)",
     .take = take_confidence},
    {.doc = "Output:", .group = 4},
    {"top", 0, "N", "show at most N lines; 0: all (default: 50)",
     INTO(struct model_options, view.top)},
    {"wide", 0, NULL, "print long names in full", INTO(struct model_options, view.wide)},
    {.doc = "Input:", .group = 5},
    TABLE_OF(trial_store_table, struct model_options, store),
    {.key = CLI_WORD, .take = take_word},
    {0},
};

#define EMIT                                                                                       \
    {                                                                                              \
        "emit", 'e', "FORM", "xml, c; extrap (its JSON) or extrap-text: the rows for Extra-P",     \
            INTO_CHOICE(struct model_options, view.form, "xml", "c", "extrap", "extrap-text")      \
    }
#define MODEL                                                                                      \
    {                                                                                              \
        .kind = CLI_TABLE, .table = model_table                                                    \
    }

static const struct cli_option list_table[] = {
    EMIT,
    {.doc = "Selection:", .group = 1},
    {"sort", 0, "KEY",
     "value (default), growth (per doubling of all parameters), error, name or called",
     INTO(struct model_options, view.sort)},
    {"at", 0, "PARAM=VALUE,...", "predict at this point (default: the largest)", .take = take_at},
    MODEL,
    {0},
};

static const struct cli_option show_table[] = {EMIT, MODEL, {0}};

static const struct cli_option plot_table[] = {
    {.doc = "Chart:", .group = 1},
    {"output", 'o', "FILE", "the output: .svg (default: model.svg), or .gp for a gnuplot script",
     INTO(struct model_options, view.file)},
    {"x", 0, "PARAM",
     "the parameter along the axis (default: the first that differs); others have their largest "
     "measured values",
     INTO(struct model_options, view.x)},
    {"linear", 0, NULL, "use linear axes even if values span decades",
     INTO(struct model_options, view.linear)},
    MODEL,
    {0},
};

/* -------------------------------------------------------------------------------------- source */

static enum portolan_status read_file(const struct model_options *o,
                                      struct portolan_trends **trends, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    const char *text;
    size_t size;
    enum portolan_status status = portolan_file_read(&arena, o->store.file, &text, &size, err);

    if (!status)
        status = portolan_trends_read_text(text, size, o->store.file, &o->query, o->diagnostics,
                                           trends, err);
    portolan_arena_clear(&arena);
    return status;
}

static enum portolan_status read_store(const struct model_options *o,
                                       struct portolan_trends **trends, struct portolan_error *err)
{
    struct portolan_trial_list list = {0};
    struct trial_store t;
    enum portolan_status status =
        trial_store_open(&t, &o->store, print_diagnostic, PORTOLAN_STORE_READ, err);

    if (!status)
        status = trial_store_select_alike(&t, o->trials, &list, err);
    if (!status)
        status = portolan_trends_read(t.store, &list, &o->query, trends, err);
    portolan_trials_clear(&list);
    trial_store_close(&t);
    return status;
}

/* Opens the source, reads and fits. Errors in a file are printed with their line. */
static enum portolan_status open_source(const struct model_options *o,
                                        struct portolan_trends **trends, struct portolan_error *err)
{
    const char *file = o->store.file;
    enum portolan_status status =
        file && !trial_store_is_one(file) ? read_file(o, trends, err) : read_store(o, trends, err);

    return status ? status : portolan_trends_fit(*trends, &o->fit, o->diagnostics, err);
}

/* The second source is another set of trials in the same store, or another store or file. */
static enum portolan_status open_second(const struct model_options *o,
                                        struct portolan_trends **trends, struct portolan_error *err)
{
    struct model_options other = *o;

    other.trials = o->n_sets == 2 ? o->sets[1] : NULL;
    if (o->n_sets == 1)
        other.store.file = o->sets[0];
    return open_source(&other, trends, err);
}

/* --------------------------------------------------------------------------------------- verbs */

static const char any_source[] = "[STORE|ASSEMBLY.xml|FILE] [TRIALS]";

static const struct verb {
    const char *name, *full;
    struct cli_line line;
    struct model_options defaults;
} verbs[] = {
    {"list",
     "portolan model list",
     {any_source,
      "List the models of all call paths of stored trials, or of a file of measurements.",
      list_table, NULL},
     {.view = {.form = PORTOLAN_TREND_LIST, .top = 50}}},
    {"show",
     "portolan model show",
     {any_source, "Show the models of call paths in full; --method selects them.", show_table,
      NULL},
     {.view = {.form = PORTOLAN_TREND_WHOLE, .top = 10}}},
    {"plot",
     "portolan model plot",
     {any_source,
      "Draw rows, model and interval of one or a few call paths; --method selects them.",
      plot_table, NULL},
     {.view = {.form = PORTOLAN_TREND_CHART, .top = 6, .file = "model.svg"}}},
    {"compare",
     "portolan model compare",
     {"SOURCE\nSOURCE SOURCE\nSTORE TRIALS TRIALS",
      "Compare measured values with predicted ones, point by point; with two sources, or two sets "
      "of trials in one store, compare their models. A source is a store, an assembly or a file of "
      "measurements.",
      model_table, NULL},
     {.view = {.form = PORTOLAN_TREND_ERRORS, .top = 50}, .most_sets = 2}},
    {"fit",
     "portolan model fit",
     {"FILE",
      "Fit models to a file of measurements: a table of comma-separated values, or Extra-P's text "
      "or JSON. A single model is shown in full; several are listed.",
      list_table, NULL},
     {.view = {.form = PORTOLAN_TREND_LIST_OR_WHOLE, .top = 50}, .file_only = true}},
};

static int run_verb(const struct verb *v, int argc, char **argv)
{
    struct model_options o = v->defaults;
    struct portolan_trends *trends = NULL, *second = NULL;
    struct portolan_diagnostics diagnostics = {.report = print_diagnostic};
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    enum portolan_status status;
    char *text = NULL;
    int result;

    o.diagnostics = &diagnostics;
    parse_line(&v->line, argc, argv, 0, &o);
    if (o.n_sets == 2)
        o.trials = o.sets[0];
    status = open_source(&o, &trends, &err);
    if (!status && o.n_sets) {
        o.view.form = PORTOLAN_TREND_COMPARISON;
        status = open_second(&o, &second, &err);
        o.view.other = second;
    }
    if (!status)
        status = portolan_trends_write(trends, &o.view, &out, &err);
    if (!status)
        status = portolan_text_take(&out, &text, &err);
    if (!status && o.view.form == PORTOLAN_TREND_CHART)
        status = portolan_replace_file(o.view.file, text, strlen(text), &err);
    result = status ? diagnostics.count ? EXIT_BAD_INPUT : print_error(&err)
             : o.view.form == PORTOLAN_TREND_CHART ? 0
                                                   : write_text(NULL, text);
    free(text);
    portolan_text_clear(&out);
    portolan_trends_destroy(trends);
    portolan_trends_destroy(second);
    free(o.at);
    return result;
}

int command_model(int argc, char **argv)
{
    static char name[64];
    const char *near;

    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(argv[1], verbs[i].name)) {
            snprintf(name, sizeof name, "%s", verbs[i].full);
            argv[1] = name;
            return run_verb(&verbs[i], argc - 1, argv + 1);
        }
    near = argc > 2 && access(argv[1], F_OK)
               ? portolan_nearest_member(argv[1], &verbs[0].name, sizeof verbs / sizeof *verbs,
                                         sizeof *verbs)
               : NULL;
    if (near) {
        fprintf(stderr, "portolan model: unknown view '%s'%s\n", argv[1],
                portolan_did_you_mean(near).text);
        return EXIT_USAGE;
    }
    return study_report(argc, argv, "ASSEMBLY.xml|STORE\nlist|show|plot|compare|fit ...",
                        "Show the models of the implementations of each core component. With list, "
                        "show, plot, compare or fit: show the models of all call paths of a store, "
                        "or of a file of measurements (see portolan-model(1)).",
                        portolan_plan_report_models, portolan_plan_report_models_json);
}
