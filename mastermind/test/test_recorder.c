/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of one rank, and of two that do the same, into a store in memory. */
#include <unit_test.h>

#include "calls.h"
#include "recorder_internal.h"
#include <portolan/recorder.h>

#include <unistd.h>

/* A cohort of two ranks of which the other one is the mirror image of this one. */
static enum portolan_status mirror_gather(struct portolan_cohort *c, const void *bytes, size_t size,
                                          void **all, size_t *sizes)
{
    (void)c;
    *all = malloc(2 * size);
    memcpy(*all, bytes, size);
    memcpy((char *)*all + size, bytes, size);
    if (sizes)
        sizes[0] = sizes[1] = size;
    return PORTOLAN_OK;
}

static enum portolan_status mirror_max(struct portolan_cohort *c, double *values, size_t count)
{
    (void)c, (void)values, (void)count;
    return PORTOLAN_OK;
}

static enum portolan_status mirror_bcast(struct portolan_cohort *c, void *buffer, size_t size,
                                         int root)
{
    (void)c, (void)buffer, (void)size, (void)root;
    return PORTOLAN_OK;
}

static struct portolan_recorder recorder;
static struct portolan_assembly_parameter n32 = {.name = "n", .text = "32"};
static struct portolan_assembly_alternative driver_classes[] = {
    {.class_name = "test.Driver", .n_parameters = 1, .parameters = &n32}};
static struct portolan_assembly_alternative solver_classes[] = {{.class_name = "test.Other"},
                                                                {.class_name = "test.Solver"}};
static struct portolan_assembly_instance instances[] = {
    {.name = "driver", .n_alternatives = 1, .alternatives = driver_classes},
    {.name = "solver", .n_alternatives = 2, .alternatives = solver_classes, .selected = 1}};
static const struct portolan_assembly assembly = {
    .name = "plate", .n_instances = 2, .instances = instances, .purpose = "explore"};

static int open_alone(void **state)
{
    calls_connect();
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL) ||
           portolan_recorder_open(&recorder, portolan_cohort_alone(), &assembly, "", NULL);
}

static int close_recorder(void **state)
{
    portolan_recorder_close(&recorder);
    return 0;
}

static void cut(void *next_step)
{
    portolan_probe_pause();
    portolan_probe_clock_advance(1000000); /* storing is slow, and nobody is charged for it */
    assert_int_equal(portolan_recorder_cut(&recorder, *(int *)next_step, NULL), PORTOLAN_OK);
    portolan_probe_resume();
}

/* Steps within one go: cut before each, as at a swap point. */
static void steps(void *arg)
{
    (void)arg;
    for (int step = 0; step < 3; ++step) {
        cut(&step);
        calls_solve(step + 1);
        portolan_probe_clock_advance(2);
    }
}

static struct portolan_sample_set *read_all(void)
{
    struct portolan_sample_set *set = NULL;

    assert_int_equal(portolan_store_read(recorder.store, NULL, true, &set, NULL), PORTOLAN_OK);
    return set;
}

static void each_step_holds_its_own_time(void **state)
{
    struct portolan_sample_set *set;
    const struct portolan_sample *s;

    calls_go(1, 4, steps, NULL); /* before the first step: 1 + 40 */
    assert_int_equal(portolan_recorder_end(&recorder, NULL), PORTOLAN_OK);
    set = read_all();
    assert_int_equal(set->n_samples, 8);
    s = set->samples;
    assert_int_equal(s[0].step, -1);
    assert_true(s[0].inclusive_ns == 41 && s[0].exclusive_ns == 1 && s[1].inclusive_ns == 40);
    for (int step = 0; step < 3; ++step) {
        s += 2;
        assert_int_equal(s[0].step, step);
        assert_int_equal(s[1].parent, 2 * step + 2);
        assert_true(s[0].inclusive_ns == 10 * (step + 1) + 2 && s[0].exclusive_ns == 2);
        assert_true(s[1].inclusive_ns == 10 * (step + 1) && s[1].calls == 1);
        assert_true(s[1].min_ns == s[1].inclusive_ns && s[1].max_ns == s[1].inclusive_ns);
        assert_true(s[1].quality == 0.5);
        assert_int_equal(s[0].calls, step == 2); /* it returned in the last slice */
    }
    assert_string_equal(set->trials[0].outcome, "finished");
    assert_true(set->trials[0].elapsed_ns == 41 + 12 + 22 + 32);
    portolan_sample_set_destroy(set);
}

