# SPDX-License-Identifier: BSD-3-Clause
"""A preconditioner of the heat example in Python: none, z = r. It calls the matrix, which is C's."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import portolan

if TYPE_CHECKING:  # portolan sidl --stubs=Python examples/heat/heat.sidl
    import gov_cca
    import heat
else:
    heat = portolan.sidl("heat")


@portolan.component("heat.PyIdentity")
class Identity:
    def setServices(self, services: gov_cca.Services) -> None:
        services.addProvidesPort(self, "preconditioner", "heat.Preconditioner", None)

    def setup(self, a: heat.Matrix, n: int) -> None:
        if heat.Matrix(a).getOrder() != n:
            raise heat.SolverException(f"the matrix is of order {a.getOrder()}, not {n}")
        self.order = n

    def apply(self, r: Any, z: Any) -> None:
        # Arrays are NumPy's, or buffers without it: they are the solver's own memory.
        memoryview(z)[:] = memoryview(r)
