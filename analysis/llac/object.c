/* SPDX-License-Identifier: BSD-3-Clause */
/* What has a name: numbers, tables, models. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

void llac_fitted_destroy(struct fitted *f)
{
    if (!f)
        return;
    portolan_model_destroy(f->model);
    llac_table_destroy(f->points);
    portolan_formula_sum_clear(&f->sum);
    portolan_formula_destroy(f->parsed);
    free(f->observable);
    free(f->unit);
    free(f->formula);
    free(f);
}

struct object *llac_find(const struct portolan_llac *in, const char *name)
{
    for (size_t i = 0; i < in->n_objects; i++)
        if (!strcmp(in->objects[i].name, name))
            return &in->objects[i];
    return NULL;
}

static void empty(struct object *o)
{
    llac_table_destroy(o->table);
    llac_fitted_destroy(o->model);
    o->table = NULL;
    o->model = NULL;
}

void llac_forget(struct portolan_llac *in, struct object *o)
{
    size_t at = (size_t)(o - in->objects);

    empty(o);
    free(o->name);
    memmove(o, o + 1, (--in->n_objects - at) * sizeof *o);
}

enum portolan_status llac_put(struct portolan_llac *in, const char *name, struct object *o)
{
    struct object *old = llac_find(in, name), *grown;

    if (old) {
        empty(old);
        o->name = old->name;
        *old = *o;
        return PORTOLAN_OK;
    }
    grown = portolan_reallocarray(in->objects, in->n_objects + 1, sizeof *grown);
    if (!grown)
        return PORTOLAN_ENOMEM;
    in->objects = grown;
    if (!(o->name = portolan_strdup(name)))
        return PORTOLAN_ENOMEM;
    in->objects[in->n_objects++] = *o;
    return PORTOLAN_OK;
}

bool llac_variable(const struct portolan_llac *in, const char *name, double *value)
{
    const struct object *o = llac_find(in, name);

    if (o && o->kind == OBJECT_NUMBER)
        *value = o->number;
    return o && o->kind == OBJECT_NUMBER;
}

static const struct {
    const char *what, *remedy;
} kinds[] = {
    [OBJECT_NUMBER] = {"number", "; `NAME = VALUE` makes one"},
    [OBJECT_TABLE] = {"table", "; `load` reads some, `show` lists them"},
    [OBJECT_MODEL] = {"model", "; `NAME = fit TABLE` makes one"},
};

const char *llac_kind(enum object_kind kind)
{
    return kinds[kind].what;
}

enum portolan_status llac_parse_kind(struct statement *s, enum object_kind kind,
                                     const struct object **o)
{
    const struct token at = s->now;
    const char **known = portolan_arena_alloc(s->arena, s->in->n_objects, sizeof *known);
    const char *what = portolan_arena_printf(s->arena, "a %s", kinds[kind].what), *name;
    size_t n = 0;
    enum portolan_status status;

    if (!known || !what)
        return llac_no_memory(s);
    if ((status = llac_parse_object(s, what, &name)) != PORTOLAN_OK)
        return status;
    *o = llac_find(s->in, name);
    if (*o && (*o)->kind == kind)
        return PORTOLAN_OK;
    if (*o)
        return llac_fail(s, &at, "'%s' is a %s, and %s is wanted here", name, llac_kind((*o)->kind),
                         what);
    for (size_t i = 0; i < s->in->n_objects; i++)
        if (s->in->objects[i].kind == kind)
            known[n++] = s->in->objects[i].name;
    return llac_fail(s, &at, "there is no %s '%s'%s", kinds[kind].what, name,
                     llac_suggest(s, name, known, n, kinds[kind].remedy));
}

enum portolan_status llac_parse_model(struct statement *s, const struct fitted **f)
{
    const struct object *o;
    enum portolan_status status = llac_parse_kind(s, OBJECT_MODEL, &o);

    if (status == PORTOLAN_OK)
        *f = o->model;
    return status;
}
