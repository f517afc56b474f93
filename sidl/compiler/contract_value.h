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

/* contract.c */
extern const char *const kind_texts[]; /* "an array" */
enum kind kind_of(const struct portolan_sidl_type *type);
/* Checks E and writes it in C. */
struct value value_of(const struct scope *s, const struct portolan_sidl_expr *e);

/* contract_operator.c */
struct function;
struct value operator_value(const struct scope *s, const struct portolan_sidl_expr *e);
/* The built-in function of that name, whose case does not matter; NULL: none. */
const struct function *builtin_find(const char *name);
/* The name of the built-in function that is nearest to NAME; NULL: none is. */
const char *builtin_nearest(const char *name);
size_t builtin_n_arguments(const struct function *f);
struct value builtin_value(const struct scope *s, const struct function *f,
                           const struct portolan_sidl_expr *call);

#endif
