/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 6: 'step' has a calling convention of its own */
struct thing;
struct thing_ops {
    int(__attribute__((ms_abi)) * step)(struct thing *self);
};
struct thing {
    const struct thing_ops *ops;
};
