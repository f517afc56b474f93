/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a store of trials at several sizes, each with so many call paths whose exclusive times
 * follow known laws of driver.n, for `portolan model` to find:
 *
 *   bench_paths FILE PATHS [NOISE %]
 *
 * Path i takes, in ns on each of 2 ranks, i % 4 = 0: 5e5; 1: 2000 n; 2: 300 n log2(n); 3: 40 n^2,
 * for n = 16, 24, 32, 48, 64, 96; a smooth step of the noise (a fixed sequence) is on every value.
 * Path 3 reports an accuracy of 1e-3 n^-2. Calls of path 1 have n as their context.
 */
#include <portolan/store.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 2, BRANCHES = 4 };
static const int sizes[] = {16, 24, 32, 48, 64, 96};

static void check(enum portolan_status status, const struct portolan_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "bench_paths: %s\n", err->text);
    exit(1);
}

static double law(size_t i, double n)
{
    switch (i % 4) {
    case 0:
        return 5e5;
    case 1:
        return 2000 * n;
    case 2:
        return 300 * n * log2(n);
    default:
        return 40 * n * n;
    }
}

/* From -1 to 1, the same for the same argument. */
static double wobble(uint64_t i)
{
    i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ (i >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)(i >> 11) * 0x1p-52 - 1;
}

static void fill(struct portolan_sample *s, size_t paths, int rank, int n, double noise,
                 char (*names)[32])
{
    for (size_t i = 0; i < paths; i++)
        s[i] = (struct portolan_sample){
            .rank = rank,
            .parent = i ? (int64_t)((i - 1) / BRANCHES) : -1,
            .user = i ? "code" : "",
            .uses = i ? "work" : "",
            .instance = i ? "part" : "driver",
            .port = "work",
            .implementation = i ? "bench.Part" : "",
            .port_type = "bench.Work",
            .method = names[i],
            .n_context = i == 1,
            .context_name = {"size"},
            .context = {n},
            .calls = 10,
            .exclusive_ns = law(i, n) * (1 + noise * wobble(i * 1000003 + (size_t)(n * 7 + rank))),
            .quality = i == 3 ? 1e-3 / ((double)n * n) : NAN,
        };
    for (size_t i = paths; i-- > 0;) {
        s[i].inclusive_ns += s[i].exclusive_ns;
        s[i].min_ns = s[i].max_ns = s[i].inclusive_ns / 10;
        s[i].sum_squares_ns2 = 10 * s[i].min_ns * s[i].min_ns;
        if (i)
            s[s[i].parent].inclusive_ns += s[i].inclusive_ns;
    }
}

static void put_trial(struct portolan_store *store, int n, size_t paths, double noise,
                      char (*names)[32])
{
    char text[16];
    const struct portolan_name_value parameter = {"driver.n", text};
    const struct portolan_trial trial = {.assembly = "bench",
                                         .purpose = "run",
                                         .ranks = RANKS,
                                         .started = "2026-11-21T12:00:00Z",
                                         .n_parameters = 1,
                                         .parameters = &parameter};
    struct portolan_sample *s = portolan_calloc(paths * RANKS, sizeof *s);
    struct portolan_error err = {0};
    int64_t id;

    if (!s)
        exit(1);
    snprintf(text, sizeof text, "%d", n);
    check(portolan_store_begin_trial(store, &trial, &id, &err), &err);
    for (int r = 0; r < RANKS; r++) {
        fill(s + (size_t)r * paths, paths, r, n, noise, names);
        for (size_t i = 1; i < paths; i++)
            s[(size_t)r * paths + i].parent += (int64_t)r * (int64_t)paths;
    }
    check(portolan_store_put_step(store, id, 0, s, paths * RANKS, &err), &err);
    check(portolan_store_summarise(store, id, &err), &err);
    check(portolan_store_end_trial(store, id, "finished", s[0].inclusive_ns, &err), &err);
    free(s);
}

int main(int argc, char **argv)
{
    size_t paths = argc > 2 ? (size_t)atol(argv[2]) : 0;
    double noise = argc > 3 ? atof(argv[3]) / 100 : 0.01;
    char(*names)[32] = portolan_calloc(paths + 1, sizeof *names);
    struct portolan_store *store = NULL;
    struct portolan_error err = {0};

    if (!paths || !names) {
        fprintf(stderr, "usage: bench_paths FILE PATHS [NOISE]\n");
        return 2;
    }
    snprintf(names[0], sizeof *names, "go");
    for (size_t i = 1; i < paths; i++)
        snprintf(names[i], sizeof *names, "method_%zu", i);
    check(portolan_store_open(argv[1], PORTOLAN_STORE_WRITE, &store, &err), &err);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        put_trial(store, sizes[k], paths, noise, names);
    portolan_store_close(store);
    free(names);
    return 0;
}
