# SPDX-License-Identifier: BSD-3-Clause
"""The driver of a plate in Python: a warm spot cools down. Matrix and solver are C's, or anybody's."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import portolan

if TYPE_CHECKING:  # portolan sidl --stubs=Python examples/heat/heat.sidl sidl/spec/portolan.sidl
    import gov_cca
    import heat
    import portolan_ports
else:
    heat = portolan.sidl("heat")
    portolan_ports = portolan.sidl("portolan.ports")

STEPS = 20


@portolan.component("heat.PyDriver")
class Driver:
    def setServices(self, services: gov_cca.Services) -> None:
        self.services = services
        services.addProvidesPort(self, "go", "gov.cca.ports.GoPort", None)
        services.registerUsesPort("assembler", "heat.Assembler", None)
        services.registerUsesPort("solver", "heat.LinearSolver", None)
        services.registerUsesPort("swap", "portolan.ports.SwapPoint", None)

    def go(self) -> int:
        ports = {name: self.services.getPort(name) for name in ("assembler", "solver", "swap")}
        try:
            self.cool(heat.Assembler(ports["assembler"]), heat.LinearSolver(ports["solver"]),
                      portolan_ports.SwapPoint(ports["swap"]))
        finally:
            for name in ports:
                self.services.releasePort(name)
        return 0

    def cool(self, assembler: heat.Assembler, solver: heat.LinearSolver, swap: portolan_ports.SwapPoint) -> None:
        side = 16
        n = side * side
        x: Any = [100.0 if i == n // 2 else 0.0 for i in range(n)]
        swap.reached(0)
        for step in range(1, STEPS + 1):
            # The conductivity is 1, also in the layer around the plate.
            matrix = assembler.assemble([1.0] * (side + 2) ** 2, 2, side, side, 1, 0.5, n)
            solver.setup(matrix, n)
            _, x = solver.solve(x, list(x))
            swap.reached(step)
        print(f"{STEPS} steps done, the warmest place has {max(x):.3f}")
