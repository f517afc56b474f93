/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract.h"

#include <string.h>

static const struct contract_value unknown = {.kind = CONTRACT_UNKNOWN};

const char *contract_kind_text(enum contract_kind kind)
{
    static const char *const texts[] = {
        [CONTRACT_UNKNOWN] = "unknown",    [CONTRACT_BOOL] = "bool",
        [CONTRACT_CHAR] = "char",          [CONTRACT_INTEGER] = "an integer",
        [CONTRACT_REAL] = "a real number", [CONTRACT_COMPLEX] = "complex",
        [CONTRACT_STRING] = "a string",    [CONTRACT_OPAQUE] = "opaque",
        [CONTRACT_OBJECT] = "an object",   [CONTRACT_ARRAY] = "an array",
        [CONTRACT_STRUCT] = "a struct",    [CONTRACT_NULL] = "null",
        [CONTRACT_VOID] = "void",
    };

    return texts[kind];
}

bool contract_is_number(enum contract_kind kind)
{
    return kind >= CONTRACT_CHAR && kind <= CONTRACT_COMPLEX;
}

struct contract_value contract_value_of(const struct portolan_sidl_type *type)
{
    static const enum contract_kind kinds[] = {
        [PORTOLAN_SIDL_VOID] = CONTRACT_VOID,     [PORTOLAN_SIDL_BOOL] = CONTRACT_BOOL,
        [PORTOLAN_SIDL_CHAR] = CONTRACT_CHAR,     [PORTOLAN_SIDL_DCOMPLEX] = CONTRACT_COMPLEX,
        [PORTOLAN_SIDL_DOUBLE] = CONTRACT_REAL,   [PORTOLAN_SIDL_FCOMPLEX] = CONTRACT_COMPLEX,
        [PORTOLAN_SIDL_FLOAT] = CONTRACT_REAL,    [PORTOLAN_SIDL_INT] = CONTRACT_INTEGER,
        [PORTOLAN_SIDL_LONG] = CONTRACT_INTEGER,  [PORTOLAN_SIDL_OPAQUE] = CONTRACT_OPAQUE,
        [PORTOLAN_SIDL_STRING] = CONTRACT_STRING, [PORTOLAN_SIDL_ARRAY] = CONTRACT_ARRAY,
        [PORTOLAN_SIDL_RARRAY] = CONTRACT_ARRAY,  [PORTOLAN_SIDL_ENUM] = CONTRACT_INTEGER,
        [PORTOLAN_SIDL_STRUCT] = CONTRACT_STRUCT, [PORTOLAN_SIDL_OBJECT] = CONTRACT_OBJECT,
    };

    if (type_is_unknown(type))
        return unknown;
    return (struct contract_value){.kind = kinds[type->kind], .type = type};
}

enum contract_rule contract_rule(const char *text)
{
    static const struct {
        const char *text;
        enum contract_rule rule;
    } rules[] = {
        {"implies", RULE_LOGIC}, {"iff", RULE_LOGIC},   {"or", RULE_LOGIC},
        {"xor", RULE_LOGIC},     {"and", RULE_LOGIC},   {"&", RULE_BITS},
        {"|", RULE_BITS},        {"^", RULE_BITS},      {"==", RULE_EQUALITY},
        {"!=", RULE_EQUALITY},   {"<", RULE_ORDER},     {">", RULE_ORDER},
        {"<=", RULE_ORDER},      {">=", RULE_ORDER},    {"<<<", RULE_SHIFT},
        {">>>", RULE_SHIFT},     {"%", RULE_REMAINDER}, {"rem", RULE_REMAINDER},
        {"mod", RULE_REMAINDER}, {"**", RULE_POWER},
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].text, text) == 0)
            return rules[i].rule;
    return RULE_ARITHMETIC;
}

static const struct portolan_sidl_argument *find_argument(const struct contract_scope *s,
                                                          const char *name, size_t length)
{
    for (size_t i = 0; s->method && i < s->method->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &s->method->arguments[i];

        if (strlen(a->name) == length && memcmp(a->name, name, length) == 0)
            return a;
    }
    return NULL;
}

const struct portolan_sidl_argument *contract_argument(const struct contract_scope *s,
                                                       const char *name)
{
    return find_argument(s, name, strcspn(name, "."));
}

