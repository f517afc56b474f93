/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics over ranks: computed from samples, in SQL and by hand, and read back as stored. */
#include "fixture.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 5, PATHS = 4, STEPS = 2, THREADS = 2 };

/* main → a → b, main → b; path 3 only on ranks 1 and 3; rank 4 has main alone. */
static const int64_t parents[PATHS] = {-1, 0, 1, 0};
static const char *const methods[PATHS] = {"main", "a", "b", "b"};

static bool is_there(int rank, int path)
{
    return path == 0 || (rank < 4 && (path < 3 || rank % 2 == 1));
}

/* Any numbers will do, if they differ from rank to rank. */
static double time_of(int rank, int thread, int step, int path)
{
    return 1000 + 37.5 * rank * rank + 11 * thread + 7 * step + 100 * path;
}

static size_t make_samples(int step, struct portolan_sample *s)
{
    size_t n = 0;

    for (int rank = 0; rank < RANKS; ++rank)
        for (int thread = 0; thread < (rank == 2 ? THREADS : 1); ++thread) {
            int64_t at[PATHS];

            for (int path = 0; path < PATHS; ++path) {
                if (!is_there(rank, path))
                    continue;
                at[path] = (int64_t)n;
                s[n++] = (struct portolan_sample){
                    .rank = rank,
                    .thread = thread,
                    .parent = path ? at[parents[path]] : -1,
                    .user = path ? "driver" : "",
                    .uses = path ? "work" : "",
                    .instance = "worker",
                    .port = "work",
                    .implementation = "test.Worker",
                    .port_type = "test.Work",
                    .method = methods[path],
                    .calls = 3 + rank,
                    .timed_calls = path == 2 ? 2 : 0,
                    .subroutines = 1,
                    .inclusive_ns = time_of(rank, thread, step, path),
                    .exclusive_ns = time_of(rank, thread, step, path) / 4,
                    .mpi_ns = path == 1 ? rank : 0,
                    .min_ns = 10 + rank,
                    .max_ns = 500 + rank,
                    .sum_squares_ns2 = 1000,
                    .quality = NAN,
                    .n_counters = path == 1,
                    .counter_name = {"PAPI_TOT_INS"},
                    .counter = {100.0 * rank},
                };
            }
        }
    return n;
}

static int64_t put_trial(struct portolan_store *store)
{
    const struct portolan_trial trial = {.assembly = "made up", .purpose = "run", .ranks = RANKS};
    struct portolan_sample samples[RANKS * THREADS * PATHS];
    struct portolan_error err = {0};
    int64_t id = 0;

    assert_int_equal(portolan_store_begin_trial(store, &trial, &id, &err), PORTOLAN_OK);
    for (int step = 0; step < STEPS; ++step)
        if (portolan_store_put_step(store, id, step, samples, make_samples(step, samples), &err))
            fail_msg("%s", err.text);
    return id;
}

/* The definition, straight: a value per rank, then the statistics of these. */
static struct portolan_statistics by_hand(const double values[RANKS])
{
    struct portolan_statistics s = {.min = values[0], .max = values[0]};
    double squares = 0;

    for (int r = 0; r < RANKS; ++r) {
        s.sum += values[r];
        s.min = values[r] < s.min ? values[r] : s.min;
        if (values[r] > s.max) {
            s.max = values[r];
            s.max_rank = r;
        }
    }
    s.mean = s.sum / RANKS;
    for (int r = 0; r < RANKS; ++r)
        squares += (values[r] - s.mean) * (values[r] - s.mean);
    s.stddev = sqrt(squares / RANKS);
    return s;
}

static void expect_statistics(const struct portolan_statistics *s,
                              const struct portolan_statistics *wanted)
{
    /* Sums of a few numbers in another order. */
    double tolerance = 1e-12 * (1 + fabs(wanted->sum));

    assert_true(fabs(s->sum - wanted->sum) <= tolerance);
    assert_true(fabs(s->mean - wanted->mean) <= tolerance);
    assert_true(s->min == wanted->min);
    assert_true(s->max == wanted->max);
    assert_true(fabs(s->stddev - wanted->stddev) <= tolerance);
    assert_int_equal(s->max_rank, wanted->max_rank);
}

