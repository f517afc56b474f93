/* SPDX-License-Identifier: BSD-3-Clause */
/* show, rows, summary: what there is. */
#include "internal.h"

#include <portolan/stats.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_SHOWN = 40 };

static const char *kind_name(enum column_kind kind)
{
    static const char *const names[] = {"label", "identifier", "observable"};

    return names[kind];
}

static size_t count_values(struct statement *s, const struct table *t, size_t column)
{
    struct points p;

    if (llac_points(s, t, &column, 1, column, PORTOLAN_MODEL_MEDIAN, &p) != PORTOLAN_OK)
        return 0;
    return p.n;
}

static void add_lines(struct portolan_text *out, const struct table *t)
{
    for (size_t i = 0; i < t->n_begin; i++)
        portolan_text_add(out, "%s%u", i ? ", " : ":", t->begin_lines[i]);
}

/* What a table holds, column by column. */
static void show_table(struct statement *s, const char *name, const struct table *t)
{
    struct portolan_text *out = &s->in->out;
    struct grid g = {.arena = s->arena, .n_columns = 7, .left = 7};

    portolan_text_add(out, "table %s: %zu row%s", name ? name : t->experiment, t->n_rows,
                      t->n_rows == 1 ? "" : "s");
    if (name && strcmp(name, t->experiment) != 0)
        portolan_text_add(out, " of %s", t->experiment);
    if (t->file) {
        portolan_text_add(out, ", %s", t->file);
        add_lines(out, t);
    }
    if (t->source)
        portolan_text_add(out, ", from %s", t->source);
    portolan_text_add(out, "\n");
    if (t->formula)
        portolan_text_add(out, "  formula %s\n", t->formula);
    for (const char *const *head =
             (const char *const[]){"  column", "unit", "", "values", "min", "median", "max", NULL};
         *head; head++)
        llac_grid_add(&g, "%s", *head);
    for (size_t i = 0; i < t->n_columns; i++) {
        double min = NAN, max = NAN, *values;
        size_t n = 0;

        values = portolan_arena_alloc(s->arena, t->n_rows, sizeof *values);
        llac_table_span(t, i, &min, &max);
        for (size_t k = 0; values && k < t->n_rows; k++)
            if (!isnan(llac_table_row(t, k)[i]))
                values[n++] = llac_table_row(t, k)[i];
        llac_grid_add(&g, "  %s", t->columns[i].name);
        llac_grid_add(&g, "%s", t->columns[i].unit ? t->columns[i].unit : "");
        llac_grid_add(&g, "%s", kind_name(t->columns[i].kind));
        llac_grid_add(&g, "%zu", t->n_rows ? count_values(s, t, i) : 0);
        llac_grid_number(&g, min);
        llac_grid_number(&g, values ? portolan_sort_to_median(n, values) : NAN);
        llac_grid_number(&g, max);
    }
    llac_grid_write(&g, out);
}

enum portolan_status llac_show_object(struct statement *s, const struct object *o)
{
    switch (o->kind) {
    case OBJECT_NUMBER:
        portolan_text_add(&s->in->out, "%s = %.17g\n", o->name, o->number);
        break;
    case OBJECT_TABLE:
        show_table(s, o->name, o->table);
        break;
    case OBJECT_MODEL:
        llac_show_model(s, o->name, o->model);
        break;
    }
    return PORTOLAN_OK;
}

static void list_objects(struct statement *s)
{
    struct grid g = {.arena = s->arena, .n_columns = 3, .left = 7};

    for (size_t i = 0; i < s->in->n_objects; i++) {
        const struct object *o = &s->in->objects[i];

        llac_grid_add(&g, "%s", o->name);
        if (o->kind == OBJECT_NUMBER) {
            llac_grid_add(&g, "number");
            llac_grid_add(&g, "%.10g", o->number);
        } else if (o->kind == OBJECT_TABLE) {
            llac_grid_add(&g, "table");
            llac_grid_add(&g, "%zu row%s%s%s", o->table->n_rows, o->table->n_rows == 1 ? "" : "s",
                          o->table->formula ? ", " : "",
                          o->table->formula ? o->table->formula : "");
        } else {
            llac_grid_add(&g, "model");
            llac_grid_add(&g, "%s", portolan_model_peek_formula(o->model->model));
        }
    }
    if (s->in->n_objects)
        llac_grid_write(&g, &s->in->out);
    else
        portolan_text_add(&s->in->out, "nothing is loaded yet; `load FILE` reads reports\n");
}

/* A table as it is worked out here, with the name it is known by if that is all. */
static enum portolan_status show_expression(struct statement *s)
{
    const char *name = llac_text(s, &s->now);
    struct statement look = *s;
    struct table *t;
    enum portolan_status status;

    llac_advance(&look);
    status = llac_parse_table(s, &t);
    if (status == PORTOLAN_OK && (status = llac_parse_end(s)) == PORTOLAN_OK)
        show_table(s, look.now.kind == TOKEN_END ? name : NULL, t);
    llac_table_destroy(t);
    return status;
}

enum portolan_status do_show(struct statement *s, const char *name)
{
    const struct object *o;

    (void)name;
    if (s->now.kind == TOKEN_END) {
        list_objects(s);
        return PORTOLAN_OK;
    }
    o = s->now.kind == TOKEN_NAME ? llac_find(s->in, llac_text(s, &s->now)) : NULL;
    if (!o || o->kind == OBJECT_TABLE)
        return show_expression(s);
    llac_advance(s);
    return llac_parse_end(s) == PORTOLAN_OK ? llac_show_object(s, o) : PORTOLAN_ESYNTAX;
}

