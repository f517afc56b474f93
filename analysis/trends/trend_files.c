/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends from files (comma separated values, Extra-P's forms), and in forms of other programs. */
#include "trend.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 64 };

/* A text that is read. */
struct source {
    const char *text, *file;
    size_t size;
    const struct portolan_trend_query *q;
    struct portolan_trends **trends;
};

/* ------------------------------------------------- from comma separated values */

struct csv {
    struct trend_builder *b;
    struct portolan_csv in;
    struct portolan_diagnostics *d;
    const char *file, *value;
    size_t n_columns, value_at, path_at, metric_at; /* NONE: there is none */
    char *names[MAX_COLUMNS];
    const char *params[MAX_PARAMS];
    size_t n_params, param_at[MAX_PARAMS];
};

static bool is_text_column(const char *name)
{
    return !strcmp(name, "callpath") || !strcmp(name, "metric");
}

/* Finds the role of each column; false after a report. */
static bool read_head(struct csv *c)
{
    c->n_columns = c->in.n_fields;
    c->value_at = c->path_at = c->metric_at = NONE;
    if (c->n_columns > MAX_COLUMNS) {
        portolan_diagnose(c->d, c->file, c->in.line, 0, "more than %d columns", (int)MAX_COLUMNS);
        return false;
    }
    memcpy(c->names, c->in.fields, c->n_columns * sizeof *c->names);
    for (size_t i = 0; i < c->n_columns; i++) {
        if (!strcmp(c->names[i], "callpath"))
            c->path_at = i;
        else if (!strcmp(c->names[i], "metric"))
            c->metric_at = i;
        else if (!c->value || !strcmp(c->names[i], c->value))
            c->value_at = i;
    }
    c->b->names_metrics = c->metric_at != NONE;
    if (c->value_at == NONE) {
        portolan_diagnose(c->d, c->file, c->in.line, 0, "no column '%s' to model",
                          c->value ? c->value : "of values");
        return false;
    }
    for (size_t i = 0; i < c->value_at; i++) {
        if (is_text_column(c->names[i]))
            continue;
        if (c->n_params == MAX_PARAMS) {
            portolan_diagnose(c->d, c->file, c->in.line, 0,
                              "more than %d columns before '%s', the value; --value names it",
                              (int)MAX_PARAMS, c->names[c->value_at]);
            return false;
        }
        if (!c->names[i][0] || strpbrk(c->names[i], " \t")) {
            portolan_diagnose(c->d, c->file, c->in.line, 0,
                              "column %zu: a parameter's name has no blanks and is not empty",
                              i + 1);
            return false;
        }
        c->param_at[c->n_params] = i;
        c->params[c->n_params++] = c->names[i];
    }
    return true;
}

static bool read_number(struct csv *c, const char *name, const char *text, double *value)
{
    if (portolan_read_double(text, value) && isfinite(*value))
        return true;
    portolan_diagnose(c->d, c->file, c->in.line, 0, "%s is '%s', want a number", name, text);
    return false;
}

/* An error in the line is reported. */
static void read_row(struct csv *c)
{
    char **fields = c->in.fields;
    const char *value = c->names[c->value_at];
    const struct trend_key key = {.path = c->path_at == NONE ? value : fields[c->path_at],
                                  .implementation = "",
                                  .metric = c->b->names_metrics ? fields[c->metric_at] : value,
                                  .n_params = c->n_params,
                                  .params = c->params};
    double x[MAX_PARAMS], y;

    if (c->in.n_fields != c->n_columns) {
        portolan_diagnose(c->d, c->file, c->in.line, 0, "%zu fields, the head has %zu",
                          c->in.n_fields, c->n_columns);
        return;
    }
    for (size_t p = 0; p < c->n_params; p++)
        if (!read_number(c, c->params[p], fields[c->param_at[p]], &x[p]))
            return;
    if (read_number(c, value, fields[c->value_at], &y))
        trend_add(c->b, &key, x, y);
}

static void read_csv(struct statement *s, const struct source *from)
{
    struct csv *c = statement_alloc(s, 1, sizeof *c);

    *c = (struct csv){.b = trend_begin(s, NULL),
                      .d = s->d,
                      .file = from->file,
                      .value = from->q->value,
                      .in = {.arena = &s->arena, .d = s->d, .file = from->file, .comment = '#'}};
    portolan_csv_begin(&c->in, from->text, from->size);
    if (portolan_csv_next(&c->in) && read_head(c))
        while (portolan_csv_next(&c->in))
            read_row(c);
    if (memchr(from->text, '\0', from->size))
        portolan_diagnose(s->d, from->file, 1, 0, "this is no text");
    else if (!s->d->count && !c->b->n_wanted)
        portolan_diagnose(s->d, from->file, c->in.line + !c->in.line, 0,
                          "no row: want a line of names, then numbers");
    if (s->d->count)
        statement_check(s, NULL, PORTOLAN_ESYNTAX);
    *from->trends = trend_finish(
        c->b, "", portolan_arena_printf(&s->arena, "%s of %s", c->names[c->value_at], from->file));
}

/* ------------------------------------------------- from Extra-P */

static void take_measurement(struct trend_builder *b, const struct portolan_measurements *m,
                             const struct portolan_measurement *item)
{
    const struct trend_key key = {.path = *item->callpath ? item->callpath : "<root>",
                                  .implementation = "",
                                  .metric = item->metric,
                                  .n_params = m->n_params,
                                  .params = (const char *const *)m->params};

    for (size_t i = 0; i < item->n_rows; i++)
        trend_add(b, &key, item->x + i * m->n_params, item->y[i]);
}

static void read_measurements(struct statement *s, const struct source *from)
{
    struct trend_builder *b = trend_begin(s, from->q->method);
    struct portolan_measurements *m = NULL;
    const char *metric = from->q->metric;

    statement_check(
        s, NULL, portolan_measurements_read(from->text, from->size, from->file, s->d, &m, &s->err));
    statement_own(s, free_measurements, m);
    for (size_t i = 1; !metric && i < m->n; i++)
        b->names_metrics = b->names_metrics || strcmp(m->items[i].metric, m->items[0].metric) != 0;
    for (size_t i = 0; i < m->n; i++)
        if (!metric || !strcmp(m->items[i].metric, metric))
            take_measurement(b, m, &m->items[i]);
    if (!b->n_wanted)
        statement_check(s, NULL,
                        portolan_error_set(&s->err, PORTOLAN_ENOTFOUND,
                                           "'%s' has no such call path or metric", from->file));
    metric = metric ? metric : m->items[0].metric;
    *from->trends = trend_finish(
        b, "",
        b->names_metrics ? from->file
                         : portolan_arena_printf(&s->arena, "%s of %s", *metric ? metric : "values",
                                                 from->file));
}

static void read_text(struct statement *s)
{
    const struct source *from = s->arg;

    (portolan_measurements_are_in(from->text) ? read_measurements : read_csv)(s, from);
}

enum portolan_status portolan_trends_read_text(const char *text, size_t size, const char *file,
                                               const struct portolan_trend_query *query,
                                               struct portolan_diagnostics *diagnostics,
                                               struct portolan_trends **trends,
                                               struct portolan_error *err)
{
    return trend_call(
        read_text,
        &(struct source){.text = text, .size = size, .file = file, .q = query, .trends = trends},
        diagnostics, err);
}

/* ------------------------------------------------- as code, text and rows */

/* "driver.go->solver.solve [heat.Band]" as "solver_solve_heat_Band", numbered if it is taken. */
static void add_identifier(const struct portolan_trends *trends, size_t i,
                           struct portolan_text *name)
{
    const char *label = trends->items[i].label;
    size_t begin = name->length;

    if (!isalpha((unsigned char)*label) && *label != '_')
        portolan_text_add(name, "model_");
    for (const char *c = label; *c; c++) {
        if (isalnum((unsigned char)*c) && (unsigned char)*c < 128)
            portolan_text_add(name, "%c", *c);
        else if (name->length > begin && name->bytes[name->length - 1] != '_')
            portolan_text_add(name, "_");
    }
    while (name->length > begin + 1 && name->bytes[name->length - 1] == '_')
        name->bytes[--name->length] = '\0';
    for (size_t k = 0; k < i; k++)
        if (!strcmp(trends->items[k].label, label)) {
            portolan_text_add(name, "_%zu", i);
            break;
        }
}

/* The model of trend I. */
static const char *write_model(const struct writing *w, size_t i)
{
    static const enum model_form forms[] = {MODEL_XML, MODEL_C, MODEL_LATEX};
    const struct trend *t = &w->t->items[i];
    struct portolan_text name = {.arena = &w->s->arena};
    char *function = NULL;

    if (!t->model)
        statement_fail(w->s, NULL, "'%s' has no model: %s", t->path, t->why ? t->why : "");
    add_identifier(w->t, i, &name);
    statement_check(w->s, NULL, portolan_model_name_c(name.bytes, &function, &w->s->err));
    statement_own(w->s, free, function);
    return model_text(w->s, NULL, t->model, forms[w->view->form], function);
}

static const char *write_rows(const struct writing *w)
{
    static const enum portolan_measurements_format formats[] = {
        PORTOLAN_MEASUREMENTS_JSONL, PORTOLAN_MEASUREMENTS_JSON, PORTOLAN_MEASUREMENTS_TEXT};
    struct table **tables = statement_alloc(w->s, w->t->n, sizeof(void *));

    for (size_t i = 0; i < w->t->n; i++)
        tables[i] = w->t->items[i].rows;
    return tables_write_extrap(w->s, NULL, tables, w->t->n,
                               formats[w->view->form - PORTOLAN_TREND_EXTRAP]);
}

static void add_text(const struct writing *w, const char *text)
{
    portolan_text_add(w->out, "%s", w->out->length ? "\n" : "");
    portolan_text_add_bytes(w->out, text, strlen(text));
    if (w->out->length && w->out->bytes[w->out->length - 1] != '\n')
        portolan_text_add(w->out, "\n");
}

void trend_write_form(const struct writing *w)
{
    if (w->view->form >= PORTOLAN_TREND_EXTRAP) {
        add_text(w, write_rows(w));
        return;
    }
    if (w->view->form == PORTOLAN_TREND_XML && w->t->n > 1)
        statement_fail(w->s, NULL, "XML holds one model, here are %zu: choose with --method",
                       w->t->n);
    for (size_t i = 0; i < w->t->n; i++)
        add_text(w, write_model(w, i));
}
