/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan model and its verbs: where rows come from, how they are fitted, what is shown. */
#include "trial_store.h"

#include <portolan/command.h>
#include <portolan/extrap.h>
#include <portolan/formula.h>
#include <portolan/trend.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the rows are from, how they are fitted and what is shown; the input of every argp here. */
struct model_options {
    const struct argp_child *children; /* of the verb */
    struct trial_store_options store;
    const char *trials;  /* or NULL */
    const char *sets[2]; /* of `compare`: the arguments behind the first */
    size_t n_sets, most_sets;
    bool file_only;
    const char *value; /* --value, of a table */
    struct portolan_trend_query query;
    struct portolan_trend_fit fit;
    const char *formula; /* --formula, as written */
    struct portolan_trend_list list;
    struct portolan_name_value *at; /* of the list, the caller's to free */
    struct portolan_trend_plot plot;
    const char *output;                       /* of a plot */
    enum portolan_trend_form form;            /* as `--emit` says it */
    struct portolan_diagnostics *diagnostics; /* of what is in files */
};

/* ------------------------------------------------------------------------------------- options */

enum {
    OPTION_METRIC = 256,
    OPTION_BY,
    OPTION_OVER,
    OPTION_METHOD,
    OPTION_FORMULA,
    OPTION_STATISTIC,
    OPTION_KIND,
    OPTION_PIECES,
    OPTION_TRIMMED,
    OPTION_NEGATIVE,
    OPTION_UP_TO,
    OPTION_VALUE,
    OPTION_CONFIDENCE,
    OPTION_TOP,
    OPTION_WIDE,
    OPTION_SORT,
    OPTION_AT,
    OPTION_X,
    OPTION_LINEAR
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Rows:", 1},
    {"metric", OPTION_METRIC, "NAME", 0,
     "exclusive (default), inclusive, mpi, calls, accuracy, or a counter", 1},
    {"by", OPTION_BY, "WHAT", 0,
     "parameters (of the trials, per run), contexts (parameters of the calls, per call), both; "
     "default: parameters where they differ",
     1},
    {"over", OPTION_OVER, "HOW", 0, "ranks: mean (default), max or sum", 1},
    {"method", OPTION_METHOD, "PATTERN", 0, "call paths or methods like this only: 'solver.*'", 1},
    {"value", OPTION_VALUE, "COLUMN", 0, "of a table: the column to model (default: the last)", 1},
    {"up-to", OPTION_UP_TO, "PARAM=VALUE", 0, "fit from rows up to there, predict the others", 1},
    {NULL, 0, NULL, 0, "Fit:", 2},
    {"formula", OPTION_FORMULA, "TEXT", 0,
     "fit the constants of this, as: 'c[0] + c[1]*n*log2(n)' (default: search for a form)", 2},
    {"pieces", OPTION_PIECES, "N", OPTION_ARG_OPTIONAL, "intervals of validity, at most N of them",
     2},
    {"statistic", OPTION_STATISTIC, "NAME", 0,
     "of repetitions: typical (default), median, mean, minimum, maximum, deviation", 2},
    {"kind", OPTION_KIND, "NAME", 0,
     "of the values: amount (default), count (predictions are whole), share (0 to 1)", 2},
    {"trimmed", OPTION_TRIMMED, NULL, 0, "the worst quarter of the points does not count", 2},
    {"negative", OPTION_NEGATIVE, NULL, 0, "constants may be negative", 2},
    {"confidence", OPTION_CONFIDENCE, "PERCENT", 0, "of intervals (default: 95)", 2},
    {NULL, 0, NULL, 0, "Output:", 3},
    {"top", OPTION_TOP, "N", 0, "so many lines; 0: all (default: 50)", 3},
    {"wide", OPTION_WIDE, NULL, 0, "long names whole", 3},
    {NULL, 0, NULL, 0, "Where from:", 4},
    {0},
};

static const struct argp_option list_options[] = {
    {NULL, 0, NULL, 0, "What is shown:", 0},
    {"sort", OPTION_SORT, "KEY", 0,
     "value (default), growth (per doubling of all parameters), error, name or called", 0},
    {"at", OPTION_AT, "PARAM=VALUE,...", 0, "predict there (default: at the largest point)", 0},
    {0},
};

