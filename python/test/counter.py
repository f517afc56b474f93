# SPDX-License-Identifier: BSD-3-Clause
"""The counter of framework/test/components in Python: it takes over the state of the one in C, and gives it back."""
import portolan


@portolan.component("test.PyCounter")
class Counter:
    def __init__(self):
        self.x, self.count = 0.3, 0

    def setServices(self, services):
        services.addProvidesPort(self, "work", "portolan.ports.Work", None)
        services.addProvidesPort(self, "state", "counting.State", None)

    def consume(self, seconds):
        self.x = 3.9 * self.x * (1 - self.x)
        self.count += 1

    def getVersion(self):
        return 2

    def exportState(self, version, state):
        state.putDouble("x", self.x)
        state.putLong("count", self.count)

    def importState(self, version, state):
        if state.getLong("count", -1) > 100:
            raise ValueError("a count above 100 cannot be read")
        self.x, self.count = state.getDouble("x", 0.0), state.getLong("count", -1)
