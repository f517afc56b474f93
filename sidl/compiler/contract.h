/* SPDX-License-Identifier: BSD-3-Clause */
/** Conditions of contracts: checked, and written in C. The checker and the emitter use this. */
#ifndef CONTRACT_H
#define CONTRACT_H

#include "model.h"

/* The place of a condition. */
struct scope {
    struct portolan_arena *arena;
    const struct portolan_sidl_symbol *of;
    const struct portolan_sidl_method *method; /* NULL: an invariant */
    bool after;                                /* an ensure clause */
    struct portolan_diagnostics *d;            /* NULL: nothing is reported */
};

/*
 * E in C, as wrappers have it (runtime/sidl_contract.h). NULL for `is pure`, which is a statement
 * about the method and not evaluated. Reports mistakes in E; then the result is of no use.
 */
const char *contract_condition(const struct scope *s, const struct portolan_sidl_expr *e);
/* True for `is pure`. */
bool contract_is_annotation(const struct portolan_sidl_expr *e);

/*
 * TEXT between two QUOTEs, in C. If it IS_ESCAPED, it already has C's escapes, but may have what C
 * takes for a trigraph.
 */
const char *contract_quoted(struct portolan_arena *a, char quote, const char *text,
                            bool is_escaped);

#endif
