/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma separated values with a head, as written by spreadsheets and people. */
#include "tables.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* The unit: splits "TIME (s)" into TIME and s; shortens NAME. */
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

/* Adds column I of the head, or finds one that the table had before. */
static void read_name(struct csv *c, size_t i, size_t before)
{
    char *name = portolan_arena_strdup(&c->s->arena, c->in.fields[i]);
    const char *unit = take_unit(name);
    size_t old = table_find(c->table, name);
    double number;

    c->places[i] = table_put_column(c->table, name, kind_of(name, unit), unit);
    if (!*name || portolan_read_double(name, &number))
        portolan_diagnose(c->s->d, c->in.file, c->in.line, c->in.columns[i],
                          "the first line names the columns, as in \"N,P,TIME (s)\"%s%s%s",
                          *name ? ", not '" : "", name, *name ? "'" : "");
    else if (old != NONE && old >= before)
        portolan_diagnose(c->s->d, c->in.file, c->in.line, c->in.columns[i],
                          "there are two columns '%s'", name);
}

bool csv_begin(struct csv *c, const char *text, size_t size)
{
    size_t before = c->table->n_columns;

    c->in.arena = &c->s->arena;
    c->in.d = c->s->d;
    c->in.comment = '#';
    portolan_csv_begin(&c->in, text, size);
    if (!portolan_csv_next(&c->in))
        return false;
    c->n = c->in.n_fields;
    c->places = statement_alloc(c->s, c->n, sizeof *c->places);
    for (size_t i = 0; i < c->n; i++)
        read_name(c, i, before);
    return true;
}

bool csv_is_text(const struct csv *c, size_t column)
{
    const char *name = c->table->columns[column].name;

    return c->is_complete && (!strcmp(name, "callpath") || !strcmp(name, "metric"));
}

static bool read_field(struct csv *c, size_t i, double *number)
{
    const char *field = c->in.fields[i];

    if (c->is_complete) {
        if (csv_is_text(c, c->places[i]) ||
            (portolan_read_double(field, number) && isfinite(*number)))
            return true;
        portolan_diagnose(c->s->d, c->in.file, c->in.line, 0, "%s is '%s', want a number",
                          c->table->columns[c->places[i]].name, field);
        return false;
    }
    if (!*field || !strcasecmp(field, "nan") || portolan_read_double(field, number))
        return true;
    portolan_diagnose(c->s->d, c->in.file, c->in.line, c->in.columns[i],
                      "'%s' is not a number; leave a field empty if there is no measurement",
                      field);
    return false;
}

const double *csv_next(struct csv *c)
{
    while (portolan_csv_next(&c->in)) {
        double *row = table_add_row(c->table);
        bool good = c->in.n_fields == c->n;

        if (!good)
            portolan_diagnose(c->s->d, c->in.file, c->in.line, 0, "%zu fields, the head has %zu",
                              c->in.n_fields, c->n);
        for (size_t i = 0; good && i < c->n; i++)
            good = read_field(c, i, &row[c->places[i]]);
        if (good)
            return row;
        c->table->n_rows--;
    }
    return NULL;
}
