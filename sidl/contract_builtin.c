/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that every clause can call: Babel's, with Babel's arguments. */
#include "contract.h"

#include <string.h>
#include <strings.h>

static const struct contract_builtin builtins[] = {
    {"all", "R", CONTRACT_BOOL, 1},         {"any", "R", CONTRACT_BOOL, 1},
    {"none", "R", CONTRACT_BOOL, 1},        {"count", "R", CONTRACT_INTEGER, 1},
    {"dimen", "a", CONTRACT_INTEGER, 0},    {"lower", "ai", CONTRACT_INTEGER, 0},
    {"upper", "ai", CONTRACT_INTEGER, 0},   {"stride", "ai", CONTRACT_INTEGER, 0},
    {"size", "a", CONTRACT_INTEGER, 0},     {"range", "xddd", CONTRACT_BOOL, 1},
    {"irange", "jii", CONTRACT_BOOL, 1},    {"min", "r", CONTRACT_UNKNOWN, 1},
    {"max", "r", CONTRACT_UNKNOWN, 1},      {"sum", "n", CONTRACT_UNKNOWN, 1},
    {"nearEqual", "yyd", CONTRACT_BOOL, 1}, {"nonDecr", "r", CONTRACT_BOOL, 1},
    {"nonIncr", "r", CONTRACT_BOOL, 1},
};
enum { N_BUILTINS = sizeof builtins / sizeof *builtins };

