/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a decision of the Optimizer costs at a swap point: the agreement of the ranks, when it
 * travels with the step that the Mastermind stores anyway, compared with messages of its own; and
 * deciding itself as a share of a step of 10 ms. Without a launcher it starts itself under one.
 */
#include "bench_short.h"

#include <portolan/mpi.h>

#include "positions.h"
#include "world.h"

#include <time.h>

enum { INSTANCES = 20, VALUES = 4 + 3 * INSTANCES, BATCH = 50, BATCHES = 60, STEPS = 300 };

static struct portolan_cohort *cohort;

static double now_us(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec * 1e-3;
}

/* ------------------------------------------------- agreement */

/* What the ranks do in any case: the step is stored, or a rank failed. */
static void agree_on_step(void)
{
    double failed = 0;

    cohort->max(cohort, &failed, 1);
}

static void agree_with_piggyback(void)
{
    double values[VALUES] = {0};

    cohort->max(cohort, values, VALUES);
}

/* The verdict on memory, what failed, and what rank 0 wants, each in a message. */
static void agree_apart(void)
{
    double seen[2 * INSTANCES] = {0};
    int32_t wanted[INSTANCES] = {0};

    agree_on_step();
    portolan_cohort_agree(cohort, PORTOLAN_OK, NULL);
    cohort->max(cohort, seen, 2 * INSTANCES);
    cohort->bcast(cohort, wanted, sizeof wanted, 0);
}

/* Time of a call in us; the slowest rank's. */
static double time_of(void (*call)(void))
{
    double elapsed;

    agree_on_step();
    elapsed = now_us(CLOCK_MONOTONIC);
    for (int i = 0; i < BATCH; i++)
        call();
    elapsed = now_us(CLOCK_MONOTONIC) - elapsed;
    cohort->max(cohort, &elapsed, 1);
    return elapsed / BATCH;
}

static void compare_agreement(void)
{
    double step = INFINITY, piggyback = INFINITY, apart = INFINITY;

    for (int b = 0; b < bench_times(BATCHES); b++) { /* in turn, so that others disturb all alike */
        step = fmin(step, time_of(agree_on_step));
        piggyback = fmin(piggyback, time_of(agree_with_piggyback));
        apart = fmin(apart, time_of(agree_apart));
    }
    if (cohort->rank != 0)
        return;
    printf("%d ranks, %d instances: the step alone %.2f us; a decision with it +%.2f us (ratio "
           "%.2f), in messages of its own +%.2f us (ratio %.2f)\n",
           cohort->size, INSTANCES, step, piggyback - step, piggyback / step, apart - step,
           apart / step);
}

/* ------------------------------------------------- deciding */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Processor time of one decision in us: takes a step's samples in, and asks the plan. */
static double decide(struct world *w, struct portolan_plan *p, int remaining_steps)
{
    static const size_t best[] = {1, 2, 1, 0};
    struct portolan_name_value current[N_VARIABLES];
    struct portolan_plan_now now = {.remaining_steps = remaining_steps, .hysteresis = 0.02};
    struct portolan_plan_advice *advice = NULL;
    struct portolan_plan_news news;
    size_t begin = w->set.n_samples;
    double start;

    for (int v = 0; v < N_VARIABLES; v++)
        current[v] = (struct portolan_name_value){world_names[v], world_class(v, best[v])};
    now.current = positions(&world_assembly, current, N_VARIABLES);
    world_step(w, 3, 0, best, 96, 0, false);
    now.samples = &w->samples[begin];
    now.n_samples = w->set.n_samples - begin;
    for (size_t i = begin; i < w->set.n_samples; i++)
        w->samples[i].parent -= w->samples[i].parent < 0 ? 0 : (int64_t)begin;
    start = now_us(CLOCK_THREAD_CPUTIME_ID);
    if (portolan_plan_learn(p, now.samples, now.n_samples, now.current, &news, NULL) ||
        portolan_plan_advise(p, &now, &advice, NULL))
        return -1;
    portolan_plan_advice_destroy(advice);
    start = now_us(CLOCK_THREAD_CPUTIME_ID) - start;
    w->set.n_samples = begin;
    return start;
}

static int measure_deciding(void)
{
    struct world *w = world_create(1);
    struct portolan_plan *p = NULL;
    double us[STEPS], sum = 0;
    const int n = bench_times(STEPS);

    w->noise = 0.05;
    world_explore_all(w);
    if (portolan_plan_create(&world_assembly, &w->set, &(struct portolan_plan_options){.ranks = 1},
                             &p, NULL))
        return 1;
    for (int i = 0; i < n; i++) {
        us[i] = decide(w, p, n - i);
        if (us[i] < 0)
            return 1;
        sum += us[i];
    }
    qsort(us, (size_t)n, sizeof *us, compare);
    printf("deciding, %d steps: mean %.1f us, median %.1f, most %.0f: %.2f %% of a step of 10 ms "
           "(goal: under 1)\n",
           n, sum / n, us[n / 2], us[n - 1], sum / n / 1e4 * 100);
    portolan_plan_destroy(p);
    world_destroy(w);
    return 0;
}

static int launch(const char *self, int ranks)
{
    char command[4096];

    snprintf(command, sizeof command, "PORTOLAN_MPI_YIELD=always '%s' -n %d '%s'", MPIEXEC, ranks,
             self);
    fflush(stdout);
    return system(command) != 0;
}

int main(int argc, char **argv)
{
    struct portolan_error err = {0};

    (void)argc;
    if (!getenv("PMI_RANK"))
        return measure_deciding() | launch(argv[0], 2) | launch(argv[0], 4);
    if (portolan_mpi_init(&err) || portolan_mpi_cohort_create(&cohort, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    compare_agreement();
    portolan_mpi_cohort_destroy(cohort);
    portolan_mpi_finalize();
    return 0;
}
