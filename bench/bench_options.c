/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well and how quickly the options of a program are chosen. Sessions of `measure` are replayed
 * from tables of measured programs (options/xz.txt and others, made by options/measure.sh), each 30
 * times with other noise, with a fifth of the time that all combinations take. Random search and
 * changing one option at a time get the same time. Then: what deciding and running a trial cost.
 */
#include "bench_short.h"
#include "replay.h"

#include <portolan/machine.h>
#include <portolan/options.h>

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { REPLAYS = 30 };

/* ------------------------------------------------------------------ what others do */

/* Takes the mean of REPEATS trials at the largest size; INFINITY if it fails. */
static double look(struct replay *r, const struct row *row, int repeats)
{
    double sum = 0;

    for (int i = 0; i < repeats; i++) {
        double s = row ? replay_measure_s(r, row->s[r->t->n_sizes - 1]) : INFINITY;

        r->spent_s += isfinite(s) ? s : 0.01;
        sum += s;
    }
    return sum / repeats;
}

static double random_search(const struct table *t, const struct disturbance *d, double budget_s)
{
    struct replay r = {.t = t, .seed = {(unsigned short)d->seed, 49, 71}, .d = *d};
    const struct row *best = NULL;
    double best_s = INFINITY;

    while (r.spent_s < budget_s) {
        const struct row *row = &t->rows[(size_t)(erand48(r.seed) * (double)t->n_rows)];
        double s = look(&r, row, 2);

        if (s < best_s && r.spent_s <= budget_s) {
            best_s = s;
            best = row;
        }
    }
    return best ? best->s[t->n_sizes - 1] / table_best_s(t) : INFINITY;
}

static double one_at_a_time(const struct table *t, const struct disturbance *d, double budget_s)
{
    struct replay r = {.t = t, .seed = {(unsigned short)d->seed, 50, 72}, .d = *d};
    size_t values[MOST_OPTIONS] = {0};
    const struct row *best = table_find(t, values);
    double best_s = look(&r, best, 2);

    for (size_t k = 0; k < t->n_options && r.spent_s < budget_s; k++) {
        size_t chosen = values[k];

        for (size_t v = 0; v < t->n_values[k] && r.spent_s < budget_s; v++) {
            const struct row *row;
            double s;

            values[k] = v;
            row = table_find(t, values);
            if (v == chosen || !((s = look(&r, row, 2)) < best_s) || r.spent_s > budget_s)
                continue;
            best_s = s;
            best = row;
            chosen = v;
        }
        values[k] = chosen;
    }
    return best ? best->s[t->n_sizes - 1] / table_best_s(t) : INFINITY;
}

static void print_row(const char *name, const double *over, int n, int n_sure)
{
    double sum = 0;
    int within = 0;

    for (int i = 0; i < n; i++) {
        within += over[i] <= 1.05;
        sum += fmin(over[i], 10);
    }
    printf("  %-18s within 5 %% of the best in %3.0f %%, %.2f times the best on average", name,
           100.0 * within / n, sum / n);
    if (n_sure >= 0)
        printf("; cannot tell in %d of %d", n - n_sure, n);
    printf("\n");
}

/* Frees T's rows. */
static void replay_table(const char *name, struct table *t, struct disturbance d)
{
    double tuned[REPLAYS], random[REPLAYS], single[REPLAYS], budget_s = 0.2 * table_grid_s(t);
    int n = bench_times(REPLAYS), n_sure = 0, n_unseen = 0, n_held = 0;

    printf(
        "%s: %zu combinations, %zu sizes, budget %.3g s of %.3g s; noise %.0f %%, drift %.0f %%, "
        "outliers %.0f %%\n",
        name, t->n_rows, t->n_sizes, budget_s, 5 * budget_s, 100 * d.noise, 100 * d.drift,
        100 * d.outliers);
    for (d.seed = 0; d.seed < n; d.seed++) {
        struct replay_result r = replay_tune(t, &d, budget_s);

        tuned[d.seed] = r.over;
        n_sure += r.is_sure;
        n_unseen += r.n_unseen;
        n_held += r.n_held;
        random[d.seed] = random_search(t, &d, budget_s);
        single[d.seed] = one_at_a_time(t, &d, budget_s);
    }
    print_row("portolan tune", tuned, n, n_sure);
    if (n_unseen)
        printf("    at sizes that were not measured, %d of %d intervals of 95 %% hold\n", n_held,
               n_unseen);
    print_row("random search", random, n, -1);
    print_row("one at a time", single, n, -1);
    free(t->rows);
}

/* ------------------------------------------------------------------ costs */

