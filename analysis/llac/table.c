/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of measurements. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct table *llac_table_create(const char *experiment)
{
    struct table *t = portolan_calloc(1, sizeof *t);

    if (t && !(t->experiment = portolan_arena_strdup(&t->arena, experiment))) {
        llac_table_destroy(t);
        t = NULL;
    }
    return t;
}

void llac_table_destroy(struct table *t)
{
    if (!t)
        return;
    free(t->cells);
    portolan_arena_clear(&t->arena);
    free(t);
}

static const char *keep(struct table *t, const char *text)
{
    return text ? portolan_arena_strdup(&t->arena, text) : NULL;
}

static unsigned *keep_lines(struct table *t, const unsigned *lines, size_t n)
{
    unsigned *copy = portolan_arena_alloc(&t->arena, n, sizeof *copy);

    if (copy && n)
        memcpy(copy, lines, n * sizeof *copy);
    return copy;
}

/* All but columns and rows. */
static struct table *copy_head(const struct table *t)
{
    struct table *copy = llac_table_create(t->experiment);

    if (!copy)
        return NULL;
    copy->source = keep(copy, t->source);
    copy->file = keep(copy, t->file);
    copy->formula = keep(copy, t->formula);
    copy->program = keep(copy, t->program);
    copy->n_begin = t->n_begin;
    copy->n_end = t->n_end;
    copy->begin_lines = keep_lines(copy, t->begin_lines, t->n_begin);
    copy->end_lines = keep_lines(copy, t->end_lines, t->n_end);
    return copy;
}

struct table *llac_table_project(const struct table *t, const size_t *columns, size_t n)
{
    struct table *copy = copy_head(t);
    double *row = NULL;
    bool good = copy != NULL;

    for (size_t i = 0; good && i < n; i++) {
        const struct column *c = &t->columns[columns[i]];

        good = llac_table_add_column(copy, c->name, c->kind, c->unit);
    }
    for (size_t i = 0; good && i < t->n_rows; i++) {
        good = (row = llac_table_add_row(copy));
        for (size_t k = 0; good && k < n; k++)
            row[k] = llac_table_row(t, i)[columns[k]];
    }
    if (!good || copy->arena.failed) {
        llac_table_destroy(copy);
        return NULL;
    }
    return copy;
}

struct table *llac_table_copy(const struct table *t, bool with_rows)
{
    size_t *all = portolan_calloc(t->n_columns ? t->n_columns : 1, sizeof *all);
    struct table head = *t, *copy;

    if (!all)
        return NULL;
    for (size_t i = 0; i < t->n_columns; i++)
        all[i] = i;
    head.n_rows = with_rows ? t->n_rows : 0;
    copy = llac_table_project(&head, all, t->n_columns);
    free(all);
    return copy;
}

bool llac_table_add_column(struct table *t, const char *name, enum column_kind kind,
                           const char *unit)
{
    struct column *grown =
        portolan_arena_grow(&t->arena, t->columns, t->n_columns, sizeof *t->columns);

    if (!grown)
        return false;
    t->columns = grown;
    t->columns[t->n_columns++] =
        (struct column){.name = keep(t, name), .unit = keep(t, unit), .kind = kind};
    return !t->arena.failed;
}

double *llac_table_add_row(struct table *t)
{
    double *row;

    if (t->n_rows == t->room) {
        size_t room = t->room ? 2 * t->room : 16;
        double *grown = portolan_reallocarray(t->cells, room,
                                              (t->n_columns ? t->n_columns : 1) * sizeof *t->cells);

        if (!grown)
            return NULL;
        t->cells = grown;
        t->room = room;
    }
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

bool llac_table_tells(const struct table *t, size_t column)
{
    double min, max;

    return strcmp(t->columns[column].name, "RUN") != 0 || t->n_columns == 1 ||
           (llac_table_span(t, column, &min, &max) && min < max);
}
