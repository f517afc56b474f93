/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest table: no data beside it, no other object in any call, a table that may be written.
 */
struct plain;
struct plain_ops {
    int (*add)(struct plain *, int, int);
};
struct plain {
    struct plain_ops *methods;
};
