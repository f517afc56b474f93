/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of text; and show, rows, summary: what there is. */
#include "internal.h"

#include <portolan/stats.h>

#include <math.h>
#include <string.h>

enum { ROWS_SHOWN = 40 };

/* -------------------------------------------------------------------------------------- grids */

struct grid llac_grid_of(struct statement *s, size_t n)
{
    return (struct grid){.arena = &s->arena, .n_columns = n, .left = n <= 32 ? 1u << (n - 1) : 0};
}

void llac_grid_add(struct grid *g, const char *format, ...)
{
    va_list args;

    g->cells = portolan_arena_grow(g->arena, g->cells, g->n_cells, sizeof *g->cells);
    va_start(args, format);
    g->cells[g->n_cells++] = portolan_arena_vprintf(g->arena, format, args);
    va_end(args);
}

void llac_grid_add_texts(struct grid *g, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        llac_grid_add(g, "%s", texts[i]);
}

void llac_grid_number(struct grid *g, double value)
{
    if (isnan(value))
        llac_grid_add(g, "%s", "");
    else if (value == floor(value) && fabs(value) < 1e12) /* sizes and counts stay readable */
        llac_grid_add(g, "%.0f", value);
    else
        llac_grid_add(g, "%.6g", value);
}

void llac_grid_numbers(struct grid *g, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        llac_grid_number(g, values[i]);
}

/* Characters, not bytes. */
static int width_of(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void llac_grid_write(const struct grid *g, struct portolan_text *out)
{
    int widths[64] = {0};

    for (size_t i = 0; i < g->n_cells; i++) {
        int width = width_of(g->cells[i]), *widest = &widths[i % g->n_columns % 64];

        *widest = width > *widest ? width : *widest;
    }
    for (size_t i = 0; i < g->n_cells; i++) {
        size_t column = i % g->n_columns;
        bool is_left = column < 32 && g->left >> column & 1, is_last = column + 1 == g->n_columns;
        int space = widths[column % 64] - width_of(g->cells[i]);

        portolan_text_add(out, "%s%*s%s%*s", column ? "  " : "", is_left ? 0 : space, "",
                          g->cells[i], is_left && !is_last ? space : 0, "");
        if (!is_last)
            continue;
        while (out->length && out->bytes[out->length - 1] == ' ')
            out->bytes[--out->length] = '\0';
        portolan_text_add(out, "\n");
    }
}

const char *llac_unit(struct statement *s, const char *unit)
{
    return unit && *unit ? portolan_arena_printf(&s->arena, " (%s)", unit) : "";
}

/* --------------------------------------------------------------------------------------- show */

static void add_lines(struct portolan_text *out, const struct table *t)
{
    for (size_t i = 0; i < t->n_begin; i++)
        portolan_text_add(out, "%s%u", i ? ", " : ":", t->begin_lines[i]);
}

/* How many values column C has, and which. */
static void add_column(struct statement *s, struct grid *g, const struct table *t, size_t c)
{
    static const char *const kinds[] = {"label", "identifier", "observable"};
    const struct points p = llac_points(s, t, &c, 1, c, PORTOLAN_MODEL_MEDIAN);
    double min = NAN, max = NAN, *values = llac_alloc(s, t->n_rows, sizeof *values);
    size_t n = 0;

    llac_table_span(t, c, &min, &max);
    for (size_t k = 0; k < t->n_rows; k++)
        if (!isnan(llac_table_row(t, k)[c]))
            values[n++] = llac_table_row(t, k)[c];
    llac_grid_add(g, "  %s", t->columns[c].name);
    llac_grid_add(g, "%s", t->columns[c].unit ? t->columns[c].unit : "");
    llac_grid_add(g, "%s", kinds[t->columns[c].kind]);
    llac_grid_add(g, "%zu", p.n);
    llac_grid_numbers(g, (double[]){min, portolan_sort_to_median(n, values), max}, 3);
}

/* What a table holds, column by column. */
static void show_table(struct statement *s, const char *name, const struct table *t)
{
    static const char *const heads[] = {"  column", "unit", "", "values", "min", "median", "max"};
    struct portolan_text *out = &s->in->out;
    struct grid g = {.arena = &s->arena, .n_columns = 7, .left = 7};

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
    llac_grid_add_texts(&g, heads, g.n_columns);
    for (size_t c = 0; c < t->n_columns; c++)
        add_column(s, &g, t, c);
    llac_grid_write(&g, out);
}

static void list_objects(struct statement *s)
{
    struct grid g = {.arena = &s->arena, .n_columns = 3, .left = 7};

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

void do_show(struct statement *s)
{
    const struct object *o = llac_peek_object(s);
    const char *word = llac_text(s, &s->now);

    if (s->now.kind == TOKEN_END) {
        list_objects(s);
    } else if (!o || o->kind == OBJECT_TABLE) {
        const char *second = s->now.at + s->now.length;
        const struct table *t = llac_parse_table(s);

        llac_parse_end(s);
        /* By the name it is known by, if that is all. */
        show_table(s, s->last_end == second ? word : NULL, t);
    } else {
        llac_advance(s);
        llac_parse_end(s);
        if (o->kind == OBJECT_MODEL)
            llac_show_model(s, o->name, o->model);
        else
            portolan_text_add(&s->in->out, "%s = %.17g\n", o->name, o->number);
    }
}

/* --------------------------------------------------------------------------------------- rows */

void do_rows(struct statement *s)
{
    struct grid g = {.arena = &s->arena};
    double limit = llac_accept(s, "all") ? INFINITY : ROWS_SHOWN;
    const struct table *t = llac_parse_table(s);

    if (s->now.kind == TOKEN_NUMBER)
        limit = llac_parse_number(s);
    llac_parse_end(s);
    t = llac_table_to_show(&s->arena, t);
    g.n_columns = t->n_columns;
    for (size_t c = 0; c < t->n_columns; c++)
        llac_grid_add(&g, "%s%s", t->columns[c].name, llac_unit(s, t->columns[c].unit));
    for (size_t i = 0; i < t->n_rows && (double)i < limit; i++)
        llac_grid_numbers(&g, llac_table_row(t, i), t->n_columns);
    llac_grid_write(&g, &s->in->out);
    if ((double)t->n_rows > limit)
        portolan_text_add(&s->in->out, "… %zu rows in all; `rows all TABLE` shows them\n",
                          t->n_rows);
}

/* ------------------------------------------------------------------------------------ summary */

size_t llac_choose_keys(const struct table *t, const char *without, size_t *keys)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].kind != COLUMN_OBSERVABLE && strcmp(t->columns[i].name, "RUN") != 0 &&
            strcmp(t->columns[i].name, without) != 0 && llac_table_varies(t, i))
            keys[n++] = i;
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

