/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#define SIZE 1024
struct mesh {
    int cells;
    unsigned bits : 3;
    double *values;
};
static void work(void) {}
static void all(int n, struct mesh m, struct mesh *p, double *x, double _Complex z)
{
#pragma cll good good[0] + good[1] * n * log(m.cells) + good[2] * p->cells * p->bits + good[3] * SIZE
    work();
#pragma cll end good
#pragma cll a a[0] + a[2] * n
    work();
#pragma cll end a
#pragma cll b b[0] + good[1] * n
    work();
#pragma cll end b
#pragma cll c good[0] + good[1] * n
    work();
#pragma cll end c
#pragma cll d d[0] + d[1] * n + n
    work();
#pragma cll end d
#pragma cll e e[0] + log(e[1] * n)
    work();
#pragma cll end e
#pragma cll f f[0] + \
              f[1] * (n
    work();
#pragma cll end f
#pragma cll g g[0] + g[1] * nn + \
              g[2] * absent
    work();
#pragma cll end g
#pragma cll h h[0] * x + h[1] * m + h[2] * z + h[3] * work + h[4] * m.cell + h[5] * p->values
    work();
#pragma cll end h
    {
        int inner = 3;
#pragma cll i i[0] * inner
        work();
#pragma cll end i
    }
#pragma cll i i[0] * inner
    work();
#pragma cll end i
#pragma cll a a[0] + a[1] * n * n
    work();
#pragma cll end a
#pragma cll good USER = good[0] + good[1]*n*log(m.cells) + good[2]*p->cells*p->bits + good[3]*SIZE
    work();
#pragma cll end good
}
