/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conditions of contracts: what names and calls mean, which kinds of values fit together, and the
 * condition in C. One function for each construct checks it and writes it.
 */
#include "contract_value.h"
#include "emit.h"

#include <ctype.h>
#include <string.h>

static const struct value unknown = {.code = ""};

/* Checks E and writes it in C. */
static struct value value_of(const struct scope *s, const struct portolan_sidl_expr *e);

static const char *const kind_texts[] = {
    [KIND_UNKNOWN] = "unknown",    [KIND_BOOL] = "bool",        [KIND_INTEGER] = "an integer",
    [KIND_REAL] = "a real number", [KIND_COMPLEX] = "complex",  [KIND_STRING] = "a string",
    [KIND_OPAQUE] = "opaque",      [KIND_OBJECT] = "an object", [KIND_ARRAY] = "an array",
    [KIND_STRUCT] = "a struct",    [KIND_NULL] = "null",
};

/* The types of values in C; "%s" is replaced by the value. RETURNED: how a value that a method
 * returned is stored. */
static const struct {
    enum kind kind;
    const char *code, *returned;
} types[] = {
    [PORTOLAN_SIDL_BOOL] = {KIND_BOOL, "(%s != 0)", NULL},
    [PORTOLAN_SIDL_CHAR] = {KIND_INTEGER, "(int64_t)%s", NULL},
    [PORTOLAN_SIDL_DCOMPLEX] = {KIND_COMPLEX, "%s", NULL},
    [PORTOLAN_SIDL_DOUBLE] = {KIND_REAL, "(double)%s", NULL},
    [PORTOLAN_SIDL_FCOMPLEX] = {KIND_COMPLEX, "%s", NULL},
    [PORTOLAN_SIDL_FLOAT] = {KIND_REAL, "(double)%s", NULL},
    [PORTOLAN_SIDL_INT] = {KIND_INTEGER, "(int64_t)%s", NULL},
    [PORTOLAN_SIDL_LONG] = {KIND_INTEGER, "(int64_t)%s", NULL},
    [PORTOLAN_SIDL_OPAQUE] = {KIND_OPAQUE, "(void *)%s", NULL},
    [PORTOLAN_SIDL_STRING] = {KIND_STRING, "%s", "SIDL_KEEP(STRING, %s)"},
    [PORTOLAN_SIDL_ARRAY] = {KIND_ARRAY, "(void *)%s", "SIDL_KEEP(ARRAY, %s)"},
    [PORTOLAN_SIDL_RARRAY] = {KIND_ARRAY, "(void *)%s", NULL},
    [PORTOLAN_SIDL_ENUM] = {KIND_INTEGER, "(int64_t)%s", NULL},
    [PORTOLAN_SIDL_STRUCT] = {KIND_STRUCT, "%s", NULL},
    [PORTOLAN_SIDL_OBJECT] = {KIND_OBJECT, "(void *)%s", "SIDL_KEEP(OBJECT, %s)"},
};

static enum kind kind_of(const struct portolan_sidl_type *type)
{
    return type_is_unknown(type) ? KIND_UNKNOWN : types[type->kind].kind;
}

/* The value of PLACE, an expression in C of that type. */
static struct value value_at(const struct scope *s, const struct portolan_sidl_type *type,
                             const char *place)
{
    return (struct value){kind_of(type), type,
                          portolan_arena_printf(s->arena, types[type->kind].code, place)};
}

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
        diagnose_at(s->d, &e->place, "%s is not a struct and has no field %s", a->name, name);
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
        diagnose_at(s->d, &e->place,
                    "%s is not allowed in an invariant, which can only call methods", e->text);
    else if (!a)
        diagnose_at(s->d, &e->place, "%s is not an argument of %s", e->text, s->method->name);
    else if (!s->after && a->mode == PORTOLAN_SIDL_OUT)
        diagnose_at(s->d, &e->place,
                    "%s is an out argument and has no value before the call; use it in ensure",
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

    if (type && s->after && type->kind == PORTOLAN_SIDL_VOID) {
        diagnose_at(s->d, &e->place, "%s returns nothing, so it has no result", s->method->name);
        return unknown;
    }
    if (type && s->after)
        return value_at(s, type, type->kind == PORTOLAN_SIDL_STRUCT ? "&_retval" : "_retval");
    diagnose_at(s->d, &e->place, "result has a value only in ensure clauses");
    return unknown;
}

/* Methods */

/* Returns whether a call of NAME with N arguments (-1: any number) may mean M. */
static bool is_called(const struct portolan_sidl_method *m, const char *name, int n)
{
    return (strcmp(m->slot_name, name) == 0 || strcmp(m->name, name) == 0) &&
           (n < 0 || m->n_arguments == (size_t)n);
}

/*
 * The method that a call with N arguments (-1: any number) means; NULL: OF has none. A full name is
 * preferred to a short one, and a method of the object to a static one.
 */
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

