/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conditions of contracts: what names and calls mean, which kinds of values fit together, and the
 * condition in C. One function for each construct checks it and writes it.
 */
#include "contract.h"
#include "emit.h"

#include <string.h>
#include <strings.h>

/* Numbers in the order in which they widen. */
enum kind {
    KIND_UNKNOWN, /* a mistake that is reported already */
    KIND_BOOL,
    KIND_CHAR,
    KIND_INTEGER, /* int, long, enums */
    KIND_REAL,
    KIND_COMPLEX,
    KIND_STRING,
    KIND_OPAQUE,
    KIND_OBJECT,
    KIND_ARRAY, /* rarrays too: in the entry-point table they are arrays */
    KIND_STRUCT,
    KIND_NULL,
    KIND_VOID,
};

/* In C: 0 or 1, int64_t, double, double _Complex, a string or a void pointer. */
struct value {
    enum kind kind;
    const struct portolan_sidl_type *type; /* NULL for literals and results of operators */
    const char *code;
};

static const struct value unknown;

static const char *const kind_texts[] = {
    [KIND_UNKNOWN] = "unknown",    [KIND_BOOL] = "bool",          [KIND_CHAR] = "char",
    [KIND_INTEGER] = "an integer", [KIND_REAL] = "a real number", [KIND_COMPLEX] = "complex",
    [KIND_STRING] = "a string",    [KIND_OPAQUE] = "opaque",      [KIND_OBJECT] = "an object",
    [KIND_ARRAY] = "an array",     [KIND_STRUCT] = "a struct",    [KIND_NULL] = "null",
    [KIND_VOID] = "void",
};

/* Sets of kinds. */
enum {
    BOOLS = 1 << KIND_BOOL,
    INTEGERS = 1 << KIND_CHAR | 1 << KIND_INTEGER,
    REALS = INTEGERS | 1 << KIND_REAL,
    NUMBERS = REALS | 1 << KIND_COMPLEX,
    STRINGS = 1 << KIND_STRING,
    REFERENCES = 1 << KIND_OPAQUE | 1 << KIND_OBJECT | 1 << KIND_ARRAY | 1 << KIND_NULL,
};

static bool is_in(enum kind kind, unsigned set)
{
    return set >> kind & 1;
}

/* CODE with each '$' replaced by the next of VALUES, and each '#' by the next one as an operand. */
static const char *fill(const struct scope *s, const char *code, const struct value *values)
{
    struct portolan_text t = {.arena = s->arena};

    for (; *code; code++)
        if (*code == '$' || *code == '#') {
            portolan_text_add(&t,
                              *code == '$'                            ? "%s"
                              : values->kind == KIND_ARRAY            ? "sidl_operand_array(%s)"
                              : is_in(values->kind, BOOLS | INTEGERS) ? "sidl_operand_integer(%s)"
                                                                      : "sidl_operand_number(%s)",
                              values->code ? values->code : "");
            values++;
        } else {
            portolan_text_add_bytes(&t, code, 1);
        }
    return t.bytes;
}

