/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants of ports, switched by commands; who gets which records; what was missed. */
#include "fixture.h"

#include <portolan/control.h>

static struct portolan_probe_port outer, inner;
static struct portolan_probe_binding outer_binding, inner_binding;
static struct portolan_control_port outer_control, inner_control;
static uint32_t outer_work, inner_work;
static struct portolan_error err;

static void leaf_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(10 * (uint64_t)n);
}

/* 7 of its own, then the leaf twice, then what the test puts in between, then 5. */
static void (*in_between)(void);
static void nesting_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(7);
    proxy_work(&inner, n);
    if (in_between)
        in_between();
    proxy_work(&inner, n);
    portolan_probe_clock_advance(5);
}

static struct worker leaf = {leaf_work, NULL, NULL}, nesting = {nesting_work, NULL, NULL};

static int fresh(void **state)
{
    err = (struct portolan_error){0};
    in_between = NULL;
    bind_worker(&outer_binding, &nesting, "driver", "outer", "test.Outer");
    bind_worker(&inner_binding, &leaf, "outer", "inner", "test.Leaf");
    outer_work = outer_binding.first_method_handle + METHOD_WORK;
    inner_work = inner_binding.first_method_handle + METHOD_WORK;
    portolan_probe_port_init(&outer, &outer_binding, 0);
    portolan_probe_port_init(&inner, &inner_binding, 0);
    outer_control = (struct portolan_control_port){.name = "driver.worker",
                                                   .type = "test.Worker",
                                                   .port = &outer,
                                                   .variant = PORTOLAN_VARIANT_MASTERMIND,
                                                   .has_mastermind = true};
    inner_control = outer_control;
    inner_control.name = "outer.worker";
    inner_control.port = &inner;
    portolan_control_apply("on *\nnorows *\nsample 1 *", "setup", NULL);
    portolan_control_add(&outer_control);
    portolan_control_add(&inner_control);
    portolan_control_apply("mastermind *", "setup", NULL);
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL);
}

static int leave(void **state)
{
    portolan_control_remove(&outer_control);
    portolan_control_remove(&inner_control);
    return 0;
}

static void command(const char *text)
{
    assert_int_equal(portolan_control_apply(text, "test", &err), PORTOLAN_OK);
}

static void refused(const char *text, const char *why)
{
    assert_int_equal(portolan_control_apply(text, "test", &err), PORTOLAN_ESYNTAX);
    assert_string_equal(err.text, why);
}

/* The snapshot with one kind of records; the record of HANDLE in it or NULL. */
static const struct portolan_probe_record *record_of(uint32_t handle, bool profiled)
{
    const struct portolan_probe_record *r;

    take_snapshot();
    portolan_probe_snapshot_select(&snap, profiled);
    r = find_record(NULL, handle, 2);
    return r && r->calls ? r : NULL;
}

static void calls_go_where_the_variant_says(void **state)
{
    command("profile outer.*");
    proxy_work(&outer, 2);
    assert_non_null(record_of(outer_work, false));
    assert_null(record_of(inner_work, false));
    assert_non_null(record_of(inner_work, true));
    assert_null(record_of(outer_work, true));
}

static void rows_and_sampling_are_switched_for_the_mastermind_alone(void **state)
{
    command("rows outer.* # and\nsample 16 outer.*");
    assert_int_equal(portolan_probe_port_flags(&inner),
                     PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_ROWS);
    assert_int_equal(portolan_probe_port_sampling(&inner), 16);
    assert_int_equal(portolan_probe_port_flags(&outer), PORTOLAN_PROBE_MONITORED);
    assert_int_equal(portolan_probe_port_sampling(&outer), 1);
    command("profile outer.*");
    assert_false(portolan_probe_port_flags(&inner) & PORTOLAN_PROBE_ROWS);
    assert_int_equal(portolan_probe_port_sampling(&inner), 1);
    command("mastermind outer.*");
    assert_int_equal(portolan_probe_port_sampling(&inner), 16);
    command("norows *\nsample 1 *");
    assert_int_equal(portolan_probe_port_flags(&inner), PORTOLAN_PROBE_MONITORED);
    assert_int_equal(portolan_probe_port_sampling(&inner), 1);
}

static void a_port_that_comes_later_has_its_rows_and_sampling(void **state)
{
    command("rows later.*\nsample 4 later.*\nmastermind *");
    portolan_control_remove(&inner_control);
    inner_control.name = "later.worker";
    portolan_control_add(&inner_control);
    assert_true(portolan_probe_port_flags(&inner) & PORTOLAN_PROBE_ROWS);
    assert_int_equal(portolan_probe_port_sampling(&inner), 4);
}