/* Column C at each point. */
static void summarise_column(struct statement *s, const struct table *t, const size_t *keys,
                             size_t n_keys, size_t c)
{
    static const char *const heads[] = {"n", "min", "median", "mean", "max", "deviation"};
    const struct points p = llac_points(s, t, keys, n_keys, c, PORTOLAN_MODEL_MEDIAN);
    struct grid g = {.arena = &s->arena, .n_columns = n_keys + 6};
    double *values = llac_alloc(s, t->n_rows, sizeof *values);

    portolan_text_add(&s->in->out, "%s%s\n", t->columns[c].name, llac_unit(s, t->columns[c].unit));
    for (size_t k = 0; k < n_keys; k++)
        llac_grid_add(&g, "%s", t->columns[keys[k]].name);
    llac_grid_add_texts(&g, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < p.n; i++) {
        llac_grid_numbers(&g, p.x + i * n_keys, n_keys);
        add_statistics(&g, t, &p, i, c, values);
    }
    llac_grid_write(&g, &s->in->out);
}

void do_summary(struct statement *s)
{
    const struct table *t = llac_parse_table(s);
    size_t *keys = NULL, n = 0;

    if (llac_accept(s, "by")) {
        do {
            keys = portolan_arena_grow(&s->arena, keys, n, sizeof *keys);
            keys[n++] = llac_parse_column(s, t);
        } while (llac_accept(s, ","));
    } else {
        keys = llac_alloc(s, t->n_columns, sizeof *keys);
        n = llac_choose_keys(t, "CPU", keys);
    }
    llac_parse_end(s);
    for (size_t c = 0; c < t->n_columns; c++)
        if (t->columns[c].kind == COLUMN_OBSERVABLE)
            summarise_column(s, t, keys, n, c);
}
