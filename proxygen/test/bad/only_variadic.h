/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 8: port thing has no method that could be measured: 'print' is not intercepted */
struct thing;
struct thing_ops {
    int (*print)(struct thing *self, const char *format, ...);
};
struct thing {
    const struct thing_ops *ops;
};
