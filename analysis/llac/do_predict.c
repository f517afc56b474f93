/* SPDX-License-Identifier: BSD-3-Clause */
/* predict: models at points and settings. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PREDICTIONS = 10000 };

/* --------------------------------------------------------------------------------- parameters */

/* What each parameter of a model is to be. */
struct setting {
    size_t n;
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

/* P = {1, 2}, N = 1024 */
static enum portolan_status parse_setting(struct statement *s, const struct portolan_model *m,
                                          struct setting *set)
{
    do {
        const struct token at = s->now;
        const char *name, *known[PORTOLAN_MODEL_MAX_PARAMS];
        size_t p;
        enum portolan_status status = llac_parse_name(s, "a parameter", &name);

        if (status != PORTOLAN_OK)
            return status;
        for (size_t i = 0; i < portolan_model_n_params(m); i++)
            known[i] = portolan_model_peek_param(m, i);
        if ((p = llac_find_param(m, name)) == NONE)
            return llac_fail(s, &at, "the model has no parameter '%s'%s", name,
                             llac_suggest(s, name, known, portolan_model_n_params(m), ""));
        if (set->count[p])
            return llac_fail(s, &at, "'%s' is said twice; `%s = {1, 2}` gives it several values",
                             name, name);
        if (!llac_accept(s, "="))
            return llac_fail(s, &s->now, "'=' and the value of '%s' are wanted here", name);
        if ((status = llac_parse_numbers(s, &set->values[p], &set->count[p])) != PORTOLAN_OK)
            return status;
    } while (llac_accept(s, ","));
    return PORTOLAN_OK;
}

/* The value of a parameter that nothing was said of: a variable's, or the only one measured. */
static bool usual_value(struct statement *s, const struct portolan_model *m, size_t p,
                        double *value)
{
    const struct portolan_model_range *r = portolan_model_peek_range(m, p);

    if (llac_variable(s->in, portolan_model_peek_param(m, p), value))
        return true;
    *value = r->min;
    return r->min == r->max;
}

static enum portolan_status complete_setting(struct statement *s, const struct token *at,
                                             const struct portolan_model *m, struct setting *set)
{
    for (size_t p = 0; p < portolan_model_n_params(m); p++) {
        double *value = portolan_arena_alloc(s->arena, 1, sizeof *value);

        if (set->count[p])
            continue;
        if (!value)
            return llac_no_memory(s);
        if (!usual_value(s, m, p, value)) {
            const char *name = portolan_model_peek_param(m, p);

            return llac_fail(s, at,
                             "the model also depends on '%s'; say `at %s = VALUE`, or set "
                             "the variable: `%s = VALUE`",
                             name, name, name);
        }
        set->values[p] = value;
        set->count[p] = 1;
    }
    return PORTOLAN_OK;
}

/* ---------------------------------------------------------------------------------- predicting */

struct predictions {
    struct grid grid;
    struct table *table;
    const struct fitted *model;
    size_t n_params;
};

static enum portolan_status begin_predictions(struct statement *s, const struct fitted *f,
                                              struct predictions *p)
{
    static const char *const columns[] = {"LOW", "HIGH"};
    double confidence = portolan_model_peek_summary(f->model)->confidence;
    const char *observable = f->observable ? f->observable : "VALUE";
    bool good;

    *p = (struct predictions){.model = f, .n_params = portolan_model_n_params(f->model)};
    p->grid = (struct grid){.arena = s->arena, .n_columns = p->n_params + 4};
    if (p->n_params + 3 < 32)
        p->grid.left = 1u << (p->n_params + 3);
    good = (p->table = llac_table_create("prediction"));
    for (size_t i = 0; good && i < p->n_params; i++) {
        const char *name = portolan_model_peek_param(f->model, i);

        good = llac_table_add_column(p->table, name, COLUMN_IDENTIFIER, NULL);
        llac_grid_add(&p->grid, "%s", name);
    }
    good = good && llac_table_add_column(p->table, observable, COLUMN_OBSERVABLE, f->unit);
    for (size_t i = 0; good && i < 2; i++)
        good = llac_table_add_column(p->table, columns[i], COLUMN_OBSERVABLE, f->unit);
    llac_grid_add(&p->grid, "%s%s", observable, llac_unit(s, f->unit));
    llac_grid_add(&p->grid, "from");
    llac_grid_add(&p->grid, "to, at %g %%", 100 * (confidence > 0 ? confidence : 0.95));
    llac_grid_add(&p->grid, "%s", "");
    return good ? PORTOLAN_OK : llac_no_memory(s);
}

static enum portolan_status add_prediction(struct statement *s, struct predictions *p,
                                           const double *x)
{
    double *row = llac_table_add_row(p->table);
    struct portolan_prediction value;

    if (!row)
        return llac_no_memory(s);
    for (size_t i = 0; i < p->n_params; i++) {
        row[i] = x[i];
        llac_grid_add(&p->grid, "%.10g", x[i]);
    }
    if (portolan_model_predict(p->model->model, x, &value) != PORTOLAN_OK) {
        for (int i = 0; i < 3; i++)
            llac_grid_add(&p->grid, "%s", "");
        llac_grid_add(&p->grid, "! the model has no value here");
        return PORTOLAN_OK;
    }
    row[p->n_params] = value.value;
    row[p->n_params + 1] = value.low;
    row[p->n_params + 2] = value.high;
    for (size_t i = p->n_params; i < p->n_params + 3; i++)
        llac_grid_number(&p->grid, row[i]);
    llac_grid_add(&p->grid, "%s", llac_outside(s, p->model->model, x, &value));
    return PORTOLAN_OK;
}

/* All combinations of the values; the last parameter changes fastest. */
static enum portolan_status predict_settings(struct statement *s, const struct token *at,
                                             struct predictions *p, const struct setting *set)
{
    size_t total = 1;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < p->n_params; i++)
        if ((total *= set->count[i]) > MAX_PREDICTIONS)
            return llac_fail(s, at, "these are more than %d combinations", MAX_PREDICTIONS);
    for (size_t k = 0; status == PORTOLAN_OK && k < total; k++) {
        double x[PORTOLAN_MODEL_MAX_PARAMS];
        size_t rest = k;

        for (size_t i = p->n_params; i-- > 0; rest /= set->count[i])
            x[i] = set->values[i][rest % set->count[i]];
        status = add_prediction(s, p, x);
    }
    return status;
}

