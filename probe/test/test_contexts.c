/* SPDX-License-Identifier: BSD-3-Clause */
/* Many distinct contexts: records stay bounded, sums stay right. */
#include "fixture.h"

static struct portolan_probe_port port, deeper[2];
static struct portolan_probe_binding binding, deeper_binding[2];
static uint32_t work, scale;

/* Takes 2 n + 10. */
static void linear_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance((uint64_t)(2 * (n < 0 ? -n : n) + 10));
}

static void linear_scale(struct worker *self, double x, int64_t m)
{
    (void)self;
    (void)x;
    portolan_probe_clock_advance((uint64_t)(m < 0 ? -m : m));
}

static struct worker linear = {linear_work, linear_scale, NULL};

/* A provider of its own for each test, so that each begins with no records. */
static int fresh(void **state)
{
    static int number;
    char name[32];

    snprintf(name, sizeof name, "provider%d", number++);
    bind_worker(&binding, &linear, "driver", name, "test.Linear");
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED);
    work = binding.first_method_handle + METHOD_WORK;
    scale = binding.first_method_handle + METHOD_SCALE;
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL);
}

struct sums {
    size_t records, binned;
    uint64_t calls;
    double x, xx, xt, t;
};

static struct sums add_up(uint32_t handle, unsigned context)
{
    struct sums s = {0};

    take_snapshot();
    for (size_t i = 0; i < snap.count; i++) {
        const struct portolan_probe_record *r = &snap.records[i];

        if (r->handle != handle || !r->calls)
            continue;
        s.records++;
        s.binned += !r->context[context].exact;
        s.calls += r->calls;
        s.x += r->context[context].sum;
        s.xx += r->context[context].sum_squares;
        s.xt += r->context[context].sum_time_ns;
        s.t += r->inclusive_ns;
    }
    return s;
}

static void up_to_64_values_are_kept_exactly(void **state)
{
    for (int round = 0; round < 3; round++)
        for (int n = 0; n < PORTOLAN_PROBE_EXACT; n++)
            proxy_work(&port, n * 1000 - 7);
    take_snapshot();
    for (int n = 0; n < PORTOLAN_PROBE_EXACT; n++) {
        const struct portolan_probe_record *r = find_record(NULL, work, n * 1000 - 7);

        assert_non_null(r);
        assert_int_equal(r->calls, 3);
        assert_true(r->context[0].lower == n * 1000 - 7);
    }
}

static void later_values_share_bins_with_exact_moments(void **state)
{
    double x = 0, xx = 0, xt = 0, t = 0;
    struct sums s;

    for (int64_t n = 1; n <= 100000; n++) {
        double cost = (double)(2 * n + 10);

        proxy_work(&port, n);
        x += (double)n;
        xx += (double)n * (double)n;
        xt += (double)n * cost;
        t += cost;
    }
    s = add_up(work, 0);
    assert_int_equal(s.calls, 100000);
    assert_true(s.records - s.binned == PORTOLAN_PROBE_EXACT);
    assert_true(s.binned <= 4 * 11); /* 65 … 100000 touch 11 octaves */
    assert_true(s.x == x && s.xx == xx && s.xt == xt && s.t == t);
}

static void a_bin_holds_what_lies_between_its_edges(void **state)
{
    bool seen_negative = false;

    for (int64_t n = -5000; n <= 5000; n++)
        proxy_work(&port, n);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++) {
        const struct portolan_probe_record *r = &snap.records[i];
        const struct portolan_probe_context_stats *c = &r->context[0];
        double mean;

        if (r->handle != work || c->exact)
            continue;
        mean = c->sum / (double)r->calls;
        assert_true(c->lower < c->upper);
        assert_true(mean >= c->lower && mean <= c->upper);
        if (c->lower == 0) { /* nothing but zero among whole numbers */
            assert_true(mean == 0);
            continue;
        }
        /* four bins per octave: an edge is at most 5/4 of the other */
        assert_true(fmax(fabs(c->lower), fabs(c->upper)) <=
                    1.25 * fmin(fabs(c->lower), fabs(c->upper)));
        seen_negative = seen_negative || mean < 0;
    }
    assert_true(seen_negative);
}

static void real_values_are_always_binned(void **state)
{
    struct sums s;

    proxy_scale(&port, 1.00, 5, 0.1);
    proxy_scale(&port, 1.01, 5, 0.3);
    proxy_scale(&port, -1.01, 5, 0.2);
    proxy_scale(&port, 1.01, 6, 0.2);
    take_snapshot();
    s = add_up(scale, 0);
    assert_int_equal(s.records, 3);
    assert_int_equal(s.binned, 3);
    assert_true(fabs(s.x - 2.01) < 1e-12);
    s = add_up(scale, 1);
    assert_int_equal(s.binned, 0);
    assert_true(s.x == 21);
}

