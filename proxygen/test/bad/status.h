/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 6: 'step' does not return a whole number, so its result is no status */
struct thing;
struct thing_ops {
    double (*step)(struct thing *self) __attribute__((annotate("portolan.status")));
};
struct thing {
    const struct thing_ops *ops;
};
