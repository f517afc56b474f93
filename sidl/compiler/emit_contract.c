/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrappers that check contracts, in the C file of the package whose types have them. A type's
 * wrappers check the clauses that it declares itself; the run time calls the wrappers of parents
 * before, and the first wrapper checks the invariants of all types of an object.
 */
#include "contract.h"
#include "emit.h"

#include <string.h>

/* Conditions in C, as they stand in a wrapper; see runtime/sidl_contract.h */

struct writer {
    struct emitter *e;
    struct portolan_text *t;
    const struct contract_scope *scope;
};

/* The value of E: 0 or 1, int64_t, double, double _Complex, a string or a void pointer. */
static void put_value(struct writer *w, const struct portolan_sidl_expr *e);

static enum contract_kind kind_of(const struct writer *w, const struct portolan_sidl_expr *e)
{
    return contract_type(w->scope, e).kind;
}

/* C for the value of '@', which has that type. */
static const char *value_at(const struct portolan_sidl_type *type)
{
    static const char *const values[] = {
        [PORTOLAN_SIDL_BOOL] = "(@ != 0)",
        [PORTOLAN_SIDL_CHAR] = "(int64_t)@",
        [PORTOLAN_SIDL_DCOMPLEX] = "sidl_dcomplex_value(@)",
        [PORTOLAN_SIDL_DOUBLE] = "(double)@",
        [PORTOLAN_SIDL_FCOMPLEX] = "sidl_fcomplex_value(@)",
        [PORTOLAN_SIDL_FLOAT] = "(double)@",
        [PORTOLAN_SIDL_INT] = "(int64_t)@",
        [PORTOLAN_SIDL_LONG] = "(int64_t)@",
        [PORTOLAN_SIDL_OPAQUE] = "(void *)@",
        [PORTOLAN_SIDL_STRING] = "@",
        [PORTOLAN_SIDL_ARRAY] = "(void *)@",
        [PORTOLAN_SIDL_RARRAY] = "(void *)@",
        [PORTOLAN_SIDL_ENUM] = "(int64_t)@",
        [PORTOLAN_SIDL_STRUCT] = "@",
        [PORTOLAN_SIDL_OBJECT] = "(void *)@",
    };

    return values[type->kind];
}

/* The same for the result of a method: strings, objects and arrays are released later. */
static const char *value_returned(const struct portolan_sidl_type *type)
{
    if (type->kind == PORTOLAN_SIDL_STRING)
        return "(const char *)sidl_check_keep(_check, SIDL_KEPT_STRING, @)";
    if (type->kind == PORTOLAN_SIDL_OBJECT)
        return "sidl_check_keep(_check, SIDL_KEPT_OBJECT, @)";
    if (type->kind == PORTOLAN_SIDL_ARRAY)
        return "sidl_check_keep(_check, SIDL_KEPT_ARRAY, @)";
    return value_at(type);
}

static void put_name(struct writer *w, const char *name)
{
    const struct portolan_sidl_argument *a = contract_argument(w->scope, name);
    const struct portolan_sidl_field *field = contract_field(w->scope, name);
    const bool is_pointer = a->mode != PORTOLAN_SIDL_IN && a->type->kind != PORTOLAN_SIDL_RARRAY &&
                            a->type->kind != PORTOLAN_SIDL_STRUCT;
    const char *place =
        field ? portolan_arena_printf(w->e->arena, "%s->%s", a->name, field->name)
              : portolan_arena_printf(w->e->arena, "%s%s", is_pointer ? "*" : "",
                                      portolan_sidl_epv_value(w->e->arena, w->scope->method, a));

    emit_named(w->t, place, value_at(field ? field->type : a->type));
}

static void put_result(struct writer *w)
{
    const struct portolan_sidl_type *type = w->scope->method->result;

    emit_named(w->t, type->kind == PORTOLAN_SIDL_STRUCT ? "&_retval" : "_retval", value_at(type));
}

/* CODE, with each '$' replaced by the next operand of E. */
static void put_code(struct writer *w, const struct portolan_sidl_expr *e, const char *code)
{
    for (size_t i = 0; *code; code++)
        if (*code == '$')
            put_value(w, e->operands[i++]);
        else
            portolan_text_add_bytes(w->t, code, 1);
}

/* Built-in functions */

static void put_operand(struct writer *w, const struct portolan_sidl_expr *e)
{
    const enum contract_kind kind = kind_of(w, e);

    portolan_text_add(w->t, "sidl_operand_%s(",
                      kind == CONTRACT_ARRAY                              ? "array"
                      : kind == CONTRACT_REAL || kind == CONTRACT_COMPLEX ? "number"
                                                                          : "integer");
    put_value(w, e);
    portolan_text_add(w->t, ")");
}

