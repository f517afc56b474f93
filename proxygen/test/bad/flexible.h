/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 8: struct thing ends in an array of unknown length */
struct thing;
struct thing_ops {
    int (*step)(struct thing *self);
};
struct thing {
    const struct thing_ops *ops;
    double data[];
};
