/* SPDX-License-Identifier: BSD-3-Clause */
/* predict: models at points and settings; compare: real and predicted side by side. */
#include "internal.h"

#include <math.h>
#include <string.h>

enum { MAX_PREDICTIONS = 10000 };

/* --------------------------------------------------------------------------------- parameters */

/* The requested values of each parameter of a model. */
struct setting {
    double *values[PORTOLAN_MODEL_MAX_PARAMS];
    size_t count[PORTOLAN_MODEL_MAX_PARAMS]; /* 0: not given */
};

/* `{1, 2, 4}` or one number. */
static double *parse_numbers(struct statement *s, size_t *n)
{
    bool is_list = llac_accept(s, "{");
    double *values = NULL;

    *n = 0;
    do {
        values = portolan_arena_grow(&s->arena, values, *n, sizeof *values);
        values[(*n)++] = llac_parse_number(s);
    } while (is_list && llac_accept(s, ","));
    if (is_list && !llac_accept(s, "}"))
        statement_fail(s, &s->now, "a list of numbers ends with '}'");
    return values;
}

/* P = {1, 2}, N = 1024 */
static void parse_setting(struct statement *s, const struct portolan_model *m, struct setting *set)
{
    do {
        const struct token at = s->now;
        const char *name = llac_parse_name(s, "a parameter"), *known[PORTOLAN_MODEL_MAX_PARAMS];
        size_t p = model_find_param(m, name);

        for (size_t i = 0; i < portolan_model_n_params(m); i++)
            known[i] = portolan_model_peek_param(m, i);
        if (p == NONE)
            statement_fail(s, &at, "the model has no parameter '%s'%s", name,
                           llac_suggest(s, name, known, portolan_model_n_params(m), ""));
        if (set->count[p])
            statement_fail(s, &at, "'%s' is said twice; `%s = {1, 2}` gives it several values",
                           name, name);
        if (!llac_accept(s, "="))
            statement_fail(s, &s->now, "'=' and the value of '%s' are wanted here", name);
        set->values[p] = parse_numbers(s, &set->count[p]);
    } while (llac_accept(s, ","));
}

static void complete_setting(struct statement *s, const struct token *at,
                             const struct portolan_model *m, struct setting *set)
{
    for (size_t p = 0; p < portolan_model_n_params(m); p++) {
        const char *name = portolan_model_peek_param(m, p);

        if (set->count[p])
            continue;
        set->values[p] = statement_alloc(s, 1, sizeof *set->values[p]);
        set->count[p] = 1;
        if (!llac_usual_value(s, m, p, set->values[p]))
            statement_fail(
                s, at,
                "the model also depends on '%s'; say `at %s = VALUE`, or set the variable: "
                "`%s = VALUE`",
                name, name, name);
    }
}

/* ---------------------------------------------------------------------------------- predicting */

static void add_outside(struct portolan_text *out, const struct portolan_model *m, const double *x,
                        const struct portolan_prediction *p)
{
    const struct portolan_model_range *r = portolan_model_peek_range(m, p->outside);
    const char *name = portolan_model_peek_param(m, p->outside);
    bool above = x[p->outside] > r->max;

    if (!above && !(x[p->outside] < r->min)) {
        portolan_text_add(out, "! outside: no row had %s near %.6g with such other parameters",
                          name, x[p->outside]);
        return;
    }
    portolan_text_add(out, "! outside: %s was measured %s %.6g", name,
                      r->min == r->max ? "at"
                      : above          ? "up to"
                                       : "from",
                      above ? r->max : r->min);
    if (isfinite(p->octaves))
        portolan_text_add(out, ", here it is %s%.3g %s that", above ? "" : "1/", exp2(p->octaves),
                          above ? "times" : "of");
}

