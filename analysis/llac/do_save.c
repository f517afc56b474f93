/* SPDX-License-Identifier: BSD-3-Clause */
/* save: models, tables and the session as files. */
#include "internal.h"

#include <portolan/cll_report.h>
#include <portolan/extrap.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);

    return a > b && !strcmp(text + a - b, end);
}

/* -------------------------------------------------------------------------------------- models */

static enum portolan_status write_model(struct statement *s, const struct token *at,
                                        const char *name, const struct fitted *f, const char *path,
                                        char **text)
{
    struct portolan_error err = {0};
    enum portolan_status status;

    if (ends_with(path, ".xml"))
        status = portolan_model_write_xml(f->model, text, &err);
    else if (ends_with(path, ".c") || ends_with(path, ".h"))
        status = portolan_model_write_c(f->model, name, text, &err);
    else if (ends_with(path, ".tex"))
        status = portolan_model_write_latex(f->model, text, &err);
    else
        return llac_fail(s, at, "'%s': a model's file ends in .xml, .c, .h or .tex", path);
    return status == PORTOLAN_OK ? status : llac_fail_with(s, at, status, &err);
}

/* -------------------------------------------------------------------------------------- tables */

/* How many constants the formula has; 0 when it is none. */
static unsigned count_constants(const char *formula)
{
    struct portolan_formula *f;
    struct portolan_formula_sum sum = {0};
    unsigned n = 0;

    if (!formula ||
        portolan_formula_parse(formula, strlen(formula), "", 1, 1, NULL, &f, NULL) != PORTOLAN_OK)
        return 0;
    if (portolan_formula_split(f, "", 1, 1, NULL, &sum, NULL) == PORTOLAN_OK)
        n = (unsigned)sum.n_terms;
    portolan_formula_sum_clear(&sum);
    portolan_formula_destroy(f);
    return n;
}

/* A row's processor and how many there were. */
static double label(const struct table *t, const double *row, const char *name, double otherwise)
{
    size_t column = llac_table_find(t, name);

    return column == NONE || isnan(row[column]) ? otherwise : row[column];
}

static enum portolan_status add_experiment(struct statement *s, struct portolan_cll_report *r,
                                           const struct table *t)
{
    struct portolan_cll_sample like = {.name = (char *)t->experiment,
                                       .file = (char *)t->file,
                                       .formula = (char *)t->formula,
                                       .n_constants = count_constants(t->formula),
                                       .n_begin = t->n_begin,
                                       .n_end = t->n_end,
                                       .begin_lines = t->begin_lines,
                                       .end_lines = t->end_lines};
    struct portolan_cll_sample *sample;
    size_t *places = portolan_arena_alloc(s->arena, t->n_columns, sizeof *places), n = 0;
    char **names = portolan_arena_alloc(s->arena, t->n_columns, sizeof *names);
    double *rows = NULL;

    if (!places || !names)
        return PORTOLAN_ENOMEM;
    for (int kind = COLUMN_IDENTIFIER; kind <= COLUMN_OBSERVABLE; kind++)
        for (size_t i = 0; i < t->n_columns; i++)
            if ((int)t->columns[i].kind == kind) {
                like.n_identifiers += kind == COLUMN_IDENTIFIER;
                like.n_observables += kind == COLUMN_OBSERVABLE;
                names[n] = (char *)t->columns[i].name;
                places[n++] = i;
            }
    like.identifiers = names;
    like.observables = names + like.n_identifiers;
    if (portolan_cll_report_join(r, &like, &sample) != PORTOLAN_OK ||
        (t->n_rows && !(rows = portolan_cll_sample_add_rows(sample, t->n_rows))))
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < t->n_rows; i++) {
        const double *row = llac_table_row(t, i);

        *rows++ = label(t, row, "CPU", 0);
        *rows++ = label(t, row, "NCPUS", 1);
        for (size_t k = 0; k < n; k++)
            *rows++ = row[places[k]];
    }
    return PORTOLAN_OK;
}

