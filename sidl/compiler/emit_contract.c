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
    size_t n_clauses; /* written so far */
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

/* Invariants need a wrapper around every method; inherited ones may have it already. */
static bool needs_check(const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    if (m->owner == s && has_clauses(m))
        return true;
    if (method_is_static(m) || !s->own.has_invariants)
        return false;
    for (size_t i = 0; i < symbol_n_parents(s); i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(s, i)->symbol;

        if (parent->own.has_invariants && symbol_slot(parent, m->slot_name) < parent->n_slots)
            return false;
    }
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
        if (method_is_static(s->methods[i]) && index-- == 0)
            return s->methods[i];
    return NULL;
}

static size_t count_checks(const struct portolan_sidl_symbol *s)
{
    const struct portolan_sidl_method *m;
    size_t n = 0;

    for (size_t i = 0; (m = method_at(s, i)); i++)
        n += needs_check(s, m);
    return n;
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
        struct portolan_text condition = {.arena = c->e->arena};

        if (!is_real(&list[i]))
            continue;
        emit_condition(c->e, &condition, scope, list[i].condition);
        emit_wrapped(c->e, c->t, 8, "    SIDL_CLAUSE(_check, &%s__clauses[%zu], %s);", c->s->c_name,
                     c->n_clauses++, condition.bytes);
    }
}

/* Returns what S__type says of them. */
static const char *put_invariants(struct contract *c)
{
    const struct contract_scope scope = {.of = c->s};

    if (!count_real(c->s->invariants, c->s->n_invariants))
        return "";
    emit_named(c->t, c->s->c_name,
               "\nstatic void @__invariants(struct sidl_check_call *_check, void *self)\n{\n"
               "    (void)self;\n");
    put_conditions(c, &scope, c->s->invariants, c->s->n_invariants);
    portolan_text_add(c->t, "}\n");
    return portolan_arena_printf(c->e->arena, "    .invariants = %s__invariants,\n", c->s->c_name);
}

static void put_forward(struct contract *c, const struct portolan_sidl_method *m, bool is_static)
{
    struct call call = emit_begin_call(
        c->e, "    %s((%s)_next)", m->result->kind == PORTOLAN_SIDL_VOID ? "" : "_retval = ",
        c_function(c->e->arena, m, C_SLOT, "(*)", is_static ? NULL : "void *self"));

    if (!is_static)
        emit_argument(&call, "self");
    emit_slot_arguments(&call, m);
    emit_end_call(c->t, &call);
}

/* "A_B_C_m__check". */
static const char *wrapper_name(struct contract *c, const struct portolan_sidl_method *m)
{
    return portolan_arena_printf(c->e->arena, "%s_%s__check", c->s->c_name, m->slot_name);
}

static void put_begin(struct contract *c, const struct portolan_sidl_method *m, size_t index,
                      bool is_static)
{
    emit_begin_function(c->e, c->t, m, wrapper_name(c, m));
    portolan_text_add(c->t,
                      "    struct sidl_check_call _call, *const _check = &_call;\n"
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
    const bool is_static = method_is_static(m), is_own = m->owner == c->s;
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

        if (needs_check(c->s, m))
            portolan_text_add(c->t, "    {&%s__type, \"%s\", %zu, (sidl_slot_fn)%s, %s, NULL},\n",
                              c->s->c_name, m->slot_name, is_static ? i - c->s->n_slots : i,
                              wrapper_name(c, m), is_static ? "TRUE" : "FALSE");
    }
    portolan_text_add(c->t, "};\n");
    return portolan_arena_printf(c->e->arena, "    .checks = %s__checks,\n    .n_checks = %zu,\n",
                                 c->s->c_name, c->n_checks);
}

const char *emit_contract(struct emitter *e, struct portolan_text *t,
                          const struct portolan_sidl_symbol *s)
{
    struct contract c = {.e = e, .t = t, .s = s, .n_checks = count_checks(s)};
    const struct portolan_sidl_method *m;
    const char *invariants;
    size_t index = 0;

    if (c.n_checks)
        portolan_text_add(t, "static struct sidl_check %s__checks[%zu];\n", s->c_name, c.n_checks);
    put_table(&c);
    invariants = put_invariants(&c);
    for (size_t i = 0; (m = method_at(s, i)); i++)
        if (needs_check(s, m))
            put_wrapper(&c, m, index++);
    return portolan_arena_printf(e->arena, "%s%s", put_checks(&c), invariants);
}

bool emit_has_contracts(const struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *s = package->children[i];

        if (symbol_is_object(s) && (count_checks(s) || count_real(s->invariants, s->n_invariants)))
            return true;
    }
    return false;
}
