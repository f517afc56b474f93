/* SPDX-License-Identifier: BSD-3-Clause */
/* Methods: modifiers, arguments, raw arrays, exceptions, attributes, clauses. */
#include "contract.h"

#include <string.h>

/* Raw arrays: their elements, and their extents, which use arguments or fields */

/* Checks that E consists of + - * /, integers and at most one name, which goes to *NAME. */
static bool check_extent_form(const struct portolan_sidl_expr *e,
                              const struct portolan_sidl_expr **name,
                              struct portolan_diagnostics *d)
{
    static const char operators[] = "+-*/";

    if (e->op == PORTOLAN_SIDL_OP_NAME) {
        if (*name && strcmp((*name)->text, e->text) != 0) {
            diagnose_at(d, &e->place, "an extent can depend on only one argument, not on %s and %s",
                        (*name)->text, e->text);
            return false;
        }
        *name = e;
    } else if (e->op == PORTOLAN_SIDL_OP_BINARY || e->op == PORTOLAN_SIDL_OP_UNARY) {
        if (strlen(e->text) != 1 || !strchr(operators, *e->text)) {
            diagnose_at(d, &e->place, "'%s' is not allowed in an extent; use only + - * /",
                        e->text);
            return false;
        }
        for (size_t i = 0; i < e->n_operands; i++)
            if (!check_extent_form(e->operands[i], name, d))
                return false;
    } else if (e->op != PORTOLAN_SIDL_OP_INTEGER) {
        diagnose_at(d, &e->place,
                    "'%s' is not allowed in an extent; use only integers and arguments", e->text);
        return false;
    }
    return true;
}

static bool is_integer(const struct portolan_sidl_type *type)
{
    return type->kind == PORTOLAN_SIDL_INT || type->kind == PORTOLAN_SIDL_LONG ||
           type_is_unknown(type);
}

/* The integer argument or field whose name is nearest to NAME. */
static const char *nearest_name(const struct extent_scope *scope, const char *name)
{
    const char *known[64];
    size_t n = 0;

    for (size_t i = 0; i < scope->n_arguments && n < 64; i++)
        if (is_integer(scope->arguments[i].type))
            known[n++] = scope->arguments[i].name;
    for (size_t i = 0; i < scope->n_fields && n < 64; i++)
        if (is_integer(scope->fields[i].type))
            known[n++] = scope->fields[i].name;
    return portolan_nearest_word(name, known, n);
}

static void check_extent_name(const struct extent_scope *scope,
                              const struct portolan_sidl_expr *name, const char *array,
                              bool is_alone, struct portolan_diagnostics *d)
{
    const void *found = names_find(scope->words, name->text, strlen(name->text));
    const char *nearest = found ? NULL : nearest_name(scope, name->text);

    if (!found) {
        diagnose_at(d, &name->place, "%s is an extent of %s, but not among the %ss of %s%s",
                    name->text, array, scope->arguments ? "argument" : "field", scope->of,
                    portolan_did_you_mean(nearest).text);
    } else if (scope->arguments) {
        struct portolan_sidl_argument *a = (struct portolan_sidl_argument *)found;

        if (a->mode == PORTOLAN_SIDL_IN && is_integer(a->type)) {
            a->is_extent |= is_alone;
            return;
        }
        if (!a->is_extent)
            diagnose_at(d, &a->place, "%s is an extent of %s, so it must be an in int or in long",
                        a->name, array);
        a->is_extent = true; /* so that it is reported once */
    } else if (!is_integer(((const struct portolan_sidl_field *)found)->type)) {
        diagnose_at(d, &name->place, "%s is an extent of %s, so it must be an int or long",
                    name->text, array);
    }
}

static bool can_be_element(const struct portolan_sidl_type *type)
{
    static const bool kinds[PORTOLAN_SIDL_OBJECT + 1] = {
        [PORTOLAN_SIDL_CHAR] = true, /* Babel's own files use it */
        [PORTOLAN_SIDL_DCOMPLEX] = true, [PORTOLAN_SIDL_DOUBLE] = true,
        [PORTOLAN_SIDL_FCOMPLEX] = true, [PORTOLAN_SIDL_FLOAT] = true,
        [PORTOLAN_SIDL_INT] = true,      [PORTOLAN_SIDL_LONG] = true,
    };

    return kinds[type->kind] || type_is_unknown(type);
}

