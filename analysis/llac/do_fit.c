/* SPDX-License-Identifier: BSD-3-Clause */
/* fit: makes a model from a table. */
#include "internal.h"

#include <math.h>
#include <string.h>

/* The arguments of a `fit`. */
struct wish {
    struct token at; /* the table */
    struct table *table;
    struct portolan_formula *formula; /* NULL: a search */
    const char *text;                 /* of the formula */
    const char *file;                 /* where the formula is written */
    int line, column;
    bool is_search;
    struct fit fit;
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
    if (w->fit.placed.n == PORTOLAN_MODEL_MAX_PARAMS)
        statement_fail(
            s, at,
            "a model has at most %d parameters; a formula uses no more, and `fit TABLE on "
            "COLUMN, ...` says what a search is over",
            PORTOLAN_MODEL_MAX_PARAMS);
    w->fit.params[w->fit.placed.n] = name;
    w->fit.placed.columns[w->fit.placed.n] = column;
    w->fit.placed.values[w->fit.placed.n++] = value;
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
        const char *word = at, *rest;

        while (word < end && strchr(" \t\r\n\\", *word))
            word++;
        for (rest = word; rest < end && !strchr(" \t\r\n\\", *rest);)
            rest++;
        portolan_text_add(&out, "%s", out.length && word > at ? " " : "");
        portolan_text_add_bytes(&out, word, (size_t)(rest - word));
        at = rest;
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

    w->fit.options.confidence = llac_parse_number(s);
    if (!(w->fit.options.confidence > 0 && w->fit.options.confidence < 1))
        statement_fail(s, &at, "a confidence lies between 0 and 1, as 0.95 does");
}

static void parse_pieces(struct statement *s, struct wish *w)
{
    const struct token at = s->now;
    double most = s->now.kind == TOKEN_NUMBER ? llac_parse_number(s) : 0;

    if (most < 0 || most > 1000 || most != floor(most))
        statement_fail(s, &at, "the number of intervals is a whole one");
    w->fit.has_pieces = true;
    w->fit.options.max_pieces = (unsigned)most;
}

/* False if no option begins here. */
static bool parse_option(struct statement *s, struct wish *w)
{
    if (llac_accept(s, "of"))
        w->fit.observable = llac_parse_column(s, w->table);
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
        w->fit.options.weighting = PORTOLAN_MODEL_RELATIVE;
    else if (llac_accept(s, "absolute"))
        w->fit.options.weighting = PORTOLAN_MODEL_ABSOLUTE;
    else if (llac_accept(s, "negative"))
        w->fit.options.allow_negative = true;
    else if (llac_accept(s, "trimmed"))
        w->fit.options.trimmed = true;
    else
        return accept_statistic(s, &w->fit.options.statistic);
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
    statement_check(s, &w->at,
                    portolan_formula_parse(t->formula, strlen(t->formula), w->file, w->line,
                                           w->column, s->d, &w->formula, &s->err));
    statement_own(s, free_formula, w->formula);
}

/* The formula's names become the parameters: columns, or variables, which are constant. */
static void take_names(struct statement *s, struct wish *w)
{
    w->fit.placed.n = 0;
    for (size_t i = 0; i < portolan_formula_n_names(w->formula); i++) {
        const char *name = portolan_formula_peek_name(w->formula, i);
        size_t column = table_find(w->table, name);
        double value = NAN;

        if (column == NONE && !llac_variable(s->in, name, &value))
            statement_fail(
                s, &w->at,
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
        if (w->table->columns[i].kind == COLUMN_IDENTIFIER && table_varies(w->table, i))
            add_param(s, w, &w->at, w->table->columns[i].name, i, 0);
}

static struct wish parse_wish(struct statement *s)
{
    struct wish w = {.at = s->now, .table = llac_parse_table(s), .fit.observable = NONE};

    while (parse_option(s, &w))
        ;
    llac_parse_end(s);
    if (w.fit.observable == NONE)
        w.fit.observable = llac_observable(s, &w.at, w.table, NULL);
    if (w.is_search && w.formula)
        statement_fail(s, &w.at, "either a formula or a search");
    w.is_search = w.is_search || w.fit.placed.n;
    if (!w.formula && !w.is_search && w.table->formula)
        take_own_formula(s, &w);
    if (w.formula)
        take_names(s, &w);
    else if (!w.fit.placed.n)
        take_identifiers(s, &w);
    return w;
}

/* ------------------------------------------------------------------------------------ fitting */

/* Rows of different processors are not repetitions of each other. */
static void warn_of_processors(struct statement *s, const struct wish *w)
{
    size_t cpu = table_find(w->table, "CPU");
    double min, max;

    if (cpu != NONE && table_span(w->table, cpu, &min, &max) && min < max)
        llac_warn(s->in,
                  "the rows of %.0f processors count as repetitions; a parallel time is the "
                  "slowest's: `fit %s max over CPU`",
                  max - min + 1, w->table->experiment);
}

static void fit_model(struct statement *s, struct wish *w, struct fitted *f)
{
    const struct table *t = w->table;
    const struct portolan_model_data data = fit_rows(s, t, &w->fit);

    if (!data.n_rows)
        statement_fail(s, &w->at, "'%s' has no row to be fitted", t->experiment);
    if (data.n_rows < t->n_rows)
        llac_warn(s->in, "%zu of %zu rows lack a number and are not fitted",
                  t->n_rows - data.n_rows, t->n_rows);
    statement_own(s, free_formula_sum, &f->sum);
    if (w->formula)
        statement_check(s, &w->at,
                        portolan_formula_split(w->formula, w->file, w->line, w->column, s->d,
                                               &f->sum, &s->err));
    w->fit.formula = w->formula;
    w->fit.envelope = (struct portolan_model_envelope){
        .name = t->experiment, .unit = f->unit, .program = t->program, .source = t->source};
    statement_check(s, &w->at, fit_data(s, t, &w->fit, &data, &f->model));
    statement_own(s, free_model, f->model);
}

void do_fit(struct statement *s)
{
    struct wish w = parse_wish(s);
    struct fitted *f = statement_alloc(s, 1, sizeof *f);
    const char *name = s->result ? s->result : "model";

    f->points = w.table;
    f->observable = w.table->columns[w.fit.observable].name;
    f->unit = w.table->columns[w.fit.observable].unit;
    f->formula = w.text;
    f->parsed = w.formula;
    fit_model(s, &w, f);
    warn_of_processors(s, &w);
    f = llac_put(s, name, &(struct object){.kind = OBJECT_MODEL, .model = f})->model;
    llac_show_model(s, name, f);
}
