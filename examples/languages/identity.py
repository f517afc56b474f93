# SPDX-License-Identifier: BSD-3-Clause
"""A preconditioner of the heat example in Python: none, z = r. It calls the matrix, which is C's."""
import portolan

heat = portolan.sidl("heat")


@portolan.component("heat.PyIdentity")
class Identity:
    def setServices(self, services):
        services.addProvidesPort(self, "preconditioner", "heat.Preconditioner", None)

    def setup(self, a, n):
        if heat.Matrix(a).getOrder() != n:
            raise heat.SolverException(f"the matrix is of order {a.getOrder()}, not {n}")
        self.order = n

    def apply(self, r, z):
        # Arrays are NumPy's, or buffers without it: they are the solver's own memory.
        memoryview(z)[:] = memoryview(r)