void check_rarray(const struct extent_scope *scope, const struct portolan_sidl_type *type,
                  const char *name, const struct portolan_sidl_place *place,
                  struct portolan_diagnostics *d)
{
    if (!can_be_element(type->element))
        diagnose_at(d, &type->element->place, "an rarray holds only numbers; use array<%s> instead",
                    type->element->name);
    if (type->n_extents != (size_t)type->dimension)
        diagnose_at(d, place, "rarray %s has %d dimension%s but %zu extent%s", name,
                    type->dimension, type->dimension == 1 ? "" : "s", type->n_extents,
                    type->n_extents == 1 ? "" : "s");
    for (size_t i = 0; i < type->n_extents; i++) {
        const struct portolan_sidl_expr *variable = NULL;

        if (check_extent_form(type->extents[i], &variable, d) && variable)
            check_extent_name(scope, variable, name, variable == type->extents[i], d);
    }
}

/* Methods */

/* Returns whether a value of TYPE is a number. */
static bool can_be_context(const struct portolan_sidl_type *type)
{
    static const bool kinds[PORTOLAN_SIDL_OBJECT + 1] = {
        [PORTOLAN_SIDL_BOOL] = true, [PORTOLAN_SIDL_CHAR] = true,  [PORTOLAN_SIDL_DOUBLE] = true,
        [PORTOLAN_SIDL_ENUM] = true, [PORTOLAN_SIDL_FLOAT] = true, [PORTOLAN_SIDL_INT] = true,
        [PORTOLAN_SIDL_LONG] = true,
    };

    return kinds[type->kind];
}

static void check_modifiers(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    const unsigned communication =
        m->flags & (PORTOLAN_SIDL_ONEWAY | PORTOLAN_SIDL_LOCAL | PORTOLAN_SIDL_NONBLOCKING);
    const unsigned kind =
        m->flags & (PORTOLAN_SIDL_ABSTRACT | PORTOLAN_SIDL_FINAL | PORTOLAN_SIDL_STATIC);
    bool returns = m->result->kind != PORTOLAN_SIDL_VOID;

    if (communication & (communication - 1))
        diagnose_at(d, &m->place, "%s can have only one of oneway, local and nonblocking", m->name);
    if ((kind & PORTOLAN_SIDL_ABSTRACT) && (kind & (kind - 1)))
        diagnose_at(d, &m->place, "%s is abstract and cannot also be %s", m->name,
                    kind & PORTOLAN_SIDL_FINAL ? "final" : "static");
    else if (kind & (kind - 1))
        diagnose_at(d, &m->place,
                    "%s is static and cannot also be final; no class can redefine a static method",
                    m->name);
    if (m->owner->kind == PORTOLAN_SIDL_INTERFACE &&
        (kind & (PORTOLAN_SIDL_STATIC | PORTOLAN_SIDL_FINAL)))
        diagnose_at(d, &m->place, "%s is a method of an interface and cannot be %s", m->name,
                    kind & PORTOLAN_SIDL_STATIC ? "static" : "final");
    for (size_t i = 0; i < m->n_arguments; i++)
        returns |= m->arguments[i].mode != PORTOLAN_SIDL_IN;
    if ((m->flags & PORTOLAN_SIDL_ONEWAY) && (returns || m->n_throws))
        diagnose_at(d, &m->place,
                    "%s is oneway and returns nothing: make it void, without exceptions, and with "
                    "only in arguments",
                    m->name);
}

static bool has_rarray(const struct portolan_sidl_type *type)
{
    return type->kind == PORTOLAN_SIDL_STRUCT && type->symbol->own.has_rarray;
}

