/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrappers that check contracts, in the C file of the package whose types have them. A type's
 * wrappers look at the clauses that it declares itself; the run time puts those of parents in
 * front.
 */
#include "emit_clause.h"

#include <string.h>

struct contract {
    struct emitter *e;
    struct portolan_text *t;
    const struct portolan_sidl_symbol *s;
    struct seen ancestors;
    size_t n_own;       /* invariants */
    size_t n_inherited; /* invariants that stand behind them in the table of clauses */
    size_t n_clauses;   /* written so far */
    size_t n_checks, n_static_checks;
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

/* Calls FN once for each type that S inherits. */
static void each_ancestor(const struct portolan_sidl_symbol *s, struct seen *seen)
{
    for (size_t i = 0; i < symbol_n_parents(s); i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(s, i)->symbol;

        if (see(seen, parent))
            each_ancestor(parent, seen);
    }
}

/* True when a type that S inherits checks all its own and inherited invariants around the method.
 */
static bool is_covered(const struct contract *c, const struct portolan_sidl_symbol *owner,
                       const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < c->ancestors.count; i++) {
        const struct portolan_sidl_symbol *s = c->ancestors.list[i];

        if (has_slot(s, m) && (s == owner || symbol_inherits(s, owner->full_name)))
            return true;
    }
    return false;
}

/* Invariants that S inherits, but that nobody else checks around this method. */
static bool needs_inherited(const struct contract *c, const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < c->ancestors.count; i++)
        if (c->ancestors.list[i]->n_invariants && !is_covered(c, c->ancestors.list[i], m))
            return true;
    return false;
}

static bool needs_check(const struct contract *c, const struct portolan_sidl_method *m)
{
    if (m->owner == c->s && has_clauses(m))
        return true;
    return !(m->flags & PORTOLAN_SIDL_STATIC) && (c->n_own || needs_inherited(c, m));
}

/* The table of clauses */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void put_clause(struct contract *c, const struct contract_scope *scope,
                       const struct portolan_sidl_clause *clause, const char *kind)
{
    portolan_text_add(c->t, "    {");
    if (clause->label)
        clause_put_string(c->t, clause->label);
    else
        portolan_text_add(c->t, "NULL");
    portolan_text_add(c->t, ", ");
    clause_put_string(c->t, clause->text);
    portolan_text_add(c->t, ", ");
    clause_put_string(c->t, file_name(clause->place.file));
    portolan_text_add(
        c->t, ", %d,\n     SIDL_%s, %d, %s%s%s},\n", clause->place.line, kind,
        clause_complexity(scope, clause->condition),
        clause_calls(clause->condition) ? "SIDL_CLAUSE_CALLS" : "",
        clause_calls(clause->condition) && clause_sees_results(scope, clause->condition) ? " | "
                                                                                         : "",
        clause_sees_results(scope, clause->condition) ? "SIDL_CLAUSE_RESULTS"
        : clause_calls(clause->condition)             ? ""
                                                      : "0");
}

static void put_list(struct contract *c, const struct contract_scope *scope,
                     const struct portolan_sidl_clause *list, size_t n, const char *kind)
{
    for (size_t i = 0; i < n; i++)
        if (is_real(&list[i]))
            put_clause(c, scope, &list[i], kind);
}

