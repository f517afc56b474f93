/* SPDX-License-Identifier: BSD-3-Clause */
/* save: models, tables and the session as files. */
#include "internal.h"

#include <portolan/cll_report.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);

    return a > b && !strcmp(text + a - b, end);
}

/* -------------------------------------------------------------------------------------- models */

static const char *write_model(struct statement *s, const struct token *at, const char *name,
                               const struct portolan_model *m, const char *path)
{
    if (ends_with(path, ".xml"))
        return model_text(s, at, m, MODEL_XML, NULL);
    if (ends_with(path, ".c") || ends_with(path, ".h"))
        return model_text(s, at, m, MODEL_C, name);
    statement_fail(s, at, "'%s': a model's file ends in .xml, .c or .h", path);
}

/* -------------------------------------------------------------------------------------- tables */

/* The number of constants in the formula; 0 when it is not valid. */
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

/* The value of a label, such as the processor, in a row; OTHERWISE when it is missing. */
static double label(const struct table *t, const double *row, const char *name, double otherwise)
{
    size_t column = table_find(t, name);

    return column == NONE || isnan(row[column]) ? otherwise : row[column];
}

static void add_experiment(struct statement *s, struct portolan_cll_report *r,
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
    size_t *places = statement_alloc(s, t->n_columns, sizeof *places), n = 0;
    char **names = statement_alloc(s, t->n_columns, sizeof *names);
    double *rows = NULL;

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
        statement_no_memory(s);
    for (size_t i = 0; i < t->n_rows; i++) {
        const double *row = table_row(t, i);

        *rows++ = label(t, row, "CPU", 0);
        *rows++ = label(t, row, "NCPUS", 1);
        for (size_t k = 0; k < n; k++)
            *rows++ = row[places[k]];
    }
}

static const char *write_report(struct statement *s, const struct token *at,
                                struct table *const *tables, size_t n, enum portolan_cll_form form)
{
    struct portolan_cll_report *r = portolan_cll_report_create();
    const char *program = tables[0]->program;
    char *text = NULL;

    statement_own(s, free_report, r);
    if (!r || (program && portolan_cll_report_add_header(r, "PROGRAM", program) != PORTOLAN_OK))
        statement_no_memory(s);
    for (size_t i = 0; i < n; i++)
        add_experiment(s, r, tables[i]);
    statement_check(s, at, portolan_cll_report_write(r, form, &text, &s->err));
    statement_own(s, free, text);
    return text;
}

static const char *write_csv(struct statement *s, const struct table *t)
{
    struct portolan_text out = {.arena = &s->arena};

    t = llac_table_to_show(&s->arena, t);
    for (size_t c = 0; c < t->n_columns; c++)
        portolan_text_add(&out, "%s%s%s", c ? "," : "", t->columns[c].name,
                          llac_unit(s, t->columns[c].unit));
    for (size_t i = 0; i < t->n_rows; i++)
        for (size_t c = 0; c < t->n_columns; c++) {
            double value = table_row(t, i)[c];

            portolan_text_add(&out, c ? "," : "\n");
            if (!isnan(value))
                portolan_text_add(&out, "%.17g", value);
        }
    portolan_text_add(&out, "\n");
    return out.bytes;
}

static const char *write_tables(struct statement *s, const struct token *at,
                                struct table *const *tables, size_t n, const char *path)
{
    bool is_csv = ends_with(path, ".csv");

    if (ends_with(path, ".dat"))
        return write_report(s, at, tables, n, PORTOLAN_CLL_TEXT);
    if (ends_with(path, ".json"))
        return write_report(s, at, tables, n, PORTOLAN_CLL_JSON);
    if (!is_csv && !ends_with(path, ".txt"))
        statement_fail(
            s, at,
            "'%s': a table's file ends in .dat or .json (reports), in .csv, or in .txt (Extra-P)",
            path);
    if (n > 1)
        statement_fail(s, at, "'%s' holds one table; several go into a report: .dat or .json",
                       path);
    return is_csv ? write_csv(s, tables[0])
                  : tables_write_extrap(s, at, tables, 1, PORTOLAN_MEASUREMENTS_TEXT);
}

/* ------------------------------------------------------------------------------------- command */

static const char *parse_target(struct statement *s, struct token *at)
{
    const char *path;

    if (!llac_accept(s, "to"))
        statement_fail(s, &s->now, "expected 'to' and a file name");
    *at = s->now;
    path = llac_parse_file(s, "a file");
    llac_parse_end(s);
    return path;
}

void do_save(struct statement *s)
{
    const struct object *o = llac_peek_object(s);
    struct table **tables = NULL;
    struct token at;
    const char *path, *text;
    size_t n = 0;

    if (!o && llac_accept(s, "session")) {
        path = parse_target(s, &at);
        text = s->in->session.length ? s->in->session.bytes : "";
    } else if (llac_accept_model(s)) {
        path = parse_target(s, &at);
        text = write_model(s, &at, o->name, o->model->model, path);
    } else {
        do {
            tables = portolan_arena_grow(&s->arena, tables, n, sizeof(void *));
            tables[n++] = llac_parse_table(s);
        } while (s->now.kind == TOKEN_NAME && !llac_is(s, "to"));
        path = parse_target(s, &at);
        text = write_tables(s, &at, tables, n, path);
    }
    llac_write_file(s, &at, path, text);
}
