/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas in statements: where they end, and what their names stand for. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum portolan_status llac_parse_formula(struct statement *s, struct portolan_formula **f)
{
    const struct token first = s->now;
    const char *end = first.at;
    struct portolan_error err = {0};
    int depth = 0, before = s->d->count;
    enum portolan_status status;

    *f = NULL;
    while (!llac_is_stop(s) && !(depth == 0 && (llac_is(s, ",") || llac_is(s, "}")))) {
        if (llac_is(s, "(") || llac_is(s, "["))
            depth++;
        else if ((llac_is(s, ")") || llac_is(s, "]")) && depth-- == 0)
            break;
        llac_advance(s);
        end = s->last_end;
    }
    if (s->now.kind == TOKEN_BAD)
        return llac_parse_end(s);
    if (end == first.at)
        return llac_fail(s, &first, "a formula is wanted here");
    status = portolan_formula_parse(first.at, (size_t)(end - first.at), s->file, first.line,
                                    first.column, s->d, f, &err);
    if (status != PORTOLAN_OK && s->d->count == before)
        return llac_fail_with(s, &first, status, &err);
    return status;
}

/* Where NAME stands behind FIRST. */
static struct token find_name(struct statement *s, const struct token *first, const char *name)
{
    struct statement look = *s;

    look.now = *first;
    while (look.now.kind != TOKEN_END && strcmp(llac_text(&look, &look.now), name) != 0)
        llac_advance(&look);
    return look.now.kind == TOKEN_END ? *first : look.now;
}

/* What columns and variables there are, for a failure. */
static enum portolan_status fail_unknown(struct statement *s, const struct table *t,
                                         const struct token *first, const char *name)
{
    struct token at = find_name(s, first, name);
    size_t n = 0, room = (t ? t->n_columns : 0) + s->in->n_objects;
    const char **known = portolan_arena_alloc(s->arena, room ? room : 1, sizeof *known);
    const struct object *o = llac_find(s->in, name);

    for (size_t i = 0; known && i < s->in->n_objects; i++)
        if (s->in->objects[i].kind == OBJECT_NUMBER)
            known[n++] = s->in->objects[i].name;
    if (!known)
        return llac_no_memory(s);
    if (o && o->kind != OBJECT_NUMBER)
        return llac_fail(s, &at, "'%s' is a %s, and a formula is of numbers", name,
                         llac_kind(o->kind));
    if (!t)
        return llac_fail(s, &at, "there is no variable '%s'%s", name,
                         llac_suggest(s, name, known, n, "; `NAME = VALUE` makes one"));
    return llac_fail(s, &at, "'%s' has no column '%s', nor is there a variable of that name%s",
                     t->experiment, name, llac_suggest_column(s, name, t, known, n));
}

static enum portolan_status resolve(struct statement *s, const struct table *t, struct bound *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const char *name = portolan_formula_peek_name(b->formula, i);
        const struct object *o = llac_find(s->in, name);
        struct bound_model *m = &b->models[i];

        b->columns[i] = t ? llac_table_find(t, name) : NONE;
        if (b->columns[i] != NONE) {
            b->uses_an_observable |= t->columns[b->columns[i]].kind == COLUMN_OBSERVABLE;
        } else if (o && o->kind == OBJECT_MODEL) {
            struct token at = find_name(s, &b->token, name);

            m->model = o->model->model;
            b->uses_an_observable = true;
            if (llac_place_params(s, &at, m->model, t, m->columns, m->values) != PORTOLAN_OK)
                return PORTOLAN_ESYNTAX;
        } else if (!llac_variable(s->in, name, &b->x[i])) {
            return fail_unknown(s, t, &b->token, name);
        }
    }
    return PORTOLAN_OK;
}

enum portolan_status llac_parse_bound(struct statement *s, const struct table *t, struct bound *b)
{
    enum portolan_status status;

    *b = (struct bound){.token = s->now};
    if ((status = llac_parse_formula(s, &b->formula)) != PORTOLAN_OK)
        return status;
    b->n = portolan_formula_n_names(b->formula);
    b->columns = portolan_arena_alloc(s->arena, b->n, sizeof *b->columns);
    b->x = portolan_arena_alloc(s->arena, b->n, sizeof *b->x);
    b->models = portolan_arena_alloc(s->arena, b->n, sizeof *b->models);
    if (!b->columns || !b->x || !b->models)
        status = llac_no_memory(s);
    else if (portolan_formula_has_constants(b->formula))
        status = llac_fail(s, &b->token,
                           "constants such as fft[0] are unknown here; `fit` finds "
                           "them");
    else
        status = resolve(s, t, b);
    if (status != PORTOLAN_OK)
        llac_bound_clear(b);
    return status;
}

static double model_value(const struct bound_model *m, const double *row)
{
    double x[PORTOLAN_MODEL_MAX_PARAMS];

    for (size_t p = 0; p < portolan_model_n_params(m->model); p++)
        x[p] = m->columns[p] == NONE ? m->values[p] : row[m->columns[p]];
    return portolan_model_value(m->model, x);
}

double llac_bound_value(struct bound *b, const double *row)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->models[i].model)
            b->x[i] = model_value(&b->models[i], row);
        else if (b->columns[i] != NONE)
            b->x[i] = row[b->columns[i]];
    return portolan_formula_value(b->formula, b->x);
}

void llac_bound_clear(struct bound *b)
{
    portolan_formula_destroy(b->formula);
    *b = (struct bound){0};
}

enum portolan_status llac_parse_number(struct statement *s, double *value)
{
    struct bound b;
    enum portolan_status status = llac_parse_bound(s, NULL, &b);

    if (status == PORTOLAN_OK)
        *value = llac_bound_value(&b, NULL);
    llac_bound_clear(&b);
    return status;
}

enum portolan_status llac_parse_numbers(struct statement *s, double **values, size_t *n)
{
    bool is_list = llac_accept(s, "{");
    enum portolan_status status;

    *values = NULL;
    *n = 0;
    do {
        *values = portolan_arena_grow(s->arena, *values, *n, sizeof **values);
        if (!*values)
            return llac_no_memory(s);
        if ((status = llac_parse_number(s, &(*values)[*n])) != PORTOLAN_OK)
            return status;
        (*n)++;
    } while (is_list && llac_accept(s, ","));
    if (is_list && !llac_accept(s, "}"))
        return llac_fail(s, &s->now, "a list of numbers ends with '}'");
    return PORTOLAN_OK;
}