static void put_method_clauses(struct contract *c, const struct portolan_sidl_method *m)
{
    struct contract_scope scope = {.of = c->s, .method = m};

    if (m->owner != c->s)
        return;
    put_list(c, &scope, m->requires, m->n_requires, "PRECONDITION");
    scope.after = true;
    put_list(c, &scope, m->ensures, m->n_ensures, "POSTCONDITION");
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

static void put_clauses(struct contract *c)
{
    const struct contract_scope scope = {.of = c->s};
    const struct portolan_sidl_method *m;

    portolan_text_add(c->t, "static const struct sidl_clause %s__clauses[] = {\n", c->s->c_name);
    put_list(c, &scope, c->s->invariants, c->s->n_invariants, "INVARIANT");
    for (size_t i = 0; c->n_inherited && i < c->ancestors.count; i++)
        put_list(c, &scope, c->ancestors.list[i]->invariants, c->ancestors.list[i]->n_invariants,
                 "INVARIANT");
    for (size_t i = 0; (m = method_at(c->s, i)); i++)
        put_method_clauses(c, m);
    portolan_text_add(c->t, "};\n");
}

/* Conditions */

static void put_conditions(struct contract *c, const struct contract_scope *scope,
                           const struct portolan_sidl_clause *list, size_t n, int indent)
{
    for (size_t i = 0; i < n; i++) {
        struct portolan_text line = {.arena = c->e->arena};
        struct clause_writer w = {c->e, &line, *scope};

        if (!is_real(&list[i]))
            continue;
        portolan_text_add(&line, "%*sSIDL_CLAUSE(_check, &%s__clauses[%zu], ", indent, "",
                          c->s->c_name, c->n_clauses++);
        clause_put(&w, list[i].condition);
        portolan_text_add(&line, ");");
        emit_wrapped(c->t, line.bytes, indent + 4);
    }
}

static void put_part(struct contract *c, const struct contract_scope *scope,
                     const struct portolan_sidl_clause *list, size_t n, int indent)
{
    const size_t real = count_real(list, n);

    if (!real)
        return;
    portolan_text_add(c->t, "%*sif (sidl_check_begin(_check, &%s__clauses[%zu], %zu)) {\n", indent,
                      "", c->s->c_name, c->n_clauses, real);
    put_conditions(c, scope, list, n, indent + 4);
    portolan_text_add(c->t, "%*s    sidl_check_end(_check);\n%*s}\n", indent, "", indent, "");
}

/* One function for all methods of the type; most do not need the inherited invariants. */
static void put_invariants(struct contract *c)
{
    const struct contract_scope scope = {.of = c->s};
    const char *name = c->s->c_name;

    portolan_text_add(
        c->t,
        "\nstatic void %s__invariants(struct sidl_check_call *_check, void *self,\n"
        "    sidl_bool with_inherited)\n{\n"
        "    (void)self;\n"
        "    if (!sidl_check_begin(_check, %s__clauses, with_inherited ? %zu : %zu))\n"
        "        return;\n",
        name, name, c->n_own + c->n_inherited, c->n_own);
    put_conditions(c, &scope, c->s->invariants, c->s->n_invariants, 4);
    if (c->n_inherited) {
        portolan_text_add(c->t, "    if (with_inherited) {\n");
        for (size_t i = 0; i < c->ancestors.count; i++)
            put_conditions(c, &scope, c->ancestors.list[i]->invariants,
                           c->ancestors.list[i]->n_invariants, 8);
        portolan_text_add(c->t, "    }\n");
    }
    portolan_text_add(c->t, "    sidl_check_end(_check);\n}\n");
}

/* Wrappers */

static void put_forward(struct contract *c, const struct portolan_sidl_method *m, bool is_static)
{
    struct portolan_text line = {.arena = c->e->arena};
    bool is_first = is_static;

    portolan_text_add(&line, "        %s((%s)_next)(%s",
                      m->result->kind == PORTOLAN_SIDL_VOID ? "" : "_retval = ",
                      c_function(c->e->arena, m, C_SLOT, "(*)", is_static ? NULL : "void *self"),
                      is_static ? "" : "self");
    for (size_t i = 0; i < m->n_arguments; i++) {
        if (m->arguments[i].is_extent)
            continue;
        portolan_text_add(&line, "%s%s", is_first ? "" : ", ", m->arguments[i].name);
        is_first = false;
    }
    portolan_text_add(&line, "%s_ex);", is_first ? "" : ", ");
    emit_wrapped(c->t, line.bytes, 12);
}

/* "A_B_C_m__check". */
static const char *wrapper_name(struct contract *c, const struct portolan_sidl_method *m)
{
    return portolan_arena_printf(c->e->arena, "%s_%s__check", c->s->c_name, m->slot_name);
}

static void put_wrapper(struct contract *c, const struct portolan_sidl_method *m, size_t index)
{
    const bool is_static = m->flags & PORTOLAN_SIDL_STATIC, is_own = m->owner == c->s;
    const bool inherited = !is_static && c->n_inherited && needs_inherited(c, m);
    const bool has_invariants = !is_static && (c->n_own || inherited);
    const char *invariants =
        portolan_arena_printf(c->e->arena, "%s__invariants(_check, self, %s);\n", c->s->c_name,
                              inherited ? "TRUE" : "FALSE");
    struct contract_scope scope = {.of = c->s, .method = m};

    portolan_text_add(c->t, "\n");
    emit_wrapped(c->t,
                 portolan_arena_printf(c->e->arena, "static %s",
                                       c_function(c->e->arena, m, C_SLOT, wrapper_name(c, m),
                                                  is_static ? NULL : "void *self")),
                 4);
    portolan_text_add(c->t,
                      "{\n    struct sidl_check_call _call, *const _check = &_call;\n"
                      "    const sidl_slot_fn _next = sidl_check_enter%s(_check, %s&%s__checks[%zu]"
                      ", _ex);\n",
                      is_static ? "_static" : "", is_static ? "" : "self, ", c->s->c_name, index);
    if (m->result->kind != PORTOLAN_SIDL_VOID)
        portolan_text_add(c->t, "    %s_retval = %s;\n", c_result(c->e->arena, m, C_SLOT),
                          emit_zero(m->result));
    portolan_text_add(c->t, "\n");
    if (is_own)
        put_part(c, &scope, m->requires, m->n_requires, 4);
    if (has_invariants)
        portolan_text_add(c->t, "    %s", invariants);
    portolan_text_add(c->t, "    if (sidl_check_go(_check)) {\n");
    put_forward(c, m, is_static);
    scope.after = true;
    if (has_invariants || (is_own && count_real(m->ensures, m->n_ensures))) {
        portolan_text_add(c->t, "        if (sidl_check_back(_check)) {\n");
        if (is_own)
            put_part(c, &scope, m->ensures, m->n_ensures, 12);
        if (has_invariants)
            portolan_text_add(c->t, "            %s", invariants);
        portolan_text_add(c->t, "        }\n");
    } else {
        portolan_text_add(c->t, "        sidl_check_back(_check);\n");
    }
    portolan_text_add(c->t, "    }\n");
    emit_drops(c->e, c->t, m, "sidl_check_leave(_check)");
    portolan_text_add(c->t, "%s}\n",
                      m->result->kind == PORTOLAN_SIDL_VOID ? "" : "    return _retval;\n");
}

static void put_checks(struct contract *c)
{
    const struct portolan_sidl_method *m;
    size_t n_links = 0;

    portolan_text_add(c->t, "\nstatic const struct sidl_check %s__checks[%zu] = {\n", c->s->c_name,
                      c->n_checks);
    for (size_t i = 0; (m = method_at(c->s, i)); i++) {
        const bool is_static = i >= c->s->n_slots;

        if (!needs_check(c, m))
            continue;
        portolan_text_add(c->t, "    {&%s__type, \"%s\", %zu, (sidl_slot_fn)%s, ", c->s->c_name,
                          m->slot_name, is_static ? i - c->s->n_slots : i, wrapper_name(c, m));
        if (is_static)
            portolan_text_add(c->t, "&%s__links[%zu]},\n", c->s->c_name, n_links++);
        else
            portolan_text_add(c->t, "NULL},\n");
    }
    portolan_text_add(c->t, "};\n");
}

static void count(struct contract *c)
{
    const struct portolan_sidl_method *m;
    bool inherits = false;

    c->ancestors.arena = c->e->arena;
    each_ancestor(c->s, &c->ancestors);
    c->n_own = count_real(c->s->invariants, c->s->n_invariants);

    for (size_t i = 0; (m = method_at(c->s, i)); i++) {
        const bool is_static = i >= c->s->n_slots;

        if (!needs_check(c, m))
            continue;
        c->n_checks++;
        c->n_static_checks += is_static;
        inherits |= !is_static && needs_inherited(c, m);
    }
    for (size_t i = 0; inherits && i < c->ancestors.count; i++)
        c->n_inherited +=
            count_real(c->ancestors.list[i]->invariants, c->ancestors.list[i]->n_invariants);
}

size_t emit_contract(struct emitter *e, struct portolan_text *t,
                     const struct portolan_sidl_symbol *s)
{
    struct contract c = {.e = e, .t = t, .s = s};
    const struct portolan_sidl_method *m;
    size_t index = 0;

    count(&c);
    if (!c.n_checks)
        return 0;
    portolan_text_add(t, "static const struct sidl_check %s__checks[%zu];\n", s->c_name,
                      c.n_checks);
    if (c.n_static_checks)
        portolan_text_add(t, "static struct sidl_check_link *%s__links[%zu];\n", s->c_name,
                          c.n_static_checks);
    put_clauses(&c);
    if (c.n_own || c.n_inherited)
        put_invariants(&c);
    for (size_t i = 0; (m = method_at(s, i)); i++)
        if (needs_check(&c, m))
            put_wrapper(&c, m, index++);
    put_checks(&c);
    return c.n_checks;
}

bool emit_has_contracts(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        struct contract c = {.e = e, .s = package->children[i]};

        if (symbol_is_object(c.s))
            count(&c);
        if (c.n_checks)
            return true;
    }
    return false;
}
