/* SPDX-License-Identifier: BSD-3-Clause */
    /* DO-NOT-DELETE splicer.begin(rod.InCxx.step) */
    if (r > 0.5)
        sidl::throw_new<Unstable>("r is above 0.5");
    for (auto [i, left] = std::pair(1, u[0]); i < n - 1; i++)
        left = std::exchange(u[i], u[i] + r * (left - 2 * u[i] + u[i + 1]));
    /* DO-NOT-DELETE splicer.end(rod.InCxx.step) */
    /* DO-NOT-DELETE splicer.begin(rod.InCxx._includes) */
#include <utility>
    /* DO-NOT-DELETE splicer.end(rod.InCxx._includes) */
