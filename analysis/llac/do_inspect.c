/* SPDX-License-Identifier: BSD-3-Clause */
/* inspect: finds evidence that rows are not independent repetitions. */
#include "internal.h"

#include <math.h>
#include <string.h>

enum { FEWEST_ROWS = 5 };

struct inspection {
    struct statement *s;
    struct token at;
    const struct table *table;
    size_t column;
    size_t n_keys, *keys;
    double *y, *expected; /* a series */
    size_t points;        /* inspected */
};

static const char *describe_series(struct inspection *in, const struct portolan_series_report *r,
                                   bool has_expected)
{
    struct portolan_text out = {.arena = &in->s->arena};
    const char *found[SERIES_FINDINGS];

    series_findings(&in->s->arena, r, has_expected ? " times the model" : "", found);
    for (size_t i = 0; i < SERIES_FINDINGS; i++)
        if (found[i])
            portolan_text_add(&out, "%s%s", out.length ? "; " : "", found[i]);
    return out.length ? out.bytes : "nothing";
}

static void inspect_series(struct inspection *in, size_t n, bool has_expected, struct grid *g)
{
    struct portolan_series_report r;

    statement_check(
        in->s, &in->at,
        portolan_series_inspect(n, in->y, has_expected ? in->expected : NULL, &r, &in->s->err));
    in->points++;
    grid_format(g, "%zu", n);
    llac_grid_number(g, r.place);
    grid_format(g, "%.3g", 100 * r.spread);
    grid_text(g, describe_series(in, &r, has_expected));
}

static struct grid begin_grid(struct inspection *in, const char *place)
{
    const char *const heads[] = {"n", place, "spread %", "found"};
    struct grid g = llac_grid_of(in->s, in->n_keys + 4);

    for (size_t k = 0; k < in->n_keys; k++)
        grid_text(&g, in->table->columns[in->keys[k]].name);
    llac_grid_add_texts(&g, heads, sizeof heads / sizeof *heads);
    return g;
}

/* The rows of one point, in the order of the table. */
static size_t take_point(struct inspection *in, const struct points *p, size_t point)
{
    size_t n = 0;

    for (size_t i = p->first[point]; i < p->last[point]; i++) {
        in->y[n] = table_row(in->table, p->rows[i])[in->column];
        n += isfinite(in->y[n]);
    }
    return n;
}

/* A series has one point and one processor; rows of several runs follow each other. */
static void inspect_points(struct inspection *in)
{
    struct portolan_text *out = &in->s->in->out;
    struct points p;
    struct grid g;
    size_t few = 0;

    in->n_keys = llac_choose_keys(in->table, "STEP", in->keys);
    p = table_points(in->s, in->table, in->keys, in->n_keys, in->column, PORTOLAN_MODEL_MEDIAN);
    g = begin_grid(in, "median");
    for (size_t i = 0; i < p.n; i++) {
        size_t n = take_point(in, &p, i);

        if (n < FEWEST_ROWS) {
            few++;
            continue;
        }
        for (size_t k = 0; k < in->n_keys; k++)
            grid_format(&g, "%.10g", p.x[i * in->n_keys + k]);
        inspect_series(in, n, false, &g);
    }
    if (in->points)
        grid_write(&g, out);
    if (few)
        portolan_text_add(out, "%zu point%s with fewer than %d rows %s not inspected%s\n", few,
                          few == 1 ? "" : "s", FEWEST_ROWS, few == 1 ? "is" : "are",
                          in->points ? "" : "; `inspect MODEL` takes all rows as one series");
}

/* All rows, divided by the model's values, form one series. */
static void inspect_model(struct inspection *in, const struct portolan_model *m)
{
    const struct placed placed = llac_place_model(in->s, &in->at, m, in->table);
    struct grid g = begin_grid(in, "real/model");
    double x[PORTOLAN_MODEL_MAX_PARAMS];
    size_t n = 0;

    for (size_t i = 0; i < in->table->n_rows; i++) {
        const double *row = table_row(in->table, i);

        placed_point(&placed, row, x);
        in->y[n] = row[in->column];
        in->expected[n] = portolan_model_value(m, x);
        n += isfinite(in->y[n]) && isfinite(in->expected[n]);
    }
    inspect_series(in, n, true, &g);
    grid_write(&g, &in->s->in->out);
}

/* TABLE, or a MODEL with the rows it was fitted to. */
void do_inspect(struct statement *s)
{
    struct inspection in = {.s = s, .at = s->now};
    const struct fitted *f = llac_accept_model(s);

    if (f && !f->points)
        statement_fail(s, &in.at, "a model from a file has no rows; `inspect TABLE`");
    in.table = f ? f->points : llac_parse_table(s);
    in.column = NONE;
    if (!f && llac_accept(s, "of"))
        in.column = llac_parse_column(s, in.table);
    llac_parse_end(s);
    if (in.column == NONE)
        in.column = llac_observable(s, &in.at, in.table, f ? f->observable : NULL);
    in.keys = statement_alloc(s, in.table->n_columns, sizeof *in.keys);
    in.y = statement_alloc(s, 2 * in.table->n_rows, sizeof *in.y);
    in.expected = in.y + in.table->n_rows;
    if (f)
        inspect_model(&in, f->model);
    else
        inspect_points(&in);
}
