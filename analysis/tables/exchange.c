/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables from and to Extra-P; models as XML and C. */
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void table_add_measurement(struct table *t, const struct portolan_measurements *m,
                           const struct portolan_measurement *item, const char *metric,
                           const char *unit)
{
    size_t *places = portolan_arena_alloc(t->arena, m->n_params + 1, sizeof *places);

    for (size_t i = 0; i < m->n_params; i++)
        places[i] = table_put_column(t, m->params[i], COLUMN_IDENTIFIER, NULL);
    places[m->n_params] = table_put_column(t, metric, COLUMN_OBSERVABLE, unit);
    for (size_t i = 0; i < item->n_rows; i++) {
        double *row = table_add_row(t);

        for (size_t k = 0; k < m->n_params; k++)
            row[places[k]] = item->x[i * m->n_params + k];
        row[places[m->n_params]] = item->y[i];
    }
}

/* The names of T's identifiers, and their columns BY. */
static size_t find_params(const struct table *t, const char **names, size_t *by)
{
    size_t n = 0;

    for (size_t c = 0; c < t->n_columns; c++)
        if (t->columns[c].kind == COLUMN_IDENTIFIER) {
            names[n] = t->columns[c].name;
            by[n++] = c;
        }
    return n;
}

/* Adds column C of T as a metric; the parameters are in the columns BY. */
static void add_observable(struct statement *s, struct portolan_measurements *m,
                           const struct table *t, size_t c, const size_t *by)
{
    struct portolan_measurement *item =
        portolan_measurements_item(m, t->experiment, t->columns[c].name);
    double *x = statement_alloc(s, m->n_params, sizeof *x);

    if (!item)
        statement_no_memory(s);
    for (size_t i = 0; i < t->n_rows; i++) {
        const double *row = table_row(t, i);

        for (size_t k = 0; k < m->n_params; k++)
            x[k] = row[by[k]];
        if (!isnan(row[c]) && !portolan_measurements_add(m, item, x, row[c]))
            statement_no_memory(s);
    }
}

static void add_table(struct statement *s, const struct token *at, struct portolan_measurements *m,
                      const struct table *t, const char *first)
{
    const char **names = statement_alloc(s, t->n_columns, sizeof *names);
    size_t *by = statement_alloc(s, t->n_columns, sizeof *by), n = find_params(t, names, by);
    bool same = n == m->n_params;

    for (size_t p = 0; same && p < n; p++)
        same = !strcmp(names[p], m->params[p]);
    if (!same)
        statement_fail(s, at,
                       "Extra-P needs the same parameters everywhere; those of '%s' and '%s' "
                       "differ (select with --method)",
                       t->experiment, first);
    for (size_t c = 0; c < t->n_columns; c++)
        if (t->columns[c].kind == COLUMN_OBSERVABLE)
            add_observable(s, m, t, c, by);
}

const char *tables_write_extrap(struct statement *s, const struct token *at,
                                struct table *const *tables, size_t n,
                                enum portolan_measurements_format form)
{
    const char **names = statement_alloc(s, tables[0]->n_columns, sizeof *names);
    size_t *by = statement_alloc(s, tables[0]->n_columns, sizeof *by);
    struct portolan_measurements *m =
        portolan_measurements_create(find_params(tables[0], names, by), names);
    char *text = NULL;

    if (!m)
        statement_no_memory(s);
    statement_own(s, free_measurements, m);
    for (size_t i = 0; i < n; i++)
        add_table(s, at, m, tables[i], tables[0]->experiment);
    statement_check(s, at, portolan_measurements_write(m, form, &text, &s->err));
    statement_own(s, free, text);
    return text;
}

const char *model_text(struct statement *s, const struct token *at, const struct portolan_model *m,
                       enum model_form form, const char *name)
{
    char *text = NULL;

    statement_check(s, at,
                    form == MODEL_XML ? portolan_model_write_xml(m, &text, &s->err)
                                      : portolan_model_write_c(m, name, &text, &s->err));
    statement_own(s, free, text);
    return text;
}
