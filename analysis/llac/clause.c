/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables in statements: names joined by +, and clauses that change a copy one after the other. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum portolan_status llac_table_replace(struct statement *s, struct table **t, struct table *new)
{
    if (!new)
        return llac_no_memory(s);
    llac_table_destroy(*t);
    *t = new;
    return PORTOLAN_OK;
}

enum portolan_status llac_parse_column(struct statement *s, const struct table *t, size_t *column)
{
    const struct token at = s->now;
    const char **known = portolan_arena_alloc(s->arena, t->n_columns, sizeof *known), *name;
    enum portolan_status status = llac_parse_name(s, "a column", &name);

    if (status != PORTOLAN_OK)
        return status;
    if ((*column = llac_table_find(t, name)) != NONE)
        return PORTOLAN_OK;
    if (!known)
        return llac_no_memory(s);
    return llac_fail(s, &at, "'%s' has no column '%s'%s", t->experiment, name,
                     llac_suggest_column(s, name, t, known, 0));
}

/* `A, B, C`: marks in CHOSEN. */
static enum portolan_status parse_columns(struct statement *s, const struct table *t, bool *chosen)
{
    size_t column;
    enum portolan_status status;

    do {
        if ((status = llac_parse_column(s, t, &column)) != PORTOLAN_OK)
            return status;
        chosen[column] = true;
    } while (llac_accept(s, ","));
    return PORTOLAN_OK;
}

/* where CONDITION */
static enum portolan_status do_where(struct statement *s, struct table **t)
{
    struct bound b;
    enum portolan_status status = llac_parse_bound(s, *t, &b);
    size_t kept = 0;

    if (status != PORTOLAN_OK)
        return status;
    for (size_t i = 0; i < (*t)->n_rows; i++) {
        double holds = llac_bound_value(&b, llac_table_row(*t, i));

        if (holds != 0 && !isnan(holds))
            memmove(llac_table_row(*t, kept++), llac_table_row(*t, i),
                    (*t)->n_columns * sizeof *(*t)->cells);
    }
    (*t)->n_rows = kept;
    llac_bound_clear(&b);
    return PORTOLAN_OK;
}

/* A copy of T with a column more, the last. */
static struct table *widen(const struct table *t, const char *name, enum column_kind kind)
{
    struct table *wide = llac_table_copy(t, false);
    bool good = wide && llac_table_add_column(wide, name, kind, NULL);

    for (size_t i = 0; good && i < t->n_rows; i++) {
        double *row = llac_table_add_row(wide);

        if ((good = row))
            memcpy(row, llac_table_row(t, i), t->n_columns * sizeof *row);
    }
    if (!good)
        llac_table_destroy(wide);
    return good ? wide : NULL;
}

/* with COLUMN = FORMULA, …: what depends on an observable is one. */
static enum portolan_status do_with(struct statement *s, struct table **t)
{
    do {
        const char *name;
        struct bound b;
        size_t column;
        enum portolan_status status = llac_parse_name(s, "the column's name", &name);

        if (status == PORTOLAN_OK && !llac_accept(s, "="))
            status = llac_fail(s, &s->now, "'=' and the formula of '%s' are wanted here", name);
        if (status != PORTOLAN_OK || (status = llac_parse_bound(s, *t, &b)) != PORTOLAN_OK)
            return status;
        if ((column = llac_table_find(*t, name)) == NONE) {
            column = (*t)->n_columns;
            status = llac_table_replace(
                s, t,
                widen(*t, name, b.uses_an_observable ? COLUMN_OBSERVABLE : COLUMN_IDENTIFIER));
        } else {
            (*t)->columns[column].unit = NULL;
        }
        for (size_t i = 0; status == PORTOLAN_OK && i < (*t)->n_rows; i++) {
            double *row = llac_table_row(*t, i);

            row[column] = llac_bound_value(&b, row);
        }
        llac_bound_clear(&b);
        if (status != PORTOLAN_OK)
            return status;
    } while (llac_accept(s, ","));
    return PORTOLAN_OK;
}

