/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows in order, and many of them as one. */
#include "internal.h"

#include <portolan/stats.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In what order: columns, then as they are. */
struct order {
    const struct table *t;
    const size_t *columns;
    size_t n;
    const size_t *occurrence; /* compared behind the columns; or NULL */
};

static int compare_keys(const struct order *o, size_t a, size_t b)
{
    for (size_t i = 0; i < o->n; i++) {
        double x = llac_table_row(o->t, a)[o->columns[i]];
        double y = llac_table_row(o->t, b)[o->columns[i]];

        if (isnan(x) || isnan(y)) {
            if (isnan(x) != isnan(y))
                return isnan(x) ? 1 : -1;
        } else if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    if (o->occurrence && o->occurrence[a] != o->occurrence[b])
        return o->occurrence[a] < o->occurrence[b] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *a, const void *b, void *order)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int c = compare_keys(order, x, y);

    return c ? c : x < y ? -1 : x > y;
}

static size_t *sorted(struct statement *s, const struct order *o)
{
    size_t *rows = portolan_arena_alloc(s->arena, o->t->n_rows, sizeof *rows);

    for (size_t i = 0; rows && i < o->t->n_rows; i++)
        rows[i] = i;
    if (rows)
        qsort_r(rows, o->t->n_rows, sizeof *rows, compare_rows, (void *)o);
    return rows;
}

/* sort COLUMNS */
enum portolan_status llac_sort(struct statement *s, struct table **t)
{
    size_t *columns = NULL, n = 0, *rows;
    struct table *new;
    enum portolan_status status;

    do {
        columns = portolan_arena_grow(s->arena, columns, n, sizeof *columns);
        if (!columns)
            return llac_no_memory(s);
        if ((status = llac_parse_column(s, *t, &columns[n++])) != PORTOLAN_OK)
            return status;
    } while (llac_accept(s, ","));
    rows = sorted(s, &(struct order){.t = *t, .columns = columns, .n = n});
    new = rows ? llac_table_copy(*t, true) : NULL;
    for (size_t i = 0; new &&i < new->n_rows; i++)
        memcpy(llac_table_row(new, i), llac_table_row(*t, rows[i]),
               new->n_columns * sizeof *new->cells);
    return llac_table_replace(s, t, new);
}

/* -------------------------------------------------------------------------------------- over */

/* As `over` knows them; a sum stands for no point. */
static const struct {
    const char *name;
    int statistic;
} statistics[] = {{"max", PORTOLAN_MODEL_MAXIMUM},
                  {"min", PORTOLAN_MODEL_MINIMUM},
                  {"mean", PORTOLAN_MODEL_MEAN},
                  {"median", PORTOLAN_MODEL_MEDIAN},
                  {"sum", STATISTIC_SUM}};

int llac_accept_statistic(struct statement *s)
{
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        if (llac_is_next(s, "over") && llac_accept(s, statistics[i].name))
            return statistics[i].statistic;
    return STATISTIC_NONE;
}

