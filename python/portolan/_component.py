# SPDX-License-Identifier: BSD-3-Clause
"""Components in Python: the framework asks for them by class and module (framework/core/load_python.c)."""
from __future__ import annotations

import sys
from typing import Any, Callable, TypeVar

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


def summary(error: BaseException) -> str:
    import traceback

    return traceback.format_exception_only(type(error), error)[-1].strip()


def traceback_of(error: BaseException) -> str:
    import traceback

    return "".join(traceback.format_exception(error))


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
        wanted = dict.fromkeys(["gov.cca.Component", *provides.split(), *types])
        missing = [m for t in wanted for m in _methods(t) if not callable(getattr(cls, m, None))]
        if missing:
            where = sys.modules[cls.__module__].__file__
            return f"{where}: class {cls.__name__} has no method {', '.join(missing)}, which its types need"
        _loaded[name] = _portolan.component(name, cls, tuple(_type(t) for t in wanted))
        return _loaded[name]
    except SyntaxError as e:
        return f"{e.filename}:{e.lineno}: error: {e.msg}"
    except BaseException as e:
        return summary(e) + "\n" + traceback_of(e)


def _methods(name: str) -> list[str]:
    _type(name)
    return [m for m in dir(_classes[name]) if not m.startswith("_")]