static void expect_path(const struct portolan_path_summary *s, int path)
{
    double calls[RANKS] = {0}, inclusive[RANKS] = {0}, exclusive[RANKS] = {0}, mpi[RANKS] = {0};
    double compute[RANKS];
    double counter[RANKS] = {0};
    struct portolan_statistics wanted;
    int n_ranks = 0, n_threads = 0;

    for (int r = 0; r < RANKS; ++r) {
        int threads = r == 2 ? THREADS : 1;

        if (!is_there(r, path))
            continue;
        ++n_ranks;
        n_threads += threads;
        for (int t = 0; t < threads; ++t)
            for (int step = 0; step < STEPS; ++step) {
                calls[r] += 3 + r;
                inclusive[r] += time_of(r, t, step, path);
                exclusive[r] += time_of(r, t, step, path) / 4;
                mpi[r] += path == 1 ? r : 0;
                counter[r] += path == 1 ? 100.0 * r : 0;
            }
    }
    assert_string_equal(s->method, methods[path]);
    assert_int_equal(s->parent, parents[path]);
    assert_int_equal(s->n_ranks, n_ranks);
    assert_int_equal(s->n_threads, n_threads);
    assert_true(s->one_min_ns == (path == 3 ? 11 : 10));
    assert_true(s->one_max_ns == 500 + (path == 0 ? 4 : 3));
    assert_true(s->sum_squares_ns2 == 1000.0 * n_threads * STEPS);
    wanted = by_hand(calls);
    expect_statistics(&s->calls, &wanted);
    assert_true(s->calls_sum == wanted.sum);
    assert_true(s->timed_calls == (path == 2 ? 2.0 * n_threads * STEPS : wanted.sum));
    wanted = by_hand(inclusive);
    expect_statistics(&s->inclusive, &wanted);
    wanted = by_hand(exclusive);
    expect_statistics(&s->exclusive, &wanted);
    wanted = by_hand(mpi);
    expect_statistics(&s->mpi, &wanted);
    for (int r = 0; r < RANKS; ++r)
        compute[r] = exclusive[r] - mpi[r];
    wanted = by_hand(compute);
    expect_statistics(&s->compute, &wanted);
    assert_int_equal(s->n_counters, path == 1);
    if (path != 1)
        return;
    assert_string_equal(s->counter_name[0], "PAPI_TOT_INS");
    wanted = by_hand(counter);
    expect_statistics(&s->counter[0], &wanted);
}

static void expect_summary(struct portolan_store *store, int64_t trial, bool stored)
{
    struct portolan_summary_set *set = NULL;
    struct portolan_error err = {0};
    bool was_stored = !stored;

    if (portolan_store_read_summary(store, trial, &set, &was_stored, &err))
        fail_msg("%s", err.text);
    assert_int_equal(was_stored, stored);
    assert_int_equal(set->ranks, RANKS);
    assert_int_equal(set->n, PATHS);
    for (int path = 0; path < PATHS; ++path)
        expect_path(&set->rows[path], path);
    portolan_summary_set_destroy(set);
}

static void a_trial_without_summary_is_summed_up_when_read(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = put_trial(store);

    expect_summary(store, trial, false);
    portolan_store_close(store);
    store = open_or_fail(*state, PORTOLAN_STORE_READ);
    expect_summary(store, trial, false);
    portolan_store_close(store);
}

static void what_is_summarised_is_stored_and_the_same(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t other = put_trial(store), trial = put_trial(store);

    assert_int_equal(portolan_store_summarise(store, trial, NULL), PORTOLAN_OK);
    expect_summary(store, trial, true);
    assert_int_equal(portolan_store_summarise(store, trial, NULL), PORTOLAN_OK); /* replaced */
    expect_summary(store, trial, true);
    expect_summary(store, other, false);
    portolan_store_close(store);
}

static void a_summary_that_is_put_replaces_the_stored_one(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t source = put_trial(store), trial = begin_plate(store);
    struct portolan_summary_set *set = NULL, *back = NULL;

    assert_int_equal(portolan_store_read_summary(store, source, &set, NULL, NULL), PORTOLAN_OK);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(portolan_store_put_summary(store, trial, set->rows, set->n, NULL),
                         PORTOLAN_OK);
    assert_int_equal(portolan_store_read_summary(store, trial, &back, NULL, NULL), PORTOLAN_OK);
    assert_int_equal(back->n, PATHS);
    assert_int_equal(back->ranks, 2); /* begin_plate() says so */
    for (int path = 0; path < PATHS; ++path)
        expect_path(&back->rows[path], path);
    set->rows[1].parent = 1;
    assert_int_equal(portolan_store_put_summary(store, trial, set->rows, set->n, NULL),
                     PORTOLAN_EINVAL);
    portolan_summary_set_destroy(set);
    portolan_summary_set_destroy(back);
    portolan_summary_set_destroy(NULL);
    portolan_store_close(store);
}

