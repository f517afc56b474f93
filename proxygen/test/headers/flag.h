/* SPDX-License-Identifier: BSD-3-Clause */
/* A port that only some builds have. */
#ifdef WITH_FLAG
struct flag;
struct flag_ops {
    int (*raise)(struct flag *self);
};
typedef struct flag {
    const struct flag_ops *ops;
} flag;
#endif
