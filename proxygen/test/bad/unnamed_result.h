/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 6: the type that 'color' returns has no name */
struct thing;
struct thing_ops {
    enum { RED, GREEN } (*color)(struct thing *self);
};
struct thing {
    const struct thing_ops *ops;
};
