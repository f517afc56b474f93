/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables with a head, as spreadsheets and people write them. */
#include "internal.h"

#include <ctype.h>
#include <string.h>

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
