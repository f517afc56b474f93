/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 7: 'e' is number 5 in the context of 'step'; a call's context has at most 4 */
#define C __attribute__((annotate("portolan.context")))
struct thing;
struct thing_ops {
    int (*step)(struct thing *self, int a C, int b C, int c C, int d C, int e C);
};
struct thing {
    const struct thing_ops *ops;
};
