/* SPDX-License-Identifier: BSD-3-Clause */
/* Where `portolan model` has its rows from, and how they are fitted. */
#include "model.h"

#include <portolan/command.h>
#include <portolan/extrap.h>
#include <portolan/formula.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    OPTION_WIDE
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

size_t model_read_word(struct argp_state *state, const char *option, const char *arg,
                       const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(arg, words[i]))
            return i;
    argp_error(state, "%s knows no '%s'%s", option, arg,
               portolan_did_you_mean(portolan_nearest_word(arg, words, n)).text);
    return 0;
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

static error_t parse_fit(int key, char *arg, struct argp_state *state)
{
    static const char *const statistics[] = {"typical", "median",  "mean",
                                             "minimum", "maximum", "deviation"};
    static const char *const kinds[] = {"amount", "count", "share"};
    struct model_options *o = state->input;
    double percent;

    switch (key) {
    case OPTION_PIECES:
        o->fit.pieces = true;
        o->fit.options.max_pieces = arg ? (unsigned)read_natural(state, "--pieces", arg) : 0;
        return 0;
    case OPTION_FORMULA:
        o->formula = arg;
        return 0;
    case OPTION_STATISTIC:
        o->fit.options.statistic = (enum portolan_model_statistic)model_read_word(
            state, "--statistic", arg, statistics, 6);
        return 0;
    case OPTION_KIND:
        o->fit.options.kind =
            (enum portolan_model_kind)model_read_word(state, "--kind", arg, kinds, 3);
        return 0;
    case OPTION_TRIMMED:
        o->fit.options.trimmed = true;
        return 0;
    case OPTION_NEGATIVE:
        o->fit.options.allow_negative = true;
        return 0;
    case OPTION_CONFIDENCE:
        if (!portolan_read_double(arg, &percent) || !(percent > 0 && percent < 100))
            argp_error(state, "--confidence wants a number between 0 and 100, not '%s'", arg);
        o->fit.options.confidence = percent / 100;
        return 0;
    case OPTION_UP_TO:
        read_up_to(o, arg, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
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

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const char *const by[] = {"auto", "parameters", "contexts", "both"};
    static const char *const over[] = {"mean", "max", "sum"};
    struct model_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->store;
        return 0;
    case OPTION_METRIC:
        o->query.metric = arg;
        return 0;
    case OPTION_BY:
        o->query.by = (enum portolan_trend_by)model_read_word(state, "--by", arg, by, 4);
        return 0;
    case OPTION_OVER:
        o->query.over = (enum portolan_trend_over)model_read_word(state, "--over", arg, over, 3);
        return 0;
    case OPTION_METHOD:
        o->query.method = arg;
        return 0;
    case OPTION_VALUE:
        o->value = arg;
        return 0;
    case OPTION_TOP:
        o->list.top = (size_t)read_natural(state, "--top", arg);
        return 0;
    case OPTION_WIDE:
        o->list.wide = true;
        return 0;
    case ARGP_KEY_ARG:
        take_argument(o, arg, state);
        return 0;
    default:
        return parse_fit(key, arg, state);
    }
}

static const struct argp_child children[] = {{&trial_store_argp, 0, NULL, 4}, {0}};
const struct argp model_argp = {.options = options, .parser = parse_option, .children = children};

/* ------------------------------------------------- files */

static int complaints;

static void complain(void *arg, const char *file, int line, int column, const char *text)
{
    complaints++;
    print_diagnostic(arg, file, line, column, text);
}

static enum portolan_status read_extrap(const struct model_options *o, const char *text,
                                        size_t size, struct portolan_diagnostics *d,
                                        struct portolan_trends **trends, struct portolan_error *err)
{
    struct portolan_measurements *m = NULL;
    enum portolan_status status = portolan_measurements_read(text, size, o->store.file, d, &m, err);

    if (!status)
        status = portolan_trends_of_measurements(m, &o->query, o->store.file, trends, err);
    portolan_measurements_destroy(m);
    return status;
}

static enum portolan_status read_file(const struct model_options *o,
                                      struct portolan_trends **trends, struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = complain};
    struct portolan_arena arena = {0};
    const char *text;
    size_t size;
    enum portolan_status status = portolan_file_read(&arena, o->store.file, &text, &size, err);

    if (!status && portolan_measurements_are_in(text))
        status = read_extrap(o, text, size, &d, trends, err);
    else if (!status)
        status = portolan_trends_read_csv(text, size, o->store.file, o->value, &d, trends, err);
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

static enum portolan_status fit(const struct model_options *o, struct portolan_trends *trends,
                                struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = complain};
    struct portolan_trend_fit how = o->fit;
    struct portolan_formula *formula = NULL;
    struct portolan_formula_sum sum = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (o->formula) {
        status = portolan_formula_parse(o->formula, strlen(o->formula), "--formula", 1, 1, &d,
                                        &formula, err);
        if (!status) /* once for all: what is wrong with it is told where it is */
            status = portolan_formula_split(formula, "--formula", 1, 1, &d, &sum, err);
        how.formula = formula;
    }
    if (!status)
        status = portolan_trends_fit(trends, &how, err);
    portolan_formula_sum_clear(&sum);
    portolan_formula_destroy(formula);
    return status;
}

enum portolan_status model_source_open(const struct model_options *o,
                                       struct portolan_trends **trends, struct portolan_error *err)
{
    const char *file = o->store.file;
    enum portolan_status status =
        file && !trial_store_is_one(file) ? read_file(o, trends, err) : read_store(o, trends, err);

    return status ? status : fit(o, *trends, err);
}

int model_source_finish(struct portolan_text *out, struct portolan_error *err)
{
    char *text = NULL;
    int result;

    if (err->status == PORTOLAN_OK)
        portolan_text_take(out, &text, err);
    result = text ? write_text(NULL, text) : complaints ? EXIT_BAD_INPUT : print_error(err);
    free(text);
    portolan_text_clear(out);
    return result;
}
