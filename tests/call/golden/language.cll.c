/* Made by portolan call of language.c: change that one. */
#include "language.cll.h"
#line 1 "language.c"
/* SPDX-License-Identifier: BSD-3-Clause */
/* All that pragmas can say, in one source that is no use to anyone. */
/* cll parallel SEQ */
/* cll uses PAPI */
/* cll script language.sh skel shell "s/CLL_LAST:=1/CLL_LAST:=5/" */
/* cll script language.slurm skel slurm */
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

    portolan_cll_begin(&cll_sum, (const double[]){to, from, mesh->cells});
#line 35 "language.c"
    if (to - from == 1)
        { double cll_result = at(mesh, from); portolan_cll_end(&cll_sum); return cll_result; } /* ends the experiment first */
    left = sum(mesh, from, (from + to) / 2);
    portolan_cll_begin(&cll_half, NULL);
    right = sum(mesh, (from + to) / 2, to);
    portolan_cll_end(&cll_half);
    portolan_cll_end(&cll_sum);
    return left + right;
}

static int find(const double *x, int n, double value)
{
    int i, found = -1;

    for (i = 0; i < n; i++) {
        portolan_cll_begin(&cll_look, (const double[]){n});
        if (x[i] > value)
            { portolan_cll_end(&cll_look); continue; }
        if (x[i] == value)
            { portolan_cll_end(&cll_look); goto out; }
        switch (n) {
        case 7:
            break; /* the switch is inside */
        default:
            if (x[i] < 0)
                { int cll_result = -2; portolan_cll_end(&cll_look); return cll_result; }
        }
        portolan_cll_end(&cll_look);
    }
    return found;
out:
    return i;
}

static void choose(int n, double *x)
{
    if (n > 2)
        { portolan_cll_begin(&cll_one, NULL);
        x[0] = 1;
        portolan_cll_end(&cll_one); }
    else
        { portolan_cll_begin(&cll_two, (const double[]){n});
        x[0] = 2;
        portolan_cll_end(&cll_two); }
    do
        { portolan_cll_begin(&cll_one, NULL);
        x[1] = 3;
        portolan_cll_end(&cll_one); }
    while (n-- > 0);
    switch (n) {
    case -1:
        portolan_cll_sync(&portolan_cll_seq, NULL, NULL);
        portolan_cll_begin(&cll_two, (const double[]){n});
#line 87 "language.c"
        x[1]++;
        portolan_cll_end(&cll_two);
        break;
    }
    portolan_cll_begin(&cll_three, NULL); x[2] = 1; portolan_cll_end(&cll_three);
}

int main(void)
{
    struct mesh mesh = {.cells = 64, .width = 0.5};
    double x[3] = {3, 2, 1};

    for (int n = 1; n <= mesh.cells; n *= 2) {
#line 101 "language.c"
        printf("%g %g\n", sum(&mesh, 0, n), LOG2(n));
    }
    choose(find(x, 3, 2), x);
    portolan_cll_report(&portolan_cll_seq, NULL, "language", "sum");
    portolan_cll_report(&portolan_cll_seq, NULL, "language", NULL);
    return text[0] != '#';
}
