/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables with a head, as spreadsheets and people write them. */
#include "internal.h"

#include <ctype.h>
#include <string.h>

enum { MAX_COLUMNS = 1000 };

struct csv {
    struct statement *s;
    const char *path;
    const char *at, *end;
    int line;
    char separator; /* ' ': blanks */
    size_t n;
    const char *fields[MAX_COLUMNS];
    int columns[MAX_COLUMNS]; /* where they stand */
};

static const char *trimmed(struct csv *c, const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    if (to - from >= 2 && *from == '"' && to[-1] == '"') {
        from++;
        to--;
    }
    return portolan_arena_strndup(c->s->arena, from, (size_t)(to - from));
}

/* The end of the field at AT: quotes may hold separators. */
static const char *end_of_field(const struct csv *c, const char *at, const char *end)
{
    bool quoted = false;

    for (; at < end; at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (!quoted &&
                 (c->separator == ' ' ? isspace((unsigned char)*at) != 0 : *at == c->separator))
            return at;
    }
    return end;
}

static bool split(struct csv *c, const char *end)
{
    const char *at = c->at;

    c->n = 0;
    for (;;) {
        const char *stop;

        while (c->separator == ' ' && at < end && isspace((unsigned char)*at))
            at++;
        if (c->separator == ' ' && at == end)
            return true;
        if (c->n == MAX_COLUMNS)
            return false;
        stop = end_of_field(c, at, end);
        c->columns[c->n] = (int)(at - c->at) + 1;
        if (!(c->fields[c->n++] = trimmed(c, at, stop)))
            return false;
        if (stop == end)
            return true;
        at = stop + 1;
    }
}

/* The next line that says something, split; false at the end. */
static bool next_line(struct csv *c)
{
    while (c->at < c->end) {
        const char *end = memchr(c->at, '\n', (size_t)(c->end - c->at));
        const char *stop = end ? end : c->end, *first = c->at;
        bool good = true;

        while (first < stop && isspace((unsigned char)*first))
            first++;
        c->line++;
        if (first < stop && *first != '#') {
            if (!c->separator)
                c->separator = memchr(first, ',', (size_t)(stop - first))    ? ','
                               : memchr(first, ';', (size_t)(stop - first))  ? ';'
                               : memchr(first, '\t', (size_t)(stop - first)) ? '\t'
                                                                             : ' ';
            good = split(c, stop);
            c->at = end ? end + 1 : c->end;
            return good;
        }
        c->at = end ? end + 1 : c->end;
    }
    return false;
}

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
    for (size_t i = 0; i < c->n; i++) {
        char *name = portolan_arena_strdup(c->s->arena, c->fields[i]);
        const char *unit = name ? take_unit(name) : NULL;
        double number;

        if (!name)
            return llac_no_memory(c->s);
        if (!*name || portolan_read_double(name, &number)) {
            portolan_diagnose(c->s->d, c->path, c->line, c->columns[i],
                              "the first line names the columns, as in \"N,P,TIME (s)\"%s%s%s",
                              *name ? ", not '" : "", name, *name ? "'" : "");
            return PORTOLAN_ESYNTAX;
        }
        if (llac_table_find(t, name) != NONE && (strcmp(name, "RUN") || i)) {
            portolan_diagnose(c->s->d, c->path, c->line, c->columns[i],
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
    if (c->n != n) {
        portolan_diagnose(c->s->d, c->path, c->line, 0,
                          "this line has %zu fields, the first has "
                          "%zu names",
                          c->n, n);
        return PORTOLAN_ESYNTAX;
    }
    row[0] = c->s->in->runs;
    for (size_t i = 0; i < n; i++) {
        if (!*c->fields[i] || !strcasecmp(c->fields[i], "nan"))
            continue;
        if (!portolan_read_double(c->fields[i], &row[places[i]])) {
            portolan_diagnose(c->s->d, c->path, c->line, c->columns[i],
                              "'%s' is no number; a field that was not measured stays empty",
                              c->fields[i]);
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

    if (!c || !name || !(t = llac_loaded_add(s, l, name)))
        return llac_no_memory(s);
    *c = (struct csv){.s = s, .path = path, .at = text, .end = text + size};
    if (!next_line(c))
        return llac_fail(s, at,
                         "'%s' holds nothing that could be read: a report, a model, CSV, or "
                         "Extra-P's measurements",
                         path);
    n = c->n;
    if (!(places = portolan_arena_alloc(s->arena, n, sizeof *places)))
        return llac_no_memory(s);
    status = read_head(c, t, places);
    while (status == PORTOLAN_OK && next_line(c))
        status = read_row(c, t, places, n);
    if (status == PORTOLAN_OK && c->at < c->end)
        return llac_no_memory(s);
    return status;
}
