/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated proxies for all forms of declarations: the calls arrive, and the results come back. */
#include "foreign.hpp"

#include <csetjmp>
#include <cstdio>
#include <memory>

#include "bases.hpp"
#include "forms.hpp"
#include "hooks.hpp"

extern "C" {
extern const struct portolan_component portolan_component_lab_formsProxy;
extern const struct portolan_component portolan_component_lab_StoreProxy;
extern const struct portolan_component portolan_component_lab_PairProxy;
extern const struct portolan_component portolan_component_lab_ClosedProxy;
extern const struct portolan_component portolan_component_lab_InnerProxy;
extern const struct portolan_component portolan_component_lab_HooksProxy;
}

using test::calls;
using test::fixture;

namespace
{

/* ------------------------------------------------------------------ declarations */

int add_two(int n)
{
    return n + 2;
}

int first_of(int n, lab::Point p)
{
    return n + static_cast<int>(p.x);
}

class Forms : public lab::forms
{
  public:
    lab::Point swap(lab::Point p) override
    {
        return {p.y, p.x};
    }
    lab::detail::Options options(lab::detail::Options o, lab::detail::Table<int> t) override
    {
        o.level += t.at(4);
        return o;
    }
    uint64_t sizes(std::size_t a, uint64_t b, std::int8_t c) override
    {
        return a + b + c;
    }
    int names(std::vector<int> h, Color c, Inner i) override
    {
        return static_cast<int>(h.size()) + c + i.depth;
    }
    long status(struct stat *s, const struct stat &t) override
    {
        return s->st_size = t.st_size;
    }
    double arrays(const double table[][4], double (&four)[4], double *const last) override
    {
        return table[1][2] + four[3] + *last;
    }
    int callbacks(int (*f)(int, lab::Point), const std::function<int(int)> &g) override
    {
        return g(f(1, {2, 0}));
    }
    double member(const lab::Point &p, double lab::Point::*which) override
    {
        return p.*which;
    }
    auto row(int i) -> double (&)[4] override
    {
        return rows_[i];
    }
    auto function(bool) const -> int (*)(int) override
    {
        return add_two;
    }
    auto trailing(int n) -> std::vector<std::string> override
    {
        return std::vector<std::string>(static_cast<std::size_t>(n), "x");
    }
    void references(int &in, const int &also, lab::Point &&p, int *&pointer) override
    {
        in += also + static_cast<int>(p.x);
        pointer = &in;
    }
    int listed(FILE *file, va_list arguments) override
    {
        return file ? 0 : va_arg(arguments, int);
    }
    void unnamed(int, double, const char *) override
    {
    }
    int clash(int call, int portolan_, int context, int result) override
    {
        return call + 10 * portolan_ + 100 * context + 1000 * result;
    }
    int kind() override
    {
        return 3;
    }
    int kind() const override
    {
        return 4;
    }
    int value() & override
    {
        return 5;
    }
    int value() && override
    {
        return 6;
    }
    int device(int n) volatile override
    {
        return n;
    }
    int quiet() noexcept override
    {
        return 7;
    }
    int computed() noexcept override
    {
        return 8;
    }
    int loud() override
    {
        throw 9;
    }
    int operator()(int a, int b) override
    {
        return a * b;
    }
    int &operator[](int i) override
    {
        return cells_[i];
    }
    lab::forms &operator+=(int n) override
    {
        cells_[0] += n;
        return *this;
    }
    bool operator==(const lab::forms &other) const override
    {
        return dynamic_cast<const Forms *>(&other) != nullptr;
    }
    lab::forms &operator=(int n) override
    {
        cells_[0] = n;
        return *this;
    }
    operator double() const override
    {
        return 2.5;
    }
    explicit operator bool() const override
    {
        return false;
    }
    int operator,(int n) override
    {
        return -n;
    }
    int old() override
    {
        return 10;
    }

