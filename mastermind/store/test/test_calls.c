/* SPDX-License-Identifier: BSD-3-Clause */
/* Single calls, events, communication, facts about ranks; labels, and trials that go. */
#include "fixture.h"
#include "heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* go → solve on two threads of rank 0 and one of rank 1; solve has a context and a counter. */
enum { GO, SOLVE, SOLVE_THREAD, SOLVE_RANK, PATHS };

static void make_paths(struct portolan_sample s[PATHS])
{
    const struct portolan_sample go = {.parent = -1, HEAT_GO};
    struct portolan_sample solve = {.parent = -1,
                                    HEAT_SOLVE,
                                    .n_context = 1,
                                    .context_name = {"n"},
                                    .n_counters = 1,
                                    .counter_name = {"PAPI_FP_OPS"}};

    s[GO] = go;
    s[SOLVE] = solve;
    s[SOLVE].parent = GO;
    s[SOLVE_THREAD] = solve;
    s[SOLVE_THREAD].thread = 1;
    s[SOLVE_RANK] = solve;
    s[SOLVE_RANK].rank = 1;
}

static struct portolan_invocation make_call(int64_t path, double start, double length)
{
    return (struct portolan_invocation){.path = path,
                                        .step = (int)start / 1000,
                                        .ordinal = (int64_t)start,
                                        .start_ns = start,
                                        .inclusive_ns = length,
                                        .exclusive_ns = length / 2,
                                        .mpi_ns = length / 8,
                                        .quality = path == GO ? NAN : 1e-6,
                                        .context = {start + 0.5},
                                        .n_counters = path != GO,
                                        .counter = {3 * start},
                                        .one_in = path == SOLVE_RANK ? 16 : 1};
}

static void put_calls(struct portolan_store *store, int64_t trial,
                      const struct portolan_invocation *rows, size_t n)
{
    struct portolan_sample paths[PATHS];
    struct portolan_error err = {0};

    make_paths(paths);
    if (portolan_store_put_invocations(store, trial, paths, PATHS, rows, n, &err))
        fail_msg("%s", err.text);
}

struct seen {
    size_t n, stop_after;
    int rank[100], thread[100];
    double start[100];
    char method[100]; /* its first letter */
    int64_t number[100];
    const struct portolan_sample *path[100]; /* valid during the visit */
};

static int see(void *arg, const struct portolan_sample *path, const struct portolan_invocation *r)
{
    struct seen *s = arg;

    assert_true(s->n < 100);
    s->rank[s->n] = path->rank;
    s->thread[s->n] = path->thread;
    s->start[s->n] = r->start_ns;
    s->method[s->n] = path->method[0];
    s->number[s->n] = r->path;
    assert_int_equal(path->parent, -1);
    for (size_t i = 0; i < s->n; ++i)
        assert_true((s->path[i] == path) == (s->number[i] == r->path));
    s->path[s->n++] = path;
    assert_true(r->step == (int)r->start_ns / 1000 && r->ordinal == (int64_t)r->start_ns);
    assert_true(r->exclusive_ns == r->inclusive_ns / 2 && r->mpi_ns == r->inclusive_ns / 8);
    if (!strcmp(path->method, "go")) {
        assert_true(path->n_context == 0 && path->n_counters == 0 && isnan(r->quality));
    } else {
        assert_int_equal(path->n_context, 1);
        assert_string_equal(path->context_name[0], "n");
        assert_string_equal(path->counter_name[0], "PAPI_FP_OPS");
        assert_string_equal(path->user, "driver");
        assert_int_equal(r->n_counters, 1);
        assert_true(r->counter[0] == 3 * r->start_ns && r->quality == 1e-6);
        assert_true(r->context[0] == r->start_ns + 0.5);
        assert_int_equal(r->one_in, path->rank == 1 ? 16 : 1);
    }
    return s->n == s->stop_after;
}

