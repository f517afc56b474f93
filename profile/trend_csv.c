/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends from comma separated values. */
#include "trend.h"

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

/* Which column is what; false when reported. */
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

/* False without memory; what is wrong with the line is reported. */
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
