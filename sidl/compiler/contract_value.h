/* SPDX-License-Identifier: BSD-3-Clause */
/** Shared between the files that check conditions: values and their kinds. */
#ifndef CONTRACT_VALUE_H
#define CONTRACT_VALUE_H

#include "contract.h"

/* Numbers in the order in which they widen. */
enum kind {
    KIND_UNKNOWN, /* a mistake that is reported already */
    KIND_BOOL,
    KIND_INTEGER, /* char, int, long, enums */
    KIND_REAL,
    KIND_COMPLEX, /* passed on to methods only */
    KIND_STRING,
    KIND_OPAQUE,
    KIND_OBJECT,
    KIND_ARRAY, /* rarrays too: in the entry-point table they are arrays */
    KIND_STRUCT,
    KIND_NULL,
};

/* In C: 0 or 1, int64_t, double, a string or a void pointer. */
struct value {
    enum kind kind;
    const struct portolan_sidl_type *type; /* NULL for literals and results of operators */
    const char *code;
};

/* Sets of kinds. */
enum {
    BOOLS = 1 << KIND_BOOL,
    INTEGERS = 1 << KIND_INTEGER,
    NUMBERS = INTEGERS | 1 << KIND_REAL,
    STRINGS = 1 << KIND_STRING,
    REFERENCES = 1 << KIND_OPAQUE | 1 << KIND_OBJECT | 1 << KIND_ARRAY | 1 << KIND_NULL,
};

static inline bool is_in(enum kind kind, unsigned set)
{
    return set >> kind & 1;
}

/* ------------------------------------------------- contract_operator.c */

/* An operator or a built-in function. */
struct function {
    const char *name;
    const char *arguments; /* letters of wanted[], capitals: in any form; *: a relation of arrays */
    enum kind result;      /* KIND_UNKNOWN: as the wider operand, or as the elements */
    const char *code, *of_integers; /* NULL: as CODE */
};

/* The kinds that an argument may have, or that the elements of an array may have. */
struct wanted {
    const char *text;
    unsigned kinds, elements;
};

/* The operator of E. */
const struct function *operator_find(const struct portolan_sidl_expr *e);
/* The operator F in C, between operands of those kinds. */
const char *operator_code(struct portolan_arena *arena, const struct function *f, enum kind a,
                          enum kind b);
/* The built-in function of that name, whose case does not matter; NULL: none. */
const struct function *builtin_find(const char *name);
/* The name of the built-in function that is nearest to NAME; NULL: none is. */
const char *builtin_nearest(const char *name);
/* What LETTER of a function's arguments means. */
const struct wanted *wanted_of(char letter);
/* Whether values of the two kinds can be compared. */
bool are_of_one_kind(enum kind a, enum kind b);

#endif
