/* SPDX-License-Identifier: BSD-3-Clause */
/* Work of a busy processor while another one is busy, too: sums over data of some size, which are
 * in one of its caches or in the memory that all share. */
#ifndef CLUE_KERNELS_H
#define CLUE_KERNELS_H

#include <stdbool.h>

enum { KERNEL_LEAST = 16 << 10, KERNEL_MOST = 16 << 20, KERNEL_NS = 2000000 };

/** Allocates the data; false: no memory. */
bool kernel_begin(void);
/** Returns the nanoseconds per KB of such a sum, over some KERNEL_NS or at least two rounds. */
double kernel_time(int bytes);

#endif
