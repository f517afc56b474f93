/* SPDX-License-Identifier: BSD-3-Clause */
/* inspect: what speaks against taking rows for independent repetitions. */
#include "internal.h"

#include <portolan/series.h>

#include <math.h>
#include <string.h>

enum { FEWEST_ROWS = 5 };

struct inspection {
    struct statement *s;
    struct token at;
    struct table *table;
    size_t column;
    size_t n_keys, *keys;
    double *y, *expected; /* a series */
    size_t points;        /* inspected */
};

/* "3 spikes of 12 times", "drifts by 8 %", "two places, 60 % at 1.2 and the rest at 2.4". */
static const char *describe(struct inspection *in, const struct portolan_series_report *r)
{
    struct portolan_text out = {.arena = in->s->arena};

    if (r->spikes.n)
        portolan_text_add(&out, "%zu spike%s, about %.3g times as long", r->spikes.n,
                          r->spikes.n == 1 ? "" : "s", r->spikes.factor);
    if (r->spikes.n_small)
        portolan_text_add(&out, "%s%zu far too small", out.length ? "; " : "", r->spikes.n_small);
    if (r->drift.is_there)
        portolan_text_add(&out, "%sdrifts by %+.3g %% from first to last", out.length ? "; " : "",
                          100 * r->drift.change);
    if (r->modes.is_bimodal)
        portolan_text_add(&out, "%stwo places: %.0f %% at %.4g, others at %.4g",
                          out.length ? "; " : "", 100 * r->modes.low_share, r->modes.low,
                          r->modes.high);
    return out.length ? out.bytes : "nothing";
}

static enum portolan_status inspect(struct inspection *in, size_t n, bool has_expected,
                                    struct grid *g)
{
    struct portolan_series_report r;
    struct portolan_error err = {0};
    enum portolan_status status =
        portolan_series_inspect(n, in->y, has_expected ? in->expected : NULL, &r, &err);

    if (status != PORTOLAN_OK)
        return llac_fail_with(in->s, &in->at, status, &err);
    in->points++;
    llac_grid_add(g, "%zu", n);
    llac_grid_number(g, r.place);
    llac_grid_add(g, "%.3g", 100 * r.spread);
    llac_grid_add(g, "%s", describe(in, &r));
    return PORTOLAN_OK;
}

static void add_heads(struct inspection *in, struct grid *g, const char *place)
{
    *g = (struct grid){.arena = in->s->arena, .n_columns = in->n_keys + 4};
    if (in->n_keys + 3 < 32)
        g->left = 1u << (in->n_keys + 3);
    for (size_t k = 0; k < in->n_keys; k++)
        llac_grid_add(g, "%s", in->table->columns[in->keys[k]].name);
    llac_grid_add(g, "n");
    llac_grid_add(g, "%s", place);
    llac_grid_add(g, "spread %%");
    llac_grid_add(g, "found");
}

/* ------------------------------------------------------------------------------------- tables */

/* Series are of one point and one processor; runs follow each other. */
static size_t choose_keys(const struct table *t, size_t *keys)
{
    size_t n = 0;
    double min, max;

    for (size_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].kind != COLUMN_OBSERVABLE && strcmp(t->columns[i].name, "RUN") != 0 &&
            strcmp(t->columns[i].name, "STEP") != 0 && llac_table_span(t, i, &min, &max) &&
            min < max)
            keys[n++] = i;
    return n;
}

/* The rows of one point, in the order of the table. */
static size_t collect(struct inspection *in, const struct points *p, size_t point)
{
    size_t n = 0;

    for (size_t i = p->first[point]; i < p->last[point]; i++) {
        in->y[n] = llac_table_row(in->table, p->rows[i])[in->column];
        n += isfinite(in->y[n]);
    }
    return n;
}

static enum portolan_status inspect_points(struct inspection *in)
{
    struct statement *s = in->s;
    struct points p;
    struct grid g;
    size_t few = 0;
    enum portolan_status status;

