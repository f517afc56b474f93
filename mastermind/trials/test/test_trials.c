/* SPDX-License-Identifier: BSD-3-Clause */
/* Which trials count, which make one law together, and what sampled calls say of all. */
#include <unit_test.h>

#include <portolan/trials.h>

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void put_trial(struct portolan_store *store, const char *outcome,
                      const struct portolan_name_value *facts, size_t n)
{
    const struct portolan_trial t = {.assembly = "plate",
                                     .purpose = "explore",
                                     .ranks = 1,
                                     .metadata = (void *)facts,
                                     .n_metadata = n};
    struct portolan_error err = {0};
    int64_t id;

    assert_int_equal(portolan_store_begin_trial(store, &t, &id, &err), PORTOLAN_OK);
    if (outcome)
        assert_int_equal(portolan_store_end_trial(store, id, outcome, 1, &err), PORTOLAN_OK);
}

/* Of the trials that TEXT names, WANTED ("3 5") remain, and NOTE is part of what is said. */
static void keeps(struct portolan_store *store, const char *text, const char *wanted,
                  const char *note)
{
    struct portolan_trial_list list;
    struct portolan_text said = {0}, ids = {0};

    assert_int_equal(portolan_trials_select(store, text, &list, NULL), PORTOLAN_OK);
    portolan_trials_keep_alike(&list, &said);
    for (size_t i = 0; i < list.n; i++)
        portolan_text_add(&ids, "%s%lld", i ? " " : "", (long long)list.trials[i]->id);
    assert_string_equal(ids.length ? ids.bytes : "", wanted);
    if (note)
        assert_non_null(strstr(said.length ? said.bytes : "", note));
    else
        assert_int_equal(said.length, 0);
    portolan_text_clear(&said);
    portolan_text_clear(&ids);
    portolan_trials_clear(&list);
}

static struct portolan_store *open_store(void)
{
    struct portolan_store *store = NULL;

    assert_int_equal(portolan_store_open(":memory:", PORTOLAN_STORE_WRITE, &store, NULL),
                     PORTOLAN_OK);
    return store;
}

static void real_and_virtual_trials_make_no_law_together(void **state)
{
    static const struct portolan_name_value slow[] = {{PORTOLAN_STORE_VIRTUAL, "slow"}};
    static const struct portolan_name_value fast[] = {{PORTOLAN_STORE_VIRTUAL, "fast"}};
    struct portolan_store *store = open_store();

    put_trial(store, "finished", slow, 1);
    put_trial(store, "finished", NULL, 0);
    put_trial(store, "finished", fast, 1);
    put_trial(store, "finished", NULL, 0);
    put_trial(store, "finished", fast, 1);
    keeps(store, NULL, "2 4", "3 trials are left out");
    keeps(store, "1,3,5", "3 5", "1 trial is left out");
    keeps(store, "1,3,5", "3 5", "'virtual machine=slow'");
    keeps(store, "virtual machine=fast", "3 5", NULL);
    keeps(store, "1", "1", NULL);
    keeps(store, "2,4", "2 4", NULL);
    portolan_store_close(store);
}

/* The newest of the machine and build that the newest trial tells; what a trial does not say does
 * not tell it apart. */
static void machines_and_builds_make_no_law_together(void **state)
{
    static const struct portolan_name_value brig[] = {{"host", "brig"}, {"compiled a.so", "-O2"}};
    static const struct portolan_name_value slow[] = {{"host", "brig"}, {"compiled a.so", "-O0"}};
    static const struct portolan_name_value sloop[] = {{"host", "sloop"}, {"compiled a.so", "-O2"}};
    static const struct portolan_name_value early[] = {{"host", "brig"}};
    struct portolan_store *store = open_store();

    put_trial(store, "finished", sloop, N_OF(sloop));
    put_trial(store, "finished", slow, N_OF(slow));
    put_trial(store, "finished", brig, N_OF(brig));
    put_trial(store, "finished", NULL, 0);
    put_trial(store, "finished", early, N_OF(early)); /* it ended before it loaded components */
    keeps(store, NULL, "3 4 5", "2 trials are left out, of another machine or build");
    keeps(store, "host=sloop", "1", NULL);
    keeps(store, "compiled a.so=-O0", "2", NULL);
    keeps(store, "1,3", "3", "'host=sloop'");
    portolan_store_close(store);
}

