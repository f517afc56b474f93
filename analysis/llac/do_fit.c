/* SPDX-License-Identifier: BSD-3-Clause */
/* fit: from a table to a model. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a `fit` asks for. */
struct wish {
    struct token at; /* the table */
    struct table *table;
    size_t observable;                /* column */
    struct portolan_formula *formula; /* NULL: a search */
    const char *text;                 /* of the formula */
    const char *file;                 /* where it stands */
    int line, column;
    bool is_search, has_pieces;
    struct portolan_model_options options;
    size_t n_params;
    const char *params[PORTOLAN_MODEL_MAX_PARAMS];
    size_t columns[PORTOLAN_MODEL_MAX_PARAMS]; /* NONE: a variable … */
    double values[PORTOLAN_MODEL_MAX_PARAMS];  /* … of this value */
};

static void clear_wish(struct wish *w)
{
    llac_table_destroy(w->table);
    portolan_formula_destroy(w->formula);
}

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

static enum portolan_status add_param(struct statement *s, struct wish *w, const struct token *at,
                                      const char *name, size_t column, double value)
{
    if (w->n_params == PORTOLAN_MODEL_MAX_PARAMS)
        return llac_fail(s, at,
                         "a model has at most %d parameters; a formula uses no more, and "
                         "`fit TABLE on COLUMN, ...` says what a search is over",
                         PORTOLAN_MODEL_MAX_PARAMS);
    w->params[w->n_params] = name;
    w->columns[w->n_params] = column;
    w->values[w->n_params++] = value;
    return PORTOLAN_OK;
}

static enum portolan_status parse_params(struct statement *s, struct wish *w)
{
    do {
        const struct token at = s->now;
        size_t column;
        enum portolan_status status = llac_parse_column(s, w->table, &column);

        if (status == PORTOLAN_OK)
            status = add_param(s, w, &at, w->table->columns[column].name, column, 0);
        if (status != PORTOLAN_OK)
            return status;
    } while (llac_accept(s, ","));
    return PORTOLAN_OK;
}

/* Without line ends, and what is around them. */
static const char *on_one_line(struct statement *s, const char *at, const char *end)
{
    struct portolan_text out = {.arena = s->arena};

    while (at < end) {
        size_t blanks = strspn(at, " \t\r\n\\"), length = strcspn(at + blanks, " \t\r\n\\");

        if (blanks + length > (size_t)(end - at))
            length = (size_t)(end - at) - blanks;
        portolan_text_add(&out, "%s", out.length && blanks ? " " : "");
        portolan_text_add_bytes(&out, at + blanks, length);
        at += blanks + length;
    }
    return out.failed ? NULL : out.bytes;
}

/* A formula given here goes before the experiment's own. */
static enum portolan_status parse_formula(struct statement *s, struct wish *w)
{
    const struct token at = s->now;
    enum portolan_status status;

    portolan_formula_destroy(w->formula);
    if ((status = llac_parse_formula(s, &w->formula)) != PORTOLAN_OK)
        return status;
    w->text = on_one_line(s, at.at, s->last_end);
    w->file = s->file;
    w->line = at.line;
    w->column = at.column;
    return w->text ? PORTOLAN_OK : llac_no_memory(s);
}

static enum portolan_status parse_confidence(struct statement *s, struct wish *w)
{
    const struct token at = s->now;
    enum portolan_status status = llac_parse_number(s, &w->options.confidence);

    if (status == PORTOLAN_OK && !(w->options.confidence > 0 && w->options.confidence < 1))
        status = llac_fail(s, &at, "a confidence lies between 0 and 1, as 0.95 does");
    return status;
}

static enum portolan_status parse_pieces(struct statement *s, struct wish *w)
{
    const struct token at = s->now;
    double most = 0;
    enum portolan_status status = PORTOLAN_OK;

    w->has_pieces = true;
    if (s->now.kind == TOKEN_NUMBER)
        status = llac_parse_number(s, &most);
    if (status == PORTOLAN_OK && (most < 0 || most > 1000 || most != floor(most)))
        status = llac_fail(s, &at, "the number of intervals is a whole one");
    w->options.max_pieces = (unsigned)most;
    return status;
}