/* keep COLUMNS, drop COLUMNS */
static enum portolan_status do_choose(struct statement *s, struct table **t, bool keep)
{
    bool *chosen = portolan_arena_alloc(s->arena, (*t)->n_columns, sizeof *chosen);
    size_t *columns = portolan_arena_alloc(s->arena, (*t)->n_columns, sizeof *columns), n = 0;
    const struct token at = s->now;
    enum portolan_status status;

    if (!chosen || !columns)
        return llac_no_memory(s);
    if ((status = parse_columns(s, *t, chosen)) != PORTOLAN_OK)
        return status;
    for (size_t i = 0; i < (*t)->n_columns; i++)
        if (chosen[i] == keep)
            columns[n++] = i;
    if (!n)
        return llac_fail(s, &at, "no column would be left");
    return llac_table_replace(s, t, llac_table_project(*t, columns, n));
}

/* rename OLD NEW */
static enum portolan_status do_rename(struct statement *s, struct table **t)
{
    const struct token at = s->now;
    size_t column;
    const char *name;
    enum portolan_status status = llac_parse_column(s, *t, &column);

    if (status == PORTOLAN_OK)
        status = llac_parse_name(s, "the column's new name", &name);
    if (status != PORTOLAN_OK)
        return status;
    if (llac_table_find(*t, name) != NONE)
        return llac_fail(s, &at, "there is a column '%s' already", name);
    name = portolan_arena_strdup(&(*t)->arena, name);
    if (!name)
        return llac_no_memory(s);
    (*t)->columns[column].name = name;
    return PORTOLAN_OK;
}

/* observing COLUMNS: these are what was measured, the others that were so are not. */
static enum portolan_status do_observing(struct statement *s, struct table **t)
{
    bool *chosen = portolan_arena_alloc(s->arena, (*t)->n_columns, sizeof *chosen);
    enum portolan_status status = chosen ? parse_columns(s, *t, chosen) : llac_no_memory(s);

    for (size_t i = 0; status == PORTOLAN_OK && i < (*t)->n_columns; i++)
        if (chosen[i])
            (*t)->columns[i].kind = COLUMN_OBSERVABLE;
        else if ((*t)->columns[i].kind == COLUMN_OBSERVABLE)
            (*t)->columns[i].kind = COLUMN_IDENTIFIER;
    return status;
}

/* ------------------------------------------------------------------------------------- units */

static const struct unit {
    const char *name;
    char of; /* units of one thing */
    double size;
} units[] = {
    {"ns", 't', 1e-9},        {"us", 't', 1e-6}, {"ms", 't', 1e-3},  {"s", 't', 1},
    {"min", 't', 60},         {"h", 't', 3600},  {"B", 'b', 1},      {"kB", 'b', 1e3},
    {"MB", 'b', 1e6},         {"GB", 'b', 1e9},  {"KiB", 'b', 1024}, {"MiB", 'b', 1024. * 1024},
    {"GiB", 'b', 1073741824}, {"TB", 'b', 1e12}, {"flop", 'f', 1},   {"Mflop", 'f', 1e6},
    {"Gflop", 'f', 1e9},
};

static const struct unit *find_unit(const char *name)
{
    for (size_t i = 0; name && i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].name, name))
            return &units[i];
    return NULL;
}

/* unit COLUMN UNIT: converts where a unit is known already, else only notes it. */
static enum portolan_status do_unit(struct statement *s, struct table **t)
{
    size_t column;
    const struct unit *old, *new;
    const char *name;
    struct token at;
    enum portolan_status status = llac_parse_column(s, *t, &column);
    struct column *c = status == PORTOLAN_OK ? &(*t)->columns[column] : NULL;

