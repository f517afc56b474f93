/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables in statements: names joined by +, then clauses, each of which changes a copy. */
#include "internal.h"

#include <math.h>
#include <string.h>

size_t llac_parse_column(struct statement *s, const struct table *t)
{
    const struct token at = s->now;
    const char *name = llac_parse_name(s, "a column"), **known;
    size_t column = table_find(t, name);

    if (column != NONE)
        return column;
    known = statement_alloc(s, t->n_columns, sizeof *known);
    statement_fail(s, &at, "'%s' has no column '%s'%s", t->experiment, name,
                   llac_suggest_column(s, name, t, known, 0));
}

/* `A, B, C`: marks the named columns of T. */
static bool *parse_columns(struct statement *s, const struct table *t)
{
    bool *chosen = statement_alloc(s, t->n_columns, sizeof *chosen);

    do
        chosen[llac_parse_column(s, t)] = true;
    while (llac_accept(s, ","));
    return chosen;
}

/* T with only the CHOSEN columns or, unless KEEP, without them. */
static struct table *choose_columns(struct statement *s, const struct table *t, const bool *chosen,
                                    bool keep)
{
    size_t *columns = statement_alloc(s, t->n_columns, sizeof *columns), n = 0;

    for (size_t i = 0; i < t->n_columns; i++)
        if (chosen[i] == keep)
            columns[n++] = i;
    return table_project(&s->arena, t, columns, n);
}

/* where CONDITION */
static struct table *do_where(struct statement *s, struct table *t)
{
    struct bound b = llac_parse_bound(s, t);
    size_t kept = 0;

    for (size_t i = 0; i < t->n_rows; i++) {
        double holds = llac_bound_value(&b, table_row(t, i));

        if (holds != 0 && !isnan(holds))
            memmove(table_row(t, kept++), table_row(t, i), t->n_columns * sizeof *t->cells);
    }
    t->n_rows = kept;
    return t;
}

/* A copy of T with one more column at the end. */
static struct table *widen_table(struct statement *s, const struct table *t, const char *name,
                                 enum column_kind kind)
{
    struct table *wide = table_copy(&s->arena, t, false);

    table_add_column(wide, name, kind, NULL);
    for (size_t i = 0; i < t->n_rows; i++)
        memcpy(table_add_row(wide), table_row(t, i), t->n_columns * sizeof *t->cells);
    return wide;
}

/* with COLUMN = FORMULA, …: a new column is an observable if its formula uses one. */
static struct table *do_with(struct statement *s, struct table *t)
{
    do {
        const char *name = llac_parse_name(s, "the column's name");
        struct bound b;
        size_t column;

        if (!llac_accept(s, "="))
            statement_fail(s, &s->now, "expected '=' and the formula of '%s'", name);
        b = llac_parse_bound(s, t);
        if ((column = table_find(t, name)) == NONE) {
            column = t->n_columns;
            t = widen_table(s, t, name,
                            b.uses_an_observable ? COLUMN_OBSERVABLE : COLUMN_IDENTIFIER);
        } else {
            t->columns[column].unit = NULL;
        }
        for (size_t i = 0; i < t->n_rows; i++) {
            double *row = table_row(t, i);

            row[column] = llac_bound_value(&b, row);
        }
    } while (llac_accept(s, ","));
    return t;
}

/* keep COLUMNS, drop COLUMNS */
static struct table *do_choose(struct statement *s, struct table *t, bool keep)
{
    const struct token at = s->now;
    struct table *chosen = choose_columns(s, t, parse_columns(s, t), keep);

    if (!chosen->n_columns)
        statement_fail(s, &at, "no column would be left");
    return chosen;
}

static struct table *do_keep(struct statement *s, struct table *t)
{
    return do_choose(s, t, true);
}

static struct table *do_drop(struct statement *s, struct table *t)
{
    return do_choose(s, t, false);
}

/* rename OLD NEW */
static struct table *do_rename(struct statement *s, struct table *t)
{
    const struct token at = s->now;
    size_t column = llac_parse_column(s, t);
    const char *name = llac_parse_name(s, "the column's new name");

    if (table_find(t, name) != NONE)
        statement_fail(s, &at, "there is a column '%s' already", name);
    t->columns[column].name = name;
    return t;
}

