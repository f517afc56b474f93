/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 6: is first mentioned in this parameter list */
struct thing;
struct thing_ops {
    int (*paint)(struct thing *self, enum {RED, GREEN} color);
};
struct thing {
    const struct thing_ops *ops;
};
