/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters that bring something back: before the call they may point anywhere. */
#ifndef CASES_OUT_H
#define CASES_OUT_H
struct out;
struct out_ops {
    int (*ask)(struct out *self, double *residual, int n, double *values);
    int (*pass_by)(struct out *self, double *residual, int n, double *values);
};
struct out {
    const struct out_ops *ops;
};
#endif
