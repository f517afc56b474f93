/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 6: 'step' does not return a double, so its result is no accuracy */
struct thing;
struct thing_ops {
    int (*step)(struct thing *self) __attribute__((annotate("portolan.accuracy")));
};
struct thing {
    const struct thing_ops *ops;
};