static struct seen visit(const char *path, int64_t trial, const int *rank, size_t stop_after)
{
    struct portolan_store *store = open_or_fail(path, PORTOLAN_STORE_READ);
    struct seen seen = {.stop_after = stop_after};
    struct portolan_error err = {0};

    if (portolan_store_visit_invocations(store, trial, rank, see, &seen, &err))
        fail_msg("%s", err.text);
    portolan_store_close(store);
    return seen;
}

static void calls_come_back_by_rank_thread_and_start(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    /* By their ends, as they come about; go encloses all of its thread. */
    const struct portolan_invocation first[] = {
        make_call(SOLVE_RANK, 300, 5),   make_call(SOLVE, 10, 5),
        make_call(SOLVE, 30, 5),         make_call(SOLVE, 20, 50),
        make_call(SOLVE_THREAD, 15, 10), make_call(SOLVE_RANK, 100, 5),
    };
    const struct portolan_invocation second[] = {
        make_call(SOLVE, 1000, 5),
        make_call(SOLVE, 25, 500),
        make_call(SOLVE, 2000, 5),
        make_call(GO, 10, 5000),
    };
    static const double starts[] = {10, 10, 20, 25, 30, 1000, 2000, 15, 100, 300};
    const int rank = 1;
    struct seen seen;

    put_calls(store, trial, first, 6);
    put_calls(store, trial, second, 4);
    portolan_store_close(store);
    seen = visit(*state, trial, NULL, 0);
    assert_int_equal(seen.n, 10);
    for (int i = 0; i < 10; ++i) {
        if (seen.start[i] != starts[i])
            fail_msg("call %d starts at %g, not %g", i, seen.start[i], starts[i]);
        assert_int_equal(seen.rank[i], i >= 8);
        assert_int_equal(seen.thread[i], i == 7);
        assert_int_equal(seen.method[i], i == 0 ? 'g' : 's'); /* the caller first */
    }
    assert_int_equal(seen.number[1], seen.number[6]);
    seen = visit(*state, trial, &rank, 0);
    assert_int_equal(seen.n, 2);
    seen = visit(*state, trial, NULL, 3);
    assert_int_equal(seen.n, 3);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM call"), 10);
    assert_int_equal(count_in(*state, "SELECT sum(context1) FROM call WHERE context1_name = 'n'"
                                      " AND rank = 1"),
                     401);
}

static int check_order(void *arg, const struct portolan_sample *path,
                       const struct portolan_invocation *row)
{
    double *last = arg;

    (void)path;
    assert_true(row->start_ns > last[0]);
    last[0] = row->start_ns;
    last[1] += 1;
    return 0;
}

static void calls_of_any_order_and_many_puts_come_back_sorted(void **state)
{
    enum { PUTS = 40, ROWS = 250 };
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_invocation rows[ROWS];
    double last[2] = {-1, 0};

    /* 7919 is prime, so that each number below 10,000 occurs once. */
    for (int k = 0; k < PUTS; ++k) {
        for (int i = 0; i < ROWS; ++i)
            rows[i] = make_call(SOLVE, (double)((k * ROWS + i) * 7919LL % (PUTS * ROWS)), 1);
        put_calls(store, trial, rows, ROWS);
    }
    assert_int_equal(portolan_store_visit_invocations(store, trial, NULL, check_order, last, NULL),
                     PORTOLAN_OK);
    assert_true(last[1] == PUTS * ROWS);
    portolan_store_close(store);
}

