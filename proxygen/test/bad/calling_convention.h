/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 6: 'step' has a calling convention that a proxy in C cannot have */
struct thing;
struct thing_ops {
    int(__attribute__((swiftcall)) * step)(struct thing *self);
};
struct thing {
    const struct thing_ops *ops;
};
