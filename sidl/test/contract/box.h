/* SPDX-License-Identifier: BSD-3-Clause */
/** Implementations for tests: ct.Box and ct.BigBox, and a class written by hand. */
#ifndef CONTRACT_BOX_H
#define CONTRACT_BOX_H

#include "ct.h"

/* How often functions of implementations were called. */
struct calls {
    int put, total, name, scale, depth, twice, even, more, all_positive;
};
extern struct calls calls;

/* What the implementations do wrong. */
struct mischief {
    int add;                  /* to results */
    sidl_bool keep_negatives; /* so that the invariant breaks */
    sidl_bool throw_in_clause;
    sidl_bool put_in_constructor; /* 3 */
};
extern struct mischief mischief;

/** A new object of a class that is written by hand. */
ct_Counted handmade_create(sidl_BaseInterface *_ex);

#endif
