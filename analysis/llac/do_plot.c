/* SPDX-License-Identifier: BSD-3-Clause */
/* plot: tables as points, models as lines with their intervals. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLOTTED = 16, MAX_SERIES = 48, LINE_POINTS = 101, MAX_GROUPS = 8 };

/* One table or model to be drawn. */
struct plotted {
    const char *name;
    const struct fitted *model; /* or NULL */
    struct table *table;        /* its own; of a model: a copy of its rows, or NULL */
    bool is_drawn;              /* the rows, with the curves */
};

struct plot {
    struct statement *s;
    struct token at;
    size_t n;
    struct plotted items[MAX_PLOTTED];
    const char *by, *of, *title, *file; /* or NULL */
    bool x_log, y_log;
    struct portolan_chart_series series[MAX_SERIES];
    size_t n_series;
};

static void clear_plot(struct plot *p)
{
    for (size_t i = 0; i < p->n; i++)
        llac_table_destroy(p->items[i].table);
}

/* ------------------------------------------------------------------------------------ parsing */

static enum portolan_status parse_item(struct statement *s, struct plot *p)
{
    const char *name = llac_text(s, &s->now);
    const struct object *o = s->now.kind == TOKEN_NAME ? llac_find(s->in, name) : NULL;
    struct plotted *item = &p->items[p->n];

    if (p->n == MAX_PLOTTED)
        return llac_fail(s, &s->now, "a plot holds at most %d things", MAX_PLOTTED);
    *item = (struct plotted){.name = name};
    if (!o || o->kind != OBJECT_MODEL) {
        enum portolan_status status = llac_parse_table(s, &item->table);

        p->n += status == PORTOLAN_OK;
        return status;
    }
    llac_advance(s);
    item->model = o->model;
    if (o->model->points && !(item->table = llac_table_copy(o->model->points, true)))
        return llac_no_memory(s);
    p->n++;
    return PORTOLAN_OK;
}

static enum portolan_status parse_option(struct statement *s, struct plot *p, bool *any)
{
    *any = true;
    if (llac_accept(s, "by"))
        return llac_parse_name(s, "a column or parameter", &p->by);
    if (llac_accept(s, "of"))
        return llac_parse_name(s, "what was measured", &p->of);
    if (llac_accept(s, "to"))
        return llac_parse_file(s, "a file such as fft.svg", &p->file);
    if (llac_accept(s, "title")) {
        p->title = llac_text(s, &s->now);
        if (s->now.kind != TOKEN_STRING)
            return llac_fail(s, &s->now, "the title stands in quotes: title \"FFT\"");
        llac_advance(s);
    } else if (llac_accept(s, "logx")) {
        p->x_log = true;
    } else if (llac_accept(s, "logy")) {
        p->y_log = true;
    } else if (llac_accept(s, "loglog")) {
        p->x_log = p->y_log = true;
    } else {
        *any = false;
    }
    return PORTOLAN_OK;
}

static enum portolan_status parse_plot(struct statement *s, struct plot *p)
{
    bool any = true;
    enum portolan_status status;

    do
        status = parse_item(s, p);
    while (status == PORTOLAN_OK && s->now.kind == TOKEN_NAME && !llac_is_stop(s));
    while (status == PORTOLAN_OK && any)
        status = parse_option(s, p, &any);
    return status == PORTOLAN_OK ? llac_parse_end(s) : status;
}

/* ------------------------------------------------------------------------------------ choosing */

static bool varies(const struct table *t, size_t column)
{
    double min, max;

    return llac_table_span(t, column, &min, &max) && min < max;
}

