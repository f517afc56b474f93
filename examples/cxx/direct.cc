/* SPDX-License-Identifier: BSD-3-Clause */
/* particles.Direct: every pair. Nothing to set up, n² work. */
#include <portolan/component.hpp>

#include "pair.hpp"

namespace
{

class Direct : public particles::Forces
{
  public:
    double compute(const std::vector<particles::Vector> &position,
                   std::vector<particles::Vector> &force) override
    {
        double energy = 0;

        force.assign(position.size(), {0, 0, 0});
        for (std::size_t i = 0; i < position.size(); i++)
            for (std::size_t k = 0; k < i; k++)
                energy += particles::interact(position[i], position[k], force[i], force[k]);
        pairs_ = static_cast<long>(position.size() * (position.size() - 1) / 2);
        return energy;
    }
    long pairs() const noexcept override
    {
        return pairs_;
    }

  private:
    long pairs_ = 0;
};

struct traits {
    static constexpr const char *class_name = "particles.Direct";
    static constexpr const char *port_name = "forces";
    static constexpr const char *type_name = "particles.Forces";
};

gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return portolan::provider<Direct, particles::Forces, traits>::create(_ex);
}

} /* namespace */

PORTOLAN_COMPONENT(particles_Direct, "particles.Direct", create);
