/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 6: struct hidden * is first mentioned in this parameter list */
struct thing;
struct thing_ops {
    int (*step)(struct thing *self, struct hidden *h);
};
struct thing {
    const struct thing_ops *ops;
};
