/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A whole program as the translator would write it, for tests/call_report.sh: an experiment "outer"
 * over N, with "inner" inside, passed for N = 1, 2, 4, …; with -DWITH_MPI on several ranks.
 *
 * usage: program PASSES [exit|wait|twice|late]
 */
#include <portolan/cll.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef WITH_MPI
#include <mpi.h>
#define DRIVER &portolan_cll_mpi
#else
#define DRIVER &portolan_cll_seq
#endif

static const char *const names[] = {"N"};
static const unsigned outer_begin[] = {40}, outer_end[] = {46};
static const unsigned inner_begin[] = {42}, inner_end[] = {44};
static struct portolan_cll_experiment outer = {.name = "outer",
                                               .file = "program.c",
                                               .formula = "outer[0] + outer[1]*N",
                                               .n_constants = 2,
                                               .n_identifiers = 1,
                                               .identifiers = names,
                                               .n_regions = 1,
                                               .begin_lines = outer_begin,
                                               .end_lines = outer_end};
static struct portolan_cll_experiment inner = {.name = "inner",
                                               .file = "program.c",
                                               .n_regions = 1,
                                               .begin_lines = inner_begin,
                                               .end_lines = inner_end};

__attribute__((constructor)) static void know(void)
{
    static struct portolan_cll_experiment *const list[] = {&outer, &inner};

    portolan_cll_register(list, 2);
}

static volatile double sink;

static void work(int passes)
{
    for (int i = 0; i < passes; i++) {
        double n = 1 << i % 20;

        if (i < 100)
            portolan_cll_sync(DRIVER, NULL, NULL);
        portolan_cll_begin(&outer, (double[]){n});
        for (int k = 0; k < n && k < 100; k++)
            sink += k;
        portolan_cll_begin(&inner, NULL);
        sink += n;
        portolan_cll_end(&inner);
        portolan_cll_end(&outer);
    }
}

static int run(int passes, const char *what)
{
    int result;

    work(passes);
    if (!strcmp(what, "exit"))
        return 3;
    if (!strcmp(what, "wait")) {
        puts("ready");
        fflush(stdout);
        for (;;)
            pause();
    }
    if (!strcmp(what, "late"))
        return 0;
    result = portolan_cll_report(DRIVER, NULL, "program", NULL);
    if (!strcmp(what, "twice"))
        result |= portolan_cll_report(DRIVER, NULL, "program", "outer");
    return result ? 4 : 0;
}

int main(int argc, char **argv)
{
    int result;

#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    result = run(argc > 1 ? atoi(argv[1]) : 3, argc > 2 ? argv[2] : "");
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    if (argc > 2 && !strcmp(argv[2], "late"))
        result = portolan_cll_report(DRIVER, NULL, "program", NULL) ? 4 : 0;
    return result;
}
