/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrappers that check contracts, in the C file of the package whose types have them. A type's
 * wrappers look at the clauses that it declares itself; the run time puts those of parents in
 * front, and has the invariants of all types of an object checked by the first.
 */
#include "contract.h"
#include "emit.h"

#include <string.h>

struct contract {
    struct emitter *e;
    struct portolan_text *t;
    const struct portolan_sidl_symbol *s;
    struct seen family; /* S and all types that it inherits */
    size_t n_clauses;   /* written so far */
    size_t n_checks;
};

static bool is_real(const struct portolan_sidl_clause *clause)
{
    return !contract_is_annotation(clause->condition);
}

static size_t count_real(const struct portolan_sidl_clause *list, size_t n)
{
    size_t real = 0;

    for (size_t i = 0; i < n; i++)
        real += is_real(&list[i]);
    return real;
}

static bool has_clauses(const struct portolan_sidl_method *m)
{
    return count_real(m->requires, m->n_requires) + count_real(m->ensures, m->n_ensures) > 0;
}

static bool has_slot(const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < s->n_slots; i++)
        if (strcmp(s->slots[i]->slot_name, m->slot_name) == 0)
            return true;
    return false;
}

static void see_family(struct seen *seen, const struct portolan_sidl_symbol *s)
{
    if (see(seen, s))
        for (size_t i = 0; i < symbol_n_parents(s); i++)
            see_family(seen, symbol_parent(s, i)->symbol);
}

/* A type of the family has invariants, or inherits them. */
static bool has_invariants(const struct contract *c, const struct portolan_sidl_symbol *s)
{
    for (size_t i = 0; i < c->family.count; i++) {
        const struct portolan_sidl_symbol *of = c->family.list[i];

        if (count_real(of->invariants, of->n_invariants) && symbol_inherits(s, of->full_name))
            return true;
    }
    return false;
}

/* Invariants need a wrapper around every method; inherited ones may have it already. */
static bool needs_check(const struct contract *c, const struct portolan_sidl_method *m)
{
    if (m->owner == c->s && has_clauses(m))
        return true;
    if ((m->flags & PORTOLAN_SIDL_STATIC) || !has_invariants(c, c->s))
        return false;
    for (size_t i = 1; i < c->family.count; i++)
        if (has_slot(c->family.list[i], m) && has_invariants(c, c->family.list[i]))
            return false;
    return true;
}

/* The INDEX-th method of S that may have a contract: slots first, then static ones. */
static const struct portolan_sidl_method *method_at(const struct portolan_sidl_symbol *s,
                                                    size_t index)
{
    if (index < s->n_slots)
        return s->slots[index];
    index -= s->n_slots;
    for (size_t i = 0; i < s->n_methods; i++)
        if (s->methods[i]->flags & PORTOLAN_SIDL_STATIC && index-- == 0)
            return s->methods[i];
    return NULL;
}

/* The table of clauses */