/* observing COLUMNS: makes these the observables, and the other observables identifiers. */
static struct table *do_observing(struct statement *s, struct table *t)
{
    const bool *chosen = parse_columns(s, t);

    for (size_t i = 0; i < t->n_columns; i++)
        if (chosen[i])
            t->columns[i].kind = COLUMN_OBSERVABLE;
        else if (t->columns[i].kind == COLUMN_OBSERVABLE)
            t->columns[i].kind = COLUMN_IDENTIFIER;
    return t;
}

/* ------------------------------------------------------------------------------------- units */

static const struct unit {
    const char *name;
    char of; /* units with the same letter can be converted */
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

/* unit COLUMN UNIT: converts if the column has a unit already, else only notes the unit. */
static struct table *do_unit(struct statement *s, struct table *t)
{
    size_t column = llac_parse_column(s, t);
    struct column *c = &t->columns[column];
    const struct token at = s->now;
    const char *name = llac_parse_file(s, "a unit such as ms or MiB");
    const struct unit *old = find_unit(c->unit), *new = find_unit(name);

    if (c->unit && strcmp(c->unit, name) != 0 && (!old || !new || old->of != new->of))
        statement_fail(s, &at,
                       "%s cannot be turned into %s; `with %s = …` computes it by a formula",
                       c->unit, name, c->name);
    for (size_t i = 0; old && new &&i < t->n_rows; i++)
        table_row(t, i)[column] *= old->size / new->size;
    c->unit = name;
    return t;
}

/* -------------------------------------------------------------------------------------- rows */

/* sort COLUMNS */
static struct table *do_sort(struct statement *s, struct table *t)
{
    size_t *columns = NULL, n = 0;

    do {
        columns = portolan_arena_grow(&s->arena, columns, n, sizeof *columns);
        columns[n++] = llac_parse_column(s, t);
    } while (llac_accept(s, ","));
    return table_pick(&s->arena, t,
                      order_rows(s, &(struct order){.t = t, .columns = columns, .n = n}),
                      t->n_rows);
}

/* The statistics of `over`; the sum is not in enum portolan_model_statistic. */
enum { STATISTIC_SUM = -1, STATISTIC_NONE = -2 };
static const struct {
    const char *name;
    int statistic;
} statistics[] = {{"max", PORTOLAN_MODEL_MAXIMUM},
                  {"min", PORTOLAN_MODEL_MINIMUM},
                  {"mean", PORTOLAN_MODEL_MEAN},
                  {"median", PORTOLAN_MODEL_MEDIAN},
                  {"sum", STATISTIC_SUM}};

static int accept_statistic(struct statement *s)
{
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        if (llac_is_next(s, "over") && llac_accept(s, statistics[i].name))
            return statistics[i].statistic;
    return STATISTIC_NONE;
}

static double reduce_values(int how, size_t n, double *values)
{
    double sum = 0;

    if (how != STATISTIC_SUM)
        return portolan_model_stand_in((enum portolan_model_statistic)how, n, values);
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

/* For each row, how many earlier rows have the same labels and identifiers. */
static size_t *count_occurrences(struct statement *s, const struct order *o)
{
    size_t *rows = order_rows(s, o);
    size_t *occurrence = statement_alloc(s, o->t->n_rows, sizeof *occurrence);

    for (size_t first = 0, last; first < o->t->n_rows; first = last) {
        last = order_group_end(o, rows, first);
        for (size_t i = first; i < last; i++)
            occurrence[rows[i]] = i - first;
    }
    return occurrence;
}

/* Reduces each group to one row: labels and identifiers of its first row, reduced observables. */
static struct table *reduce_groups(struct statement *s, const struct table *t,
                                   const struct order *o, int how)
{
    const size_t *rows = order_rows(s, o);
    double *values = statement_alloc(s, t->n_rows, sizeof *values);
    struct table *reduced = table_copy(&s->arena, t, false);

    for (size_t first = 0, last; first < t->n_rows; first = last) {
        double *row = table_add_row(reduced);

        last = order_group_end(o, rows, first);
        for (size_t c = 0; c < t->n_columns; c++) {
            size_t k = 0;

            for (size_t i = first; i < last; i++)
                values[k++] = table_row(t, rows[i])[c];
            row[c] =
                t->columns[c].kind == COLUMN_OBSERVABLE ? reduce_values(how, k, values) : values[0];
        }
    }
    return reduced;
}

/* The columns of T that are not observables, without those that are GONE. */
static size_t find_keys(const struct table *t, const bool *gone, size_t *columns)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].kind != COLUMN_OBSERVABLE && !gone[i])
            columns[n++] = i;
    return n;
}

