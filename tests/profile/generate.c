/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores for the tests of profile and compare, with numbers that can be reckoned by hand:
 *     generate FILE plate    one trial of everything, and one that was cut off
 *     generate FILE repeat   3 sets of 6 trials: label:base, label:slow, label:same
 */
#include "heat.h"

#include <portolan/store.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4 };

static struct portolan_error err;

static void must(enum portolan_status status)
{
    if (status == PORTOLAN_OK)
        return;
    fprintf(stderr, "generate: error: %s\n", err.text);
    exit(1);
}

static const struct portolan_sample go = {
    .parent = -1,
    HEAT_GO,
    .calls = 1,
    .quality = NAN,
};

static const struct portolan_sample solve = {
    HEAT_SOLVE,     .n_context = 1,  .context_name = {"n"},
    .quality = NAN, .n_counters = 1, .counter_name = {"PAPI_L2_DCM"},
};

static const struct portolan_sample dot = {
    .user = "solver",
    .uses = "vector",
    .instance = "vector",
    .port = "vector",
    .implementation = "heat.Vector",
    .port_type = "heat.Vector",
    .method = "dot",
    .calls = 1000,
    .timed_calls = 100,
    .inclusive_ns = 5000,
    .exclusive_ns = 5000,
    .min_ns = 40,
    .max_ns = 90,
    .sum_squares_ns2 = 260000,
    .quality = NAN,
};

static const struct portolan_sample states = {
    .user = "driver",
    .uses = "flux",
    .instance = "flux",
    .port = "flux",
    .implementation = "heat.FluxWithANameThatIsLongerThanATableHasRoomFor",
    .port_type = "heat.Flux",
    .method = "states",
    .calls = 5,
    .inclusive_ns = 100000,
    .exclusive_ns = 100000,
    .min_ns = 20000,
    .max_ns = 20000,
    .sum_squares_ns2 = 2e9,
    .quality = NAN,
};

/* Rank r takes 1 + r / 10 times as long; flux is on the first two only. */
static size_t make_rank(int rank, struct portolan_sample *s, int64_t at)
{
    double f = 1 + rank / 10.;
    size_t n = 0;

    s[n] = go;
    s[n].subroutines = rank < 2 ? 7 : 6;
    s[n].inclusive_ns = s[n].min_ns = s[n].max_ns = 1200000 * f + (rank < 2 ? 100000 : 0);
    s[n].sum_squares_ns2 = s[n].inclusive_ns * s[n].inclusive_ns;
    s[n++].exclusive_ns = 200000 * f;
    for (int large = 0; large < 2; large++) {
        s[n] = solve;
        s[n].parent = at;
        s[n].context[0] = large ? 128 : 64;
        s[n].calls = large ? 2 : 4;
        s[n].subroutines = large ? 0 : 1000;
        s[n].inclusive_ns = (large ? 600000 : 400000) * f;
        s[n].exclusive_ns = s[n].inclusive_ns - (large ? 0 : 5000);
        s[n].mpi_ns = large ? 60000 : 10000 * (RANKS - rank);
        s[n].min_ns = s[n].max_ns = s[n].inclusive_ns / (double)s[n].calls;
        s[n].sum_squares_ns2 = s[n].inclusive_ns * s[n].inclusive_ns / (double)s[n].calls;
        s[n].counter[0] = large ? 3e6 : 1e6;
        n++;
    }
    s[n] = dot;
    s[n++].parent = at + 1;
    if (rank < 2) {
        s[n] = states;
        s[n++].parent = at;
    }
    for (size_t i = 0; i < n; i++)
        s[i].rank = rank;
    return n;
}

static void put_calls(struct portolan_store *store, int64_t trial)
{
    struct portolan_sample path[2] = {solve, solve};
    struct portolan_invocation calls[12];
    int n = 0;

    path[0].parent = path[1].parent = -1;
    path[1].rank = 1;
    for (int rank = 0; rank < 2; rank++)
        for (int i = 0; i < 6; i++)
            calls[n++] = (struct portolan_invocation){
                .path = rank,
                .ordinal = i,
                .start_ns = 1000000 * i + 1000,
                .inclusive_ns = rank == 1 && i == 3 ? 700000 : 100000 + 1000 * i,
                .exclusive_ns = rank == 1 && i == 3 ? 690000 : 90000 + 1000 * i,
                .mpi_ns = 10000,
                .quality = NAN,
                .context = {i < 4 ? 64 : 128},
                .one_in = 1,
            };
    must(portolan_store_put_invocations(store, trial, path, 2, calls, 12, &err));
}

static void put_messages(struct portolan_store *store, int64_t trial)
{
    struct portolan_traffic rows[3 * RANKS];
    size_t n = 0;

    for (int rank = 0; rank < RANKS; rank++) {
        int right = (rank + 1) % RANKS, left = (rank + RANKS - 1) % RANKS;

        rows[n++] = (struct portolan_traffic){rank, "MPI_Send",          right, false,
                                              10,   4000.0 * (rank + 1), 8000};
        rows[n++] = (struct portolan_traffic){rank, "MPI_Recv", left, true, 10, 6000, 8000};
        rows[n++] = (struct portolan_traffic){rank, "MPI_Allreduce", -1, false, 6, 30000, 48};
    }
    must(portolan_store_put_traffic(store, trial, rows, n, &err));
}

