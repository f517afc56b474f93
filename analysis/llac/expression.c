/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas in statements: where they end, and what their names and the models' names refer to. */
#include "internal.h"

#include <string.h>

struct portolan_formula *llac_parse_formula(struct statement *s)
{
    const struct token first = s->now;
    const char *end = first.at;
    struct portolan_formula *f = NULL;
    int depth = 0;

    while (!llac_is_stop(s) && !(depth == 0 && (llac_is(s, ",") || llac_is(s, "}")))) {
        if (llac_is(s, "(") || llac_is(s, "["))
            depth++;
        else if ((llac_is(s, ")") || llac_is(s, "]")) && depth-- == 0)
            break;
        llac_advance(s);
        end = s->last_end;
    }
    if (s->now.kind == TOKEN_BAD)
        llac_parse_end(s);
    if (end == first.at)
        statement_fail(s, &first, "expected a formula");
    statement_check(s, &first,
                    portolan_formula_parse(first.at, (size_t)(end - first.at), s->file, first.line,
                                           first.column, s->d, &f, &s->err));
    statement_own(s, free_formula, f);
    return f;
}

/* The first token from FIRST on that is NAME; FIRST if there is none. */
static struct token find_name(struct statement *s, const struct token *first, const char *name)
{
    s->now = *first;
    while (s->now.kind != TOKEN_END && strcmp(llac_text(s, &s->now), name) != 0)
        llac_advance(s);
    return s->now.kind == TOKEN_END ? *first : s->now;
}

/* Fails over an unknown name, with a suggestion. */
_Noreturn static void fail_unknown(struct statement *s, const struct table *t,
                                   const struct token *first, const char *name)
{
    struct token at = find_name(s, first, name);
    size_t n = 0, room = (t ? t->n_columns : 0) + s->in->n_objects;
    const char **known = statement_alloc(s, room, sizeof *known);
    const struct object *o = llac_find(s->in, name);

    for (size_t i = 0; i < s->in->n_objects; i++)
        if (s->in->objects[i].kind == OBJECT_NUMBER)
            known[n++] = s->in->objects[i].name;
    if (o && o->kind != OBJECT_NUMBER)
        statement_fail(s, &at, "'%s' is a %s, and a formula is of numbers", name,
                       llac_kind(o->kind));
    if (!t)
        statement_fail(s, &at, "there is no variable '%s'%s", name,
                       llac_suggest(s, name, known, n, "; `NAME = VALUE` makes one"));
    statement_fail(s, &at, "'%s' has no column '%s', nor is there a variable of that name%s",
                   t->experiment, name, llac_suggest_column(s, name, t, known, n));
}

static void resolve_names(struct statement *s, const struct table *t, struct bound *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const char *name = portolan_formula_peek_name(b->formula, i);
        const struct object *o = llac_find(s->in, name);

        b->columns[i] = t ? table_find(t, name) : NONE;
        if (b->columns[i] != NONE) {
            b->uses_an_observable |= t->columns[b->columns[i]].kind == COLUMN_OBSERVABLE;
        } else if (o && o->kind == OBJECT_MODEL) {
            const struct token now = s->now, at = find_name(s, &b->token, name);

            b->uses_an_observable = true;
            b->models[i] = o->model->model;
            b->placed[i] = llac_place_model(s, &at, o->model->model, t);
            s->now = now;
        } else if (!llac_variable(s->in, name, &b->x[i])) {
            fail_unknown(s, t, &b->token, name);
        }
    }
}

struct bound llac_parse_bound(struct statement *s, const struct table *t)
{
    struct bound b = {.token = s->now};

    b.formula = llac_parse_formula(s);
    b.n = portolan_formula_n_names(b.formula);
    b.columns = statement_alloc(s, b.n, sizeof *b.columns);
    b.x = statement_alloc(s, b.n, sizeof *b.x);
    b.models = statement_alloc(s, b.n, sizeof *b.models);
    b.placed = statement_alloc(s, b.n, sizeof *b.placed);
    if (portolan_formula_has_constants(b.formula))
        statement_fail(s, &b.token, "constants such as fft[0] are unknown here; `fit` finds them");
    resolve_names(s, t, &b);
    return b;
}

double llac_bound_value(struct bound *b, const double *row)
{
    double x[PORTOLAN_MODEL_MAX_PARAMS];

    for (size_t i = 0; i < b->n; i++)
        if (b->models[i]) {
            placed_point(&b->placed[i], row, x);
            b->x[i] = portolan_model_value(b->models[i], x);
        } else if (b->columns[i] != NONE) {
            b->x[i] = row[b->columns[i]];
        }
    return portolan_formula_value(b->formula, b->x);
}

double llac_parse_number(struct statement *s)
{
    struct bound b = llac_parse_bound(s, NULL);

    return llac_bound_value(&b, NULL);
}

/* ------------------------------------------------------------------------------------- models */

bool llac_usual_value(struct statement *s, const struct portolan_model *m, size_t p, double *value)
{
    const struct portolan_model_range *r = portolan_model_peek_range(m, p);

    if (llac_variable(s->in, portolan_model_peek_param(m, p), value))
        return true;
    *value = r->min;
    return r->min == r->max;
}

struct placed llac_place_model(struct statement *s, const struct token *at,
                               const struct portolan_model *m, const struct table *t)
{
    struct placed placed = {.n = portolan_model_n_params(m)};

    for (size_t p = 0; p < placed.n; p++) {
        const char *name = portolan_model_peek_param(m, p);

        placed.columns[p] = t ? table_find(t, name) : NONE;
        if (placed.columns[p] == NONE && !llac_usual_value(s, m, p, &placed.values[p]))
            statement_fail(
                s, at,
                "the model depends on '%s', which is %s; a variable of that name would serve", name,
                t ? "no column here" : "not set");
    }
    return placed;
}

struct points llac_model_points(struct statement *s, const struct token *at,
                                const struct portolan_model *m, const struct table *t,
                                size_t observable, enum portolan_model_statistic what, double **x)
{
    const struct placed placed = llac_place_model(s, at, m, t);
    size_t by[PORTOLAN_MODEL_MAX_PARAMS], n_params = portolan_model_n_params(m), n_by = 0;
    struct points p;

    for (size_t i = 0; i < n_params; i++)
        if (placed.columns[i] != NONE)
            by[n_by++] = placed.columns[i];
    p = table_points(s, t, by, n_by, observable, what);
    *x = statement_alloc(s, p.n, n_params * sizeof **x);
    for (size_t i = 0; i < p.n; i++)
        placed_point(&placed, table_row(t, p.rows[p.first[i]]), *x + i * n_params);
    return p;
}
