/* SPDX-License-Identifier: BSD-3-Clause */
/* Run by mpiexec with any number of ranks: trials of all of them, exact on the manual clock. */
#include <unit_test.h>

#include "calls.h"
#include "recorder_internal.h"

#include <math.h>
#include <portolan/mpi.h>
#include <unistd.h>

static struct portolan_cohort *cohort;
static struct portolan_recorder recorder;

static int open_recorder(void **state)
{
    struct portolan_error err = {0};

    calls_connect();
    if (portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL) ||
        portolan_recorder_open(&recorder, cohort, NULL, "", &err))
        fail_msg("%s", err.text);
    return 0;
}

static int close_recorder(void **state)
{
    portolan_recorder_close(&recorder);
    return 0;
}

static void cut(int next_step)
{
    struct portolan_error err = {0};

    if (portolan_recorder_cut(&recorder, next_step, &err))
        fail_msg("%s", err.text);
}

static void end(void)
{
    struct portolan_error err = {0};

    if (portolan_recorder_end(&recorder, &err))
        fail_msg("%s", err.text);
}

/* ------------------------------------------------------------------ blocks in rounds */

struct seen {
    int next;
    size_t most;
};

static enum portolan_status see(void *arg, int rank, const void *bytes, size_t size,
                                struct portolan_error *err)
{
    struct seen *s = arg;

    assert_int_equal(size, (size_t)rank * 8); /* rank 0's is empty and not shown */
    assert_int_equal(rank, s->next++);
    assert_int_equal(((const char *)bytes)[size - 1], rank);
    return (size_t)rank == s->most ? portolan_error_set(err, PORTOLAN_EIO, "enough") : PORTOLAN_OK;
}

static enum portolan_status gather(size_t limit, enum portolan_status before, struct seen *seen,
                                   struct portolan_error *err)
{
    char *bytes = malloc((size_t)cohort->rank * 8 + 1);
    enum portolan_status status;
    double total;

    memset(bytes, cohort->rank, (size_t)cohort->rank * 8 + 1);
    status = gather_blocks(cohort, before, bytes, (size_t)cohort->rank * 8, limit, see, seen,
                           &total, err);
    assert_true(total == 8.0 * cohort->size * (cohort->size - 1) / 2);
    free(bytes);
    return status;
}

static void blocks_arrive_in_order_whatever_the_limit(void **state)
{
    for (size_t limit = 1; limit < 64; limit *= 2) {
        struct seen seen = {1, 1000};

        assert_int_equal(gather(limit, PORTOLAN_OK, &seen, NULL), PORTOLAN_OK);
        assert_int_equal(seen.next, cohort->rank == 0 ? cohort->size : 1);
    }
}

static void a_failure_of_one_is_everybodys_and_ends_it(void **state)
{
    struct seen seen = {1, 1};
    struct portolan_error err = {0}, other = {0};
    enum portolan_status mine = cohort->rank == cohort->size - 1 ? PORTOLAN_ENOMEM : PORTOLAN_OK;

    if (cohort->size > 1) {
        assert_int_equal(gather(8, PORTOLAN_OK, &seen, &err), PORTOLAN_EIO);
        assert_non_null(strstr(err.text, "rank 0: enough"));
        assert_int_equal(seen.next, cohort->rank == 0 ? 2 : 1);
    }
    seen = (struct seen){1, 1000};
    assert_int_equal(gather(8, mine, &seen, &other), PORTOLAN_ENOMEM);
    assert_int_equal(seen.next, 1);
}

/* ------------------------------------------------------------------ the slowest rank */

static void expect_slowest(int calls)
{
    const struct portolan_sample *samples;
    size_t n;

    step_find_slowest(&recorder, &samples, &n);
    assert_int_equal(n, 2);
    assert_string_equal(samples[1].method, "solve");
    assert_string_equal(samples[1].context_name[0], "n");
    assert_true(samples[1].context[0] == 3);
    assert_int_equal(samples[1].parent, 0);
    assert_int_equal(samples[1].calls, cohort->rank == 0 ? calls : cohort->rank + 1);
}

/* Asked for anew, out of what is gathered for the store, and where nothing is. */
static void rank_0_sees_the_samples_of_the_rank_that_worked_most(void **state)
{
    for (int step = 0; step < 3; ++step) {
        recorder.summary_only = step == 2;
        calls_go(cohort->rank + 1, 3, NULL, NULL);
        cut(step);
        expect_slowest(cohort->size);
        expect_slowest(cohort->size);
    }
    end();
}

