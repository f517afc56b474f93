/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs of functions of a header in C++: one that holds them, one with a table, one without data. */
#include "foreign.hpp"

#include "operations.hpp"

extern "C" const struct portolan_component portolan_component_lab_OperationsProxy,
    portolan_component_lab_FlowProxy, portolan_component_lab_PureProxy;

namespace
{

template <typename Port> struct fixture {
    test::proxied<Port> proxy;
    struct test_monitor *monitor = test_monitor_create();
    Port *face;

    fixture(const struct portolan_component &component, const char *type, Port *object)
        : proxy(component, type)
    {
        records_begin();
        proxy.monitor(monitor);
        proxy.bind(object, "Object");
        face = proxy.face();
    }
    ~fixture()
    {
        proxy.monitor(nullptr);
        gov_cca_Port_deleteRef(test_monitor_port(monitor), nullptr);
    }
};

int solve(operations *self, mode how, std::size_t n, double *x)
{
    x[0] = how == mode::exact ? 2.0 : 1.0;
    return self->n_solved += static_cast<int>(n);
}

void functions_and_data_of_a_struct_go_through(void **)
{
    operations own = {solve, [](const operations *a, const operations *b) { return a == b; }, 0};
    fixture<operations> f(portolan_component_lab_OperationsProxy, "lab.Operations", &own);
    double x[3];

    assert_int_equal(f.face->solve(f.face, mode::exact, 3, x), 3);
    assert_true(x[0] == 2.0 && own.n_solved == 3 && f.face->n_solved == 3);
    f.face->n_solved = 10;
    assert_int_equal(f.face->solve(f.face, mode::fast, 3, x), 13);
    assert_true(f.face->is_like(f.face, f.face));
    assert_int_equal(records_of("solve", nullptr).calls, 2);
    assert_true(records_node("solve", 0).context[0].value == 3);
}

double flux(flow *self, const double *u, std::size_t n)
{
    return u[n - 1] * self->size;
}

void so_do_those_of_a_table(void **)
{
    static const flow_table table = {flux,
                                     [](const flow *a, const flow *b) { return a->ops == b->ops; }};
    flow own = {&table, 2};
    fixture<flow> f(portolan_component_lab_FlowProxy, "lab.Flow", &own);
    const double u[] = {1.0, 4.0};

    assert_true(f.face->ops->flux(f.face, u, 2) == 8.0);
    assert_true(f.face->ops->is_like(f.face, f.face));
    assert_int_equal(records_of("flux", nullptr).calls, 1);
}

void so_do_those_that_take_no_object(void **)
{
    pure own = {[](int n) { return 2 * n; }};
    fixture<pure> f(portolan_component_lab_PureProxy, "lab.Pure", &own);

    assert_int_equal(f.face->twice(4), 8);
    assert_int_equal(records_of("twice", nullptr).calls, 1);
}

} /* namespace */

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_data_of_a_struct_go_through),
        cmocka_unit_test(so_do_those_of_a_table),
        cmocka_unit_test(so_do_those_that_take_no_object),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
