/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CASES_PARTS_PART_H
#define CASES_PARTS_PART_H
struct part;
struct part_ops {
    int (*do_it)(struct part *self);
};
struct part {
    const struct part_ops *ops;
};
int included_part(int x);
static inline int part_do_it(struct part *p)
{
    return p->ops->do_it(p);
}
#endif