static void put_builtin(struct writer *w, const struct contract_builtin *b,
                        const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_expr *relation = *b->arguments == 'R' ? e->operands[0] : NULL;
    const enum contract_kind kind =
        b->result == CONTRACT_UNKNOWN ? kind_of(w, e) : CONTRACT_UNKNOWN;

    portolan_text_add(w->t, "%s%s", kind == CONTRACT_REAL ? "(double)" : "", b->before);
    if (relation) {
        portolan_text_add(w->t, "\"%s\", ", relation->text);
        put_operand(w, relation->operands[0]);
        portolan_text_add(w->t, ", ");
        put_operand(w, relation->operands[1]);
    }
    for (size_t i = 0; !relation && i < e->n_operands; i++) {
        portolan_text_add(w->t, "%s%s", i ? ", " : "", b->arguments[i] == 'k' ? "(int32_t)" : "");
        if (strchr("adik", b->arguments[i]))
            put_value(w, e->operands[i]);
        else
            put_operand(w, e->operands[i]);
    }
    portolan_text_add(w->t, "%s%s", b->after,
                      kind == CONTRACT_UNKNOWN   ? ""
                      : kind == CONTRACT_INTEGER ? ".integer"
                                                 : ".value");
}

/* Methods */

/* Writes E as an argument of that type. */
static void put_argument(struct writer *w, const struct portolan_sidl_type *type,
                         const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_type *given = contract_type(w->scope, e).type;

    if (type->kind == PORTOLAN_SIDL_OBJECT && given && given->symbol != type->symbol) {
        portolan_text_add(w->t, "(%s)sidl_check_cast(_check, ", type->symbol->c_name);
        put_value(w, e);
        portolan_text_add(w->t, ", \"%s\")", type->symbol->full_name);
        return;
    }
    if (type->kind == PORTOLAN_SIDL_FCOMPLEX || type->kind == PORTOLAN_SIDL_DCOMPLEX)
        portolan_text_add(w->t, "sidl_%s_of(", type->name);
    else if (type->kind != PORTOLAN_SIDL_STRUCT && type->kind != PORTOLAN_SIDL_STRING)
        portolan_text_add(w->t, "(%s)(", c_value(w->e->arena, type));
    else
        portolan_text_add(w->t, "(");
    put_value(w, e);
    portolan_text_add(w->t, ")");
}

/* The index of M in its table: that of S's objects, or that of its class's static methods. */
static size_t slot_of(const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    size_t at = 0;

    if (!method_is_static(m))
        return symbol_slot(s, m->slot_name);
    for (size_t i = 0; m->owner->methods[i] != m; i++)
        at += method_is_static(m->owner->methods[i]);
    return at;
}

static void put_method(struct writer *w, const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_method *m = contract_method(w->scope, e);
    const bool is_static = method_is_static(m);
    struct portolan_text call = {.arena = w->e->arena};
    struct writer inner = {w->e, &call, w->scope};

    portolan_text_add(&call, "((%s)sidl_check_%s(_check, &%s__type, %zu))(%s",
                      c_function(w->e->arena, m, C_SLOT, "(*)", is_static ? NULL : "void *self"),
                      is_static ? "static" : "method",
                      is_static ? m->owner->c_name : w->scope->of->c_name, slot_of(w->scope->of, m),
                      is_static ? "" : "self, ");
    for (size_t i = 0; i < e->n_operands; i++) {
        if (m->arguments[i].is_extent)
            continue;
        put_argument(&inner, m->arguments[i].type, e->operands[i]);
        portolan_text_add(&call, ", ");
    }
    portolan_text_add(&call, "sidl_check_ex(_check))");
    emit_named(w->t, call.bytes, value_returned(m->result));
}

/* Operators */

static void put_unary(struct writer *w, const struct portolan_sidl_expr *e)
{
    const bool is_minus = strcmp(e->text, "-") == 0;

    put_code(w, e,
             is_minus && kind_of(w, e) == CONTRACT_INTEGER ? "SIDL_INT(-, 0, $)"
             : is_minus                                    ? "(-$)"
             : strcmp(e->text, "not") == 0                 ? "(!$)"
             : strcmp(e->text, "~") == 0                   ? "(~$)"
                                                           : "($)");
}

