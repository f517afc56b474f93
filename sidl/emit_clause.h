/* SPDX-License-Identifier: BSD-3-Clause */
/** Conditions of contracts in C, as they stand in a wrapper; see runtime/sidl_contract.h. */
#ifndef SIDL_EMIT_CLAUSE_H
#define SIDL_EMIT_CLAUSE_H

#include "contract.h"
#include "emit.h"

struct clause_writer {
    struct emitter *e;
    struct portolan_text *t;
    struct contract_scope scope;
};

/* The value of E: 0 or 1, int64_t, double, double _Complex, a string or a void pointer. */
void clause_put(struct clause_writer *w, const struct portolan_sidl_expr *e);

/* TEXT as a string literal of C. */
void clause_put_string(struct portolan_text *t, const char *text);

/* What the policy asks about a clause. */
int clause_complexity(const struct contract_scope *s, const struct portolan_sidl_expr *e);
bool clause_calls(const struct portolan_sidl_expr *e);
bool clause_sees_results(const struct contract_scope *s, const struct portolan_sidl_expr *e);

#endif
