/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 6: argument 'x' of 'step' is no number, so it cannot be a context */
struct thing;
struct thing_ops {
    int (*step)(struct thing *self, double *x __attribute__((annotate("portolan.context"))));
};
struct thing {
    const struct thing_ops *ops;
};
