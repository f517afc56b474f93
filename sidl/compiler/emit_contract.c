/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrappers that check contracts, in the C file of the package whose types have them. A type's
 * wrappers check the clauses that it declares itself; the run time calls the wrappers of parents
 * before, and the first wrapper checks the invariants of all types of an object.
 */
#include "contract.h"
#include "emit.h"

#include <string.h>

struct contract {
    struct emitter *e;
    const struct portolan_sidl_symbol *s;
    struct portolan_text wrappers, checks; /* functions, and rows of the table of them */
    size_t n_checks;
};

/* The clauses of a list as statements, "" when there are none. M is NULL for invariants. */
static const char *clauses(const struct contract *c, const struct portolan_sidl_method *m,
                           const struct portolan_sidl_clause *list, size_t n, const char *kind)
{
    const struct scope scope = {c->e->arena, c->s, m, strcmp(kind, "POSTCONDITION") == 0, NULL};
    struct portolan_text t = {.arena = c->e->arena};

    for (size_t i = 0; i < n; i++) {
        const struct portolan_sidl_place *place = &list[i].place;
        const char *condition = contract_condition(&scope, list[i].condition);

        if (!condition)
            continue;
        portolan_text_add(
            &t, "    SIDL_CLAUSE(%s, \"%s%s\", %s, %s, %d,\n", kind, list[i].label ? " " : "",
            list[i].label ? list[i].label : "", contract_quoted(t.arena, '"', list[i].text, false),
            contract_quoted(t.arena, '"', portolan_file_name(place->file), false), place->line);
        emit_wrapped(c->e, &t, 8, "        %s);", condition);
    }
    return t.length ? t.bytes : "";
}

/* Invariants need a wrapper around every method; that of a parent may do. */
static bool invariants_need_check(const struct portolan_sidl_symbol *s,
                                  const struct portolan_sidl_method *m)
{
    if (method_is_static(m) || !s->own.has_invariants)
        return false;
    for (size_t i = 0; i < symbol_n_parents(s); i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(s, i)->symbol;

        if (parent->own.has_invariants && symbol_slot(parent, m->slot_name) < parent->n_slots)
            return false;
    }
    return true;
}

static void put_wrapper(struct contract *c, const struct portolan_sidl_method *m,
                        const char *requires, const char *ensures)
{
    const bool is_static = method_is_static(m), is_void = m->result->kind == PORTOLAN_SIDL_VOID;
    const char *name =
        portolan_arena_printf(c->e->arena, "%s_%s__check", c->s->c_name, m->slot_name);
    const char *invariants = is_static ? "" : "    sidl_check_invariants(_check, self);\n";
    struct call call =
        emit_begin_call(c->e, "    %s((__typeof__(&%s))_next)", is_void ? "" : "_retval = ", name);
    struct portolan_text *t = &c->wrappers;

    emit_begin_wrapper(
        c->e, t, m, name,
        portolan_arena_printf(c->e->arena,
                              "    struct sidl_check_call _call, *const _check = &_call;\n"
                              "    const sidl_slot_fn _next = sidl_check_enter(_check, %s, "
                              "&%s__checks[%zu], _ex);\n",
                              is_static ? "NULL" : "self", c->s->c_name, c->n_checks));
    portolan_text_add(t, "%s%s", requires, invariants);
    emit_give_up(t, m, "_retval");
    if (!is_static)
        emit_argument(&call, "self");
    emit_slot_arguments(&call, m);
    emit_end_call(t, &call);
    emit_give_up(t, m, "_retval");
    portolan_text_add(t, "%s%s", ensures, invariants);
    emit_end_wrapper(c->e, t, m);
}

/* Adds the wrapper that M, in the SLOT-th place of its table, needs. */
static void add_check(struct contract *c, const struct portolan_sidl_method *m, size_t slot)
{
    const bool is_own = m->owner == c->s;
    const char *requires = is_own ? clauses(c, m, m->requires, m->n_requires, "PRECONDITION") : "";
    const char *ensures = is_own ? clauses(c, m, m->ensures, m->n_ensures, "POSTCONDITION") : "";

    if (!*requires && !*ensures && !invariants_need_check(c->s, m))
        return;
    put_wrapper(c, m, requires, ensures);
    portolan_text_add(&c->checks,
                      "    {&%s__type, \"%s\", %zu, (sidl_slot_fn)%s_%s__check, %s, NULL},\n",
                      c->s->c_name, m->slot_name, slot, c->s->c_name, m->slot_name,
                      method_is_static(m) ? "TRUE" : "FALSE");
    c->n_checks++;
}

const char *emit_contract(struct emitter *e, struct portolan_text *t,
                          const struct portolan_sidl_symbol *s)
{
    struct contract c = {e, s, {.arena = e->arena}, {.arena = e->arena}, 0};
    const char *invariants = clauses(&c, NULL, s->invariants, s->n_invariants, "INVARIANT");
    struct portolan_text members = {.arena = e->arena};
    size_t n_static = 0;

    for (size_t i = 0; i < s->n_slots; i++)
        add_check(&c, s->slots[i], i);
    for (size_t i = 0; i < s->n_methods; i++)
        if (method_is_static(s->methods[i]))
            add_check(&c, s->methods[i], n_static++);
    if (*invariants) {
        portolan_text_add(
            t,
            "\nstatic void %s__invariants(struct sidl_check_call *_check, void *self)\n"
            "{\n    (void)self;\n%s}\n",
            s->c_name, invariants);
        portolan_text_add(&members, "    .invariants = %s__invariants,\n", s->c_name);
    }
    if (c.n_checks) {
        portolan_text_add(t,
                          "\nstatic struct sidl_check %s__checks[%zu];\n%s"
                          "\nstatic struct sidl_check %s__checks[%zu] = {\n%s};\n",
                          s->c_name, c.n_checks, c.wrappers.bytes, s->c_name, c.n_checks,
                          c.checks.bytes);
        portolan_text_add(&members, "    .checks = %s__checks,\n    .n_checks = %zu,\n", s->c_name,
                          c.n_checks);
    }
    return members.length ? members.bytes : "";
}