/* ------------------------------------------------------------------ the piggyback */

static double all_values[PORTOLAN_PIGGYBACK_HEAD + 3];
static double *const values = all_values + PORTOLAN_PIGGYBACK_HEAD;

static bool fill(struct portolan_piggyback *p, const struct portolan_sample *samples, size_t n)
{
    values[0] = cohort->rank;
    values[1] = n == 2 ? (double)samples[1].calls : 0;
    values[2] = -1;
    return cohort->rank == cohort->size - 1;
}

/* Rank 0 knows the slowest rank's calls, and that the last rank has something to say. */
static void add(struct portolan_piggyback *p, const struct portolan_sample *slowest, size_t n,
                int n_waiting)
{
    assert_int_equal(cohort->rank, 0);
    values[2] = n == 2 ? 100 * n_waiting + (double)slowest[1].calls : 0;
}

static struct portolan_piggyback piggyback = {
    .n = PORTOLAN_PIGGYBACK_HEAD + 3, .values = all_values, .fill = fill, .add = add};

static void expect_values(int step, double of_rank_0)
{
    assert_true(piggyback.has_arrived);
    assert_int_equal(piggyback.step, step);
    assert_true(values[0] == cohort->size - 1 && values[2] == of_rank_0);
}

static void what_travels_with_a_step_is_the_maximum_over_ranks(void **state)
{
    recorder.piggyback = &piggyback;
    for (int step = 0; step < 3; ++step) {
        recorder.summary_only = step > 1;
        calls_go(cohort->rank + 1, 3, NULL, NULL);
        cut(step);
        expect_values(step, 100 + cohort->size);
        assert_true(values[1] == cohort->size);
    }
    end();
}

static enum portolan_status take_on_all_but_the_last(void *self, struct portolan_probe_snapshot *s,
                                                     struct portolan_error *err)
{
    return cohort->rank == cohort->size - 1 ? portolan_error_set(err, PORTOLAN_EIO, "gone")
                                            : slice_own_source.take(self, s, err);
}

/* The ranks hear of each other; rank 0 has not seen all samples and adds nothing. */
static void it_travels_though_the_step_is_lost(void **state)
{
    struct portolan_recorder_source source = slice_own_source;

    source.take = take_on_all_but_the_last;
    recorder.piggyback = &piggyback;
    recorder.source = &source;
    calls_go(cohort->rank + 1, 3, NULL, NULL);
    assert_int_equal(portolan_recorder_cut(&recorder, 7, NULL), PORTOLAN_EIO);
    expect_values(7, -1);
    assert_int_equal(values[1], cohort->size - 1);
    recorder.source = &slice_own_source;
    assert_int_equal(portolan_recorder_end(&recorder, NULL), PORTOLAN_EIO);
}

/* The store is locked by another process, as it were: the step waits in memory. */
static void it_travels_while_the_store_is_locked(void **state)
{
    char path[] = "/tmp/portolan-XXXXXX";
    struct portolan_store *other = NULL;

    portolan_recorder_close(&recorder);
    if (cohort->rank == 0)
        close(mkstemp(path));
    assert_int_equal(portolan_recorder_open(&recorder, cohort, NULL, path, NULL), PORTOLAN_OK);
    recorder.piggyback = &piggyback;
    cut(0);
    if (cohort->rank == 0) {
        assert_int_equal(portolan_store_open(path, PORTOLAN_STORE_WRITE, &other, NULL), 0);
        assert_int_equal(portolan_store_begin(other, NULL), 0);
    }
    calls_go(cohort->rank + 1, 3, NULL, NULL);
    cut(1);
    expect_values(1, 100 + cohort->size);
    portolan_store_close(other);
    end();
    if (cohort->rank == 0)
        unlink(path);
}

/* ------------------------------------------------------------------ statistics */

/* Rank 1 and every fourth from it on were never there; the others' work differs. */
static bool is_absent(int rank)
{
    return rank % 4 == 1;
}

