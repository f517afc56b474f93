/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of text; models as text; and the commands show, rows and summary. */
#include "internal.h"

#include <portolan/stats.h>

#include <math.h>
#include <string.h>

enum { ROWS_SHOWN = 40 };

/* -------------------------------------------------------------------------------------- grids */

struct grid llac_grid_of(struct statement *s, size_t n)
{
    return (struct grid){.in = &s->arena, .n_columns = n, .left = UINT64_C(1) << (n - 1) % 64};
}

void llac_grid_add_texts(struct grid *g, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        grid_text(g, texts[i]);
}

void llac_grid_number(struct grid *g, double value)
{
    if (isnan(value))
        grid_text(g, "");
    else if (value == floor(value) && fabs(value) < 1e12) /* sizes and counts stay readable */
        grid_format(g, "%.0f", value);
    else
        grid_format(g, "%.6g", value);
}

void llac_grid_numbers(struct grid *g, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        llac_grid_number(g, values[i]);
}

struct table *llac_table_to_show(struct portolan_arena *arena, const struct table *t)
{
    size_t *shown = portolan_arena_alloc(arena, t->n_columns, sizeof *shown), n = 0;

    for (size_t c = 0; c < t->n_columns; c++)
        if (strcmp(t->columns[c].name, "RUN") != 0 || t->n_columns == 1 || table_varies(t, c))
            shown[n++] = c;
    return table_project(arena, t, shown, n);
}

const char *llac_unit(struct statement *s, const char *unit)
{
    return unit && *unit ? portolan_arena_printf(&s->arena, " (%s)", unit) : "";
}

/* ------------------------------------------------------------------------------------- models */

/* The constants of the user's formula in M by their names; none if M is not of a formula. */
static struct named_constant *name_constants(struct statement *s, const struct fitted *f,
                                             const struct portolan_model *m, size_t *n)
{
    struct named_constant *named = statement_alloc(s, f->sum.n_terms, sizeof *named);
    size_t places[PORTOLAN_MODEL_MAX_TERMS];

    *n = f->parsed && !portolan_model_formula_terms(m, f->parsed, f->sum.n_terms, places, NULL)
             ? f->sum.n_terms
             : 0;
    for (size_t k = 0; k < *n; k++) {
        const struct portolan_formula_term *t = &f->sum.terms[k];

        named[k] = (struct named_constant){
            .name = portolan_arena_printf(&s->arena, "%s[%zu]", f->sum.constants, t->index),
            .term = places[t->index],
            .expression = t->expression};
    }
    return named;
}

static void add_range(const struct portolan_model *m, struct portolan_text *out)
{
    for (size_t p = 0; p < portolan_model_n_params(m); p++) {
        const struct portolan_model_range *r = portolan_model_peek_range(m, p);
        const char *name = portolan_model_peek_param(m, p);

        if (p)
            portolan_text_add(out, ", ");
        else
            portolan_text_add(out, "  %-14s", "valid for");
        if (r->min == r->max)
            portolan_text_add(out, "%s = %.10g", name, r->min);
        else
            portolan_text_add(out, "%.10g <= %s <= %.10g", r->min, name, r->max);
    }
    if (portolan_model_n_params(m))
        portolan_text_add(out, "\n");
}

static void add_origin(const struct portolan_model *m, struct portolan_text *out)
{
    const struct portolan_model_summary *sum = portolan_model_peek_summary(m);

    portolan_text_add(out, "  %-14s%zu row%s at %zu point%s", "from", sum->n_rows,
                      sum->n_rows == 1 ? "" : "s", sum->n_points, sum->n_points == 1 ? "" : "s");
    if (sum->n_outliers)
        portolan_text_add(out, ", %zu left out as outliers", sum->n_outliers);
    portolan_text_add(out, "; condition number %.4g; constants %s\n", sum->condition,
                      sum->nonnegative ? "not negative"
                      : sum->bounded   ? "of either sign, values kept above 0"
                                       : "of either sign");
}

static const char *const statistics[] = {
    [PORTOLAN_MODEL_TYPICAL] = "",
    [PORTOLAN_MODEL_MEDIAN] = "the median of ",
    [PORTOLAN_MODEL_MEAN] = "the mean of ",
    [PORTOLAN_MODEL_MINIMUM] = "the least ",
    [PORTOLAN_MODEL_MAXIMUM] = "the greatest ",
    [PORTOLAN_MODEL_DEVIATION] = "the standard deviation of ",
};

void llac_show_model(struct statement *s, const char *name, const struct fitted *f)
{
    const struct portolan_model *m = f->model;
    struct portolan_text *out = &s->in->out;
    size_t n = portolan_model_n_pieces(m);

    portolan_text_add(out, "model%s%s", strcmp(name, "model") ? " " : "",
                      strcmp(name, "model") ? name : "");
    if (f->observable)
        portolan_text_add(out, " of %s%s%s", statistics[portolan_model_peek_summary(m)->statistic],
                          f->observable, llac_unit(s, f->unit));
    portolan_text_add(out, "\n  %s\n", f->formula ? f->formula : portolan_model_peek_formula(m));
    if (n > 1) {
        model_add_breaks(m, out);
        model_add_errors(m, out);
        add_origin(m, out);
    }
    for (size_t i = 0; i < n; i++) {
        const struct portolan_model_condition *conditions;
        size_t n_conditions, n_named;
        const struct portolan_model *piece =
            portolan_model_peek_piece(m, i, &conditions, &n_conditions);
        const struct named_constant *named = name_constants(s, f, piece, &n_named);

        if (n_conditions) {
            portolan_text_add(out, "  where ");
            model_add_conditions(m, conditions, n_conditions, out);
            portolan_text_add(out, "\n");
        }
        model_add_constants(piece, named, n_named, out);
        model_add_errors(piece, out);
        add_origin(piece, out);
        add_range(piece, out);
    }
}

