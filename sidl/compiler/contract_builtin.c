/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that every clause can call: Babel's, with Babel's arguments. */
#include "contract.h"

#include <string.h>
#include <strings.h>

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

/* What the letters of arguments stand for. */
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

/* Babel does not care about capitals here. */
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

const char *contract_builtin_nearest(const char *name)
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

/* The elements of a generic array are seen at run time. */
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

struct contract_value contract_builtin_type(const struct contract_scope *s,
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