    int cells_[2] = {1, 2};
    double rows_[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
};

struct forms_fixture : fixture<lab::forms, Forms> {
    forms_fixture() : fixture(portolan_component_lab_formsProxy, "lab.forms")
    {
    }
};

int list_to(lab::forms *port, ...)
{
    va_list arguments;

    va_start(arguments, port);

    int result = port->listed(nullptr, arguments);

    va_end(arguments);
    return result;
}

void arguments_of_all_types_arrive(void **)
{
    forms_fixture f;
    const double table[2][4] = {{0, 0, 0, 0}, {0, 0, 10, 0}};
    double four[4] = {0, 0, 0, 100}, last = 1000;
    struct stat to = {}, from = {};
    int in = 1, *pointer = nullptr;

    from.st_size = 77;
    assert_true(f.port->swap({1, 2}).x == 2);
    assert_int_equal(f.port->options({3}, {{4, 5}}).level, 8);
    assert_int_equal(f.port->sizes(1, 2, -1), 2);
    assert_int_equal(f.port->names({1, 2}, lab::forms::green, {30}), 39);
    assert_int_equal(f.port->status(&to, from), 77);
    assert_int_equal(to.st_size, 77);
    assert_true(f.port->arrays(table, four, &last) == 1110);
    assert_int_equal(f.port->callbacks(first_of, [](int n) { return n * 5; }), 15);
    assert_true(f.port->member({1, 2}, &lab::Point::y) == 2);
    f.port->references(in, 10, {100, 0}, pointer);
    assert_int_equal(in, 111);
    assert_ptr_equal(pointer, &in);
    assert_int_equal(list_to(f.port, 55), 55);
    f.port->unnamed(1, 2, "3");
    assert_int_equal(calls("unnamed"), 1);
    assert_int_equal(f.port->clash(1, 2, 3, 4), 4321);
}

void results_of_all_types_come_back(void **)
{
    forms_fixture f;

    assert_ptr_equal(&f.port->row(1), &f.behind.rows_[1]);
    assert_int_equal(f.port->function(true)(40), 42);
    assert_int_equal(f.port->trailing(3).size(), 3);
}

void qualifiers_choose_the_same_method(void **)
{
    forms_fixture f;
    const lab::forms *constant = f.port;
    volatile lab::forms *device = f.port;

    assert_int_equal(f.port->kind(), 3);
    assert_int_equal(constant->kind(), 4);
    assert_int_equal(calls("kind()"), 1);
    assert_int_equal(calls("kind() const"), 1);
    assert_int_equal(f.port->value(), 5);
    assert_int_equal(std::move(*f.port).value(), 6);
    assert_int_equal(device->device(12), 12);
    assert_int_equal(f.port->quiet() + f.port->computed(), 15);
    static_assert(noexcept(f.port->quiet()), "as the header says");
    try {
        f.port->loud();
        assert_true(false);
    } catch (int thrown) {
        assert_int_equal(thrown, 9);
    }
}

void operators_and_conversions_are_methods(void **)
{
    forms_fixture f;
    lab::forms &port = *f.port;

    assert_int_equal(port(6, 7), 42);
    port[1] = 20;
    assert_int_equal(f.behind.cells_[1], 20);
    assert_ptr_equal(&(port += 4), f.port);
    assert_int_equal(f.behind.cells_[0], 5);
    assert_ptr_equal(&(port = 50), f.port);
    assert_int_equal(f.behind.cells_[0], 50);
    assert_true(port == *f.port);
    assert_true(static_cast<double>(port) == 2.5);
    assert_false(static_cast<bool>(port));
    assert_int_equal((port, 8), -8);
    assert_int_equal(calls("operator()"), 1);
    assert_int_equal(calls("operator double"), 1);
}

/* ------------------------------------------------------------------ bases */

class Shelf : public lab::Store
{
  public:
    int shared() override
    {
        return 1;
    }
    int load() override
    {
        return 2;
    }
    int load(int n) override
    {
        return n;
    }
    int save() override
    {
        return 3;
    }
    int count() const override
    {
        return 4;
    }
    lab::Store *copy() override
    {
        return this;
    }
};

void methods_of_all_bases_are_forwarded(void **)
{
    fixture<lab::Store, Shelf> f(portolan_component_lab_StoreProxy, "lab.Store");
    lab::Loader *loader = f.port;
    lab::Saver *saver = f.port;
    lab::Named *named = f.port;
    lab::Counted *counted = f.port;

    assert_int_equal(loader->load(), 2);
    assert_int_equal(f.port->load(20), 20);
    assert_int_equal(saver->save(), 3);
    assert_int_equal(counted->count(), 4);
    assert_int_equal(named->shared() + counted->shared(), 2);
    assert_int_equal(calls("shared"), 2);
    assert_string_equal(named->name().c_str(), "saver");
    /* the result is covariant, and the object itself */
    assert_ptr_equal(f.port->copy(), f.port);
    assert_ptr_equal(loader->copy(), named);
}

class Whole : public lab::Pair
{
  public:
    int weight() override
    {
        return 70;
    }
    int left() override
    {
        return 1;
    }
    int right() override
    {
        return 2;
    }
};

void two_objects_of_one_base_are_served_by_one_method(void **)
{
    fixture<lab::Pair, Whole> f(portolan_component_lab_PairProxy, "lab.Pair");
    lab::Part *left = static_cast<lab::Left *>(f.port);
    lab::Part *right = static_cast<lab::Right *>(f.port);

    assert_ptr_not_equal(left, right);
    assert_int_equal(left->weight() + right->weight(), 140);
    assert_int_equal(calls("weight"), 2);
    assert_int_equal(left->color(), 5); /* not intercepted, as the report says */
    assert_int_equal(calls("color"), 0);
}

class Box : public lab::Closed
{
  public:
    int open() override
    {
        return 1;
    }
    int weight() override
    {
        return 20;
    }
    int shared() override
    {
        return 300;
    }
};

void bases_that_are_not_public_are_reached(void **)
{
    fixture<lab::Closed, Box> f(portolan_component_lab_ClosedProxy, "lab.Closed");

    assert_int_equal(f.port->open() + f.port->both(), 321);
    assert_int_equal(calls("weight"), 1);
}

class Nested : public lab::Inner
{
  public:
    int inside(const lab::Inner &other) override
    {
        return &other == this;
    }
};

void a_class_in_a_class_is_a_port_by_its_alias(void **)
{
    fixture<lab::Inner, Nested> f(portolan_component_lab_InnerProxy, "lab.Inner");

    assert_int_equal(f.port->inside(*f.port), 1);
}

/* ------------------------------------------------------------------ what is not public */

class Parts : public lab::Hooks
{
  public:
    int vlogged(const char *format, va_list arguments) override
    {
        return vsnprintf(text, sizeof text, format, arguments);
    }
    [[noreturn]] void leave(int status) override
    {
        std::longjmp(back, status);
    }

