/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the operators and built-in functions in conditions of contracts. */
#include "contract_value.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const struct function operators[] = {
    {"implies", "bb", KIND_BOOL, "(!%s || %s)", NULL},
    {"iff", "bb", KIND_BOOL, "(%s == %s)", NULL},
    {"or", "bb", KIND_BOOL, "(%s || %s)", NULL},
    {"xor", "bb", KIND_BOOL, "(%s != %s)", NULL},
    {"and", "bb", KIND_BOOL, "(%s && %s)", NULL},
    {"&", "&&", KIND_UNKNOWN, "(%s & %s)", NULL},
    {"|", "&&", KIND_UNKNOWN, "(%s | %s)", NULL},
    {"^", "&&", KIND_UNKNOWN, "(%s ^ %s)", NULL},
    {"==", "==", KIND_BOOL, "(%s == %s)", NULL},
    {"!=", "==", KIND_BOOL, "(%s != %s)", NULL},
    {"<", "<<", KIND_BOOL, "(%s < %s)", NULL},
    {">", "<<", KIND_BOOL, "(%s > %s)", NULL},
    {"<=", "<<", KIND_BOOL, "(%s <= %s)", NULL},
    {">=", "<<", KIND_BOOL, "(%s >= %s)", NULL},
    {"<<<", "ii", KIND_UNKNOWN, "(int64_t)((uint64_t)%s << (%s & 63))", NULL},
    {">>>", "ii", KIND_UNKNOWN, "(%s >> (%s & 63))", NULL},
    {"%", "dd", KIND_UNKNOWN, "__builtin_fmod(%s, %s)", "sidl_int_rem(_check, %s, %s)"},
    {"rem", "dd", KIND_UNKNOWN, "__builtin_fmod(%s, %s)", "sidl_int_rem(_check, %s, %s)"},
    {"mod", "ii", KIND_UNKNOWN, "sidl_int_mod(_check, %s, %s)", NULL},
    {"**", "dd", KIND_REAL, "__builtin_pow(%s, %s)", NULL},
    {"+", "dd", KIND_UNKNOWN, "(%s + %s)", "SIDL_INT(+, %s, %s)"},
    {"-", "dd", KIND_UNKNOWN, "(%s - %s)", "SIDL_INT(-, %s, %s)"},
    {"*", "dd", KIND_UNKNOWN, "(%s * %s)", "SIDL_INT(*, %s, %s)"},
    {"/", "dd", KIND_UNKNOWN, "(%s / %s)", "sidl_int_div(_check, %s, %s)"},
    {"is", "b", KIND_UNKNOWN, "(%s)", NULL},
    {"not", "b", KIND_UNKNOWN, "(!%s)", NULL},
    {"~", "i", KIND_UNKNOWN, "(~%s)", NULL},
    {"-", "d", KIND_UNKNOWN, "(-%s)", "SIDL_INT(-, 0, %s)"},
    {"+", "d", KIND_UNKNOWN, "(%s)", NULL},
};

