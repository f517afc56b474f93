/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated proxies for classes at work: results, times, contexts, overloads, exceptions, swaps. */
#include "foreign.hpp"

#include <stdexcept>
#include <typeinfo>

#include "solver.hpp"

extern "C" const struct portolan_component portolan_component_lab_SolverProxy;

namespace
{

class Direct : public lab::Solver
{
  public:
    explicit Direct(double factor = 2) : factor_(factor)
    {
    }

    int setup(int n, double tolerance, lab::Mode mode) override
    {
        portolan_probe_clock_advance(20);
        tolerance_ = tolerance;
        mode_ = mode;
        return n;
    }
    Vector solve(const Vector &b) override
    {
        Vector x(b);

        portolan_probe_clock_advance(5);
        for (double &value : x)
            value *= factor_;
        return x;
    }
    double solve(double b) override
    {
        return b * factor_;
    }
    double solve(double b) const override
    {
        return -b * factor_;
    }
    double residual() const noexcept override
    {
        return 0.25;
    }
    void refine(int steps, double &reached) override
    {
        reached = 1.0 / steps;
    }
    std::size_t take(std::unique_ptr<Vector> matrix, std::string &&name) override
    {
        std::string mine(std::move(name));

        matrix_ = std::move(matrix);
        return matrix_->size() + mine.size();
    }
    bool is_like(const lab::Solver &other) const override
    {
        return dynamic_cast<const Direct *>(&other) != nullptr;
    }
    bool precede(lab::Solver *other) override
    {
        return dynamic_cast<Direct *>(other) != nullptr;
    }
    lab::Solver &scale(double factor) override
    {
        factor_ *= factor;
        return *this;
    }
    const lab::Solver *me() const override
    {
        return this;
    }
    void fall(int code) override
    {
        portolan_probe_clock_advance(3);
        throw std::domain_error("code " + std::to_string(code));
    }
    int nested(lab::Solver &outer, int depth) override
    {
        portolan_probe_clock_advance(1);
        return depth ? 1 + outer.nested(outer, depth - 1) : 0;
    }
    lab::Mode mode() const
    {
        return mode_;
    }

  private:
    double factor_;
    double tolerance_ = 0;
    lab::Mode mode_ = lab::Mode::iterative;
    std::unique_ptr<Vector> matrix_;
};

class Named : public Direct
{
  public:
    std::string name() const override
    {
        return "named";
    }
};

/* A monitored proxy with a Direct behind it. */
struct fixture {
    test::proxied<lab::Solver> proxy{portolan_component_lab_SolverProxy, "lab.Solver"};
    struct test_monitor *monitor = test_monitor_create();
    Direct direct;
    lab::Solver *solver;

