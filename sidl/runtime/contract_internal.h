/* SPDX-License-Identifier: BSD-3-Clause */
/** Contracts and hooks: shared by guard.c (tables), check.c (calls) and enf_policy.c. */
#ifndef SIDL_CONTRACT_INTERNAL_H
#define SIDL_CONTRACT_INTERNAL_H

#include <portolan/base.h>

#include "runtime_internal.h"
#include "sidl_contract.h"

/* The contract of one type for one method in the objects of one class. */
struct sidl_check_link {
    const struct sidl_check *check;
    const struct sidl_guard *guard;
    sidl_slot_fn plain;     /* the implementation */
    sidl_slot_fn next;      /* the next contract's wrapper, the hooks', or the same; atomic */
    bool is_first, is_last; /* of those of one method */
};

/* What was set for a class; FOLLOW: nothing, as for all classes. */
enum setting { FOLLOW, OFF, ON };

/* Of a class, perhaps before it was first used. */
struct class_settings {
    struct class_settings *next;
    enum setting contracts, hooks;
    char class_name[];
};

/* A class with contracts or hooks. */
struct sidl_guard {
    struct sidl_guard *next;
    const struct sidl_class *cls;
    struct sidl_class_state state; /* a copy: its tables are the class's */
    struct sidl_check_link *links; /* those of one method in the order in which they are called */
    size_t n_links;
    sidl_slot_fn *statics;
    const struct class_settings *settings;
};

/* guard.c: after a change of policy. */
void guard_set_all(void);

/* enf_policy.c */
/* FOLLOW: nothing was set for all classes. OFF goes before what is set for one. */
enum setting policy_setting(void);
bool policy_takes(enum sidl_clause_kind kind);

#endif
