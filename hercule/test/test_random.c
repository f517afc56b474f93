/* SPDX-License-Identifier: BSD-3-Clause */
/* 200 healthy runs and 200 with two causes at once, of a fixed seed. */
#include "traced_runs.h"

#include "woven_flow.h"

enum { RUNS = 200 };

static uint64_t random_state = 88172645463325252ull;

static double draw(double low, double high)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0; /* 2^53 */
}

/* Work that varies by 1 %, on RANKS. */
#define WORK "compute 10ms * (0.99 + 0.02 * random)\n"
static char *healthy_grid(int ranks, int seed)
{
    return portolan_asprintf(
        "ranks %d\nseed %d\nlatency 2us\nrepeat 40\n" WORK
        "irecv (rank+size-1)%%size tag 1 as a\nirecv (rank+1)%%size tag 2 as b\n"
        "isend (rank+1)%%size tag 1 1000 as c\nisend (rank+size-1)%%size tag 2 1000 as d\n"
        "waitall\nend\n",
        ranks, seed);
}

static char *healthy_pipeline(int ranks, int seed)
{
    return portolan_asprintf(
        "ranks %d\nseed %d\nlatency 2us\nrepeat %d\non rank > 0\nrecv rank-1 tag 1\nend\n" WORK
        "on rank < size - 1\nsend rank+1 tag 1 1000\nend\nend\n",
        ranks, seed, 70 * ranks);
}

static char *healthy_farm(int ranks, int seed)
{
    return portolan_asprintf(
        "ranks %d\nseed %d\nlatency 2us\non 0\nrepeat %d\nrecv any tag 1\nsend sender tag 2 "
        "100\nend\n"
        "repeat %d\nrecv any tag 1\nend\nelse\nrepeat 80\nsend 0 tag 1\nrecv 0 tag 2\n" WORK
        "end\nsend 0 tag 1\nend\n",
        ranks, seed, 80 * (ranks - 1), ranks - 1);
}

static char *healthy_mesh(int ranks, int seed)
{
    return portolan_asprintf(
        "ranks %d\nseed %d\nlatency 2us\nrepeat 40\nphase guard_cells\nphase guard_data\nphase "
        "sibling\n"
        "sendrecv (rank+1)%%size from (rank+size-1)%%size tag 1 1000\nend\nend\nend\n"
        "phase solve\n" WORK "end\nend\n",
        ranks, seed);
}

static void finds_nothing_in_healthy_runs(void **state)
{
    static const struct {
        const char *paradigm;
        char *(*make)(int ranks, int seed);
    } healthy[] = {
        {"geometric", healthy_grid},
        {"pipeline", healthy_pipeline},
        {"master-worker", healthy_farm},
        {"amr{prt}", healthy_mesh},
    };

    for (int i = 0; i < RUNS; i++) {
        char *scenario = healthy[i % 4].make(i % 10 == 9 ? 16 : 4, i + 1);
        struct run run;

        diagnose(&run, scenario, healthy[i % 4].paradigm, NULL, 0);
        if (run.diagnosis->verdict != PORTOLAN_NO_PROBLEM)
            fail_msg("run %d of %s: %s", i, healthy[i % 4].paradigm,
                     run.diagnosis->n_findings ? run.diagnosis->findings[0].cause
                                               : run.diagnosis->why);
        end(&run);
        free(scenario);
    }
}

/* A slow stage, and so few blocks that filling and draining take share B. */
static char *pair_in_pipeline(double a, double b)
{
    return portolan_asprintf(
        "ranks 4\nlatency 1us\nrepeat %d\non rank > 0\nrecv rank-1 tag 1\nend\ncompute 10ms\n"
        "on 1\ncompute %.0fns\nend\non rank < size - 1\nsend rank+1 tag 1 1000\nend\nend\n",
        (int)(3 * (1 / b - 1)), a * 1e7);
}

/* Tasks are set up while workers wait, and one worker's last task is long. */
static char *pair_in_farm(double a, double b)
{
    return portolan_asprintf(
        "ranks 4\non 0\nrepeat 120\nrecv any tag 1\ncompute %.0fns\nsend sender tag 2 1000\nend\n"
        "repeat 3\nrecv any tag 1\nend\nelse\nrepeat 40 as round\nsend 0 tag 1\nrecv 0 tag 2\n"
        "compute 10ms\non rank == size-1 and round == 39\ncompute %.0fns\nend\nend\nsend 0 tag "
        "1\nend\n",
        (a + 0.1) * 1e7 / 3, b * 4e8);
}

/* Rank 2 is late in both of two woven paradigms: each costs all others its part. */
static char *pair_woven(double a, double b)
{
    return woven_scenario(a * 2e7, 2, b * 2e7, 2);
}

static size_t place_of(const struct run *run, const char *cause)
{
    for (size_t i = 0; i < run->diagnosis->n_findings; i++)
        if (strcmp(run->diagnosis->findings[i].cause, cause) == 0)
            return i;
    return SIZE_MAX;
}

static void names_both_of_two_causes_in_the_order_of_gain(void **state)
{
    static const struct {
        const char *paradigm, *first, *second;
        char *(*make)(double a, double b);
    } pairs[] = {
        {"pipeline", "slow-stage", "blocks-too-large", pair_in_pipeline},
        {"master-worker", "setup-costly", "uneven-end", pair_in_farm},
        {"both", "unequal", "grid.uneven", pair_woven},
    };

    add_woven_paradigms(knowledge);
    for (int i = 0; i < RUNS; i++) {
        double a = draw(0.08, 0.3), b = draw(0.08, 0.3);
        char *scenario = pairs[i % 3].make(a, b);
        const struct portolan_finding *f;
        size_t first, second;
        struct run run;

        diagnose(&run, scenario, pairs[i % 3].paradigm, NULL, 0);
        first = place_of(&run, pairs[i % 3].first);
        second = place_of(&run, pairs[i % 3].second);
        f = run.diagnosis->findings;
        if (first == SIZE_MAX || second == SIZE_MAX)
            fail_msg("pair %d of %s, %g and %g: not both are named", i, pairs[i % 3].paradigm, a,
                     b);
        for (size_t k = 1; k < run.diagnosis->n_findings; k++)
            assert_true(f[k].gain <= f[k - 1].gain);
        /* Woven, the gains are known: each becomes a quarter, for all ranks. */
        if (i % 3 == 2) {
            assert_true(fabs(f[first].gain - 0.75 * a / (1 + a + b)) < 0.005);
            assert_true(fabs(f[second].gain - 0.75 * b / (1 + a + b)) < 0.005);
        }
        end(&run);
        free(scenario);
    }
}

int main(void)
{
    struct portolan_error err = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_nothing_in_healthy_runs),
        cmocka_unit_test(names_both_of_two_causes_in_the_order_of_gain),
    };
    int failed;

    if (portolan_knowledge_read(NULL, 0, NULL, &knowledge, &err))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    portolan_knowledge_destroy(knowledge);
    return failed;
}
