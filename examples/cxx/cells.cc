/* SPDX-License-Identifier: BSD-3-Clause */
/* particles.Cells: looks at neighbours only. Sorting all into cells has its price, also for few. */
#include <portolan/component.hpp>

#include "pair.hpp"

#include <algorithm>

namespace
{

class Cells : public particles::Forces
{
  public:
    double compute(const std::vector<particles::Vector> &position,
                   std::vector<particles::Vector> &force) override
    {
        double energy = 0;

        force.assign(position.size(), {0, 0, 0});
        sort(position);
        pairs_ = 0;
        for (int i = 0; i < static_cast<int>(position.size()); i++) {
            const particles::Vector &p = position[static_cast<std::size_t>(i)];

            for (int x = -1; x <= 1; x++)
                for (int y = -1; y <= 1; y++)
                    for (int z = -1; z <= 1; z++)
                        energy += visit(position, force, i,
                                        cell(index(p.x) + x, index(p.y) + y, index(p.z) + z));
        }
        return energy;
    }
    long pairs() const noexcept override
    {
        return pairs_;
    }

  private:
    static constexpr int edge = static_cast<int>(particles::box / particles::cutoff);

    std::vector<int> first_ = std::vector<int>(edge * edge * edge); /* of each cell, or -1 */
    std::vector<int> next_;                                         /* in the same cell, or -1 */
    long pairs_ = 0;

    static int index(double x)
    {
        return std::min(edge - 1, static_cast<int>(x / particles::box * edge));
    }
    static std::size_t cell(int x, int y, int z)
    {
        const auto wrap = [](int i) { return static_cast<std::size_t>((i + edge) % edge); };

        return (wrap(x) * edge + wrap(y)) * edge + wrap(z);
    }

    void sort(const std::vector<particles::Vector> &position)
    {
        std::fill(first_.begin(), first_.end(), -1);
        next_.resize(position.size());
        for (std::size_t i = 0; i < position.size(); i++) {
            const particles::Vector &p = position[i];
            int &head = first_[cell(index(p.x), index(p.y), index(p.z))];

            next_[i] = head;
            head = static_cast<int>(i);
        }
    }

    /* Particle I with those of a cell that were not yet seen with it. */
    double visit(const std::vector<particles::Vector> &position,
                 std::vector<particles::Vector> &force, int i, std::size_t where)
    {
        const std::size_t self = static_cast<std::size_t>(i);
        double energy = 0;

        for (int k = first_[where]; k >= 0; k = next_[static_cast<std::size_t>(k)]) {
            const std::size_t other = static_cast<std::size_t>(k);

            if (k >= i)
                continue;
            energy +=
                particles::interact(position[self], position[other], force[self], force[other]);
            pairs_++;
        }
        return energy;
    }
};

struct traits {
    static constexpr const char *class_name = "particles.Cells";
    static constexpr const char *port_name = "forces";
    static constexpr const char *type_name = "particles.Forces";
};

gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return portolan::provider<Cells, particles::Forces, traits>::create(_ex);
}

} /* namespace */

PORTOLAN_COMPONENT(particles_Cells, "particles.Cells", create);
