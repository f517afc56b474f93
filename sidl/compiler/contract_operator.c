/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators and built-in functions in conditions of contracts. */
#include "contract_value.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const struct function {
    const char *name;
    const char *arguments; /* letters of wanted[], capitals: in any form; *: a relation of arrays */
    enum kind result;      /* KIND_UNKNOWN: as the wider operand, or as the elements */
    const char *code, *of_integers; /* NULL: as CODE */
} operators[] = {
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

/* The kinds that an argument may have, or that the elements of an array may have. */
static const struct wanted {
    const char *text;
    unsigned kinds, elements;
} wanted[] = {
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

/* The elements of a generic array are known only at run time. */
static bool fits(const struct value *v, const struct wanted *w)
{
    if (v->kind == KIND_UNKNOWN || is_in(v->kind, w->kinds))
        return true;
    return v->kind == KIND_ARRAY && w->elements &&
           (!v->type->element || is_in(kind_of(v->type->element), w->elements));
}

static bool are_of_one_kind(enum kind a, enum kind b)
{
    if (a == KIND_NULL || b == KIND_NULL)
        return is_in(a, REFERENCES) && is_in(b, REFERENCES);
    return (is_in(a, NUMBERS) && is_in(b, NUMBERS)) || (a == b && a != KIND_ARRAY);
}

static const struct function *find_operator(const struct portolan_sidl_expr *e)
{
    const struct function *f = operators;

    while (strcmp(f->name, e->text) != 0 || strlen(f->arguments) != e->n_operands)
        f++;
    return f;
}

/* The operands A and B of E do not fit. */
static void report_operands(const struct scope *s, const struct portolan_sidl_expr *e,
                            const char *wanted_text, enum kind a, enum kind b)
{
    if (e->n_operands == 1)
        diagnose_at(s->d, &e->place, "'%s' needs %s after it, not %s", e->text, wanted_text,
                    kind_texts[a]);
    else if (a == KIND_ARRAY && b != KIND_NULL)
        diagnose_at(s->d, &e->place, "arrays can be compared only inside all, any, none or count");
    else
        diagnose_at(s->d, &e->place, "'%s' needs %s on both sides, not %s and %s", e->text,
                    wanted_text, kind_texts[a], kind_texts[b]);
}

/* The operator F in C, between operands of those kinds. */
static const char *operator_code(const struct scope *s, const struct function *f, enum kind a,
                                 enum kind b)
{
    if (a == KIND_STRING)
        return portolan_arena_printf(s->arena, "(sidl_string_compare(%%s, %%s) %s 0)", f->name);
    if (a == KIND_OBJECT && b == KIND_OBJECT)
        return portolan_arena_printf(s->arena, "(sidl_reference_is_same(%%s, %%s, NULL) %s TRUE)",
                                     f->name);
    return f->of_integers && is_in(a, INTEGERS) && is_in(b, INTEGERS) ? f->of_integers : f->code;
}

struct value operator_value(const struct scope *s, const struct portolan_sidl_expr *e)
{
    const struct function *f = find_operator(e);
    const struct wanted *w = &wanted[(unsigned char)*f->arguments];
    const struct value v = value_of(s, e->operands[0]),
                       other = e->n_operands == 1 ? v : value_of(s, e->operands[1]);
    struct value result = {.kind = f->result, .code = ""};

    if (v.kind == KIND_UNKNOWN || other.kind == KIND_UNKNOWN)
        return result;
    if (!fits(&v, w) || !fits(&other, w) || !are_of_one_kind(v.kind, other.kind)) {
        report_operands(s, e, w->text, v.kind, other.kind);
        return result;
    }
    if (result.kind == KIND_UNKNOWN)
        result.kind = v.kind > other.kind ? v.kind : other.kind;
    result.code = portolan_arena_printf(s->arena, operator_code(s, f, v.kind, other.kind), v.code,
                                        other.code);
    return result;
}

/* V in the form in which functions take numbers and arrays. */
static const char *operand(const struct scope *s, const struct value *v)
{
    return portolan_arena_printf(s->arena, "sidl_operand_%s(%s)",
                                 v->kind == KIND_ARRAY              ? "array"
                                 : is_in(v->kind, BOOLS | INTEGERS) ? "integer"
                                                                    : "number",
                                 v->code);
}

/* all(a < b): at least one side is an array. Sets V to the relation and its operands. */
static void relation_values(const struct scope *s, const struct function *f,
                            const struct portolan_sidl_expr *e, struct value *v)
{
    const char letter = e->op == PORTOLAN_SIDL_OP_BINARY ? *find_operator(e)->arguments : '\0';
    bool has_array = false;

    v[0].code = portolan_arena_printf(s->arena, "\"%s\"", e->text);
    for (size_t i = 0; (letter == '=' || letter == '<') && i < 2; i++) {
        v[i + 1] = value_of(s, e->operands[i]);
        if (!fits(&v[i + 1], &wanted['x'])) {
            diagnose_at(s->d, &e->operands[i]->place,
                        "'%s' in %s compares numbers and arrays of numbers, but this is %s",
                        e->text, f->name, kind_texts[v[i + 1].kind]);
            return;
        }
        has_array |= v[i + 1].kind == KIND_ARRAY || v[i + 1].kind == KIND_UNKNOWN;
        v[i + 1].code = operand(s, &v[i + 1]);
    }
    if (!has_array)
        diagnose_at(s->d, &e->place,
                    "%s needs a relation between an array and a number or another array, like "
                    "%s(a > 0)",
                    f->name, f->name);
}

static void argument_values(const struct scope *s, const struct function *f,
                            const struct portolan_sidl_expr *call, struct value *v)
{
    for (size_t i = 0; i < call->n_operands; i++) {
        const struct wanted *w = &wanted[tolower((unsigned char)f->arguments[i])];

        v[i] = value_of(s, call->operands[i]);
        if (!fits(&v[i], w))
            diagnose_at(s->d, &call->operands[i]->place, "%s needs %s here, but this is %s",
                        f->name, w->text, kind_texts[v[i].kind]);
        if (isupper((unsigned char)f->arguments[i]))
            v[i].code = operand(s, &v[i]);
    }
}

struct value builtin_value(const struct scope *s, const struct function *f,
                           const struct portolan_sidl_expr *call)
{
    const size_t n = strlen(f->arguments);
    struct value v[4] = {{.code = ""}, {.code = ""}, {.code = ""}, {.code = ""}},
                 result = {.kind = f->result, .code = ""};

    if (call->n_operands != n) {
        diagnose_at(s->d, &call->place, "%s takes %zu argument%s, not %zu", f->name, n,
                    n == 1 ? "" : "s", call->n_operands);
        return result;
    }
    if (*f->arguments == '*')
        relation_values(s, f, call->operands[0], v);
    else
        argument_values(s, f, call, v);
    if (f->result == KIND_UNKNOWN) { /* a sum or an extremum */
        const struct portolan_sidl_type *of = v[0].kind == KIND_ARRAY ? v[0].type->element : NULL;

        result.kind = of && is_in(kind_of(of), BOOLS | INTEGERS) ? KIND_INTEGER : KIND_REAL;
        v[1].code = result.kind == KIND_INTEGER ? "integer" : "value";
    }
    result.code =
        portolan_arena_printf(s->arena, f->code, v[0].code, v[1].code, v[2].code, v[3].code);
    return result;
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

size_t builtin_n_arguments(const struct function *f)
{
    return strlen(f->arguments);
}