/* How X is outside the rows of the model, or in a gap between its pieces, in words; or "". */
static const char *outside_text(struct statement *s, const struct portolan_model *m,
                                const double *x, const struct portolan_prediction *p)
{
    struct portolan_text out = {.arena = &s->arena};

    if (p->extrapolates)
        add_outside(&out, m, x, p);
    if (p->in_gap)
        portolan_text_add(&out, "%s! between two intervals", out.length ? " " : "");
    if (p->is_assumed)
        portolan_text_add(&out, "%s~ error assumed", out.length ? " " : "");
    return out.length ? out.bytes : "";
}

struct predictions {
    struct grid grid;
    struct table *table;
    const struct portolan_model *model;
    size_t n_params;
};

static struct predictions begin_predictions(struct statement *s, const struct fitted *f)
{
    const char *const columns[] = {f->observable ? f->observable : "VALUE", "LOW", "HIGH"};
    double confidence = portolan_model_peek_summary(f->model)->confidence;
    size_t n = portolan_model_n_params(f->model);
    struct predictions p = {.grid = llac_grid_of(s, n + 4),
                            .table = table_create(&s->arena, "prediction"),
                            .model = f->model,
                            .n_params = n};

    for (size_t i = 0; i < n; i++) {
        const char *name = portolan_model_peek_param(f->model, i);

        table_add_column(p.table, name, COLUMN_IDENTIFIER, NULL);
        grid_text(&p.grid, name);
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        table_add_column(p.table, columns[i], COLUMN_OBSERVABLE, f->unit);
    grid_format(&p.grid, "%s%s", columns[0], llac_unit(s, f->unit));
    grid_text(&p.grid, "from");
    grid_format(&p.grid, "to, at %g %%", 100 * (confidence > 0 ? confidence : 0.95));
    grid_text(&p.grid, "");
    return p;
}

static void add_prediction(struct statement *s, struct predictions *p, const double *x)
{
    double *row = table_add_row(p->table), *values = row + p->n_params;
    struct portolan_prediction value;
    const char *mark = "! the model has no value here";

    for (size_t i = 0; i < p->n_params; i++) {
        row[i] = x[i];
        grid_format(&p->grid, "%.10g", x[i]);
    }
    if (portolan_model_predict(p->model, x, &value) == PORTOLAN_OK) {
        values[0] = value.value;
        values[1] = value.low;
        values[2] = value.high;
        mark = outside_text(s, p->model, x, &value);
    }
    llac_grid_numbers(&p->grid, values, 3);
    grid_text(&p->grid, mark);
}

/* All combinations of the values; the last parameter changes fastest. */
static void predict_settings(struct statement *s, const struct token *at, struct predictions *p,
                             const struct setting *set)
{
    size_t total = 1;

    for (size_t i = 0; i < p->n_params; i++)
        if ((total *= set->count[i]) > MAX_PREDICTIONS)
            statement_fail(s, at, "these are more than %d combinations", MAX_PREDICTIONS);
    for (size_t k = 0; k < total; k++) {
        double x[PORTOLAN_MODEL_MAX_PARAMS];
        size_t rest = k;

        for (size_t i = p->n_params; i-- > 0; rest /= set->count[i])
            x[i] = set->values[i][rest % set->count[i]];
        add_prediction(s, p, x);
    }
}

/* predict MODEL on TABLE */
static void predict_table(struct statement *s, struct predictions *p)
{
    const struct token at = s->now;
    const struct table *t = llac_parse_table(s);
    struct points points;
    double *x;

    llac_parse_end(s);
    points = llac_model_points(s, &at, p->model, t, 0, PORTOLAN_MODEL_MEDIAN, &x);
    for (size_t i = 0; i < points.n; i++)
        add_prediction(s, p, x + i * p->n_params);
}

void do_predict(struct statement *s)
{
    const struct token at = s->now;
    const struct fitted *f = llac_parse_object(s, OBJECT_MODEL)->model;
    struct predictions p = begin_predictions(s, f);
    struct setting set = {0};

    if (llac_accept(s, "on")) {
        predict_table(s, &p);
    } else {
        if (llac_accept(s, "at"))
            parse_setting(s, f->model, &set);
        llac_parse_end(s);
        complete_setting(s, &at, f->model, &set);
        predict_settings(s, &at, &p, &set);
    }
    grid_write(&p.grid, &s->in->out);
    if (s->result)
        llac_put_table(s, s->result, p.table);
}

/* ---------------------------------------------------------------------------------- comparing */

/* The heading that the paper uses for a column. */
static const char *head_of(const char *name)
{
    static const char *const same[] = {"P", "NCPUS", "PROCS"};

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!strcmp(name, same[i]))
            return "PROCS";
    return strcmp(name, "CLOCK") ? name : "TIME";
}

