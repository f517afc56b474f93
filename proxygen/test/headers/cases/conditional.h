/* SPDX-License-Identifier: BSD-3-Clause */
/* What it declares depends on the flags. */
#ifndef CASES_CONDITIONAL_H
#define CASES_CONDITIONAL_H
#ifndef SCALAR
#error "say what a SCALAR is"
#endif
typedef SCALAR conditional_scalar;
struct conditional;
struct conditional_ops {
#ifdef WITH_SCALE
    conditional_scalar (*scale)(struct conditional *self, conditional_scalar x);
#endif
    conditional_scalar (*twice)(struct conditional *self, conditional_scalar x);
};
struct conditional {
    const struct conditional_ops *ops;
};
#endif
