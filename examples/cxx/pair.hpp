/* SPDX-License-Identifier: BSD-3-Clause */
/* What two particles do to each other: a soft repulsion that ends at the cutoff. */
#ifndef PAIR_HPP
#define PAIR_HPP

#include "particles.hpp"

#include <cmath>

namespace particles
{

/* The shortest way, through a wall or not. */
inline double nearest(double d)
{
    if (d > box / 2)
        return d - box;
    return d < -box / 2 ? d + box : d;
}

/* Adds the forces between A and B to both, and returns their energy (1 - r/cutoff)²/2. */
inline double interact(const Vector &a, const Vector &b, Vector &force_a, Vector &force_b)
{
    const Vector d = {nearest(a.x - b.x), nearest(a.y - b.y), nearest(a.z - b.z)};
    const double square = d.x * d.x + d.y * d.y + d.z * d.z;

    if (square >= cutoff * cutoff || square == 0)
        return 0;
    const double r = std::sqrt(square), overlap = 1 - r / cutoff, f = overlap / (cutoff * r);

    force_a.x += f * d.x, force_a.y += f * d.y, force_a.z += f * d.z;
    force_b.x -= f * d.x, force_b.y -= f * d.y, force_b.z -= f * d.z;
    return overlap * overlap / 2;
}

} /* namespace particles */

#endif