/* Decimals that show four digits or more of each value in column C of T; -1: use exponents. */
static int find_decimals(const struct table *t, size_t c)
{
    double least = INFINITY, most = 0;
    int decimals;

    for (size_t i = 0; i < t->n_rows; i++) {
        double size = fabs(table_row(t, i)[c]);

        if (!isfinite(size))
            continue;
        most = fmax(most, size);
        if (size > 0)
            least = fmin(least, size);
    }
    if (most == 0)
        return 0;
    if (most > 1e6 * least)
        return -1;
    /* Whole numbers need no decimals. */
    decimals = (int)ceil(-log10(least)) + 3;
    for (size_t i = 0; i < t->n_rows; i++) {
        double value = table_row(t, i)[c];

        if (isfinite(value) && value != floor(value))
            return decimals < 0 ? 0 : decimals > 9 || most >= 1e9 ? -1 : decimals;
    }
    return most < 1e15 ? 0 : -1;
}

/*
 * Writes T, whose last columns are real and predicted, like the paper's Table 1. Other columns are
 * shown only if they vary. MARKS has a text for each row, or is NULL.
 */
static void write_comparison(struct statement *s, const struct table *t, const char **marks)
{
    size_t *shown = statement_alloc(s, t->n_columns, sizeof *shown), n = 0, last = t->n_columns - 2;
    struct grid g;
    double sum = 0;
    size_t counted = 0;
    int decimals = find_decimals(t, last);

    for (size_t c = 0; c < last; c++)
        if (table_varies(t, c))
            shown[n++] = c;
    if (!n && last)
        shown[n++] = 0;
    g = llac_grid_of(s, n + 4);
    for (size_t k = 0; k < n; k++)
        grid_text(&g, head_of(t->columns[shown[k]].name));
    grid_text(&g, head_of(t->columns[last].name));
    llac_grid_add_texts(&g, (const char *[]){t->columns[last + 1].name, "ERROR %", ""}, 3);
    for (size_t i = 0; i < t->n_rows; i++) {
        const double *row = table_row(t, i);
        double error = 100 * (row[last] - row[last + 1]) / row[last];

        for (size_t k = 0; k < n; k++)
            grid_format(&g, "%.10g", row[shown[k]]);
        for (size_t c = last; c < t->n_columns; c++)
            grid_format(&g, decimals < 0 ? "%.*g" : "%.*f", decimals < 0 ? 6 : decimals, row[c]);
        grid_format(&g, "%.2f", fabs(error) < 0.005 ? 0 : error); /* not -0.00 */
        grid_text(&g, marks ? marks[i] : "");
        if (isfinite(error)) {
            sum += fabs(error);
            counted++;
        }
    }
    grid_write(&g, &s->in->out);
    if (counted)
        portolan_text_add(&s->in->out, "mean of absolute errors %.2f %%\n", sum / (double)counted);
}