static void calls_of_paths_that_are_not_given_are_refused_whole(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_invocation rows[] = {make_call(SOLVE, 1, 1), make_call(PATHS, 2, 1)};
    struct portolan_sample paths[PATHS];
    struct portolan_error err = {0};

    make_paths(paths);
    assert_int_equal(portolan_store_put_invocations(store, trial, paths, PATHS, rows, 2, &err),
                     PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "single calls was not stored"));
    rows[1] = make_call(GO, 2, 1);
    rows[1].n_counters = 1;
    assert_int_equal(portolan_store_put_invocations(store, trial, paths, PATHS, rows, 2, NULL),
                     PORTOLAN_EINVAL);
    rows[1] = make_call(GO, NAN, 1);
    assert_int_equal(portolan_store_put_invocations(store, trial, paths, PATHS, rows, 2, NULL),
                     PORTOLAN_EINVAL);
    assert_int_equal(portolan_store_put_invocations(store, 77, paths, PATHS, rows, 1, NULL),
                     PORTOLAN_ENOTFOUND);
    portolan_store_close(store);
    assert_int_equal(visit(*state, trial, NULL, 0).n, 0);
}

static struct portolan_event make_event(int rank, int64_t path, const char *name, double value)
{
    /* Two values: VALUE and 3 VALUE. */
    return (struct portolan_event){
        rank, 0, path, name, 2, 3 * value, value, 2 * value, 10 * value * value};
}

