/* SPDX-License-Identifier: BSD-3-Clause */
/* What gcc takes in C17 and clang 14 does not: types of TS 18661, attributes of C23. */
struct gnu;
struct gnu_ops {
    [[deprecated]] int (*attribute)(struct gnu *self, [[maybe_unused]] int n);
    _Float128 (*quadruple)(struct gnu *self, _Float128 x, _Float64x y);
    _Float64 (*real)(struct gnu *self, _Float32 x, _Float32x y);
};
struct gnu {
    const struct gnu_ops *ops;
};
