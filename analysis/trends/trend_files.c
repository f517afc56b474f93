/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends from files (comma separated values, Extra-P's forms), and in forms of other programs. */
#include "trend.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A text that is read. */
struct source {
    const char *text, *file;
    size_t size;
    const struct portolan_trend_query *q;
    struct portolan_trends **trends;
};

/* ------------------------------------------------- from comma separated values */

/* The roles of columns. */
struct roles {
    size_t value, path, metric; /* NONE: there is none */
    size_t n_params, param_at[MAX_PARAMS];
    const char *params[MAX_PARAMS];
};

/* Finds the role of each column; false after a report. VALUE NULL: the last column of numbers. */
static bool find_roles(const struct csv *c, const char *value, struct roles *r)
{
    const struct table *t = c->table;

    *r = (struct roles){.value = value ? table_find(t, value) : c->n - 1,
                        .path = table_find(t, "callpath"),
                        .metric = table_find(t, "metric")};
    while (!value && r->value != NONE && csv_is_text(c, r->value))
        r->value--;
    if (r->value == NONE)
        portolan_diagnose(c->s->d, c->in.file, c->in.line, 0, "no column %s%s%s to model",
                          value ? "'" : "of ", value ? value : "numbers", value ? "'" : "");
    for (size_t i = 0; r->value != NONE && i < r->value && r->n_params <= MAX_PARAMS; i++) {
        if (csv_is_text(c, i))
            continue;
        if (strpbrk(t->columns[i].name, " \t"))
            portolan_diagnose(c->s->d, c->in.file, c->in.line, 0,
                              "column %zu: a parameter's name has no blanks", i + 1);
        if (r->n_params < MAX_PARAMS) {
            r->param_at[r->n_params] = i;
            r->params[r->n_params] = t->columns[i].name;
        }
        r->n_params++;
    }
    if (r->n_params > MAX_PARAMS)
        portolan_diagnose(c->s->d, c->in.file, c->in.line, 0,
                          "more than %d columns before '%s', the value; --value names it",
                          (int)MAX_PARAMS, t->columns[r->value].name);
    return !c->s->d->count;
}

static void take_row(struct trend_builder *b, const struct csv *c, const struct roles *r,
                     const double *row)
{
    const char *value = c->table->columns[r->value].name;
    const struct trend_key key = {.path = r->path == NONE ? value : c->in.fields[r->path],
                                  .implementation = "",
                                  .metric = r->metric == NONE ? value : c->in.fields[r->metric],
                                  .n_params = r->n_params,
                                  .params = r->params};
    double x[MAX_PARAMS];

    for (size_t p = 0; p < r->n_params; p++)
        x[p] = row[r->param_at[p]];
    trend_add(b, &key, x, row[r->value], false);
}

static void read_csv(struct statement *s, const struct source *from)
{
    struct csv c = {
        .s = s, .in.file = from->file, .is_complete = true, .table = table_create(&s->arena, NULL)};
    struct trend_builder *b = trend_begin(s, NULL);
    const struct column *value;
    const double *row;
    struct roles roles;

    if (csv_begin(&c, from->text, from->size) && !s->d->count &&
        find_roles(&c, from->q->value, &roles)) {
        b->names_metrics = roles.metric != NONE;
        while ((row = csv_next(&c)))
            take_row(b, &c, &roles, row);
    }
    if (memchr(from->text, '\0', from->size))
        portolan_diagnose(s->d, from->file, 1, 0, "this is not text");
    else if (!s->d->count && !b->n_wanted)
        portolan_diagnose(s->d, from->file, c.in.line + !c.in.line, 0,
                          "no row; write a line of names, then lines of numbers");
    if (s->d->count)
        statement_check(s, NULL, PORTOLAN_ESYNTAX);
    value = &c.table->columns[roles.value];
    *from->trends =
        trend_finish(b, value->unit ? value->unit : "",
                     portolan_arena_printf(&s->arena, "%s of %s", value->name, from->file));
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
        trend_add(b, &key, item->x + i * m->n_params, item->y[i], false);
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

    (portolan_measurements_are_in(from->text) ||
             portolan_measurements_foreign_form(from->text, from->size)
         ? read_measurements
         : read_csv)(s, from);
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
    static const enum model_form forms[] = {MODEL_XML, MODEL_C};
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
    struct table **tables = statement_alloc(w->s, w->t->n, sizeof(void *));

    for (size_t i = 0; i < w->t->n; i++)
        tables[i] = w->t->items[i].rows;
    return tables_write_extrap(w->s, NULL, tables, w->t->n,
                               w->view->form == PORTOLAN_TREND_EXTRAP ? PORTOLAN_MEASUREMENTS_JSON
                                                                      : PORTOLAN_MEASUREMENTS_TEXT);
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
        statement_fail(w->s, NULL,
                       "XML holds one model, but there are %zu; select one with --method", w->t->n);
    for (size_t i = 0; i < w->t->n; i++)
        add_text(w, write_model(w, i));
}
