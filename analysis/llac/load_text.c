/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables from texts: what annotated programs report, Extra-P's measurements, and values with a head
 * as spreadsheets and people write them.
 */
#include "internal.h"

#include <portolan/cll_report.h>
#include <portolan/extrap.h>

#include <ctype.h>
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

/* ---------------------------------------------------------------------------------------- CSV */

struct csv {
    struct statement *s;
    struct portolan_csv in;
};

/* "TIME (s)" is TIME in s; cuts the name. */
static const char *take_unit(char *name)
{
    size_t length = strlen(name);
    char *open = length && name[length - 1] == ')'   ? strrchr(name, '(')
                 : length && name[length - 1] == ']' ? strrchr(name, '[')
                                                     : NULL;

    if (!open || open == name)
        return NULL;
    name[length - 1] = '\0';
    *open = '\0';
    for (char *at = open; at > name && isspace((unsigned char)at[-1]);)
        *--at = '\0';
    return open + 1;
}

static enum column_kind kind_of(const char *name, const char *unit)
{
    static const char *const labels[] = {"RUN", "CPU", "NCPUS"};
    static const char *const times[] = {"ns", "us", "ms", "s"};

    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (!strcmp(name, labels[i]))
            return COLUMN_LABEL;
    for (size_t i = 0; unit && i < sizeof times / sizeof *times; i++)
        if (!strcmp(unit, times[i]))
            return COLUMN_OBSERVABLE;
    return !strcmp(name, "CLOCK") || !strcmp(name, "TIME") || !strncmp(name, "PAPI_", 5)
               ? COLUMN_OBSERVABLE
               : COLUMN_IDENTIFIER;
}

static enum portolan_status read_head(struct csv *c, struct table *t, size_t *places)
{
    for (size_t i = 0; i < c->in.n_fields; i++) {
        char *name = portolan_arena_strdup(c->s->arena, c->in.fields[i]);
        const char *unit = name ? take_unit(name) : NULL;
        double number;

        if (!name)
            return llac_no_memory(c->s);
        if (!*name || portolan_read_double(name, &number)) {
            portolan_diagnose(c->s->d, c->in.file, c->in.line, c->in.columns[i],
                              "the first line names the columns, as in \"N,P,TIME (s)\"%s%s%s",
                              *name ? ", not '" : "", name, *name ? "'" : "");
            return PORTOLAN_ESYNTAX;
        }
        if (llac_table_find(t, name) != NONE && (strcmp(name, "RUN") || i)) {
            portolan_diagnose(c->s->d, c->in.file, c->in.line, c->in.columns[i],
                              "there are two columns '%s'", name);
            return PORTOLAN_ESYNTAX;
        }
        if ((places[i] = llac_loaded_column(t, name, kind_of(name, unit), unit)) == NONE)
            return llac_no_memory(c->s);
    }
    if (llac_table_observable(t) == NONE)
        t->columns[t->n_columns - 1].kind = COLUMN_OBSERVABLE;
    return PORTOLAN_OK;
}

static enum portolan_status read_row(struct csv *c, struct table *t, const size_t *places, size_t n)
{
    double *row = llac_table_add_row(t);

    if (!row)
        return llac_no_memory(c->s);
    if (c->in.n_fields != n) {
        portolan_diagnose(c->s->d, c->in.file, c->in.line, 0,
                          "this line has %zu fields, the first has "
                          "%zu names",
                          c->in.n_fields, n);
        return PORTOLAN_ESYNTAX;
    }
    row[0] = c->s->in->runs;
    for (size_t i = 0; i < n; i++) {
        if (!*c->in.fields[i] || !strcasecmp(c->in.fields[i], "nan"))
            continue;
        if (!portolan_read_double(c->in.fields[i], &row[places[i]])) {
            portolan_diagnose(c->s->d, c->in.file, c->in.line, c->in.columns[i],
                              "'%s' is no number; a field that was not measured stays empty",
                              c->in.fields[i]);
            return PORTOLAN_ESYNTAX;
        }
    }
    return PORTOLAN_OK;
}

enum portolan_status llac_load_csv(struct statement *s, const struct token *at, const char *text,
                                   size_t size, const char *path, struct loaded *l)
{
    struct csv *c = portolan_arena_alloc(s->arena, 1, sizeof *c);
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *name = portolan_arena_strndup(s->arena, base, strcspn(base, "."));
    size_t *places, n;
    struct table *t;
    enum portolan_status status;
    int before = s->d->count;

    if (!c || !name || !(t = llac_loaded_add(s, l, name)))
        return llac_no_memory(s);
    c->s = s;
    c->in = (struct portolan_csv){.arena = s->arena, .d = s->d, .file = path, .comment = '#'};
    portolan_csv_begin(&c->in, text, size);
    if (!portolan_csv_next(&c->in))
        return llac_fail(s, at,
                         "'%s' holds nothing that could be read: a report, a model, CSV, or "
                         "Extra-P's measurements",
                         path);
    n = c->in.n_fields;
    if (!(places = portolan_arena_alloc(s->arena, n, sizeof *places)))
        return llac_no_memory(s);
    status = read_head(c, t, places);
    while (status == PORTOLAN_OK && portolan_csv_next(&c->in))
        status = read_row(c, t, places, n);
    if (status == PORTOLAN_OK && s->arena->failed)
        return llac_no_memory(s);
    return status == PORTOLAN_OK && s->d->count > before ? PORTOLAN_ESYNTAX : status;
}