    in->n_keys = choose_keys(in->table, in->keys);
    status = llac_points(s, in->table, in->keys, in->n_keys, in->column, PORTOLAN_MODEL_MEDIAN, &p);
    if (status != PORTOLAN_OK)
        return status;
    add_heads(in, &g, "median");
    for (size_t i = 0; status == PORTOLAN_OK && i < p.n; i++) {
        size_t n = collect(in, &p, i);

        if (n < FEWEST_ROWS) {
            few++;
            continue;
        }
        for (size_t k = 0; k < in->n_keys; k++)
            llac_grid_add(&g, "%.10g", p.x[i * in->n_keys + k]);
        status = inspect(in, n, false, &g);
    }
    if (status != PORTOLAN_OK)
        return status;
    if (in->points)
        llac_grid_write(&g, &s->in->out);
    if (few)
        portolan_text_add(&s->in->out, "%zu point%s with fewer than %d rows %s not inspected%s\n",
                          few, few == 1 ? "" : "s", FEWEST_ROWS, few == 1 ? "is" : "are",
                          in->points ? "" : "; `inspect MODEL` takes all rows as one series");
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------------------------- models */

/* All rows over what the model says of them are one series. */
static enum portolan_status inspect_model(struct inspection *in, const struct fitted *f)
{
    const struct portolan_model *m = f->model;
    size_t columns[PORTOLAN_MODEL_MAX_PARAMS], n = 0;
    double values[PORTOLAN_MODEL_MAX_PARAMS], x[PORTOLAN_MODEL_MAX_PARAMS];
    struct grid g;
    enum portolan_status status = llac_place_params(in->s, &in->at, m, in->table, columns, values);

    if (status != PORTOLAN_OK)
        return status;
    for (size_t i = 0; i < in->table->n_rows; i++) {
        const double *row = llac_table_row(in->table, i);

        for (size_t k = 0; k < portolan_model_n_params(m); k++)
            x[k] = columns[k] == NONE ? values[k] : row[columns[k]];
        in->y[n] = row[in->column];
        in->expected[n] = portolan_model_value(m, x);
        n += isfinite(in->y[n]) && isfinite(in->expected[n]);
    }
    add_heads(in, &g, "real/model");
    if ((status = inspect(in, n, true, &g)) == PORTOLAN_OK)
        llac_grid_write(&g, &in->s->in->out);
    return status;
}

/* TABLE, or a MODEL with the rows it was fitted to. */
static enum portolan_status parse(struct inspection *in, const struct fitted **f)
{
    struct statement *s = in->s;
    const struct object *o =
        s->now.kind == TOKEN_NAME ? llac_find(s->in, llac_text(s, &s->now)) : NULL;
    enum portolan_status status;

    *f = NULL;
    if (o && o->kind == OBJECT_MODEL) {
        *f = o->model;
        llac_advance(s);
        if (!(*f)->points)
            return llac_fail(s, &in->at, "a model from a file has no rows; `inspect TABLE`");
        in->table = llac_table_copy((*f)->points, true);
        status = in->table ? PORTOLAN_OK : llac_no_memory(s);
    } else {
        status = llac_parse_table(s, &in->table);
    }
    if (status != PORTOLAN_OK)
        return status;
    in->column = *f && (*f)->observable ? llac_table_find(in->table, (*f)->observable) : NONE;
    if (in->column == NONE)
        in->column = llac_table_observable(in->table);
    if (!*f && llac_accept(s, "of") &&
        (status = llac_parse_column(s, in->table, &in->column)) != PORTOLAN_OK)
        return status;
    if ((status = llac_parse_end(s)) == PORTOLAN_OK && in->column == NONE)
        status = llac_fail(s, &in->at,
                           "'%s' has nothing that was measured; `observing COLUMN` "
                           "says what was",
                           in->table->experiment);
    return status;
}

enum portolan_status do_inspect(struct statement *s, const char *name)
{
    struct inspection in = {.s = s, .at = s->now};
    const struct fitted *f;
    enum portolan_status status = parse(&in, &f);

    (void)name;
    if (status == PORTOLAN_OK) {
        in.keys = portolan_arena_alloc(s->arena, in.table->n_columns, sizeof *in.keys);
        in.y = portolan_arena_alloc(s->arena, 2 * in.table->n_rows, sizeof *in.y);
        in.expected = in.y ? in.y + in.table->n_rows : NULL;
        status = !in.keys || !in.y ? llac_no_memory(s)
                 : f               ? inspect_model(&in, f)
                                   : inspect_points(&in);
    }
    llac_table_destroy(in.table);
    return status;
}
