/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 6: 'step' does not say what it takes */
struct thing;
struct thing_ops {
    int (*step)();
    int (*stop)(struct thing *self);
};
struct thing {
    const struct thing_ops *ops;
};