static const struct argp_option plot_options[] = {
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

static const struct argp_option emit_options[] = {
    {"emit", 'e', "FORM", 0,
     "xml, c, latex; extrap (its JSON Lines), extrap-json or extrap-text: the rows for Extra-P", 0},
    {0},
};

static void read_at(struct model_options *o, char *arg, struct argp_state *state)
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

static void read_up_to(struct model_options *o, char *arg, struct argp_state *state)
{
    char *equals = strrchr(arg, '=');

    if (!equals || equals == arg || !portolan_read_double(equals + 1, &o->fit.limit))
        argp_error(state, "--up-to wants PARAMETER=NUMBER, not '%s'", arg);
    else
        *equals = '\0';
    o->fit.up_to = arg;
}

static void take_argument(struct model_options *o, const char *arg, struct argp_state *state)
{
    if (o->n_sets < o->most_sets && o->store.file)
        o->sets[o->n_sets++] = arg;
    else if (o->file_only && o->store.file)
        argp_error(state, "one file at a time: '%s' is one too many", arg);
    else if (o->file_only || o->most_sets)
        o->store.file = arg;
    else
        trial_store_take_argument(&o->store, &o->trials, "set of trials", arg, state);
}

/* Options whose values are words, in the order of an enumeration. */
static const struct word_option {
    int key;
    const char *name;
    size_t offset; /* of the enumeration in the options */
    const char *words[7];
} word_options[] = {
    {OPTION_BY,
     "--by",
     offsetof(struct model_options, query.by),
     {"auto", "parameters", "contexts", "both"}},
    {OPTION_OVER, "--over", offsetof(struct model_options, query.over), {"mean", "max", "sum"}},
    {OPTION_STATISTIC,
     "--statistic",
     offsetof(struct model_options, fit.options.statistic),
     {"typical", "median", "mean", "minimum", "maximum", "deviation"}},
    {OPTION_KIND,
     "--kind",
     offsetof(struct model_options, fit.options.kind),
     {"amount", "count", "share"}},
    {'e',
     "--emit",
     offsetof(struct model_options, form),
     {"xml", "c", "latex", "extrap", "extrap-json", "extrap-text"}},
};

static void read_word(struct model_options *o, const struct word_option *w, const char *arg,
                      struct argp_state *state)
{
    unsigned *to = (unsigned *)((char *)o + w->offset);
    size_t n = 0;

    for (; w->words[n]; n++)
        if (!strcmp(arg, w->words[n])) {
            *to = (unsigned)n;
            return;
        }
    argp_error(state, "%s knows no '%s'%s", w->name, arg,
               portolan_did_you_mean(portolan_nearest_word(arg, w->words, n)).text);
}

static const struct option_target targets[] = {
    {OPTION_METRIC, OPTION_TEXT, offsetof(struct model_options, query.metric), NULL},
    {OPTION_METHOD, OPTION_TEXT, offsetof(struct model_options, query.method), NULL},
    {OPTION_VALUE, OPTION_TEXT, offsetof(struct model_options, value), NULL},
    {OPTION_FORMULA, OPTION_TEXT, offsetof(struct model_options, formula), NULL},
    {OPTION_TRIMMED, OPTION_FLAG, offsetof(struct model_options, fit.options.trimmed), NULL},
    {OPTION_NEGATIVE, OPTION_FLAG, offsetof(struct model_options, fit.options.allow_negative),
     NULL},
    {OPTION_TOP, OPTION_SIZE, offsetof(struct model_options, list.top), "--top"},
    {OPTION_WIDE, OPTION_FLAG, offsetof(struct model_options, list.wide), NULL},
    {OPTION_SORT, OPTION_TEXT, offsetof(struct model_options, list.sort), NULL},
    {'o', OPTION_TEXT, offsetof(struct model_options, output), NULL},
    {OPTION_X, OPTION_TEXT, offsetof(struct model_options, plot.x), NULL},
    {OPTION_LINEAR, OPTION_FLAG, offsetof(struct model_options, plot.linear), NULL},
    {0},
};

/* Of all groups of options. */
static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct model_options *o = state->input;
    double percent;

    for (size_t i = 0; i < sizeof word_options / sizeof *word_options; i++)
        if (word_options[i].key == key) {
            read_word(o, &word_options[i], arg, state);
            return 0;
        }
    switch (key) {
    case OPTION_PIECES:
        o->fit.pieces = true;
        o->fit.options.max_pieces = arg ? (unsigned)read_natural(state, "--pieces", arg) : 0;
        return 0;
    case OPTION_CONFIDENCE:
        if (!portolan_read_double(arg, &percent) || !(percent > 0 && percent < 100))
            argp_error(state, "--confidence wants a number between 0 and 100, not '%s'", arg);
        o->fit.options.confidence = percent / 100;
        return 0;
    case OPTION_UP_TO:
        read_up_to(o, arg, state);
        return 0;
    case OPTION_AT:
        read_at(o, arg, state);
        return 0;
    default:
        return take_option(targets, key, arg, state);
    }
}