static void put_events(struct portolan_store *store, int64_t trial)
{
    struct portolan_sample path[2] = {go, solve};
    static const struct portolan_event events[] = {
        {0, 0, -1, "residual", 4, 8, 2, 5, 120},
        {1, 0, -1, "residual", 2, 10, 6, 8, 136},
        {0, 0, 1, "iterations", 6, 30, 10, 20, 2800},
    };

    path[1].parent = 0;
    must(portolan_store_put_events(store, trial, path, 2, events, 3, &err));
}

static void make_plate(struct portolan_store *store)
{
    static const struct portolan_name_value parameters[] = {{"driver.n", "64"}};
    static const struct portolan_name_value implementations[] = {{"solver", "heat.Cholmod"}};
    static const struct portolan_name_value facts[] = {
        {"host", "brig"},
        {"cost.call_ns", "19.2"},
        {"cost.spread_ns", "0.4"},
        {"cost.inside_ns", "8.1"},
        {"cost.forward_ns", "1.5"},
        {"rows lost", "17"},
        {"partial step 3", "not all was measured on 1 of 4 ranks"}};
    struct portolan_trial trial = {
        .assembly = "plate",
        .purpose = "run",
        .ranks = RANKS,
        .started = "2006-09-28T12:00:00Z",
        .n_parameters = 1,
        .parameters = parameters,
        .n_implementations = 1,
        .implementations = implementations,
        .n_metadata = sizeof facts / sizeof *facts,
        .metadata = facts,
    };
    struct portolan_sample samples[RANKS * 5];
    size_t n = 0;
    int64_t id;

    must(portolan_store_begin_trial(store, &trial, &id, &err));
    for (int rank = 0; rank < RANKS; rank++)
        n += make_rank(rank, samples + n, (int64_t)n);
    must(portolan_store_put_step(store, id, -1, samples, n, &err));
    put_calls(store, id);
    put_messages(store, id);
    put_events(store, id);
    must(portolan_store_summarise(store, id, &err));
    must(portolan_store_end_trial(store, id, "finished", 1.6e6, &err));
    /* Cut off: the calls below the second solve have more time than itself. */
    trial.n_metadata = 1;
    trial.ranks = 1;
    trial.started = "2006-09-28T13:00:00Z";
    must(portolan_store_begin_trial(store, &trial, &id, &err));
    n = make_rank(0, samples, 0);
    samples[2].parent = 1;
    must(portolan_store_put_step(store, id, -1, samples, n, &err));
}

/* Trial I of a set: 1 ms of go, 2 of solve times FACTOR, with a spread of about 1 %. */
static void make_repetition(struct portolan_store *store, const char *label, const char *compiler,
                            double factor, int i)
{
    const struct portolan_name_value facts[] = {
        {"host", "brig"}, {"compiler", compiler}, {"label", label}};
    char started[32];
    const struct portolan_trial trial = {
        .assembly = "plate",
        .purpose = "fixed",
        .ranks = 1,
        .started = started,
        .n_metadata = 3,
        .metadata = facts,
    };
    double noise = 1 + 0.001 * ((i * 7 + (int)(factor * 100)) % 11);
    struct portolan_sample samples[2] = {go, solve};
    int64_t id;

    snprintf(started, sizeof started, "2006-10-0%dT12:00:00Z", i + 1);
    samples[1].parent = 0;
    samples[1].calls = 10;
    samples[1].context[0] = 64;
    samples[1].inclusive_ns = samples[1].exclusive_ns = 2e6 * factor * noise;
    samples[1].min_ns = samples[1].max_ns = samples[1].inclusive_ns / 10;
    samples[0].subroutines = 10;
    samples[0].exclusive_ns = 1e6 * (2 - noise);
    samples[0].inclusive_ns = samples[0].exclusive_ns + samples[1].inclusive_ns;
    must(portolan_store_begin_trial(store, &trial, &id, &err));
    must(portolan_store_put_step(store, id, -1, samples, 2, &err));
    must(portolan_store_end_trial(store, id, "finished", samples[0].inclusive_ns, &err));
}

int main(int argc, char **argv)
{
    struct portolan_store *store = NULL;

    if (argc != 3) {
        fprintf(stderr, "usage: generate FILE plate|repeat\n");
        return 2;
    }
    must(portolan_store_open(argv[1], PORTOLAN_STORE_WRITE, &store, &err));
    if (!strcmp(argv[2], "plate"))
        make_plate(store);
    for (int i = 0; !strcmp(argv[2], "repeat") && i < 6; i++) {
        make_repetition(store, "base", "gcc 12.2.0", 1, i);
        make_repetition(store, "slow", "gcc 13.1.0", 1.3, i);
        make_repetition(store, "same", "gcc 12.2.0", 1.002, i);
    }
    portolan_store_close(store);
    return 0;
}
