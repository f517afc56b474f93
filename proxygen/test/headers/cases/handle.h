/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that are ended by the address of the pointer to them. */
#ifndef CASES_HANDLE_H
#define CASES_HANDLE_H
struct handle;
struct handle_ops {
    int (*get)(const struct handle *self);
    int (*destroy)(struct handle **self);
    int (*make)(struct handle **made);
};
struct handle {
    const struct handle_ops *ops;
    int value;
};
#endif
