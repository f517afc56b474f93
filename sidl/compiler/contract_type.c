/* SPDX-License-Identifier: BSD-3-Clause */
/* Contracts: the meaning of names, where they are allowed, and the checks of types. */
#include "contract.h"

#include <string.h>
#include <strings.h>

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

bool contract_is_number(enum contract_kind kind, enum contract_kind widest)
{
    return kind >= CONTRACT_CHAR && kind <= widest;
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

const struct contract_operator *contract_operator(const char *text)
{
    static const struct contract_operator operators[] = {
        {"implies", RULE_LOGIC, NULL, "(!$ || $)"},
        {"iff", RULE_LOGIC, NULL, "($ == $)"},
        {"or", RULE_LOGIC, NULL, "($ || $)"},
        {"xor", RULE_LOGIC, NULL, "($ != $)"},
        {"and", RULE_LOGIC, NULL, "($ && $)"},
        {"&", RULE_BITS, NULL, "($ & $)"},
        {"|", RULE_BITS, NULL, "($ | $)"},
        {"^", RULE_BITS, NULL, "($ ^ $)"},
        {"==", RULE_EQUALITY, NULL, "($ == $)"},
        {"!=", RULE_EQUALITY, NULL, "($ != $)"},
        {"<", RULE_ORDER, NULL, "($ < $)"},
        {">", RULE_ORDER, NULL, "($ > $)"},
        {"<=", RULE_ORDER, NULL, "($ <= $)"},
        {">=", RULE_ORDER, NULL, "($ >= $)"},
        {"<<<", RULE_SHIFT, NULL, "sidl_int_shl($, $)"},
        {">>>", RULE_SHIFT, NULL, "sidl_int_shr($, $)"},
        {"%", RULE_REMAINDER, "sidl_int_rem(_check, $, $)", "sidl_real_rem($, $)"},
        {"rem", RULE_REMAINDER, "sidl_int_rem(_check, $, $)", "sidl_real_rem($, $)"},
        {"mod", RULE_REMAINDER, "sidl_int_mod(_check, $, $)", "sidl_real_mod($, $)"},
        {"**", RULE_POWER, NULL, "sidl_real_pow($, $)"},
        {"+", RULE_ARITHMETIC, "SIDL_INT(+, $, $)", "($ + $)"},
        {"-", RULE_ARITHMETIC, "SIDL_INT(-, $, $)", "($ - $)"},
        {"*", RULE_ARITHMETIC, "SIDL_INT(*, $, $)", "($ * $)"},
        {"/", RULE_ARITHMETIC, "sidl_int_div(_check, $, $)", "($ / $)"},
    };
    size_t i = 0;

    while (strcmp(operators[i].text, text) != 0)
        i++;
    return &operators[i];
}

const struct portolan_sidl_argument *contract_argument(const struct contract_scope *s,
                                                       const char *name)
{
    const size_t length = strcspn(name, ".");

    for (size_t i = 0; s->method && i < s->method->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &s->method->arguments[i];

        if (strlen(a->name) == length && memcmp(a->name, name, length) == 0)
            return a;
    }
    return NULL;
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
    const char *dot = strchr(e->text, '.');

    if (!s->method)
        diagnose_at(s->d, &e->place, "%s in an invariant, which can only call methods", e->text);
    else if (!a)
        diagnose_at(s->d, &e->place, "%s is no argument of %s", e->text, s->method->name);
    else if (!s->after && a->mode == PORTOLAN_SIDL_OUT)
        diagnose_at(s->d, &e->place, "%s is an out argument and has no value before the call",
                    a->name);
    else if (dot && a->type->kind != PORTOLAN_SIDL_STRUCT)
        diagnose_at(s->d, &e->place, "%s is no struct and has no field %s", a->name, dot + 1);
    else if (dot && !field)
        diagnose_at(s->d, &e->place, "struct %s has no field %s", a->type->symbol->full_name,
                    dot + 1);
    else
        return contract_value_of(dot ? field->type : a->type);
    return unknown;
}

/* Calls */

/* Whether a call of NAME with N arguments (-1: any number) may mean M. */
static bool is_called(const struct portolan_sidl_method *m, const char *name, int n)
{
    return (strcmp(m->slot_name, name) == 0 || strcmp(m->name, name) == 0) &&
           (n < 0 || m->n_arguments == (size_t)n);
}

/* A full name is preferred to a short one, and a method of the object to a static one. */
static const struct portolan_sidl_method *find_method(const struct portolan_sidl_symbol *of,
                                                      const char *name, int n)
{
    const struct portolan_sidl_method *found = NULL, *found_static = NULL;

    for (size_t i = 0; i < of->n_slots; i++)
        if (is_called(of->slots[i], name, n) &&
            (!found || strcmp(of->slots[i]->slot_name, name) == 0))
            found = of->slots[i];
    for (size_t i = 0; i < of->n_statics; i++) /* the nearest class's come last */
        if (is_called(of->statics[i], name, n) &&
            (!found_static || found_static->owner != of->statics[i]->owner))
            found_static = of->statics[i];
    return found ? found : found_static;
}

const struct portolan_sidl_method *contract_method(const struct contract_scope *s,
                                                   const struct portolan_sidl_expr *call)
{
    return find_method(s->of, call->text, (int)call->n_operands);
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
    const struct portolan_sidl_method *own = symbol_method(of, method->slot_name);

    ((struct portolan_sidl_symbol *)of)->own.visit = walk;
    if (own && says_pure(own))
        return true;
    for (size_t i = 0; i < symbol_n_parents(of); i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(of, i)->symbol;

        if (parent && parent->own.visit != walk && is_pure_in(parent, method, walk))
            return true;
    }
    return false;
}

static bool same_element(const struct portolan_sidl_type *given,
                         const struct portolan_sidl_type *wanted)
{
    return !wanted->element || !given || !given->element ||
           type_equal(given->element, wanted->element);
}

/* Whether a value in a clause can be passed as an argument of a method. */
static bool can_be_passed(const struct contract_value *v,
                          const struct portolan_sidl_type *wanted_type)
{
    const enum contract_kind wanted = contract_value_of(wanted_type).kind;

    if (v->kind == CONTRACT_UNKNOWN)
        return true;
    if (wanted == CONTRACT_INTEGER || wanted == CONTRACT_REAL)
        return contract_is_number(v->kind, CONTRACT_REAL);
    if (wanted == CONTRACT_COMPLEX)
        return contract_is_number(v->kind, CONTRACT_COMPLEX);
    if (wanted == CONTRACT_ARRAY)
        return v->kind == CONTRACT_ARRAY && same_element(v->type, wanted_type);
    if (wanted == CONTRACT_OBJECT)
        return v->kind == CONTRACT_OBJECT && v->type->symbol &&
               (!wanted_type->symbol ||
                symbol_inherits(v->type->symbol, wanted_type->symbol->full_name));
    if (wanted == CONTRACT_STRUCT)
        return v->kind == CONTRACT_STRUCT && v->type->symbol == wanted_type->symbol;
    return v->kind == wanted;
}

/* Why a clause may not call M; NULL when it may. */
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
    if (!says_pure(m) && !is_pure_in(s->of, m, walk_begin()))
        return "may have side effects, to be called by a clause it needs: ensure is pure;";
    return NULL;
}

