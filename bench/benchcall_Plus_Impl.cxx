/* SPDX-License-Identifier: BSD-3-Clause */
/* The splicer block of a class in C++; portolan sidl writes the rest of the file. */
    /* DO-NOT-DELETE splicer.begin(benchcall.Plus.work) */
    int64_t result = n;

    __asm__ volatile("" : "+r"(result));
    return result;
    /* DO-NOT-DELETE splicer.end(benchcall.Plus.work) */