/* The first identifier or label that varies; of a model the first parameter that does. */
static const char *choose_x(const struct plotted *item)
{
    const struct portolan_model *m = item->model ? item->model->model : NULL;

    for (size_t p = 0; m && p < portolan_model_n_params(m); p++) {
        const struct portolan_model_range *r = portolan_model_peek_range(m, p);

        if (r->min < r->max)
            return portolan_model_peek_param(m, p);
    }
    for (size_t i = 0; item->table && i < item->table->n_columns; i++)
        if (item->table->columns[i].kind == COLUMN_IDENTIFIER && varies(item->table, i))
            return item->table->columns[i].name;
    for (size_t i = 0; item->table && i < item->table->n_columns; i++)
        if (item->table->columns[i].kind == COLUMN_LABEL && varies(item->table, i))
            return item->table->columns[i].name;
    return NULL;
}

static size_t observable_of(const struct plot *p, const struct plotted *item)
{
    size_t column = NONE;

    if (p->of)
        return llac_table_find(item->table, p->of);
    if (item->model && item->model->observable)
        column = llac_table_find(item->table, item->model->observable);
    return column == NONE ? llac_table_observable(item->table) : column;
}

static struct portolan_chart_series *add_series(struct plot *p, enum portolan_chart_kind kind,
                                                const char *name)
{
    struct portolan_chart_series *series;

    if (p->n_series == MAX_SERIES)
        return NULL;
    series = &p->series[p->n_series++];
    *series = (struct portolan_chart_series){.kind = kind, .name = name};
    return series;
}

/* Rows as points, all or those of one curve: their scatter is worth seeing. */
struct scatter {
    const char *name;      /* NULL: they are a curve's */
    const size_t *columns; /* N_COLUMNS that have … */
    const double *values;  /* … these values */
    size_t n_columns;
};

static bool is_of(const struct scatter *which, const double *row)
{
    for (size_t k = 0; k < which->n_columns; k++)
        if (row[which->columns[k]] != which->values[k])
            return false;
    return true;
}