/* In C, '$' stands for a value. What RETURNED says is done to one that a method returned. */
static const struct {
    enum kind kind;
    const char *code, *returned;
} types[] = {
    [PORTOLAN_SIDL_VOID] = {KIND_VOID, "$", NULL},
    [PORTOLAN_SIDL_BOOL] = {KIND_BOOL, "($ != 0)", NULL},
    [PORTOLAN_SIDL_CHAR] = {KIND_CHAR, "(int64_t)$", NULL},
    [PORTOLAN_SIDL_DCOMPLEX] = {KIND_COMPLEX, "SIDL_COMPLEX(sidl_dcomplex, $)", NULL},
    [PORTOLAN_SIDL_DOUBLE] = {KIND_REAL, "(double)$", NULL},
    [PORTOLAN_SIDL_FCOMPLEX] = {KIND_COMPLEX, "SIDL_COMPLEX(sidl_fcomplex, $)", NULL},
    [PORTOLAN_SIDL_FLOAT] = {KIND_REAL, "(double)$", NULL},
    [PORTOLAN_SIDL_INT] = {KIND_INTEGER, "(int64_t)$", NULL},
    [PORTOLAN_SIDL_LONG] = {KIND_INTEGER, "(int64_t)$", NULL},
    [PORTOLAN_SIDL_OPAQUE] = {KIND_OPAQUE, "(void *)$", NULL},
    [PORTOLAN_SIDL_STRING] = {KIND_STRING, "$", "SIDL_KEEP(STRING, $)"},
    [PORTOLAN_SIDL_ARRAY] = {KIND_ARRAY, "(void *)$", "SIDL_KEEP(ARRAY, $)"},
    [PORTOLAN_SIDL_RARRAY] = {KIND_ARRAY, "(void *)$", NULL},
    [PORTOLAN_SIDL_ENUM] = {KIND_INTEGER, "(int64_t)$", NULL},
    [PORTOLAN_SIDL_STRUCT] = {KIND_STRUCT, "$", NULL},
    [PORTOLAN_SIDL_OBJECT] = {KIND_OBJECT, "(void *)$", "SIDL_KEEP(OBJECT, $)"},
};

static enum kind kind_of(const struct portolan_sidl_type *type)
{
    return type_is_unknown(type) ? KIND_UNKNOWN : types[type->kind].kind;
}

/* The value of PLACE, an expression in C of that type. */
static struct value value_at(const struct scope *s, const struct portolan_sidl_type *type,
                             const char *place)
{
    const struct value at = {.code = place};

    return (struct value){kind_of(type), type, fill(s, types[type->kind].code, &at)};
}

static struct value value_of(const struct scope *s, const struct portolan_sidl_expr *e);

/* Names */

/* The argument that NAME, or a struct field of which NAME ("a.x"), is. NULL: none. */
static const struct portolan_sidl_argument *find_argument(const struct scope *s, const char *name)
{
    const size_t length = strcspn(name, ".");

    for (size_t i = 0; s->method && i < s->method->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &s->method->arguments[i];

        if (strlen(a->name) == length && memcmp(a->name, name, length) == 0)
            return a;
    }
    return NULL;
}

static struct value field_value(const struct scope *s, const struct portolan_sidl_expr *e,
                                const struct portolan_sidl_argument *a)
{
    const struct portolan_sidl_symbol *of = a->type->symbol;
    const char *name = strchr(e->text, '.') + 1;

    if (a->type->kind != PORTOLAN_SIDL_STRUCT) {
        diagnose_at(s->d, &e->place, "%s is no struct and has no field %s", a->name, name);
        return unknown;
    }
    for (size_t i = 0; i < of->n_fields; i++)
        if (strcmp(of->fields[i].name, name) == 0)
            return value_at(s, of->fields[i].type,
                            portolan_arena_printf(s->arena, "%s->%s", a->name, name));
    diagnose_at(s->d, &e->place, "struct %s has no field %s", of->full_name, name);
    return unknown;
}

static struct value name_value(const struct scope *s, const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_argument *a = find_argument(s, e->text);
    const bool is_pointer = a && a->mode != PORTOLAN_SIDL_IN &&
                            a->type->kind != PORTOLAN_SIDL_RARRAY &&
                            a->type->kind != PORTOLAN_SIDL_STRUCT;

    if (!s->method)
        diagnose_at(s->d, &e->place, "%s in an invariant, which can only call methods", e->text);
    else if (!a)
        diagnose_at(s->d, &e->place, "%s is no argument of %s", e->text, s->method->name);
    else if (!s->after && a->mode == PORTOLAN_SIDL_OUT)
        diagnose_at(s->d, &e->place, "%s is an out argument and has no value before the call",
                    a->name);
    else if (strchr(e->text, '.'))
        return field_value(s, e, a);
    else
        return value_at(s, a->type,
                        portolan_arena_printf(s->arena, "%s%s", is_pointer ? "*" : "",
                                              portolan_sidl_epv_value(s->arena, s->method, a)));
    return unknown;
}