static enum portolan_status parse_option(struct statement *s, struct wish *w, bool *any)
{
    *any = true;
    if (llac_accept(s, "of"))
        return llac_parse_column(s, w->table, &w->observable);
    if (llac_accept(s, "as"))
        return parse_formula(s, w);
    if (llac_accept(s, "on"))
        return parse_params(s, w);
    if (llac_accept(s, "confidence"))
        return parse_confidence(s, w);
    if (llac_accept(s, "pieces"))
        return parse_pieces(s, w);
    if (llac_accept(s, "search"))
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
        *any = accept_statistic(s, &w->options.statistic);
    return PORTOLAN_OK;
}

/* ----------------------------------------------------------------------------------- formulas */

/* The formula that the experiment was annotated with. */
static enum portolan_status take_own_formula(struct statement *s, struct wish *w)
{
    const struct table *t = w->table;
    struct portolan_error err = {0};
    int before = s->d->count;
    enum portolan_status status;

    w->text = t->formula;
    w->file = t->file ? t->file : t->source ? t->source : t->experiment;
    w->line = t->file && t->n_begin ? (int)t->begin_lines[0] : 1;
    w->column = 1;
    status = portolan_formula_parse(t->formula, strlen(t->formula), w->file, w->line, w->column,
                                    s->d, &w->formula, &err);
    if (status != PORTOLAN_OK && s->d->count == before)
        return llac_fail_with(s, &w->at, status, &err);
    return status;
}

/* The formula's names are the parameters: columns, or variables that are the same in all rows. */
static enum portolan_status take_names(struct statement *s, struct wish *w)
{
    enum portolan_status status = PORTOLAN_OK;

    w->n_params = 0;
    for (size_t i = 0; status == PORTOLAN_OK && i < portolan_formula_n_names(w->formula); i++) {
        const char *name = portolan_formula_peek_name(w->formula, i);
        size_t column = llac_table_find(w->table, name);
        double value = NAN;

        if (column == NONE && !llac_variable(s->in, name, &value))
            return llac_fail(s, &w->at,
                             "the formula needs '%s', which is neither a column of '%s' nor a "
                             "variable; `%s = VALUE` makes one",
                             name, w->table->experiment, name);
        status = add_param(s, w, &w->at, name, column, value);
    }
    return status;
}

/* What a search depends on: the identifiers that have several values. */
static enum portolan_status take_identifiers(struct statement *s, struct wish *w)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; status == PORTOLAN_OK && i < w->table->n_columns; i++) {
        double min, max;

        if (w->table->columns[i].kind == COLUMN_IDENTIFIER &&
            llac_table_span(w->table, i, &min, &max) && min < max)
            status = add_param(s, w, &w->at, w->table->columns[i].name, i, 0);
    }
    return status;
}

static enum portolan_status parse_wish(struct statement *s, struct wish *w)
{
    bool any = true;
    enum portolan_status status;

    *w = (struct wish){.at = s->now};
    if ((status = llac_parse_table(s, &w->table)) != PORTOLAN_OK)
        return status;
    w->observable = llac_table_observable(w->table);
    while (status == PORTOLAN_OK && any)
        status = parse_option(s, w, &any);
    if (status == PORTOLAN_OK)
        status = llac_parse_end(s);
    if (status != PORTOLAN_OK)
        return status;
    if (w->observable == NONE)
        return llac_fail(s, &w->at,
                         "'%s' has nothing that was measured; `observing COLUMN` says "
                         "what was",
                         w->table->experiment);
    if (w->is_search && w->formula)
        return llac_fail(s, &w->at, "either a formula or a search");
    w->is_search = w->is_search || w->n_params;
    if (!w->formula && !w->is_search && w->table->formula)
        status = take_own_formula(s, w);
    if (status == PORTOLAN_OK && w->formula)
        return take_names(s, w);
    if (status == PORTOLAN_OK && !w->n_params)
        return take_identifiers(s, w);
    return status;
}

/* ------------------------------------------------------------------------------------ fitting */

