/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of tables in order, in groups of equal ones, and as points. */
#include "tables.h"

#include <math.h>
#include <stdlib.h>

static int compare_keys(const struct order *o, size_t a, size_t b)
{
    for (size_t i = 0; i < o->n; i++) {
        double x = table_row(o->t, a)[o->columns[i]];
        double y = table_row(o->t, b)[o->columns[i]];

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

size_t *order_rows(struct statement *s, const struct order *o)
{
    size_t *rows = statement_alloc(s, o->t->n_rows, sizeof *rows);

    for (size_t i = 0; i < o->t->n_rows; i++)
        rows[i] = i;
    qsort_r(rows, o->t->n_rows, sizeof *rows, compare_rows, (void *)o);
    return rows;
}

size_t order_group_end(const struct order *o, const size_t *rows, size_t first)
{
    size_t last = first;

    while (last < o->t->n_rows && !compare_keys(o, rows[first], rows[last]))
        last++;
    return last;
}

struct points table_points(struct statement *s, const struct table *t, const size_t *by,
                           size_t n_by, size_t column, enum portolan_model_statistic what)
{
    struct order o = {.t = t, .columns = by, .n = n_by};
    size_t *rows = order_rows(s, &o);
    double *values = statement_alloc(s, t->n_rows, sizeof *values);
    struct points p = {.n_by = n_by,
                       .x = statement_alloc(s, t->n_rows, (n_by + 1) * sizeof *p.x),
                       .y = statement_alloc(s, t->n_rows, sizeof *p.y),
                       .rows = rows,
                       .first = statement_alloc(s, t->n_rows, sizeof *p.first),
                       .last = statement_alloc(s, t->n_rows, sizeof *p.last)};

    for (size_t first = 0, last; first < t->n_rows; first = last) {
        size_t n;

        last = order_group_end(&o, rows, first);
        n = table_values(t, column, rows + first, last - first, values);
        if (!n || isnan(p.y[p.n] = portolan_model_stand_in(what, n, values)))
            continue;
        for (size_t i = 0; i < n_by; i++)
            p.x[p.n * n_by + i] = table_row(t, rows[first])[by[i]];
        p.first[p.n] = first;
        p.last[p.n] = last;
        p.n++;
    }
    return p;
}
