/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 4: 'thing' is a union; a port is a struct with functions */
union thing {
    int (*step)(union thing *self);
};
