/* SPDX-License-Identifier: BSD-3-Clause */
/* compare: real and predicted side by side. */
#include "internal.h"

#include <math.h>
#include <string.h>

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

static void write_comparison(struct statement *s, const struct comparison *c)
{
    struct grid g = {.arena = s->arena, .n_columns = c->n_x + 4};
    double sum = 0;
    size_t counted = 0;
    int decimals = llac_decimals(c->real, c->n);

    g.left = c->n_x + 3 < 32 ? 1u << (c->n_x + 3) : 0;
    for (size_t i = 0; i < c->n_x; i++)
        llac_grid_add(&g, "%s", head_of(c->heads[i]));
    llac_grid_add(&g, "%s", head_of(c->real_head));
    llac_grid_add(&g, "%s", c->predicted_head);
    llac_grid_add(&g, "ERROR %%");
    llac_grid_add(&g, "%s", "");
    for (size_t i = 0; i < c->n; i++) {
        double error = 100 * (c->real[i] - c->predicted[i]) / c->real[i];

        for (size_t k = 0; k < c->n_x; k++)
            llac_grid_add(&g, "%.10g", c->x[i * c->n_x + k]);
        llac_grid_add(&g, decimals < 0 ? "%.*g" : "%.*f", decimals < 0 ? 6 : decimals, c->real[i]);
        llac_grid_add(&g, decimals < 0 ? "%.*g" : "%.*f", decimals < 0 ? 6 : decimals,
                      c->predicted[i]);
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
static enum portolan_status choose_shown(struct statement *s, const char *const *names,
                                         size_t n_names, const double *x, struct comparison *c)
{
    size_t shown[64], n = 0;
    double *kept = portolan_arena_alloc(s->arena, c->n * (n_names ? n_names : 1), sizeof *kept);

    c->heads = portolan_arena_alloc(s->arena, n_names, sizeof *c->heads);
    if (!kept || !c->heads)
        return llac_no_memory(s);
    for (size_t k = 0; k < n_names && n < 64; k++)
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
    return PORTOLAN_OK;
}

/* The model at the points of T, beside their real values. */
static enum portolan_status compare_model(struct statement *s, const struct token *at,
                                          const struct fitted *f, const struct table *t,
                                          const char *head)
{
    const struct portolan_model *m = f->model;
    const char *names[PORTOLAN_MODEL_MAX_PARAMS];
    size_t observable = f->observable ? llac_table_find(t, f->observable) : NONE;
    size_t n_params = portolan_model_n_params(m);
    struct comparison c = {0};
    struct points p;
    double *x, *predicted;
    enum portolan_status status;

    observable = observable == NONE ? llac_table_observable(t) : observable;
    if (observable == NONE)
        return llac_fail(s, at,
                         "'%s' has nothing that was measured; `observing COLUMN` says what "
                         "was",
                         t->experiment);
    status = llac_model_points(s, at, m, t, observable, portolan_model_peek_summary(m)->statistic,
                               &p, &x);
    if (status != PORTOLAN_OK)
        return status;
    predicted = portolan_arena_alloc(s->arena, p.n, sizeof *predicted);
    c = (struct comparison){.n = p.n,
                            .real = p.y,
                            .predicted = predicted,
                            .real_head = t->columns[observable].name,
                            .predicted_head = head};
    c.marks = portolan_arena_alloc(s->arena, p.n, sizeof *c.marks);
    if (!predicted || !c.marks)
        return llac_no_memory(s);
    for (size_t i = 0; i < p.n; i++) {
        struct portolan_prediction value = {.value = NAN};

        c.marks[i] = "";
        if (portolan_model_predict(m, x + i * n_params, &value) == PORTOLAN_OK)
            c.marks[i] = llac_outside(s, m, x + i * n_params, &value);
        predicted[i] = value.value;
    }
    for (size_t i = 0; i < n_params; i++)
        names[i] = portolan_model_peek_param(m, i);
    if ((status = choose_shown(s, names, n_params, x, &c)) == PORTOLAN_OK)
        write_comparison(s, &c);
    return status;
}

/* What two columns of a table are compared. */
struct columns {
    struct table *table;
    struct token predicted_at, real_at;
    const char *predicted, *real;
    size_t predicted_column, real_column;
};

/* COLUMN with COLUMN of TABLE: what they are columns of comes last. */
static enum portolan_status parse_columns(struct statement *s, struct columns *c)
{
    struct token behind;
    enum portolan_status status;

    c->predicted_at = s->now;
    status = llac_parse_name(s, "a model or a column", &c->predicted);
    if (status == PORTOLAN_OK && !llac_accept(s, "with"))
        return llac_fail(s, &c->predicted_at,
                         "there is no model '%s'; `compare MODEL with TABLE` or `compare COLUMN "
                         "with COLUMN of TABLE`",
                         c->predicted);
    c->real_at = s->now;
    if (status == PORTOLAN_OK)
        status = llac_parse_name(s, "the column of real values", &c->real);
    if (status == PORTOLAN_OK && !llac_accept(s, "of"))
        return llac_fail(s, &s->now,
                         "'of' and a table are wanted here; if '%s' was to be a model, "
                         "there is none of that name",
                         c->predicted);
    if (status != PORTOLAN_OK || (status = llac_parse_table(s, &c->table)) != PORTOLAN_OK)
        return status;
    behind = s->now;
    s->now = c->predicted_at;
    status = llac_parse_column(s, c->table, &c->predicted_column);
    s->now = c->real_at;
    if (status == PORTOLAN_OK)
        status = llac_parse_column(s, c->table, &c->real_column);
    s->now = behind;
    return status == PORTOLAN_OK ? llac_parse_end(s) : status;
}

/* What somebody else predicted. */
static enum portolan_status compare_columns(struct statement *s, const struct columns *what)
{
    const struct table *t = what->table;
    const char **names = portolan_arena_alloc(s->arena, t->n_columns, sizeof *names);
    double *x = portolan_arena_alloc(s->arena, t->n_rows * t->n_columns, sizeof *x);
    double *values = portolan_arena_alloc(s->arena, 2 * t->n_rows, sizeof *values);
    struct comparison c = {.n = t->n_rows,
                           .real = values,
                           .predicted = values + t->n_rows,
                           .real_head = what->real,
                           .predicted_head = what->predicted};
    size_t n_keys = 0;
    enum portolan_status status;

    if (!names || !x || !values)
        return llac_no_memory(s);
    for (size_t c = 0; c < t->n_columns; c++)
        if (t->columns[c].kind == COLUMN_IDENTIFIER && c != what->predicted_column &&
            c != what->real_column)
            names[n_keys++] = t->columns[c].name;
    for (size_t i = 0; i < t->n_rows; i++) {
        const double *row = llac_table_row(t, i);

        for (size_t k = 0; k < n_keys; k++)
            x[i * n_keys + k] = row[llac_table_find(t, names[k])];
        values[i] = row[what->real_column];
        values[t->n_rows + i] = row[what->predicted_column];
    }
    if ((status = choose_shown(s, names, n_keys, x, &c)) == PORTOLAN_OK)
        write_comparison(s, &c);
    return status;
}

/* `as "OBSP*"`; else the paper's word for what a formula predicts. */
static enum portolan_status parse_head(struct statement *s, const struct fitted *f,
                                       const char **head)
{
    *head = f->formula ? "OBSP*" : "MODEL";
    if (!llac_accept(s, "as"))
        return PORTOLAN_OK;
    *head = llac_text(s, &s->now);
    if (s->now.kind != TOKEN_STRING && s->now.kind != TOKEN_NAME)
        return llac_fail(s, &s->now, "a heading such as \"OBSP*\" is wanted here");
    llac_advance(s);
    return PORTOLAN_OK;
}

enum portolan_status do_compare(struct statement *s, const char *name)
{
    const struct object *o =
        s->now.kind == TOKEN_NAME ? llac_find(s->in, llac_text(s, &s->now)) : NULL;
    const struct fitted *f;
    struct token at = s->now;
    struct table *t = NULL;
    const char *head;
    enum portolan_status status;

    (void)name;
    if (!o || o->kind != OBJECT_MODEL) {
        struct columns columns = {0};

        if ((status = parse_columns(s, &columns)) == PORTOLAN_OK)
            status = compare_columns(s, &columns);
        llac_table_destroy(columns.table);
        return status;
    }
    if ((status = llac_parse_model(s, &f)) != PORTOLAN_OK)
        return status;
    if (llac_accept(s, "with")) {
        at = s->now;
        status = llac_parse_table(s, &t);
    } else if (!f->points) {
        status = llac_fail(s, &at, "a model from a file has no rows; `compare MODEL with TABLE`");
    }
    if (status == PORTOLAN_OK)
        status = parse_head(s, f, &head);
    if (status == PORTOLAN_OK)
        status = llac_parse_end(s);
    if (status == PORTOLAN_OK)
        status = compare_model(s, &at, f, t ? t : f->points, head);
    llac_table_destroy(t);
    return status;
}