/* Built-in functions: Babel's, with Babel's arguments */

static const struct contract_builtin builtins[] = {
    {"all", "R", CONTRACT_BOOL, "sidl_contract_all(", ")"},
    {"any", "R", CONTRACT_BOOL, "(sidl_contract_count(", ") > 0)"},
    {"none", "R", CONTRACT_BOOL, "(sidl_contract_count(", ") == 0)"},
    {"count", "R", CONTRACT_INTEGER, "sidl_contract_count(", ")"},
    {"dimen", "a", CONTRACT_INTEGER, "(int64_t)sidl__array_dimen(", ")"},
    {"lower", "ak", CONTRACT_INTEGER, "(int64_t)sidl__array_lower(", ")"},
    {"upper", "ak", CONTRACT_INTEGER, "(int64_t)sidl__array_upper(", ")"},
    {"stride", "ak", CONTRACT_INTEGER, "(int64_t)sidl__array_stride(", ")"},
    {"size", "a", CONTRACT_INTEGER, "(int64_t)sidl__array_length(", ", 0)"},
    {"range", "xddd", CONTRACT_BOOL, "sidl_contract_range(", ")"},
    {"irange", "jii", CONTRACT_BOOL, "sidl_contract_irange(", ")"},
    {"min", "r", CONTRACT_UNKNOWN, "sidl_contract_first(\"<\", ", ")"},
    {"max", "r", CONTRACT_UNKNOWN, "sidl_contract_first(\">\", ", ")"},
    {"sum", "n", CONTRACT_UNKNOWN, "sidl_contract_sum(", ")"},
    {"nearEqual", "yyd", CONTRACT_BOOL, "sidl_contract_near_equal(", ")"},
    {"nonDecr", "r", CONTRACT_BOOL, "sidl_contract_nowhere(\">\", ", ")"},
    {"nonIncr", "r", CONTRACT_BOOL, "sidl_contract_nowhere(\"<\", ", ")"},
};
enum { N_BUILTINS = sizeof builtins / sizeof *builtins };

