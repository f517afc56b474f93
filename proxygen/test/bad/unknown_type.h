/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 6: unknown type name 'scalar' */
struct thing;
struct thing_ops {
    int (*step)(struct thing *self, scalar x);
};
struct thing {
    const struct thing_ops *ops;
};