bool contract_is_annotation(const struct portolan_sidl_expr *e)
{
    while (e->op == PORTOLAN_SIDL_OP_UNARY && strcmp(e->text, "is") == 0)
        e = e->operands[0];
    return e->op == PORTOLAN_SIDL_OP_PURE;
}

/* Returns whether the method of that name is declared pure in OF, or where it comes from. */
static bool is_pure_in(const struct portolan_sidl_symbol *of, const char *name, size_t walk)
{
    const struct portolan_sidl_method *m = symbol_method(of, name);
    bool is_pure = false;

    ((struct portolan_sidl_symbol *)of)->own.visit = walk;
    for (size_t i = 0; m && i < m->n_ensures; i++)
        is_pure |= contract_is_annotation(m->ensures[i].condition);
    for (size_t i = 0; !is_pure && i < symbol_n_parents(of); i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(of, i)->symbol;

        is_pure = parent && parent->own.visit != walk && is_pure_in(parent, name, walk);
    }
    return is_pure;
}

/* Why a clause may not call M; NULL when it may. */
static const char *why_not_called(const struct scope *s, const struct portolan_sidl_method *m)
{
    if (m == s->method || (s->method && strcmp(m->slot_name, s->method->slot_name) == 0))
        return "cannot be called by its own contract; use 'result' for its result";
    if (s->method && method_is_static(s->method) && !method_is_static(m))
        return "needs an object, but this method is static";
    if (m->result->kind == PORTOLAN_SIDL_VOID || m->result->kind == PORTOLAN_SIDL_STRUCT)
        return "has no result that a clause could use";
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].mode != PORTOLAN_SIDL_IN)
            return "changes an argument; clauses can call only methods with in arguments";
    if (!is_pure_in(s->of, m->slot_name, walk_begin()))
        return "may have side effects; a clause can call it only if it has: ensure is pure;";
    return NULL;
}

/* Returns whether V can be passed as an argument of type TO. */
static bool can_be_passed(const struct value *v, const struct portolan_sidl_type *to)
{
    const enum kind wanted = kind_of(to);

    if (v->kind == KIND_UNKNOWN)
        return true;
    if (is_in(wanted, NUMBERS))
        return is_in(v->kind, NUMBERS);
    if (v->kind != wanted)
        return false;
    if (wanted == KIND_ARRAY)
        return !to->element || !v->type->element || type_equal(v->type->element, to->element);
    if (wanted == KIND_OBJECT)
        return v->type->symbol &&
               (!to->symbol || symbol_inherits(v->type->symbol, to->symbol->full_name));
    return (wanted != KIND_COMPLEX || v->type->kind == to->kind) &&
           (wanted != KIND_STRUCT || v->type->symbol == to->symbol);
}

static struct value method_value(const struct scope *s, const struct portolan_sidl_expr *e,
                                 const struct portolan_sidl_method *m)
{
    const bool is_static = method_is_static(m);
    const char *why = why_not_called(s, m);
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
            diagnose_at(s->d, &e->operands[i]->place, "argument %s of %s is %s, but this is %s",
                        a->name, m->slot_name, a->type->name, kind_texts[v.kind]);
        if (v.kind == KIND_OBJECT && a->type->symbol && v.type->symbol != a->type->symbol)
            portolan_text_add(&call, "SIDL_CAST(%s, \"%s\"), ", v.code, a->type->symbol->full_name);
        else if (!a->is_extent)
            portolan_text_add(&call, "%s, ", v.code);
    }
    if (why)
        return unknown;
    portolan_text_add(&call, "SIDL_THROWN)");
    result = value_at(s, m->result, call.bytes);
    if (types[m->result->kind].returned)
        result.code = portolan_arena_printf(s->arena, types[m->result->kind].returned, result.code);
    return result;
}

/* Operators and built-in functions */

