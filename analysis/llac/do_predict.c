/* SPDX-License-Identifier: BSD-3-Clause */
/* predict: models at points and settings; compare: real and predicted side by side. */
#include "internal.h"

#include <math.h>
#include <string.h>

enum { MAX_PREDICTIONS = 10000, MAX_SHOWN = 64 };

/* --------------------------------------------------------------------------------- parameters */

/* What each parameter of a model is to be. */
struct setting {
    double *values[PORTOLAN_MODEL_MAX_PARAMS];
    size_t count[PORTOLAN_MODEL_MAX_PARAMS]; /* 0: not said */
};

size_t llac_find_param(const struct portolan_model *m, const char *name)
{
    for (size_t p = 0; p < portolan_model_n_params(m); p++)
        if (!strcmp(portolan_model_peek_param(m, p), name))
            return p;
    return NONE;
}

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
        llac_fail(s, &s->now, "a list of numbers ends with '}'");
    return values;
}

/* P = {1, 2}, N = 1024 */
static void parse_setting(struct statement *s, const struct portolan_model *m, struct setting *set)
{
    do {
        const struct token at = s->now;
        const char *name = llac_parse_name(s, "a parameter"), *known[PORTOLAN_MODEL_MAX_PARAMS];
        size_t p = llac_find_param(m, name);

        for (size_t i = 0; i < portolan_model_n_params(m); i++)
            known[i] = portolan_model_peek_param(m, i);
        if (p == NONE)
            llac_fail(s, &at, "the model has no parameter '%s'%s", name,
                      llac_suggest(s, name, known, portolan_model_n_params(m), ""));
        if (set->count[p])
            llac_fail(s, &at, "'%s' is said twice; `%s = {1, 2}` gives it several values", name,
                      name);
        if (!llac_accept(s, "="))
            llac_fail(s, &s->now, "'=' and the value of '%s' are wanted here", name);
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
        set->values[p] = llac_alloc(s, 1, sizeof *set->values[p]);
        set->count[p] = 1;
        if (!llac_usual_value(s, m, p, set->values[p]))
            llac_fail(s, at,
                      "the model also depends on '%s'; say `at %s = VALUE`, or set the variable: "
                      "`%s = VALUE`",
                      name, name, name);
    }
}

/* ---------------------------------------------------------------------------------- predicting */

/* How X lies outside the range of the model, and in a gap of its pieces: "" or words. */
static const char *outside_text(struct statement *s, const struct portolan_model *m,
                                const double *x, const struct portolan_prediction *p)
{
    struct portolan_text out = {.arena = &s->arena};

    if (p->extrapolates) {
        const struct portolan_model_range *r = portolan_model_peek_range(m, p->outside);
        const char *name = portolan_model_peek_param(m, p->outside);

        bool above = x[p->outside] > r->max;

        portolan_text_add(&out, "! outside: %s was measured %s %.6g", name,
                          r->min == r->max ? "at"
                          : above          ? "up to"
                                           : "from",
                          above ? r->max : r->min);
        if (isfinite(p->octaves))
            portolan_text_add(&out, ", here it is %s%.3g %s that", above ? "" : "1/",
                              exp2(p->octaves), above ? "times" : "of");
    }
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
                            .table = llac_table_create(&s->arena, "prediction"),
                            .model = f->model,
                            .n_params = n};

    for (size_t i = 0; i < n; i++) {
        const char *name = portolan_model_peek_param(f->model, i);

        llac_table_add_column(p.table, name, COLUMN_IDENTIFIER, NULL);
        llac_grid_add(&p.grid, "%s", name);
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        llac_table_add_column(p.table, columns[i], COLUMN_OBSERVABLE, f->unit);
    llac_grid_add(&p.grid, "%s%s", columns[0], llac_unit(s, f->unit));
    llac_grid_add(&p.grid, "from");
    llac_grid_add(&p.grid, "to, at %g %%", 100 * (confidence > 0 ? confidence : 0.95));
    llac_grid_add(&p.grid, "%s", "");
    return p;
}

static void add_prediction(struct statement *s, struct predictions *p, const double *x)
{
    double *row = llac_table_add_row(p->table), *values = row + p->n_params;
    struct portolan_prediction value;
    const char *mark = "! the model has no value here";

    for (size_t i = 0; i < p->n_params; i++) {
        row[i] = x[i];
        llac_grid_add(&p->grid, "%.10g", x[i]);
    }
    if (portolan_model_predict(p->model, x, &value) == PORTOLAN_OK) {
        values[0] = value.value;
        values[1] = value.low;
        values[2] = value.high;
        mark = outside_text(s, p->model, x, &value);
    }
    llac_grid_numbers(&p->grid, values, 3);
    llac_grid_add(&p->grid, "%s", mark);
}

