/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/machine.h>
#include <unit_test.h>

/* A rank on a host of two cores during a second, in seconds. */
static struct portolan_machine_reading rank(const char *host, double busy, double stolen,
                                            double own, double delayed)
{
    struct portolan_machine_reading r = {1e9, 1e9 * busy, 1e9 * stolen, 1e9 * own, 1e9 * delayed, 7,
                                         2,   ""};

    strcpy(r.host, host);
    return r;
}

static struct portolan_machine_verdict judge(size_t n, const struct portolan_machine_reading *r)
{
    struct portolan_machine_verdict v;

    portolan_machine_judge(r, n, &v);
    assert_int_equal(v.is_disturbed, v.reason[0] != '\0');
    return v;
}

static void what_ranks_do_themselves_is_no_disturbance(void **state)
{
    struct portolan_machine_reading r[] = {rank("a", 1.99, 0, 0.99, 0.01),
                                           rank("a", 1.99, 0, 0.99, 0.01)};
    struct portolan_machine_verdict v = judge(2, r);

    assert_false(v.is_disturbed);
    assert_true(v.others_percent < 1 && v.cores == 2);
}

static void a_busy_loop_disturbs_two_ranks_on_two_cores(void **state)
{
    struct portolan_machine_reading r[] = {rank("a", 2, 0, 0.66, 0), rank("a", 2, 0, 0.66, 0)};
    struct portolan_machine_verdict v = judge(2, r);

    assert_true(v.is_disturbed);
    assert_string_equal(v.reason, "other processes kept 0.7 of 2 cores busy");
}

static void a_busy_loop_leaves_one_rank_the_other_core(void **state)
{
    struct portolan_machine_reading r = rank("a", 2, 0, 1, 0);

    assert_false(judge(1, &r).is_disturbed);
    r.delayed_ns = 0.08e9; /* but not if they met on one */
    assert_true(judge(1, &r).is_disturbed);
    assert_string_equal(judge(1, &r).reason, "a rank waited for a core 8 % of the time");
}

static void time_that_the_hypervisor_took_disturbs(void **state)
{
    struct portolan_machine_reading r[] = {rank("a", 1.6, 0.4, 0.8, 0),
                                           rank("a", 1.6, 0.4, 0.8, 0)};
    struct portolan_machine_verdict v = judge(2, r);

    assert_string_equal(v.reason, "the hypervisor took 20 % of the cores' time");
    assert_true(v.steal_percent > 19.9 && v.steal_percent < 20.1);
}

/* Four ranks on two cores wait for each other. */
static void ranks_that_share_cores_are_not_others(void **state)
{
    struct portolan_machine_reading r[] = {rank("a", 2, 0, 0.5, 0.5), rank("a", 2, 0, 0.5, 0.5),
                                           rank("a", 2, 0, 0.5, 0.5), rank("a", 2, 0, 0.5, 0.5)};

    assert_false(judge(4, r).is_disturbed);
}

static void the_worst_host_counts(void **state)
{
    struct portolan_machine_reading r[] = {rank("a", 1, 0, 1, 0), rank("b", 2, 0, 0.5, 0.5),
                                           rank("a", 1, 0, 0, 0), rank("b", 2, 0, 0.5, 0.5)};

    assert_string_equal(judge(4, r).reason, "other processes kept 1.0 of 2 cores busy");
    assert_false(judge(1, r).is_disturbed);
    judge(0, NULL);
}

static void ranks_bound_to_cores_have_these_together(void **state)
{
    struct portolan_machine_reading r[] = {rank("a", 1, 0, 1, 0), rank("a", 1, 0, 1, 0)};

    r[0].cores = r[1].cores = 1;
    r[1].cores_id = 8;
    assert_int_equal(judge(2, r).cores, 2);
    assert_false(judge(2, r).is_disturbed);
}

/* The tick of /proc/stat is 10 ms: of a trial of 20 ms it says nothing. */
static void short_trials_are_not_judged_by_ticks(void **state)
{
    struct portolan_machine_reading r = rank("a", 0.04, 0, 0.02, 0);

    r.at_ns = 0.02e9;
    assert_false(judge(1, &r).is_disturbed);
    r.delayed_ns = 2e6;
    assert_true(judge(1, &r).is_disturbed);
}

static void readings_grow(void **state)
{
    struct portolan_machine_reading a, b;
    double ran, delayed;

    portolan_machine_read(&a);
    portolan_machine_read(&b);
    assert_true(a.cores >= 1 && a.cores == b.cores && a.cores_id == b.cores_id);
    assert_true(b.at_ns > a.at_ns && b.busy_ns >= a.busy_ns && b.own_ns >= a.own_ns);
    assert_string_equal(a.host, b.host);
    portolan_machine_subtract(&a, &b);
    assert_true(a.at_ns > 0 && a.at_ns < b.at_ns && a.cores == b.cores);
    portolan_machine_read_thread(&ran, &delayed);
    assert_true(ran >= 0 && delayed >= 0);
    assert_true(portolan_machine_frequency_mhz() >= 0);
}

static void hosts_are_counted_by_name(void **state)
{
    const struct portolan_machine_reading all[] = {
        {.host = "b"}, {.host = "a"}, {.host = "b"}, {.host = "c"}, {.host = "b"}};
    int here;

    assert_int_equal(portolan_machine_count_hosts(all, 5, &here), 3);
    assert_int_equal(here, 3);
    assert_int_equal(portolan_machine_count_hosts(all, 1, NULL), 1);
}

UNIT_TESTS(cmocka_unit_test(hosts_are_counted_by_name),
           cmocka_unit_test(what_ranks_do_themselves_is_no_disturbance),
           cmocka_unit_test(a_busy_loop_disturbs_two_ranks_on_two_cores),
           cmocka_unit_test(a_busy_loop_leaves_one_rank_the_other_core),
           cmocka_unit_test(time_that_the_hypervisor_took_disturbs),
           cmocka_unit_test(ranks_that_share_cores_are_not_others),
           cmocka_unit_test(the_worst_host_counts),
           cmocka_unit_test(ranks_bound_to_cores_have_these_together),
           cmocka_unit_test(short_trials_are_not_judged_by_ticks), cmocka_unit_test(readings_grow))