/* Babel's, with Babel's arguments */
static const struct function builtins[] = {
    {"all", "*", KIND_BOOL, "sidl_contract_all(%s, %s, %s, 0)", NULL},
    {"any", "*", KIND_BOOL, "(sidl_contract_count(%s, %s, %s, 0) > 0)", NULL},
    {"none", "*", KIND_BOOL, "(sidl_contract_count(%s, %s, %s, 0) == 0)", NULL},
    {"count", "*", KIND_INTEGER, "sidl_contract_count(%s, %s, %s, 0)", NULL},
    {"dimen", "a", KIND_INTEGER, "(int64_t)sidl__array_dimen(%s)", NULL},
    {"lower", "ai", KIND_INTEGER, "(int64_t)sidl__array_lower(%s, %s)", NULL},
    {"upper", "ai", KIND_INTEGER, "(int64_t)sidl__array_upper(%s, %s)", NULL},
    {"stride", "ai", KIND_INTEGER, "(int64_t)sidl__array_stride(%s, %s)", NULL},
    {"size", "a", KIND_INTEGER, "(int64_t)sidl__array_length(%s, 0)", NULL},
    {"range", "XDDD", KIND_BOOL, "sidl_contract_range(%s, %s, %s, %s)", NULL},
    {"irange", "JII", KIND_BOOL, "sidl_contract_range(%s, %s, %s, sidl_operand_integer(0))", NULL},
    {"min", "R", KIND_UNKNOWN, "sidl_contract_fold(\"<\", %s).%s", NULL},
    {"max", "R", KIND_UNKNOWN, "sidl_contract_fold(\">\", %s).%s", NULL},
    {"sum", "R", KIND_UNKNOWN, "sidl_contract_fold(\"+\", %s).%s", NULL},
    {"nearEqual", "XXd", KIND_BOOL, "sidl_contract_all(\"~\", %s, %s, %s)", NULL},
    {"nonDecr", "R", KIND_BOOL, "sidl_contract_nowhere(\">\", %s)", NULL},
    {"nonIncr", "R", KIND_BOOL, "sidl_contract_nowhere(\"<\", %s)", NULL},
};
enum { N_BUILTINS = sizeof builtins / sizeof *builtins };

static const struct wanted wanted[] = {
    ['a'] = {"an array", 0, ~0U},
    ['r'] = {"an array of numbers", 0, BOOLS | NUMBERS},
    ['x'] = {"a number or an array of them", BOOLS | NUMBERS, BOOLS | NUMBERS},
    ['j'] = {"an integer or an array of them", INTEGERS, BOOLS | INTEGERS},
    ['b'] = {"a bool", BOOLS, 0},
    ['i'] = {"an integer", INTEGERS, 0},
    ['d'] = {"a number", NUMBERS, 0},
    ['&'] = {"an integer or a bool", BOOLS | INTEGERS, 0},
    ['<'] = {"a number or a string", NUMBERS | STRINGS, 0},
    ['='] = {"the same kind of value", BOOLS | NUMBERS | STRINGS | REFERENCES, 0},
};

const struct wanted *wanted_of(char letter)
{
    return &wanted[tolower((unsigned char)letter)];
}

bool are_of_one_kind(enum kind a, enum kind b)
{
    if (a == KIND_NULL || b == KIND_NULL)
        return is_in(a, REFERENCES) && is_in(b, REFERENCES);
    return (is_in(a, NUMBERS) && is_in(b, NUMBERS)) || (a == b && a != KIND_ARRAY);
}

const struct function *operator_find(const struct portolan_sidl_expr *e)
{
    const struct function *f = operators;

    while (strcmp(f->name, e->text) != 0 || strlen(f->arguments) != e->n_operands)
        f++;
    return f;
}

const char *operator_code(struct portolan_arena *arena, const struct function *f, enum kind a,
                          enum kind b)
{
    if (a == KIND_STRING)
        return portolan_arena_printf(arena, "(sidl_string_compare(%%s, %%s) %s 0)", f->name);
    if (a == KIND_OBJECT && b == KIND_OBJECT)
        return portolan_arena_printf(arena, "(sidl_reference_is_same(%%s, %%s, NULL) %s TRUE)",
                                     f->name);
    return f->of_integers && is_in(a, INTEGERS) && is_in(b, INTEGERS) ? f->of_integers : f->code;
}

const struct function *builtin_find(const char *name)
{
    for (size_t i = 0; i < N_BUILTINS; i++)
        if (!strcasecmp(builtins[i].name, name))
            return &builtins[i];
    return NULL;
}

const char *builtin_nearest(const char *name)
{
    const char *names[N_BUILTINS];

    for (size_t i = 0; i < N_BUILTINS; i++)
        names[i] = builtins[i].name;
    return portolan_nearest_word(name, names, N_BUILTINS);
}