static void quality_is_the_largest_accuracy(void **state)
{
    size_t checked = 0;

    proxy_scale(&port, 1.0, 5, 0.1);
    proxy_scale(&port, 1.0, 5, 0.3);
    proxy_scale(&port, 1.0, 5, 0.2);
    proxy_scale(&port, 9.0, 5, NAN); /* diverged */
    proxy_work(&port, 1);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++) {
        const struct portolan_probe_record *r = &snap.records[i];

        if (r->handle == work && r->calls) {
            assert_false(r->has_quality);
            checked++;
        } else if (r->handle == scale && r->calls == 3) {
            assert_true(r->has_quality && r->quality == 0.3);
            checked++;
        } else if (r->handle == scale && r->calls == 1) {
            assert_true(r->has_quality && isinf(r->quality));
            checked++;
        }
    }
    assert_int_equal(checked, 3);
}

static void tuples_beyond_all_bins_share_one_record(void **state)
{
    struct sums s;
    double m_sum = 0;
    uint64_t calls = 0;
    bool seen_rest = false;

    for (int i = -20; i < 20; i++)
        for (int64_t m = 1; m < 3000000; m *= 2) {
            proxy_scale(&port, ldexp(1.0, i), m, 0.0);
            m_sum += (double)m;
            calls++;
        }
    s = add_up(scale, 1);
    assert_int_equal(s.records, PORTOLAN_PROBE_EXACT + PORTOLAN_PROBE_BINS + 1);
    assert_int_equal(s.calls, calls);
    assert_true(s.x == m_sum && s.t == m_sum);
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].handle == scale && isinf(snap.records[i].context[1].upper))
            seen_rest = true;
    assert_true(seen_rest);
}

static void descend(struct worker *self, int64_t n)
{
    struct portolan_probe_port *next = self->arg;

    portolan_probe_clock_advance(1);
    for (int64_t i = 0; i < 60; i++)
        proxy_work(next, i * (n + 1));
}

static void nodes_are_bounded_and_no_call_is_lost(void **state)
{
    struct worker top = {descend, NULL, &deeper[0]}, middle = {descend, NULL, &deeper[1]};
    uint64_t leaf_calls = 0, other_calls = 0;
    size_t others = 0;

    bind_worker(&binding, &top, "driver", "top", "test.Top");
    bind_worker(&deeper_binding[0], &middle, "top", "middle", "test.Middle");
    bind_worker(&deeper_binding[1], &linear, "middle", "bottom", "test.Linear");
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED);
    portolan_probe_port_init(&deeper[0], &deeper_binding[0], PORTOLAN_PROBE_MONITORED);
    portolan_probe_port_init(&deeper[1], &deeper_binding[1], PORTOLAN_PROBE_MONITORED);
    for (int64_t i = 0; i < 25; i++)
        proxy_work(&port, i); /* 25 × 60 × 60 paths, and more nodes than are allowed */
    take_snapshot();
    assert_true(snap.count <= PORTOLAN_PROBE_NODES + 1);
    for (size_t i = 0; i < snap.count; i++) {
        const struct portolan_probe_record *r = &snap.records[i];

        assert_true(r->parent < (int64_t)i);
        if (r->handle == PORTOLAN_PROBE_HANDLE_OTHER) {
            others++;
            other_calls += r->calls;
        } else if (r->handle != PORTOLAN_PROBE_HANDLE_ROOT) {
            leaf_calls += r->calls;
        }
    }
    assert_int_equal(others, 1);
    assert_true(other_calls > 0);
    assert_int_equal(leaf_calls + other_calls, 25 + 25 * 60 + 25 * 60 * 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(up_to_64_values_are_kept_exactly, fresh),
        cmocka_unit_test_setup(later_values_share_bins_with_exact_moments, fresh),
        cmocka_unit_test_setup(a_bin_holds_what_lies_between_its_edges, fresh),
        cmocka_unit_test_setup(real_values_are_always_binned, fresh),
        cmocka_unit_test_setup(quality_is_the_largest_accuracy, fresh),
        cmocka_unit_test_setup(tuples_beyond_all_bins_share_one_record, fresh),
        cmocka_unit_test_setup(nodes_are_bounded_and_no_call_is_lost, fresh),
    };
    int failed = cmocka_run_group_tests_name("contexts", tests, NULL, NULL);

    portolan_probe_snapshot_clear(&snap);
    return failed;
}
