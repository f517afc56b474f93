/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with enums and structs. */
#include "model.h"

#include <string.h>

enum { UNSEEN, BUSY, DONE };

static const void **value_entry(struct check_run *c, const int64_t *value)
{
    return names_add(&c->values, (const char *)value, sizeof *value);
}

/* Each enumerator without a value takes the smallest number from 0 that nobody has. */
static void number_enumerators(struct check_run *c, struct portolan_sidl_symbol *s)
{
    int64_t next = 0;

    for (size_t i = 0; i < s->n_enumerators; i++) {
        if (s->enumerators[i].is_explicit)
            continue;
        while (*value_entry(c, &next))
            next++;
        s->enumerators[i].value = next++;
    }
}

void check_enum(struct check_run *c, struct portolan_sidl_symbol *s)
{
    names_clear(&c->words);
    names_clear(&c->values);
    for (size_t i = 0; i < s->n_enumerators; i++) {
        const struct portolan_sidl_enumerator *e = &s->enumerators[i], *other;
        const void **word = names_add(&c->words, e->name, strlen(e->name));
        const void **value = e->is_explicit ? value_entry(c, &e->value) : NULL;

        check_identifier(e->name, &e->place, "an enumerator", c->d);
        if (e->value < INT32_MIN || e->value > INT32_MAX)
            diagnose_at(c->d, &e->place, "%s = %lld does not fit into 32 bits, as enums must",
                        e->name, (long long)e->value);
        if ((other = *word)) {
            diagnose_at(c->d, &e->place, "enumerator %s is already there in line %d", e->name,
                        other->place.line);
            continue;
        }
        *word = e;
        if (value && (other = *value))
            diagnose_at(c->d, &e->place, "%s has the value %lld like %s in line %d", e->name,
                        (long long)e->value, other->name, other->place.line);
        else if (value)
            *value = e;
    }
    number_enumerators(c, s);
}

/* Follows structs in structs: finds circles and rarrays. */
static void walk(struct check_run *c, struct portolan_sidl_symbol *s, int depth)
{
    s->own.state = BUSY;
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct portolan_sidl_type *type = s->fields[i].type;
        struct portolan_sidl_symbol *inner =
            type->kind == PORTOLAN_SIDL_STRUCT ? (struct portolan_sidl_symbol *)type->symbol : NULL;

        s->own.has_rarray |= type->kind == PORTOLAN_SIDL_RARRAY;
        if (!inner)
            continue;
        if (inner->own.state == UNSEEN && depth < MAX_DEPTH)
            walk(c, inner, depth + 1);
        if (inner == s)
            diagnose_at(c->d, &type->place, "struct %s cannot hold itself", s->name);
        else if (inner->own.state == BUSY)
            diagnose_at(c->d, &type->place, "struct %s holds itself through %s", s->name,
                        inner->full_name);
        else if (inner->own.state == UNSEEN)
            diagnose_at(c->d, &type->place,
                        "structs hold each other more than %d deep, write them "
                        "flatter",
                        MAX_DEPTH);
        s->own.has_rarray |= inner->own.has_rarray;
    }
    s->own.state = DONE;
}

void check_struct(struct check_run *c, struct portolan_sidl_symbol *s)
{
    const struct extent_scope scope = {
        .of = s->name, .fields = s->fields, .n_fields = s->n_fields, .words = &c->words};

    names_clear(&c->words);
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct portolan_sidl_field *f = &s->fields[i], *other;
        const void **word = names_add(&c->words, f->name, strlen(f->name));

        check_identifier(f->name, &f->place, "a field", c->d);
        if (f->type->kind == PORTOLAN_SIDL_VOID)
            diagnose_at(c->d, &f->type->place, "a field cannot be void");
        if ((other = *word))
            diagnose_at(c->d, &f->place, "field %s is already there in line %d", f->name,
                        other->place.line);
        else
            *word = f;
    }
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].type->kind == PORTOLAN_SIDL_ARRAY)
            check_element(s->fields[i].type, c->d);
    for (size_t i = 0; i < s->n_fields && !s->own.is_broken; i++)
        if (s->fields[i].type->kind == PORTOLAN_SIDL_RARRAY)
            check_rarray(&scope, s->fields[i].type, s->fields[i].name, &s->fields[i].place, c->d);
}

void check_structs(struct check_run *c, struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        struct portolan_sidl_symbol *s = package->children[i];

        if (s->kind == PORTOLAN_SIDL_STRUCTURE && s->own.state == UNSEEN)
            walk(c, s, 0);
        check_structs(c, s);
    }
}