/* Milliseconds to decide on the next trial of 20 options with two values after 10,000 trials. */
static void time_deciding(void)
{
    struct portolan_plan_options options = {
        .ranks = 1, .most_trials = 1, .are_combinations = true, .is_race = true};
    struct portolan_next_trial *next = NULL;
    struct portolan_error err = {0};
    struct portolan_assembly *a = NULL;
    struct table t = {.n_options = 20, .n_sizes = 4, .sizes = {1, 2, 3, 4}};
    struct replay r;
    bool is_race, grew;
    double began;

    for (size_t k = 0; k < t.n_options; k++) {
        snprintf(t.options[k], sizeof t.options[k], "o%zu", k);
        t.n_values[k] = 2;
        strcpy(t.values[k][0], "a");
        strcpy(t.values[k][1], "b");
    }
    replay_begin(&r, &t, &(struct disturbance){.seed = 1, .noise = 0.05});
    a = r.a;
    tune_offer(a, NULL, &is_race, &grew, &err);
    for (size_t k = 1; k < 8; k++)
        tune_offer(a, a->instances[0].alternatives[k].class_name, &is_race, &grew, &err);
    for (int i = 0; i < 10000; i++) {
        char n[8];

        snprintf(n, sizeof n, "%d", 1 + i % 4);
        portolan_assembly_set(a, "p", "n", n, &err);
        a->instances[0].selected = (size_t)(i / 4) % a->instances[0].n_alternatives;
        replay_add_trial(&r, replay_measure_s(&r, 1 + i % 4), "finished");
    }
    a->instances[0].selected = 0;
    began = portolan_now_s();
    if (portolan_plan_next_trial(a, &r.set, &options, 1e9, &next, &err))
        printf("%s\n", err.text);
    printf("deciding after %zu trials of %zu combinations of 20 options: %.1f ms\n", r.set.n_trials,
           a->instances[0].n_alternatives, 1e3 * (portolan_now_s() - began));
    portolan_next_trial_destroy(next);
    replay_end(&r);
}

static double bare_s(void)
{
    char *words[] = {"true", NULL};
    double began = portolan_now_s();
    pid_t pid;

    if (!posix_spawnp(&pid, "true", NULL, NULL, words, environ))
        waitpid(pid, NULL, 0);
    return portolan_now_s() - began;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* What a stored trial costs beyond starting the program and waiting for it. */
static void time_trials(void)
{
    enum { TRIALS = 200 };
    static const char text[] = "<assembly name='p'><program name='p' command='true' "
                               "store='bench_options.db'/></assembly>";
    double bare[TRIALS], whole[TRIALS];
    int n = bench_times(TRIALS) + 1, number;
    struct portolan_assembly *a = NULL;
    struct portolan_diagnostics d = {0};
    struct portolan_error err = {0};
    struct tune_session s;

    n = n > TRIALS ? TRIALS : n;
    remove("bench_options.db");
    portolan_assembly_read_text(text, strlen(text), "p", &d, &a, &err);
    a->purpose = "explore";
    if (tune_open(&s, a, NULL, "mpiexec", &err))
        printf("%s\n", err.text);
    for (int i = 0; i < n; i++) {
        double began = portolan_now_s();

        if (tune_run_trial(&s, 10, &number, &err))
            printf("%s\n", err.text);
        whole[i] = portolan_now_s() - began;
        bare[i] = bare_s();
    }
    qsort(bare, (size_t)n, sizeof *bare, compare);
    qsort(whole, (size_t)n, sizeof *whole, compare);
    printf("a trial of 'true': %.2f ms, of which starting and waiting takes %.2f ms (the fastest "
           "of %d: "
           "%.2f and %.2f ms)\n",
           1e3 * whole[n / 2], 1e3 * bare[n / 2], n, 1e3 * whole[0], 1e3 * bare[0]);
    tune_close(&s);
    portolan_assembly_destroy(a);
    remove("bench_options.db");
}

/* With an argument: only the costs. */
int main(int argc, char **argv)
{
    static const char *const files[] = {OPTIONS "/xz.txt", OPTIONS "/glpsol.txt"};
    static const struct disturbance quiet = {.noise = 0.02, .outliers = 0.02},
                                    loud = {.noise = 0.05, .outliers = 0.05, .drift = 0.1};
    struct table t;

    (void)argv;
    for (size_t k = 0; argc < 2 && k < 2; k++) {
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            if (table_read(files[i], &t))
                replay_table(strrchr(files[i], '/') + 1, &t, k ? loud : quiet);
        table_make(&t);
        replay_table("a made table", &t, k ? loud : quiet);
    }
    time_trials();
    time_deciding();
    return 0;
}
