/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * framework: <portolan/candidates.h> for C++17: a choice among objects of one type that do the
 * same.
 *
 *     #include "solver_proxy.hpp"
 *     auto solver = portolan::choose<Solver>({{"direct", &direct}, {"cg", &cg}});
 *     for (int step = 0; step < n; step++, solver.step())
 *         solver->solve(b, x);
 *
 * PORT is a struct of functions or a class with virtual functions, of which `portolan proxygen`
 * made the proxy; include its header after this one (that of a class includes it). With <mpi.h>
 * included before, choose() takes a communicator, whose ranks all call it and all do the same
 * steps; the program is linked with portolan-mpi. Threads: as <portolan/candidates.h>.
 */
#ifndef PORTOLAN_CHOOSE_HPP
#define PORTOLAN_CHOOSE_HPP

#include <portolan/candidates.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#ifdef MPI_VERSION
#include <portolan/communicator.h>
#endif

namespace portolan
{

/** Which proxy measures PORT; its generated header has this. */
template <class Port> struct proxy_of;

/** An object to choose, borrowed as long as the choice lives; tables of functions may be const. */
template <class Port> struct candidate {
    const char *name; /**< letters, digits, '_' and '-': as shown in reports */
    std::conditional_t<std::is_polymorphic_v<Port>, Port *, const Port *> object;
};

/** The object to call instead of a candidate. What fails throws a std::runtime_error with a text.
 */
template <class Port> class choice
{
  public:
    choice(std::initializer_list<candidate<Port>> from, portolan_cohort *ranks, const char *name)
    {
        using proxy = proxy_of<Port>;
        std::vector<portolan_candidate> list;
        portolan_error err = {};
        portolan_choice *opened = nullptr;

        for (const candidate<Port> &c : from)
            list.push_back({c.name, c.object});
        object_ = static_cast<Port *>(portolan_choice_open(proxy::component(), proxy::type,
                                                           name ? name : short_name(), list.data(),
                                                           list.size(), ranks, &opened, &err));
        if (!object_)
            throw std::runtime_error(err.text);
        choice_.reset(opened);
    }

    Port *operator->() const
    {
        return object_;
    }
    Port &operator*() const
    {
        return *object_;
    }

    /** Ends a time step: stores its measurements, and may exchange the object. Collective. */
    void step()
    {
        portolan_error err = {};

        if (portolan_choice_step(choice_.get(), &err))
            throw std::runtime_error(err.text);
    }
    /** States the value of this context from the next step on. */
    void announce(const char *context, double value)
    {
        portolan_error err = {};

        if (portolan_choice_announce(choice_.get(), context, value, &err))
            throw std::runtime_error(err.text);
    }
    /** The present object, the reason, and the alternatives, as lines of text. */
    std::string explain() const
    {
        portolan_error err = {};
        std::unique_ptr<char, decltype(&std::free)> text(
            portolan_choice_explain(choice_.get(), &err), &std::free);

        if (!text)
            throw std::runtime_error(err.text);
        return text.get();
    }

  private:
    /* The type's name without those of its namespaces. */
    static const char *short_name()
    {
        const char *dot = std::strrchr(proxy_of<Port>::type, '.');

        return dot ? dot + 1 : proxy_of<Port>::type;
    }

    struct closer {
        void operator()(portolan_choice *c) const
        {
            portolan_choice_close(c);
        }
    };

    std::unique_ptr<portolan_choice, closer> choice_;
    Port *object_;
};

/** NAME is that of the choice in reports and of its store; nullptr: the type's, without namespaces.
 * One process. */
template <class Port>
choice<Port> choose(std::initializer_list<candidate<Port>> from, const char *name = nullptr)
{
    return choice<Port>(from, nullptr, name);
}

#ifdef MPI_VERSION
/** The same on the ranks of COMM. Collective; closed before COMM is freed or MPI finalized. */
template <class Port>
choice<Port> choose(std::initializer_list<candidate<Port>> from, MPI_Comm comm,
                    const char *name = nullptr)
{
    portolan_error err = {};
    portolan_cohort *ranks = portolan_mpi_cohort_of(comm, &err);

    if (!ranks)
        throw std::runtime_error(err.text);
    return choice<Port>(from, ranks, name);
}
#endif

} // namespace portolan

#endif