const struct portolan_sidl_field *contract_field(const struct contract_scope *s, const char *name)
{
    const struct portolan_sidl_argument *a = contract_argument(s, name);
    const char *dot = strchr(name, '.');

    if (!a || !dot || a->type->kind != PORTOLAN_SIDL_STRUCT)
        return NULL;
    for (size_t i = 0; i < a->type->symbol->n_fields; i++)
        if (strcmp(a->type->symbol->fields[i].name, dot + 1) == 0)
            return &a->type->symbol->fields[i];
    return NULL;
}

static struct contract_value name_type(const struct contract_scope *s,
                                       const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_argument *a = contract_argument(s, e->text);
    const struct portolan_sidl_field *field = contract_field(s, e->text);

    if (field)
        return contract_value_of(field->type);
    return a && !strchr(e->text, '.') ? contract_value_of(a->type) : unknown;
}

static bool is_word(const struct portolan_sidl_method *m, const struct portolan_sidl_expr *call)
{
    return (strcmp(m->slot_name, call->text) == 0 || strcmp(m->name, call->text) == 0) &&
           m->n_arguments == call->n_operands;
}

const struct portolan_sidl_method *contract_method(const struct contract_scope *s,
                                                   const struct portolan_sidl_expr *call)
{
    const struct portolan_sidl_method *found = NULL;

    for (size_t i = 0; i < s->of->n_slots; i++)
        if (is_word(s->of->slots[i], call) &&
            (!found || strcmp(s->of->slots[i]->slot_name, call->text) == 0))
            found = s->of->slots[i];
    for (const struct portolan_sidl_symbol *of = s->of; of && !found;
         of = of->n_extends && of->kind == PORTOLAN_SIDL_CLASS ? of->extends[0]->symbol : NULL)
        for (size_t i = 0; i < of->n_methods && !found; i++)
            if ((of->methods[i]->flags & PORTOLAN_SIDL_STATIC) && is_word(of->methods[i], call))
                found = of->methods[i];
    return found;
}

bool contract_is_annotation(const struct portolan_sidl_expr *e)
{
    while (e->op == PORTOLAN_SIDL_OP_UNARY && strcmp(e->text, "is") == 0)
        e = e->operands[0];
    return e->op == PORTOLAN_SIDL_OP_PURE;
}

static bool says_pure(const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < m->n_ensures; i++)
        if (contract_is_annotation(m->ensures[i].condition))
            return true;
    return false;
}

static bool is_pure_in(const struct portolan_sidl_symbol *of,
                       const struct portolan_sidl_method *method, size_t walk)
{
    ((struct portolan_sidl_symbol *)of)->own.visit = walk;
    for (size_t i = 0; i < of->n_methods; i++)
        if (strcmp(of->methods[i]->slot_name, method->slot_name) == 0 && says_pure(of->methods[i]))
            return true;
    for (size_t i = 0; i < symbol_n_parents(of); i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(of, i)->symbol;

        if (parent && parent->own.visit != walk && is_pure_in(parent, method, walk))
            return true;
    }
    return false;
}

bool contract_is_pure(const struct portolan_sidl_symbol *of,
                      const struct portolan_sidl_method *method)
{
    return says_pure(method) || is_pure_in(of, method, walk_begin());
}

static bool same_element(const struct portolan_sidl_type *given,
                         const struct portolan_sidl_type *wanted)
{
    return !wanted->element || !given || !given->element ||
           type_equal(given->element, wanted->element);
}

/* Whether a value of a clause can be handed to an argument of a method. */
static bool can_be_passed(const struct contract_value *v,
                          const struct portolan_sidl_type *wanted_type)
{
    const enum contract_kind wanted = contract_value_of(wanted_type).kind;

    if (v->kind == CONTRACT_UNKNOWN)
        return true;
    if (wanted == CONTRACT_INTEGER || wanted == CONTRACT_REAL)
        return v->kind >= CONTRACT_CHAR && v->kind <= CONTRACT_REAL;
    if (wanted == CONTRACT_COMPLEX)
        return contract_is_number(v->kind);
    if (wanted == CONTRACT_ARRAY)
        return v->kind == CONTRACT_ARRAY && same_element(v->type, wanted_type);
    if (wanted == CONTRACT_OBJECT)
        return v->kind == CONTRACT_OBJECT && v->type && v->type->symbol &&
               (!wanted_type->symbol ||
                symbol_inherits(v->type->symbol, wanted_type->symbol->full_name));
    if (wanted == CONTRACT_STRUCT)
        return v->kind == CONTRACT_STRUCT && v->type->symbol == wanted_type->symbol;
    return v->kind == wanted;
}