static double reduce(int how, size_t n, double *values)
{
    double sum = 0;

    if (how != STATISTIC_SUM)
        return portolan_model_stand_in((enum portolan_model_statistic)how, n, values);
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

/* How often the row's labels and identifiers stood in rows before it. */
static size_t *count_occurrences(struct statement *s, const struct order *o)
{
    size_t *rows = sorted(s, o);
    size_t *occurrence = portolan_arena_alloc(s->arena, o->t->n_rows, sizeof *occurrence);

    for (size_t i = 1; rows && occurrence && i < o->t->n_rows; i++)
        if (compare_keys(o, rows[i - 1], rows[i]) == 0)
            occurrence[rows[i]] = occurrence[rows[i - 1]] + 1;
    return rows ? occurrence : NULL;
}

/* One row of each group: the first one's labels and identifiers, and the reduced observables. */
static enum portolan_status reduce_groups(struct statement *s, struct table **t,
                                          const struct order *o, int how, const bool *gone)
{
    size_t *rows = sorted(s, o), *columns, n = 0;
    double *values = portolan_arena_alloc(s->arena, (*t)->n_rows, sizeof *values);
    struct table *new = llac_table_copy(*t, false);
    bool good = rows && values && new;
    enum portolan_status status;

    for (size_t first = 0, last; good && first < (*t)->n_rows; first = last) {
        double *row = llac_table_add_row(new);

        for (last = first; last < (*t)->n_rows && !compare_keys(o, rows[first], rows[last]);)
            last++;
        good = row;
        for (size_t c = 0; good && c < (*t)->n_columns; c++) {
            size_t k = 0;

            for (size_t i = first; i < last; i++)
                values[k++] = llac_table_row(*t, rows[i])[c];
            row[c] =
                (*t)->columns[c].kind == COLUMN_OBSERVABLE ? reduce(how, k, values) : values[0];
        }
    }
    columns = portolan_arena_alloc(s->arena, (*t)->n_columns, sizeof *columns);
    for (size_t c = 0; columns && c < (*t)->n_columns; c++)
        if (!gone[c])
            columns[n++] = c;
    status = good && columns ? llac_table_replace(s, t, llac_table_project(new, columns, n))
                             : llac_no_memory(s);
    llac_table_destroy(new);
    return status;
}

/*
 * max over CPU: the k-th row of one processor belongs to the k-th of the others with the same
 * labels and identifiers. `over repetitions` takes these together instead.
 */
enum portolan_status llac_over(struct statement *s, struct table **t, int statistic)
{
    bool *gone = portolan_arena_alloc(s->arena, (*t)->n_columns, sizeof *gone);
    size_t *columns = portolan_arena_alloc(s->arena, (*t)->n_columns, sizeof *columns);
    struct order o = {.t = *t, .columns = columns};
    bool pools = false;
    enum portolan_status status;

    if (!gone || !columns)
        return llac_no_memory(s);
    llac_advance(s); /* over */
    for (size_t i = 0; i < (*t)->n_columns; i++)
        if ((*t)->columns[i].kind != COLUMN_OBSERVABLE)
            columns[o.n++] = i;
    do {
        size_t column;
        struct token at = s->now;

        if (llac_table_find(*t, "repetitions") == NONE && llac_accept(s, "repetitions")) {
            pools = true;
            continue;
        }
        if ((status = llac_parse_column(s, *t, &column)) != PORTOLAN_OK)
            return status;
        if ((*t)->columns[column].kind == COLUMN_OBSERVABLE)
            return llac_fail(s, &at,
                             "'%s' is what was measured; a statistic is over a column such "
                             "as CPU, or over repetitions",
                             (*t)->columns[column].name);
        gone[column] = true;
    } while (llac_accept(s, ","));
    if (!pools && !(o.occurrence = count_occurrences(s, &o)))
        return llac_no_memory(s);
    o.n = 0;
    for (size_t i = 0; i < (*t)->n_columns; i++)
        if ((*t)->columns[i].kind != COLUMN_OBSERVABLE && !gone[i])
            columns[o.n++] = i;
    return reduce_groups(s, t, &o, statistic, gone);
}

/* ------------------------------------------------------------------------------------- points */

enum portolan_status llac_points(struct statement *s, const struct table *t, const size_t *by,
                                 size_t n_by, size_t column, enum portolan_model_statistic what,
                                 struct points *p)
{
    struct order o = {.t = t, .columns = by, .n = n_by};
    size_t *rows = sorted(s, &o);
    double *values = portolan_arena_alloc(s->arena, t->n_rows, sizeof *values);

    *p = (struct points){.n_by = n_by};
    p->x = portolan_arena_alloc(s->arena, t->n_rows * (n_by ? n_by : 1), sizeof *p->x);
    p->y = portolan_arena_alloc(s->arena, t->n_rows, sizeof *p->y);
    p->first = portolan_arena_alloc(s->arena, t->n_rows, sizeof *p->first);
    p->last = portolan_arena_alloc(s->arena, t->n_rows, sizeof *p->last);
    p->rows = rows;
    if (!rows || !values || !p->x || !p->y || !p->first || !p->last)
        return llac_no_memory(s);
    for (size_t first = 0, last; first < t->n_rows; first = last) {
        size_t n = 0;

        for (last = first; last < t->n_rows && !compare_keys(&o, rows[first], rows[last]); last++) {
            double value = llac_table_row(t, rows[last])[column];

            if (!isnan(value))
                values[n++] = value;
        }
        if (!n || isnan(p->y[p->n] = portolan_model_stand_in(what, n, values)))
            continue;
        for (size_t i = 0; i < n_by; i++)
            p->x[p->n * n_by + i] = llac_table_row(t, rows[first])[by[i]];
        p->first[p->n] = first;
        p->last[p->n] = last;
        p->n++;
    }
    return PORTOLAN_OK;
}
