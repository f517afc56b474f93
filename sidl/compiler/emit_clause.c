/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions of contracts in C, as they stand in a wrapper; see runtime/sidl_contract.h. */
#include "contract.h"
#include "emit.h"

#include <string.h>

struct writer {
    struct emitter *e;
    struct portolan_text *t;
    const struct contract_scope *scope;
};

/* The value of E: 0 or 1, int64_t, double, double _Complex, a string or a void pointer. */
static void put(struct writer *w, const struct portolan_sidl_expr *e);

static enum contract_kind kind_of(const struct writer *w, const struct portolan_sidl_expr *e)
{
    return contract_type(w->scope, e).kind;
}

/* What stands around a place of some type to make a value of it. */
struct around {
    const char *before, *after;
};

static struct around value_at(const struct portolan_sidl_type *type)
{
    switch (contract_value_of(type).kind) {
    case CONTRACT_CHAR:
    case CONTRACT_INTEGER:
        return (struct around){"(int64_t)", ""};
    case CONTRACT_REAL:
        return (struct around){"(double)", ""};
    case CONTRACT_COMPLEX:
        return type->kind == PORTOLAN_SIDL_FCOMPLEX ? (struct around){"sidl_fcomplex_value(", ")"}
                                                    : (struct around){"sidl_dcomplex_value(", ")"};
    case CONTRACT_BOOL:
        return (struct around){"(", " != 0)"};
    case CONTRACT_OPAQUE:
    case CONTRACT_OBJECT:
    case CONTRACT_ARRAY:
        return (struct around){"(void *)", ""};
    default:
        return (struct around){"", ""};
    }
}

/* The same for what a method returned: strings, objects and arrays are given back later. */
static struct around returned(const struct portolan_sidl_type *type)
{
    switch (type->kind) {
    case PORTOLAN_SIDL_STRING:
        return (struct around){"(const char *)sidl_check_keep(_check, SIDL_KEPT_STRING, ", ")"};
    case PORTOLAN_SIDL_OBJECT:
        return (struct around){"sidl_check_keep(_check, SIDL_KEPT_OBJECT, ", ")"};
    case PORTOLAN_SIDL_ARRAY:
        return (struct around){"sidl_check_keep(_check, SIDL_KEPT_ARRAY, ", ")"};
    default:
        return value_at(type);
    }
}

static void put_name(struct writer *w, const char *name)
{
    const struct portolan_sidl_argument *a = contract_argument(w->scope, name);
    const struct portolan_sidl_field *field = contract_field(w->scope, name);
    const struct around value = value_at(field ? field->type : a->type);
    const bool is_pointer = a->mode != PORTOLAN_SIDL_IN && a->type->kind != PORTOLAN_SIDL_RARRAY;

    if (field)
        portolan_text_add(w->t, "%s%s->%s%s", value.before, a->name, field->name, value.after);
    else if (a->type->kind == PORTOLAN_SIDL_STRUCT)
        portolan_text_add(w->t, "%s", a->name);
    else
        portolan_text_add(w->t, "%s%s%s%s", value.before, is_pointer ? "*" : "",
                          portolan_sidl_epv_value(w->e->arena, w->scope->method, a), value.after);
}

static void put_result(struct writer *w)
{
    const struct portolan_sidl_type *type = w->scope->method->result;
    const struct around value = value_at(type);

    portolan_text_add(w->t, "%s%s_retval%s", value.before,
                      type->kind == PORTOLAN_SIDL_STRUCT ? "&" : "", value.after);
}

/* CODE, each '$' in it being the next operand of E. */
static void put_code(struct writer *w, const struct portolan_sidl_expr *e, const char *code)
{
    for (size_t i = 0; *code; code++)
        if (*code == '$')
            put(w, e->operands[i++]);
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
    put(w, e);
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
            put(w, e->operands[i]);
        else
            put_operand(w, e->operands[i]);
    }
    portolan_text_add(w->t, "%s%s", b->after,
                      kind == CONTRACT_UNKNOWN   ? ""
                      : kind == CONTRACT_INTEGER ? ".integer"
                                                 : ".value");
}

/* Methods */

/* E as an argument of that type. */
static void put_argument(struct writer *w, const struct portolan_sidl_type *type,
                         const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_type *given = contract_type(w->scope, e).type;

    if (type->kind == PORTOLAN_SIDL_OBJECT && given && given->symbol != type->symbol) {
        portolan_text_add(w->t, "(%s)sidl_check_cast(_check, ", type->symbol->c_name);
        put(w, e);
        portolan_text_add(w->t, ", \"%s\")", type->symbol->full_name);
        return;
    }
    if (type->kind == PORTOLAN_SIDL_FCOMPLEX || type->kind == PORTOLAN_SIDL_DCOMPLEX)
        portolan_text_add(w->t, "sidl_%s_of(", type->name);
    else if (type->kind != PORTOLAN_SIDL_STRUCT && type->kind != PORTOLAN_SIDL_STRING)
        portolan_text_add(w->t, "(%s)(", c_value(w->e->arena, type));
    else
        portolan_text_add(w->t, "(");
    put(w, e);
    portolan_text_add(w->t, ")");
}

/* The place of M in its table: that of S's objects, or that of its class's static methods. */
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
    const struct around value = returned(m->result);

    portolan_text_add(w->t, "%s((%s)sidl_check_%s(_check, &%s__type, %zu))(%s", value.before,
                      c_function(w->e->arena, m, C_SLOT, "(*)", is_static ? NULL : "void *self"),
                      is_static ? "static" : "method",
                      is_static ? m->owner->c_name : w->scope->of->c_name, slot_of(w->scope->of, m),
                      is_static ? "" : "self, ");
    for (size_t i = 0; i < e->n_operands; i++) {
        if (m->arguments[i].is_extent)
            continue;
        put_argument(w, m->arguments[i].type, e->operands[i]);
        portolan_text_add(w->t, ", ");
    }
    portolan_text_add(w->t, "sidl_check_ex(_check))%s", value.after);
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

/* A literal with C's escapes already; two question marks could be a trigraph. */
static void put_quoted(struct writer *w, char quote, const char *text)
{
    portolan_text_add(w->t, "%c", quote);
    for (const char *c = text; *c; c++)
        portolan_text_add(w->t, *c == '?' && c > text && c[-1] == '?' ? "\\%c" : "%c", *c);
    portolan_text_add(w->t, "%c", quote);
}

static void put(struct writer *w, const struct portolan_sidl_expr *e)
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

void emit_condition(struct emitter *e, struct portolan_text *t, const struct contract_scope *scope,
                    const struct portolan_sidl_expr *condition)
{
    struct writer w = {e, t, scope};

    put(&w, condition);
}
