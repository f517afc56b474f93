/* SPDX-License-Identifier: BSD-3-Clause */
/* What annotated programs report, and Extra-P's measurements. */
#include "internal.h"

#include <portolan/cll_report.h>
#include <portolan/extrap.h>

#include <stdlib.h>
#include <string.h>

static const char *unit_of(const char *observable)
{
    return strstr(observable, "CLOCK") || strstr(observable, "TIME") ? "s" : NULL;
}

static bool copy_lines(struct table *t, size_t n, const unsigned *from, unsigned **to)
{
    *to = portolan_arena_alloc(&t->arena, n, sizeof **to);
    if (*to && n)
        memcpy(*to, from, n * sizeof **to);
    return *to;
}

/* CPU, NCPUS, identifiers and observables, in a report's order. */
static enum portolan_status add_columns(struct statement *s, const struct portolan_cll_sample *e,
                                        struct table *t, size_t *places)
{
    size_t n = 0;

    places[n++] = llac_loaded_column(t, "CPU", COLUMN_LABEL, NULL);
    places[n++] = llac_loaded_column(t, "NCPUS", COLUMN_LABEL, NULL);
    for (size_t i = 0; i < e->n_identifiers; i++)
        places[n++] = llac_loaded_column(t, e->identifiers[i], COLUMN_IDENTIFIER, NULL);
    for (size_t i = 0; i < e->n_observables; i++)
        places[n++] =
            llac_loaded_column(t, e->observables[i], COLUMN_OBSERVABLE, unit_of(e->observables[i]));
    for (size_t i = 0; i < n; i++)
        if (places[i] == NONE)
            return llac_no_memory(s);
    return PORTOLAN_OK;
}

/* The experiment's name; with that of its source where several have such a one. */
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
        s->arena, "%s_%.*s", e->name,
        (int)(dot && !strchr(dot, '/') ? (size_t)(dot - e->file) : strlen(e->file)), e->file);
}

static enum portolan_status take_experiment(struct statement *s,
                                            const struct portolan_cll_report *r,
                                            const struct portolan_cll_sample *e, struct loaded *l)
{
    const char *name = name_of(s, r, e);
    struct table *t = name ? llac_loaded_add(s, l, name) : NULL;
    size_t n = 2 + e->n_identifiers + e->n_observables;
    size_t *places = portolan_arena_alloc(s->arena, n, sizeof *places);
    const char *program = portolan_cll_report_peek_header(r, "PROGRAM");

    if (!t || !places || add_columns(s, e, t, places) != PORTOLAN_OK)
        return llac_no_memory(s);
    t->file = e->file ? portolan_arena_strdup(&t->arena, e->file) : NULL;
    t->formula = e->formula ? portolan_arena_strdup(&t->arena, e->formula) : NULL;
    t->program = program ? portolan_arena_strdup(&t->arena, program) : NULL;
    if (!copy_lines(t, t->n_begin = e->n_begin, e->begin_lines, &t->begin_lines) ||
        !copy_lines(t, t->n_end = e->n_end, e->end_lines, &t->end_lines))
        return llac_no_memory(s);
    for (size_t i = 0; i < e->n_rows; i++) {
        double *row = llac_table_add_row(t);

        if (!row)
            return llac_no_memory(s);
        row[0] = s->in->runs;
        for (size_t k = 0; k < n; k++)
            row[places[k]] = e->rows[i * n + k];
    }
    return PORTOLAN_OK;
}

/* Rows that ought to be there. A process tells of an experiment by name and number. */
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

enum portolan_status llac_load_report(struct statement *s, const struct token *at, const char *text,
                                      size_t size, const char *path, struct loaded *l)
{
    struct portolan_cll_report *r;
    struct portolan_error err = {0};
    int before = s->d->count;
    enum portolan_status status = portolan_cll_report_parse(text, size, path, s->d, &r, &err);

    if (status != PORTOLAN_OK)
        return s->d->count == before ? llac_fail_with(s, at, status, &err) : status;
    for (size_t i = 0; status == PORTOLAN_OK && i < r->n_experiments; i++)
        status = take_experiment(s, r, &r->experiments[i], l);
    if (status == PORTOLAN_OK)
        warn_of_lost(s, r, path);
    portolan_cll_report_destroy(r);
    return status;
}

/* ------------------------------------------------------------------------------------ Extra-P */

static enum portolan_status take_measurement(struct statement *s,
                                             const struct portolan_measurements *m,
                                             const struct portolan_measurement *item,
                                             bool several_metrics, struct loaded *l)
{
    const char *name =
        portolan_arena_printf(s->arena, "%s%s%s", item->callpath, several_metrics ? "_" : "",
                              several_metrics ? item->metric : "");
    const char *metric = item->metric && *item->metric ? item->metric : "TIME";
    struct table *t = name ? llac_loaded_add(s, l, name) : NULL;
    bool good = t != NULL;

    for (size_t i = 0; good && i < m->n_params; i++)
        good = llac_loaded_column(t, m->params[i], COLUMN_IDENTIFIER, NULL) == i + 1;
    good = good && llac_loaded_column(t, metric, COLUMN_OBSERVABLE,
                                      strstr(metric, "time") ? "s" : NULL) != NONE;
    for (size_t i = 0; good && i < item->n_rows; i++) {
        double *row = llac_table_add_row(t);

        if (!(good = row))
            break;
        row[0] = s->in->runs;
        for (size_t k = 0; k < m->n_params; k++)
            row[k + 1] = item->x[i * m->n_params + k];
        row[m->n_params + 1] = item->y[i];
    }
    return good ? PORTOLAN_OK : llac_no_memory(s);
}

enum portolan_status llac_load_measurements(struct statement *s, const struct token *at,
                                            const char *text, size_t size, const char *path,
                                            struct loaded *l)
{
    struct portolan_measurements *m;
    struct portolan_error err = {0};
    int before = s->d->count;
    bool several = false;
    enum portolan_status status = portolan_measurements_read(text, size, path, s->d, &m, &err);

    if (status != PORTOLAN_OK)
        return s->d->count == before ? llac_fail_with(s, at, status, &err) : status;
    for (size_t i = 1; i < m->n; i++)
        several = several || strcmp(m->items[i].metric, m->items[0].metric) != 0;
    for (size_t i = 0; status == PORTOLAN_OK && i < m->n; i++)
        status = take_measurement(s, m, &m->items[i], several, l);
    portolan_measurements_destroy(m);
    return status;
}
