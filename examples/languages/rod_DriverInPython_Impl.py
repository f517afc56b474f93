# SPDX-License-Identifier: BSD-3-Clause
"""A hundred steps of the rod, driven from Python."""
from __future__ import annotations

import array
from typing import TYPE_CHECKING

import portolan

if TYPE_CHECKING:  # portolan sidl --stubs=Python rod.sidl
    import gov_cca
    import rod
else:
    rod = portolan.sidl("rod")


@portolan.component("rod.DriverInPython")
class DriverInPython:
    def setServices(self, services: gov_cca.Services) -> None:
        self.services = services
        services.addProvidesPort(self, "go", "gov.cca.ports.GoPort", None)
        services.registerUsesPort("stepper", "rod.Stepper", None)
        services.registerUsesPort("swap", "portolan.ports.SwapPoint", None)

    def go(self) -> int:
        r = portolan.properties(self.services).getDouble("r", 0.0)
        u = array.array("d", [1.0]) + array.array("d", [0.0]) * 19999  # or an array of NumPy
        with portolan.connected(self.services, stepper="rod.Stepper", swap="portolan.ports.SwapPoint") as (stepper, swap):
            swap.reached(0)
            for step in range(1, 101):
                try:
                    stepper.step(u, r)
                except rod.Unstable:
                    r /= 2
                    stepper.step(u, r)
                swap.reached(step)
        print(f"Python: r {r:.1f}, sum {sum(u):.9f}")
        return 0
