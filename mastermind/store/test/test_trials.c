/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of trials from their facts alone: in what they differ, and where their time went. */
#include <portolan/store.h>
#include <unit_test.h>

#define N_OF(a) (sizeof(a) / sizeof *(a))
#define PAIRS(...)                                                                                 \
    (const struct portolan_name_value[]){__VA_ARGS__},                                             \
        N_OF(((const struct portolan_name_value[]){__VA_ARGS__}))

static struct portolan_trial trial(int ranks, const struct portolan_name_value *facts, size_t n)
{
    return (struct portolan_trial){.ranks = ranks, .metadata = facts, .n_metadata = n};
}

static void check(const struct portolan_trial *t, const struct portolan_trial *of, bool alike,
                  const char *words)
{
    struct portolan_text text = {0};

    assert_int_equal(portolan_trial_add_unlike(t, of, true, &text), alike);
    assert_string_equal(text.bytes ? text.bytes : "", words);
    portolan_text_clear(&text);
}

static void ranks_machines_and_builds_are_named(void **state)
{
    const struct portolan_trial here =
        trial(2, PAIRS({"host", "brig"}, {"processor", "X"}, {"compiled a.so", "gcc -O2"},
                       {"compiled b.so", "gcc -O2"}, {"kernel", "6.1"}));
    const struct portolan_trial there =
        trial(1, PAIRS({"host", "sloop"}, {"processor", "X"}, {"compiled a.so", "gcc -O3"},
                       {"compiled b.so", "gcc -O0"}, {"compiled c.so", "gcc"}, {"kernel", "6.2"}));
    const struct portolan_trial older = trial(2, PAIRS({"compiled a.so", "gcc -O2"}));

    check(&here, &here, true, "");
    check(&here, &older, true, ""); /* what was not stored is not held against it */
    check(&here, &there, false,
          "2 ranks instead of 1, host brig instead of sloop, another build of a.so and b.so");
    check(&there, &older, false, "1 rank instead of 2, another build of a.so");
}

static void virtual_time_is_not_that_of_a_machine(void **state)
{
    const struct portolan_trial real = trial(1, PAIRS({"host", "brig"}));
    const struct portolan_trial made =
        trial(1, PAIRS({"host", "cluster"}, {PORTOLAN_STORE_VIRTUAL, "cluster"}));
    const struct portolan_trial other =
        trial(1, PAIRS({"host", "grid"}, {PORTOLAN_STORE_VIRTUAL, "grid"}));

    check(&made, &real, false, "virtual machine cluster instead of a real one");
    check(&real, &made, false, "a real machine instead of virtual machine cluster");
    check(&made, &other, false, "host cluster instead of grid");
}

static void sizes_are_parameters_of_what_both_have(void **state)
{
    struct portolan_trial small = trial(1, NULL, 0), large = small;
    struct portolan_text text = {0};

    small.parameters = (const struct portolan_name_value[]){
        {"driver.n", "32"}, {"solver.like", "a"}, {"mastermind.store", "x.db"}};
    large.parameters = (const struct portolan_name_value[]){
        {"driver.n", "64"}, {"solver.like", "b"}, {"mastermind.store", "y.db"}};
    small.n_parameters = large.n_parameters = 3;
    small.implementations = (const struct portolan_name_value[]){
        {"driver", "D"}, {"solver", "A"}, {"mastermind", "portolan.Mastermind"}};
    large.implementations = (const struct portolan_name_value[]){
        {"driver", "D"}, {"solver", "B"}, {"mastermind", "portolan.Mastermind"}};
    small.n_implementations = large.n_implementations = 3;
    check(&small, &large, false, "driver.n 32 instead of 64");
    assert_true(portolan_trial_add_unlike(&small, &large, false, &text));
    assert_null(text.bytes);
}

/* It is said, but the time of the run is what the run took. */
static void turns_are_said(void **state)
{
    const struct portolan_trial one = trial(1, PAIRS({PORTOLAN_FACT_EXPLORED, "0"}));
    const struct portolan_trial explored = trial(1, PAIRS({PORTOLAN_FACT_EXPLORED, "7"}));
    const struct portolan_trial rotated = trial(1, PAIRS({PORTOLAN_STORE_IN_TURN, "libraries"}));

    check(&explored, &one, true, "alternatives in turn instead of one choice");
    check(&one, &rotated, true, "one choice instead of alternatives in turn");
    check(&explored, &rotated, true, "");
}

/* Seconds in ns. */
#define TIMES(calls, measuring, deciding, storing, exploring)                                      \
    PAIRS({PORTOLAN_FACT_WALL, "100e9"}, {PORTOLAN_FACT_PROCESSOR, "190e9"},                       \
          {PORTOLAN_FACT_CALLS, calls}, {PORTOLAN_FACT_MEASURING, measuring},                      \
          {PORTOLAN_FACT_DECIDING, deciding}, {PORTOLAN_FACT_STORING, storing},                    \
          {PORTOLAN_FACT_WAITING, "2e9"}, {PORTOLAN_FACT_EXPLORING, exploring})

static void words(const struct portolan_trial *t, const char *text)
{
    struct portolan_text out = {0};
    struct portolan_spent s;

    assert_true(portolan_trial_read_spent(t, &s));
    portolan_spent_add(&s, &out);
    if (!strstr(out.bytes, text))
        fail_msg("'%s' is not in '%s'", text, out.bytes);
    if (s.overhead_ns <= 0.02 * s.wall_ns)
        assert_null(strstr(out.bytes, "most of it"));
    portolan_text_clear(&out);
}

static void the_parts_make_the_wall_time(void **state)
{
    const struct portolan_trial t = trial(2, TIMES("90e9", "0.5e9", "0.3e9", "0.2e9", "1e9"));
    const struct portolan_trial older = trial(2, PAIRS({PORTOLAN_FACT_DECIDING, "1"}));
    struct portolan_spent s;
    double sum = 0;

    assert_false(portolan_trial_read_spent(&older, &s));
    assert_true(portolan_trial_read_spent(&t, &s));
    for (size_t i = 0; i < N_OF(s.parts); i++)
        sum += s.parts[i].ns;
    assert_true(sum == s.wall_ns && s.wall_ns == 100e9);
    assert_true(s.overhead_ns == 2e9);
    words(&t, "wall time 100 s: 90 s in measured calls, 7.5 s outside them, 300 ms deciding, "
              "200 ms storing, 2 s waiting for other ranks; processor time ");
    words(&t, "overhead 2 %, with 500 ms measuring, 1 s exploring");
}

static void overhead_over_two_percent_has_advice(void **state)
{
    const struct portolan_trial cases[] = {trial(1, TIMES("90e9", "0", "0", "0", "3e9")),
                                           trial(1, TIMES("90e9", "3e9", "1", "1", "1")),
                                           trial(1, TIMES("90e9", "0", "3e9", "1", "1")),
                                           trial(1, TIMES("90e9", "0", "1", "3e9", "1"))};
    static const char *const advice[] = {"set explore.share",
                                         "monitor with sample=", "deciding; it weighs less",
                                         "storing; it weighs less"};

    for (size_t i = 0; i < N_OF(cases); i++)
        words(&cases[i], advice[i]);
}

UNIT_TESTS(cmocka_unit_test(ranks_machines_and_builds_are_named),
           cmocka_unit_test(virtual_time_is_not_that_of_a_machine),
           cmocka_unit_test(sizes_are_parameters_of_what_both_have),
           cmocka_unit_test(turns_are_said), cmocka_unit_test(the_parts_make_the_wall_time),
           cmocka_unit_test(overhead_over_two_percent_has_advice))