static void failed_trials_do_not_count_and_stopped_ones_do_for_calls(void **state)
{
    struct portolan_store *store = open_store();
    struct portolan_trial_list list;

    put_trial(store, "finished", NULL, 0);
    put_trial(store, "failed", NULL, 0);
    put_trial(store, NULL, NULL, 0);
    keeps(store, NULL, "1 3", "1 trial is left out, which failed");
    keeps(store, "2", "", "1 trial is left out, which failed");
    assert_int_equal(portolan_trials_select(store, "1,3", &list, NULL), PORTOLAN_OK);
    portolan_trials_keep_whole(&list);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.trials[0]->id, 1);
    portolan_trials_clear(&list);
    assert_int_equal(portolan_trials_select(store, "3", &list, NULL), PORTOLAN_OK);
    portolan_trials_keep_whole(&list);
    assert_int_equal(list.n, 1);
    portolan_trials_clear(&list);
    portolan_store_close(store);
}

static void callers_that_are_sampled_keep_their_own_time_only(void **state)
{
    static const struct portolan_sample samples[] = {
        {.parent = -1, .calls = 1, .inclusive_ns = 1050, .exclusive_ns = 850},
        {.parent = 0, .calls = 10, .timed_calls = 2, .inclusive_ns = 200, .exclusive_ns = 60},
        {.parent = 1, .calls = 10, .inclusive_ns = 600, .exclusive_ns = 600},
        {.parent = 1, .calls = 10, .timed_calls = PORTOLAN_STORE_NONE_TIMED},
    };
    static const double exclusive[] = {50, 300, 600};
    struct portolan_sample_estimate e[4];

    portolan_samples_estimate(samples, 4, e);
    for (size_t i = 0; i < 3; i++) {
        assert_true(e[i].known);
        assert_float_equal(e[i].exclusive_ns, exclusive[i], 1e-9);
    }
    assert_float_equal(e[1].inclusive_ns, 1000, 1e-9);
    assert_false(e[3].known);
}

/* Of a real trial, and of two virtual machines, those of one. */
static void trials_are_of_one_machine(void **state)
{
    static const struct portolan_name_value here[] = {{"host", "brig"}};
    static const struct portolan_name_value east[] = {{PORTOLAN_STORE_VIRTUAL, "east"}};
    static const struct portolan_name_value west[] = {{PORTOLAN_STORE_VIRTUAL, "west"}};
    struct portolan_store *store = open_store();
    struct portolan_trial_list list;
    struct portolan_sample_set *set;

    put_trial(store, "finished", here, 1);
    put_trial(store, "finished", east, 1);
    put_trial(store, "finished", west, 1);
    assert_int_equal(portolan_store_read(store, NULL, false, &set, NULL), PORTOLAN_OK);
    portolan_trials_keep_of_machine(set, "west");
    assert_int_equal(set->n_trials, 1);
    assert_int_equal(set->trials[0].id, 3);
    portolan_sample_set_destroy(set);
    assert_int_equal(portolan_trials_select(store, NULL, &list, NULL), PORTOLAN_OK);
    portolan_trials_keep_listed_of_machine(&list, NULL);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.trials[0]->id, 1);
    portolan_trials_clear(&list);
    portolan_store_close(store);
}

/* Traces lie next to the store, wherever that is from here; kept ones anywhere. */
static void traces_lie_next_to_the_store(void **state)
{
    struct portolan_name_value fact = {PORTOLAN_STORE_TRACE, "a.db.traces/1"};
    struct portolan_trial t = {.metadata = &fact, .n_metadata = 1};
    char *folder;

    assert_int_equal(portolan_trial_trace(&t, "runs/a.db", &folder, NULL), PORTOLAN_OK);
    assert_string_equal(folder, "runs/a.db.traces/1");
    free(folder);
    assert_int_equal(portolan_trial_trace(&t, "host=x/y", &folder, NULL), PORTOLAN_OK);
    assert_string_equal(folder, "a.db.traces/1"); /* of a server */
    free(folder);
    fact.value = "/kept";
    assert_int_equal(portolan_trial_trace(&t, "runs/a.db", &folder, NULL), PORTOLAN_OK);
    assert_string_equal(folder, "/kept");
    free(folder);
    t.n_metadata = 0;
    assert_int_equal(portolan_trial_trace(&t, "runs/a.db", &folder, NULL), PORTOLAN_OK);
    assert_null(folder);
}

UNIT_TESTS(cmocka_unit_test(trials_are_of_one_machine),
           cmocka_unit_test(traces_lie_next_to_the_store),
           cmocka_unit_test(real_and_virtual_trials_make_no_law_together),
           cmocka_unit_test(machines_and_builds_make_no_law_together),
           cmocka_unit_test(failed_trials_do_not_count_and_stopped_ones_do_for_calls),
           cmocka_unit_test(callers_that_are_sampled_keep_their_own_time_only))