/* A call as a whole, whatever steps it went through. */
struct whole {
    int n;
    struct portolan_invocation rows[8];
};

static int keep_row(void *arg, const struct portolan_sample *path,
                    const struct portolan_invocation *row)
{
    struct whole *w = arg;

    assert_string_equal(path->instance, "driver");
    w->rows[w->n++] = *row;
    return 0;
}

static struct portolan_summary_set *read_summary(void)
{
    struct portolan_summary_set *set = NULL;

    assert_int_equal(
        portolan_store_read_summary(recorder.store, recorder.trial, &set, &(bool){false}, NULL),
        PORTOLAN_OK);
    return set;
}

/* The call of three steps takes 1 + 40 + 12 + 22 + 32 ns, those after it in its last step 11, 21.
 */
static void check_whole_calls(void)
{
    struct portolan_sample_set *set = read_all();
    const struct portolan_sample *last = &set->samples[6];
    struct portolan_summary_set *summary;
    double sum = 0;

    for (size_t i = 0; i < set->n_samples; ++i)
        sum += set->samples[i].parent < 0 ? set->samples[i].inclusive_ns : 0;
    assert_true(sum == 107 + 11 + 21);
    assert_string_equal(last->method, "go");
    assert_int_equal(last->calls, 3);
    assert_true(last->inclusive_ns == 32 + 11 + 21);
    assert_true(last->exclusive_ns == 2 + 1 + 1);
    assert_true(last->min_ns == 11 && last->max_ns == 107);
    assert_true(last->sum_squares_ns2 == 107 * 107 + 11 * 11 + 21 * 21);
    portolan_sample_set_destroy(set);
    summary = read_summary();
    assert_string_equal(summary->rows[0].method, "go");
    assert_true(summary->rows[0].one_min_ns == 11 && summary->rows[0].one_max_ns == 107);
    assert_true(summary->rows[0].inclusive.sum == 107 + 11 + 21);
    portolan_summary_set_destroy(summary);
}

static struct portolan_store *other; /* of another process, as it were */
static char file[] = "/tmp/recorder.XXXXXX";

static int open_beside_a_writer(void **state)
{
    close(mkstemp(file));
    remove(file); /* a store makes it */
    calls_connect();
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL) ||
           portolan_recorder_open(&recorder, portolan_cohort_alone(), &assembly, file, NULL) ||
           portolan_store_open(file, PORTOLAN_STORE_WRITE, &other, NULL) ||
           portolan_store_begin(other, NULL);
}

static int close_both(void **state)
{
    static const char *const ends[] = {"", "-wal", "-shm"};

    portolan_store_close(other);
    other = NULL;
    close_recorder(state);
    for (size_t i = 0; i < 3; ++i) {
        char *name = portolan_asprintf("%s%s", file, ends[i]);

        remove(name);
        free(name);
    }
    strcpy(file + sizeof file - 7, "XXXXXX");
    return 0;
}

static void take_id(void *id, const char *name, int64_t added)
{
    assert_non_null(strstr(name, ".recover-"));
    *(int64_t *)id = added;
}