static void check_argument(struct check_run *c, struct portolan_sidl_method *m,
                           const struct portolan_sidl_argument *a)
{
    const struct extent_scope scope = {.of = m->name,
                                       .arguments = m->arguments,
                                       .n_arguments = m->n_arguments,
                                       .words = &c->words};

    check_variable(a->name, &a->place, "an argument", c->d);
    if (strcmp(a->name, "self") == 0)
        diagnose_at(c->d, &a->place,
                    "'self' is the name of the object itself in C; rename the argument");
    if (a->type->kind == PORTOLAN_SIDL_VOID)
        diagnose_at(c->d, &a->type->place, "argument %s cannot be void", a->name);
    if (a->type->kind == PORTOLAN_SIDL_ARRAY)
        check_element(a->type, c->d);
    if (a->type->kind == PORTOLAN_SIDL_RARRAY) {
        if (a->mode == PORTOLAN_SIDL_OUT)
            diagnose_at(c->d, &a->place,
                        "rarray %s cannot be out, because the caller owns its memory; use inout",
                        a->name);
        check_rarray(&scope, a->type, a->name, &a->place, c->d);
    }
    if (a->mode == PORTOLAN_SIDL_OUT && has_rarray(a->type))
        diagnose_at(c->d, &a->place, "%s holds an rarray and cannot be out; use inout",
                    a->type->symbol->name);
    if (a->copy && !type_is_unknown(a->type) &&
        !(a->type->kind == PORTOLAN_SIDL_OBJECT && a->type->symbol->own.is_serializable))
        diagnose_at(c->d, &a->place,
                    "copy needs a type that implements sidl.io.Serializable; %s does not",
                    a->type->name);
}

static void check_arguments(struct check_run *c, struct portolan_sidl_method *m)
{
    names_clear(&c->words);
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];
        const void **word = names_add(&c->words, a->name, strlen(a->name));

        if (*word)
            diagnose_at(c->d, &a->place, "%s has two arguments with the name %s", m->name, a->name);
        else
            *word = a;
    }
    for (size_t i = 0; i < m->n_arguments; i++)
        check_argument(c, m, &m->arguments[i]);
}

/* An object of an interface may also be an exception, so that is a note; of a class, an error. */
static void check_thrown(const struct check_run *c, const struct portolan_sidl_type *thrown)
{
    const struct portolan_sidl_symbol *s = thrown->symbol;

    if (symbol_is_object(s) && (s->is_exception || s->own.is_rootless))
        return;
    if (s->kind == PORTOLAN_SIDL_INTERFACE)
        diagnose_at(c->notes, &thrown->place,
                    "%s does not inherit sidl.BaseException, as exceptions should", s->full_name);
    else
        diagnose_at(c->d, &thrown->place,
                    "%s cannot be thrown, because it does not inherit sidl.BaseException",
                    s->full_name);
}

static void check_throws(const struct check_run *c, const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < m->n_throws; i++) {
        const struct portolan_sidl_type *thrown = m->throws[i];

        if (!thrown->symbol)
            continue;
        check_thrown(c, thrown);
        for (size_t k = 0; k < i; k++)
            if (m->throws[k]->symbol == thrown->symbol)
                diagnose_at(c->d, &thrown->place, "%s is listed twice", thrown->symbol->full_name);
    }
}

/* A method with %attrib{applies} is called before there is an object, with values of contexts. */
static void check_query(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    const struct portolan_sidl_attribute *applies =
        portolan_sidl_attribute(m->attributes, m->n_attributes, "applies");

    if (!applies)
        return;
    if (!(m->flags & PORTOLAN_SIDL_STATIC) || m->result->kind != PORTOLAN_SIDL_BOOL)
        diagnose_at(d, &applies->place,
                    "applies is only for a static method of a class that returns bool, because it "
                    "is called before an object exists");
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].mode != PORTOLAN_SIDL_IN || !can_be_context(m->arguments[i].type))
            diagnose_at(d, &m->arguments[i].place,
                        "%s is called with contexts: each argument must be in and one number",
                        m->name);
    for (size_t i = 0; i < m->owner->n_methods && m->owner->methods[i] != m; i++)
        if (portolan_sidl_attribute(m->owner->methods[i]->attributes,
                                    m->owner->methods[i]->n_attributes, "applies"))
            diagnose_at(d, &applies->place,
                        "%s already has the attribute; only one method of a class can have it",
                        m->owner->methods[i]->name);
}