/* The meaning of the letters in contract_builtin.arguments. */
static const struct wanted {
    char letter;
    const char *text;
    bool array, number;
    enum contract_kind widest; /* number, or element */
} wanted[] = {
    {'a', "an array", true, false, CONTRACT_VOID},
    {'n', "an array of numbers", true, false, CONTRACT_COMPLEX},
    {'r', "an array of real numbers", true, false, CONTRACT_REAL},
    {'x', "a real number or an array of them", true, true, CONTRACT_REAL},
    {'j', "an integer or an array of them", true, true, CONTRACT_INTEGER},
    {'y', "a number or an array of numbers", true, true, CONTRACT_COMPLEX},
    {'d', "a real number", false, true, CONTRACT_REAL},
    {'i', "an integer", false, true, CONTRACT_INTEGER},
    {'k', "an integer", false, true, CONTRACT_INTEGER},
};

/* As in Babel, names of built-in functions ignore case. */
const struct contract_builtin *contract_builtin(const struct contract_scope *s,
                                                const struct portolan_sidl_expr *call)
{
    for (size_t i = 0; i < N_BUILTINS; i++)
        if (strcasecmp(builtins[i].name, call->text) == 0)
            return strlen(builtins[i].arguments) != call->n_operands && contract_method(s, call)
                       ? NULL
                       : &builtins[i];
    return NULL;
}

static const char *nearest_builtin(const char *name)
{
    const char *names[N_BUILTINS];

    for (size_t i = 0; i < N_BUILTINS; i++)
        names[i] = builtins[i].name;
    return portolan_nearest_word(name, names, N_BUILTINS);
}

static enum contract_kind element_kind(const struct contract_value *array)
{
    return contract_value_of(array->type->element).kind;
}

/* The elements of a generic array are known only at run time. */
static bool is_array_of(const struct contract_value *v, enum contract_kind widest)
{
    return v->kind == CONTRACT_ARRAY &&
           (!v->type->element || widest == CONTRACT_VOID || element_kind(v) == CONTRACT_BOOL ||
            contract_is_number(element_kind(v), widest));
}

