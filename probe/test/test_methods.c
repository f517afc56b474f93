/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles and what they stand for; and what happens without memory. */
#include "fixture.h"

static const struct portolan_probe_connection connection = {.user = "driver",
                                                            .uses = "solver",
                                                            .provider = "cholmod",
                                                            .provides = "solve",
                                                            .provider_class = "heat.Cholmod",
                                                            .port_type = "heat.LinearSolver"};

static void handles_stand_for_names(void **state)
{
    const struct portolan_probe_method_info *info;
    uint32_t first;

    assert_int_equal(
        portolan_probe_methods_register(&connection, worker_methods, N_METHODS, &first, NULL),
        PORTOLAN_OK);
    info = portolan_probe_method_peek(first + METHOD_SCALE);
    assert_non_null(info);
    assert_int_equal(info->handle, first + METHOD_SCALE);
    assert_string_equal(info->connection.user, "driver");
    assert_string_equal(info->connection.provider_class, "heat.Cholmod");
    assert_string_equal(info->method.name, "scale");
    assert_int_equal(info->method.n_context, 2);
    assert_string_equal(info->method.context[1], "m");
    assert_int_equal(info->method.real_contexts, 1);
}

static void same_names_give_the_same_handles(void **state)
{
    struct portolan_probe_connection other = connection;
    uint32_t first, again, changed;

    other.provider_class = "heat.Banded";
    portolan_probe_methods_register(&connection, worker_methods, N_METHODS, &first, NULL);
    portolan_probe_methods_register(&other, worker_methods, N_METHODS, &changed, NULL);
    portolan_probe_methods_register(&connection, worker_methods, N_METHODS, &again, NULL);
    assert_int_equal(first, again);
    assert_int_not_equal(first, changed);
    portolan_probe_methods_register(&connection, worker_methods, 1, &changed, NULL);
    assert_int_not_equal(first, changed);
}

static void unknown_handles_stand_for_nothing(void **state)
{
    assert_null(portolan_probe_method_peek(0x3FFFFFFF));
    assert_string_equal(portolan_probe_method_peek(PORTOLAN_PROBE_HANDLE_OWN)->method.name,
                        "(Portolan itself)");
}

static void too_many_contexts_are_refused(void **state)
{
    struct portolan_probe_method method = {.name = "greedy", .n_context = 5};
    struct portolan_error err = {0};
    uint32_t first = 77;

    assert_int_equal(portolan_probe_methods_register(&connection, &method, 1, &first, &err),
                     PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "greedy"));
    assert_int_equal(first, 77);
    assert_int_equal(portolan_probe_methods_register(&connection, &method, 0, &first, NULL),
                     PORTOLAN_EINVAL);
}

static void registration_without_memory_fails_cleanly(void **state)
{
    struct portolan_probe_connection fresh = connection;
    struct portolan_error err = {0};
    uint32_t first = 77;

    fresh.user = "somebody else";
    portolan_alloc_fail_at(1);
    assert_int_equal(
        portolan_probe_methods_register(&fresh, worker_methods, N_METHODS, &first, &err),
        PORTOLAN_ENOMEM);
    portolan_alloc_fail_at(0);
    assert_int_equal(first, 77);
    assert_non_null(strstr(err.text, "somebody else"));
}

static int forwarded;

static void count_work(struct worker *self, int64_t n)
{
    (void)self, (void)n;
    forwarded++;
}

/* Whichever allocation fails, calls go through and are counted somewhere. */
static void calls_go_through_whichever_allocation_fails(void **state)
{
    struct worker worker = {count_work, NULL, NULL};
    struct portolan_probe_binding binding;
    struct portolan_probe_port port;
    unsigned long n;
    int64_t value = 0;

    for (n = 1; n <= 12; n++) {
        char name[32];

        snprintf(name, sizeof name, "poor%lu", n);
        bind_worker(&binding, &worker, "driver", name, "test.Count");
        portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED);
        forwarded = 0;
        portolan_alloc_fail_at(n);
        for (int i = 0; i < 200; i++)
            proxy_work(&port, value++);
        portolan_alloc_fail_at(0);
        assert_int_equal(forwarded, 200);
    }
    portolan_alloc_fail_at(1);
    portolan_probe_snapshot_clear(&snap);
    assert_int_equal(portolan_probe_snapshot_take(&snap, NULL), PORTOLAN_ENOMEM);
    portolan_alloc_fail_at(0);
    n = 0;
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        n += snap.records[i].calls;
    assert_true(n >= 12 * 200 - 200); /* the first may have found no memory for its thread */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_go_through_whichever_allocation_fails),
        cmocka_unit_test(handles_stand_for_names),
        cmocka_unit_test(same_names_give_the_same_handles),
        cmocka_unit_test(unknown_handles_stand_for_nothing),
        cmocka_unit_test(too_many_contexts_are_refused),
        cmocka_unit_test(registration_without_memory_fails_cleanly),
    };
    int failed = cmocka_run_group_tests_name("methods", tests, NULL, NULL);

    portolan_probe_snapshot_clear(&snap);
    return failed;
}