/* Checks attributes; is_extent must be known for all arguments. */
static void check_meanings(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    const struct portolan_sidl_attribute *accuracy =
        portolan_sidl_attribute(m->attributes, m->n_attributes, "accuracy");
    const struct portolan_sidl_attribute *context =
        portolan_sidl_attribute(m->attributes, m->n_attributes, "context");
    const struct portolan_sidl_attribute *status =
        portolan_sidl_attribute(m->attributes, m->n_attributes, "status");

    check_query(m, d);
    check_attributes(m->attributes, m->n_attributes, d);
    if (accuracy && m->result->kind != PORTOLAN_SIDL_DOUBLE)
        diagnose_at(d, &accuracy->place,
                    "accuracy on a method refers to its result, which must be double");
    if (status && m->result->kind != PORTOLAN_SIDL_INT)
        diagnose_at(
            d, &status->place,
            "status on a method refers to its result (0, or a code of failure), which must be int");
    if (context)
        diagnose_at(d, &context->place, "context belongs before an argument, not before a method");
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];

        check_attributes(a->attributes, a->n_attributes, d);
        accuracy = portolan_sidl_attribute(a->attributes, a->n_attributes, "accuracy");
        context = portolan_sidl_attribute(a->attributes, a->n_attributes, "context");
        status = portolan_sidl_attribute(a->attributes, a->n_attributes, "status");
        if (status)
            diagnose_at(d, &status->place, "status belongs before a method, not before %s",
                        a->name);
        if (accuracy && (a->mode == PORTOLAN_SIDL_IN || a->type->kind != PORTOLAN_SIDL_DOUBLE))
            diagnose_at(d, &accuracy->place, "accuracy needs an out double argument; %s is not one",
                        a->name);
        if (context && (a->mode != PORTOLAN_SIDL_IN || !can_be_context(a->type)))
            diagnose_at(d, &context->place,
                        "context needs an in argument that is one number; %s is not one", a->name);
    }
}

/* Methods that all objects have without declaring them. */
static void check_built_in(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    static const char *const taken[] = {"addRef", "deleteRef",    "isSame",
                                        "isType", "getClassInfo", NULL};
    static const char *const owners[] = {"sidl.BaseInterface", "sidl.BaseClass", NULL};

    if (word_is_one_of(m->slot_name, taken) && !word_is_one_of(m->owner->full_name, owners))
        diagnose_at(d, &m->place, "every object already has a method %s; rename this one",
                    m->slot_name);
}

/* Clauses */

static void check_clauses(const struct scope *s, const struct portolan_sidl_clause *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        contract_condition(s, list[i].condition);
    portolan_arena_clear(s->arena); /* C is of no use here */
}

void check_invariants(struct check_run *c, const struct portolan_sidl_symbol *of)
{
    const struct scope s = {.arena = &c->model->scratch, .of = of, .d = c->d};

    check_clauses(&s, of->invariants, of->n_invariants);
}

static void check_contract(struct check_run *c, const struct portolan_sidl_method *m)
{
    struct scope s = {.arena = &c->model->scratch, .of = m->owner, .method = m, .d = c->d};

    check_clauses(&s, m->requires, m->n_requires);
    s.after = true;
    check_clauses(&s, m->ensures, m->n_ensures);
}

void check_method(struct check_run *c, struct portolan_sidl_method *m)
{
    struct portolan_diagnostics *d = c->d;

    check_identifier(m->slot_name, &m->place, "a method", d);
    check_built_in(m, d);
    if (m->result->kind == PORTOLAN_SIDL_RARRAY)
        diagnose_at(d, &m->result->place,
                    "an rarray cannot be a result, because the caller owns its memory; use array");
    else if (has_rarray(m->result))
        diagnose_at(d, &m->result->place,
                    "%s holds an rarray, whose memory the caller owns, so it cannot be a result; "
                    "use array in it",
                    m->result->symbol->full_name);
    if (m->result->kind == PORTOLAN_SIDL_ARRAY)
        check_element(m->result, d);
    check_modifiers(m, d);
    check_arguments(c, m);
    check_throws(c, m);
    check_meanings(m, d);
    check_contract(c, m);
}
