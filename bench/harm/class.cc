/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates as classes of C++. */
#include "class.hpp"

#include <portolan/component.hpp>

#include "driver.h"
#include "law.h"

const char *const harm_type = "harm.Class";
const int harm_is_foreign = 1;

double harm_forward(void *port, int n, sidl_BaseInterface *)
{
    return static_cast<harm::Class *>(port)->work(n);
}

namespace
{

template <int who> class Candidate : public harm::Class
{
  public:
    Candidate()
    {
        harm_pass(who, "start");
    }
    double work(int n) override
    {
        return harm_call(who, n);
    }
};

template <int who> struct traits {
    static constexpr const char *class_name = who == HARM_A ? "harm.A" : who == HARM_B ? "harm.B" : "harm.C";
    static constexpr const char *port_name = "part";
    static constexpr const char *type_name = "harm.Class";
};

template <int who> gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return portolan::provider<Candidate<who>, harm::Class, traits<who>>::create(_ex);
}

} /* namespace */

PORTOLAN_COMPONENT(harm_A, "harm.A", create<HARM_A>);
PORTOLAN_COMPONENT(harm_B, "harm.B", create<HARM_B>);
PORTOLAN_COMPONENT(harm_C, "harm.C", create<HARM_C>);