/* What may not be called from a clause, and why; NULL when it may. */
static const char *why_not(const struct contract_scope *s, const struct portolan_sidl_method *m)
{
    if (m == s->method || (s->method && strcmp(m->slot_name, s->method->slot_name) == 0))
        return "cannot be called by its own contract, its result is called 'result'";
    if (s->method && (s->method->flags & PORTOLAN_SIDL_STATIC) &&
        !(m->flags & PORTOLAN_SIDL_STATIC))
        return "needs an object, but this method is static";
    if (m->result->kind == PORTOLAN_SIDL_VOID || m->result->kind == PORTOLAN_SIDL_STRUCT)
        return "has no result that a clause could use";
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].mode != PORTOLAN_SIDL_IN)
            return "changes an argument, clauses call methods with in arguments only";
    if (!contract_is_pure(s->of, m))
        return "may have side effects, to be called by a clause it needs: ensure is pure;";
    return NULL;
}

static struct contract_value call_type(const struct contract_scope *s,
                                       const struct portolan_sidl_expr *e)
{
    const struct contract_builtin *builtin = contract_builtin_called(s, e);
    const struct portolan_sidl_method *m;
    const char *why;

    if (builtin)
        return contract_builtin_type(s, builtin, e);
    m = contract_method(s, e);
    if (!m) {
        for (size_t i = 0; i < e->n_operands; i++)
            contract_type(s, e->operands[i]);
        return unknown;
    }
    why = why_not(s, m);
    if (why && s->d)
        diagnose_at(s->d, &e->place, "%s %s", m->slot_name, why);
    for (size_t i = 0; i < e->n_operands; i++) {
        const struct contract_value v = contract_type(s, e->operands[i]);

        if (!can_be_passed(&v, m->arguments[i].type) && s->d)
            diagnose_at(s->d, &e->operands[i]->place, "argument %s of %s is %s, this is %s",
                        m->arguments[i].name, m->slot_name, m->arguments[i].type->name,
                        contract_kind_text(v.kind));
    }
    return why ? unknown : contract_value_of(m->result);
}

static struct contract_value unary_type(const struct contract_scope *s,
                                        const struct portolan_sidl_expr *e)
{
    struct contract_value v = contract_type(s, e->operands[0]);
    const char *wanted = NULL;

    if (v.kind == CONTRACT_UNKNOWN)
        return v;
    if (strcmp(e->text, "is") == 0 || strcmp(e->text, "not") == 0)
        wanted = v.kind == CONTRACT_BOOL ? NULL : "a bool";
    else if (strcmp(e->text, "~") == 0)
        wanted = v.kind == CONTRACT_INTEGER || v.kind == CONTRACT_CHAR ? NULL : "an integer";
    else
        wanted = contract_is_number(v.kind) ? NULL : "a number";
    if (wanted && s->d)
        diagnose_at(s->d, &e->place, "'%s' needs %s behind it, not %s", e->text, wanted,
                    contract_kind_text(v.kind));
    if (wanted)
        return unknown;
    return (struct contract_value){.kind = v.kind == CONTRACT_CHAR ? CONTRACT_INTEGER : v.kind};
}

static bool is_reference(enum contract_kind kind)
{
    return kind == CONTRACT_OBJECT || kind == CONTRACT_ARRAY || kind == CONTRACT_OPAQUE ||
           kind == CONTRACT_NULL;
}

static bool can_be_equal(enum contract_kind a, enum contract_kind b)
{
    if (is_reference(a) && is_reference(b))
        return a == b ? a != CONTRACT_ARRAY : a == CONTRACT_NULL || b == CONTRACT_NULL;
    return (a == b && (a == CONTRACT_BOOL || a == CONTRACT_STRING)) ||
           (contract_is_number(a) && contract_is_number(b));
}

static bool obeys(enum contract_rule rule, enum contract_kind a, enum contract_kind b)
{
    const bool numbers = contract_is_number(a) && contract_is_number(b);
    const bool real = numbers && a != CONTRACT_COMPLEX && b != CONTRACT_COMPLEX;
    const bool integers = real && a != CONTRACT_REAL && b != CONTRACT_REAL;

    switch (rule) {
    case RULE_LOGIC:
        return a == CONTRACT_BOOL && b == CONTRACT_BOOL;
    case RULE_BITS:
        return integers || (a == CONTRACT_BOOL && b == CONTRACT_BOOL);
    case RULE_EQUALITY:
        return can_be_equal(a, b);
    case RULE_ORDER:
        return real || (a == CONTRACT_STRING && b == CONTRACT_STRING);
    case RULE_SHIFT:
        return integers;
    case RULE_ARITHMETIC:
        return numbers;
    default:
        return real;
    }
}

