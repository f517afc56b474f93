/* SPDX-License-Identifier: BSD-3-Clause */
/* Instances of templates, and classes derived from them, as ports. */
#include "foreign.hpp"

#include "field.hpp"

extern "C" {
extern const struct portolan_component portolan_component_lab_Field_double_3Proxy;
extern const struct portolan_component portolan_component_lab_BoundProxy;
}

using test::calls;
using test::fixture;

namespace
{

using Triple = std::array<double, 3>;

class Grid : public lab::Field<double, 3>
{
  public:
    double tag(const double *t) const override
    {
        return *t;
    }
    Triple tag(const Triple *t) const override
    {
        return {{(*t)[2], 0, 0}};
    }
    void fill(const double &a, double b, Options o, std::map<int, int> m) override
    {
        filled = a + b + o.n + static_cast<double>(m.size());
    }
    double sum(const Triple &a, Norm norm) const noexcept override
    {
        return norm == Norm::one ? a[0] + a[1] + a[2] : 0;
    }
    lab::Field<double, 3> &next(lab::Field<double, 3> *f) override
    {
        return f ? *f : *this;
    }
    double filled = 0;

  private:
    double one(double x) const override
    {
        return x + 1;
    }
};

void an_instance_of_a_template_is_a_port(void **)
{
    fixture<lab::Field<double, 3>, Grid> f(portolan_component_lab_Field_double_3Proxy,
                                           "lab.Field_double_3");
    lab::Tagged<Triple> *tagged = f.port;
    const Triple numbers = {{1, 2, 4}};
    const double tag = 0.5;
    std::vector<double> list = {9};

    f.port->fill(1);
    assert_true(f.behind.filled == 1 + 3 + 1);
    assert_true(f.port->sum(numbers, Grid::Norm::one) == 7);
    assert_true(f.port->sum(8) == 8);
    assert_true(f.port->tag(&tag) == 0.5);
    assert_true(tagged->tag(&numbers)[0] == 4);
    assert_ptr_equal(&f.port->next(nullptr), f.port);
    assert_true(*f.port->first(list) == 9);
    assert_true(f.port->twice(3) == 8); /* by a private method */
    assert_int_equal(calls("one"), 1);
    assert_int_equal(calls("sum(double)"), 1);
}

class Small : public lab::Bound
{
  public:
    float tag(const float *) const override
    {
        return 1;
    }
    std::array<float, 2> tag(const std::array<float, 2> *) const override
    {
        return {};
    }
    void fill(const float &, float, Options, std::map<int, int>) override
    {
    }
    float sum(const std::array<float, 2> &, Norm) const noexcept override
    {
        return 2;
    }
    lab::Field<float, 2> &next(lab::Field<float, 2> *) override
    {
        return *this;
    }
    int extra() override
    {
        return 3;
    }

  private:
    float one(float x) const override
    {
        return x;
    }
};

void a_class_derived_from_an_instance_is_a_port(void **)
{
    fixture<lab::Bound, Small> f(portolan_component_lab_BoundProxy, "lab.Bound");

    assert_int_equal(f.port->extra(), 3);
    assert_true(f.port->sum({}, Small::Norm::two) == 2);
    assert_true(f.port->twice(3) == 6);
    assert_int_equal(calls("one"), 1);
}

} /* namespace */

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_of_a_template_is_a_port),
        cmocka_unit_test(a_class_derived_from_an_instance_is_a_port),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
