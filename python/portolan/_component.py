# SPDX-License-Identifier: BSD-3-Clause
"""Components in Python: the framework asks for them by class and module (framework/core/load_python.c)."""
from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterable, Iterator, TypeVar

from . import _portolan, _sidl
from ._sidl import _classes, sidl

T = TypeVar("T", bound=type)

_registered: dict[str, Any] = {}
_loaded: dict[str, Any] = {}


def component(name: str, *types: str) -> Callable[[T], T]:
    """Before a class: it is the component NAME, whose description says language="Python" and module=.

    Its objects are ports of the types that the description provides, and of TYPES; methods are called by their
    SIDL names.
    """

    def register(cls: T) -> T:
        _registered[name] = (cls, types)
        return cls

    return register


def implement(name: str, *types: str) -> Callable[[T], T]:
    """Before a class: it is the class NAME that a package of SIDL declares, or one of the interfaces TYPES.

    From then on, all languages of the process create its objects. Static methods are static ones of Python.
    """

    def register(cls: T) -> T:
        wanted = _wanted(name, types)
        missing = _missing(cls, wanted)
        if missing:
            raise TypeError(missing)
        _portolan.component(name, cls, tuple(_type(t) for t in wanted))
        return cls

    return register


@contextlib.contextmanager
def connected(services: Any, **types: str) -> Iterator[tuple[Any, ...]]:
    """The ports that a component uses, by name, each as an object of the type that is given. They are released at the end."""
    ports: list[Any] = []
    try:
        for name, full in types.items():
            ports.append(services.getPort(name))
            ports[-1] = getattr(sidl(full.rpartition(".")[0]), full.rpartition(".")[2])(ports[-1])
        yield tuple(ports)
    finally:
        for name, _ in zip(types, ports):
            services.releasePort(name)


def properties(services: Any) -> Any:
    """The parameters of a component, a gov.cca.TypeMap."""
    services.registerUsesPort("portolan.builder", "gov.cca.ports.BuilderService", None)
    try:
        with connected(services, **{"portolan.builder": "gov.cca.ports.BuilderService"}) as (builder,):
            return builder.getComponentProperties(services.getComponentID())
    finally:
        services.unregisterUsesPort("portolan.builder")


def _wanted(name: str, types: Iterable[str]) -> list[str]:
    """The types of a class: that of its own name first, if SIDL declares it, then those which it does not have."""
    try:
        sidl(name.rpartition(".")[0])
    except _portolan.Error:
        pass  # no package declares it
    own = _classes.get(name)
    if own is None:
        return list(dict.fromkeys(types))
    own = getattr(own, "__sidl_exception__", own)
    return [name, *(t for t in dict.fromkeys(types) if t not in [c.__dict__.get("__sidl_name__") for c in own.__mro__])]


def _missing(cls: Any, types: list[str]) -> str:
    missing = [m for t in types for m in _methods(t) if not callable(getattr(cls, m, None))]
    if not missing:
        return ""
    return (f"{_place(cls)}: error: class {cls.__name__} has no method {', '.join(missing)}, which its types need: "
            + ", ".join(types))


def _place(of: Any) -> str:
    """FILE:LINE of a class or function."""
    import inspect

    try:
        return f"{inspect.getsourcefile(of)}:{inspect.getsourcelines(of)[1]}"
    except (OSError, TypeError):
        return getattr(of, "__module__", None) or "?"


_kinds = {"b": "bool", "c": "char", "d": "double", "D": "dcomplex", "f": "float", "F": "fcomplex", "i": "int", "l": "long",
          "p": "opaque", "e": "enumerator", "s": "string", "o": "object", "t": "struct", "[": "array",
          "{": "the array that it changed, or None"}


def wrong_result(cls: Any, name: str, kinds: str, made: Any, error: BaseException) -> BaseException:
    """What is said of MADE, which a method returned in the place of KINDS."""
    wanted = ", ".join(_kinds[k] for k in kinds) or "None"
    shown = repr(made) if len(repr(made)) < 80 else f"a {type(made).__name__}"
    return TypeError(f"{_place(getattr(cls, name))}: error: {name} returned {shown}, not {wanted}"
                     + (", as a tuple" if len(kinds) > 1 else "") + (f": {error}" if str(error) else ""))


def _mistake(error: BaseException) -> str:
    """Of an import, in the author's own lines."""
    import traceback

    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}: error: {error.msg}"
    lines = [f for f in traceback.extract_tb(error.__traceback__) if "importlib" not in f.filename and f.filename != __file__]
    return (f"{lines[-1].filename}:{lines[-1].lineno}: error: " if lines else "") + summary(error)


def summary(error: BaseException) -> str:
    import traceback

    return traceback.format_exception_only(type(error), error)[-1].strip()


def traceback_of(error: BaseException) -> str:
    import traceback

    return "".join(traceback.format_exception(error)) if error.__traceback__ else ""


def add_trace(error: Any) -> None:
    """Adds Python's lines to the trace of an exception of SIDL."""
    import traceback

    base = sidl("sidl").BaseException(error.sidl)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        base.add(frame.filename, frame.lineno, frame.name)


def _type(name: str) -> Any:
    sidl(name.rpartition(".")[0])
    if name not in _classes:
        raise _portolan.Error(f"package {name.rpartition('.')[0]} has no type {name}")
    return _classes[name].__sidl_type__


def load(name: str, module: str, folder: str, provides: str) -> Any:
    """The descriptor of class NAME in MODULE, a file in FOLDER; or a text that says what is wrong."""
    import importlib

    if name in _loaded:
        return _loaded[name]
    if folder not in sys.path:
        sys.path.insert(0, folder)
        _sidl.path.append(folder)
    try:
        importlib.import_module(module)
        if name not in _registered:
            return (f"module {module} has no class for it; put @portolan.component({name!r}) before one"
                    + (f" (it has {', '.join(_registered)})" if _registered else ""))
        cls, types = _registered[name]
        wanted = _wanted(name, ["gov.cca.Component", *provides.split(), *types])
        missing = _missing(cls, wanted)
        if missing:
            return missing
        _loaded[name] = _portolan.component(name, cls, tuple(_type(t) for t in wanted))
        return _loaded[name]
    except BaseException as e:
        return _mistake(e)


def _methods(name: str) -> list[str]:
    _type(name)
    return [m for m in dir(_classes[name]) if not m.startswith("_") and not hasattr(Exception, m)
            and m not in vars(_portolan.Error)]