/* The rows, their fit and the arguments, of all verbs. */
static error_t parse_rows(int key, char *arg, struct argp_state *state)
{
    struct model_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->store;
        return 0;
    case ARGP_KEY_ARG:
        take_argument(o, arg, state);
        return 0;
    default:
        return parse_option(key, arg, state);
    }
}

static const struct argp_child store_child[] = {{&trial_store_argp, 0, NULL, 4}, {0}};
static const struct argp model_argp = {
    .options = options, .parser = parse_rows, .children = store_child};
static const struct argp list_argp = {.options = list_options, .parser = parse_option};
static const struct argp emit_argp = {.options = emit_options, .parser = parse_option};
static const struct argp plot_argp = {.options = plot_options, .parser = parse_option};

/* -------------------------------------------------------------------------------------- source */

static enum portolan_status read_extrap(const struct model_options *o, const char *text,
                                        size_t size, struct portolan_trends **trends,
                                        struct portolan_error *err)
{
    struct portolan_measurements *m = NULL;
    enum portolan_status status =
        portolan_measurements_read(text, size, o->store.file, o->diagnostics, &m, err);

    if (!status)
        status = portolan_trends_of_measurements(m, &o->query, o->store.file, trends, err);
    portolan_measurements_destroy(m);
    return status;
}

static enum portolan_status read_file(const struct model_options *o,
                                      struct portolan_trends **trends, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    const char *text;
    size_t size;
    enum portolan_status status = portolan_file_read(&arena, o->store.file, &text, &size, err);

    if (!status && portolan_measurements_are_in(text))
        status = read_extrap(o, text, size, trends, err);
    else if (!status)
        status = portolan_trends_read_csv(text, size, o->store.file, o->value, o->diagnostics,
                                          trends, err);
    portolan_arena_clear(&arena);
    return status;
}

static enum portolan_status read_store(const struct model_options *o,
                                       struct portolan_trends **trends, struct portolan_error *err)
{
    struct portolan_trial_list list = {0};
    struct trial_store t;
    enum portolan_status status = trial_store_open(&t, &o->store, PORTOLAN_STORE_READ, err);

    if (!status)
        status = trial_store_select(&t, o->trials, &list, err);
    if (!status)
        status = portolan_trends_read(t.store, &list, &o->query, trends, err);
    portolan_trials_clear(&list);
    trial_store_close(&t);
    return status;
}

static enum portolan_status fit_trends(const struct model_options *o,
                                       struct portolan_trends *trends, struct portolan_error *err)
{
    struct portolan_trend_fit how = o->fit;
    struct portolan_formula *formula = NULL;
    struct portolan_formula_sum sum = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (o->formula) {
        status = portolan_formula_parse(o->formula, strlen(o->formula), "--formula", 1, 1,
                                        o->diagnostics, &formula, err);
        if (!status) /* once for all: what is wrong with it is told where it is */
            status = portolan_formula_split(formula, "--formula", 1, 1, o->diagnostics, &sum, err);
        how.formula = formula;
    }
    if (!status)
        status = portolan_trends_fit(trends, &how, err);
    portolan_formula_sum_clear(&sum);
    portolan_formula_destroy(formula);
    return status;
}