/* --------------------------------------------------------------------------------------- rows */

/* The head of a table of T's columns. */
static void add_heads(struct grid *g, const struct table *t)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        if (!llac_table_tells(t, i))
            continue;
        g->n_columns++;
        if (t->columns[i].unit)
            llac_grid_add(g, "%s (%s)", t->columns[i].name, t->columns[i].unit);
        else
            llac_grid_add(g, "%s", t->columns[i].name);
    }
}

enum portolan_status do_rows(struct statement *s, const char *name)
{
    struct grid g = {.arena = s->arena};
    double limit = ROWS_SHOWN;
    struct table *t;
    enum portolan_status status;

    (void)name;
    if (llac_accept(s, "all"))
        limit = INFINITY;
    if ((status = llac_parse_table(s, &t)) != PORTOLAN_OK)
        return status;
    if (s->now.kind == TOKEN_NUMBER)
        status = llac_parse_number(s, &limit);
    if (status == PORTOLAN_OK)
        status = llac_parse_end(s);
    if (status == PORTOLAN_OK) {
        add_heads(&g, t);
        for (size_t i = 0; i < t->n_rows && (double)i < limit; i++)
            for (size_t c = 0; c < t->n_columns; c++)
                if (llac_table_tells(t, c))
                    llac_grid_number(&g, llac_table_row(t, i)[c]);
        llac_grid_write(&g, &s->in->out);
        if ((double)t->n_rows > limit)
            portolan_text_add(&s->in->out, "… %zu rows in all; `rows all TABLE` shows them\n",
                              t->n_rows);
    }
    llac_table_destroy(t);
    return status;
}

/* ------------------------------------------------------------------------------------ summary */

/* Identifiers and labels that have several values; all but RUN and CPU. */
static size_t choose_keys(const struct table *t, size_t *keys)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_columns; i++) {
        double min, max;

        if (t->columns[i].kind == COLUMN_OBSERVABLE || !strcmp(t->columns[i].name, "RUN") ||
            !strcmp(t->columns[i].name, "CPU"))
            continue;
        if (llac_table_span(t, i, &min, &max) && min < max)
            keys[n++] = i;
    }
    return n;
}

/* Statistics of one observable at one point; VALUES has room for all rows. */
static void add_statistics(struct grid *g, const struct table *t, const struct points *p,
                           size_t point, size_t column, double *values)
{
    static const enum portolan_model_statistic shown[] = {
        PORTOLAN_MODEL_MINIMUM, PORTOLAN_MODEL_MEDIAN, PORTOLAN_MODEL_MEAN, PORTOLAN_MODEL_MAXIMUM,
        PORTOLAN_MODEL_DEVIATION};
    size_t n = 0;

    for (size_t i = p->first[point]; i < p->last[point]; i++) {
        double value = llac_table_row(t, p->rows[i])[column];

        if (!isnan(value))
            values[n++] = value;
    }
    llac_grid_add(g, "%zu", n);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        llac_grid_number(g, portolan_model_stand_in(shown[i], n, values));
}

static enum portolan_status summarise(struct statement *s, const struct table *t,
                                      const size_t *keys, size_t n_keys)
{
    static const char *const heads[] = {"n", "min", "median", "mean", "max", "deviation"};

    double *values = portolan_arena_alloc(s->arena, t->n_rows, sizeof *values);

    if (!values)
        return llac_no_memory(s);
    for (size_t c = 0; c < t->n_columns; c++) {
        struct grid g = {.arena = s->arena, .n_columns = n_keys + 6};
        struct points p;

        if (t->columns[c].kind != COLUMN_OBSERVABLE)
            continue;
        if (llac_points(s, t, keys, n_keys, c, PORTOLAN_MODEL_MEDIAN, &p) != PORTOLAN_OK)
            return PORTOLAN_ENOMEM;
        portolan_text_add(&s->in->out, "%s%s\n", t->columns[c].name,
                          llac_unit(s, t->columns[c].unit));
        for (size_t k = 0; k < n_keys; k++)
            llac_grid_add(&g, "%s", t->columns[keys[k]].name);
        for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
            llac_grid_add(&g, "%s", heads[k]);
        for (size_t i = 0; i < p.n; i++) {
            for (size_t k = 0; k < n_keys; k++)
                llac_grid_number(&g, p.x[i * n_keys + k]);
            add_statistics(&g, t, &p, i, c, values);
        }
        llac_grid_write(&g, &s->in->out);
    }
    return PORTOLAN_OK;
}

enum portolan_status do_summary(struct statement *s, const char *name)
{
    size_t *keys, n = 0;
    struct table *t;
    enum portolan_status status = llac_parse_table(s, &t);

    (void)name;
    if (status != PORTOLAN_OK)
        return status;
    keys = portolan_arena_alloc(s->arena, t->n_columns, sizeof *keys);
    if (!keys) {
        status = llac_no_memory(s);
    } else if (llac_accept(s, "by")) {
        do
            status = n < t->n_columns ? llac_parse_column(s, t, &keys[n++]) : PORTOLAN_EINVAL;
        while (status == PORTOLAN_OK && llac_accept(s, ","));
    } else {
        n = choose_keys(t, keys);
    }
    if (status == PORTOLAN_OK)
        status = llac_parse_end(s);
    if (status == PORTOLAN_OK)
        status = summarise(s, t, keys, n);
    llac_table_destroy(t);
    return status;
}
