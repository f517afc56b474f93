/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables from texts: reports of annotated programs, Extra-P's measurements, and CSV with a head, as
 * written by spreadsheets and people.
 */
#include "internal.h"

#include <portolan/cll_report.h>
#include <portolan/extrap.h>

#include <stdlib.h>
#include <string.h>

void free_report(void *report)
{
    portolan_cll_report_destroy(report);
}

static const char *unit_of(const char *observable)
{
    return strstr(observable, "CLOCK") || strstr(observable, "TIME") ? "s" : NULL;
}

/* Adds CPU, NCPUS, identifiers and observables, in a report's order. */
static void add_columns(const struct portolan_cll_sample *e, struct table *t, size_t *places)
{
    *places++ = table_put_column(t, "CPU", COLUMN_LABEL, NULL);
    *places++ = table_put_column(t, "NCPUS", COLUMN_LABEL, NULL);
    for (size_t i = 0; i < e->n_identifiers; i++)
        *places++ = table_put_column(t, e->identifiers[i], COLUMN_IDENTIFIER, NULL);
    for (size_t i = 0; i < e->n_observables; i++)
        *places++ =
            table_put_column(t, e->observables[i], COLUMN_OBSERVABLE, unit_of(e->observables[i]));
}

/* The experiment's name, with that of its source file if several experiments have the name. */
static const char *name_of(struct statement *s, const struct portolan_cll_report *r,
                           const struct portolan_cll_sample *e)
{
    const char *dot = e->file ? strrchr(e->file, '.') : NULL;
    size_t n = 0;

    for (size_t i = 0; i < r->n_experiments; i++)
        n += !strcmp(r->experiments[i].name, e->name);
    if (n < 2 || !e->file)
        return e->name;
    return portolan_arena_printf(
        &s->arena, "%s_%.*s", e->name,
        (int)(dot && !strchr(dot, '/') ? (size_t)(dot - e->file) : strlen(e->file)), e->file);
}

static void take_experiment(struct statement *s, const struct portolan_cll_report *r,
                            const struct portolan_cll_sample *e, struct loaded *l)
{
    struct table *t = llac_loaded_add(s, l, name_of(s, r, e));
    size_t n = 2 + e->n_identifiers + e->n_observables;
    size_t *places = statement_alloc(s, n, sizeof *places);

    add_columns(e, t, places);
    t->file = e->file;
    t->formula = e->formula;
    t->program = portolan_cll_report_peek_header(r, "PROGRAM");
    t->n_begin = e->n_begin;
    t->n_end = e->n_end;
    t->begin_lines = e->begin_lines;
    t->end_lines = e->end_lines;
    for (size_t i = 0; i < e->n_rows; i++) {
        double *row = table_add_row(t);

        for (size_t k = 0; k < n; k++)
            row[places[k]] = e->rows[i * n + k];
    }
}

/* Warns of lost samples, according to the lines "LOST: EXPERIMENT COUNT" of the head. */
static void warn_of_lost(struct statement *s, const struct portolan_cll_report *r, const char *path)
{
    double lost = 0;

    for (size_t i = 0; i < r->n_headers; i++) {
        const char *blank = strrchr(r->headers[i].value, ' ');

        if (blank && !strcmp(r->headers[i].name, "LOST"))
            lost += strtod(blank, NULL);
    }
    if (lost > 0)
        llac_warn(s->in,
                  "%s: %.0f samples were lost, as memory ended while the program ran; LOST in its "
                  "head says of which experiments",
                  path, lost);
}

void llac_load_report(struct statement *s, const struct token *at, const char *text, size_t size,
                      const char *path, struct loaded *l)
{
    struct portolan_cll_report *r = NULL;

    statement_check(s, at, portolan_cll_report_parse(text, size, path, s->d, &r, &s->err));
    statement_own(s, free_report, r);
    for (size_t i = 0; i < r->n_experiments; i++)
        take_experiment(s, r, &r->experiments[i], l);
    warn_of_lost(s, r, path);
}

/* ------------------------------------------------------------------------------------ Extra-P */

static void take_measurement(struct statement *s, const struct portolan_measurements *m,
                             const struct portolan_measurement *item, bool several_metrics,
                             struct loaded *l)
{
    const char *metric = item->metric && *item->metric ? item->metric : "TIME";
    struct table *t = llac_loaded_add(s, l,
                                      portolan_arena_printf(&s->arena, "%s%s%s", item->callpath,
                                                            several_metrics ? "_" : "",
                                                            several_metrics ? item->metric : ""));

    table_add_measurement(t, m, item, metric, strstr(metric, "time") ? "s" : NULL);
}

void llac_load_measurements(struct statement *s, const struct token *at, const char *text,
                            size_t size, const char *path, struct loaded *l)
{
    struct portolan_measurements *m = NULL;
    bool several = false;

    statement_check(s, at, portolan_measurements_read(text, size, path, s->d, &m, &s->err));
    statement_own(s, free_measurements, m);
    for (size_t i = 1; i < m->n; i++)
        several = several || strcmp(m->items[i].metric, m->items[0].metric) != 0;
    for (size_t i = 0; i < m->n; i++)
        take_measurement(s, m, &m->items[i], several, l);
}

/* ---------------------------------------------------------------------------------------- CSV */

void llac_load_csv(struct statement *s, const struct token *at, const char *text, size_t size,
                   const char *path, struct loaded *l)
{
    const char *base = portolan_file_name(path);
    const char *name = portolan_arena_strndup(&s->arena, base, strcspn(base, "."));
    struct csv c = {.s = s, .in.file = path, .table = llac_loaded_add(s, l, name)};

    if (!csv_begin(&c, text, size))
        statement_fail(s, at,
                       "'%s' holds nothing that could be read: a report, a model, CSV, or "
                       "Extra-P's measurements",
                       path);
    if (table_observable(c.table, NULL) == NONE)
        c.table->columns[c.table->n_columns - 1].kind = COLUMN_OBSERVABLE;
    while (csv_next(&c))
        ;
    if (s->d->count > s->n_before)
        statement_check(s, at, PORTOLAN_ESYNTAX);
}
