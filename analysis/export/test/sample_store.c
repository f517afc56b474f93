/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N_OF(array) (sizeof(array) / sizeof *(array))

static const double us = 1e3;

static struct portolan_sample call(int64_t parent, const char *instance, const char *class_name,
                                   const char *method, int rank, double n)
{
    return (struct portolan_sample){
        .rank = rank,
        .parent = parent,
        .user = parent < 0 ? "" : "caller",
        .uses = parent < 0 ? "" : "next",
        .instance = instance,
        .port = "work",
        .implementation = class_name,
        .port_type = "heat.Work",
        .method = method,
        .n_context = n > 0,
        .context_name = {"n"},
        .context = {n},
        .quality = NAN,
        .n_counters = 1,
        .counter_name = {"PAPI_TOT_INS"},
    };
}

static void set(struct portolan_sample *s, int64_t calls, int64_t subroutines, double inclusive_us,
                double exclusive_us, double counter)
{
    double k = s->rank + 1;

    s->calls = calls;
    s->subroutines = subroutines;
    s->inclusive_ns = inclusive_us * us * k;
    s->exclusive_ns = exclusive_us * us * k;
    s->min_ns = s->max_ns = calls ? s->inclusive_ns / (double)calls : 0;
    s->sum_squares_ns2 = s->inclusive_ns * s->min_ns;
    s->counter[0] = counter * k;
}

enum { GO, SOLVE_32, APPLY, SOLVE_64, N_PATHS };

static void fill_paths(struct portolan_sample *s, int rank)
{
    s[GO] = call(-1, "driver", "heat.Driver", "go", rank, 0);
    s[SOLVE_32] = call(GO, "solver", "heat.Cholmod", "solve", rank, 32);
    s[APPLY] = call(SOLVE_32, "pre", "heat.Jacobi", "apply", rank, 0);
    s[SOLVE_64] = call(GO, "solver", "heat.Cholmod", "solve", rank, 64);
}

static enum portolan_status put_steps(struct portolan_store *store, int64_t trial,
                                      struct portolan_error *err)
{
    struct portolan_sample s[2 * N_PATHS + 1];
    enum portolan_status status;
    size_t n = 0;

    for (int rank = 0; rank < 2; rank++) {
        struct portolan_sample *r = &s[n];

        fill_paths(r, rank);
        for (int i = 1; i < N_PATHS; i++)
            r[i].parent += (int64_t)n;
        set(&r[GO], 1, 3, 1000, 400, 10000);
        set(&r[SOLVE_32], 2, 1, 500, 400, 6000);
        set(&r[APPLY], 1, 0, 100, 100, 1000);
        set(&r[SOLVE_64], 1, 0, 100, 100, 1500);
        r[SOLVE_32].mpi_ns = 50 * us * (rank + 1);
        n += N_PATHS;
    }
    s[n] = call(-1, "pool", "heat.Pool", STRANGE_METHOD, 0, 0);
    set(&s[n], 1, 0, 77.0005, 77.0005, 0);
    s[n++].thread = 1;
    status = portolan_store_put_step(store, trial, 0, s, n, err);
    for (int rank = 0; rank < 2 && status == PORTOLAN_OK; rank++) {
        fill_paths(s, rank);
        set(&s[GO], 1, 1, 300, 100, 3000);
        set(&s[SOLVE_32], 1, 0, 200, 200, 2000);
        status = portolan_store_put_step(store, trial, 1, s, 2, err);
    }
    return status;
}

static enum portolan_status put_rows(struct portolan_store *store, int64_t trial,
                                     struct portolan_error *err)
{
    /* What ends first comes first, as it does from the probe. */
    static const struct {
        int path, step;
        double start_us, length_us, own_us, counter, n;
    } rows[] = {
        {APPLY, 0, 100, 100, 100, 1000, 0},     {SOLVE_32, 0, 100, 300, 200, 4000, 32},
        {SOLVE_32, 0, 500, 200, 200, 2000, 32}, {SOLVE_64, 0, 800, 100, 100, 1500, 64},
        {GO, 0, 0, 1000, 400, 10000, 0},        {SOLVE_32, 1, 1150, 200, 200, 2000, 32},
        {GO, 1, 1100, 300, 100, 3000, 0},
    };
    enum portolan_status status = PORTOLAN_OK;

