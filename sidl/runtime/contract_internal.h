/* SPDX-License-Identifier: BSD-3-Clause */
/** Contracts and hooks: shared by guard.c (tables), check.c (calls) and policy.c (decisions). */
#ifndef SIDL_CONTRACT_INTERNAL_H
#define SIDL_CONTRACT_INTERNAL_H

#include <portolan/base.h>

#include "runtime_internal.h"
#include "sidl_contract.h"

/* What happened to one contract of one method in the objects of one class; atomic counters. */
struct sidl_check_link {
    const struct sidl_check *check;
    struct sidl_guard *guard;
    struct sidl_check_link *next; /* the next contract of the same method, NULL behind the last */
    sidl_slot_fn plain;           /* the implementation … */
    sidl_slot_fn hook;            /* … and what calls its hooks, NULL when there is none */
    int64_t tries, failures, exceptions;
    double method_us, part_us[3]; /* running means, by enum sidl_clause_kind; guarded by policy.c */
    int64_t n_method, n_part[3];
};

/* In every slot of every table: what can stand there. */
struct guard_cell {
    struct sidl_check_link *link; /* the first contract, NULL when there is none */
    sidl_slot_fn hook;
};

/* What was set: for a class, or for an object. */
enum setting { FOLLOW, OFF, ON };

enum { N_VARIANTS = 9 }; /* setting of contracts × setting of hooks, of an object */

struct sidl_guard {
    struct sidl_guard *next;
    char *class_name;
    const struct sidl_class *cls;    /* NULL: written by hand */
    const struct sidl_class **chain; /* as in its state */
    size_t n_chain;
    struct sidl_table *tables;
    size_t n_tables;
    const struct sidl_facet *facets;
    size_t n_facets;
    struct sidl_check_link *links;
    size_t n_links;
    struct guard_cell **cells;           /* per table */
    sidl_slot_fn **variants[N_VARIANTS]; /* per table; NULL until an object needs it; [0]: live */
    struct guard_cell *static_cells;
    const sidl_slot_fn *statics;
    sidl_slot_fn *live_statics;
    size_t n_statics;
    enum setting contracts, hooks;
    /* a class written by hand: what identifies it */
    const struct sidl_implements *implements;
    size_t n_implements;
};

/* guard_fill.c */
bool guard_has_hooks(const struct sidl_class_state *state);
/* Links and cells from tables, facets and class. False: out of memory. */
bool guard_fill(struct sidl_guard *guard, const struct sidl_type *type);

/* guard.c */
/* Whose tables an object has, one of whose methods is being checked. */
struct sidl_guard *guard_of_checked(const struct sidl_object *object);
bool guard_hooks_are_on(const struct sidl_guard *guard, const struct sidl_object *object);
bool guard_static_hooks_are_on(const struct sidl_guard *guard);
/* After a change of policy. */
void guard_set_all(void);
void guard_clear_all_counters(void);

/* policy.c */
bool policy_was_set(void);
bool policy_is_never(void);
bool policy_takes(const struct sidl_clause *clause);
/* Whether a part with clauses that it takes is due; is_first: of this call. */
bool policy_is_due(struct sidl_check_link *link, enum sidl_clause_kind part, bool is_first);
bool policy_is_timed(void);
double policy_now_us(void);
/* When the call is over: what it took. Negative times: not measured. */
void policy_note(struct sidl_check_link *link, double method_us, const double part_us[3]);
void policy_set_estimates(struct sidl_check_link *link, double method_us, const double part_us[3]);

/* policy_report.c: files. GUARD may be NULL: nothing to say. */
void report_dump(const struct sidl_guard *guard, const char *file, const char *prefix,
                 sidl_BaseInterface *_ex);
void report_read_estimates(struct sidl_guard *guard, const char *file, sidl_BaseInterface *_ex);

#endif