static struct value result_value(const struct scope *s, const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_type *type = s->method ? s->method->result : NULL;

    if (type && s->after)
        return value_at(s, type, type->kind == PORTOLAN_SIDL_STRUCT ? "&_retval" : "_retval");
    diagnose_at(s->d, &e->place, "result has a value in ensure clauses only");
    return unknown;
}

/* Methods */

/* Whether V can be passed as an argument of type TO. */
static bool can_be_passed(const struct value *v, const struct portolan_sidl_type *to)
{
    const enum kind wanted = kind_of(to);

    if (v->kind == KIND_UNKNOWN)
        return true;
    if (wanted == KIND_INTEGER || wanted == KIND_REAL || wanted == KIND_COMPLEX)
        return is_in(v->kind, wanted == KIND_COMPLEX ? NUMBERS : REALS);
    if (v->kind != wanted)
        return false;
    if (wanted == KIND_ARRAY)
        return !to->element || !v->type->element || type_equal(v->type->element, to->element);
    if (wanted == KIND_OBJECT)
        return v->type->symbol &&
               (!to->symbol || symbol_inherits(v->type->symbol, to->symbol->full_name));
    return wanted != KIND_STRUCT || v->type->symbol == to->symbol;
}

/* V as an argument of type TO, where C does not convert it itself. */
static const char *passed(const struct scope *s, const struct value *v,
                          const struct portolan_sidl_type *to)
{
    const char *code = "$";

    if (kind_of(to) == KIND_COMPLEX)
        code = portolan_arena_printf(s->arena, "SIDL_PAIR(sidl_%s, $)", to->name);
    else if (kind_of(to) == KIND_OBJECT && v->type && v->type->symbol != to->symbol)
        code = portolan_arena_printf(s->arena, "SIDL_CAST($, \"%s\")", to->symbol->full_name);
    return fill(s, code, v);
}

static struct value method_value(const struct scope *s, const struct portolan_sidl_expr *e,
                                 const struct portolan_sidl_method *m)
{
    const bool is_static = method_is_static(m);
    const char *why = contract_why_not(s, m);
    struct portolan_text call = {.arena = s->arena};
    struct value result;

    if (why)
        diagnose_at(s->d, &e->place, "%s %s", m->slot_name, why);
    portolan_text_add(&call, is_static ? "SIDL_STATIC(%s, f_%s)(" : "SIDL_METHOD(%s, f_%s)(self, ",
                      is_static ? m->owner->c_name : s->of->c_name, m->slot_name);
    for (size_t i = 0; i < e->n_operands; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];
        const struct value v = value_of(s, e->operands[i]);

        if (!can_be_passed(&v, a->type))
            diagnose_at(s->d, &e->operands[i]->place, "argument %s of %s is %s, this is %s",
                        a->name, m->slot_name, a->type->name, kind_texts[v.kind]);
        if (!a->is_extent)
            portolan_text_add(&call, "%s, ", passed(s, &v, a->type));
    }
    portolan_text_add(&call, "SIDL_THROWN)");
    result = value_at(s, m->result, call.bytes);
    if (types[m->result->kind].returned)
        result.code = fill(s, types[m->result->kind].returned, &result);
    return why ? unknown : result;
}

/* Operators and functions */

