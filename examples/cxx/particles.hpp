/* SPDX-License-Identifier: BSD-3-Clause */
/* The port: forces between particles in a box that is periodic in all directions. It knows nothing
 * of Portolan. */
#ifndef PARTICLES_HPP
#define PARTICLES_HPP

#include <vector>

namespace particles
{

struct Vector {
    double x, y, z;
};

constexpr double box = 10.0;   /* edge of the box, which is [0, box) in each direction */
constexpr double cutoff = 0.25; /* particles further apart than this do not feel each other */

class Forces
{
  public:
    virtual ~Forces() = default;

    /* The potential energy, and in FORCE (made as long as POSITION) the force on each particle. */
    virtual double compute(const std::vector<Vector> &position, std::vector<Vector> &force) = 0;
    /* How many pairs the last compute looked at. */
    virtual long pairs() const noexcept = 0;
};

} /* namespace particles */

#endif
