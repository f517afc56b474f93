/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that callers hand over: passed on as they are, or stood in for; and ways back. */
#ifndef CASES_CALLBACK_H
#define CASES_CALLBACK_H
struct walker;
typedef double (*walker_visit)(void *user, int depth);
struct walker_ops {
    double (*each)(struct walker *self, double visit(int, double), int times);
    double (*deep)(struct walker *self, walker_visit visit, void *user, int depth);
    void (*keep)(struct walker *self, void (*hook)(int));
    void (*plain)(struct walker *self, void (*hook)(int));
};
struct walker {
    const struct walker_ops *ops;
};
#endif
