/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of measurements. */
#include "tables.h"

#include <math.h>
#include <string.h>

struct table *table_create(struct portolan_arena *arena, const char *experiment)
{
    struct table *t = portolan_arena_alloc(arena, 1, sizeof *t);

    t->arena = arena;
    t->experiment = experiment;
    return t;
}

static const char *copy_text(struct portolan_arena *arena, const char *text)
{
    return text ? portolan_arena_strdup(arena, text) : NULL;
}

static unsigned *copy_lines(struct portolan_arena *arena, const unsigned *lines, size_t n)
{
    unsigned *copy = portolan_arena_alloc(arena, n, sizeof *copy);

    if (n)
        memcpy(copy, lines, n * sizeof *copy);
    return copy;
}

struct table *table_project(struct portolan_arena *arena, const struct table *t,
                            const size_t *columns, size_t n)
{
    struct table *copy = table_create(arena, NULL);

    *copy = (struct table){.arena = arena,
                           .experiment = copy_text(arena, t->experiment),
                           .source = copy_text(arena, t->source),
                           .file = copy_text(arena, t->file),
                           .formula = copy_text(arena, t->formula),
                           .program = copy_text(arena, t->program),
                           .n_begin = t->n_begin,
                           .n_end = t->n_end,
                           .begin_lines = copy_lines(arena, t->begin_lines, t->n_begin),
                           .end_lines = copy_lines(arena, t->end_lines, t->n_end),
                           .n_rows = t->n_rows,
                           .room = t->n_rows};
    copy->cells = portolan_arena_alloc(arena, t->n_rows, n * sizeof *copy->cells);
    for (size_t k = 0; k < n; k++) {
        const struct column *c = &t->columns[columns[k]];

        table_add_column(copy, c->name, c->kind, c->unit);
    }
    for (size_t i = 0; i < t->n_rows; i++)
        for (size_t k = 0; k < n; k++)
            table_row(copy, i)[k] = table_row(t, i)[columns[k]];
    return copy;
}

struct table *table_copy(struct portolan_arena *arena, const struct table *t, bool with_rows)
{
    size_t *all = portolan_arena_alloc(arena, t->n_columns, sizeof *all);
    struct table head = *t;

    for (size_t i = 0; i < t->n_columns; i++)
        all[i] = i;
    head.n_rows = with_rows ? t->n_rows : 0;
    return table_project(arena, &head, all, t->n_columns);
}

struct table *table_pick(struct portolan_arena *arena, const struct table *t, const size_t *rows,
                         size_t n)
{
    struct table *picked = table_copy(arena, t, false);

    for (size_t i = 0; i < n; i++)
        memcpy(table_add_row(picked), table_row(t, rows[i]), t->n_columns * sizeof *t->cells);
    return picked;
}

void table_add_column(struct table *t, const char *name, enum column_kind kind, const char *unit)
{
    struct column *old = t->n_columns ? t->columns : NULL;

    t->columns = portolan_arena_grow(t->arena, old, t->n_columns, sizeof *t->columns);
    t->columns[t->n_columns++] = (struct column){
        .name = copy_text(t->arena, name), .unit = copy_text(t->arena, unit), .kind = kind};
}

size_t table_put_column(struct table *t, const char *name, enum column_kind kind, const char *unit)
{
    size_t column = table_find(t, name);

    if (column != NONE)
        return column;
    table_add_column(t, name, kind, unit);
    return t->n_columns - 1;
}

double *table_add_row(struct table *t)
{
    double *row, *old = t->cells;

    if (t->n_rows == t->room) {
        t->room = t->room ? 2 * t->room : 16;
        t->cells = portolan_arena_alloc(t->arena, t->room, t->n_columns * sizeof *t->cells);
        if (t->n_rows)
            memcpy(t->cells, old, t->n_rows * t->n_columns * sizeof *old);
    }
    row = table_row(t, t->n_rows++);
    for (size_t i = 0; i < t->n_columns; i++)
        row[i] = NAN;
    return row;
}

double *table_row(const struct table *t, size_t row)
{
    return t->cells + row * t->n_columns;
}

size_t table_find(const struct table *t, const char *column)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (!strcmp(t->columns[i].name, column))
            return i;
    return NONE;
}

size_t table_observable(const struct table *t, const char *wanted)
{
    size_t column = wanted ? table_find(t, wanted) : NONE;

    if (column != NONE)
        return column;
    for (size_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].kind == COLUMN_OBSERVABLE)
            return i;
    return NONE;
}

bool table_span(const struct table *t, size_t column, double *min, double *max)
{
    bool any = false;

    for (size_t i = 0; i < t->n_rows; i++) {
        double value = table_row(t, i)[column];

        if (isnan(value))
            continue;
        *min = any ? fmin(*min, value) : value;
        *max = any ? fmax(*max, value) : value;
        any = true;
    }
    return any;
}

size_t table_values(const struct table *t, size_t column, const size_t *rows, size_t n,
                    double *values)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        double value = table_row(t, rows ? rows[i] : i)[column];

        if (!isnan(value))
            values[kept++] = value;
    }
    return kept;
}

bool table_varies(const struct table *t, size_t column)
{
    double min, max;

    return table_span(t, column, &min, &max) && min < max;
}
