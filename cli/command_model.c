/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan model and its verbs. */
#include "model.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_SORT = 512, OPTION_AT, OPTION_X, OPTION_LINEAR };

/* ------------------------------------------------------------------------------------- options */

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

static error_t parse_shown(int key, char *arg, struct argp_state *state)
{
    static const char *const forms[] = {"xml",    "c",           "latex",
                                        "extrap", "extrap-json", "extrap-text"};
    struct model_options *o = state->input;

    switch (key) {
    case 'e':
        o->form = (enum model_form)(1 + model_read_word(state, "--emit", arg, forms, 6));
        return 0;
    case OPTION_SORT:
        o->list.sort = arg;
        return 0;
    case OPTION_AT:
        read_at(o, arg, state);
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

static const struct argp list_argp = {.options = list_options, .parser = parse_shown};
static const struct argp emit_argp = {.options = emit_options, .parser = parse_shown};
static const struct argp plot_argp = {.options = plot_options, .parser = parse_shown};

/* -------------------------------------------------------------------------------------- output */

/* "driver.go->solver.solve [heat.Band]" as "solver_solve_heat_Band", and a number where it was. */
static void add_identifier(const struct portolan_trends *trends, size_t i,
                           struct portolan_text *name)
{
    const char *label = trends->items[i].label;
    size_t begin = name->length;

    if (!isalpha((unsigned char)*label) && *label != '_')
        portolan_text_add(name, "model_");
    for (const char *c = label; *c; c++) {
        if (isalnum((unsigned char)*c) && (unsigned char)*c < 128)
            portolan_text_add(name, "%c", *c);
        else if (name->length > begin && name->bytes[name->length - 1] != '_')
            portolan_text_add(name, "_");
    }
    while (name->length > begin + 1 && name->bytes[name->length - 1] == '_')
        name->bytes[--name->length] = '\0';
    for (size_t k = 0; k < i; k++)
        if (!strcmp(trends->items[k].label, label)) {
            portolan_text_add(name, "_%zu", i);
            break;
        }
}

static enum portolan_status write_model(const struct portolan_trends *trends, size_t i,
                                        enum model_form form, char **text,
                                        struct portolan_error *err)
{
    const struct portolan_trend *t = &trends->items[i];
    struct portolan_text name = {0};
    enum portolan_status status;
    char *function = NULL;

    if (!t->model)
        return portolan_error_set(err, PORTOLAN_EINVAL, "'%s' has no model: %s", t->path,
                                  t->why ? t->why : "");
    if (form == MODEL_XML)
        return portolan_model_write_xml(t->model, text, err);
    if (form == MODEL_LATEX)
        return portolan_model_write_latex(t->model, text, err);
    add_identifier(trends, i, &name);
    status =
        name.failed ? portolan_no_memory(err) : portolan_model_name_c(name.bytes, &function, err);
    if (!status)
        status = portolan_model_write_c(t->model, function, text, err);
    free(function);
    portolan_text_clear(&name);
    return status;
}

static enum portolan_status write_form(const struct portolan_trends *trends, enum model_form form,
                                       struct portolan_text *out, struct portolan_error *err)
{
    static const enum portolan_measurements_format formats[] = {
        PORTOLAN_MEASUREMENTS_JSONL, PORTOLAN_MEASUREMENTS_JSON, PORTOLAN_MEASUREMENTS_TEXT};
    enum portolan_status status = PORTOLAN_OK;
    bool rows = form >= MODEL_EXTRAP;
    size_t n = rows ? 1 : trends->n;

    if (form == MODEL_XML && trends->n > 1)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "XML holds one model, here are %zu: choose with --method",
                                  trends->n);
    for (size_t i = 0; !status && i < n; i++) {
        char *text = NULL;

        status =
            rows ? portolan_trends_write_extrap(trends, formats[form - MODEL_EXTRAP], &text, err)
                 : write_model(trends, i, form, &text, err);
        if (!status && i)
            portolan_text_add(out, "\n");
        if (!status)
            portolan_text_add_bytes(out, text, strlen(text));
        if (!status && out->length && out->bytes && out->bytes[out->length - 1] != '\n')
            portolan_text_add(out, "\n");
        free(text);
    }
    return status;
}

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
    if (o->form)
        return write_form(trends, o->form, out, err);
    if (o->file_only && trends->n == 1)
        return portolan_trend_write(trends, &trends->items[0], out, err);
    return portolan_trends_write_list(trends, &o->list, out, err);
}

static enum portolan_status write_all(const struct model_options *o,
                                      const struct portolan_trends *trends,
                                      struct portolan_text *out, struct portolan_error *err)
{
    return o->form ? write_form(trends, o->form, out, err)
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
    status = model_source_open(&other, &second, err);
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
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    int result;

    o.children = v->children;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (o.n_sets == 2)
        o.trials = o.sets[0];
    if (model_source_open(&o, &trends, &err) == PORTOLAN_OK)
        v->write(&o, trends, &out, &err);
    result = model_source_finish(&out, &err);
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