/* all(a < b): at least one side is an array. */
static void check_relation(const struct contract_scope *s, const struct contract_builtin *builtin,
                           const struct portolan_sidl_expr *e)
{
    const enum contract_rule rule =
        e->op == PORTOLAN_SIDL_OP_BINARY ? contract_operator(e->text)->rule : RULE_LOGIC;
    const enum contract_kind widest = rule == RULE_ORDER ? CONTRACT_REAL : CONTRACT_COMPLEX;
    bool has_array = false;

    for (size_t i = 0; (rule == RULE_EQUALITY || rule == RULE_ORDER) && i < 2; i++) {
        const struct contract_value v = contract_type(s, e->operands[i]);

        has_array |= v.kind == CONTRACT_ARRAY || v.kind == CONTRACT_UNKNOWN;
        if (v.kind == CONTRACT_UNKNOWN || v.kind == CONTRACT_BOOL || is_array_of(&v, widest) ||
            contract_is_number(v.kind, widest))
            continue;
        diagnose_at(s->d, &e->operands[i]->place,
                    "'%s' in %s compares numbers and arrays of numbers, this is %s", e->text,
                    builtin->name, contract_kind_text(v.kind));
        return;
    }
    if (!has_array)
        diagnose_at(s->d, &e->place,
                    "%s needs a relation between an array and a number or another array, like "
                    "%s(a > 0)",
                    builtin->name, builtin->name);
}

static struct contract_value check_argument(const struct contract_scope *s,
                                            const struct contract_builtin *builtin, char letter,
                                            const struct portolan_sidl_expr *e)
{
    const struct contract_value v = contract_type(s, e);
    const struct wanted *w = wanted;

    while (w->letter != letter)
        w++;
    if (v.kind != CONTRACT_UNKNOWN && !(w->array && is_array_of(&v, w->widest)) &&
        !(w->number && contract_is_number(v.kind, w->widest)))
        diagnose_at(s->d, &e->place, "%s needs %s here, this is %s", builtin->name, w->text,
                    contract_kind_text(v.kind));
    return v;
}

/* The kind of an extremum or a sum. */
static enum contract_kind reduced(const struct contract_value *array)
{
    const enum contract_kind kind =
        array->kind == CONTRACT_ARRAY && array->type->element ? element_kind(array) : CONTRACT_REAL;

    if (kind == CONTRACT_BOOL || kind == CONTRACT_CHAR)
        return CONTRACT_INTEGER;
    return contract_is_number(kind, CONTRACT_COMPLEX) ? kind : CONTRACT_REAL;
}

static struct contract_value builtin_type(const struct contract_scope *s,
                                          const struct contract_builtin *builtin,
                                          const struct portolan_sidl_expr *call)
{
    const size_t n = strlen(builtin->arguments);
    struct contract_value result = {.kind = builtin->result}, v[4] = {{0}};

    if (call->n_operands != n) {
        diagnose_at(s->d, &call->place, "%s takes %zu argument%s, not %zu", builtin->name, n,
                    n == 1 ? "" : "s", call->n_operands);
        return result;
    }
    if (*builtin->arguments == 'R') {
        check_relation(s, builtin, call->operands[0]);
        return result;
    }
    for (size_t i = 0; i < n; i++)
        v[i] = check_argument(s, builtin, builtin->arguments[i], call->operands[i]);
    if (builtin->arguments[0] == 'y' && v[0].kind != CONTRACT_UNKNOWN &&
        v[1].kind != CONTRACT_UNKNOWN &&
        (v[0].kind == CONTRACT_ARRAY) != (v[1].kind == CONTRACT_ARRAY))
        diagnose_at(s->d, &call->place,
                    "%s compares two numbers or two arrays, not one with the other", call->text);
    if (result.kind == CONTRACT_UNKNOWN)
        result.kind = reduced(&v[0]);
    return result;
}

static void report_unknown(const struct contract_scope *s, const struct portolan_sidl_expr *e)
{
    const char *nearest = nearest_builtin(e->text);

    if (find_method(s->of, e->text, -1))
        diagnose_at(s->d, &e->place, "no method %s takes %zu argument%s", e->text, e->n_operands,
                    e->n_operands == 1 ? "" : "s");
    else if (!s->of->own.is_broken)
        diagnose_at(s->d, &e->place, "unknown function %s: it is no method of %s%s", e->text,
                    s->of->name, portolan_did_you_mean(nearest).text);
}

