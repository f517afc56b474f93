/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways to call that are compiled into the caller. */
#ifndef CASES_INLINE_H
#define CASES_INLINE_H
struct counter;
struct counter_ops {
    int (*add)(struct counter *self, int x);
    int (*get)(const struct counter *self);
};
struct counter {
    const struct counter_ops *ops;
    int value;
};
static inline int counter_increment(struct counter *c)
{
    return c->ops->add(c, 1);
}
static inline int unrelated(int x)
{
    return x;
}
#define COUNTER_GET(c) ((c)->ops->get(c))
#define UNRELATED(x)   ((x) + 1)
#endif
