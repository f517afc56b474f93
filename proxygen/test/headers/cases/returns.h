/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that return nothing, never, or to somewhere else. */
#ifndef CASES_RETURNS_H
#define CASES_RETURNS_H
struct returns;
struct returns_ops {
    void (*nothing)(struct returns *self);
    void (*never)(struct returns *self, void *where) __attribute__((noreturn));
    int (*elsewhere)(struct returns *self, void *where);
    int (*again)(struct returns *self, int depth);
};
struct returns {
    const struct returns_ops *ops;
};
#endif