/* The rows that have all numbers. */
static enum portolan_status fill(struct statement *s, const struct wish *w,
                                 struct portolan_model_data *data)
{
    size_t n = w->table->n_rows, n_params = w->n_params;
    double *x = portolan_arena_alloc(s->arena, n * (n_params ? n_params : 1), sizeof *x);
    double *y = portolan_arena_alloc(s->arena, n, sizeof *y);

    *data = (struct portolan_model_data){
        .n_params = n_params, .params = w->params, .x = n_params ? x : NULL, .y = y};
    if (!x || !y)
        return llac_no_memory(s);
    for (size_t i = 0; i < n; i++) {
        const double *row = llac_table_row(w->table, i);
        bool good = isfinite(row[w->observable]);

        for (size_t p = 0; p < n_params; p++) {
            double value = w->columns[p] == NONE ? w->values[p] : row[w->columns[p]];

            x[data->n_rows * n_params + p] = value;
            good = good && isfinite(value);
        }
        y[data->n_rows] = row[w->observable];
        data->n_rows += good;
    }
    if (!data->n_rows)
        return llac_fail(s, &w->at, "'%s' has no row to be fitted", w->table->experiment);
    if (data->n_rows < n)
        llac_warn(s->in, "%zu of %zu rows lack a number and are not fitted", n - data->n_rows, n);
    return PORTOLAN_OK;
}

/* Rows of several processors are no repetitions of each other. */
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

static enum portolan_status describe(const struct wish *w, struct portolan_model *model,
                                     struct portolan_error *err)
{
    struct portolan_model_envelope envelope = {
        .name = w->table->experiment,
        .unit = w->table->columns[w->observable].unit,
        .program = w->table->program,
        .source = w->table->source,
    };

    for (size_t p = 0; p < w->n_params; p++)
        if (w->columns[p] != NONE)
            envelope.param_units[p] = w->table->columns[w->columns[p]].unit;
    return portolan_model_describe(model, &envelope, err);
}

static enum portolan_status fit(struct statement *s, const struct wish *w, struct fitted *f)
{
    struct portolan_model_data data;
    struct portolan_error err = {0};
    int before = s->d->count;
    enum portolan_status status = fill(s, w, &data);

    if (status != PORTOLAN_OK)
        return status;
    if (w->formula)
        status =
            portolan_formula_split(w->formula, w->file, w->line, w->column, s->d, &f->sum, &err);
    if (status == PORTOLAN_OK)
        status =
            portolan_model_fit_as(&data, w->formula, w->has_pieces, &w->options, &f->model, &err);
    if (status == PORTOLAN_OK)
        status = describe(w, f->model, &err);
    if (status != PORTOLAN_OK && s->d->count == before)
        return llac_fail_with(s, &w->at, status, &err);
    return status;
}

/* The names and rows that go with the model; takes table and formula. */
static enum portolan_status furnish(struct statement *s, struct wish *w, struct fitted *f)
{
    const char *unit = w->table->columns[w->observable].unit;

    f->observable = portolan_strdup(w->table->columns[w->observable].name);
    f->unit = portolan_strdup(unit);
    f->formula = portolan_strdup(w->text);
    if (!f->observable || (unit && !f->unit) || (w->text && !f->formula))
        return llac_no_memory(s);
    f->points = w->table;
    f->parsed = w->formula;
    w->table = NULL;
    w->formula = NULL;
    return PORTOLAN_OK;
}

enum portolan_status do_fit(struct statement *s, const char *name)
{
    struct object o = {.kind = OBJECT_MODEL};
    struct wish w;
    enum portolan_status status = parse_wish(s, &w);

    if (status == PORTOLAN_OK && !(o.model = portolan_calloc(1, sizeof *o.model)))
        status = llac_no_memory(s);
    if (status == PORTOLAN_OK)
        status = fit(s, &w, o.model);
    if (status == PORTOLAN_OK) {
        warn_of_processors(s, &w);
        status = furnish(s, &w, o.model);
    }
    if (status == PORTOLAN_OK && llac_put(s->in, name ? name : "model", &o) != PORTOLAN_OK)
        status = llac_no_memory(s);
    if (status == PORTOLAN_OK)
        llac_show_model(s, name ? name : "model", llac_find(s->in, name ? name : "model")->model);
    else
        llac_fitted_destroy(o.model);
    clear_wish(&w);
    return status;
}
