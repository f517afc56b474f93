/* SPDX-License-Identifier: BSD-3-Clause */
/* plot: tables as points, models as lines with their intervals. */
#include "internal.h"
#include "model_view.h"

#include <math.h>
#include <string.h>

enum { MAX_PLOTTED = 16, MAX_SERIES = 48, MAX_GROUPS = 8 };

/* A table or model to draw. */
struct plotted {
    const char *name;
    const struct fitted *model; /* or NULL */
    const struct table *table;  /* for a model its rows, or NULL */
    bool is_drawn;              /* the rows are drawn with the curves */
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

/* ------------------------------------------------------------------------------------ parsing */

static void parse_item(struct statement *s, struct plot *p)
{
    struct plotted *item = &p->items[p->n];

    if (p->n == MAX_PLOTTED)
        llac_fail(s, &s->now, "a plot holds at most %d things", MAX_PLOTTED);
    item->name = llac_text(s, &s->now);
    item->model = llac_accept_model(s);
    item->table = item->model ? item->model->points : llac_parse_table(s);
    p->n++;
}

/* False if no option begins here. */
static bool parse_option(struct statement *s, struct plot *p)
{
    if (llac_accept(s, "by")) {
        p->by = llac_parse_name(s, "a column or parameter");
    } else if (llac_accept(s, "of")) {
        p->of = llac_parse_name(s, "what was measured");
    } else if (llac_accept(s, "to")) {
        p->file = llac_parse_file(s, "a file such as fft.svg");
    } else if (llac_accept(s, "title")) {
        p->title = llac_text(s, &s->now);
        if (s->now.kind != TOKEN_STRING)
            llac_fail(s, &s->now, "the title stands in quotes: title \"FFT\"");
        llac_advance(s);
    } else if (llac_accept(s, "logx")) {
        p->x_log = true;
    } else if (llac_accept(s, "logy")) {
        p->y_log = true;
    } else if (llac_accept(s, "loglog")) {
        p->x_log = p->y_log = true;
    } else {
        return false;
    }
    return true;
}

static void parse_plot(struct statement *s, struct plot *p)
{
    do
        parse_item(s, p);
    while (s->now.kind == TOKEN_NAME && !llac_is_stop(s));
    while (parse_option(s, p))
        ;
    llac_parse_end(s);
}

/* ------------------------------------------------------------------------------------ choosing */

/* The first column of that kind that varies, or NULL. */
static const char *first_that_varies(const struct table *t, enum column_kind kind)
{
    for (size_t i = 0; t && i < t->n_columns; i++)
        if (t->columns[i].kind == kind && llac_table_varies(t, i))
            return t->columns[i].name;
    return NULL;
}

/* For a model the first parameter that varies, else the first identifier or label that varies. */
static const char *choose_x(const struct plotted *item)
{
    const struct portolan_model *m = item->model ? item->model->model : NULL;
    const char *identifier = first_that_varies(item->table, COLUMN_IDENTIFIER);

    for (size_t p = 0; m && p < portolan_model_n_params(m); p++) {
        const struct portolan_model_range *r = portolan_model_peek_range(m, p);

        if (r->min < r->max)
            return portolan_model_peek_param(m, p);
    }
    return identifier ? identifier : first_that_varies(item->table, COLUMN_LABEL);
}

static size_t observable_of(const struct plot *p, const struct plotted *item)
{
    return p->of ? llac_table_find(item->table, p->of)
                 : llac_table_observable(item->table, item->model ? item->model->observable : NULL);
}

static struct portolan_chart_series *add_series(struct plot *p, enum portolan_chart_kind kind,
                                                const char *name)
{
    struct portolan_chart_series *series = &p->series[p->n_series];

    if (p->n_series == MAX_SERIES)
        llac_fail(p->s, &p->at, "this is too much for one plot");
    *series = (struct portolan_chart_series){.kind = kind, .name = name};
    p->n_series++;
    return series;
}

/* Rows to draw as points: all rows, or those of one curve. Not averaged, to show their scatter. */
struct scatter {
    const char *name;      /* NULL: the points belong to a curve */
    const size_t *columns; /* N_COLUMNS columns that must have … */
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

static void add_points(struct plot *p, const struct plotted *item, const struct scatter *which)
{
    struct statement *s = p->s;
    const struct table *t = item->table;
    size_t x = llac_table_find(t, p->by), y = observable_of(p, item);
    double *at = llac_alloc(s, t->n_rows, 2 * sizeof *at);
    struct portolan_chart_series *series;

    if (y == NONE)
        llac_fail(s, &p->at, "'%s' has no column '%s'", item->name,
                  p->of ? p->of : "that was measured");
    if (x == NONE && item->model)
        return;
    if (x == NONE)
        llac_fail(s, &p->at, "'%s' has no column '%s'; `by COLUMN` says what the x axis is",
                  item->name, p->by);
    series = add_series(p, PORTOLAN_CHART_POINTS, which->name);
    series->x = at;
    series->y = at + t->n_rows;
    for (size_t i = 0; i < t->n_rows; i++) {
        const double *row = llac_table_row(t, i);

        if (!is_of(which, row))
            continue;
        at[series->n] = row[x];
        at[t->n_rows + series->n++] = row[y];
    }
}

/* ------------------------------------------------------------------------------------- curves */

/* A curve and the parameters that are fixed on it. */
struct curve {
    const struct fitted *f;
    const char *name;
    size_t param;                        /* the parameter along the x axis */
    double x[PORTOLAN_MODEL_MAX_PARAMS]; /* values of the other parameters */
    double min, max;
};

/* Adds the line and the band of one curve. */
static void add_curve(struct plot *p, const struct curve *c)
{
    struct portolan_chart_series *band = add_series(p, PORTOLAN_CHART_BAND, NULL);
    struct portolan_chart_series *line = add_series(p, PORTOLAN_CHART_LINE, c->name);
    double at[PORTOLAN_MODEL_MAX_PARAMS];
    struct model_curve curve;

    memcpy(at, c->x, sizeof at);
    model_trace(c->f->model, c->param, at, c->min, c->max, p->x_log && c->min > 0, &p->s->arena,
                &curve);
    band->x = line->x = curve.x;
    line->y = curve.y;
    band->low = curve.low;
    band->high = curve.high;
    band->n = line->n = curve.n;
}

/* The x axis covers everything that was measured. */
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

/* The combinations of measured values of those other parameters that no variable fixes. */
struct groups {
    struct points points;
    size_t n_params, params[PORTOLAN_MODEL_MAX_PARAMS], columns[PORTOLAN_MODEL_MAX_PARAMS];
};

static struct groups find_groups(struct plot *p, const struct plotted *item, size_t param)
{
    const struct portolan_model *m = item->model->model;
    struct groups g = {.points.n = 1};
    double value;

