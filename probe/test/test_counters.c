/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters as this machine has them: with PAPI its events are read, without it the text says so. */
#include "fixture.h"

#include <sys/mman.h>
#include <unistd.h>

#define PAGES 300

static struct portolan_probe_port port;
static struct portolan_probe_binding binding;
static const char *const page_faults[] = {"perf::PAGE-FAULTS"};

/* Touches PAGES fresh pages. */
static void faulting_work(struct worker *self, int64_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)self, (void)n;
    assert_true(memory != MAP_FAILED);
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        __atomic_store_n(&memory[i * page], 1, __ATOMIC_RELAXED);
    munmap(memory, size);
}

static struct worker faulting = {faulting_work, NULL, NULL};

static int fresh(void **state)
{
    (void)state;
    bind_worker(&binding, &faulting, "driver", "pages", "test.Faulting");
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_COUNTERS);
    portolan_probe_counters_set(NULL, 0, NULL);
    return portolan_probe_reset(NULL);
}

static void no_counters_are_read_unless_chosen(void **state)
{
    const struct portolan_probe_record *r;

    (void)state;
    proxy_work(&port, 1);
    take_snapshot();
    r = find_record(NULL, binding.first_method_handle, 1);
    assert_int_equal(r->calls, 1);
    assert_int_equal(r->counters[0], 0);
    assert_int_equal(portolan_probe_counters_count(), 0);
    assert_null(portolan_probe_counter_peek_name(0));
}

static void an_unknown_counter_is_refused_with_the_reason(void **state)
{
    static const char *const names[] = {"NO_SUCH_EVENT"};
    struct portolan_error err = {0};

    (void)state;
    assert_int_equal(portolan_probe_counters_set(names, 1, &err), PORTOLAN_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "NO_SUCH_EVENT"));
    assert_int_equal(portolan_probe_counters_count(), 0);
    assert_non_null(strstr(portolan_probe_counters_describe(), "counters"));
}

static void software_events_are_counted_per_record(void **state)
{
    struct portolan_error err = {0};
    const struct portolan_probe_record *one, *two;
    uint64_t counted;

    (void)state;
    if (portolan_probe_counters_set(page_faults, 1, &err) != PORTOLAN_OK) {
        assert_int_not_equal(strlen(err.text), 0);
        skip(); /* built without PAPI, or the kernel refuses */
    }
    assert_string_equal(portolan_probe_counter_peek_name(0), page_faults[0]);
    proxy_work(&port, 1);
    proxy_work(&port, 2);
    proxy_work(&port, 2);
    take_snapshot();
    one = find_record(NULL, binding.first_method_handle, 1);
    two = find_record(NULL, binding.first_method_handle, 2);
    assert_true(one->counters[0] >= PAGES);
    assert_true(two->counters[0] >= 2 * PAGES); /* sanitizers touch pages of their own */
    counted = two->counters[0];

    portolan_probe_port_set_flags(&port, PORTOLAN_PROBE_MONITORED);
    proxy_work(&port, 2);
    take_snapshot();
    two = find_record(NULL, binding.first_method_handle, 2);
    assert_int_equal(two->calls, 3);
    assert_int_equal(two->counters[0], counted);
}

static void a_refused_choice_leaves_the_earlier_one(void **state)
{
    static const char *const many[] = {"a", "b", "c", "d", "e"};

    (void)state;
    if (portolan_probe_counters_set(page_faults, 1, NULL) != PORTOLAN_OK)
        skip();
    assert_int_equal(portolan_probe_counters_set(many, 5, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_probe_counters_set(many, 1, NULL), PORTOLAN_EUNSUPPORTED);
    assert_int_equal(portolan_probe_counters_count(), 1);
    assert_string_equal(portolan_probe_counter_peek_name(0), page_faults[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(no_counters_are_read_unless_chosen, fresh),
        cmocka_unit_test_setup(an_unknown_counter_is_refused_with_the_reason, fresh),
        cmocka_unit_test_setup(software_events_are_counted_per_record, fresh),
        cmocka_unit_test_setup(a_refused_choice_leaves_the_earlier_one, fresh),
    };
    int failed = cmocka_run_group_tests_name("counters", tests, NULL, NULL);

    portolan_probe_snapshot_clear(&snap);
    return failed;
}