static enum portolan_status write_report(struct statement *s, const struct token *at,
                                         const struct table *const *tables, size_t n,
                                         const char *path, char **text)
{
    struct portolan_cll_report *r = portolan_cll_report_create();
    struct portolan_error err = {0};
    enum portolan_status status = PORTOLAN_ENOMEM;

    if (r && tables[0]->program)
        status = portolan_cll_report_add_header(r, "PROGRAM", tables[0]->program);
    else if (r)
        status = PORTOLAN_OK;
    for (size_t i = 0; status == PORTOLAN_OK && i < n; i++)
        status = add_experiment(s, r, tables[i]);
    if (status == PORTOLAN_OK)
        status = portolan_cll_report_write(
            r, ends_with(path, ".json") ? PORTOLAN_CLL_JSON : PORTOLAN_CLL_TEXT, text, &err);
    portolan_cll_report_destroy(r);
    return status == PORTOLAN_OK ? status : llac_fail_with(s, at, status, &err);
}

static enum portolan_status write_csv(struct statement *s, const struct token *at,
                                      const struct table *t, char **text)
{
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    const char *comma = "";

    for (size_t c = 0; c < t->n_columns; c++) {
        if (!llac_table_tells(t, c))
            continue;
        portolan_text_add(&out, "%s%s%s", comma, t->columns[c].name,
                          llac_unit(s, t->columns[c].unit));
        comma = ",";
    }
    for (size_t i = 0; i < t->n_rows; i++) {
        comma = "\n";
        for (size_t c = 0; c < t->n_columns; c++) {
            double value = llac_table_row(t, i)[c];

            if (!llac_table_tells(t, c))
                continue;
            portolan_text_add(&out, "%s", comma);
            if (!isnan(value))
                portolan_text_add(&out, "%.17g", value);
            comma = ",";
        }
    }
    portolan_text_add(&out, "\n");
    if (portolan_text_take(&out, text, &err) != PORTOLAN_OK)
        return llac_fail_with(s, at, PORTOLAN_ENOMEM, &err);
    return PORTOLAN_OK;
}

/* Column C of T over the identifiers, which are columns BY. */
static bool add_observable(struct portolan_measurements *m, const struct table *t, size_t c,
                           const size_t *by, double *x)
{
    struct portolan_measurement *item =
        portolan_measurements_item(m, t->experiment, t->columns[c].name);

    for (size_t i = 0; item && i < t->n_rows; i++) {
        const double *row = llac_table_row(t, i);

        for (size_t k = 0; k < m->n_params; k++)
            x[k] = row[by[k]];
        if (!isnan(row[c]) && !portolan_measurements_add(m, item, x, row[c]))
            return false;
    }
    return item;
}

/* For Extra-P: identifiers are parameters, each observable a metric. */
static enum portolan_status write_extrap(struct statement *s, const struct token *at,
                                         const struct table *t, const char *path, char **text)
{
    size_t *by = portolan_arena_alloc(s->arena, t->n_columns, sizeof *by), n = 0;
    double *x = portolan_arena_alloc(s->arena, t->n_columns, sizeof *x);
    const char **params = portolan_arena_alloc(s->arena, t->n_columns, sizeof *params);
    enum portolan_measurements_format form =
        ends_with(path, ".jsonl") ? PORTOLAN_MEASUREMENTS_JSONL : PORTOLAN_MEASUREMENTS_TEXT;
    struct portolan_measurements *m;
    struct portolan_error err = {0};
    enum portolan_status status;
    bool good;

    for (size_t c = 0; by && params && c < t->n_columns; c++)
        if (t->columns[c].kind == COLUMN_IDENTIFIER) {
            params[n] = t->columns[c].name;
            by[n++] = c;
        }
    if (!by || !x || !params || !(m = portolan_measurements_create(n, params)))
        return llac_no_memory(s);
    good = true;
    for (size_t c = 0; good && c < t->n_columns; c++)
        if (t->columns[c].kind == COLUMN_OBSERVABLE)
            good = add_observable(m, t, c, by, x);
    status = good ? portolan_measurements_write(m, form, text, &err) : llac_no_memory(s);
    portolan_measurements_destroy(m);
    return status == PORTOLAN_OK || !good ? status : llac_fail_with(s, at, status, &err);
}

