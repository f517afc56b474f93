/* SPDX-License-Identifier: BSD-3-Clause */
static inline void included(int n)
{
#pragma cll a a[0] + a[1] * n
    (void)n;
#pragma cll end a
}