static void put_binary(struct writer *w, const struct portolan_sidl_expr *e)
{
    const struct contract_operator *op = contract_operator(e->text);
    const enum contract_kind a = kind_of(w, e->operands[0]), b = kind_of(w, e->operands[1]);
    const bool are_integers =
        contract_is_number(a, CONTRACT_INTEGER) && contract_is_number(b, CONTRACT_INTEGER);
    const bool differs = strcmp(e->text, "!=") == 0;
    const char *code = are_integers && op->of_integers ? op->of_integers : op->of_others;

    if (a == CONTRACT_STRING)
        code = portolan_arena_printf(w->e->arena, "(sidl_string_compare($, $) %s 0)", e->text);
    else if (a == CONTRACT_OBJECT && b == CONTRACT_OBJECT)
        code = differs ? "(!sidl_reference_is_same($, $, NULL))"
                       : "(sidl_reference_is_same($, $, NULL))";
    else if (a == CONTRACT_NULL && b == CONTRACT_NULL)
        code = differs ? "0" : "1";
    put_code(w, e, code);
}

/* TEXT already has C's escapes, except that two question marks could begin a trigraph. */
static void put_quoted(struct writer *w, char quote, const char *text)
{
    portolan_text_add(w->t, "%c", quote);
    for (const char *c = text; *c; c++)
        portolan_text_add(w->t, *c == '?' && c > text && c[-1] == '?' ? "\\%c" : "%c", *c);
    portolan_text_add(w->t, "%c", quote);
}

static void put_value(struct writer *w, const struct portolan_sidl_expr *e)
{
    const struct contract_builtin *builtin =
        e->op == PORTOLAN_SIDL_OP_CALL ? contract_builtin(w->scope, e) : NULL;

    switch (e->op) {
    case PORTOLAN_SIDL_OP_NAME:
        put_name(w, e->text);
        break;
    case PORTOLAN_SIDL_OP_INTEGER:
        portolan_text_add(w->t, "INT64_C(%lld)", (long long)e->integer);
        break;
    case PORTOLAN_SIDL_OP_COMPLEX:
        put_code(w, e, "sidl_complex((double)$, (double)$)");
        break;
    case PORTOLAN_SIDL_OP_STRING:
        put_quoted(w, '"', e->text);
        break;
    case PORTOLAN_SIDL_OP_CHARACTER:
        portolan_text_add(w->t, "(int64_t)");
        put_quoted(w, '\'', e->text);
        break;
    case PORTOLAN_SIDL_OP_BOOLEAN:
        portolan_text_add(w->t, strcmp(e->text, "true") == 0 ? "1" : "0");
        break;
    case PORTOLAN_SIDL_OP_NULL:
        portolan_text_add(w->t, "NULL");
        break;
    case PORTOLAN_SIDL_OP_RESULT:
        put_result(w);
        break;
    case PORTOLAN_SIDL_OP_CALL:
        if (builtin)
            put_builtin(w, builtin, e);
        else
            put_method(w, e);
        break;
    case PORTOLAN_SIDL_OP_UNARY:
        put_unary(w, e);
        break;
    case PORTOLAN_SIDL_OP_BINARY:
        put_binary(w, e);
        break;
    default:
        portolan_text_add(w->t, "%s", e->text);
    }
}

/* Wrappers */

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
        struct writer w = {c->e, &condition, scope};

        if (!is_real(&list[i]))
            continue;
        put_value(&w, list[i].condition);
        emit_wrapped(c->e, c->t, 8, "    SIDL_CLAUSE(_check, &%s__clauses[%zu], %s);", c->s->c_name,
                     c->n_clauses++, condition.bytes);
    }
}

/* Emits the function that checks S's invariants; returns the member of S__type for it. */
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
    const char *invariants = is_static ? "" : "    sidl_check_invariants(_check, self);\n";
    struct contract_scope scope = {.of = c->s, .method = m};

    put_begin(c, m, index, is_static);
    if (is_own)
        put_conditions(c, &scope, m->requires, m->n_requires);
    portolan_text_add(c->t, "%s", invariants);
    emit_give_up(c->t, m, "_retval");
    put_forward(c, m, is_static);
    scope.after = true;
    if (!is_static || count_real(m->ensures, m->n_ensures)) {
        emit_give_up(c->t, m, "_retval");
        if (is_own)
            put_conditions(c, &scope, m->ensures, m->n_ensures);
        portolan_text_add(c->t, "%s", invariants);
        emit_drops(c->e, c->t, m);
    }
    portolan_text_add(c->t, "%s}\n", is_void ? "" : "    return _retval;\n");
}

/* Emits S's wrappers; returns the members of S__type for them. */
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
