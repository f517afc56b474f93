/* SPDX-License-Identifier: BSD-3-Clause */
/* fit: makes a model from a table. */
#include "internal.h"

#include <math.h>
#include <string.h>

/* The arguments of a `fit`. */
struct wish {
    struct token at; /* the table */
    struct table *table;
    size_t observable;                /* column */
    struct portolan_formula *formula; /* NULL: a search */
    const char *text;                 /* of the formula */
    const char *file;                 /* where the formula is written */
    int line, column;
    bool is_search, has_pieces;
    struct portolan_model_options options;
    const char *params[PORTOLAN_MODEL_MAX_PARAMS];
    struct placed placed; /* the params: columns and variables */
};

/* ------------------------------------------------------------------------------------ options */

static bool accept_statistic(struct statement *s, enum portolan_model_statistic *how)
{
    static const char *const names[] = {"typical", "median",  "mean",
                                        "minimum", "maximum", "deviation"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (llac_accept(s, names[i])) {
            *how = (enum portolan_model_statistic)i;
            return true;
        }
    return false;
}

static void add_param(struct statement *s, struct wish *w, const struct token *at, const char *name,
                      size_t column, double value)
{
    if (w->placed.n == PORTOLAN_MODEL_MAX_PARAMS)
        llac_fail(s, at,
                  "a model has at most %d parameters; a formula uses no more, and `fit TABLE on "
                  "COLUMN, ...` says what a search is over",
                  PORTOLAN_MODEL_MAX_PARAMS);
    w->params[w->placed.n] = name;
    w->placed.columns[w->placed.n] = column;
    w->placed.values[w->placed.n++] = value;
}

static void parse_params(struct statement *s, struct wish *w)
{
    do {
        const struct token at = s->now;
        size_t column = llac_parse_column(s, w->table);

        add_param(s, w, &at, w->table->columns[column].name, column, 0);
    } while (llac_accept(s, ","));
}

/* The text on one line: each run of blanks, line ends and backslashes becomes one blank. */
static const char *on_one_line(struct statement *s, const char *at, const char *end)
{
    struct portolan_text out = {.arena = &s->arena};

    while (at < end) {
        size_t blanks = strspn(at, " \t\r\n\\"), length = strcspn(at + blanks, " \t\r\n\\");

        if (blanks + length > (size_t)(end - at))
            length = (size_t)(end - at) - blanks;
        portolan_text_add(&out, "%s", out.length && blanks ? " " : "");
        portolan_text_add_bytes(&out, at + blanks, length);
        at += blanks + length;
    }
    return out.bytes;
}

/* A formula given here has precedence over the experiment's own. */
static void parse_formula(struct statement *s, struct wish *w)
{
    const struct token at = s->now;

    w->formula = llac_parse_formula(s);
    w->text = on_one_line(s, at.at, s->last_end);
    w->file = s->file;
    w->line = at.line;
    w->column = at.column;
}

static void parse_confidence(struct statement *s, struct wish *w)
{
    const struct token at = s->now;

    w->options.confidence = llac_parse_number(s);
    if (!(w->options.confidence > 0 && w->options.confidence < 1))
        llac_fail(s, &at, "a confidence lies between 0 and 1, as 0.95 does");
}

static void parse_pieces(struct statement *s, struct wish *w)
{
    const struct token at = s->now;
    double most = s->now.kind == TOKEN_NUMBER ? llac_parse_number(s) : 0;

    if (most < 0 || most > 1000 || most != floor(most))
        llac_fail(s, &at, "the number of intervals is a whole one");
    w->has_pieces = true;
    w->options.max_pieces = (unsigned)most;
}

/* False if no option begins here. */
static bool parse_option(struct statement *s, struct wish *w)
{
    if (llac_accept(s, "of"))
        w->observable = llac_parse_column(s, w->table);
    else if (llac_accept(s, "as"))
        parse_formula(s, w);
    else if (llac_accept(s, "on"))
        parse_params(s, w);
    else if (llac_accept(s, "confidence"))
        parse_confidence(s, w);
    else if (llac_accept(s, "pieces"))
        parse_pieces(s, w);
    else if (llac_accept(s, "search"))
        w->is_search = true;
    else if (llac_accept(s, "relative"))
        w->options.weighting = PORTOLAN_MODEL_RELATIVE;
    else if (llac_accept(s, "absolute"))
        w->options.weighting = PORTOLAN_MODEL_ABSOLUTE;
    else if (llac_accept(s, "negative"))
        w->options.allow_negative = true;
    else if (llac_accept(s, "trimmed"))
        w->options.trimmed = true;
    else
        return accept_statistic(s, &w->options.statistic);
    return true;
}

/* ----------------------------------------------------------------------------------- formulas */

/* The formula that the experiment was annotated with. */
static void take_own_formula(struct statement *s, struct wish *w)
{
    const struct table *t = w->table;

    w->text = t->formula;
    w->file = t->file ? t->file : t->source ? t->source : t->experiment;
    w->line = t->file && t->n_begin ? (int)t->begin_lines[0] : 1;
    w->column = 1;
    llac_check(s, &w->at,
               portolan_formula_parse(t->formula, strlen(t->formula), w->file, w->line, w->column,
                                      s->d, &w->formula, &s->err));
    llac_own(s, OWNED_FORMULA, w->formula);
}

/* The formula's names become the parameters: columns, or variables, which are constant. */
static void take_names(struct statement *s, struct wish *w)
{
    w->placed.n = 0;
    for (size_t i = 0; i < portolan_formula_n_names(w->formula); i++) {
        const char *name = portolan_formula_peek_name(w->formula, i);
        size_t column = llac_table_find(w->table, name);
        double value = NAN;

        if (column == NONE && !llac_variable(s->in, name, &value))
            llac_fail(s, &w->at,
                      "the formula needs '%s', which is neither a column of '%s' nor a variable; "
                      "`%s = VALUE` makes one",
                      name, w->table->experiment, name);
        add_param(s, w, &w->at, name, column, value);
    }
}

/* The parameters of a search: the identifiers that have several values. */
static void take_identifiers(struct statement *s, struct wish *w)
{
    for (size_t i = 0; i < w->table->n_columns; i++)
        if (w->table->columns[i].kind == COLUMN_IDENTIFIER && llac_table_varies(w->table, i))
            add_param(s, w, &w->at, w->table->columns[i].name, i, 0);
}

static struct wish parse_wish(struct statement *s)
{
    struct wish w = {.at = s->now, .table = llac_parse_table(s), .observable = NONE};

    while (parse_option(s, &w))
        ;
    llac_parse_end(s);
    if (w.observable == NONE)
        w.observable = llac_observable(s, &w.at, w.table, NULL);
    if (w.is_search && w.formula)
        llac_fail(s, &w.at, "either a formula or a search");
    w.is_search = w.is_search || w.placed.n;
    if (!w.formula && !w.is_search && w.table->formula)
        take_own_formula(s, &w);
    if (w.formula)
        take_names(s, &w);
    else if (!w.placed.n)
        take_identifiers(s, &w);
    return w;
}

/* ------------------------------------------------------------------------------------ fitting */

/* The rows in which no number is missing. */
static struct portolan_model_data take_rows(struct statement *s, const struct wish *w)
{
    size_t n = w->table->n_rows, n_params = w->placed.n, kept = 0;
    double *x = llac_alloc(s, n, (n_params + 1) * sizeof *x);
    double *y = llac_alloc(s, n, sizeof *y);

    for (size_t i = 0; i < n; i++) {
        const double *row = llac_table_row(w->table, i);
        bool good = isfinite(row[w->observable]);

        llac_placed_point(&w->placed, row, x + kept * n_params);
        for (size_t p = 0; p < n_params; p++)
            good = good && isfinite(x[kept * n_params + p]);
        y[kept] = row[w->observable];
        kept += good;
    }
    if (!kept)
        llac_fail(s, &w->at, "'%s' has no row to be fitted", w->table->experiment);
    if (kept < n)
        llac_warn(s->in, "%zu of %zu rows lack a number and are not fitted", n - kept, n);
    return (struct portolan_model_data){.n_params = n_params,
                                        .params = w->params,
                                        .n_rows = kept,
                                        .x = n_params ? x : NULL,
                                        .y = y};
}

/* Rows of different processors are not repetitions of each other. */
static void warn_of_processors(struct statement *s, const struct wish *w)
{
    size_t cpu = llac_table_find(w->table, "CPU");
    double min, max;

    if (cpu != NONE && llac_table_span(w->table, cpu, &min, &max) && min < max)
        llac_warn(s->in,
                  "the rows of %.0f processors count as repetitions; a parallel time is the "
                  "slowest's: `fit %s max over CPU`",
                  max - min + 1, w->table->experiment);
}

static enum portolan_status describe_model(const struct wish *w, struct portolan_model *model,
                                           struct portolan_error *err)
{
    struct portolan_model_envelope envelope = {
        .name = w->table->experiment,
        .unit = w->table->columns[w->observable].unit,
        .program = w->table->program,
        .source = w->table->source,
    };

    for (size_t p = 0; p < w->placed.n; p++)
        if (w->placed.columns[p] != NONE)
            envelope.param_units[p] = w->table->columns[w->placed.columns[p]].unit;
    return portolan_model_describe(model, &envelope, err);
}

static void fit_model(struct statement *s, const struct wish *w, struct fitted *f)
{
    const struct portolan_model_data data = take_rows(s, w);

    llac_own(s, OWNED_SUM, &f->sum);
    if (w->formula)
        llac_check(s, &w->at,
                   portolan_formula_split(w->formula, w->file, w->line, w->column, s->d, &f->sum,
                                          &s->err));
    llac_check(
        s, &w->at,
        portolan_model_fit_as(&data, w->formula, w->has_pieces, &w->options, &f->model, &s->err));
    llac_own(s, OWNED_MODEL, f->model);
    llac_check(s, &w->at, describe_model(w, f->model, &s->err));
}

void do_fit(struct statement *s)
{
    const struct wish w = parse_wish(s);
    struct fitted *f = llac_alloc(s, 1, sizeof *f);
    const char *name = s->result ? s->result : "model";

    f->points = w.table;
    f->observable = w.table->columns[w.observable].name;
    f->unit = w.table->columns[w.observable].unit;
    f->formula = w.text;
    f->parsed = w.formula;
    fit_model(s, &w, f);
    warn_of_processors(s, &w);
    f = llac_put(s, name, &(struct object){.kind = OBJECT_MODEL, .model = f})->model;
    llac_show_model(s, name, f);
}