static void put_string(struct portolan_text *t, const char *text)
{
    portolan_text_add(t, "\"");
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~' || *text == '?')
            portolan_text_add(t, "\\%03o", (unsigned)(unsigned char)*text);
        else
            portolan_text_add(t, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    portolan_text_add(t, "\"");
}

static void put_clauses(struct contract *c, const struct portolan_sidl_clause *list, size_t n,
                        const char *kind)
{
    for (size_t i = 0; i < n; i++) {
        const struct portolan_sidl_place *place = &list[i].place;
        const char *slash = strrchr(place->file, '/');

        if (!is_real(&list[i]))
            continue;
        portolan_text_add(c->t, "    {");
        if (list[i].label)
            put_string(c->t, list[i].label);
        else
            portolan_text_add(c->t, "NULL");
        portolan_text_add(c->t, ", ");
        put_string(c->t, list[i].text);
        portolan_text_add(c->t, ", ");
        put_string(c->t, slash ? slash + 1 : place->file);
        portolan_text_add(c->t, ", %d, SIDL_%s},\n", place->line, kind);
    }
}

static void put_table(struct contract *c)
{
    const size_t before = c->t->length;
    const struct portolan_sidl_method *m;
    size_t after;

    portolan_text_add(c->t, "static const struct sidl_clause %s__clauses[] = {\n", c->s->c_name);
    after = c->t->length;
    put_clauses(c, c->s->invariants, c->s->n_invariants, "INVARIANT");
    for (size_t i = 0; (m = method_at(c->s, i)); i++)
        if (m->owner == c->s) {
            put_clauses(c, m->requires, m->n_requires, "PRECONDITION");
            put_clauses(c, m->ensures, m->n_ensures, "POSTCONDITION");
        }
    if (c->t->length > after)
        portolan_text_add(c->t, "};\n");
    else
        c->t->length = before;
}

/* Wrappers */

static void put_conditions(struct contract *c, const struct contract_scope *scope,
                           const struct portolan_sidl_clause *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct portolan_text line = {.arena = c->e->arena};

        if (!is_real(&list[i]))
            continue;
        portolan_text_add(&line, "    SIDL_CLAUSE(_check, &%s__clauses[%zu], ", c->s->c_name,
                          c->n_clauses++);
        emit_condition(c->e, &line, scope, list[i].condition);
        portolan_text_add(&line, ");");
        emit_wrapped(c->t, line.bytes, 8);
    }
}

/* Returns what S__type says of them. */
static const char *put_invariants(struct contract *c)
{
    const struct contract_scope scope = {.of = c->s};

    if (!count_real(c->s->invariants, c->s->n_invariants))
        return "";
    portolan_text_add(
        c->t,
        "\nstatic void %s__invariants(struct sidl_check_call *_check, void *self)\n{\n"
        "    (void)self;\n",
        c->s->c_name);
    put_conditions(c, &scope, c->s->invariants, c->s->n_invariants);
    portolan_text_add(c->t, "}\n");
    return portolan_arena_printf(c->e->arena, "    .invariants = %s__invariants,\n", c->s->c_name);
}

static void put_forward(struct contract *c, const struct portolan_sidl_method *m, bool is_static)
{
    struct portolan_text line = {.arena = c->e->arena};
    const char *comma = is_static ? "" : ", ";

    portolan_text_add(&line, "    %s((%s)_next)(%s",
                      m->result->kind == PORTOLAN_SIDL_VOID ? "" : "_retval = ",
                      c_function(c->e->arena, m, C_SLOT, "(*)", is_static ? NULL : "void *self"),
                      is_static ? "" : "self");
    for (size_t i = 0; i < m->n_arguments; i++) {
        if (m->arguments[i].is_extent)
            continue;
        portolan_text_add(&line, "%s%s", comma, m->arguments[i].name);
        comma = ", ";
    }
    portolan_text_add(&line, "%s_ex);", comma);
    emit_wrapped(c->t, line.bytes, 8);
}

/* "A_B_C_m__check". */
static const char *wrapper_name(struct contract *c, const struct portolan_sidl_method *m)
{
    return portolan_arena_printf(c->e->arena, "%s_%s__check", c->s->c_name, m->slot_name);
}

static void put_begin(struct contract *c, const struct portolan_sidl_method *m, size_t index,
                      bool is_static)
{
    portolan_text_add(c->t, "\n");
    emit_wrapped(c->t,
                 portolan_arena_printf(c->e->arena, "static %s",
                                       c_function(c->e->arena, m, C_SLOT, wrapper_name(c, m),
                                                  is_static ? NULL : "void *self")),
                 4);
    portolan_text_add(c->t,
                      "{\n    struct sidl_check_call _call, *const _check = &_call;\n"
                      "    const sidl_slot_fn _next = sidl_check_enter(_check, %s, &%s__checks[%zu]"
                      ", _ex);\n",
                      is_static ? "NULL" : "self", c->s->c_name, index);
    if (m->result->kind != PORTOLAN_SIDL_VOID)
        portolan_text_add(c->t, "    %s_retval = %s;\n", c_result(c->e->arena, m, C_SLOT),
                          emit_zero(m->result));
    portolan_text_add(c->t, "\n");
}