static enum portolan_status add_points(struct plot *p, const struct plotted *item,
                                       const struct scatter *which)
{
    struct statement *s = p->s;
    size_t x = llac_table_find(item->table, p->by), y = observable_of(p, item);
    double *at = portolan_arena_alloc(s->arena, 2 * item->table->n_rows, sizeof *at);
    struct portolan_chart_series *series;

    if (y == NONE)
        return llac_fail(s, &p->at, "'%s' has no column '%s'", item->name,
                         p->of ? p->of : "that was measured");
    if (x == NONE && item->model)
        return PORTOLAN_OK;
    if (x == NONE)
        return llac_fail(s, &p->at, "'%s' has no column '%s'; `by COLUMN` says what the x axis is",
                         item->name, p->by);
    if (!at)
        return llac_no_memory(s);
    if (!(series = add_series(p, PORTOLAN_CHART_POINTS, which->name)))
        return llac_fail(s, &p->at, "this is too much for one plot");
    series->x = at;
    series->y = at + item->table->n_rows;
    for (size_t i = 0; i < item->table->n_rows; i++) {
        const double *row = llac_table_row(item->table, i);

        if (!is_of(which, row))
            continue;
        at[series->n] = row[x];
        at[item->table->n_rows + series->n++] = row[y];
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------------------------- curves */

/* What a curve holds fixed. */
struct curve {
    const struct fitted *f;
    const char *name;
    size_t param;                        /* that runs along the x axis */
    double x[PORTOLAN_MODEL_MAX_PARAMS]; /* the others */
    double min, max;
};

/* Line and band of one curve. */
static enum portolan_status add_curve(struct plot *p, const struct curve *c)
{
    double *v = portolan_arena_alloc(p->s->arena, 4 * LINE_POINTS, sizeof *v), x[8];
    struct portolan_chart_series *band, *line;

    if (!v)
        return llac_no_memory(p->s);
    band = add_series(p, PORTOLAN_CHART_BAND, NULL);
    line = add_series(p, PORTOLAN_CHART_LINE, c->name);
    if (!band || !line)
        return llac_fail(p->s, &p->at, "this is too much for one plot");
    memcpy(x, c->x, sizeof x);
    for (size_t i = 0; i < LINE_POINTS; i++) {
        double part = (double)i / (LINE_POINTS - 1);
        struct portolan_prediction value;

        x[c->param] = p->x_log && c->min > 0 ? c->min * pow(c->max / c->min, part)
                                             : c->min + part * (c->max - c->min);
        v[i] = x[c->param];
        for (int k = 1; k < 4; k++)
            v[k * LINE_POINTS + i] = NAN;
        if (portolan_model_predict(c->f->model, x, &value) != PORTOLAN_OK)
            continue;
        v[LINE_POINTS + i] = value.value;
        v[2 * LINE_POINTS + i] = value.low;
        v[3 * LINE_POINTS + i] = value.high;
    }
    band->x = line->x = v;
    line->y = v + LINE_POINTS;
    band->low = v + 2 * LINE_POINTS;
    band->high = v + 3 * LINE_POINTS;
    band->n = line->n = LINE_POINTS;
    return PORTOLAN_OK;
}

/* The x axis goes as far as anything that was measured. */
static void find_span(const struct plot *p, struct curve *c)
{
    const struct portolan_model_range *r = portolan_model_peek_range(c->f->model, c->param);

    c->min = r->min;
    c->max = r->max;
    for (size_t i = 0; i < p->n; i++) {
        size_t column = p->items[i].table ? llac_table_find(p->items[i].table, p->by) : NONE;
        double min, max;

        if (column != NONE && llac_table_span(p->items[i].table, column, &min, &max)) {
            c->min = fmin(c->min, min);
            c->max = fmax(c->max, max);
        }
    }
}

/* The values of the other parameters: a variable's, or those that were measured. */
static enum portolan_status find_groups(struct plot *p, const struct plotted *item, size_t param,
                                        struct points *groups, size_t *params, size_t *columns,
                                        size_t *n_params)
{
    const struct portolan_model *m = item->model->model;
    size_t n = 0;
    double value;

    *groups = (struct points){.n = 1};
    for (size_t i = 0; i < portolan_model_n_params(m); i++) {
        const char *name = portolan_model_peek_param(m, i);
        size_t column = item->table ? llac_table_find(item->table, name) : NONE;

        if (i == param || llac_variable(p->s->in, name, &value))
            continue;
        if (column == NONE || !varies(item->table, column))
            continue;
        params[n] = i;
        columns[n++] = column;
    }
    *n_params = n;
    return n ? llac_points(p->s, item->table, columns, n, observable_of(p, item),
                           PORTOLAN_MODEL_MEDIAN, groups)
             : PORTOLAN_OK;
}

/* With the rows of each, where there are several. */
static enum portolan_status add_curves(struct plot *p, struct plotted *item)
{
    const struct portolan_model *m = item->model->model;
    size_t params[PORTOLAN_MODEL_MAX_PARAMS], columns[PORTOLAN_MODEL_MAX_PARAMS], n_params;
    size_t n = portolan_model_n_params(m);
    struct curve c = {.f = item->model, .name = item->name};
    struct points groups;
    enum portolan_status status;

    if ((c.param = llac_find_param(m, p->by)) == NONE)
        return llac_fail(p->s, &p->at, "model '%s' does not depend on '%s'", item->name, p->by);
    find_span(p, &c);
    if ((status = find_groups(p, item, c.param, &groups, params, columns, &n_params)) !=
        PORTOLAN_OK)
        return status;
    item->is_drawn = n_params > 0;
    if (groups.n > MAX_GROUPS)
        llac_warn(p->s->in, "%s: the first %d of %zu curves are drawn; `%s = VALUE` chooses one",
                  item->name, MAX_GROUPS, groups.n, portolan_model_peek_param(m, params[0]));
    for (size_t g = 0; status == PORTOLAN_OK && g < groups.n && g < MAX_GROUPS; g++) {
        struct portolan_text name = {.arena = p->s->arena};

        for (size_t i = 0; i < n; i++)
            if (!llac_variable(p->s->in, portolan_model_peek_param(m, i), &c.x[i]))
                c.x[i] = portolan_model_peek_range(m, i)->max;
        portolan_text_add(&name, "%s", item->name);
        for (size_t k = 0; k < n_params; k++) {
            c.x[params[k]] = groups.x[g * n_params + k];
            portolan_text_add(&name, ", %s = %.6g", portolan_model_peek_param(m, params[k]),
                              c.x[params[k]]);
        }
        c.name = name.bytes;
        if (n_params)
            status = add_points(p, item,
                                &(struct scatter){.columns = columns,
                                                  .values = groups.x + g * n_params,
                                                  .n_columns = n_params});
        if (status == PORTOLAN_OK)
            status = add_curve(p, &c);
    }
    return status;
}

/* ------------------------------------------------------------------------------------- command */

static const char *y_label(struct plot *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct plotted *item = &p->items[i];
        size_t column = item->table ? observable_of(p, item) : NONE;
        const char *name = column != NONE ? item->table->columns[column].name
                           : item->model  ? item->model->observable
                                          : NULL;
        const char *unit = column != NONE ? item->table->columns[column].unit
                           : item->model  ? item->model->unit
                                          : NULL;

        if (name)
            return portolan_arena_printf(p->s->arena, "%s%s", name, llac_unit(p->s, unit));
    }
    return p->of;
}

/* Curves below, points above them. */
static enum portolan_status build(struct plot *p)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; !p->by && i < p->n; i++)
        p->by = choose_x(&p->items[i]);
    if (!p->by)
        return llac_fail(p->s, &p->at,
                         "nothing varies in '%s'; `by COLUMN` says what the x axis is",
                         p->items[0].name);
    for (size_t i = 0; status == PORTOLAN_OK && i < p->n; i++)
        if (p->items[i].model)
            status = add_curves(p, &p->items[i]);
    for (size_t i = 0; status == PORTOLAN_OK && i < p->n; i++) {
        struct plotted *item = &p->items[i];
        const char *name = item->model
                               ? portolan_arena_printf(p->s->arena, "%s: measured", item->name)
                               : item->name;

        if (item->table && !item->is_drawn)
            status = add_points(p, item, &(struct scatter){.name = name});
    }
    return status;
}

