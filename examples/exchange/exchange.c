/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 1 of J. A. González et al., "Analysis and Tools for Performance Prediction" (2001), as a
 * program of two processes: what one does is half of what the other does, first one way, then the
 * other. The first message of a round goes to the one with more to do, which alone waits for it;
 * the second time both come together and exchange. Without barriers the processors make up for
 * each other.
 *
 * exchange [ROUNDS [WORK [BYTES]]]: WORK are the steps of the smaller piece.
 */
#pragma cll parallel PUB_BSP BSP_MACHINE = "&bsp"

#include <stdio.h>
#include <stdlib.h>

#include <pub.h>

/* N steps that depend on each other, so that no compiler or processor makes fewer of them. */
static double work(double x, long n)
{
    for (long i = 0; i < n; i++)
        x = x * 0.999999 + 1e-6;
    return x;
}

/* 0 if all messages came whole. */
static int exchange(t_bsp *bsp, int rounds, long unit, char *block, int size)
{
    int pid = bsp_pid(bsp), other = 1 - pid, result = 0;
    double x = 0;
    long n;

    for (int i = 0; i < rounds; i++) {
        n = (1 + pid) * unit;
#pragma cll busy busy[0] + busy[1] * n
        x = work(x, n);
#pragma cll end busy
#pragma cll give give[0] + give[1] * size
        if (pid == 0)
            bsp_hpsend(bsp, other, block, (size_t)size);
        bsp_oblsync(bsp, pid);
#pragma cll end give
        n = (2 - pid) * unit;
#pragma cll busy busy[0] + busy[1] * n
        x = work(x, n);
#pragma cll end busy
#pragma cll swap swap[0] + swap[1] * size
        bsp_hpsend(bsp, other, block, (size_t)size);
        bsp_oblsync(bsp, 1);
#pragma cll end swap
        if (bspmsg_size(bsp_getmsg(bsp, 0)) != (size_t)size)
            result = 1;
    }
    return x > 0 ? result : 1;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10, result = 2;
    long unit = argc > 2 ? atol(argv[2]) : 10000000;
    int size = argc > 3 ? atoi(argv[3]) : 4000000;
    char *block = calloc(1, size > 0 ? (size_t)size : 1);
    t_bsp bsp;

    bsplib_saveargs(&argc, &argv);
    bsplib_init(BSPLIB_STDPARAMS, &bsp);
    if (bsp_nprocs(&bsp) == 2 && rounds > 0 && unit > 0 && size >= 0 && block) {
        bsp_sync(&bsp);
        result = exchange(&bsp, rounds, unit, block, size);
        bsp_sync(&bsp);
        if (bsp_pid(&bsp) == 0)
            printf("%d rounds, %s\n", rounds, result ? "wrong" : "good");
#pragma cll report all
    } else if (bsp_pid(&bsp) == 0) {
        fprintf(stderr, "usage: mpiexec -n 2 exchange [ROUNDS [WORK [BYTES]]]\n");
    }
    free(block);
    bsplib_done();
    return result;
}
