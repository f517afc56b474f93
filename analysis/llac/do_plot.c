/* SPDX-License-Identifier: BSD-3-Clause */
/* plot: tables as points, models as lines with their intervals. */
#include "internal.h"

#include <math.h>
#include <string.h>

enum { MAX_PLOTTED = 16, MAX_GROUPS = 8 };

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
    const char *by, *of, *file; /* or NULL */
    struct drawing drawing;
};

/* ------------------------------------------------------------------------------------ parsing */

static void parse_item(struct statement *s, struct plot *p)
{
    struct plotted *item = &p->items[p->n];

    if (p->n == MAX_PLOTTED)
        statement_fail(s, &s->now, "a plot holds at most %d things", MAX_PLOTTED);
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
        p->drawing.chart.title = llac_text(s, &s->now);
        if (s->now.kind != TOKEN_STRING)
            statement_fail(s, &s->now, "the title stands in quotes: title \"FFT\"");
        llac_advance(s);
    } else if (llac_accept(s, "logx")) {
        p->drawing.chart.x_log = true;
    } else if (llac_accept(s, "logy")) {
        p->drawing.chart.y_log = true;
    } else if (llac_accept(s, "loglog")) {
        p->drawing.chart.x_log = p->drawing.chart.y_log = true;
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
        if (t->columns[i].kind == kind && table_varies(t, i))
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
    return p->of ? table_find(item->table, p->of)
                 : table_observable(item->table, item->model ? item->model->observable : NULL);
}

static void add_points(struct plot *p, const struct plotted *item, const struct scatter *which)
{
    struct statement *s = p->s;
    size_t x = table_find(item->table, p->by), y = observable_of(p, item);

    if (y == NONE)
        statement_fail(s, &p->at, "'%s' has no column '%s'", item->name,
                       p->of ? p->of : "that was measured");
    if (x == NONE && item->model)
        return;
    if (x == NONE)
        statement_fail(s, &p->at, "'%s' has no column '%s'; `by COLUMN` says what the x axis is",
                       item->name, p->by);
    drawing_add_points(&p->drawing, item->table, x, y, which);
}

/* ------------------------------------------------------------------------------------- curves */

/* The x axis covers everything that was measured. */
static void find_span(const struct plot *p, struct curve *c)
{
    const struct portolan_model_range *r = portolan_model_peek_range(c->model, c->param);

    c->first = r->min;
    c->last = r->max;
    for (size_t i = 0; i < p->n; i++) {
        size_t column = p->items[i].table ? table_find(p->items[i].table, p->by) : NONE;
        double min, max;

        if (column != NONE && table_span(p->items[i].table, column, &min, &max)) {
            c->first = fmin(c->first, min);
            c->last = fmax(c->last, max);
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
        size_t column = item->table ? table_find(item->table, name) : NONE;

        if (i == param || llac_variable(p->s->in, name, &value) || column == NONE ||
            !table_varies(item->table, column))
            continue;
        g.params[g.n_params] = i;
        g.columns[g.n_params++] = column;
    }
    if (g.n_params)
        g.points = table_points(p->s, item->table, g.columns, g.n_params, observable_of(p, item),
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
        if (!llac_variable(p->s->in, portolan_model_peek_param(m, i), &c->at[i]))
            c->at[i] = portolan_model_peek_range(m, i)->max;
    portolan_text_add(&name, "%s", item->name);
    for (size_t k = 0; k < g->n_params; k++) {
        c->at[g->params[k]] = at[k];
        portolan_text_add(&name, ", %s = %.6g", portolan_model_peek_param(m, g->params[k]), at[k]);
    }
    c->name = name.bytes;
    if (g->n_params)
        add_points(
            p, item,
            &(struct scatter){.columns = g->columns, .values = at, .n_columns = g->n_params});
    drawing_add_curve(&p->drawing, c);
}

/* Adds the curves of a model; if there can be several, each with its rows. */
static void add_curves(struct plot *p, struct plotted *item)
{
    const struct portolan_model *m = item->model->model;
    struct curve c = {.model = m, .has_band = true, .param = model_find_param(m, p->by)};
    struct groups g;

    if (c.param == NONE)
        statement_fail(p->s, &p->at, "model '%s' does not depend on '%s'", item->name, p->by);
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
        statement_fail(p->s, &p->at, "nothing varies in '%s'; `by COLUMN` says what the x axis is",
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

void do_plot(struct statement *s)
{
    struct plot p = {.s = s, .at = s->now, .drawing.s = s};
    const char *file;

    parse_plot(s, &p);
    build_chart(&p);
    p.drawing.chart.x_label = p.by;
    p.drawing.chart.y_label = y_label(&p);
    file = p.file ? p.file : portolan_arena_printf(&s->arena, "llac.%u.svg", s->in->plots + 1);
    llac_write_file(s, &p.at, file, drawing_write(&p.drawing, &p.at, file));
    s->in->plots += !p.file;
}
