/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact values on the clock that moves only when told. */
#include "fixture.h"

static struct portolan_probe_port outer, inner;
static struct portolan_probe_binding outer_binding, inner_binding;
static uint32_t outer_work, inner_work, inner_scale;

/* Leaf: takes 10 n. */
static void leaf_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(10 * (uint64_t)n);
}

static void leaf_scale(struct worker *self, double x, int64_t m)
{
    (void)self;
    portolan_probe_clock_advance((uint64_t)(x * (double)m));
}

/* Takes 7, calls the leaf with n and n + 1, takes 5. */
static void nesting_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(7);
    proxy_work(&inner, n);
    proxy_work(&inner, n + 1);
    portolan_probe_clock_advance(5);
}

/* Calls itself through its own port, n times; each level takes 3. */
static void recursive_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(3);
    if (n > 0)
        proxy_work(&outer, n - 1);
}

static struct worker leaf = {leaf_work, leaf_scale, NULL};
static struct worker nesting = {nesting_work, leaf_scale, NULL};
static struct worker recursive = {recursive_work, leaf_scale, NULL};

static void use(struct worker *outer_worker)
{
    bind_worker(&outer_binding, outer_worker, "driver", "outer", "test.Outer");
    bind_worker(&inner_binding, &leaf, "outer", "inner", "test.Leaf");
    outer_work = outer_binding.first_method_handle + METHOD_WORK;
    inner_work = inner_binding.first_method_handle + METHOD_WORK;
    inner_scale = inner_binding.first_method_handle + METHOD_SCALE;
    portolan_probe_port_init(&outer, &outer_binding, PORTOLAN_PROBE_MONITORED);
    portolan_probe_port_init(&inner, &inner_binding, PORTOLAN_PROBE_MONITORED);
}

static int fresh(void **state)
{
    use(&nesting);
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL);
}

static void nested_calls_split_inclusive_and_exclusive_time(void **state)
{
    const struct portolan_probe_record *a, *b, *c;

    proxy_work(&outer, 2);
    proxy_work(&outer, 2);
    take_snapshot();
    a = find_record(NULL, outer_work, 2);
    assert_non_null(a);
    b = find_record(a, inner_work, 2);
    c = find_record(a, inner_work, 3);
    assert_non_null(b);
    assert_non_null(c);
    assert_int_equal(a->calls, 2);
    assert_int_equal(a->subroutine_calls, 4);
    assert_true(a->inclusive_ns == 2 * (7 + 20 + 30 + 5));
    assert_true(a->exclusive_ns == 2 * 12);
    assert_true(a->min_ns == 62 && a->max_ns == 62);
    assert_true(a->sum_squares_ns2 == 2 * 62.0 * 62.0);
    assert_true(a->context[0].sum == 4 && a->context[0].sum_squares == 8);
    assert_true(a->context[0].sum_time_ns == 2 * 2 * 62);
    assert_int_equal(b->calls, 2);
    assert_true(b->inclusive_ns == 40 && b->exclusive_ns == 40);
    assert_true(c->inclusive_ns == 60);
}

static void a_record_belongs_to_its_call_path(void **state)
{
    const struct portolan_probe_record *below_outer, *below_root;

    proxy_work(&outer, 2);
    proxy_work(&inner, 2);
    take_snapshot();
    below_outer = find_record(find_record(NULL, outer_work, 2), inner_work, 2);
    below_root = find_record(&snap.records[0], inner_work, 2);
    assert_non_null(below_outer);
    assert_non_null(below_root);
    assert_ptr_not_equal(below_outer, below_root);
    assert_int_equal(below_outer->calls, 1);
    assert_int_equal(below_root->calls, 1);
}

static void recursion_counts_each_level_once(void **state)
{
    const struct portolan_probe_record *level;

    use(&recursive);
    proxy_work(&outer, 4);
    take_snapshot();
    level = find_record(NULL, outer_work, 4);
    for (int n = 4; n >= 0; n--) {
        assert_non_null(level);
        assert_int_equal(level->calls, 1);
        assert_true(level->inclusive_ns == 3 * (n + 1));
        assert_true(level->exclusive_ns == 3);
        if (n > 0)
            level = find_record(level, outer_work, n - 1);
    }
}

static void unmonitored_port_is_charged_to_its_caller(void **state)
{
    const struct portolan_probe_record *a, *b;

    use(&recursive); /* outer calls outer; switched off it leaves no record */
    portolan_probe_port_set_flags(&outer, 0);
    proxy_work(&outer, 3);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        assert_int_equal(snap.records[i].calls, 0);

    use(&nesting);
    portolan_probe_port_set_flags(&outer, 0);
    proxy_work(&outer, 2);
    portolan_probe_port_set_flags(&outer, PORTOLAN_PROBE_MONITORED);
    portolan_probe_port_set_flags(&inner, 0);
    proxy_work(&outer, 2);
    take_snapshot();
    b = find_record(&snap.records[0], inner_work, 2); /* below the root, past the silent outer */
    assert_non_null(b);
    assert_int_equal(b->calls, 1);
    a = find_record(&snap.records[0], outer_work, 2);
    assert_true(a->exclusive_ns == a->inclusive_ns && a->inclusive_ns == 62);
    assert_int_equal(a->subroutine_calls, 0);
}

/* Takes 7, then Portolan works for 100 in nested brackets, then it takes 5. */
static void pausing_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(7);
    portolan_probe_pause();
    portolan_probe_clock_advance(10);
    portolan_probe_pause();
    portolan_probe_clock_advance(60);
    portolan_probe_resume();
    portolan_probe_clock_advance(30);
    proxy_work(&inner, n);
    portolan_probe_resume();
    portolan_probe_clock_advance(5);
}

static void own_work_in_nested_brackets_is_charged_to_nobody(void **state)
{
    struct worker pausing = {pausing_work, leaf_scale, NULL};
    const struct portolan_probe_record *a, *own = NULL;

    use(&pausing);
    proxy_work(&outer, 2);
    take_snapshot();
    a = find_record(NULL, outer_work, 2);
    assert_true(a->inclusive_ns == 12 && a->exclusive_ns == 12);
    assert_int_equal(a->subroutine_calls, 0);
    for (size_t i = 0; i < snap.count; i++)
        own = snap.records[i].handle == PORTOLAN_PROBE_HANDLE_OWN ? &snap.records[i] : own;
    assert_non_null(own);
    assert_true(own->inclusive_ns == 120 && own->exclusive_ns == 100);
    assert_int_equal(own->calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nested_calls_split_inclusive_and_exclusive_time, fresh),
        cmocka_unit_test_setup(a_record_belongs_to_its_call_path, fresh),
        cmocka_unit_test_setup(recursion_counts_each_level_once, fresh),
        cmocka_unit_test_setup(unmonitored_port_is_charged_to_its_caller, fresh),
        cmocka_unit_test_setup(own_work_in_nested_brackets_is_charged_to_nobody, fresh),
    };
    int failed = cmocka_run_group_tests_name("tree", tests, NULL, NULL);

    portolan_probe_snapshot_clear(&snap);
    return failed;
}