static const struct function {
    const char *name;
    const char *arguments;          /* letters of wanted[]; R: a relation with an array */
    enum kind result;               /* KIND_UNKNOWN: as the wider operand, or as the elements */
    const char *code, *of_integers; /* NULL: as CODE */
} operators[] = {
    {"implies", "BB", KIND_BOOL, "(!$ || $)", NULL},
    {"iff", "BB", KIND_BOOL, "($ == $)", NULL},
    {"or", "BB", KIND_BOOL, "($ || $)", NULL},
    {"xor", "BB", KIND_BOOL, "($ != $)", NULL},
    {"and", "BB", KIND_BOOL, "($ && $)", NULL},
    {"&", "&&", KIND_UNKNOWN, "($ & $)", NULL},
    {"|", "&&", KIND_UNKNOWN, "($ | $)", NULL},
    {"^", "&&", KIND_UNKNOWN, "($ ^ $)", NULL},
    {"==", "==", KIND_BOOL, "($ == $)", NULL},
    {"!=", "==", KIND_BOOL, "($ != $)", NULL},
    {"<", "<<", KIND_BOOL, "($ < $)", NULL},
    {">", "<<", KIND_BOOL, "($ > $)", NULL},
    {"<=", "<<", KIND_BOOL, "($ <= $)", NULL},
    {">=", "<<", KIND_BOOL, "($ >= $)", NULL},
    {"<<<", "II", KIND_UNKNOWN, "sidl_int_shl($, $)", NULL},
    {">>>", "II", KIND_UNKNOWN, "sidl_int_shr($, $)", NULL},
    {"%", "DD", KIND_UNKNOWN, "__builtin_fmod($, $)", "sidl_int_rem(_check, $, $)"},
    {"rem", "DD", KIND_UNKNOWN, "__builtin_fmod($, $)", "sidl_int_rem(_check, $, $)"},
    {"mod", "DD", KIND_UNKNOWN, "sidl_real_mod($, $)", "sidl_int_mod(_check, $, $)"},
    {"**", "DD", KIND_REAL, "__builtin_pow($, $)", NULL},
    {"+", "NN", KIND_UNKNOWN, "($ + $)", "SIDL_INT(+, $, $)"},
    {"-", "NN", KIND_UNKNOWN, "($ - $)", "SIDL_INT(-, $, $)"},
    {"*", "NN", KIND_UNKNOWN, "($ * $)", "SIDL_INT(*, $, $)"},
    {"/", "NN", KIND_UNKNOWN, "($ / $)", "sidl_int_div(_check, $, $)"},
    {"{", "pp", KIND_COMPLEX,
     "SIDL_COMPLEX(sidl_dcomplex, ((struct sidl_dcomplex){(double)$, (double)$}))", NULL},
    {"is", "b", KIND_UNKNOWN, "($)", NULL},
    {"not", "b", KIND_UNKNOWN, "(!$)", NULL},
    {"~", "i", KIND_UNKNOWN, "(~$)", NULL},
    {"-", "c", KIND_UNKNOWN, "(-$)", "SIDL_INT(-, 0, $)"},
    {"+", "c", KIND_UNKNOWN, "($)", NULL},
};

/* Babel's, with Babel's arguments */
static const struct function builtins[] = {
    {"all", "R", KIND_BOOL, "sidl_contract_all($, #, #)", NULL},
    {"any", "R", KIND_BOOL, "(sidl_contract_count($, #, #) > 0)", NULL},
    {"none", "R", KIND_BOOL, "(sidl_contract_count($, #, #) == 0)", NULL},
    {"count", "R", KIND_INTEGER, "sidl_contract_count($, #, #)", NULL},
    {"dimen", "a", KIND_INTEGER, "(int64_t)sidl__array_dimen($)", NULL},
    {"lower", "ai", KIND_INTEGER, "(int64_t)sidl__array_lower($, $)", NULL},
    {"upper", "ai", KIND_INTEGER, "(int64_t)sidl__array_upper($, $)", NULL},
    {"stride", "ai", KIND_INTEGER, "(int64_t)sidl__array_stride($, $)", NULL},
    {"size", "a", KIND_INTEGER, "(int64_t)sidl__array_length($, 0)", NULL},
    {"range", "xddd", KIND_BOOL, "sidl_contract_range(#, #, #, #)", NULL},
    {"irange", "jii", KIND_BOOL, "sidl_contract_range(#, #, #, sidl_operand_integer(0))", NULL},
    {"min", "r", KIND_UNKNOWN, "sidl_contract_first(\"<\", #).value",
     "sidl_contract_first(\"<\", #).integer"},
    {"max", "r", KIND_UNKNOWN, "sidl_contract_first(\">\", #).value",
     "sidl_contract_first(\">\", #).integer"},
    {"sum", "n", KIND_UNKNOWN, "sidl_contract_sum(#).value", "sidl_contract_sum(#).integer"},
    {"nearEqual", "yyd", KIND_BOOL, "sidl_contract_near_equal(#, #, $)", NULL},
    {"nonDecr", "r", KIND_BOOL, "sidl_contract_nowhere(\">\", #)", NULL},
    {"nonIncr", "r", KIND_BOOL, "sidl_contract_nowhere(\"<\", #)", NULL},
};
enum { N_BUILTINS = sizeof builtins / sizeof *builtins };

