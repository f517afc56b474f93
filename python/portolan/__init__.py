# SPDX-License-Identifier: BSD-3-Clause
"""Portolan from outside: stores as frames, plans and models as objects, runs of assemblies.

The same libraries as those of the command `portolan`; docs/python.md shows how they are used. NumPy and pandas
are used if they are there, and loaded when the first frame is made.
"""
import atexit as _atexit
import sys as _sys

from . import _portolan
from ._component import component, connected, implement, properties
from ._portolan import CannotTell, Error, Object, __version__, bounded, copies, lower
from ._sidl import Struct, sidl
from .assembly import Assembly, Framework, measure
from .plan import Choice, Model, Plan, Record
from .store import Store, Tree

__all__ = ["Assembly", "CannotTell", "Choice", "Error", "Framework", "Model", "Object", "Plan", "Record", "Store",
           "Struct", "Tree", "bounded", "component", "connected", "copies", "implement", "lower", "measure", "properties",
           "sidl", "__version__"]


def _log(level: int, area: str, text: str) -> None:
    import logging

    logging.getLogger("portolan." + area).log((10, 15, 20, 30)[level], "%s", text)


if not hasattr(_sys, "_portolan_inside"):  # else a program of C, with components in Python, has its own log
    _portolan.set_logger(_log)
    _atexit.register(_portolan.end)