    fixture()
    {
        records_begin();
        proxy.monitor(monitor);
        proxy.bind(&direct, "Direct");
        solver = proxy.face();
    }
    ~fixture()
    {
        proxy.monitor(nullptr);
        gov_cca_Port_deleteRef(test_monitor_port(monitor), nullptr);
    }
};

void calls_give_what_the_implementation_gives(void **)
{
    fixture f;
    const lab::Solver *constant = f.solver;

    assert_int_equal(f.solver->setup(7, 1e-3), 7);
    assert_true(f.direct.mode() == lab::Mode::direct); /* the header's default */
    assert_true(f.solver->solve({1, 2, 3})[2] == 6);
    assert_true(f.solver->solve(1.5) == 3);
    assert_true(constant->solve(1.5) == -3);
    assert_string_equal(f.solver->name().c_str(), "nameless");
}

void values_that_cannot_be_copied_are_moved(void **)
{
    fixture f;
    std::string name = "a name that is longer than what fits in a string itself";
    std::size_t length = name.size();

    assert_int_equal(f.solver->take(std::make_unique<lab::Solver::Vector>(3), std::move(name)),
                     3 + length);
    assert_true(name.empty());
}

void records_tell_overloads_apart(void **)
{
    fixture f;
    const lab::Solver *constant = f.solver;

    f.solver->solve({1, 2, 3});
    f.solver->solve(1.0);
    f.solver->solve(1.0);
    for (int i = 0; i < 3; i++)
        constant->solve(1.0);
    assert_int_equal(records_of("solve(const std::vector<double> &)", nullptr).calls, 1);
    assert_int_equal(records_of("solve(double)", nullptr).calls, 2);
    assert_int_equal(records_of("solve(double) const", nullptr).calls, 3);
}

void contexts_are_numbers_and_sizes(void **)
{
    fixture f;

    f.solver->setup(7, 0.5);
    f.solver->setup(9, 0.5);
    f.solver->solve(lab::Solver::Vector(12));
    assert_int_equal(records_node("setup", 0).context[0].value, 7);
    assert_int_equal(records_node("setup", 1).context[0].value, 9);
    assert_int_equal(records_node("solve(const std::vector<double> &)", 0).context[0].value, 12);
}

void accuracies_come_from_results_and_references(void **)
{
    fixture f;
    double reached = 0;

    f.solver->residual();
    f.solver->refine(8, reached);
    assert_true(reached == 0.125);
    assert_true(records_of("residual", nullptr).quality == 0.25);
    assert_true(records_of("refine", nullptr).quality == 0.125);
}

void an_exception_ends_the_call_and_arrives(void **)
{
    fixture f;
    bool caught = false;

    try {
        f.solver->fall(4);
    } catch (const std::domain_error &e) {
        caught = true;
        assert_string_equal(e.what(), "code 4");
    }
    assert_true(caught);
    f.solver->setup(1, 1);
    assert_int_equal(records_of("fall", nullptr).calls, 0);
    assert_int_equal(records_of("fall", nullptr).failed_calls, 1);
    assert_true(records_of("fall", nullptr).inclusive_ns == 0);
    assert_true(records_of("setup", nullptr).inclusive_ns == 20);
    assert_int_equal(records_of("fall", nullptr).subroutine_calls, 0); /* setup is not inside it */
}

void implementations_get_each_other_not_proxies(void **)
{
    fixture f;
    test::proxied<lab::Solver> second(portolan_component_lab_SolverProxy, "lab.Solver");
    Direct other;

    second.bind(&other, "Other");
    assert_true(f.solver->is_like(*second.face()));
    assert_true(f.solver->is_like(other));
    assert_true(f.solver->precede(second.face()));
    assert_false(f.solver->precede(nullptr));
}

void who_returns_itself_returns_the_proxy(void **)
{
    fixture f;

    assert_ptr_equal(&f.solver->scale(3), f.solver);
    assert_ptr_equal(f.solver->me(), f.solver);
    f.solver->scale(2).scale(2).scale(2);
    assert_int_equal(records_of("scale", nullptr).calls, 4);
}

void a_proxy_is_of_a_type_of_its_own(void **)
{
    fixture f;

    assert_null(dynamic_cast<Direct *>(f.solver));
    assert_true(typeid(*f.solver) != typeid(Direct));
}

void calls_through_the_port_from_inside_are_nested(void **)
{
    fixture f;

    /* The implementation gets itself, so that calls it makes of itself are its own. */
    assert_int_equal(f.solver->nested(*f.solver, 2), 2);
    assert_int_equal(records_of("nested", nullptr).calls, 1);
    assert_true(records_of("nested", nullptr).inclusive_ns == 3);
}

void another_implementation_can_take_over(void **)
{
    fixture f;
    Named named;

    f.solver->setup(1, 1);
    f.proxy.bind(&named, "Named");
    f.solver->setup(1, 1);
    f.solver->setup(1, 1);
    assert_string_equal(f.solver->name().c_str(), "named");
    assert_int_equal(records_of("setup", "Direct").calls, 1);
    assert_int_equal(records_of("setup", "Named").calls, 2);
}

void nothing_behind_it_is_an_exception(void **)
{
    fixture f;
    std::string what;

    f.proxy.bind(nullptr, "nobody");
    try {
        f.solver->setup(1, 1);
    } catch (const std::runtime_error &e) {
        what = e.what();
    }
    assert_non_null(strstr(what.c_str(), "call of 'setup': nothing is connected"));
}

void calls_that_are_not_measured_arrive_alike(void **)
{
    test::proxied<lab::Solver> proxy(portolan_component_lab_SolverProxy, "lab.Solver");
    Direct direct, other;
    bool caught = false;

    records_begin();
    proxy.bind(&direct, "Direct");

    lab::Solver *solver = proxy.face();

    solver->setup(1, 1); /* a thread's first call goes the long way */
    assert_int_equal(solver->setup(7, 1), 7);
    assert_true(solver->solve(lab::Solver::Vector{1, 2, 3})[2] == 6);
    assert_int_equal(solver->take(std::make_unique<lab::Solver::Vector>(3), "name"), 7);
    assert_ptr_equal(&solver->scale(3), solver);
    assert_ptr_equal(solver->me(), solver);
    assert_true(solver->is_like(*solver));
    try {
        solver->fall(1);
    } catch (const std::domain_error &) {
        caught = true;
    }
    assert_true(caught);
    /* nobody is inside any more */
    proxy.bind(&other, "Other");
    assert_int_equal(records_of("setup", nullptr).calls, 0);
    proxy.bind(nullptr, "nobody");
    try {
        solver->setup(1, 1);
        assert_true(false);
    } catch (const std::runtime_error &e) {
        assert_non_null(strstr(e.what(), "call of 'setup': nothing is connected"));
    }
}

} /* namespace */

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_give_what_the_implementation_gives),
        cmocka_unit_test(values_that_cannot_be_copied_are_moved),
        cmocka_unit_test(records_tell_overloads_apart),
        cmocka_unit_test(contexts_are_numbers_and_sizes),
        cmocka_unit_test(accuracies_come_from_results_and_references),
        cmocka_unit_test(an_exception_ends_the_call_and_arrives),
        cmocka_unit_test(implementations_get_each_other_not_proxies),
        cmocka_unit_test(who_returns_itself_returns_the_proxy),
        cmocka_unit_test(a_proxy_is_of_a_type_of_its_own),
        cmocka_unit_test(calls_through_the_port_from_inside_are_nested),
        cmocka_unit_test(another_implementation_can_take_over),
        cmocka_unit_test(nothing_behind_it_is_an_exception),
        cmocka_unit_test(calls_that_are_not_measured_arrive_alike),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