/* Into a file, and from there, when the lock is gone, into the store. */
static void nothing_is_lost_when_the_store_stays_locked(void **state)
{
    struct portolan_sample_set *set = NULL;
    int64_t id = 0;

    calls_go(1, 4, steps, NULL);
    assert_int_equal(portolan_recorder_end(&recorder, NULL), PORTOLAN_OK);
    portolan_store_rollback(other);
    assert_int_equal(portolan_store_recover(file, take_id, &id, NULL), PORTOLAN_OK);
    assert_int_equal(id, 1);
    assert_int_equal(portolan_store_read(other, NULL, true, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n_samples, 8);
    assert_string_equal(set->trials[0].outcome, "finished");
    portolan_sample_set_destroy(set);
}

/* Also where another process holds the store locked meanwhile: then steps wait in memory. */
static void a_call_through_steps_is_one_call(void **state)
{
    struct whole w = {0};

    calls_note_roots(true);
    portolan_probe_clock_advance(7);
    calls_go(1, 4, steps, NULL);
    if (other)
        portolan_store_rollback(other);
    calls_go(1, 1, NULL, NULL);
    calls_go(1, 2, NULL, NULL);
    assert_int_equal(portolan_recorder_end(&recorder, NULL), PORTOLAN_OK);
    calls_note_roots(false);
    check_whole_calls();
    portolan_store_visit_invocations(recorder.store, recorder.trial, NULL, keep_row, &w, NULL);
    assert_int_equal(w.n, 3);
    assert_int_equal(w.rows[0].step, 2);
    assert_int_equal(w.rows[0].ordinal, 0);
    assert_true(w.rows[0].start_ns == 7 && w.rows[0].inclusive_ns == 107);
    assert_true(w.rows[0].exclusive_ns == 7);
    /* three pauses of a millisecond were in the first call */
    assert_true(w.rows[1].start_ns == 3000114 && w.rows[1].inclusive_ns == 11);
    assert_true(w.rows[2].start_ns == 3000125 && w.rows[2].exclusive_ns == 1);
}

static enum portolan_status refuse(void *self)
{
    (void)self;
    return PORTOLAN_EBUSY;
}

static int n_restarts;

/* Refused at every other cut, as when another thread is inside a call. */
static enum portolan_status refuse_sometimes(void *self)
{
    return n_restarts++ % 2 ? PORTOLAN_EBUSY : slice_own_source.restart(self);
}

static void so_it_is_where_records_go_on(void **state)
{
    static struct portolan_recorder_source source;

    source = *recorder.source;
    source.restart = n_restarts < 0 ? refuse : refuse_sometimes;
    recorder.source = &source;
    calls_go(1, 4, steps, NULL);
    calls_go(1, 1, NULL, NULL);
    calls_go(1, 2, NULL, NULL);
    assert_int_equal(portolan_recorder_end(&recorder, NULL), PORTOLAN_OK);
    check_whole_calls();
}

static int never_restart(void **state)
{
    n_restarts = -1;
    return open_alone(state);
}

static int restart_sometimes(void **state)
{
    n_restarts = 0;
    return open_alone(state);
}

static void the_clock_tells_where_the_roots_are_not_timed(void **state)
{
    struct portolan_sample_set *set;

    calls_sample_roots(PORTOLAN_PROBE_SAMPLING_MAX); /* one in 2^24: not this one */
    calls_go(1, 4, steps, NULL);
    calls_sample_roots(1);
    assert_int_equal(portolan_recorder_end(&recorder, NULL), PORTOLAN_OK);
    set = read_all();
    /* the pauses end after the cuts, at once */
    assert_true(set->trials[0].elapsed_ns == 107);
    portolan_sample_set_destroy(set);
}

static void a_trial_knows_its_assembly_and_machine(void **state)
{
    struct portolan_sample_set *set;
    bool host = false, libc = false, load = false;

    calls_go(1, 1, NULL, NULL);
    assert_int_equal(portolan_recorder_end(&recorder, NULL), PORTOLAN_OK);
    set = read_all();
    assert_string_equal(set->trials[0].assembly, "plate");
    assert_string_equal(set->trials[0].purpose, "explore");
    assert_string_equal(set->trials[0].parameters[0].name, "driver.n");
    assert_string_equal(set->trials[0].parameters[0].value, "32");
    assert_string_equal(set->trials[0].implementations[1].value, "test.Solver");
    for (size_t i = 0; i < set->trials[0].n_metadata; ++i) {
        const struct portolan_name_value *m = &set->trials[0].metadata[i];

        host = host || !strcmp(m->name, "host");
        load = load || !strcmp(m->name, "others busy %");
        libc = libc || (!strcmp(m->name, "object libc.so.6") && strstr(m->value, "/libc.so.6"));
    }
    assert_true(host);
    assert_true(libc);
    assert_true(load);
    portolan_sample_set_destroy(set);
}

static void rows_of_both_ranks_are_stored_with_their_parents(void **state)
{
    struct portolan_cohort mirror = {.size = 2,
                                     .bcast = mirror_bcast,
                                     .max = mirror_max,
                                     .sum = mirror_max,
                                     .gather = mirror_gather};
    struct portolan_sample_set *set;

    recorder.cohort = &mirror;
    calls_go(2, 3, NULL, NULL);
    assert_int_equal(portolan_recorder_cut(&recorder, 0, NULL), PORTOLAN_OK);
    set = read_all();
    assert_int_equal(set->trials[0].ranks, 2);
    assert_int_equal(set->n_samples, 4);
    assert_true(set->samples[1].inclusive_ns == 60 && set->samples[3].inclusive_ns == 60);
    assert_int_equal(set->samples[3].parent, 2);
    portolan_sample_set_destroy(set);
}

static void a_failed_rank_makes_a_failed_trial(void **state)
{
    struct portolan_sample_set *set;

    calls_go(1, 1, NULL, NULL);
    recorder.failed = true;
    assert_int_equal(portolan_recorder_end(&recorder, NULL), PORTOLAN_OK);
    set = read_all();
    assert_string_equal(set->trials[0].outcome, "failed");
    portolan_sample_set_destroy(set);
}

static void without_a_call_there_is_no_trial(void **state)
{
    struct portolan_sample_set *set;

    assert_int_equal(portolan_recorder_end(&recorder, NULL), PORTOLAN_OK);
    set = read_all();
    assert_int_equal(set->n_trials, 0);
    portolan_sample_set_destroy(set);
}

static enum portolan_status first_steps(struct portolan_error *err)
{
    static struct portolan_recorder_source source;
    enum portolan_status status =
        portolan_recorder_open(&recorder, portolan_cohort_alone(), &assembly, "", err);

    if (!status) {
        source = *recorder.source;
        source.cost = NULL; /* without memory for it, nothing is said of it */
        recorder.source = &source;
    }
    if (!status)
        status = portolan_recorder_cut(&recorder, 0, err);
    calls_go(1, 2, NULL, NULL);
    return status ? status : portolan_recorder_cut(&recorder, 1, err);
}

static void every_failing_allocation_is_reported_and_measuring_goes_on(void **state)
{
    enum portolan_status status;
    unsigned long n = 0;

    do {
        struct portolan_error err = {0};

        portolan_recorder_close(&recorder);
        portolan_alloc_fail_at(++n);
        status = first_steps(&err);
        portolan_alloc_fail_at(0);
        assert_int_equal(err.status, status);
        if (status)
            assert_int_equal(status, PORTOLAN_ENOMEM);
        if (recorder.store)
            assert_int_equal(portolan_recorder_cut(&recorder, 1, NULL), PORTOLAN_OK);
    } while (status);
    assert_true(n > 50);
}

static void a_foreign_store_is_refused(void **state)
{
    struct portolan_recorder other = {0};
    struct portolan_error err = {0};

    assert_int_equal(
        portolan_recorder_open(&other, portolan_cohort_alone(), NULL, "/etc/passwd", &err),
        PORTOLAN_EFOREIGN);
    assert_non_null(strstr(err.text, "/etc/passwd"));
    portolan_recorder_close(&other);
}

UNIT_TESTS(
    cmocka_unit_test_setup_teardown(each_step_holds_its_own_time, open_alone, close_recorder),
    cmocka_unit_test_setup_teardown(a_call_through_steps_is_one_call, open_alone, close_recorder),
    cmocka_unit_test_setup_teardown(a_call_through_steps_is_one_call, open_beside_a_writer,
                                    close_both),
    cmocka_unit_test_setup_teardown(nothing_is_lost_when_the_store_stays_locked,
                                    open_beside_a_writer, close_both),
    cmocka_unit_test_setup_teardown(so_it_is_where_records_go_on, never_restart, close_recorder),
    cmocka_unit_test_setup_teardown(so_it_is_where_records_go_on, restart_sometimes,
                                    close_recorder),
    cmocka_unit_test_setup_teardown(the_clock_tells_where_the_roots_are_not_timed, open_alone,
                                    close_recorder),
    cmocka_unit_test_setup_teardown(a_trial_knows_its_assembly_and_machine, open_alone,
                                    close_recorder),
    cmocka_unit_test_setup_teardown(rows_of_both_ranks_are_stored_with_their_parents, open_alone,
                                    close_recorder),
    cmocka_unit_test_setup_teardown(without_a_call_there_is_no_trial, open_alone, close_recorder),
    cmocka_unit_test_setup_teardown(a_failed_rank_makes_a_failed_trial, open_alone, close_recorder),
    cmocka_unit_test_setup_teardown(every_failing_allocation_is_reported_and_measuring_goes_on,
                                    open_alone, close_recorder),
    cmocka_unit_test(a_foreign_store_is_refused))
