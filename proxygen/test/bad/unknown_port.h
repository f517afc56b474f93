/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thnig */
/* expect: 1: there is no struct or typedef 'thnig'; did you mean 'thing'? */
struct thing;
struct thing_ops {
    int (*step)(struct thing *self);
};
struct thing {
    const struct thing_ops *ops;
};
