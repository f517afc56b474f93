/* SPDX-License-Identifier: BSD-3-Clause */
/* wrong WHAT: uses the library wrongly; tests/bsp.sh looks at what is said. */
#include <pub.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

static t_bsp all, part, inner;
static int bounds[3];

static void divide(t_bsp *bsp, t_bsp *sub, int a, int b)
{
    bounds[0] = a;
    bounds[1] = b;
    bsp_partition(bsp, sub, 2, bounds);
}

static void bounds_equal(void)
{
    divide(&all, &part, 2, 2);
}

static void bounds_fall(void)
{
    divide(&all, &part, 2, 1);
}

static void bounds_short(void)
{
    bounds[0] = 1;
    bsp_partition(&all, &part, 1, bounds);
}

static void done_early(void)
{
    divide(&all, &part, 1, 2);
    bounds[0] = 1;
    bsp_partition(&part, &inner, 1, bounds);
    bsp_done(&part);
}

static void done_all(void)
{
    bsp_done(&all);
}

static void done_twice(void)
{
    divide(&all, &part, 1, 2);
    bsp_done(&part);
    bsp_done(&part);
}

static void not_done(void)
{
    bounds[0] = bsp_nprocs(&all);
    bsp_partition(&all, &part, 1, bounds);
    bsplib_done();
}

static void divided(void)
{
    divide(&all, &part, 1, 2);
    bsp_sync(&all);
}

static void outside(void)
{
    divide(&all, &part, 1, 2);
    bsp_send(&part, 1, "x", 1);
}

static void beyond(void)
{
    bsp_send(&all, bsp_pid(&all), "x", 1);
    bsp_sync(&all);
    bsp_getmsg(&all, 1);
}

static void too_many(void)
{
    bsp_send(&all, bsp_pid(&all), "x", 1);
    bsp_send(&all, bsp_pid(&all), "y", 1);
    bsp_oblsync(&all, 1);
}

static void negative(void)
{
    int size = -5;

    bsp_send(&all, 0, "x", (size_t)size);
}

static void unknown(void)
{
    int x = 0;

    bsp_put(&all, 0, &x, &x, 0, sizeof x);
}

static void too_far(void)
{
    static int x;

    bsp_push_reg(&all, &x, sizeof x);
    bsp_sync(&all);
    bsp_put(&all, 0, &x, &x, 2, sizeof x);
    bsp_sync(&all);
}

static void finalized(void)
{
    MPI_Finalize();
    bsplib_done();
}

static void again(void)
{
    bsplib_init(BSPLIB_STDPARAMS, &part);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*call)(void);
    } cases[] = {
        {"bounds_equal", bounds_equal},
        {"bounds_fall", bounds_fall},
        {"bounds_short", bounds_short},
        {"done_early", done_early},
        {"done_all", done_all},
        {"done_twice", done_twice},
        {"not_done", not_done},
        {"divided", divided},
        {"outside", outside},
        {"beyond", beyond},
        {"too_many", too_many},
        {"negative", negative},
        {"unknown", unknown},
        {"too_far", too_far},
        {"again", again},
        {"finalized", finalized},
    };

    if (argc > 1 && !strcmp(argv[1], "too_early"))
        return bsp_pid(&all);
    if (argc > 1 && !strcmp(argv[1], "finalized"))
        MPI_Init(&argc, &argv);
    bsplib_saveargs(&argc, &argv);
    bsplib_init(BSPLIB_STDPARAMS, &all);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && !strcmp(argv[1], cases[i].name))
            cases[i].call();
    printf("nothing is wrong\n");
    bsplib_done();
    return 0;
}
