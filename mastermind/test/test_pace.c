/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a run is cut: by a manual clock, in a loop as a program's. */
#include <unit_test.h>

#include "recorder_internal.h"

/* A program of STEPS of STEP_NS each, whose cuts take CUT_NS each. */
struct program {
    int steps;
    uint64_t step_ns, cut_ns;
};

struct outcome {
    int cuts, stored, longest; /* longest: most steps between two cuts */
    double share;              /* of all time that cuts took */
};

static double now_ns(void *self)
{
    (void)self;
    return portolan_probe_ticks_to_ns(portolan_probe_now());
}

static const struct portolan_recorder_source source = {.now_ns = now_ns};

static void cut(struct portolan_recorder *r, int step, uint64_t cost_ns)
{
    double values[PORTOLAN_PIGGYBACK_HEAD] = {0};

    portolan_probe_pause();
    pace_begin(r, step);
    pace_fill(r, values);
    pace_take(r, values);
    r->state->n_pending++;
    portolan_probe_clock_advance(cost_ns);
    portolan_probe_resume();
}

static struct outcome run(const struct program *p, double group_ns)
{
    struct portolan_cohort cohort = {.size = 1};
    struct recorder_state state = {.n_pending = 0};
    struct portolan_recorder r = {
        .cohort = &cohort, .source = &source, .state = &state, .group_ns = group_ns};
    struct outcome o = {.cuts = 0};
    int step = 0, least;

    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL), PORTOLAN_OK);
    cut(&r, 0, p->cut_ns);
    while (step < p->steps) {
        int n = portolan_recorder_pace(&r, &least);

        assert_true(n >= 1 && least >= 1);
        n = n < p->steps - step ? n : p->steps - step;
        portolan_probe_clock_advance(p->step_ns * (uint64_t)n);
        step += n;
        o.longest = n > o.longest ? n : o.longest;
        cut(&r, step, p->cut_ns);
        o.cuts++;
        if (pace_stores(&r)) {
            state.n_pending = 0;
            o.stored++;
        }
    }
    o.share = (double)p->cut_ns * (o.cuts + 1) / now_ns(NULL);
    return o;
}

static void short_steps_pay_at_most_one_percent(void **state)
{
    for (uint64_t step_ns = 1000; step_ns <= 1000000; step_ns *= 10)
        for (uint64_t cut_ns = 5000; cut_ns <= 500000; cut_ns *= 10) {
            const struct program p = {(int)(20e9 / (double)step_ns), step_ns, cut_ns};

            assert_true(run(&p, 1e7).share < 0.0101);
        }
}

static void a_group_of_cheap_cuts_lasts_10_ms(void **state)
{
    const struct program p = {400000, 18000, 2000};
    struct outcome o = run(&p, 1e7);

    assert_int_equal(o.longest, 556);
    assert_in_range(o.cuts, 400000 / 556, 400000 / 556 + 20);
}

/* Cuts of 3 ms are 15 % of steps of 20 ms: they are all seen until 0.1 s were spent so. */
static void long_steps_are_seen_singly_if_that_is_cheap(void **state)
{
    const struct program cheap = {500, 20000000, 100000}, dear = {5000, 20000000, 3000000};
    struct outcome o = run(&cheap, 1e7);

    assert_int_equal(o.longest, 1);
    o = run(&dear, 1e7);
    assert_true(o.longest > 1);
    assert_true(o.share < 0.012);
}

static void without_groups_each_step_is_seen_and_stored(void **state)
{
    const struct program p = {1000, 1000, 100000};
    struct outcome o = run(&p, 0);

    assert_int_equal(o.cuts, 1000);
    assert_int_equal(o.stored, 1000);
}

/* Ten times as many steps store the same number of slices more. */
static void what_is_stored_grows_with_the_logarithm(void **state)
{
    int stored[3], steps = 4000000;

    for (int i = 0; i < 3; i++, steps *= 10)
        stored[i] = run(&(struct program){steps, 18000, 2000}, 1e7).stored;
    assert_true(stored[0] < 1500);
    assert_true(stored[2] - stored[1] < 1.3 * (stored[1] - stored[0]) + 10);
}

static void the_end_is_seen_exactly(void **state)
{
    struct portolan_assembly_parameter steps = {"steps", PORTOLAN_VALUE_INT, "100003", false, 1};
    struct portolan_assembly_alternative driver = {
        .class_name = "t.Driver", .n_parameters = 1, .parameters = &steps};
    struct portolan_assembly_instance instance = {
        .name = "driver", .n_alternatives = 1, .alternatives = &driver};
    const struct portolan_assembly a = {.n_instances = 1,
                                        .instances = &instance,
                                        .steps_instance = "driver",
                                        .steps_parameter = "steps"};
    struct portolan_cohort cohort = {.size = 1};
    struct recorder_state own = {.n_pending = 0};
    struct portolan_recorder r = {
        .cohort = &cohort, .assembly = &a, .source = &source, .state = &own, .group_ns = 1e7};
    int step = 0, least;

    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL), PORTOLAN_OK);
    cut(&r, 0, 2000);
    while (step < 100003) {
        int n = portolan_recorder_pace(&r, &least);

        portolan_probe_clock_advance(18000 * (uint64_t)n);
        cut(&r, step += n, 2000);
    }
    assert_int_equal(step, 100003);
}

UNIT_TESTS(cmocka_unit_test(short_steps_pay_at_most_one_percent),
           cmocka_unit_test(a_group_of_cheap_cuts_lasts_10_ms),
           cmocka_unit_test(long_steps_are_seen_singly_if_that_is_cheap),
           cmocka_unit_test(without_groups_each_step_is_seen_and_stored),
           cmocka_unit_test(what_is_stored_grows_with_the_logarithm),
           cmocka_unit_test(the_end_is_seen_exactly))
