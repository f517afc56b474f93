/* SPDX-License-Identifier: BSD-3-Clause */
#include "emit_clause.h"

#include <string.h>

void clause_put_string(struct portolan_text *t, const char *text)
{
    portolan_text_add(t, "\"");
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~' || *text == '?')
            portolan_text_add(t, "\\%03o", (unsigned)(unsigned char)*text);
        else
            portolan_text_add(t, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    portolan_text_add(t, "\"");
}

int clause_complexity(const struct contract_scope *s, const struct portolan_sidl_expr *e)
{
    const struct contract_builtin *builtin =
        e->op == PORTOLAN_SIDL_OP_CALL ? contract_builtin_called(s, e) : NULL;
    int most = builtin ? builtin->complexity : 0;

    for (size_t i = 0; i < e->n_operands; i++) {
        const int complexity = clause_complexity(s, e->operands[i]);

        if (complexity > most)
            most = complexity;
    }
    return most;
}

/* As in Babel, a built-in function is a call too. */
bool clause_calls(const struct portolan_sidl_expr *e)
{
    for (size_t i = 0; i < e->n_operands; i++)
        if (clause_calls(e->operands[i]))
            return true;
    return e->op == PORTOLAN_SIDL_OP_CALL;
}

bool clause_sees_results(const struct contract_scope *s, const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_argument *a =
        e->op == PORTOLAN_SIDL_OP_NAME ? contract_argument(s, e->text) : NULL;

    for (size_t i = 0; i < e->n_operands; i++)
        if (clause_sees_results(s, e->operands[i]))
            return true;
    return e->op == PORTOLAN_SIDL_OP_RESULT || (a && a->mode != PORTOLAN_SIDL_IN);
}

static enum contract_kind kind_of(const struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    return contract_type(&w->scope, e).kind;
}

static bool is_integer(enum contract_kind kind)
{
    return kind == CONTRACT_INTEGER || kind == CONTRACT_CHAR;
}

/* What lies at a place of that type, as a value of its kind: OPENING place CLOSING. */
static const char *opening(const struct portolan_sidl_type *type)
{
    switch (contract_value_of(type).kind) {
    case CONTRACT_CHAR:
    case CONTRACT_INTEGER:
        return "(int64_t)";
    case CONTRACT_REAL:
        return "(double)";
    case CONTRACT_COMPLEX:
        return type->kind == PORTOLAN_SIDL_FCOMPLEX ? "sidl_fcomplex_value("
                                                    : "sidl_dcomplex_value(";
    case CONTRACT_BOOL:
        return "(";
    case CONTRACT_OPAQUE:
    case CONTRACT_OBJECT:
    case CONTRACT_ARRAY:
        return "(void *)";
    default:
        return "";
    }
}

static const char *closing(const struct portolan_sidl_type *type)
{
    switch (contract_value_of(type).kind) {
    case CONTRACT_COMPLEX:
        return ")";
    case CONTRACT_BOOL:
        return " != 0)";
    default:
        return "";
    }
}

static void put_name(struct clause_writer *w, const char *name)
{
    const struct portolan_sidl_argument *a = contract_argument(&w->scope, name);
    const struct portolan_sidl_field *field = contract_field(&w->scope, name);
    const bool is_pointer = a->mode != PORTOLAN_SIDL_IN && a->type->kind != PORTOLAN_SIDL_RARRAY;
    const size_t length = portolan_sidl_epv_value(w->scope.method, a, NULL, 0) + 1;
    char *value = portolan_arena_alloc(w->e->arena, length, 1);

    portolan_sidl_epv_value(w->scope.method, a, value, length);
    if (field)
        portolan_text_add(w->t, "%s%s->%s%s", opening(field->type), a->name, field->name,
                          closing(field->type));
    else if (a->type->kind == PORTOLAN_SIDL_STRUCT)
        portolan_text_add(w->t, "%s", a->name);
    else if (is_pointer)
        portolan_text_add(w->t, "%s*%s%s", opening(a->type), a->name, closing(a->type));
    else
        portolan_text_add(w->t, "%s%s%s", opening(a->type), value, closing(a->type));
}

static void put_result(struct clause_writer *w)
{
    const struct portolan_sidl_type *type = w->scope.method->result;

    portolan_text_add(w->t, "%s%s_retval%s", opening(type),
                      type->kind == PORTOLAN_SIDL_STRUCT ? "&" : "", closing(type));
}

static void put_operand(struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    const enum contract_kind kind = kind_of(w, e);

    portolan_text_add(w->t, "sidl_operand_%s(",
                      kind == CONTRACT_ARRAY     ? "array"
                      : kind == CONTRACT_REAL    ? "real"
                      : kind == CONTRACT_COMPLEX ? "complex"
                                                 : "integer");
    clause_put(w, e);
    portolan_text_add(w->t, ")");
}

static void put_relation(struct clause_writer *w, const char *function,
                         const struct portolan_sidl_expr *e)
{
    static const char *const relations[][2] = {{"==", "EQ"}, {"!=", "NE"}, {"<", "LT"},
                                               {"<=", "LE"}, {">", "GT"},  {">=", "GE"}};

    portolan_text_add(w->t, "sidl_contract_%s(SIDL_", function);
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        if (strcmp(relations[i][0], e->text) == 0)
            portolan_text_add(w->t, "%s, ", relations[i][1]);
    put_operand(w, e->operands[0]);
    portolan_text_add(w->t, ", ");
    put_operand(w, e->operands[1]);
    portolan_text_add(w->t, ")");
}

/* dimen, lower, upper, stride and size are questions to the array. */
static bool put_question(struct clause_writer *w, const char *name,
                         const struct portolan_sidl_expr *e)
{
    static const char *const questions[] = {"dimen", "lower", "upper", "stride", "size"};
    bool found = false;

    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        found |= strcmp(questions[i], name) == 0;
    if (!found)
        return false;
    portolan_text_add(w->t, "(int64_t)sidl__array_%s(",
                      strcmp(name, "size") == 0 ? "length" : name);
    clause_put(w, e->operands[0]);
    if (strcmp(name, "size") == 0) {
        portolan_text_add(w->t, ", 0");
    } else if (e->n_operands > 1) {
        portolan_text_add(w->t, ", (int32_t)");
        clause_put(w, e->operands[1]);
    }
    portolan_text_add(w->t, ")");
    return true;
}

static void put_builtin(struct clause_writer *w, const struct contract_builtin *b,
                        const struct portolan_sidl_expr *e)
{
    const char *name = strcmp(b->name, "nearEqual") == 0 ? "near_equal"
                       : strcmp(b->name, "nonDecr") == 0 ? "non_decr"
                       : strcmp(b->name, "nonIncr") == 0 ? "non_incr"
                                                         : b->name;
    const enum contract_kind kind = kind_of(w, e);

    if (*b->arguments == 'R') {
        put_relation(w, name, e->operands[0]);
        return;
    }
    if (put_question(w, name, e))
        return;
    portolan_text_add(w->t, "sidl_contract_%s%s(", name,
                      b->result != CONTRACT_UNKNOWN ? ""
                      : kind == CONTRACT_INTEGER    ? "_integer"
                      : kind == CONTRACT_COMPLEX    ? "_complex"
                                                    : "_real");
    for (size_t i = 0; i < e->n_operands; i++) {
        portolan_text_add(w->t, i ? ", " : "");
        if (strchr("di", b->arguments[i]))
            clause_put(w, e->operands[i]);
        else
            put_operand(w, e->operands[i]);
    }
    portolan_text_add(w->t, ")");
}

/* E as an argument of that type. */
static void put_argument(struct clause_writer *w, const struct portolan_sidl_type *type,
                         const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_type *given = contract_type(&w->scope, e).type;

    if (type->kind == PORTOLAN_SIDL_OBJECT && given && given->symbol != type->symbol) {
        portolan_text_add(w->t, "(%s)sidl_check_cast(_check, ", type->symbol->c_name);
        clause_put(w, e);
        portolan_text_add(w->t, ", \"%s\")", type->symbol->full_name);
        return;
    }
    if (type->kind == PORTOLAN_SIDL_FCOMPLEX || type->kind == PORTOLAN_SIDL_DCOMPLEX)
        portolan_text_add(w->t, "sidl_%s_of(", type->name);
    else if (type->kind != PORTOLAN_SIDL_STRUCT && type->kind != PORTOLAN_SIDL_STRING)
        portolan_text_add(w->t, "(%s)(", c_value(w->e->arena, type));
    else
        portolan_text_add(w->t, "(");
    clause_put(w, e);
    portolan_text_add(w->t, ")");
}

static bool is_slot(const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m,
                    size_t *at)
{
    for (*at = 0; *at < s->n_slots; ++*at)
        if (strcmp(s->slots[*at]->slot_name, m->slot_name) == 0)
            return true;
    return false;
}

/* The place of a static method in its class's table. */
static size_t static_slot(const struct portolan_sidl_method *m)
{
    size_t at = 0;

    for (size_t i = 0; m->owner->methods[i] != m; i++)
        at += (m->owner->methods[i]->flags & PORTOLAN_SIDL_STATIC) != 0;
    return at;
}

/* What the result needs before it is a value: strings, objects and arrays are given back later. */
static const char *keeping(const struct portolan_sidl_type *type)
{
    switch (type->kind) {
    case PORTOLAN_SIDL_STRING:
        return "sidl_check_keep_string(_check, ";
    case PORTOLAN_SIDL_OBJECT:
        return "sidl_check_keep_object(_check, ";
    case PORTOLAN_SIDL_ARRAY:
        return "sidl_check_keep_array(_check, ";
    default:
        return "";
    }
}

static void put_method(struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_method *m = contract_method(&w->scope, e);
    const bool is_static = m->flags & PORTOLAN_SIDL_STATIC;
    bool is_first = is_static;
    size_t at = 0;

    portolan_text_add(w->t, "%s%s((%s)", opening(m->result), keeping(m->result),
                      c_function(w->e->arena, m, C_SLOT, "(*)", is_static ? NULL : "void *self"));
    if (is_static)
        portolan_text_add(w->t, "sidl_check_static(_check, &%s__type, %zu))(", m->owner->c_name,
                          static_slot(m));
    else if (is_slot(w->scope.of, m, &at))
        portolan_text_add(w->t, "sidl_check_method(_check, %zu))(self", at);
    for (size_t i = 0; i < e->n_operands; i++) {
        if (m->arguments[i].is_extent)
            continue;
        portolan_text_add(w->t, is_first ? "" : ", ");
        is_first = false;
        put_argument(w, m->arguments[i].type, e->operands[i]);
    }
    portolan_text_add(w->t, "%ssidl_check_ex(_check))%s%s", is_first ? "" : ", ",
                      *keeping(m->result) ? ")" : "", closing(m->result));
}

static void put_call(struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    const struct contract_builtin *builtin = contract_builtin_called(&w->scope, e);

    if (builtin)
        put_builtin(w, builtin, e);
    else
        put_method(w, e);
}

static void put_unary(struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    const bool negates = strcmp(e->text, "-") == 0 && is_integer(kind_of(w, e));

    if (negates)
        portolan_text_add(w->t, "sidl_int_sub(0, ");
    else
        portolan_text_add(w->t, "(%s",
                          strcmp(e->text, "not") == 0                              ? "!"
                          : strcmp(e->text, "-") == 0 || strcmp(e->text, "~") == 0 ? e->text
                                                                                   : "");
    clause_put(w, e->operands[0]);
    portolan_text_add(w->t, ")");
}

/* BEFORE a BETWEEN b BEHIND. */
static void put_between(struct clause_writer *w, const struct portolan_sidl_expr *e,
                        const char *before, const char *between, const char *behind)
{
    portolan_text_add(w->t, "%s", before);
    clause_put(w, e->operands[0]);
    portolan_text_add(w->t, "%s", between);
    clause_put(w, e->operands[1]);
    portolan_text_add(w->t, "%s", behind);
}

static void put_operator(struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    put_between(w, e, "(", portolan_arena_printf(w->e->arena, " %s ", e->text), ")");
}

static void put_logic(struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    const char *op = e->text;

    if (strcmp(op, "implies") == 0)
        put_between(w, e, "(!", " || ", ")");
    else
        put_between(w, e, "(",
                    strcmp(op, "and") == 0   ? " && "
                    : strcmp(op, "or") == 0  ? " || "
                    : strcmp(op, "iff") == 0 ? " == "
                                             : " != ",
                    ")");
}

static void put_comparison(struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    const enum contract_kind a = kind_of(w, e->operands[0]), b = kind_of(w, e->operands[1]);
    const bool differs = strcmp(e->text, "!=") == 0;

    if (a == CONTRACT_STRING)
        put_between(w, e, "(sidl_string_compare(", ", ",
                    portolan_arena_printf(w->e->arena, ") %s 0)", e->text));
    else if (a == CONTRACT_OBJECT && b == CONTRACT_OBJECT)
        put_between(w, e, differs ? "(!sidl_reference_is_same(" : "(sidl_reference_is_same(", ", ",
                    ", NULL))");
    else if (a == CONTRACT_NULL && b == CONTRACT_NULL)
        portolan_text_add(w->t, differs ? "0" : "1");
    else
        put_operator(w, e);
}

static void put_remainder(struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    const bool is_mod = strcmp(e->text, "mod") == 0;

    if (is_integer(kind_of(w, e)))
        put_between(w, e, is_mod ? "sidl_int_mod(_check, " : "sidl_int_rem(_check, ", ", ", ")");
    else
        put_between(w, e, is_mod ? "sidl_real_mod(" : "sidl_real_rem(", ", ", ")");
}

static void put_arithmetic(struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    if (!is_integer(kind_of(w, e)))
        put_operator(w, e);
    else if (*e->text == '/')
        put_between(w, e, "sidl_int_div(_check, ", ", ", ")");
    else
        put_between(w, e,
                    *e->text == '+'   ? "sidl_int_add("
                    : *e->text == '-' ? "sidl_int_sub("
                                      : "sidl_int_mul(",
                    ", ", ")");
}

static void put_binary(struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    switch (contract_rule(e->text)) {
    case RULE_LOGIC:
        put_logic(w, e);
        break;
    case RULE_EQUALITY:
    case RULE_ORDER:
        put_comparison(w, e);
        break;
    case RULE_BITS:
        put_operator(w, e);
        break;
    case RULE_SHIFT:
        put_between(w, e, *e->text == '<' ? "sidl_int_shl(" : "sidl_int_shr(", ", ", ")");
        break;
    case RULE_REMAINDER:
        put_remainder(w, e);
        break;
    case RULE_POWER:
        put_between(w, e, "sidl_real_pow((double)", ", (double)", ")");
        break;
    case RULE_ARITHMETIC:
        put_arithmetic(w, e);
        break;
    }
}

/* A literal with C's escapes already; two question marks could be a trigraph. */
static void put_quoted(struct clause_writer *w, char quote, const char *text)
{
    portolan_text_add(w->t, "%c", quote);
    for (const char *c = text; *c; c++)
        portolan_text_add(w->t, *c == '?' && c > text && c[-1] == '?' ? "\\%c" : "%c", *c);
    portolan_text_add(w->t, "%c", quote);
}

void clause_put(struct clause_writer *w, const struct portolan_sidl_expr *e)
{
    switch (e->op) {
    case PORTOLAN_SIDL_OP_NAME:
        put_name(w, e->text);
        break;
    case PORTOLAN_SIDL_OP_INTEGER:
        portolan_text_add(w->t, "INT64_C(%lld)", (long long)e->integer);
        break;
    case PORTOLAN_SIDL_OP_COMPLEX:
        put_between(w, e, "sidl_complex((double)", ", (double)", ")");
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
    case PORTOLAN_SIDL_OP_PURE:
        portolan_text_add(w->t, "1");
        break;
    case PORTOLAN_SIDL_OP_CALL:
        put_call(w, e);
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