    for (int rank = 0; rank < 2 && status == PORTOLAN_OK; rank++) {
        struct portolan_sample s[N_PATHS];
        struct portolan_invocation calls[N_OF(rows)];
        double k = rank + 1;

        fill_paths(s, rank);
        for (size_t i = 0; i < N_OF(rows); i++)
            calls[i] = (struct portolan_invocation){
                .path = rows[i].path,
                .step = rows[i].step,
                .ordinal = (int64_t)i,
                .start_ns = rows[i].start_us * us * k,
                .inclusive_ns = rows[i].length_us * us * k,
                .exclusive_ns = rows[i].own_us * us * k,
                .mpi_ns = rows[i].path == SOLVE_32 && rows[i].step == 0 ? 25 * us * k : 0,
                .quality = NAN,
                .context = {rows[i].n},
                .n_counters = 1,
                .counter = {rows[i].counter * k},
                .one_in = 1,
            };
        status = portolan_store_put_invocations(store, trial, s, N_PATHS, calls, N_OF(rows), err);
    }
    return status;
}

static enum portolan_status put_events(struct portolan_store *store, int64_t trial,
                                       struct portolan_error *err)
{
    struct portolan_sample s[N_PATHS];
    const struct portolan_event events[] = {
        {0, 0, -1, "residual", 3, 9, 1, 4, 98},
        {0, 0, SOLVE_32, "residual", 2, 9, 1, 5, 82},
        {1, 0, -1, "heap \"KB\"", 1, 2.5, 2.5, 2.5, 6.25},
    };

    fill_paths(s, 0);
    return portolan_store_put_events(store, trial, s, N_PATHS, events, N_OF(events), err);
}

static enum portolan_status put_plate(struct portolan_store *store, bool rows,
                                      struct portolan_error *err)
{
    const struct portolan_name_value parameters[] = {{"driver.n", "32"}};
    const struct portolan_name_value facts[] = {{"host", "node7"},
                                                {"note", "a \"quoted\", <x> & y's\nline"}};
    const struct portolan_trial trial = {.assembly = "plate",
                                         .purpose = "run",
                                         .ranks = 2,
                                         .started = "2006-11-16T00:00:00Z",
                                         .n_parameters = N_OF(parameters),
                                         .parameters = parameters,
                                         .n_metadata = N_OF(facts),
                                         .metadata = facts};
    int64_t id;
    enum portolan_status status = portolan_store_begin_trial(store, &trial, &id, err);