/* Compares the model with the real values at the points of T. */
static void compare_model(struct statement *s, const struct token *at, const struct fitted *f,
                          const struct table *t, const char *head)
{
    const struct portolan_model *m = f->model;
    size_t observable = llac_observable(s, at, t, f->observable);
    size_t n_params = portolan_model_n_params(m);
    struct table *both = table_create(&s->arena, t->experiment);
    const char **marks;
    struct points p;
    double *x;

    p = llac_model_points(s, at, m, t, observable, portolan_model_peek_summary(m)->statistic, &x);
    marks = statement_alloc(s, p.n, sizeof *marks);
    for (size_t i = 0; i < n_params; i++)
        table_add_column(both, portolan_model_peek_param(m, i), COLUMN_IDENTIFIER, NULL);
    table_add_column(both, t->columns[observable].name, COLUMN_OBSERVABLE, NULL);
    table_add_column(both, head, COLUMN_OBSERVABLE, NULL);
    for (size_t i = 0; i < p.n; i++, x += n_params) {
        struct portolan_prediction value = {.value = NAN};
        double *row = table_add_row(both);

        marks[i] = portolan_model_predict(m, x, &value) ? "" : outside_text(s, m, x, &value);
        memcpy(row, x, n_params * sizeof *x);
        row[n_params] = p.y[i];
        row[n_params + 1] = value.value;
    }
    write_comparison(s, both, marks);
}

/* The column named at AT, without moving on. */
static size_t parse_column_at(struct statement *s, const struct token *at, const struct table *t)
{
    const struct token now = s->now;
    size_t column;

    s->now = *at;
    column = llac_parse_column(s, t);
    s->now = now;
    return column;
}

/* Predictions by others: `COLUMN with COLUMN of TABLE`; the columns are looked up last. */
static void compare_columns(struct statement *s)
{
    const struct token predicted_at = s->now;
    const char *name = llac_parse_name(s, "a model or a column");
    struct token real_at;
    size_t *columns, predicted, real, n = 0;
    const struct table *t;

    if (!llac_accept(s, "with"))
        statement_fail(s, &predicted_at,
                       "there is no model '%s'; `compare MODEL with TABLE` or `compare COLUMN with "
                       "COLUMN of TABLE`",
                       name);
    real_at = s->now;
    llac_parse_name(s, "the column of real values");
    if (!llac_accept(s, "of"))
        statement_fail(
            s, &s->now,
            "'of' and a table are wanted here; if '%s' was to be a model, there is none of "
            "that name",
            name);
    t = llac_parse_table(s);
    predicted = parse_column_at(s, &predicted_at, t);
    real = parse_column_at(s, &real_at, t);
    llac_parse_end(s);
    columns = statement_alloc(s, t->n_columns + 2, sizeof *columns);
    for (size_t c = 0; c < t->n_columns; c++)
        if (t->columns[c].kind == COLUMN_IDENTIFIER && c != real && c != predicted)
            columns[n++] = c;
    columns[n++] = real;
    columns[n++] = predicted;
    write_comparison(s, table_project(&s->arena, t, columns, n), NULL);
}

/* The heading: `as "OBSP*"`, else the paper's word for the predictions of a formula. */
static const char *parse_head(struct statement *s, const struct fitted *f)
{
    const char *head = f->formula ? "OBSP*" : "MODEL";

    if (!llac_accept(s, "as"))
        return head;
    if (s->now.kind != TOKEN_STRING && s->now.kind != TOKEN_NAME)
        statement_fail(s, &s->now, "a heading such as \"OBSP*\" is wanted here");
    head = llac_text(s, &s->now);
    llac_advance(s);
    return head;
}

void do_compare(struct statement *s)
{
    struct token at = s->now;
    const struct fitted *f = llac_accept_model(s);
    const struct table *t;
    const char *head;

    if (!f) {
        compare_columns(s);
        return;
    }
    t = f->points;
    if (llac_accept(s, "with")) {
        at = s->now;
        t = llac_parse_table(s);
    } else if (!t) {
        statement_fail(s, &at, "a model from a file has no rows; `compare MODEL with TABLE`");
    }
    head = parse_head(s, f);
    llac_parse_end(s);
    compare_model(s, &at, f, t, head);
}