/* The kinds that an argument may have, or that the elements of an array may have. */
static const struct wanted {
    const char *text;
    unsigned kinds, elements;
} wanted[] = {
    ['a'] = {"an array", 0, ~0U},
    ['n'] = {"an array of numbers", 0, BOOLS | NUMBERS},
    ['r'] = {"an array of real numbers", 0, BOOLS | REALS},
    ['x'] = {"a real number or an array of them", REALS, BOOLS | REALS},
    ['j'] = {"an integer or an array of them", INTEGERS, BOOLS | INTEGERS},
    ['y'] = {"a number or an array of numbers", NUMBERS, BOOLS | NUMBERS},
    ['b'] = {"a bool", BOOLS, 0},
    ['i'] = {"an integer", INTEGERS, 0},
    ['d'] = {"a real number", REALS, 0},
    ['c'] = {"a number", NUMBERS, 0},
    ['B'] = {"two bools", BOOLS, 0},
    ['I'] = {"two integers", INTEGERS, 0},
    ['D'] = {"two real numbers", REALS, 0},
    ['N'] = {"two numbers", NUMBERS, 0},
    ['&'] = {"two integers or two bools", BOOLS | INTEGERS, 0},
    ['<'] = {"two real numbers or two strings", REALS | STRINGS, 0},
    ['p'] = {"a real number", REALS, 0}, /* a part of a complex number */
    ['='] = {"two values of one kind", BOOLS | NUMBERS | STRINGS | REFERENCES, 0},
};

/* The elements of a generic array are known only at run time. */
static bool fits(const struct value *v, const struct wanted *w)
{
    if (is_in(v->kind, w->kinds))
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
                            const struct function *f, enum kind a, enum kind b)
{
    const char *text = wanted[(unsigned char)*f->arguments].text;

    if (*f->arguments == 'p')
        diagnose_at(s->d, &e->operands[is_in(a, REALS)]->place,
                    "a part of a complex number is %s, not %s", text,
                    kind_texts[is_in(a, REALS) ? b : a]);
    else if (e->n_operands == 1)
        diagnose_at(s->d, &e->place, "'%s' needs %s behind it, not %s", e->text, text,
                    kind_texts[a]);
    else if (a == KIND_ARRAY && b != KIND_NULL)
        diagnose_at(s->d, &e->place, "arrays are compared inside all, any, none or count");
    else if ((a == KIND_STRING && b == KIND_NULL) || (a == KIND_NULL && b == KIND_STRING))
        diagnose_at(s->d, &e->place, "a string cannot be compared with null, use \"\"");
    else
        diagnose_at(s->d, &e->place, "'%s' needs %s, not %s and %s", e->text, text, kind_texts[a],
                    kind_texts[b]);
}

/* The operator F in C, between operands of those kinds. */
static const char *operator_code(const struct scope *s, const struct function *f, enum kind a,
                                 enum kind b)
{
    if (a == KIND_STRING)
        return portolan_arena_printf(s->arena, "(sidl_string_compare($, $) %s 0)", f->name);
    if (a == KIND_OBJECT && b == KIND_OBJECT)
        return portolan_arena_printf(s->arena, "(sidl_reference_is_same($, $, NULL) %s TRUE)",
                                     f->name);
    return f->of_integers && is_in(a, INTEGERS) && is_in(b, INTEGERS) ? f->of_integers : f->code;
}

static struct value operator_value(const struct scope *s, const struct portolan_sidl_expr *e)
{
    const struct function *f = find_operator(e);
    const struct wanted *w = &wanted[(unsigned char)*f->arguments];
    struct value result = {.kind = f->result}, v[2] = {value_of(s, e->operands[0]), unknown};
    enum kind a, b;