enum portolan_status llac_place_params(struct statement *s, const struct token *at,
                                       const struct portolan_model *m, const struct table *t,
                                       size_t *columns, double *values)
{
    for (size_t p = 0; p < portolan_model_n_params(m); p++) {
        const char *name = portolan_model_peek_param(m, p);

        columns[p] = t ? llac_table_find(t, name) : NONE;
        if (columns[p] == NONE && !usual_value(s, m, p, &values[p]))
            return llac_fail(s, at,
                             "the model depends on '%s', which is %s; a variable of that name "
                             "would serve",
                             name, t ? "no column here" : "not set");
    }
    return PORTOLAN_OK;
}

enum portolan_status llac_model_points(struct statement *s, const struct token *at,
                                       const struct portolan_model *m, const struct table *t,
                                       size_t observable, enum portolan_model_statistic what,
                                       struct points *p, double **x)
{
    size_t columns[PORTOLAN_MODEL_MAX_PARAMS], by[PORTOLAN_MODEL_MAX_PARAMS];
    size_t n_params = portolan_model_n_params(m), n_by = 0;
    double values[PORTOLAN_MODEL_MAX_PARAMS];
    enum portolan_status status = llac_place_params(s, at, m, t, columns, values);

    for (size_t i = 0; status == PORTOLAN_OK && i < n_params; i++)
        if (columns[i] != NONE)
            by[n_by++] = columns[i];
    if (status == PORTOLAN_OK)
        status = llac_points(s, t, by, n_by, observable, what, p);
    if (status != PORTOLAN_OK)
        return status;
    if (!(*x = portolan_arena_alloc(s->arena, p->n * (n_params ? n_params : 1), sizeof **x)))
        return llac_no_memory(s);
    for (size_t i = 0; i < p->n; i++) {
        size_t k = 0;

        for (size_t j = 0; j < n_params; j++)
            (*x)[i * n_params + j] = columns[j] == NONE ? values[j] : p->x[i * n_by + k++];
    }
    return PORTOLAN_OK;
}

/* predict MODEL on TABLE */
static enum portolan_status predict_table(struct statement *s, struct predictions *p)
{
    const struct token at = s->now;
    struct points points;
    struct table *t;
    double *x;
    enum portolan_status status = llac_parse_table(s, &t);

    if (status == PORTOLAN_OK)
        status = llac_parse_end(s);
    if (status == PORTOLAN_OK)
        status =
            llac_model_points(s, &at, p->model->model, t, 0, PORTOLAN_MODEL_MEDIAN, &points, &x);
    for (size_t i = 0; status == PORTOLAN_OK && i < points.n; i++)
        status = add_prediction(s, p, x + i * p->n_params);
    llac_table_destroy(t);
    return status;
}

enum portolan_status do_predict(struct statement *s, const char *name)
{
    struct token at = s->now;
    struct setting set = {0};
    struct predictions p = {0};
    const struct fitted *f;
    struct object o = {.kind = OBJECT_TABLE};
    enum portolan_status status = llac_parse_model(s, &f);

    if (status != PORTOLAN_OK || (status = begin_predictions(s, f, &p)) != PORTOLAN_OK)
        goto out;
    if (llac_accept(s, "on")) {
        status = predict_table(s, &p);
    } else {
        if (llac_accept(s, "at"))
            status = parse_setting(s, f->model, &set);
        if (status == PORTOLAN_OK)
            status = llac_parse_end(s);
        if (status == PORTOLAN_OK)
            status = complete_setting(s, &at, f->model, &set);
        if (status == PORTOLAN_OK)
            status = predict_settings(s, &at, &p, &set);
    }
    if (status == PORTOLAN_OK)
        llac_grid_write(&p.grid, &s->in->out);
    if (status == PORTOLAN_OK && name) {
        o.table = p.table;
        if ((status = llac_put(s->in, name, &o)) == PORTOLAN_OK)
            p.table = NULL;
    }
out:
    llac_table_destroy(p.table);
    return status;
}