/* All combinations of the values; the last parameter changes fastest. */
static void predict_settings(struct statement *s, const struct token *at, struct predictions *p,
                             const struct setting *set)
{
    size_t total = 1;

    for (size_t i = 0; i < p->n_params; i++)
        if ((total *= set->count[i]) > MAX_PREDICTIONS)
            llac_fail(s, at, "these are more than %d combinations", MAX_PREDICTIONS);
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
    llac_grid_write(&p.grid, &s->in->out);
    if (s->result)
        llac_put_table(s, s->result, p.table);
}

/* ---------------------------------------------------------------------------------- comparing */

/* Real and predicted, in the columns of the paper's Table 1. */
struct comparison {
    size_t n, n_x;      /* rows; columns before the times */
    const char **heads; /* of these */
    const double *x;    /* n x n_x */
    const double *real, *predicted;
    const char **marks; /* or NULL */
    const char *real_head, *predicted_head;
};

/* The paper's word for what it varies. */
static const char *head_of(const char *name)
{
    static const char *const same[] = {"P", "NCPUS", "PROCS"};

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!strcmp(name, same[i]))
            return "PROCS";
    return strcmp(name, "CLOCK") ? name : "TIME";
}

/* Decimals that show the N numbers to four digits and more; -1: better with exponents. */
static int find_decimals(const double *values, size_t n)
{
    double least = INFINITY, most = 0;
    int decimals;

    for (size_t i = 0; i < n; i++) {
        double size = fabs(values[i]);

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
    /* Whole numbers need none. */
    decimals = (int)ceil(-log10(least)) + 3;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]) && values[i] != floor(values[i]))
            return decimals < 0 ? 0 : decimals > 9 || most >= 1e9 ? -1 : decimals;
    return most < 1e15 ? 0 : -1;
}

static void write_comparison(struct statement *s, const struct comparison *c)
{
    const char *const heads[] = {head_of(c->real_head), c->predicted_head, "ERROR %", ""};
    struct grid g = llac_grid_of(s, c->n_x + 4);
    double sum = 0;
    size_t counted = 0;
    int decimals = find_decimals(c->real, c->n);

    for (size_t i = 0; i < c->n_x; i++)
        llac_grid_add(&g, "%s", head_of(c->heads[i]));
    llac_grid_add_texts(&g, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < c->n; i++) {
        const double both[] = {c->real[i], c->predicted[i]};
        double error = 100 * (c->real[i] - c->predicted[i]) / c->real[i];

        for (size_t k = 0; k < c->n_x; k++)
            llac_grid_add(&g, "%.10g", c->x[i * c->n_x + k]);
        for (size_t k = 0; k < 2; k++)
            llac_grid_add(&g, decimals < 0 ? "%.*g" : "%.*f", decimals < 0 ? 6 : decimals, both[k]);
        llac_grid_add(&g, "%.2f", fabs(error) < 0.005 ? 0 : error); /* not -0.00 */
        llac_grid_add(&g, "%s", c->marks ? c->marks[i] : "");
        if (isfinite(error)) {
            sum += fabs(error);
            counted++;
        }
    }
    llac_grid_write(&g, &s->in->out);
    if (counted)
        portolan_text_add(&s->in->out, "mean of absolute errors %.2f %%\n", sum / (double)counted);
}

/* Columns that say nothing, because they are the same everywhere, are left out. */
static void choose_shown(struct statement *s, const char *const *names, size_t n_names,
                         const double *x, struct comparison *c)
{
    size_t shown[MAX_SHOWN], n = 0;
    double *kept = llac_alloc(s, c->n, (n_names + 1) * sizeof *kept);

    c->heads = llac_alloc(s, n_names, sizeof *c->heads);
    for (size_t k = 0; k < n_names && n < MAX_SHOWN; k++)
        for (size_t i = 1; i < c->n; i++)
            if (x[i * n_names + k] != x[k]) {
                c->heads[n] = names[k];
                shown[n++] = k;
                break;
            }
    if (!n && n_names) {
        c->heads[0] = names[0];
        shown[n++] = 0;
    }
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < n; k++)
            kept[i * n + k] = x[i * n_names + shown[k]];
    c->n_x = n;
    c->x = kept;
}