    v[1] = e->n_operands == 1 ? v[0] : value_of(s, e->operands[1]);
    a = v[0].kind;
    b = v[1].kind;
    if (a == KIND_UNKNOWN || b == KIND_UNKNOWN)
        return result;
    if (!fits(&v[0], w) || !fits(&v[1], w) || !are_of_one_kind(a, b)) {
        report_operands(s, e, f, a, b);
        return result;
    }
    if (result.kind == KIND_UNKNOWN)
        result.kind = a > b ? a : b;
    if (result.kind == KIND_CHAR)
        result.kind = KIND_INTEGER;
    result.code = fill(s, operator_code(s, f, a, b), v);
    return result;
}

/*
 * NULL when CALL means a method: its name or number of arguments differ from all built-in
 * functions'. As in Babel, their names ignore case.
 */
static const struct function *find_builtin(const struct scope *s,
                                           const struct portolan_sidl_expr *call)
{
    for (const struct function *f = builtins; f < builtins + N_BUILTINS; f++)
        if (strcasecmp(f->name, call->text) == 0)
            return strlen(f->arguments) != call->n_operands &&
                           contract_method(s->of, call->text, (int)call->n_operands)
                       ? NULL
                       : f;
    return NULL;
}

/* all(a < b): at least one side is an array. Sets V to the relation and its operands. */
static void relation_values(const struct scope *s, const struct function *f,
                            const struct portolan_sidl_expr *e, struct value *v)
{
    const char letter = e->op == PORTOLAN_SIDL_OP_BINARY ? *find_operator(e)->arguments : '\0';
    bool has_array = false;

    v[0].code = portolan_arena_printf(s->arena, "\"%s\"", e->text);
    for (size_t i = 0; (letter == '=' || letter == '<') && i < 2; i++) {
        const enum kind kind = (v[i + 1] = value_of(s, e->operands[i])).kind;

        has_array |= kind == KIND_ARRAY || kind == KIND_UNKNOWN;
        if (kind == KIND_UNKNOWN || kind == KIND_BOOL ||
            fits(&v[i + 1], &wanted[letter == '=' ? 'y' : 'x']))
            continue;
        diagnose_at(s->d, &e->operands[i]->place,
                    "'%s' in %s compares numbers and arrays of numbers, this is %s", e->text,
                    f->name, kind_texts[kind]);
        return;
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
        const struct wanted *w = &wanted[(unsigned char)f->arguments[i]];

        v[i] = value_of(s, call->operands[i]);
        if (v[i].kind != KIND_UNKNOWN && !fits(&v[i], w))
            diagnose_at(s->d, &call->operands[i]->place, "%s needs %s here, this is %s", f->name,
                        w->text, kind_texts[v[i].kind]);
    }
    if (f->arguments[0] == 'y' && v[0].kind != KIND_UNKNOWN && v[1].kind != KIND_UNKNOWN &&
        (v[0].kind == KIND_ARRAY) != (v[1].kind == KIND_ARRAY))
        diagnose_at(s->d, &call->place,
                    "%s compares two numbers or two arrays, not one with the other", call->text);
}

/* The kind of a sum or an extremum of V. */
static enum kind reduced(const struct value *v)
{
    const enum kind kind =
        v->kind == KIND_ARRAY && v->type->element ? kind_of(v->type->element) : KIND_REAL;

    return kind == KIND_BOOL || kind == KIND_CHAR ? KIND_INTEGER
           : is_in(kind, NUMBERS)                 ? kind
                                                  : KIND_REAL;
}

static struct value builtin_value(const struct scope *s, const struct function *f,
                                  const struct portolan_sidl_expr *call)
{
    const size_t n = strlen(f->arguments);
    struct value v[4] = {unknown}, result = {.kind = f->result};

    if (call->n_operands != n) {
        diagnose_at(s->d, &call->place, "%s takes %zu argument%s, not %zu", f->name, n,
                    n == 1 ? "" : "s", call->n_operands);
        return result;
    }
    if (*f->arguments == 'R')
        relation_values(s, f, call->operands[0], v);
    else
        argument_values(s, f, call, v);
    if (f->of_integers)
        result.kind = reduced(&v[0]);
    result.code =
        fill(s, f->of_integers && result.kind == KIND_INTEGER ? f->of_integers : f->code, v);
    if (f->of_integers && result.kind == KIND_REAL)
        result.code = fill(s, "(double)$", &result);
    return result;
}

