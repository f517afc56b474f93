/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 4: 'thing' holds its functions itself */
struct thing {
    int (*step)(struct thing *self);
    struct thing *next;
};