/* The model at the points of T, beside their real values. */
static void compare_model(struct statement *s, const struct token *at, const struct fitted *f,
                          const struct table *t, const char *head)
{
    const struct portolan_model *m = f->model;
    const char *names[PORTOLAN_MODEL_MAX_PARAMS];
    size_t observable = llac_observable(s, at, t, f->observable);
    size_t n_params = portolan_model_n_params(m);
    struct comparison c = {.predicted_head = head};
    struct points p;
    double *x, *predicted;

    p = llac_model_points(s, at, m, t, observable, portolan_model_peek_summary(m)->statistic, &x);
    predicted = llac_alloc(s, p.n, sizeof *predicted);
    c.marks = llac_alloc(s, p.n, sizeof *c.marks);
    for (size_t i = 0; i < p.n; i++) {
        struct portolan_prediction value = {.value = NAN};

        c.marks[i] = "";
        if (portolan_model_predict(m, x + i * n_params, &value) == PORTOLAN_OK)
            c.marks[i] = outside_text(s, m, x + i * n_params, &value);
        predicted[i] = value.value;
    }
    for (size_t i = 0; i < n_params; i++)
        names[i] = portolan_model_peek_param(m, i);
    c.n = p.n;
    c.real = p.y;
    c.predicted = predicted;
    c.real_head = t->columns[observable].name;
    choose_shown(s, names, n_params, x, &c);
    write_comparison(s, &c);
}

/* The column that is named at AT. */
static size_t parse_column_at(struct statement *s, const struct token *at, const struct table *t)
{
    const struct token now = s->now;
    size_t column;

    s->now = *at;
    column = llac_parse_column(s, t);
    s->now = now;
    return column;
}

/* What somebody else predicted: COLUMN with COLUMN of TABLE, what they are columns of comes last.
 */
static void compare_columns(struct statement *s)
{
    const struct token predicted_at = s->now;
    const char *predicted = llac_parse_name(s, "a model or a column"), **names;
    struct token real_at;
    struct comparison c = {.predicted_head = predicted};
    size_t columns[2], n_keys = 0;
    const struct table *t;
    double *x, *values;

    if (!llac_accept(s, "with"))
        llac_fail(s, &predicted_at,
                  "there is no model '%s'; `compare MODEL with TABLE` or `compare COLUMN with "
                  "COLUMN of TABLE`",
                  predicted);
    real_at = s->now;
    c.real_head = llac_parse_name(s, "the column of real values");
    if (!llac_accept(s, "of"))
        llac_fail(s, &s->now,
                  "'of' and a table are wanted here; if '%s' was to be a model, there is none of "
                  "that name",
                  predicted);
    t = llac_parse_table(s);
    columns[1] = parse_column_at(s, &predicted_at, t);
    columns[0] = parse_column_at(s, &real_at, t);
    llac_parse_end(s);
    names = llac_alloc(s, t->n_columns, sizeof *names);
    x = llac_alloc(s, t->n_rows, t->n_columns * sizeof *x);
    values = llac_alloc(s, t->n_rows, 2 * sizeof *values);
    for (size_t k = 0; k < t->n_columns; k++)
        if (t->columns[k].kind == COLUMN_IDENTIFIER && k != columns[0] && k != columns[1])
            names[n_keys++] = t->columns[k].name;
    for (size_t i = 0; i < t->n_rows; i++) {
        const double *row = llac_table_row(t, i);

        for (size_t k = 0; k < n_keys; k++)
            x[i * n_keys + k] = row[llac_table_find(t, names[k])];
        for (size_t k = 0; k < 2; k++)
            values[k * t->n_rows + i] = row[columns[k]];
    }
    c.n = t->n_rows;
    c.real = values;
    c.predicted = values + t->n_rows;
    choose_shown(s, names, n_keys, x, &c);
    write_comparison(s, &c);
}

/* `as "OBSP*"`; else the paper's word for what a formula predicts. */
static const char *parse_head(struct statement *s, const struct fitted *f)
{
    const char *head = f->formula ? "OBSP*" : "MODEL";

    if (!llac_accept(s, "as"))
        return head;
    if (s->now.kind != TOKEN_STRING && s->now.kind != TOKEN_NAME)
        llac_fail(s, &s->now, "a heading such as \"OBSP*\" is wanted here");
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
        llac_fail(s, &at, "a model from a file has no rows; `compare MODEL with TABLE`");
    }
    head = parse_head(s, f);
    llac_parse_end(s);
    compare_model(s, &at, f, t, head);
}
