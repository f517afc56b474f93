/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of measurements. */
#include "internal.h"

#include <math.h>
#include <string.h>

struct table *llac_table_create(struct portolan_arena *arena, const char *experiment)
{
    struct table *t = portolan_arena_alloc(arena, 1, sizeof *t);

    t->arena = arena;
    t->experiment = llac_table_keep(t, experiment);
    return t;
}

const char *llac_table_keep(struct table *t, const char *text)
{
    return text ? portolan_arena_strdup(t->arena, text) : NULL;
}

unsigned *llac_table_keep_lines(struct table *t, const unsigned *lines, size_t n)
{
    unsigned *copy = portolan_arena_alloc(t->arena, n, sizeof *copy);

    if (n)
        memcpy(copy, lines, n * sizeof *copy);
    return copy;
}

struct table *llac_table_project(struct portolan_arena *arena, const struct table *t,
                                 const size_t *columns, size_t n)
{
    struct table *copy = llac_table_create(arena, t->experiment);

    copy->source = llac_table_keep(copy, t->source);
    copy->file = llac_table_keep(copy, t->file);
    copy->formula = llac_table_keep(copy, t->formula);
    copy->program = llac_table_keep(copy, t->program);
    copy->n_begin = t->n_begin;
    copy->n_end = t->n_end;
    copy->begin_lines = llac_table_keep_lines(copy, t->begin_lines, t->n_begin);
    copy->end_lines = llac_table_keep_lines(copy, t->end_lines, t->n_end);
    for (size_t i = 0; i < n; i++) {
        const struct column *c = &t->columns[columns[i]];

        llac_table_add_column(copy, c->name, c->kind, c->unit);
    }
    for (size_t i = 0; i < t->n_rows; i++) {
        double *row = llac_table_add_row(copy);

        for (size_t k = 0; k < n; k++)
            row[k] = llac_table_row(t, i)[columns[k]];
    }
    return copy;
}

struct table *llac_table_copy(struct portolan_arena *arena, const struct table *t, bool with_rows)
{
    size_t *all = portolan_arena_alloc(arena, t->n_columns, sizeof *all);
    struct table head = *t;

    for (size_t i = 0; i < t->n_columns; i++)
        all[i] = i;
    head.n_rows = with_rows ? t->n_rows : 0;
    return llac_table_project(arena, &head, all, t->n_columns);
}

void llac_table_add_column(struct table *t, const char *name, enum column_kind kind,
                           const char *unit)
{
    t->columns = portolan_arena_grow(t->arena, t->columns, t->n_columns, sizeof *t->columns);
    t->columns[t->n_columns++] = (struct column){
        .name = llac_table_keep(t, name), .unit = llac_table_keep(t, unit), .kind = kind};
}

double *llac_table_add_row(struct table *t)
{
    double *row;

    t->cells = portolan_arena_grow(t->arena, t->cells, t->n_rows, t->n_columns * sizeof *t->cells);
    row = llac_table_row(t, t->n_rows++);
    for (size_t i = 0; i < t->n_columns; i++)
        row[i] = NAN;
    return row;
}

double *llac_table_row(const struct table *t, size_t row)
{
    return t->cells + row * t->n_columns;
}

size_t llac_table_find(const struct table *t, const char *column)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (!strcmp(t->columns[i].name, column))
            return i;
    return NONE;
}

size_t llac_table_observable(const struct table *t)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].kind == COLUMN_OBSERVABLE)
            return i;
    return NONE;
}

bool llac_table_span(const struct table *t, size_t column, double *min, double *max)
{
    bool any = false;

    for (size_t i = 0; i < t->n_rows; i++) {
        double value = llac_table_row(t, i)[column];

        if (isnan(value))
            continue;
        *min = any ? fmin(*min, value) : value;
        *max = any ? fmax(*max, value) : value;
        any = true;
    }
    return any;
}

bool llac_table_varies(const struct table *t, size_t column)
{
    double min, max;

    return llac_table_span(t, column, &min, &max) && min < max;
}

bool llac_table_tells(const struct table *t, size_t column)
{
    return strcmp(t->columns[column].name, "RUN") != 0 || t->n_columns == 1 ||
           llac_table_varies(t, column);
}