static struct contract_value call_type(const struct contract_scope *s,
                                       const struct portolan_sidl_expr *e)
{
    const struct contract_builtin *builtin = contract_builtin(s, e);
    const struct portolan_sidl_method *m;
    const char *why;

    if (builtin)
        return builtin_type(s, builtin, e);
    m = contract_method(s, e);
    why = m ? why_not(s, m) : NULL;
    if (!m)
        report_unknown(s, e);
    if (why)
        diagnose_at(s->d, &e->place, "%s %s", m->slot_name, why);
    for (size_t i = 0; i < e->n_operands; i++) {
        const struct contract_value v = contract_type(s, e->operands[i]);

        if (m && !can_be_passed(&v, m->arguments[i].type))
            diagnose_at(s->d, &e->operands[i]->place, "argument %s of %s is %s, this is %s",
                        m->arguments[i].name, m->slot_name, m->arguments[i].type->name,
                        contract_kind_text(v.kind));
    }
    return m && !why ? contract_value_of(m->result) : unknown;
}

/* Operators */

static struct contract_value unary_type(const struct contract_scope *s,
                                        const struct portolan_sidl_expr *e)
{
    const struct contract_value v = contract_type(s, e->operands[0]);
    const char *wanted = NULL;

    if (v.kind == CONTRACT_UNKNOWN)
        return v;
    if (strcmp(e->text, "is") == 0 || strcmp(e->text, "not") == 0)
        wanted = v.kind == CONTRACT_BOOL ? NULL : "a bool";
    else if (strcmp(e->text, "~") == 0)
        wanted = contract_is_number(v.kind, CONTRACT_INTEGER) ? NULL : "an integer";
    else
        wanted = contract_is_number(v.kind, CONTRACT_COMPLEX) ? NULL : "a number";
    if (wanted) {
        diagnose_at(s->d, &e->place, "'%s' needs %s behind it, not %s", e->text, wanted,
                    contract_kind_text(v.kind));
        return unknown;
    }
    return (struct contract_value){.kind = v.kind == CONTRACT_CHAR ? CONTRACT_INTEGER : v.kind};
}

static const struct {
    const char *text;
    enum contract_kind widest; /* of numbers */
    bool bools, strings, references;
} rules[] = {
    [RULE_LOGIC] = {"two bools", .bools = true},
    [RULE_BITS] = {"two integers or two bools", CONTRACT_INTEGER, .bools = true},
    [RULE_EQUALITY] = {"two values of one kind", CONTRACT_COMPLEX, true, true, true},
    [RULE_ORDER] = {"two real numbers or two strings", CONTRACT_REAL, .strings = true},
    [RULE_SHIFT] = {"two integers", CONTRACT_INTEGER},
    [RULE_ARITHMETIC] = {"two numbers", CONTRACT_COMPLEX},
    [RULE_REMAINDER] = {"two real numbers", CONTRACT_REAL},
    [RULE_POWER] = {"two real numbers", CONTRACT_REAL},
};

static bool is_reference(enum contract_kind kind)
{
    return kind == CONTRACT_OBJECT || kind == CONTRACT_ARRAY || kind == CONTRACT_OPAQUE ||
           kind == CONTRACT_NULL;
}

static bool obeys(enum contract_rule rule, enum contract_kind a, enum contract_kind b)
{
    if (contract_is_number(a, rules[rule].widest) && contract_is_number(b, rules[rule].widest))
        return true;
    if (rules[rule].references && is_reference(a) && is_reference(b))
        return a == CONTRACT_NULL || b == CONTRACT_NULL || (a == b && a != CONTRACT_ARRAY);
    return a == b && ((rules[rule].bools && a == CONTRACT_BOOL) ||
                      (rules[rule].strings && a == CONTRACT_STRING));
}