/* The elements of a generic array are known only at run time. */
static bool fits(const struct value *v, const struct wanted *w)
{
    if (v->kind == KIND_UNKNOWN || is_in(v->kind, w->kinds))
        return true;
    return v->kind == KIND_ARRAY && w->elements &&
           (!v->type->element || is_in(kind_of(v->type->element), w->elements));
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

static struct value operator_value(const struct scope *s, const struct portolan_sidl_expr *e)
{
    const struct function *f = operator_find(e);
    const struct wanted *w = wanted_of(*f->arguments);
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
    result.code = portolan_arena_printf(s->arena, operator_code(s->arena, f, v.kind, other.kind),
                                        v.code, other.code);
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
    const char letter = e->op == PORTOLAN_SIDL_OP_BINARY ? *operator_find(e)->arguments : '\0';
    bool has_array = false;

    v[0].code = portolan_arena_printf(s->arena, "\"%s\"", e->text);
    for (size_t i = 0; (letter == '=' || letter == '<') && i < 2; i++) {
        v[i + 1] = value_of(s, e->operands[i]);
        if (!fits(&v[i + 1], wanted_of('x'))) {
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
        const struct wanted *w = wanted_of(f->arguments[i]);

        v[i] = value_of(s, call->operands[i]);
        if (!fits(&v[i], w))
            diagnose_at(s->d, &call->operands[i]->place, "%s needs %s here, but this is %s",
                        f->name, w->text, kind_texts[v[i].kind]);
        if (isupper((unsigned char)f->arguments[i]))
            v[i].code = operand(s, &v[i]);
    }
}

static struct value builtin_value(const struct scope *s, const struct function *f,
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

/* Calls */

static void report_unknown(const struct scope *s, const struct portolan_sidl_expr *e)
{
    if (find_method(s->of, e->text, -1))
        diagnose_at(s->d, &e->place, "no method %s takes %zu argument%s", e->text, e->n_operands,
                    e->n_operands == 1 ? "" : "s");
    else if (!s->of->own.is_broken)
        diagnose_at(s->d, &e->place, "unknown function %s: %s has no such method%s", e->text,
                    s->of->name, portolan_did_you_mean(builtin_nearest(e->text)).text);
}

/*
 * A method is meant when the number of arguments is not that of the function of its name. As in
 * Babel, the names of functions ignore case.
 */
static struct value call_value(const struct scope *s, const struct portolan_sidl_expr *e)
{
    const struct function *f = builtin_find(e->text);
    const struct portolan_sidl_method *m = find_method(s->of, e->text, (int)e->n_operands);

    if (f && (!m || strlen(f->arguments) == e->n_operands))
        return builtin_value(s, f, e);
    if (m)
        return method_value(s, e, m);
    report_unknown(s, e);
    return unknown;
}

/* Literals, and all together */

static struct value literal_value(const struct scope *s, const struct portolan_sidl_expr *e)
{
    static const struct value literals[] = {
        [PORTOLAN_SIDL_OP_INTEGER] = {KIND_INTEGER, NULL, "INT64_C(%s)"},
        [PORTOLAN_SIDL_OP_REAL] = {KIND_REAL, NULL, "%s"},
        [PORTOLAN_SIDL_OP_STRING] = {KIND_STRING, NULL, "%s"},
        [PORTOLAN_SIDL_OP_CHARACTER] = {KIND_INTEGER, NULL, "(int64_t)%s"},
        [PORTOLAN_SIDL_OP_BOOLEAN] = {KIND_BOOL, NULL, "%s"},
        [PORTOLAN_SIDL_OP_NULL] = {KIND_NULL, NULL, "NULL"},
    };
    const char *text =
        e->op == PORTOLAN_SIDL_OP_CHARACTER ? contract_quoted(s->arena, '\'', e->text, true)
        : e->op == PORTOLAN_SIDL_OP_STRING  ? contract_quoted(s->arena, '"', e->text, true)
                                            : e->text;
    struct value v = literals[e->op];

    v.code = portolan_arena_printf(s->arena, v.code, text);
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
        return operator_value(s, e);
    case PORTOLAN_SIDL_OP_COMPLEX:
    case PORTOLAN_SIDL_OP_PURE:
        diagnose_at(s->d, &e->place,
                    e->op == PORTOLAN_SIDL_OP_COMPLEX
                        ? "clauses cannot compute with complex numbers"
                        : "'is pure' must be a clause of its own, not part of an expression");
        return unknown;
    default:
        return literal_value(s, e);
    }
}

const char *contract_condition(const struct scope *s, const struct portolan_sidl_expr *e)
{
    const struct value v =
        contract_is_annotation(e) ? (struct value){.kind = KIND_BOOL} : value_of(s, e);

    if (v.kind != KIND_BOOL && v.kind != KIND_UNKNOWN)
        diagnose_at(s->d, &e->place, "a clause must be a condition, but this is %s",
                    kind_texts[v.kind]);
    return v.code;
}

const char *contract_quoted(struct portolan_arena *a, char quote, const char *text, bool is_escaped)
{
    struct portolan_text t = {.arena = a};

    portolan_text_add(&t, "%c", quote);
    for (const char *c = text; *c; c++) {
        const char before = c > text ? c[-1] : quote;
        const bool may_break = *c == ' ' && before == ',' && is_escaped; /* see emit_wrapped */

        if (may_break || ((*c < ' ' || *c > '~' || *c == '?') && !(is_escaped && before == '\\')))
            portolan_text_add(&t, "\\%03o", (unsigned)(unsigned char)*c);
        else
            portolan_text_add(&t, !is_escaped && (*c == quote || *c == '\\') ? "\\%c" : "%c", *c);
    }
    portolan_text_add(&t, "%c", quote);
    return t.bytes;
}
