# SPDX-License-Identifier: BSD-3-Clause
"""Packages of SIDL as modules: their types are made of the tables of plug-ins."""
from __future__ import annotations

import enum
import re
import types
from typing import Any, Optional

from . import _portolan

_enum: Any = enum.IntEnum  # made of data, which mypy does not follow
path: list[str] = []  # folders of components, in addition to those of PORTOLAN_PATH
_packages: dict[str, types.ModuleType] = {}
_classes: dict[str, Any] = {}


def sidl(name: str, library: Optional[str] = None) -> types.ModuleType:
    """The package, as a module. Its tables are in a plug-in that is loaded, or that has a class of it, or in
    LIBRARY."""
    if name not in _packages:
        found = _portolan.package(name, library, ":".join(path) or None)
        package = _packages[name] = types.ModuleType(name)
        try:
            for described in found:
                _load_others(name, described)
            todo = {t["name"]: t for t in found}
            for described in found:
                _make(described, todo)
        except BaseException:
            del _packages[name]
            raise
        for described in found:
            setattr(package, described["name"].rsplit(".", 1)[1], _classes[described["name"]])
    return _packages[name]


def _load_others(name: str, described: dict[str, Any]) -> None:
    """Packages of types that this one names. What cannot be found is used as Object."""
    texts = [text for kind in ("members", "methods", "statics") for _, text in described[kind] if isinstance(text, str)]
    named = [n for text in texts for n in re.findall(r"[eto]:([\w.]+)", text)] + described["parents"]
    for other in {n.rpartition(".")[0] for n in named} - {name, "sidl"}:
        try:
            sidl(other)
        except _portolan.Error:
            pass


def _make(described: dict[str, Any], todo: dict[str, dict[str, Any]]) -> Any:
    full = described["name"]
    if full not in _classes:
        module, _, name = full.rpartition(".")
        parents = [_make(todo[p], todo) if p in todo else _classes[p]
                   for p in described["parents"] if p in todo or p in _classes]
        body = {"__module__": module, "__sidl_type__": described["type"], "__sidl_name__": full}
        kind = described["kind"]
        made: Any
        if kind == "enum":
            made = _enum(name, described["members"], module=module)
        elif kind == "struct":
            made = type(name, (Struct,), {**body, "__slots__": [n for n, _ in described["members"]],
                                          "__sidl_members__": dict(described["members"])})
        elif any(hasattr(p, "__sidl_exception__") for p in parents) or _is_exception(described["parents"]):
            bases = [p for p in parents if hasattr(p, "__sidl_exception__")] or [_portolan.Error]
            of = _object(name, [p.__sidl_exception__ for p in bases if hasattr(p, "__sidl_exception__")], body)
            _portolan.complete(of, described["type"])
            made = type(name, tuple(bases), {**body, "__sidl_exception__": of, "__getattr__": _exception_member})
        else:
            made = _object(name, parents, body)
            for static, _ in described["statics"]:
                setattr(made, static, staticmethod(_portolan.static_method(described["type"], static)))
            _portolan.complete(made, described["type"])
        _classes[full] = made
        _portolan.remember(full, made)
    return _classes[full]


def _is_exception(parents: list[str]) -> bool:
    return any(p.startswith("sidl.") and p.endswith("Exception") for p in parents)


def _exception_member(error: Any, name: str) -> Any:
    """Of an exception: the object of SIDL, made for one that Python raises, and what that has."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "sidl":
        error.sidl = type(error).__sidl_exception__()
        error.sidl.setNote(str(error))
        return error.sidl
    return getattr(error.sidl, name)


def _object(name: str, parents: list[Any], body: dict[str, Any]) -> Any:
    bases = tuple(p for p in parents if not any(p is not q and issubclass(q, p) for q in parents))
    try:
        return type(name, bases or (_portolan.Object,), body)
    except TypeError:  # Python has no order of these parents: casts still go to each of them
        return type(name, (_portolan.Object,), body)


class List(list):  # type: ignore[type-arg]
    """An array of strings or objects whose first index in SIDL is not 0."""

    def __init__(self, items: Any, lower: int) -> None:
        super().__init__(items)
        self.lower = lower


_portolan.remember("list", List)


class Struct:
    """A struct of SIDL: its members are attributes. Those that are not given are 0, "" or None."""

    __slots__: list[str] = []
    __sidl_members__: dict[str, str] = {}

    def __init__(self, *given: Any, **named: Any) -> None:
        for name, kind in self.__sidl_members__.items():
            setattr(self, name, _classes[kind[2:]]() if kind.startswith("t:") else
                    None if kind[0] in "so[{" else "" if kind == "c" else 0)
        for name, value in {**dict(zip(self.__slots__, given)), **named}.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        return type(self).__name__ + repr({n: getattr(self, n) for n in self.__slots__})