static struct contract_value binary_type(const struct contract_scope *s,
                                         const struct portolan_sidl_expr *e)
{
    const enum contract_rule rule = contract_operator(e->text)->rule;
    const enum contract_kind a = contract_type(s, e->operands[0]).kind;
    const enum contract_kind b = contract_type(s, e->operands[1]).kind;
    const bool is_unknown = a == CONTRACT_UNKNOWN || b == CONTRACT_UNKNOWN;
    enum contract_kind kind = a > b ? a : b;

    if (rule == RULE_EQUALITY || rule == RULE_ORDER || rule == RULE_LOGIC)
        kind = CONTRACT_BOOL;
    else if (is_unknown || !obeys(rule, a, b))
        kind = CONTRACT_UNKNOWN;
    else if (rule == RULE_POWER)
        kind = CONTRACT_REAL;
    else if (kind == CONTRACT_CHAR)
        kind = CONTRACT_INTEGER;
    if (!is_unknown && !obeys(rule, a, b)) {
        if (a == CONTRACT_ARRAY && b != CONTRACT_NULL)
            diagnose_at(s->d, &e->place, "arrays are compared inside all, any, none or count");
        else if ((a == CONTRACT_STRING && b == CONTRACT_NULL) ||
                 (a == CONTRACT_NULL && b == CONTRACT_STRING))
            diagnose_at(s->d, &e->place, "a string cannot be compared with null, use \"\"");
        else
            diagnose_at(s->d, &e->place, "'%s' needs %s, not %s and %s", e->text, rules[rule].text,
                        contract_kind_text(a), contract_kind_text(b));
    }
    return (struct contract_value){.kind = kind};
}

static struct contract_value complex_type(const struct contract_scope *s,
                                          const struct portolan_sidl_expr *e)
{
    for (size_t i = 0; i < e->n_operands; i++) {
        const enum contract_kind part = contract_type(s, e->operands[i]).kind;

        if (part != CONTRACT_UNKNOWN && !contract_is_number(part, CONTRACT_REAL))
            diagnose_at(s->d, &e->operands[i]->place,
                        "a part of a complex number is a real number, not %s",
                        contract_kind_text(part));
    }
    return (struct contract_value){.kind = CONTRACT_COMPLEX};
}

static struct contract_value result_type(const struct contract_scope *s,
                                         const struct portolan_sidl_expr *e)
{
    if (s->method && s->after)
        return contract_value_of(s->method->result);
    diagnose_at(s->d, &e->place, "result has a value in ensure clauses only");
    return unknown;
}

struct contract_value contract_type(const struct contract_scope *s,
                                    const struct portolan_sidl_expr *e)
{
    static const enum contract_kind literals[] = {
        [PORTOLAN_SIDL_OP_INTEGER] = CONTRACT_INTEGER, [PORTOLAN_SIDL_OP_REAL] = CONTRACT_REAL,
        [PORTOLAN_SIDL_OP_STRING] = CONTRACT_STRING,   [PORTOLAN_SIDL_OP_CHARACTER] = CONTRACT_CHAR,
        [PORTOLAN_SIDL_OP_BOOLEAN] = CONTRACT_BOOL,    [PORTOLAN_SIDL_OP_NULL] = CONTRACT_NULL,
    };

    switch (e->op) {
    case PORTOLAN_SIDL_OP_NAME:
        return name_type(s, e);
    case PORTOLAN_SIDL_OP_RESULT:
        return result_type(s, e);
    case PORTOLAN_SIDL_OP_CALL:
        return call_type(s, e);
    case PORTOLAN_SIDL_OP_UNARY:
        return unary_type(s, e);
    case PORTOLAN_SIDL_OP_BINARY:
        return binary_type(s, e);
    case PORTOLAN_SIDL_OP_COMPLEX:
        return complex_type(s, e);
    case PORTOLAN_SIDL_OP_PURE:
        diagnose_at(s->d, &e->place,
                    "'is pure' says something about the method and is a clause of its own");
        return (struct contract_value){.kind = CONTRACT_BOOL};
    default:
        return (struct contract_value){.kind = literals[e->op]};
    }
}