static void a_sampling_that_is_no_number_is_refused(void **state)
{
    refused("sample often *", "test:1: error: 'often' is not a number of calls from 1 to 16777216, "
                              "of which one is timed; write: sample N GLOB");
    err = (struct portolan_error){0};
    refused("sample 16",
            "test:1: error: 'sample': wrong number of arguments (1); write: sample N GLOB");
    err = (struct portolan_error){0};
    refused("sample 0 *",
            "test:1: error: '0' is not a number of calls from 1 to 16777216, of which "
            "one is timed; write: sample N GLOB");
}

static void the_list_says_what_is_kept(void **state)
{
    struct portolan_text reply = {0};

    command("rows outer.*\nsample 8 outer.*");
    assert_int_equal(portolan_control_execute("list", "test", &reply, &err), PORTOLAN_OK);
    assert_non_null(strstr(reply.bytes, "driver.worker\ttest.Worker\tmastermind\ton\t"));
    assert_non_null(strstr(reply.bytes, "mastermind\ton, rows, 1 in 8\tmastermind"));
    portolan_text_clear(&reply);
}

static void forwarding_measures_nothing(void **state)
{
    command("forward *");
    assert_int_equal(portolan_probe_port_flags(&outer), 0);
    proxy_work(&outer, 2);
    assert_null(record_of(outer_work, false));
    assert_null(record_of(outer_work, true));
}

static void what_is_left_out_counts_as_its_callers_own_time(void **state)
{
    const struct portolan_probe_record *r;

    command("profile outer.*");
    proxy_work(&outer, 2);
    r = record_of(outer_work, false);
    assert_true(r->inclusive_ns == 52);
    assert_true(r->exclusive_ns == 52);
    assert_int_equal(r->subroutine_calls, 0);
    r = record_of(inner_work, true);
    assert_true(r->inclusive_ns == 40);
    assert_int_equal(r->calls, 2);
    assert_int_equal(snap.records[r->parent].handle, PORTOLAN_PROBE_HANDLE_ROOT);
}

static void children_of_what_is_left_out_become_its_callers(void **state)
{
    command("profile driver.*");
    proxy_work(&outer, 2);
    assert_int_equal(snap.records[record_of(inner_work, false)->parent].handle,
                     PORTOLAN_PROBE_HANDLE_ROOT);
}

static void switch_in_a_call(void)
{
    command("profile *");
}

static void running_calls_end_as_they_began(void **state)
{
    const struct portolan_probe_record *r;

    in_between = switch_in_a_call;
    proxy_work(&outer, 2);
    r = record_of(outer_work, false);
    assert_int_equal(r->calls, 1);
    assert_true(r->inclusive_ns == 52);
    assert_true(r->exclusive_ns == 32);
    r = record_of(inner_work, true);
    assert_int_equal(r->calls, 1);
    assert_true(r->inclusive_ns == 20);
}

static void empty_what_the_mastermind_has(void)
{
    assert_int_equal(portolan_probe_reset_unprofiled(NULL), PORTOLAN_OK);
}

static void empty_in_a_pause(void)
{
    portolan_probe_pause();
    portolan_probe_clock_advance(1000);
    assert_int_equal(portolan_probe_reset_unprofiled(NULL), PORTOLAN_OK);
    portolan_probe_clock_advance(500);
    portolan_probe_resume();
}

static void a_pause_in_which_one_kind_is_emptied_counts_in_neither(void **state)
{
    const struct portolan_probe_record *r;

    command("profile driver.*");
    in_between = empty_in_a_pause;
    proxy_work(&outer, 2);
    r = record_of(outer_work, true);
    assert_true(r->inclusive_ns == 52);
    take_snapshot();
    r = find_record(NULL, outer_work, 2);
    command("mastermind driver.*\nprofile outer.*");
    portolan_probe_reset(NULL);
    proxy_work(&outer, 2);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++) {
        r = &snap.records[i];
        if (r->handle == outer_work && !r->profiled && r->calls)
            assert_true(r->inclusive_ns == 25 && r->exclusive_ns == 5);
        if (r->handle == inner_work && r->profiled && r->calls)
            assert_true(r->inclusive_ns == 40);
    }
}

/* A profiled call around it all, which a swap point inside is reached from. */
static void own_time_goes_on_around_what_is_emptied(void **state)
{
    bool found = false;

    command("profile driver.*");
    in_between = empty_what_the_mastermind_has;
    proxy_work(&outer, 2);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++) {
        const struct portolan_probe_record *r = &snap.records[i];

        if (r->handle != outer_work || !r->profiled)
            continue;
        assert_true(r->inclusive_ns == 52 && r->exclusive_ns == 12);
        found = true;
    }
    assert_true(found);
}