/* Opens the source, reads and fits. What is wrong in a file is printed by its line. */
static enum portolan_status open_source(const struct model_options *o,
                                        struct portolan_trends **trends, struct portolan_error *err)
{
    const char *file = o->store.file;
    enum portolan_status status =
        file && !trial_store_is_one(file) ? read_file(o, trends, err) : read_store(o, trends, err);

    return status ? status : fit_trends(o, *trends, err);
}

/* -------------------------------------------------------------------------------------- output */

typedef enum portolan_status (*write_trend_fn)(const struct portolan_trends *trends,
                                               const struct portolan_trend *trend,
                                               struct portolan_text *out,
                                               struct portolan_error *err);

/* The first trends one below the other, each by WRITE. */
static enum portolan_status write_each(const struct portolan_trends *trends, size_t top,
                                       write_trend_fn write, struct portolan_text *out,
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; !status && i < trends->n && (!top || i < top); i++) {
        portolan_text_add(out, i ? "\n" : "");
        status = write(trends, &trends->items[i], out, err);
    }
    if (!status && top && trends->n > top)
        portolan_text_add(out, "\n(%zu more; --top=0 shows all)\n", trends->n - top);
    return status;
}

static enum portolan_status write_list(const struct model_options *o,
                                       const struct portolan_trends *trends,
                                       struct portolan_text *out, struct portolan_error *err)
{
    if (o->form != PORTOLAN_TREND_TEXT)
        return portolan_trends_write_form(trends, o->form, out, err);
    if (o->file_only && trends->n == 1)
        return portolan_trend_write(trends, &trends->items[0], out, err);
    return portolan_trends_write_list(trends, &o->list, out, err);
}

static enum portolan_status write_all(const struct model_options *o,
                                      const struct portolan_trends *trends,
                                      struct portolan_text *out, struct portolan_error *err)
{
    return o->form != PORTOLAN_TREND_TEXT
               ? portolan_trends_write_form(trends, o->form, out, err)
               : write_each(trends, o->list.top, portolan_trend_write, out, err);
}

static enum portolan_status write_plot(const struct model_options *o,
                                       const struct portolan_trends *trends,
                                       struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_trend_plot plot = o->plot;
    char *text = NULL;
    enum portolan_status status;

    (void)out;
    plot.top = o->list.top;
    status = portolan_trends_write_chart(trends, &plot, o->output, &text, err);
    if (!status)
        status = portolan_replace_file(o->output, text, strlen(text), err);
    free(text);
    return status;
}

static enum portolan_status write_errors(const struct portolan_trends *trends,
                                         const struct portolan_trend *t, struct portolan_text *out,
                                         struct portolan_error *err)
{
    portolan_text_add(out, "%s\n", t->path);
    if (t->model)
        portolan_text_add(out, "  %s\n", portolan_model_peek_formula(t->model));
    return portolan_trend_write_errors(trends, t, out, err);
}

/* The second source is other trials of the same store, or another store or file. */
static enum portolan_status write_comparison(const struct model_options *o,
                                             const struct portolan_trends *trends,
                                             struct portolan_text *out, struct portolan_error *err)
{
    struct model_options other = *o;
    struct portolan_trends *second = NULL;
    enum portolan_status status;

    if (o->n_sets == 0)
        return write_each(trends, o->list.top, write_errors, out, err);
    other.trials = o->n_sets == 2 ? o->sets[1] : NULL;
    if (o->n_sets == 1)
        other.store.file = o->sets[0];
    status = open_source(&other, &second, err);
    if (!status)
        status =
            portolan_trends_write_comparison(trends, second, o->list.top, o->list.wide, out, err);
    portolan_trends_destroy(second);
    return status;
}

/* --------------------------------------------------------------------------------------- verbs */