static void put_wrapper(struct contract *c, const struct portolan_sidl_method *m, size_t index)
{
    const bool is_static = m->flags & PORTOLAN_SIDL_STATIC, is_own = m->owner == c->s;
    const bool is_void = m->result->kind == PORTOLAN_SIDL_VOID;
    const char *give_up =
        is_void ? "    if (*_ex)\n        return;\n" : "    if (*_ex)\n        return _retval;\n";
    const char *invariants = is_static ? "" : "    sidl_check_invariants(_check, self);\n";
    struct contract_scope scope = {.of = c->s, .method = m};

    put_begin(c, m, index, is_static);
    if (is_own)
        put_conditions(c, &scope, m->requires, m->n_requires);
    portolan_text_add(c->t, "%s%s", invariants, give_up);
    put_forward(c, m, is_static);
    scope.after = true;
    if (!is_static || count_real(m->ensures, m->n_ensures)) {
        portolan_text_add(c->t, "%s", give_up);
        if (is_own)
            put_conditions(c, &scope, m->ensures, m->n_ensures);
        portolan_text_add(c->t, "%s", invariants);
        emit_drops(c->e, c->t, m);
    }
    portolan_text_add(c->t, "%s}\n", is_void ? "" : "    return _retval;\n");
}

/* Returns what S__type says of them. */
static const char *put_checks(struct contract *c)
{
    const struct portolan_sidl_method *m;

    if (!c->n_checks)
        return "";
    portolan_text_add(c->t, "\nstatic struct sidl_check %s__checks[%zu] = {\n", c->s->c_name,
                      c->n_checks);
    for (size_t i = 0; (m = method_at(c->s, i)); i++) {
        const bool is_static = i >= c->s->n_slots;

        if (needs_check(c, m))
            portolan_text_add(c->t, "    {&%s__type, \"%s\", %zu, (sidl_slot_fn)%s, %s, NULL},\n",
                              c->s->c_name, m->slot_name, is_static ? i - c->s->n_slots : i,
                              wrapper_name(c, m), is_static ? "TRUE" : "FALSE");
    }
    portolan_text_add(c->t, "};\n");
    return portolan_arena_printf(c->e->arena, "    .checks = %s__checks,\n    .n_checks = %zu,\n",
                                 c->s->c_name, c->n_checks);
}

static struct contract open_contract(struct emitter *e, struct portolan_text *t,
                                     const struct portolan_sidl_symbol *s)
{
    struct contract c = {.e = e, .t = t, .s = s, .family = {.arena = e->arena}};
    const struct portolan_sidl_method *m;

    see_family(&c.family, s);
    for (size_t i = 0; (m = method_at(s, i)); i++)
        c.n_checks += needs_check(&c, m);
    return c;
}

const char *emit_contract(struct emitter *e, struct portolan_text *t,
                          const struct portolan_sidl_symbol *s)
{
    struct contract c = open_contract(e, t, s);
    const struct portolan_sidl_method *m;
    const char *invariants;
    size_t index = 0;

    if (c.n_checks)
        portolan_text_add(t, "static struct sidl_check %s__checks[%zu];\n", s->c_name, c.n_checks);
    put_table(&c);
    invariants = put_invariants(&c);
    for (size_t i = 0; (m = method_at(s, i)); i++)
        if (needs_check(&c, m))
            put_wrapper(&c, m, index++);
    return portolan_arena_printf(e->arena, "%s%s", put_checks(&c), invariants);
}

bool emit_has_contracts(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *s = package->children[i];

        if (symbol_is_object(s) &&
            (open_contract(e, NULL, s).n_checks || count_real(s->invariants, s->n_invariants)))
            return true;
    }
    return false;
}