static const char *rule_text(enum contract_rule rule)
{
    switch (rule) {
    case RULE_LOGIC:
        return "two bools";
    case RULE_BITS:
        return "two integers or two bools";
    case RULE_EQUALITY:
        return "two values of one kind";
    case RULE_ORDER:
        return "two real numbers or two strings";
    case RULE_SHIFT:
        return "two integers";
    case RULE_ARITHMETIC:
        return "two numbers";
    default:
        return "two real numbers";
    }
}

static struct contract_value binary_type(const struct contract_scope *s,
                                         const struct portolan_sidl_expr *e)
{
    const enum contract_rule rule = contract_rule(e->text);
    const enum contract_kind a = contract_type(s, e->operands[0]).kind;
    const enum contract_kind b = contract_type(s, e->operands[1]).kind;
    enum contract_kind kind = a > b ? a : b;

    if (rule == RULE_EQUALITY || rule == RULE_ORDER || rule == RULE_LOGIC)
        kind = CONTRACT_BOOL;
    else if (a == CONTRACT_UNKNOWN || b == CONTRACT_UNKNOWN)
        return unknown;
    else if (rule == RULE_POWER)
        kind = CONTRACT_REAL;
    else if (kind == CONTRACT_CHAR)
        kind = CONTRACT_INTEGER;
    if (a == CONTRACT_UNKNOWN || b == CONTRACT_UNKNOWN || obeys(rule, a, b))
        return (struct contract_value){.kind = kind};
    if (s->d && a == CONTRACT_ARRAY && b != CONTRACT_NULL)
        diagnose_at(s->d, &e->place, "arrays are compared inside all, any, none or count");
    else if (s->d && !((a == CONTRACT_STRING && b == CONTRACT_NULL) ||
                       (a == CONTRACT_NULL && b == CONTRACT_STRING)))
        diagnose_at(s->d, &e->place, "'%s' needs %s, not %s and %s", e->text, rule_text(rule),
                    contract_kind_text(a), contract_kind_text(b));
    else if (s->d)
        diagnose_at(s->d, &e->place, "a string cannot be compared with null, use \"\"");
    return (struct contract_value){.kind = kind == CONTRACT_BOOL ? kind : CONTRACT_UNKNOWN};
}

struct contract_value contract_type(const struct contract_scope *s,
                                    const struct portolan_sidl_expr *e)
{
    static const enum contract_kind literals[] = {
        [PORTOLAN_SIDL_OP_INTEGER] = CONTRACT_INTEGER, [PORTOLAN_SIDL_OP_REAL] = CONTRACT_REAL,
        [PORTOLAN_SIDL_OP_COMPLEX] = CONTRACT_COMPLEX, [PORTOLAN_SIDL_OP_STRING] = CONTRACT_STRING,
        [PORTOLAN_SIDL_OP_CHARACTER] = CONTRACT_CHAR,  [PORTOLAN_SIDL_OP_BOOLEAN] = CONTRACT_BOOL,
        [PORTOLAN_SIDL_OP_NULL] = CONTRACT_NULL,       [PORTOLAN_SIDL_OP_PURE] = CONTRACT_BOOL,
    };

    switch (e->op) {
    case PORTOLAN_SIDL_OP_NAME:
        return name_type(s, e);
    case PORTOLAN_SIDL_OP_RESULT:
        return s->method && s->after ? contract_value_of(s->method->result) : unknown;
    case PORTOLAN_SIDL_OP_CALL:
        return call_type(s, e);
    case PORTOLAN_SIDL_OP_UNARY:
        return unary_type(s, e);
    case PORTOLAN_SIDL_OP_BINARY:
        return binary_type(s, e);
    case PORTOLAN_SIDL_OP_COMPLEX:
        for (size_t i = 0; i < e->n_operands; i++) {
            const struct contract_value part = contract_type(s, e->operands[i]);

            if (part.kind != CONTRACT_UNKNOWN &&
                (part.kind < CONTRACT_CHAR || part.kind > CONTRACT_REAL) && s->d)
                diagnose_at(s->d, &e->operands[i]->place,
                            "a part of a complex number is a real number, not %s",
                            contract_kind_text(part.kind));
        }
        return (struct contract_value){.kind = CONTRACT_COMPLEX};
    default:
        return (struct contract_value){.kind = literals[e->op]};
    }
}