    char text[40];
    std::jmp_buf back;

  private:
    int before(int n) override
    {
        return n;
    }
    int inner(int n) override
    {
        return 10 * n;
    }
};

struct hooks_fixture : fixture<lab::Hooks, Parts> {
    hooks_fixture() : fixture(portolan_component_lab_HooksProxy, "lab.Hooks")
    {
    }
};

void private_methods_are_measured_when_the_base_calls_them(void **)
{
    hooks_fixture f;

    assert_int_equal(f.port->run(3), 33);
    assert_int_equal(calls("before"), 1);
    assert_int_equal(records_node("inner(int)", 0).context[0].value, 3);
    assert_int_equal(f.port->fixed(), 11);
    assert_int_equal(f.port->fixed(12), 12);
    assert_int_equal(f.port->any(13), 13);
}

void dots_are_handed_on_as_a_list(void **)
{
    hooks_fixture f;

    assert_int_equal(f.port->logged("%d and %s", 12, "more"), 11);
    assert_string_equal(f.behind.text, "12 and more");
    assert_int_equal(calls("logged"), 1);
    assert_int_equal(calls("vlogged"), 0);
}

void a_call_that_never_returns_is_counted(void **)
{
    hooks_fixture f;

    if (setjmp(f.behind.back) == 0)
        f.port->leave(1);
    assert_int_equal(calls("leave"), 1);
    assert_int_equal(f.port->run(1), 11);
    assert_int_equal(calls("before"), 1);
}

} /* namespace */

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_of_all_types_arrive),
        cmocka_unit_test(results_of_all_types_come_back),
        cmocka_unit_test(qualifiers_choose_the_same_method),
        cmocka_unit_test(operators_and_conversions_are_methods),
        cmocka_unit_test(methods_of_all_bases_are_forwarded),
        cmocka_unit_test(two_objects_of_one_base_are_served_by_one_method),
        cmocka_unit_test(bases_that_are_not_public_are_reached),
        cmocka_unit_test(a_class_in_a_class_is_a_port_by_its_alias),
        cmocka_unit_test(private_methods_are_measured_when_the_base_calls_them),
        cmocka_unit_test(dots_are_handed_on_as_a_list),
        cmocka_unit_test(a_call_that_never_returns_is_counted),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