    if (status == PORTOLAN_OK)
        status = put_steps(store, id, err);
    if (status == PORTOLAN_OK && rows)
        status = put_rows(store, id, err);
    if (status == PORTOLAN_OK)
        status = put_events(store, id, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_end_trial(store, id, "finished", 2700 * us, err);
    return status;
}

static enum portolan_status put_size(struct portolan_store *store, double n, double more_ns,
                                     const char *name, struct portolan_error *err)
{
    char size[20];
    const struct portolan_name_value parameters[] = {
        {"driver.n", size}, {"driver.name", name}, {"driver.tol", "1e-6"}};
    const struct portolan_trial trial = {.assembly = "plate",
                                         .purpose = "explore",
                                         .ranks = 1,
                                         .started = "2006-11-16T00:00:00Z",
                                         .n_parameters = N_OF(parameters),
                                         .parameters = parameters};
    struct portolan_sample s[N_PATHS];
    int64_t id;
    enum portolan_status status;

    snprintf(size, sizeof size, "%g", n);
    status = portolan_store_begin_trial(store, &trial, &id, err);
    fill_paths(s, 0);
    s[SOLVE_32].n_context = 0;
    set(&s[GO], 1, 1, n, 0.1 * n, 0);
    set(&s[SOLVE_32], 2, 0, 0.9 * n, 0.9 * n, 0);
    s[GO].inclusive_ns += more_ns;
    s[GO].exclusive_ns += more_ns;
    s[GO].n_counters = s[SOLVE_32].n_counters = 0;
    if (status == PORTOLAN_OK)
        status = portolan_store_put_step(store, id, 0, s, 2, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_end_trial(store, id, "finished", n * us, err);
    return status;
}

static enum portolan_status put_sampled(struct portolan_store *store, struct portolan_error *err)
{
    const struct portolan_trial trial = {
        .assembly = "sampled", .purpose = "run", .ranks = 1, .started = "2006-11-16T00:00:00Z"};
    struct portolan_sample s[2] = {call(-1, "driver", "heat.Driver", "go", 0, 0),
                                   call(0, "clock", "heat.Clock", "tick", 0, 0)};
    int64_t id;
    enum portolan_status status = portolan_store_begin_trial(store, &trial, &id, err);

    set(&s[0], 1, 100, 1000, 950, 0);
    set(&s[1], 100, 0, 50, 50, 0);
    s[1].timed_calls = 10;
    s[0].n_counters = s[1].n_counters = 0;
    if (status == PORTOLAN_OK)
        status = portolan_store_put_step(store, id, 0, s, 2, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_end_trial(store, id, "finished", 1000 * us, err);
    return status;
}

enum portolan_status sample_store_fill(struct portolan_store *store, bool rows,
                                       struct portolan_error *err)
{
    enum portolan_status status = put_plate(store, rows, err);

    if (status == PORTOLAN_OK)
        status = put_size(store, 16, 0, "a", err);
    if (status == PORTOLAN_OK)
        status = put_size(store, 16, 10, "b", err);
    if (status == PORTOLAN_OK)
        status = put_size(store, 32, 0, "c", err);
    if (status == PORTOLAN_OK)
        status = put_size(store, 64, 0, "d", err);
    if (status == PORTOLAN_OK)
        status = put_sampled(store, err);
    return status;
}

enum portolan_status sample_store_add_large(struct portolan_store *store, int ranks, size_t paths,
                                            size_t rows, struct portolan_error *err)
{
    const struct portolan_trial trial = {.assembly = "large", .purpose = "run", .ranks = ranks};
    struct portolan_sample *s = portolan_calloc(paths + 1, sizeof *s);
    struct portolan_invocation *calls = portolan_calloc(rows + 1, sizeof *calls);
    char(*names)[32] = portolan_calloc(paths + 1, sizeof *names);
    int64_t id;
    enum portolan_status status =
        s && calls && names ? portolan_store_begin_trial(store, &trial, &id, err) : PORTOLAN_ENOMEM;

    for (int rank = 0; rank < ranks && status == PORTOLAN_OK; rank++) {
        for (size_t i = 0; i < paths; i++) {
            snprintf(names[i], sizeof names[i], "method_%zu", i);
            s[i] =
                call(i ? (int64_t)((i - 1) / 4) : -1, "solver", "heat.Cholmod", names[i], rank, 64);
            set(&s[i], 1, 0, 1.25 * (double)(paths - i), 1.25, 1000);
        }
        for (size_t i = 0; i < rows; i++)
            calls[i] = (struct portolan_invocation){.path = (int64_t)(i % paths),
                                                    .start_ns = (double)i * 100.5,
                                                    .inclusive_ns = 90.25,
                                                    .exclusive_ns = 90.25,
                                                    .quality = NAN,
                                                    .context = {64},
                                                    .n_counters = 1,
                                                    .counter = {1000},
                                                    .one_in = 1};
        status = portolan_store_put_step(store, id, 0, s, paths, err);
        if (status == PORTOLAN_OK && rows)
            status = portolan_store_put_invocations(store, id, s, paths, calls, rows, err);
    }
    if (status == PORTOLAN_OK)
        status = portolan_store_end_trial(store, id, "finished", 1e9, err);
    free(s);
    free(calls);
    free(names);
    return status;
}