static void report_unknown(const struct scope *s, const struct portolan_sidl_expr *e)
{
    const char *names[N_BUILTINS];

    for (size_t i = 0; i < N_BUILTINS; i++)
        names[i] = builtins[i].name;
    if (contract_method(s->of, e->text, -1))
        diagnose_at(s->d, &e->place, "no method %s takes %zu argument%s", e->text, e->n_operands,
                    e->n_operands == 1 ? "" : "s");
    else if (!s->of->own.is_broken)
        diagnose_at(s->d, &e->place, "unknown function %s: it is no method of %s%s", e->text,
                    s->of->name,
                    portolan_did_you_mean(portolan_nearest_word(e->text, names, N_BUILTINS)).text);
}

static struct value call_value(const struct scope *s, const struct portolan_sidl_expr *e)
{
    const struct function *f = find_builtin(s, e);
    const struct portolan_sidl_method *m = contract_method(s->of, e->text, (int)e->n_operands);

    if (f)
        return builtin_value(s, f, e);
    if (m)
        return method_value(s, e, m);
    report_unknown(s, e);
    for (size_t i = 0; i < e->n_operands; i++)
        value_of(s, e->operands[i]); /* reports */
    return unknown;
}

/* Literals, and all together */

static struct value literal_value(const struct scope *s, const struct portolan_sidl_expr *e)
{
    static const struct value literals[] = {
        [PORTOLAN_SIDL_OP_INTEGER] = {KIND_INTEGER, NULL, "INT64_C($)"},
        [PORTOLAN_SIDL_OP_REAL] = {KIND_REAL, NULL, "$"},
        [PORTOLAN_SIDL_OP_STRING] = {KIND_STRING, NULL, "$"},
        [PORTOLAN_SIDL_OP_CHARACTER] = {KIND_CHAR, NULL, "(int64_t)$"},
        [PORTOLAN_SIDL_OP_BOOLEAN] = {KIND_BOOL, NULL, "$"},
        [PORTOLAN_SIDL_OP_NULL] = {KIND_NULL, NULL, "NULL"},
    };
    struct value v = literals[e->op];
    struct value text = {.code = e->text};

    if (v.kind == KIND_STRING || v.kind == KIND_CHAR)
        text.code = contract_quoted(s->arena, v.kind == KIND_CHAR ? '\'' : '"', e->text, true);
    v.code = fill(s, v.code, &text);
    return v;
}

static struct value value_of(const struct scope *s, const struct portolan_sidl_expr *e)
{
    switch (e->op) {
    case PORTOLAN_SIDL_OP_NAME:
        return name_value(s, e);
    case PORTOLAN_SIDL_OP_RESULT:
        return result_value(s, e);
    case PORTOLAN_SIDL_OP_CALL:
        return call_value(s, e);
    case PORTOLAN_SIDL_OP_UNARY:
    case PORTOLAN_SIDL_OP_BINARY:
    case PORTOLAN_SIDL_OP_COMPLEX:
        return operator_value(s, e);
    case PORTOLAN_SIDL_OP_PURE:
        diagnose_at(s->d, &e->place,
                    "'is pure' says something about the method and is a clause of its own");
        return (struct value){.kind = KIND_BOOL};
    default:
        return literal_value(s, e);
    }
}

const char *contract_condition(const struct scope *s, const struct portolan_sidl_expr *e)
{
    const struct value v =
        contract_is_annotation(e) ? (struct value){.kind = KIND_BOOL} : value_of(s, e);

    if (v.kind != KIND_BOOL && v.kind != KIND_UNKNOWN)
        diagnose_at(s->d, &e->place, "a clause is a condition, this is %s", kind_texts[v.kind]);
    return v.code;
}