/* --------------------------------------------------------------------------------------- show */

static void add_lines(struct portolan_text *out, const struct table *t)
{
    for (size_t i = 0; i < t->n_begin; i++)
        portolan_text_add(out, "%s%u", i ? ", " : ":", t->begin_lines[i]);
}

/* Adds a row about column C: its unit, kind, number of values and range. */
static void add_column(struct statement *s, struct grid *g, const struct table *t, size_t c)
{
    static const char *const kinds[] = {"label", "identifier", "observable"};
    const struct points p = table_points(s, t, &c, 1, c, PORTOLAN_MODEL_MEDIAN);
    double min = NAN, max = NAN, *values = statement_alloc(s, t->n_rows, sizeof *values);
    size_t n = table_values(t, c, NULL, t->n_rows, values);

    table_span(t, c, &min, &max);
    grid_format(g, "  %s", t->columns[c].name);
    grid_text(g, t->columns[c].unit ? t->columns[c].unit : "");
    grid_text(g, kinds[t->columns[c].kind]);
    grid_format(g, "%zu", p.n);
    llac_grid_numbers(g, (double[]){min, portolan_sort_to_median(n, values), max}, 3);
}

/* Describes a table, column by column. */
static void show_table(struct statement *s, const char *name, const struct table *t)
{
    static const char *const heads[] = {"  column", "unit", "", "values", "min", "median", "max"};
    struct portolan_text *out = &s->in->out;
    struct grid g = {.in = &s->arena, .n_columns = 7, .left = 7};

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
    grid_write(&g, out);
}

static void list_objects(struct statement *s)
{
    struct grid g = {.in = &s->arena, .n_columns = 3, .left = 7};

    for (size_t i = 0; i < s->in->n_objects; i++) {
        const struct object *o = &s->in->objects[i];

        grid_text(&g, o->name);
        if (o->kind == OBJECT_NUMBER) {
            grid_text(&g, "number");
            grid_format(&g, "%.10g", o->number);
        } else if (o->kind == OBJECT_TABLE) {
            grid_text(&g, "table");
            grid_format(&g, "%zu row%s%s%s", o->table->n_rows, o->table->n_rows == 1 ? "" : "s",
                        o->table->formula ? ", " : "", o->table->formula ? o->table->formula : "");
        } else {
            grid_text(&g, "model");
            grid_text(&g, portolan_model_peek_formula(o->model->model));
        }
    }
    if (s->in->n_objects)
        grid_write(&g, &s->in->out);
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
        /* With a name only if nothing follows the name. */
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
    struct grid g = {.in = &s->arena};
    double limit = llac_accept(s, "all") ? INFINITY : ROWS_SHOWN;
    const struct table *t = llac_parse_table(s);

    if (s->now.kind == TOKEN_NUMBER)
        limit = llac_parse_number(s);
    llac_parse_end(s);
    t = llac_table_to_show(&s->arena, t);
    g.n_columns = t->n_columns;
    for (size_t c = 0; c < t->n_columns; c++)
        grid_format(&g, "%s%s", t->columns[c].name, llac_unit(s, t->columns[c].unit));
    for (size_t i = 0; i < t->n_rows && (double)i < limit; i++)
        llac_grid_numbers(&g, table_row(t, i), t->n_columns);
    grid_write(&g, &s->in->out);
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
            strcmp(t->columns[i].name, without) != 0 && table_varies(t, i))
            keys[n++] = i;
    return n;
}

/* Adds the statistics of one observable at one point; VALUES has room for all rows. */
static void add_statistics(struct grid *g, const struct table *t, const struct points *p,
                           size_t point, size_t column, double *values)
{
    static const enum portolan_model_statistic shown[] = {
        PORTOLAN_MODEL_MINIMUM, PORTOLAN_MODEL_MEDIAN, PORTOLAN_MODEL_MEAN, PORTOLAN_MODEL_MAXIMUM,
        PORTOLAN_MODEL_DEVIATION};
    size_t first = p->first[point];
    size_t n = table_values(t, column, p->rows + first, p->last[point] - first, values);

    grid_format(g, "%zu", n);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        llac_grid_number(g, portolan_model_stand_in(shown[i], n, values));
}

/* Writes the statistics of column C at each point. */
static void summarise_column(struct statement *s, const struct table *t, const size_t *keys,
                             size_t n_keys, size_t c)
{
    static const char *const heads[] = {"n", "min", "median", "mean", "max", "deviation"};
    const struct points p = table_points(s, t, keys, n_keys, c, PORTOLAN_MODEL_MEDIAN);
    struct grid g = {.in = &s->arena, .n_columns = n_keys + 6};
    double *values = statement_alloc(s, t->n_rows, sizeof *values);

    portolan_text_add(&s->in->out, "%s%s\n", t->columns[c].name, llac_unit(s, t->columns[c].unit));
    for (size_t k = 0; k < n_keys; k++)
        grid_text(&g, t->columns[keys[k]].name);
    llac_grid_add_texts(&g, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < p.n; i++) {
        llac_grid_numbers(&g, p.x + i * n_keys, n_keys);
        add_statistics(&g, t, &p, i, c, values);
    }
    grid_write(&g, &s->in->out);
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
        keys = statement_alloc(s, t->n_columns, sizeof *keys);
        n = llac_choose_keys(t, "CPU", keys);
    }
    llac_parse_end(s);
    for (size_t c = 0; c < t->n_columns; c++)
        if (t->columns[c].kind == COLUMN_OBSERVABLE)
            summarise_column(s, t, keys, n, c);
}