static void emptying_one_kind_leaves_the_other_right(void **state)
{
    const struct portolan_probe_record *r;

    command("profile driver.*");
    in_between = empty_what_the_mastermind_has;
    proxy_work(&outer, 2);
    r = record_of(outer_work, true);
    assert_true(r->inclusive_ns == 52);
    r = record_of(inner_work, false);
    assert_int_equal(r->calls, 1);
    assert_true(r->inclusive_ns == 20);
}

static void own_time_is_right_when_only_the_caller_is_emptied(void **state)
{
    const struct portolan_probe_record *r;

    command("profile outer.*");
    in_between = empty_what_the_mastermind_has;
    proxy_work(&outer, 2); /* 7 + 20 before, 20 + 5 after */
    take_snapshot();
    r = find_record(NULL, outer_work, 2);
    assert_true(r->inclusive_ns == 25);
    assert_true(r->exclusive_ns == 5);
}

static void off_keeps_the_variant(void **state)
{
    command("profile *\noff outer.*");
    assert_int_equal(inner_control.variant, PORTOLAN_VARIANT_PROFILE);
    assert_int_equal(portolan_probe_port_flags(&inner), 0);
    assert_int_not_equal(portolan_probe_port_flags(&outer), 0);
    command("on *");
    assert_int_equal(portolan_probe_port_flags(&inner),
                     PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_PROFILED);
}

static void toggle_turns_all_off_and_all_on(void **state)
{
    command("off driver.*\ntoggle");
    assert_true(inner_control.is_off && outer_control.is_off);
    command("toggle");
    assert_false(inner_control.is_off || outer_control.is_off);
}

static void types_are_matched_too(void **state)
{
    command("off type:test.*");
    assert_true(inner_control.is_off && outer_control.is_off);
    command("on type:*Workers");
    assert_true(inner_control.is_off && outer_control.is_off);
}

static void ports_that_come_later_obey(void **state)
{
    struct portolan_probe_port port;
    struct portolan_control_port late = {.name = "late.worker", .type = "test.Late", .port = &port};

    portolan_probe_port_init(&port, &inner_binding, 0);
    command("profile late.* # and a comment\n\n  off type:test.Late");
    portolan_control_add(&late);
    assert_int_equal(late.variant, PORTOLAN_VARIANT_PROFILE);
    assert_true(late.is_off);
    portolan_control_remove(&late);
}

static void without_a_mastermind_its_variant_only_forwards(void **state)
{
    portolan_control_set_mastermind(&inner_control, false);
    assert_int_equal(portolan_probe_port_flags(&inner), 0);
    refused("mastermind outer.*",
            "test:1: error: port 'outer.worker' has no Mastermind that could take its records; "
            "'profile' writes TAU profiles");
    portolan_control_set_mastermind(&inner_control, true);
    assert_int_equal(portolan_probe_port_flags(&inner), PORTOLAN_PROBE_MONITORED);
}

static void nothing_is_obeyed_when_a_line_is_wrong(void **state)
{
    refused("forward *\nprofle *\noff\nuse * libx.so",
            "test:2: error: unknown command 'profle'; did you mean 'profile'?\n"
            "test:3: error: 'off': wrong number of arguments (0); write: off GLOB\n"
            "test:4: error: no port with several implementations matches '*'");
    assert_int_equal(outer_control.variant, PORTOLAN_VARIANT_MASTERMIND);
}

/* Moves that are recorded; "bad.so" cannot be had. */
static char moves[200];

static enum portolan_status select_library(void *self, const char *implementation,
                                           struct portolan_error *why)
{
    struct portolan_control_port *port = self;

    if (strstr(implementation, "bad.so"))
        return portolan_error_set(why, PORTOLAN_EIO, "it is bad");
    snprintf(moves + strlen(moves), sizeof moves - strlen(moves), "%s=%s ", port->name,
             implementation);
    port->selected = implementation;
    return PORTOLAN_OK;
}

static const char *const libraries[] = {"/lib/a.so", "/lib/b.so", "/lib/bad.so"};

static void make_movable(struct portolan_control_port *port)
{
    port->select = select_library;
    port->self = port;
    port->implementations = libraries;
    port->n_implementations = port == &inner_control ? 2 : 3;
    port->selected = libraries[0];
    moves[0] = '\0';
}

static void a_port_is_moved_to_what_the_word_means(void **state)
{
    make_movable(&inner_control);
    command("use outer.* b.so");
    assert_string_equal(moves, "outer.worker=/lib/b.so ");
    refused("use outer.* c.so",
            "test:1: error: port 'outer.worker' has no implementation 'c.so'; `list` names its "
            "implementations");
}

