/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 4: 'thing' has no pointer to a table of functions that take it */
struct thing {
    int a;
    const int *ops;
};
