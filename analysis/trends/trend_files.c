/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends from files (comma separated values, Extra-P's forms), and in forms of other programs. */
#include "trend.h"

#include <portolan/extrap.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 64, MAX_PARAMS = PORTOLAN_MODEL_MAX_PARAMS };

struct csv {
    struct trend_builder b;
    struct portolan_csv in;
    struct portolan_diagnostics *d;
    const char *file, *value;
    size_t n_columns, value_at, path_at, metric_at; /* SIZE_MAX: there is none */
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
    c->value_at = c->path_at = c->metric_at = SIZE_MAX;
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
    c->b.names_metrics = c->metric_at != SIZE_MAX;
    if (c->value_at == SIZE_MAX) {
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

/* False without memory; an error in the line is reported. */
static bool read_row(struct csv *c)
{
    char **fields = c->in.fields;
    const char *value = c->names[c->value_at];
    const struct trend_series series = {.place.path =
                                            c->path_at == SIZE_MAX ? value : fields[c->path_at],
                                        .implementation = "",
                                        .metric = c->b.names_metrics ? fields[c->metric_at] : value,
                                        .n_params = c->n_params,
                                        .params = c->params};
    double x[MAX_PARAMS], y;

    if (c->in.n_fields != c->n_columns) {
        portolan_diagnose(c->d, c->file, c->in.line, 0, "%zu fields, the head has %zu",
                          c->in.n_fields, c->n_columns);
        return true;
    }
    for (size_t p = 0; p < c->n_params; p++)
        if (!read_number(c, c->params[p], fields[c->param_at[p]], &x[p]))
            return true;
    if (!read_number(c, value, fields[c->value_at], &y))
        return true;
    return trend_add(&c->b, &series, x, y);
}

static bool read_lines(struct csv *c)
{
    if (!portolan_csv_next(&c->in) || !read_head(c))
        return !c->in.arena->failed;
    while (portolan_csv_next(&c->in))
        if (!read_row(c))
            return false;
    return !c->in.arena->failed;
}

static enum portolan_status finish(struct csv *c, struct portolan_trends **trends,
                                   struct portolan_error *err)
{
    const char *what =
        portolan_arena_printf(&c->b.arena, "%s of %s", c->names[c->value_at], c->file);

    return what ? trend_finish(&c->b, "", what, 0, trends, err) : portolan_no_memory(err);
}

enum portolan_status portolan_trends_read_csv(const char *text, size_t size, const char *file,
                                              const char *value,
                                              struct portolan_diagnostics *diagnostics,
                                              struct portolan_trends **trends,
                                              struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {.user = diagnostics, .err = err};
    struct portolan_diagnostics d = {.report = portolan_diagnostics_relay, .arg = &relay};
    struct portolan_arena fields = {0};
    struct csv c = {.d = &d, .file = file, .value = value};
    enum portolan_status status;

    c.in = (struct portolan_csv){.arena = &fields, .d = &d, .file = file, .comment = '#'};
    portolan_csv_begin(&c.in, text, size);
    status = read_lines(&c) ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    if (!status && memchr(text, '\0', size))
        portolan_diagnose(&d, file, 1, 0, "this is no text");
    else if (!status && !d.count && c.b.n_series == 0)
        portolan_diagnose(&d, file, c.in.line + !c.in.line, 0,
                          "no row: want a line of names, then numbers");
    if (status)
        portolan_error_set(err, status, "out of memory");
    else if (d.count)
        status = PORTOLAN_ESYNTAX;
    else
        status = finish(&c, trends, err);
    portolan_arena_clear(&fields);
    trend_clear(&c.b);
    return status;
}

/* ------------------------------------------------- from Extra-P */

static bool take_measurements(struct trend_builder *b, const struct portolan_measurements *m,
                              const struct portolan_measurement *item)
{
    const struct trend_series series = {.place.path = *item->callpath ? item->callpath : "<root>",
                                        .implementation = "",
                                        .metric = item->metric,
                                        .n_params = m->n_params,
                                        .params = (const char *const *)m->params};
    bool good = true;

    for (size_t i = 0; i < item->n_rows && good; i++)
        good = trend_add(b, &series, item->x + i * m->n_params, item->y[i]);
    return good;
}

enum portolan_status portolan_trends_of_measurements(const struct portolan_measurements *m,
                                                     const struct portolan_trend_query *query,
                                                     const char *source,
                                                     struct portolan_trends **trends,
                                                     struct portolan_error *err)
{
    struct trend_builder b = {.method = query->method};
    bool several = false, good = true;
    const char *what, *metric = query->metric ? query->metric : m->n ? m->items[0].metric : "";

    for (size_t i = 1; i < m->n; i++)
        several = several || strcmp(m->items[i].metric, m->items[0].metric) != 0;
    b.names_metrics = several && !query->metric;
    for (size_t i = 0; i < m->n && good; i++)
        if (!query->metric || !strcmp(m->items[i].metric, query->metric))
            good = take_measurements(&b, m, &m->items[i]);
    what = b.names_metrics
               ? portolan_arena_strdup(&b.arena, source)
               : portolan_arena_printf(&b.arena, "%s of %s", *metric ? metric : "values", source);
    if (good && what && b.n_series)
        return trend_finish(&b, "", what, 0, trends, err);
    good = good && what;
    trend_clear(&b);
    return good ? portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                     "'%s' has no such call path or metric", source)
                : portolan_no_memory(err);
}

/* ------------------------------------------------- to Extra-P */

static bool same_params(const struct portolan_trend *a, const struct portolan_trend *b)
{
    bool same = a->n_params == b->n_params;

    for (size_t p = 0; same && p < a->n_params; p++)
        same = !strcmp(a->params[p], b->params[p]);
    return same;
}

static bool add_trend(struct portolan_measurements *m, const struct portolan_trend *t)
{
    struct portolan_measurement *item = portolan_measurements_item(m, t->callpath, t->metric);
    bool good = item;

    for (size_t i = 0; good && i < t->n_rows; i++)
        good = portolan_measurements_add(m, item, t->x + i * t->n_params, t->y[i]);
    return good;
}

static enum portolan_status check_params(const struct portolan_trends *trends,
                                         struct portolan_error *err)
{
    const struct portolan_trend *first = &trends->items[0];

    if (!first->n_params)
        return portolan_error_set(err, PORTOLAN_EINVAL, "Extra-P wants at least one parameter");
    for (size_t i = 1; i < trends->n; i++)
        if (!same_params(first, &trends->items[i]))
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "Extra-P wants the same parameters everywhere; '%s' has "
                                      "others than '%s' (choose with --method)",
                                      trends->items[i].path, first->path);
    return PORTOLAN_OK;
}

enum portolan_status portolan_trends_write_extrap(const struct portolan_trends *trends,
                                                  enum portolan_measurements_format format,
                                                  char **text, struct portolan_error *err)
{
    const struct portolan_trend *first = &trends->items[0];
    enum portolan_status status = check_params(trends, err);
    struct portolan_measurements *m =
        status ? NULL : portolan_measurements_create(first->n_params, first->params);
    bool good = m;

    for (size_t i = 0; good && i < trends->n; i++)
        good = add_trend(m, &trends->items[i]);
    if (good)
        status = portolan_measurements_write(m, format, text, err);
    else if (!status)
        status = portolan_no_memory(err);
    portolan_measurements_destroy(m);
    return status;
}

/* ------------------------------------------------- models as code and text */

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

static enum portolan_status write_model(const struct portolan_trends *trends, size_t i,
                                        enum portolan_trend_form form, char **text,
                                        struct portolan_error *err)
{
    const struct portolan_trend *t = &trends->items[i];
    struct portolan_text name = {0};
    enum portolan_status status;
    char *function = NULL;

    if (!t->model)
        return portolan_error_set(err, PORTOLAN_EINVAL, "'%s' has no model: %s", t->path,
                                  t->why ? t->why : "");
    if (form == PORTOLAN_TREND_XML)
        return portolan_model_write_xml(t->model, text, err);
    if (form == PORTOLAN_TREND_LATEX)
        return portolan_model_write_latex(t->model, text, err);
    add_identifier(trends, i, &name);
    status =
        name.failed ? portolan_no_memory(err) : portolan_model_name_c(name.bytes, &function, err);
    if (!status)
        status = portolan_model_write_c(t->model, function, text, err);
    free(function);
    portolan_text_clear(&name);
    return status;
}

enum portolan_status portolan_trends_write_form(const struct portolan_trends *trends,
                                                enum portolan_trend_form form,
                                                struct portolan_text *out,
                                                struct portolan_error *err)
{
    static const enum portolan_measurements_format formats[] = {
        PORTOLAN_MEASUREMENTS_JSONL, PORTOLAN_MEASUREMENTS_JSON, PORTOLAN_MEASUREMENTS_TEXT};
    enum portolan_status status = PORTOLAN_OK;
    bool rows = form >= PORTOLAN_TREND_EXTRAP;
    size_t n = rows ? 1 : trends->n;

    if (form == PORTOLAN_TREND_XML && trends->n > 1)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "XML holds one model, here are %zu: choose with --method",
                                  trends->n);
    for (size_t i = 0; !status && i < n; i++) {
        char *text = NULL;

        status = rows ? portolan_trends_write_extrap(trends, formats[form - PORTOLAN_TREND_EXTRAP],
                                                     &text, err)
                      : write_model(trends, i, form, &text, err);
        if (!status && i)
            portolan_text_add(out, "\n");
        if (!status)
            portolan_text_add_bytes(out, text, strlen(text));
        if (!status && out->length && out->bytes && out->bytes[out->length - 1] != '\n')
            portolan_text_add(out, "\n");
        free(text);
    }
    return status;
}
