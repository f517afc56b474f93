/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Expressions of contracts: the meaning of names and calls in them, and the kinds of their values.
 * The checker and the emitter use this.
 */
#ifndef CONTRACT_H
#define CONTRACT_H

#include "model.h"

/* Numbers in the order in which they widen. */
enum contract_kind {
    CONTRACT_UNKNOWN, /* a mistake that is reported already */
    CONTRACT_BOOL,
    CONTRACT_CHAR,
    CONTRACT_INTEGER, /* int, long, enums */
    CONTRACT_REAL,
    CONTRACT_COMPLEX,
    CONTRACT_STRING,
    CONTRACT_OPAQUE,
    CONTRACT_OBJECT,
    CONTRACT_ARRAY, /* rarrays too: in the entry-point table they are arrays */
    CONTRACT_STRUCT,
    CONTRACT_NULL,
    CONTRACT_VOID,
};

struct contract_value {
    enum contract_kind kind;
    const struct portolan_sidl_type *type; /* NULL for literals and results of operators */
};

struct contract_scope {
    const struct portolan_sidl_symbol *of;
    const struct portolan_sidl_method *method; /* NULL: an invariant */
    bool after;                                /* an ensure clause */
    struct portolan_diagnostics *d;            /* NULL: nothing is reported */
};

/* What an operator requires of its two operands. */
enum contract_rule {
    RULE_LOGIC,
    RULE_BITS,
    RULE_EQUALITY,
    RULE_ORDER,
    RULE_SHIFT,
    RULE_ARITHMETIC,
    RULE_REMAINDER,
    RULE_POWER,
};

/* An operator of two operands; in C, '$' stands for an operand. */
struct contract_operator {
    const char *text;
    enum contract_rule rule;
    const char *of_integers; /* NULL: as others */
    const char *of_others;
};
const struct contract_operator *contract_operator(const char *text);

/* The kind of E's value; reports mistakes in E. */
struct contract_value contract_type(const struct contract_scope *s,
                                    const struct portolan_sidl_expr *e);
struct contract_value contract_value_of(const struct portolan_sidl_type *type);
const char *contract_kind_text(enum contract_kind kind);
/* A number (from char on) that is no wider than WIDEST. */
bool contract_is_number(enum contract_kind kind, enum contract_kind widest);

/* The argument, or struct field of an argument ("a.x"), of that name. NULL if there is none. */
const struct portolan_sidl_argument *contract_argument(const struct contract_scope *s,
                                                       const char *name);
const struct portolan_sidl_field *contract_field(const struct contract_scope *s, const char *name);

/* The method that a call in a clause means, NULL when there is none of that name and arity. */
const struct portolan_sidl_method *contract_method(const struct contract_scope *s,
                                                   const struct portolan_sidl_expr *call);
/* True for `is pure`, which is a statement about the method and not evaluated. */
bool contract_is_annotation(const struct portolan_sidl_expr *e);

/* A function that every clause can call. */
struct contract_builtin {
    const char *name;
    /*
     * One letter per argument. R: a relation with an array; a: any array; n: an array of numbers;
     * r: an array of real numbers; x: a real number or an array of them; j: an integer or an array
     * of them; y: a number or an array of them; d: a real number; i: an integer; k: an integer that
     * is a dimension of the array.
     */
    const char *arguments;
    enum contract_kind result;  /* CONTRACT_UNKNOWN: as the elements */
    const char *before, *after; /* in C, around the arguments */
};
/* NULL when CALL means a method: name or number of arguments differ from all built-in functions. */
const struct contract_builtin *contract_builtin(const struct contract_scope *s,
                                                const struct portolan_sidl_expr *call);

#endif