static const struct argp_child of_list[] = {
    {&model_argp, 0, NULL, 1}, {&list_argp, 0, NULL, 0}, {&emit_argp, 0, NULL, 0}, {0}};
static const struct argp_child of_show[] = {
    {&model_argp, 0, NULL, 1}, {&emit_argp, 0, NULL, 0}, {0}};
static const struct argp_child of_plot[] = {
    {&model_argp, 0, NULL, 1}, {&plot_argp, 0, NULL, 0}, {0}};
static const struct argp_child of_compare[] = {{&model_argp, 0, NULL, 0}, {0}};

static const char any_source[] = "[STORE|ASSEMBLY.xml|FILE] [TRIALS]";

static const struct verb {
    const char *name, *full, *args_doc, *doc;
    const struct argp_child *children;
    struct model_options defaults;
    enum portolan_status (*write)(const struct model_options *o,
                                  const struct portolan_trends *trends, struct portolan_text *out,
                                  struct portolan_error *err);
} verbs[] = {
    {"list",
     "portolan model list",
     any_source,
     "List the models of all call paths of stored trials, or of a file of measurements.",
     of_list,
     {.list.top = 50},
     write_list},
    {"show",
     "portolan model show",
     any_source,
     "Show all that is known of the models of call paths: --method chooses them.",
     of_show,
     {.list.top = 10},
     write_all},
    {"plot",
     "portolan model plot",
     any_source,
     "Draw rows, model and interval of one call path, or of a few: --method chooses.",
     of_plot,
     {.list.top = 6, .output = "model.svg"},
     write_plot},
    {"compare",
     "portolan model compare",
     "SOURCE\nSOURCE SOURCE\nSTORE TRIALS TRIALS",
     "Compare measured values with predicted ones, point by point; with two sources, or two sets "
     "of trials of one store, their models side by side. A source is a store, an assembly or a "
     "file of measurements.",
     of_compare,
     {.list.top = 50, .most_sets = 2},
     write_comparison},
    {"fit",
     "portolan model fit",
     "FILE",
     "Fit models to a file of measurements: a table of comma separated values, or Extra-P's text, "
     "JSON or JSON Lines. One model is shown with all that is known of it, several are listed.",
     of_list,
     {.list.top = 50, .file_only = true},
     write_list},
};

static error_t parse_none(int key, char *arg, struct argp_state *state)
{
    const struct model_options *o = state->input;

    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    for (size_t i = 0; o->children[i].argp; i++)
        state->child_inputs[i] = state->input;
    return 0;
}

static int run_verb(const struct verb *v, int argc, char **argv)
{
    const struct argp argp = {
        .parser = parse_none, .args_doc = v->args_doc, .doc = v->doc, .children = v->children};
    struct model_options o = v->defaults;
    struct portolan_trends *trends = NULL;
    struct portolan_diagnostics diagnostics = {.report = print_diagnostic};
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    char *text = NULL;
    int result;

    o.children = v->children;
    o.diagnostics = &diagnostics;
    o.form = PORTOLAN_TREND_TEXT;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (o.n_sets == 2)
        o.trials = o.sets[0];
    if (open_source(&o, &trends, &err) == PORTOLAN_OK &&
        v->write(&o, trends, &out, &err) == PORTOLAN_OK)
        portolan_text_take(&out, &text, &err);
    result = text ? write_text(NULL, text) : diagnostics.count ? EXIT_BAD_INPUT : print_error(&err);
    free(text);
    portolan_text_clear(&out);
    portolan_trends_destroy(trends);
    free(o.at);
    return result;
}

int command_model(int argc, char **argv)
{
    static char name[64];

    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(argv[1], verbs[i].name)) {
            snprintf(name, sizeof name, "%s", verbs[i].full);
            argv[1] = name;
            return run_verb(&verbs[i], argc - 1, argv + 1);
        }
    return study_report(argc, argv,
                        "Show the models of the implementations of each core component. With "
                        "list, show, plot, compare or fit in front: the models of all call paths "
                        "of a store, or of a file of measurements (see portolan-model(1)).",
                        portolan_plan_report_models);
}