    at = s->now;
    if (c)
        status = llac_parse_file(s, "a unit such as ms or MiB", &name);
    if (status != PORTOLAN_OK)
        return status;
    old = find_unit(c->unit);
    new = find_unit(name);
    if (c->unit && strcmp(c->unit, name) != 0 && (!old || !new || old->of != new->of))
        return llac_fail(s, &at,
                         "%s cannot be turned into %s; `with %s = …` computes it by a formula",
                         c->unit, name, c->name);
    for (size_t i = 0; old && new &&i < (*t)->n_rows; i++)
        llac_table_row(*t, i)[column] *= old->size / new->size;
    c->unit = portolan_arena_strdup(&(*t)->arena, name);
    return c->unit ? PORTOLAN_OK : llac_no_memory(s);
}

/* ------------------------------------------------------------------------------------- tables */

/* All columns of A are in B. */
static enum portolan_status check_columns(struct statement *s, const struct token *at,
                                          const struct table *a, const struct table *b)
{
    for (size_t i = 0; i < a->n_columns; i++) {
        size_t k = llac_table_find(b, a->columns[i].name);
        const char *unit = a->columns[i].unit, *other = k == NONE ? NULL : b->columns[k].unit;

        if (k == NONE)
            return llac_fail(s, at,
                             "'%s' cannot be joined: only one side has the column '%s'; "
                             "`keep` or `drop` make them alike",
                             b->experiment, a->columns[i].name);
        if (unit && other && strcmp(unit, other) != 0)
            return llac_fail(s, at,
                             "'%s' is in %s on one side and in %s on the other; "
                             "`unit %s %s` converts it",
                             a->columns[i].name, unit, other, a->columns[i].name, unit);
    }
    return PORTOLAN_OK;
}

enum portolan_status llac_table_join(struct statement *s, const struct token *at, struct table *t,
                                     const struct table *b)
{
    enum portolan_status status = check_columns(s, at, t, b);

    if (status == PORTOLAN_OK)
        status = check_columns(s, at, b, t);
    for (size_t i = 0; status == PORTOLAN_OK && i < b->n_rows; i++) {
        double *row = llac_table_add_row(t);

        if (!row)
            return llac_no_memory(s);
        for (size_t c = 0; c < t->n_columns; c++)
            row[c] = llac_table_row(b, i)[llac_table_find(b, t->columns[c].name)];
    }
    return status;
}

static enum portolan_status do_clause(struct statement *s, struct table **t, bool *any)
{
    int how;

    *any = true;
    if (llac_accept(s, "where"))
        return do_where(s, t);
    if (llac_accept(s, "with"))
        return do_with(s, t);
    if (llac_accept(s, "keep"))
        return do_choose(s, t, true);
    if (llac_accept(s, "drop"))
        return do_choose(s, t, false);
    if (llac_accept(s, "rename"))
        return do_rename(s, t);
    if (llac_accept(s, "observing"))
        return do_observing(s, t);
    if (llac_accept(s, "unit"))
        return do_unit(s, t);
    if (llac_accept(s, "sort"))
        return llac_sort(s, t);
    if ((how = llac_accept_statistic(s)) != STATISTIC_NONE)
        return llac_over(s, t, how);
    *any = false;
    return PORTOLAN_OK;
}

enum portolan_status llac_parse_table(struct statement *s, struct table **t)
{
    const struct object *named;
    struct token at;
    bool any = true;
    enum portolan_status status = llac_parse_kind(s, OBJECT_TABLE, &named);

    *t = NULL;
    if (status != PORTOLAN_OK)
        return status;
    if (!(*t = llac_table_copy(named->table, true)))
        return llac_no_memory(s);
    while (status == PORTOLAN_OK && llac_accept(s, "+")) {
        at = s->now;
        if ((status = llac_parse_kind(s, OBJECT_TABLE, &named)) == PORTOLAN_OK)
            status = llac_table_join(s, &at, *t, named->table);
    }
    while (status == PORTOLAN_OK && any)
        status = do_clause(s, t, &any);
    if (status == PORTOLAN_OK && (*t)->arena.failed)
        status = llac_no_memory(s);
    if (status != PORTOLAN_OK) {
        llac_table_destroy(*t);
        *t = NULL;
    }
    return status;
}
