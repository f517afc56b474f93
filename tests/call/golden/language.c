/* SPDX-License-Identifier: BSD-3-Clause */
/* All that pragmas can say, in one source that is no use to anyone. */
#pragma cll parallel SEQ
#pragma cll uses PAPI
#pragma cll script language.sh skel shell "s/CLL_LAST:=1/CLL_LAST:=5/"
#pragma cll script language.slurm skel slurm
#include <math.h>
#include <stdio.h>
#define LOG2(x) (log(x) / log(2)) /* #pragma cll in a comment is none */

struct mesh {
    int cells;
    double width;
};

static const char text[] = "#pragma cll nor is one in a text";

#if 0
#pragma cll left out[0]
#endif

static double at(const struct mesh *mesh, int i)
{
    return mesh->width * i;
}

/* A recursion of two experiments, one inside the other. */
static double sum(const struct mesh *mesh, int from, int to)
{
    double left, right;

#pragma cll sum sum[0] + \
                sum[1] * (to - from) /* many */ + \
                sum[2] * mesh->cells
    if (to - from == 1)
        return at(mesh, from); /* ends the experiment first */
    left = sum(mesh, from, (from + to) / 2);
    #pragma cll half CLOCK, USER = half[0]
    right = sum(mesh, (from + to) / 2, to);
    #pragma cll end half
#pragma cll end sum
    return left + right;
}

static int find(const double *x, int n, double value)
{
    int i, found = -1;

    for (i = 0; i < n; i++) {
#pragma cll look look[0]*n
        if (x[i] > value)
            continue;
        if (x[i] == value)
            goto out;
        switch (n) {
        case 7:
            break; /* the switch is inside */
        default:
            if (x[i] < 0)
                return -2;
        }
#pragma cll end look
    }
    return found;
out:
    return i;
}

static void choose(int n, double *x)
{
    if (n > 2)
#pragma cll one one[0]
        x[0] = 1;
#pragma cll end one
    else
        #pragma cll two two[0] + two[1]*n*log(n)
        x[0] = 2;
        #pragma cll end two
    do
#pragma cll one
        x[1] = 3;
#pragma cll end one
    while (n-- > 0);
    switch (n) {
    case -1:
#pragma cll sync two
        x[1]++;
#pragma cll end two
        break;
    }
    _Pragma("cll three PAPI_TOT_INS = three[0]") x[2] = 1; _Pragma("cll end three")
}

int main(void)
{
    struct mesh mesh = {.cells = 64, .width = 0.5};
    double x[3] = {3, 2, 1};

#pragma cll for (int n = 1; \
                 n <= mesh.cells; n *= 2)
    printf("%g %g\n", sum(&mesh, 0, n), LOG2(n));
#pragma cll end for
    choose(find(x, 3, 2), x);
#pragma cll report sum
#pragma cll report all
    return text[0] != '#';
}