enum portolan_status llac_write_tables(struct statement *s, const struct token *at,
                                       const struct table *const *tables, size_t n,
                                       const char *path, char **text)
{
    bool is_csv = ends_with(path, ".csv");

    if (ends_with(path, ".dat") || ends_with(path, ".json"))
        return write_report(s, at, tables, n, path, text);
    if (!is_csv && !ends_with(path, ".jsonl") && !ends_with(path, ".txt"))
        return llac_fail(s, at,
                         "'%s': a table's file ends in .dat or .json (reports), in "
                         ".csv, or in .txt or .jsonl (Extra-P)",
                         path);
    if (n > 1)
        return llac_fail(s, at, "'%s' holds one table; several go into a report: .dat or .json",
                         path);
    return is_csv ? write_csv(s, at, tables[0], text) : write_extrap(s, at, tables[0], path, text);
}

/* ------------------------------------------------------------------------------------- command */

static enum portolan_status put_file(struct statement *s, const struct token *at, const char *path,
                                     const char *text)
{
    struct portolan_error err = {0};
    enum portolan_status status = portolan_replace_file(path, text, strlen(text), &err);

    if (status != PORTOLAN_OK)
        return llac_fail_with(s, at, status, &err);
    portolan_text_add(&s->in->out, "%s\n", path);
    return PORTOLAN_OK;
}

static enum portolan_status parse_target(struct statement *s, struct token *at, const char **path)
{
    enum portolan_status status;

    if (!llac_accept(s, "to"))
        return llac_fail(s, &s->now, "'to' and a file's name are wanted here");
    *at = s->now;
    if ((status = llac_parse_file(s, "a file", path)) != PORTOLAN_OK)
        return status;
    return llac_parse_end(s);
}

static enum portolan_status save_session(struct statement *s)
{
    struct token at;
    const char *path;
    enum portolan_status status = parse_target(s, &at, &path);

    if (status != PORTOLAN_OK)
        return status;
    return put_file(s, &at, path, s->in->session.length ? s->in->session.bytes : "");
}

static enum portolan_status save_model(struct statement *s, const struct object *o)
{
    struct token at;
    const char *path;
    char *text = NULL;
    enum portolan_status status;

    llac_advance(s);
    if ((status = parse_target(s, &at, &path)) == PORTOLAN_OK)
        status = write_model(s, &at, o->name, o->model, path, &text);
    if (status == PORTOLAN_OK)
        status = put_file(s, &at, path, text);
    free(text);
    return status;
}

enum portolan_status do_save(struct statement *s, const char *name)
{
    const struct object *o =
        s->now.kind == TOKEN_NAME ? llac_find(s->in, llac_text(s, &s->now)) : NULL;
    struct table **tables = NULL, *t;
    struct token at;
    const char *path;
    char *text = NULL;
    size_t n = 0;
    enum portolan_status status;

    (void)name;
    if (!o && llac_accept(s, "session"))
        return save_session(s);
    if (o && o->kind == OBJECT_MODEL)
        return save_model(s, o);
    do {
        if ((status = llac_parse_table(s, &t)) != PORTOLAN_OK)
            break;
        tables = portolan_arena_grow(s->arena, tables, n, sizeof(void *));
        if (!tables) {
            llac_table_destroy(t);
            return llac_no_memory(s);
        }
        tables[n++] = t;
    } while (s->now.kind == TOKEN_NAME && !llac_is(s, "to"));
    if (status == PORTOLAN_OK)
        status = parse_target(s, &at, &path);
    if (status == PORTOLAN_OK)
        status = llac_write_tables(s, &at, (const struct table *const *)tables, n, path, &text);
    if (status == PORTOLAN_OK)
        status = put_file(s, &at, path, text);
    free(text);
    for (size_t i = 0; i < n; i++)
        llac_table_destroy(tables[i]);
    return status;
}