/* Into the file that the user names, or one that has a number. */
static enum portolan_status write_chart(struct plot *p, const struct portolan_chart *chart)
{
    struct statement *s = p->s;
    struct portolan_error err = {0};
    const char *file = p->file;
    char *text = NULL;
    enum portolan_status status;

    if (!file && !(file = portolan_arena_printf(s->arena, "llac.%u.svg", s->in->plots + 1)))
        return llac_no_memory(s);
    status = portolan_chart_write(chart, file, &text, &err);
    if (status == PORTOLAN_OK)
        status = portolan_replace_file(file, text, strlen(text), &err);
    free(text);
    if (status != PORTOLAN_OK)
        return llac_fail_with(s, &p->at, status, &err);
    s->in->plots += !p->file;
    portolan_text_add(&s->in->out, "%s\n", file);
    return PORTOLAN_OK;
}

enum portolan_status do_plot(struct statement *s, const char *name)
{
    struct plot p = {.s = s, .at = s->now};
    struct portolan_chart chart;
    enum portolan_status status = parse_plot(s, &p);

    (void)name;
    if (status == PORTOLAN_OK)
        status = build(&p);
    if (status == PORTOLAN_OK) {
        chart = (struct portolan_chart){.title = p.title,
                                        .x_label = p.by,
                                        .y_label = y_label(&p),
                                        .x_log = p.x_log,
                                        .y_log = p.y_log,
                                        .n_series = p.n_series,
                                        .series = p.series};
        status = write_chart(&p, &chart);
    }
    clear_plot(&p);
    return status;
}