/* Babel does not care about capitals here. */
const struct contract_builtin *contract_builtin(const char *name)
{
    for (size_t i = 0; i < N_BUILTINS; i++)
        if (strcasecmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

const struct contract_builtin *contract_builtin_called(const struct contract_scope *s,
                                                       const struct portolan_sidl_expr *call)
{
    const struct contract_builtin *builtin = contract_builtin(call->text);

    if (builtin && strlen(builtin->arguments) != call->n_operands && contract_method(s, call))
        return NULL;
    return builtin;
}

const char *contract_builtin_nearest(const char *name)
{
    const char *names[N_BUILTINS];

    for (size_t i = 0; i < N_BUILTINS; i++)
        names[i] = builtins[i].name;
    return portolan_nearest_word(name, names, N_BUILTINS);
}

enum contract_kind contract_element(const struct portolan_sidl_type *array)
{
    return array && array->element ? contract_value_of(array->element).kind : CONTRACT_UNKNOWN;
}

static bool holds_numbers(const struct contract_value *v, bool complex_too)
{
    const enum contract_kind element = contract_element(v->type);

    if (v->kind != CONTRACT_ARRAY)
        return false;
    if (!v->type || !v->type->element)
        return true; /* the generic array: seen at run time */
    return element == CONTRACT_BOOL ||
           (contract_is_number(element) && (complex_too || element != CONTRACT_COMPLEX));
}

static bool is_real(enum contract_kind kind)
{
    return kind >= CONTRACT_CHAR && kind <= CONTRACT_REAL;
}

static bool is_integer(enum contract_kind kind)
{
    return kind == CONTRACT_CHAR || kind == CONTRACT_INTEGER;
}

static bool fits(char wanted, const struct contract_value *v)
{
    const enum contract_kind element = contract_element(v->type);

    switch (wanted) {
    case 'a':
        return v->kind == CONTRACT_ARRAY;
    case 'n':
        return holds_numbers(v, true);
    case 'r':
        return holds_numbers(v, false);
    case 'x':
        return is_real(v->kind) || holds_numbers(v, false);
    case 'j':
        return is_integer(v->kind) || (holds_numbers(v, false) && element != CONTRACT_REAL);
    case 'y':
        return contract_is_number(v->kind) || holds_numbers(v, true);
    case 'd':
        return is_real(v->kind);
    default:
        return is_integer(v->kind);
    }
}

static const char *wanted_text(char wanted)
{
    switch (wanted) {
    case 'a':
        return "an array";
    case 'n':
        return "an array of numbers";
    case 'r':
        return "an array of real numbers";
    case 'x':
        return "a real number or an array of them";
    case 'j':
        return "an integer or an array of them";
    case 'y':
        return "a number or an array of numbers";
    case 'd':
        return "a real number";
    default:
        return "an integer";
    }
}

/* all(a < b): at least one side is an array. */
static void check_relation(const struct contract_scope *s, const struct contract_builtin *builtin,
                           const struct portolan_sidl_expr *e)
{
    const bool is_relation =
        e->op == PORTOLAN_SIDL_OP_BINARY &&
        (contract_rule(e->text) == RULE_EQUALITY || contract_rule(e->text) == RULE_ORDER);
    bool has_array = false;

    for (size_t i = 0; is_relation && i < 2; i++) {
        const struct contract_value v = contract_type(s, e->operands[i]);
        const bool ordered = contract_rule(e->text) == RULE_ORDER;

        has_array |= v.kind == CONTRACT_ARRAY || v.kind == CONTRACT_UNKNOWN;
        if (v.kind == CONTRACT_UNKNOWN || v.kind == CONTRACT_BOOL || holds_numbers(&v, !ordered) ||
            is_real(v.kind) || (v.kind == CONTRACT_COMPLEX && !ordered))
            continue;
        if (s->d)
            diagnose_at(s->d, &e->operands[i]->place,
                        "'%s' in %s compares numbers and arrays of numbers, this is %s", e->text,
                        builtin->name, contract_kind_text(v.kind));
        return;
    }
    if (!has_array && s->d)
        diagnose_at(s->d, &e->place,
                    "%s needs a relation between an array and a number or another array, like "
                    "%s(a > 0)",
                    builtin->name, builtin->name);
}

/* Both sides of nearEqual are numbers, or both arrays. */
static void check_pair(const struct contract_scope *s, const struct portolan_sidl_expr *call,
                       const struct contract_value *first, const struct contract_value *second)
{
    if (first->kind != CONTRACT_UNKNOWN && second->kind != CONTRACT_UNKNOWN &&
        (first->kind == CONTRACT_ARRAY) != (second->kind == CONTRACT_ARRAY) && s->d)
        diagnose_at(s->d, &call->place,
                    "%s compares two numbers or two arrays, not one with the "
                    "other",
                    call->text);
}

struct contract_value contract_builtin_type(const struct contract_scope *s,
                                            const struct contract_builtin *builtin,
                                            const struct portolan_sidl_expr *call)
{
    const size_t n = strlen(builtin->arguments);
    struct contract_value result = {.kind = builtin->result}, v[4] = {{0}};

    if (call->n_operands != n) {
        if (s->d)
            diagnose_at(s->d, &call->place, "%s takes %zu argument%s, not %zu", builtin->name, n,
                        n == 1 ? "" : "s", call->n_operands);
        return result;
    }
    if (*builtin->arguments == 'R') {
        check_relation(s, builtin, call->operands[0]);
        return result;
    }
    for (size_t i = 0; i < n; i++) {
        v[i] = contract_type(s, call->operands[i]);
        if (v[i].kind != CONTRACT_UNKNOWN && !fits(builtin->arguments[i], &v[i]) && s->d)
            diagnose_at(s->d, &call->operands[i]->place, "%s needs %s here, this is %s",
                        builtin->name, wanted_text(builtin->arguments[i]),
                        contract_kind_text(v[i].kind));
    }
    if (strncmp(builtin->arguments, "yy", 2) == 0)
        check_pair(s, call, &v[0], &v[1]);
    if (result.kind == CONTRACT_UNKNOWN) {
        result.kind = contract_element(v[0].type);
        if (result.kind == CONTRACT_BOOL || result.kind == CONTRACT_CHAR)
            result.kind = CONTRACT_INTEGER;
        if (!contract_is_number(result.kind))
            result.kind = CONTRACT_REAL; /* the generic array */
    }
    return result;
}
