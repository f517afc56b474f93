# SPDX-License-Identifier: BSD-3-Clause
"""Assemblies: set, select, run, measure; and the framework with instances of one's own."""
from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import _portolan
from ._sidl import sidl

File = Union[str, "os.PathLike[str]"]


def text_of(value: Any) -> str:
    """A value as assemblies write it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "__iter__"):
        return " ".join(map(text_of, value))
    return repr(float(value)) if isinstance(value, float) else str(value)


class Assembly:
    """An assembly file with the classes that it needs.

    PATH: more folders of components, before those of the file. Names are those of the command: a parameter
    is "driver.n", or "n" if only one instance has it.
    """

    def __init__(self, file: File, path: Optional[str] = None, store: Optional[File] = None) -> None:
        self.file, self.path = os.fspath(file), path
        self._assembly = _portolan.Assembly(self.file, path)
        if store is not None:
            self._assembly.change("store", "", os.fspath(store))

    @property
    def name(self) -> str:
        return str(self._assembly.name)

    @property
    def store(self) -> Optional[str]:
        """The file of its Mastermind's store; None without a Mastermind."""
        found: Optional[str] = self._assembly.store
        return found

    @property
    def instances(self) -> dict[str, dict[str, Any]]:
        """By name: "class", "alternatives", and the "parameters" that are stated."""
        return {i["name"]: i for i in self._assembly.instances()}

    @property
    def parameters(self) -> dict[str, str]:
        """All that are stated, as "driver.n": their texts."""
        return {f"{name}.{key}": text for name, i in self.instances.items() for key, text in i["parameters"].items()}

    def copy(self) -> "Assembly":
        """One of its own of the same file, set and selected alike; pins are not kept."""
        made = Assembly(self.file, self.path, self.store)
        made.select(**{name: i["class"] for name, i in self.instances.items() if len(i["alternatives"]) > 1})
        return made.set(self.parameters)

    def set(self, parameters: Mapping[str, Any] = {}, **named: Any) -> "Assembly":
        """set(n=128) or set({"driver.n": 128})."""
        for name, value in {**parameters, **named}.items():
            self._assembly.change("set", name, text_of(value))
        return self

    def _each(self, what: str, classes: Mapping[str, str]) -> "Assembly":
        for instance, name in classes.items():
            self._assembly.change(what, instance, name)
        return self

    def select(self, **classes: str) -> "Assembly":
        """select(solver="heat.Cholmod"): runs start with it."""
        return self._each("select", classes)

    def pin(self, **classes: str) -> "Assembly":
        """Only this alternative may run or be chosen."""
        return self._each("pin", classes)

    def forbid(self, **classes: str) -> "Assembly":
        return self._each("forbid", classes)

    def check(self) -> None:
        """Raises an Error with all mistakes, a line each."""
        self._assembly.check()

    def write(self, file: Optional[File] = None) -> str:
        """The assembly as XML, with the selected classes; also into FILE."""
        return str(self._assembly.write(None if file is None else os.fspath(file)))

    def run(self, fixed: bool = False, purpose: Optional[str] = None) -> int:
        """Runs it in this process, which is a rank if mpiexec started it; returns what go returned.

        FIXED: as selected, without swaps. An interrupt ends the process, as it ends a C program.
        """
        self.check()
        return int(self._assembly.run(purpose or ("fixed" if fixed else None)))


class Framework:
    """A framework in this process: instances of classes, their connections, and swaps; `with` closes it.

    `builder` is its gov.cca.ports.BuilderService, for what has no method here.
    """

    def __init__(self, path: Optional[str] = None) -> None:
        self._framework = _portolan.Framework(path)
        self._ports, self._extensions = sidl("gov.cca.ports"), sidl("portolan.ports")

    @property
    def builder(self) -> Any:
        return self._ports.BuilderService(self._framework.builder)

    @property
    def classes(self) -> dict[str, str]:
        """What there is: names of classes, with summaries."""
        return dict(self._framework.classes())

    def create(self, name: str, class_name: str, parameters: Mapping[str, Any] = {}, **named: Any) -> None:
        given = {key: text_of(value) for key, value in {**parameters, **named}.items()}
        self.builder.createInstance(name, class_name, self._framework.parameters(class_name, given))

    def destroy(self, name: str) -> None:
        self.builder.destroyInstance(self.builder.getComponentID(name), 0)

    def connect(self, user: str, uses: str, provider: str, provides: str) -> None:
        builder = self.builder
        builder.connect(builder.getComponentID(user), uses, builder.getComponentID(provider), provides)

    def replace(self, instance: str, class_name: str) -> None:
        """Swaps the class of an instance, whose users go on with the new one."""
        self._extensions.Builder(self._framework.extension).replace(instance, class_name, None)

    def go(self, instance: str, port: str = "go") -> int:
        """Calls the go port of the instance, as a user of it."""
        builder, services = self.builder, sidl("gov.cca").Services(self._framework.services)
        provider = builder.getComponentID(instance)
        services.registerUsesPort("go", "gov.cca.ports.GoPort", None)
        try:
            connection = builder.connect(services.getComponentID(), "go", provider, port)
            try:
                return int(self._ports.GoPort(services.getPort("go")).go())
            finally:
                services.releasePort("go")
                builder.disconnect(connection, 0)
        finally:
            services.unregisterUsesPort("go")

    def close(self) -> None:
        self._framework.close()

    def __enter__(self) -> "Framework":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def measure(assembly: Union[File, Assembly], budget: Optional[float] = None, ranks: int = 1, repeat: int = 10,
            all_fixed: bool = False, launcher: Optional[Sequence[str]] = None,
            say: Callable[[str], object] = lambda text: None) -> int:
    """Runs the trials that a choice needs, as `portolan measure` does; returns how many were run.

    BUDGET: seconds for all of them. Each trial is a process of its own, or RANKS of them, started by LAUNCHER
    (default: mpiexec). An interrupt ends the session; the trial that ran is not stored.
    """
    from ._trial import runner

    a = assembly.copy() if isinstance(assembly, Assembly) else Assembly(assembly)
    a.check()
    if launcher is None:
        launcher = [] if ranks == 1 else ["mpiexec." + _portolan.MPI, "-n", str(ranks)]
    return int(_portolan.measure(a._assembly, runner(a, launcher, all_fixed), say, ranks,
                                 -1.0 if budget is None else budget, repeat, all_fixed))
