/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 4: 'thing' is no struct whose members the header shows */
struct thing;
struct thing_ops {
    int (*step)(struct thing *self);
};
