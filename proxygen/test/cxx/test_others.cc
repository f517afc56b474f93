/* SPDX-License-Identifier: BSD-3-Clause */
/* A class that others wrote and others use: the standard library's memory_resource, whose virtual
 * methods are all private. */
#include "foreign.hpp"

#include <memory_resource>
#include <string>
#include <vector>

extern "C" const struct portolan_component portolan_component_std_pmr_memory_resourceProxy;

namespace
{

using resource = std::pmr::memory_resource;

struct fixture {
    test::proxied<resource> proxy{portolan_component_std_pmr_memory_resourceProxy,
                                  "std.pmr.memory_resource"};
    struct test_monitor *monitor = test_monitor_create();
    std::pmr::unsynchronized_pool_resource pool;
    resource *face;

    fixture()
    {
        records_begin();
        proxy.monitor(monitor);
        proxy.bind(&pool, "Pool");
        face = proxy.face();
    }
    ~fixture()
    {
        proxy.monitor(nullptr);
        gov_cca_Port_deleteRef(test_monitor_port(monitor), nullptr);
    }
};

void containers_allocate_through_a_proxy(void **)
{
    fixture f;

    {
        std::pmr::vector<int> list(f.face);

        list.reserve(100);
        list.assign(100, 7);
        list.reserve(200);
        assert_int_equal(list[99], 7);
    }
    assert_int_equal(records_of("do_allocate", nullptr).calls, 2);
    assert_int_equal(records_of("do_deallocate", nullptr).calls, 2);
    assert_int_equal(records_node("do_allocate", 0).context[0].value, 100 * sizeof(int));
}

void it_is_equal_to_itself_and_to_what_is_behind(void **)
{
    fixture f;

    assert_true(*f.face == *f.face);
    assert_true(*f.face == f.pool);
}

void what_the_implementation_throws_arrives(void **)
{
    fixture f;
    bool caught = false;

    f.proxy.bind(std::pmr::null_memory_resource(), "Null");
    try {
        std::pmr::string text(1000, 'x', f.face);
    } catch (const std::bad_alloc &) {
        caught = true;
    }
    assert_true(caught);
    assert_int_equal(records_of("do_allocate", "Null").failed_calls, 1);
}

} /* namespace */

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers_allocate_through_a_proxy),
        cmocka_unit_test(it_is_equal_to_itself_and_to_what_is_behind),
        cmocka_unit_test(what_the_implementation_throws_arrives),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