static void a_move_that_fails_takes_all_back(void **state)
{
    make_movable(&inner_control);
    make_movable(&outer_control);
    assert_int_equal(
        portolan_control_apply("off *\nuse outer.* b.so\nuse driver.* bad.so", "test", &err),
        PORTOLAN_EIO);
    assert_string_equal(err.text, "test:3: error: it is bad");
    assert_string_equal(moves, "outer.worker=/lib/b.so outer.worker=/lib/a.so ");
    assert_false(inner_control.is_off);
}

static void list_names_all(void **state)
{
    struct portolan_text reply = {0};

    make_movable(&inner_control);
    assert_int_equal(portolan_control_execute("off outer.*\nlist", "test", &reply, &err),
                     PORTOLAN_OK);
    assert_string_equal(reply.bytes,
                        "off outer.*: 1 port\n"
                        "port\tdriver.worker\ttest.Worker\tmastermind\ton\tmastermind\t\n"
                        "port\touter.worker\ttest.Worker\tmastermind\toff\tmastermind\t/lib/a.so"
                        "\t/lib/a.so\t/lib/b.so\n");
    portolan_text_clear(&reply);
}

static char gaps[200];

static void note_gap(void *arg, const char *name, unsigned count, double away_ns)
{
    (void)arg;
    snprintf(gaps + strlen(gaps), sizeof gaps - strlen(gaps), "%s %u %g;", name, count, away_ns);
}

static void what_is_not_measured_is_told(void **state)
{
    uint64_t mark = 0;

    portolan_control_was_partial(PORTOLAN_VARIANT_MASTERMIND, &mark);
    assert_false(portolan_control_was_partial(PORTOLAN_VARIANT_MASTERMIND, &mark));
    portolan_probe_clock_advance(5);
    command("off outer.*");
    portolan_probe_clock_advance(30);
    assert_true(portolan_control_was_partial(PORTOLAN_VARIANT_MASTERMIND, &mark));
    command("on *");
    assert_false(portolan_control_was_partial(PORTOLAN_VARIANT_MASTERMIND, &mark));
    command("forward outer.*");
    portolan_probe_clock_advance(4);
    command("mastermind outer.*");
    assert_true(portolan_control_was_partial(PORTOLAN_VARIANT_MASTERMIND, &mark));
    gaps[0] = '\0';
    portolan_control_visit_gaps(PORTOLAN_VARIANT_MASTERMIND, note_gap, NULL);
    assert_non_null(strstr(gaps, "outer.worker 2 34;"));
}

static void a_port_that_goes_is_not_missed_any_more(void **state)
{
    uint64_t mark = 0;

    command("off outer.*");
    portolan_control_was_partial(PORTOLAN_VARIANT_MASTERMIND, &mark);
    portolan_control_set_mastermind(&inner_control, false);
    assert_true(portolan_control_was_partial(PORTOLAN_VARIANT_MASTERMIND, &mark));
    assert_false(portolan_control_was_partial(PORTOLAN_VARIANT_MASTERMIND, &mark));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, leave)
        TEST(calls_go_where_the_variant_says),
        TEST(rows_and_sampling_are_switched_for_the_mastermind_alone),
        TEST(a_port_that_comes_later_has_its_rows_and_sampling),
        TEST(a_sampling_that_is_no_number_is_refused),
        TEST(the_list_says_what_is_kept),
        TEST(forwarding_measures_nothing),
        TEST(what_is_left_out_counts_as_its_callers_own_time),
        TEST(children_of_what_is_left_out_become_its_callers),
        TEST(running_calls_end_as_they_began),
        TEST(emptying_one_kind_leaves_the_other_right),
        TEST(a_pause_in_which_one_kind_is_emptied_counts_in_neither),
        TEST(own_time_goes_on_around_what_is_emptied),
        TEST(own_time_is_right_when_only_the_caller_is_emptied),
        TEST(off_keeps_the_variant),
        TEST(toggle_turns_all_off_and_all_on),
        TEST(types_are_matched_too),
        TEST(ports_that_come_later_obey),
        TEST(without_a_mastermind_its_variant_only_forwards),
        TEST(nothing_is_obeyed_when_a_line_is_wrong),
        TEST(a_port_is_moved_to_what_the_word_means),
        TEST(a_move_that_fails_takes_all_back),
        TEST(list_names_all),
        TEST(what_is_not_measured_is_told),
        TEST(a_port_that_goes_is_not_missed_any_more),
    };
    int failures = cmocka_run_group_tests_name("control", tests, NULL, NULL);

    portolan_probe_snapshot_clear(&snap);
    return failures;
}