static void work(int step)
{
    if (!is_absent(cohort->rank))
        calls_go(cohort->rank + 1, 3 + step, NULL, NULL);
    if (cohort->rank % 2)
        calls_solve(7); /* not from go: another path */
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static void compare(const struct portolan_statistics *a, const struct portolan_statistics *b)
{
    assert_true(is_near(a->sum, b->sum) && is_near(a->mean, b->mean));
    assert_true(a->min == b->min && a->max == b->max && is_near(a->stddev, b->stddev));
    assert_int_equal(a->max_rank, b->max_rank);
}

static const struct portolan_path_summary *find(const struct portolan_summary_set *set,
                                                const struct portolan_path_summary *like)
{
    for (size_t i = 0; i < set->n; ++i) {
        const struct portolan_path_summary *r = &set->rows[i];

        if (!strcmp(r->method, like->method) && !strcmp(r->instance, like->instance) &&
            (r->parent < 0) == (like->parent < 0))
            return r;
    }
    fail_msg("no path of %s.%s", like->instance, like->method);
    return NULL;
}

static struct portolan_summary_set *read_summary(bool expect_stored)
{
    struct portolan_summary_set *set = NULL;
    bool was_stored = false;

    assert_int_equal(
        portolan_store_read_summary(recorder.store, recorder.trial, &set, &was_stored, NULL),
        PORTOLAN_OK);
    assert_int_equal(was_stored, expect_stored);
    assert_int_equal(set->ranks, cohort->size);
    return set;
}

/* What came up the tree against what the store makes of all samples. */
static void compare_with_samples(void)
{
    struct portolan_summary_set *merged = read_summary(true), *computed;

    assert_int_equal(portolan_store_summarise(recorder.store, recorder.trial, NULL), PORTOLAN_OK);
    computed = read_summary(true);
    assert_int_equal(merged->n, computed->n);
    for (size_t i = 0; i < merged->n; ++i) {
        const struct portolan_path_summary *a = &merged->rows[i], *b = find(computed, a);

        assert_string_equal(a->implementation, b->implementation);
        assert_string_equal(a->user, b->user);
        assert_int_equal(a->n_ranks, b->n_ranks);
        assert_int_equal(a->n_threads, b->n_threads);
        assert_true(a->one_min_ns == b->one_min_ns && a->one_max_ns == b->one_max_ns);
        assert_true(a->sum_squares_ns2 == b->sum_squares_ns2);
        assert_true(a->timed_calls == b->timed_calls && a->subroutines == b->subroutines);
        compare(&a->calls, &b->calls);
        compare(&a->inclusive, &b->inclusive);
        compare(&a->exclusive, &b->exclusive);
        compare(&a->mpi, &b->mpi);
    }
    portolan_summary_set_destroy(merged);
    portolan_summary_set_destroy(computed);
}

/* Two steps of work(): go spends 1 and 10 n in each of its rank + 1 solves, n being 3 and 4. */
static void check_go(const struct portolan_summary_set *set, int steps)
{
    const struct portolan_path_summary like = {.parent = -1, .method = "go", .instance = "driver"};
    const struct portolan_path_summary *go = find(set, &like);
    double sum = 0, most = 0;
    int ranks = 0, most_rank = 0;

    for (int r = 0; r < cohort->size; ++r) {
        double t = 0;

        for (int step = 0; step < steps && !is_absent(r); ++step)
            t += 1 + 10.0 * (3 + step) * (r + 1);
        sum += t;
        ranks += !is_absent(r);
        if (t > most) {
            most = t;
            most_rank = r;
        }
    }
    assert_int_equal(go->n_ranks, ranks);
    assert_true(go->inclusive.sum == sum && is_near(go->inclusive.mean, sum / cohort->size));
    assert_true(go->inclusive.max == most);
    assert_int_equal(go->inclusive.max_rank, most_rank);
    assert_true(go->inclusive.min == (cohort->size > 1 ? 0 : most));
    assert_true(go->exclusive.sum == ranks * steps && go->calls_sum == ranks * steps);
}

static void check_summary(bool stored, int steps)
{
    struct portolan_summary_set *set = read_summary(stored);

    check_go(set, steps);
    portolan_summary_set_destroy(set);
}

static void statistics_merged_up_the_tree_are_those_of_the_samples(void **state)
{
    work(0);
    cut(0);
    work(1);
    end();
    if (cohort->rank != 0)
        return;
    check_summary(true, 2);
    compare_with_samples();
}

static void a_trial_that_is_cut_off_has_its_statistics_computed(void **state)
{
    work(0);
    cut(0);
    work(1);
    cut(1);
    if (cohort->rank == 0)
        check_summary(false, 2);
}

static void summaries_alone_are_stored_at_each_step_with_rank_0s_samples(void **state)
{
    struct portolan_sample_set *samples;

    recorder.summary_only = true;
    work(0);
    cut(0);
    if (cohort->rank == 0)
        check_summary(true, 1);
    work(1);
    end();
    if (cohort->rank != 0)
        return;
    check_summary(true, 2);
    assert_int_equal(portolan_store_read(recorder.store, NULL, true, &samples, NULL), PORTOLAN_OK);
    assert_int_equal(samples->n_samples, 4);
    for (size_t i = 0; i < samples->n_samples; ++i)
        assert_int_equal(samples->samples[i].rank, 0);
    portolan_sample_set_destroy(samples);
}

/* ------------------------------------------------------------------ rows */

struct rows_seen {
    int n[64]; /* of each rank */
    double last_start_ns;
};

static int see_row(void *arg, const struct portolan_sample *path,
                   const struct portolan_invocation *row)
{
    struct rows_seen *seen = arg;
    int i = seen->n[path->rank]++;

    assert_string_equal(path->method, "solve");
    assert_string_equal(path->context_name[0], "n");
    assert_true(row->context[0] == 3 && row->inclusive_ns == 30 && row->exclusive_ns == 30);
    assert_true(row->quality == 0.5);
    assert_int_equal(row->step, -1);
    assert_int_equal(row->one_in, 1);
    assert_int_equal(row->ordinal, i);
    if (i)
        assert_true(row->start_ns == seen->last_start_ns + 30);
    else
        assert_true(row->start_ns >= 5); /* on the clock that was furthest when the trial began */
    seen->last_start_ns = row->start_ns;
    return 0;
}

/* More than go at once on each rank, so that there are several rounds. */
static void rows_of_all_ranks_are_stored_with_their_step(void **state)
{
    struct rows_seen seen = {0};

    calls_note_rows(true);
    portolan_probe_clock_advance(5);
    for (int i = 0; i < 10000 + cohort->rank; ++i)
        calls_solve(3);
    cut(1);
    calls_note_rows(false);
    end();
    if (cohort->rank != 0)
        return;
    assert_int_equal(portolan_store_visit_invocations(recorder.store, recorder.trial, NULL, see_row,
                                                      &seen, NULL),
                     PORTOLAN_OK);
    for (int r = 0; r < cohort->size; ++r)
        assert_int_equal(seen.n[r], 10000 + r);
    assert_true(recorder.lost_rows == 0);
}

static int see_ordinals(void *arg, const struct portolan_sample *path,
                        const struct portolan_invocation *row)
{
    int *n = arg;

    assert_int_equal(row->ordinal, *n);
    assert_int_equal(row->step, *n);
    ++*n;
    return 0;
}

static void ordinals_go_on_over_steps(void **state)
{
    int n = 0, zero = 0;

    recorder.step = 0;
    calls_note_rows(true);
    for (int step = 0; step < 3; ++step) {
        calls_solve(4);
        cut(step + 1);
    }
    calls_note_rows(false);
    if (cohort->rank != 0)
        return;
    assert_int_equal(portolan_store_visit_invocations(recorder.store, recorder.trial, &zero,
                                                      see_ordinals, &n, NULL),
                     PORTOLAN_OK);
    assert_int_equal(n, 3);
}

/* ------------------------------------------------------------------ events and messages */

static enum portolan_status ring(struct portolan_probe_traffic **rows, size_t *n)
{
    *rows = calloc(1, sizeof **rows);
    **rows = (struct portolan_probe_traffic){.routine = "MPI_Send",
                                             .partner = (cohort->rank + 1) % cohort->size,
                                             .calls = 2,
                                             .time_ns = 10 + cohort->rank,
                                             .bytes = 100 * (uint64_t)cohort->rank};
    *n = 1;
    return PORTOLAN_OK;
}

static uint32_t event;

static void trigger(void *arg)
{
    portolan_probe_event_trigger(event, 10 + cohort->rank);
}

static void check_events(void)
{
    struct portolan_event_set *set;
    int paths = 0;

    assert_int_equal(portolan_store_read_events(recorder.store, recorder.trial, NULL, &set, NULL),
                     PORTOLAN_OK);
    assert_int_equal(set->n_events, 2 * cohort->size);
    for (size_t i = 0; i < set->n_events; ++i) {
        const struct portolan_event *e = &set->events[i];

        assert_string_equal(e->name, "residual");
        if (e->path < 0) { /* the total has what happened outside of calls as well */
            assert_true(e->count == 2 && e->mean == 6 + e->rank / 2.0);
            continue;
        }
        assert_true(e->count == 1 && e->max == 10 + e->rank);
        assert_string_equal(set->samples[e->path].method, "go");
        ++paths;
    }
    assert_int_equal(paths, cohort->size);
    portolan_event_set_destroy(set);
}

static void events_and_messages_since_the_trial_began_are_stored_by_rank(void **state)
{
    struct portolan_traffic_set *traffic;

    portolan_probe_event_register("residual", true, &event, NULL);
    portolan_probe_event_trigger(event, 1000); /* before the trial */
    portolan_recorder_close(&recorder);
    assert_int_equal(portolan_recorder_open(&recorder, cohort, NULL, "", NULL), PORTOLAN_OK);
    portolan_probe_traffic_set_source(ring);
    calls_go(0, 1, trigger, NULL);
    portolan_probe_event_trigger(event, 2);
    end();
    if (cohort->rank != 0)
        return;
    check_events();
    assert_int_equal(portolan_store_read_traffic(recorder.store, recorder.trial, &traffic, NULL),
                     PORTOLAN_OK);
    assert_int_equal(traffic->n, cohort->size);
    for (int r = 0; r < cohort->size; ++r) {
        const struct portolan_traffic *t = &traffic->rows[r];

        assert_int_equal(t->rank, r);
        assert_int_equal(t->partner, (r + 1) % cohort->size);
        assert_true(t->calls == 2 && t->bytes == 100 * r && t->time_ns == 10 + r);
    }
    portolan_traffic_set_destroy(traffic);
}

static const char *fact(const struct portolan_trial *t, const char *name)
{
    const char *value = portolan_trial_peek_fact(t, name);

    assert_non_null(value);
    return value;
}

static void a_trial_knows_where_its_ranks_ran_and_what_measuring_cost(void **state)
{
    struct portolan_sample_set *set;
    char ranks[40];

    work(0);
    end();
    if (cohort->rank != 0)
        return;
    assert_int_equal(portolan_store_read(recorder.store, NULL, false, &set, NULL), PORTOLAN_OK);
    snprintf(ranks, sizeof ranks, cohort->size > 1 ? " 0-%d" : " %d", cohort->size - 1);
    assert_non_null(strstr(fact(&set->trials[0], "ranks of hosts"), ranks));
    assert_true(atof(fact(&set->trials[0], "cost.call_ns")) > 0);
    assert_non_null(strstr(fact(&set->trials[0], "MPI"),
                           strcmp(PORTOLAN_MPI, "mpich") == 0 ? "MPICH" : "Open MPI"));
    fact(&set->trials[0], "MPI waits");
    portolan_sample_set_destroy(set);
}

#define RECORDING(test) cmocka_unit_test_setup_teardown(test, open_recorder, close_recorder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_arrive_in_order_whatever_the_limit),
        cmocka_unit_test(a_failure_of_one_is_everybodys_and_ends_it),
        RECORDING(rank_0_sees_the_samples_of_the_rank_that_worked_most),
        RECORDING(what_travels_with_a_step_is_the_maximum_over_ranks),
        RECORDING(it_travels_though_the_step_is_lost),
        RECORDING(it_travels_while_the_store_is_locked),
        RECORDING(statistics_merged_up_the_tree_are_those_of_the_samples),
        RECORDING(a_trial_that_is_cut_off_has_its_statistics_computed),
        RECORDING(summaries_alone_are_stored_at_each_step_with_rank_0s_samples),
        RECORDING(rows_of_all_ranks_are_stored_with_their_step),
        RECORDING(ordinals_go_on_over_steps),
        RECORDING(events_and_messages_since_the_trial_began_are_stored_by_rank),
        RECORDING(a_trial_knows_where_its_ranks_ran_and_what_measuring_cost),
    };
    struct portolan_error err = {0};
    int failed;

    if (portolan_mpi_init(&err) != PORTOLAN_OK ||
        portolan_mpi_cohort_create(&cohort, &err) != PORTOLAN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    failed = cmocka_run_group_tests_name("mastermind ranks", tests, NULL, NULL);
    portolan_mpi_cohort_destroy(cohort);
    portolan_mpi_finalize();
    return failed;
}
