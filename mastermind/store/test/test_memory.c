/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation fails once; then what was asked for is refused as such and can be repeated. */
#include "fixture.h"

static enum portolan_status whole_life(const char *path, struct portolan_error *err)
{
    const struct portolan_trial trial = {.assembly = "plate", .purpose = "run", .ranks = 2};
    struct portolan_decision d = {.assembly = "plate", .parameters = "", .host = "", .choice = ""};
    struct portolan_sample samples[STEP_SAMPLES];
    struct portolan_store_query query = {.newest_only = true}; /* earlier attempts left theirs */
    struct portolan_sample_set *set = NULL;
    struct portolan_column_set *columns = NULL;
    struct portolan_decision *found = NULL;
    struct portolan_store *store = NULL;
    enum portolan_status status;
    int64_t id;

    make_step(0, samples);
    if (!(status = portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, err)) &&
        !(status = portolan_store_begin_trial(store, &trial, &id, err)) &&
        !(status = portolan_store_put_step(store, id, 0, samples, STEP_SAMPLES, err)) &&
        !(status = portolan_store_read(store, &query, true, &set, err)) &&
        !(status = portolan_store_read_columns(store, &query, NULL, 0, &columns, err)) &&
        !(status = portolan_store_put_decision(store, &d, &id, err)))
        status = portolan_store_find_decision(store, "plate", "", "", 0, &found, err);
    portolan_sample_set_destroy(set);
    portolan_column_set_destroy(columns);
    portolan_decision_destroy(found);
    portolan_store_close(store);
    return status;
}

static void every_failing_allocation_is_reported(void **state)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long n = 0;

    while (next_allocation_fails(&n, status)) {
        struct portolan_error err = {0};

        status = whole_life(*state, &err);
        portolan_alloc_fail_at(0);
        assert_int_equal(status, err.status);
    }
    assert_true(n > 20);
}

static int look(void *arg, const struct portolan_sample *path,
                const struct portolan_invocation *row)
{
    (void)arg, (void)path, (void)row;
    return 0;
}

static enum portolan_status put_all_else(struct portolan_store *store, int64_t trial,
                                         struct portolan_error *err)
{
    const struct portolan_event event = {.name = "memory", .path = 1, .count = 1};
    const struct portolan_traffic traffic = {.routine = "MPI_Send"};
    const struct portolan_rank_fact fact = {0, 0, "host", "brig"};
    const struct portolan_invocation calls[] = {{.path = 1, .start_ns = 5}, {.path = 0}};
    struct portolan_sample samples[STEP_SAMPLES];
    enum portolan_status status;

    make_step(0, samples);
    if (!(status = portolan_store_put_step(store, trial, 0, samples, STEP_SAMPLES, err)) &&
        !(status =
              portolan_store_put_invocations(store, trial, samples, STEP_SAMPLES, calls, 2, err)) &&
        !(status =
              portolan_store_put_events(store, trial, samples, STEP_SAMPLES, &event, 1, err)) &&
        !(status = portolan_store_put_traffic(store, trial, &traffic, 1, err)) &&
        !(status = portolan_store_put_rank_facts(store, trial, &fact, 1, err)))
        status = portolan_store_summarise(store, trial, err);
    return status;
}

static enum portolan_status read_all_else(struct portolan_store *store, int64_t trial,
                                          struct portolan_error *err)
{
    struct portolan_summary_set *summary = NULL;
    struct portolan_traffic_set *traffic = NULL;
    struct portolan_event_set *events = NULL;
    enum portolan_status status;

    if (!(status = portolan_store_read_summary(store, trial, &summary, NULL, err)) &&
        !(status = portolan_store_read_events(store, trial, NULL, &events, err)) &&
        !(status = portolan_store_read_traffic(store, trial, &traffic, err)))
        status = portolan_store_visit_invocations(store, trial, NULL, look, NULL, err);
    portolan_summary_set_destroy(summary);
    portolan_event_set_destroy(events);
    portolan_traffic_set_destroy(traffic);
    return status;
}

static void every_failing_allocation_is_reported_for_all_else_too(void **state)
{
    enum portolan_status status;
    unsigned long n = 0;

    do {
        struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
        int64_t trial = begin_plate(store);
        struct portolan_error err = {0};

        portolan_alloc_fail_at(++n);
        if (!(status = put_all_else(store, trial, &err)))
            status = read_all_else(store, trial, &err);
        portolan_alloc_fail_at(0);
        assert_int_equal(status, err.status);
        if (status)
            assert_int_equal(status, PORTOLAN_ENOMEM);
        portolan_store_close(store);
    } while (status);
    assert_true(n > 60);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup_folder, teardown_folder)

UNIT_TESTS(IN_FOLDER(every_failing_allocation_is_reported),
           IN_FOLDER(every_failing_allocation_is_reported_for_all_else_too))