/*
 * max over CPU: joins the k-th rows of all processors with the same labels and identifiers. `over
 * repetitions` joins all of these rows instead.
 */
static struct table *do_over(struct statement *s, struct table *t, int statistic)
{
    bool *gone = statement_alloc(s, t->n_columns, sizeof *gone), pools = false;
    size_t *columns = statement_alloc(s, t->n_columns, sizeof *columns);
    struct order o = {.t = t, .columns = columns, .n = find_keys(t, gone, columns)};

    llac_advance(s); /* over */
    do {
        size_t column;
        const struct token at = s->now;

        if (table_find(t, "repetitions") == NONE && llac_accept(s, "repetitions")) {
            pools = true;
            continue;
        }
        column = llac_parse_column(s, t);
        if (t->columns[column].kind == COLUMN_OBSERVABLE)
            statement_fail(
                s, &at,
                "'%s' is what was measured; a statistic is over a column such as CPU, or "
                "over repetitions",
                t->columns[column].name);
        gone[column] = true;
    } while (llac_accept(s, ","));
    if (!pools)
        o.occurrence = count_occurrences(s, &o);
    o.n = find_keys(t, gone, columns);
    return choose_columns(s, reduce_groups(s, t, &o, statistic), gone, false);
}

/* ------------------------------------------------------------------------------------- tables */

/* Fails unless all columns of A are in B. */
static void check_columns(struct statement *s, const struct token *at, const struct table *a,
                          const struct table *b)
{
    for (size_t i = 0; i < a->n_columns; i++) {
        size_t k = table_find(b, a->columns[i].name);
        const char *unit = a->columns[i].unit, *other = k == NONE ? NULL : b->columns[k].unit;

        if (k == NONE)
            statement_fail(
                s, at,
                "'%s' cannot be joined: only one side has the column '%s'; `keep` or `drop` "
                "make them alike",
                b->experiment, a->columns[i].name);
        if (unit && other && strcmp(unit, other) != 0)
            statement_fail(
                s, at, "'%s' is in %s on one side and in %s on the other; `unit %s %s` converts it",
                a->columns[i].name, unit, other, a->columns[i].name, unit);
    }
}

void llac_table_join(struct statement *s, const struct token *at, struct table *t,
                     const struct table *b)
{
    check_columns(s, at, t, b);
    check_columns(s, at, b, t);
    for (size_t i = 0; i < b->n_rows; i++) {
        double *row = table_add_row(t);

        for (size_t c = 0; c < t->n_columns; c++)
            row[c] = table_row(b, i)[table_find(b, t->columns[c].name)];
    }
}

static const struct {
    const char *word;
    struct table *(*apply)(struct statement *s, struct table *t);
} clauses[] = {{"where", do_where}, {"with", do_with},     {"keep", do_keep},
               {"drop", do_drop},   {"rename", do_rename}, {"observing", do_observing},
               {"unit", do_unit},   {"sort", do_sort}};

/* The table after the clause that begins here; NULL if none begins here. */
static struct table *parse_clause(struct statement *s, struct table *t)
{
    int how;

    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        if (llac_accept(s, clauses[i].word))
            return clauses[i].apply(s, t);
    how = accept_statistic(s);
    return how == STATISTIC_NONE ? NULL : do_over(s, t, how);
}

struct table *llac_parse_table(struct statement *s)
{
    struct table *t = table_copy(&s->arena, llac_parse_object(s, OBJECT_TABLE)->table, true);

    while (llac_accept(s, "+")) {
        const struct token at = s->now;

        llac_table_join(s, &at, t, llac_parse_object(s, OBJECT_TABLE)->table);
    }
    for (struct table *next = t; next; next = parse_clause(s, t))
        t = next;
    return t;
}
