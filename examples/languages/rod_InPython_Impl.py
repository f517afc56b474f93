# SPDX-License-Identifier: BSD-3-Clause
"""A step of the rod in Python."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import portolan

if TYPE_CHECKING:  # portolan sidl --stubs=Python rod.sidl
    import gov_cca
    import rod
else:
    rod = portolan.sidl("rod")


@portolan.component("rod.InPython")
class InPython:
    def setServices(self, services: gov_cca.Services) -> None:
        services.addProvidesPort(self, "stepper", "rod.Stepper", None)

    def step(self, u: Any, r: float) -> None:
        if r > 0.5:
            raise rod.Unstable("r is above 0.5")
        if hasattr(u, "copy"):  # NumPy's
            u[1:-1] += r * (u[:-2] - 2 * u[1:-1] + u[2:])
            return
        left = u[0]
        for i in range(1, len(u) - 1):
            left, u[i] = u[i], u[i] + r * (left - 2 * u[i] + u[i + 1])