static void events_of_a_rank_replace_its_earlier_ones(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    const struct portolan_event first[] = {make_event(0, -1, "memory", 5),
                                           make_event(1, -1, "memory", 6)};
    const struct portolan_event second[] = {make_event(0, 1, "memory", 7),
                                            make_event(0, -1, "bytes", 9),
                                            make_event(0, -1, "memory", 8)};
    struct portolan_event_set *set = NULL;
    struct portolan_sample paths[PATHS];
    const int rank = 1;

    make_paths(paths);
    assert_int_equal(portolan_store_put_events(store, trial, paths, PATHS, first, 2, NULL),
                     PORTOLAN_OK);
    assert_int_equal(portolan_store_put_events(store, trial, paths, PATHS, second, 3, NULL),
                     PORTOLAN_OK);
    assert_int_equal(portolan_store_read_events(store, trial, NULL, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n_events, 4);
    assert_string_equal(set->events[0].name, "bytes");
    assert_true(set->events[1].mean == 16 && set->events[1].path == -1);
    assert_true(set->events[2].max == 21 && set->events[2].min == 7 && set->events[2].count == 2);
    assert_true(set->events[2].sum_squares == 490);
    assert_string_equal(set->samples[set->events[2].path].method, "solve");
    assert_string_equal(set->samples[set->samples[set->events[2].path].parent].method, "go");
    assert_true(set->events[3].rank == 1 && set->events[3].mean == 12);
    portolan_event_set_destroy(set);
    assert_int_equal(portolan_store_read_events(store, trial, &rank, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n_events, 1);
    portolan_event_set_destroy(set);
    portolan_event_set_destroy(NULL);
    assert_int_equal(portolan_store_put_events(store, trial, paths, 1, second, 3, NULL),
                     PORTOLAN_EINVAL);
    portolan_store_close(store);
    /* Of 8 and 24: TAUdb's names. */
    assert_int_equal(count_in(*state, "SELECT standard_deviation FROM counter_value v JOIN counter"
                                      " c ON c.id = v.counter WHERE c.name = 'memory'"
                                      " AND timer_callpath IS NULL AND maximum_value = 24"),
                     8);
}

static void communication_of_a_rank_replaces_its_earlier_one(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    const struct portolan_traffic first[] = {{0, "MPI_Send", 1, false, 3, 30, 300},
                                             {1, "MPI_Recv", 0, true, 3, 60, 300}};
    const struct portolan_traffic second[] = {{0, "MPI_Send", 1, false, 4, 40, 400},
                                              {0, "MPI_Allreduce", -1, false, 2, 8, 16},
                                              {0, "MPI_Send", 1, false, 1, 10, 1e18}};
    struct portolan_traffic_set *set = NULL;

    assert_int_equal(portolan_store_put_traffic(store, trial, first, 2, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_put_traffic(store, trial, second, 3, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_read_traffic(store, trial, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n, 3);
    assert_string_equal(set->rows[0].routine, "MPI_Allreduce");
    assert_true(set->rows[0].partner == -1 && set->rows[0].calls == 2);
    assert_true(set->rows[1].calls == 5 && set->rows[1].time_ns == 50); /* both added */
    assert_true(set->rows[1].bytes == 1e18 + 400 && !set->rows[1].received);
    assert_true(set->rows[2].rank == 1 && set->rows[2].received && set->rows[2].time_ns == 60);
    portolan_traffic_set_destroy(set);
    portolan_traffic_set_destroy(NULL);
    assert_int_equal(portolan_store_put_traffic(store, 9, first, 2, NULL), PORTOLAN_ENOTFOUND);
    portolan_store_close(store);
}

static void facts_belong_to_their_ranks(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    const struct portolan_rank_fact facts[] = {
        {1, 0, "host", "brig"}, {0, 0, "host", "caravel"}, {0, 2, "core", "5"}};
    const struct portolan_rank_fact later = {1, 0, "host", "dhow"};

    assert_int_equal(portolan_store_put_rank_facts(store, trial, facts, 3, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_put_rank_facts(store, trial, &later, 1, NULL), PORTOLAN_OK);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM secondary_metadata"), 3);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM secondary_metadata m JOIN thread h"
                                      " ON h.id = m.thread WHERE h.node_rank = 1"
                                      " AND m.name = 'host' AND m.value = 'dhow'"),
                     1);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM secondary_metadata m JOIN thread h"
                                      " ON h.id = m.thread WHERE h.thread_rank = 2"
                                      " AND m.value = '5'"),
                     1);
    portolan_store_close(store);
}

static void samples_of_a_rank_or_of_some_steps_are_read_alone(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_sample samples[STEP_SAMPLES];
    const int rank = 1, first = 1, last = 2;
    struct portolan_store_query query = {.rank = &rank};
    struct portolan_sample_set *set;

    for (int step = -1; step < 4; ++step) {
        make_step(step, samples);
        samples[1].timed_calls = 7;
        samples[2].timed_calls = PORTOLAN_STORE_NONE_TIMED;
        assert_int_equal(portolan_store_put_step(store, trial, step, samples, STEP_SAMPLES, NULL),
                         PORTOLAN_OK);
    }
    set = read_or_fail(store, &query);
    assert_int_equal(set->n_samples, 5 * 2);
    for (size_t i = 0; i < set->n_samples; ++i) {
        assert_int_equal(set->samples[i].rank, 1);
        assert_int_equal(set->samples[i].parent, i % 2 ? (int64_t)i - 1 : -1);
    }
    portolan_sample_set_destroy(set);
    query = (struct portolan_store_query){.first_step = &first, .last_step = &last};
    set = read_or_fail(store, &query);
    assert_int_equal(set->n_samples, 2 * STEP_SAMPLES);
    assert_int_equal(set->samples[0].step, 1);
    assert_int_equal(set->samples[1].timed_calls, 7);
    assert_int_equal(set->samples[2].timed_calls, PORTOLAN_STORE_NONE_TIMED);
    assert_int_equal(set->samples[4].timed_calls, set->samples[4].calls);
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
}

static void a_label_is_set_changed_and_taken_away(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    static const char *const labels[] = {"base", "better", NULL};
    struct portolan_sample_set *set;

    for (int i = 0; i < 3; ++i) {
        assert_int_equal(portolan_store_label_trial(store, trial, labels[i], NULL), PORTOLAN_OK);
        set = read_or_fail(store, NULL);
        assert_int_equal(set->trials[0].n_metadata, labels[i] ? 2 : 1);
        if (labels[i]) {
            assert_string_equal(set->trials[0].metadata[1].name, PORTOLAN_STORE_LABEL);
            assert_string_equal(set->trials[0].metadata[1].value, labels[i]);
        }
        portolan_sample_set_destroy(set);
    }
    assert_int_equal(portolan_store_label_trial(store, 9, "x", NULL), PORTOLAN_ENOTFOUND);
    portolan_store_close(store);
}

/* Every kind of row there is, twice. */
static int64_t put_everything(struct portolan_store *store)
{
    const struct portolan_invocation calls[] = {make_call(SOLVE, 10, 5), make_call(GO, 5, 50)};
    const struct portolan_event event = make_event(0, 1, "memory", 5);
    const struct portolan_traffic traffic = {0, "MPI_Send", 1, false, 3, 30, 300};
    const struct portolan_rank_fact fact = {0, 0, "host", "brig"};
    int64_t trial = begin_plate(store);
    const struct portolan_swap swap = {trial, 0, "solver", "a", "b", "faster", "done"};
    struct portolan_sample samples[STEP_SAMPLES], paths[PATHS];

    make_paths(paths);
    make_step(0, samples);
    assert_int_equal(portolan_store_put_step(store, trial, 0, samples, STEP_SAMPLES, NULL),
                     PORTOLAN_OK);
    put_calls(store, trial, calls, 2);
    assert_int_equal(portolan_store_put_events(store, trial, paths, PATHS, &event, 1, NULL),
                     PORTOLAN_OK);
    assert_int_equal(portolan_store_put_traffic(store, trial, &traffic, 1, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_put_rank_facts(store, trial, &fact, 1, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_put_swap(store, &swap, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_summarise(store, trial, NULL), PORTOLAN_OK);
    return trial;
}

static const char *const tables[] = {"trial",
                                     "trial_parameter",
                                     "trial_implementation",
                                     "primary_metadata",
                                     "thread",
                                     "metric",
                                     "component",
                                     "port",
                                     "timer",
                                     "timer_callpath",
                                     "step",
                                     "call_layout",
                                     "call_data",
                                     "call_piece",
                                     "invocation",
                                     "invocation_piece",
                                     "counter",
                                     "counter_value",
                                     "traffic",
                                     "summary",
                                     "swap",
                                     "counter_summary",
                                     "secondary_metadata"};
enum { TABLES = sizeof tables / sizeof *tables };

static void count_rows(const char *path, int64_t rows[TABLES])
{
    for (int i = 0; i < TABLES; ++i) {
        char *query = portolan_asprintf("SELECT count(*) FROM %s", tables[i]);

        rows[i] = count_in(path, query);
        free(query);
    }
}

static void a_trial_goes_with_all_its_rows_and_no_other(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t one = put_everything(store), two, before[TABLES], after[TABLES];

    count_rows(*state, before);
    for (int i = 0; i < TABLES; ++i)
        if (!before[i])
            fail_msg("no row in %s", tables[i]);
    two = put_everything(store);
    assert_int_equal(portolan_store_delete_trial(store, one, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_delete_trial(store, one, NULL), PORTOLAN_ENOTFOUND);
    count_rows(*state, after);
    for (int i = 0; i < TABLES; ++i)
        if (after[i] != before[i])
            fail_msg("%s has %lld rows, not %lld", tables[i], (long long)after[i],
                     (long long)before[i]);
    assert_int_equal(visit(*state, two, NULL, 0).n, 2);
    assert_int_equal(portolan_store_delete_trial(store, two, NULL), PORTOLAN_OK);
    put_everything(store); /* ids in memory are none of the deleted */
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM trial"), 1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup_folder, teardown_folder)

UNIT_TESTS(IN_FOLDER(calls_come_back_by_rank_thread_and_start),
           IN_FOLDER(calls_of_any_order_and_many_puts_come_back_sorted),
           IN_FOLDER(calls_of_paths_that_are_not_given_are_refused_whole),
           IN_FOLDER(events_of_a_rank_replace_its_earlier_ones),
           IN_FOLDER(communication_of_a_rank_replaces_its_earlier_one),
           IN_FOLDER(facts_belong_to_their_ranks),
           IN_FOLDER(samples_of_a_rank_or_of_some_steps_are_read_alone),
           IN_FOLDER(a_label_is_set_changed_and_taken_away),
           IN_FOLDER(a_trial_goes_with_all_its_rows_and_no_other))