/* The same in SQL, from the rows that the summary was not made of by it. */
static void sql_says_the_same_of_the_rows(void **state)
{
    static const char query[] =
        "WITH value AS (SELECT callpath, rank, sum(inclusive) AS x FROM sample GROUP BY 1, 2),"
        " every AS (SELECT p.callpath, r.rank, coalesce(v.x, 0) AS x"
        "           FROM (SELECT DISTINCT callpath FROM value) p"
        "           CROSS JOIN (SELECT DISTINCT rank FROM value) r"
        "           LEFT JOIN value v ON v.callpath = p.callpath AND v.rank = r.rank)"
        "SELECT count(*) FROM summary s JOIN (SELECT callpath, sum(x) AS total, avg(x) AS mean,"
        " min(x) AS least, max(x) AS most, avg(x * x) - avg(x) * avg(x) AS variance"
        " FROM every GROUP BY callpath) e ON e.callpath = s.callpath"
        " WHERE abs(s.inclusive - total) < 1e-6 AND abs(s.inclusive_mean - mean) < 1e-6"
        " AND s.inclusive_minimum = least AND s.inclusive_maximum = most"
        " AND abs(s.inclusive_deviation * s.inclusive_deviation - variance) < 1e-3";
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);

    assert_int_equal(portolan_store_summarise(store, put_trial(store), NULL), PORTOLAN_OK);
    portolan_store_close(store);
    assert_int_equal(count_in(*state, query), PATHS);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM derived_value"), 5 * PATHS);
    assert_int_equal(count_in(*state, "SELECT calls FROM derived_value v JOIN timer_callpath p"
                                      " ON p.id = v.timer_callpath"
                                      " WHERE thread_index = -2 AND p.parent IS NULL"),
                     (3 + 4 + 2 * 5 + 6 + 7) * STEPS);
}

static void the_summary_of_no_trial_is_refused(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_summary_set *set = (void *)1;
    struct portolan_error err = {0};

    assert_int_equal(portolan_store_read_summary(store, 9, &set, NULL, &err), PORTOLAN_ENOTFOUND);
    assert_null(set);
    assert_non_null(strstr(err.text, "there is no trial 9"));
    assert_int_equal(portolan_store_summarise(store, 9, NULL), PORTOLAN_ENOTFOUND);
    assert_int_equal(portolan_store_put_summary(store, 9, NULL, 0, NULL), PORTOLAN_ENOTFOUND);
    portolan_store_close(store);
}

static void many_threads_of_a_rank_are_counted(void **state)
{
    enum { MANY = 150 };
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_sample *samples = calloc(MANY, sizeof *samples);
    struct portolan_summary_set *set = NULL;
    int64_t trial = begin_plate(store);

    assert_non_null(samples);
    for (int i = 0; i < MANY; ++i) {
        samples[i] = (struct portolan_sample){.rank = 1,
                                              .thread = i * 3,
                                              .parent = -1,
                                              .instance = "worker",
                                              .method = "work",
                                              .calls = 1,
                                              .inclusive_ns = 1};
    }
    assert_int_equal(portolan_store_put_step(store, trial, 0, samples, MANY, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_put_step(store, trial, 1, samples, MANY, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_read_summary(store, trial, &set, NULL, NULL), PORTOLAN_OK);
    assert_int_equal(set->n, 1);
    assert_int_equal(set->rows[0].n_threads, MANY);
    assert_int_equal(set->rows[0].n_ranks, 1);
    assert_true(set->rows[0].inclusive.sum == 2 * MANY && set->rows[0].inclusive.mean == MANY);
    assert_true(set->rows[0].inclusive.stddev == MANY); /* 0 and 300 */
    assert_int_equal(set->rows[0].inclusive.max_rank, 1);
    portolan_summary_set_destroy(set);
    free(samples);
    portolan_store_close(store);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup_folder, teardown_folder)

UNIT_TESTS(IN_FOLDER(a_trial_without_summary_is_summed_up_when_read),
           IN_FOLDER(what_is_summarised_is_stored_and_the_same),
           IN_FOLDER(a_summary_that_is_put_replaces_the_stored_one),
           IN_FOLDER(sql_says_the_same_of_the_rows), IN_FOLDER(the_summary_of_no_trial_is_refused),
           IN_FOLDER(many_threads_of_a_rank_are_counted))