    for (size_t i = 0; i < portolan_model_n_params(m); i++) {
        const char *name = portolan_model_peek_param(m, i);
        size_t column = item->table ? llac_table_find(item->table, name) : NONE;

        if (i == param || llac_variable(p->s->in, name, &value) || column == NONE ||
            !llac_table_varies(item->table, column))
            continue;
        g.params[g.n_params] = i;
        g.columns[g.n_params++] = column;
    }
    if (g.n_params)
        g.points = llac_points(p->s, item->table, g.columns, g.n_params, observable_of(p, item),
                               PORTOLAN_MODEL_MEDIAN);
    return g;
}

/* Adds the curve for the values AT of a group's parameters, and its rows. */
static void add_group(struct plot *p, const struct plotted *item, const struct groups *g,
                      const double *at, struct curve *c)
{
    const struct portolan_model *m = item->model->model;
    struct portolan_text name = {.arena = &p->s->arena};

    for (size_t i = 0; i < portolan_model_n_params(m); i++)
        if (!llac_variable(p->s->in, portolan_model_peek_param(m, i), &c->x[i]))
            c->x[i] = portolan_model_peek_range(m, i)->max;
    portolan_text_add(&name, "%s", item->name);
    for (size_t k = 0; k < g->n_params; k++) {
        c->x[g->params[k]] = at[k];
        portolan_text_add(&name, ", %s = %.6g", portolan_model_peek_param(m, g->params[k]), at[k]);
    }
    c->name = name.bytes;
    if (g->n_params)
        add_points(
            p, item,
            &(struct scatter){.columns = g->columns, .values = at, .n_columns = g->n_params});
    add_curve(p, c);
}

/* Adds the curves of a model; if there can be several, each with its rows. */
static void add_curves(struct plot *p, struct plotted *item)
{
    const struct portolan_model *m = item->model->model;
    struct curve c = {.f = item->model, .param = llac_find_param(m, p->by)};
    struct groups g;

    if (c.param == NONE)
        llac_fail(p->s, &p->at, "model '%s' does not depend on '%s'", item->name, p->by);
    find_span(p, &c);
    g = find_groups(p, item, c.param);
    item->is_drawn = g.n_params > 0;
    if (g.points.n > MAX_GROUPS)
        llac_warn(p->s->in, "%s: the first %d of %zu curves are drawn; `%s = VALUE` chooses one",
                  item->name, MAX_GROUPS, g.points.n, portolan_model_peek_param(m, g.params[0]));
    for (size_t i = 0; i < g.points.n && i < MAX_GROUPS; i++)
        add_group(p, item, &g, g.points.x + i * g.n_params, &c);
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
            return portolan_arena_printf(&p->s->arena, "%s%s", name, llac_unit(p->s, unit));
    }
    return p->of;
}

/* Curves are drawn first, so that points are on top. */
static void build_chart(struct plot *p)
{
    for (size_t i = 0; !p->by && i < p->n; i++)
        p->by = choose_x(&p->items[i]);
    if (!p->by)
        llac_fail(p->s, &p->at, "nothing varies in '%s'; `by COLUMN` says what the x axis is",
                  p->items[0].name);
    for (size_t i = 0; i < p->n; i++)
        if (p->items[i].model)
            add_curves(p, &p->items[i]);
    for (size_t i = 0; i < p->n; i++) {
        const struct plotted *item = &p->items[i];
        const char *name = item->model
                               ? portolan_arena_printf(&p->s->arena, "%s: measured", item->name)
                               : item->name;

        if (item->table && !item->is_drawn)
            add_points(p, item, &(struct scatter){.name = name});
    }
}

/* Writes to the file that the user names, or to a numbered one. */
static void write_chart(struct plot *p, const struct portolan_chart *chart)
{
    struct statement *s = p->s;
    const char *file = p->file;
    char *text = NULL;

    if (!file)
        file = portolan_arena_printf(&s->arena, "llac.%u.svg", s->in->plots + 1);
    llac_check(s, &p->at, portolan_chart_write(chart, file, &text, &s->err));
    llac_own(s, OWNED_TEXT, text);
    llac_write_file(s, &p->at, file, text);
    s->in->plots += !p->file;
}

void do_plot(struct statement *s)
{
    struct plot p = {.s = s, .at = s->now};
    struct portolan_chart chart;

    parse_plot(s, &p);
    build_chart(&p);
    chart = (struct portolan_chart){.title = p.title,
                                    .x_label = p.by,
                                    .y_label = y_label(&p),
                                    .x_log = p.x_log,
                                    .y_log = p.y_log,
                                    .n_series = p.n_series,
                                    .series = p.series};
    write_chart(&p, &chart);
}
