# SPDX-License-Identifier: BSD-3-Clause
# The extension module; the package gives it its types.
from typing import Any

MPI: str
__version__: str

class Object:
    def __init__(self, reference: Any = ...) -> None: ...

def bounded(array: Any, lower: tuple[int, ...]) -> Any: ...
def copies() -> int: ...
def lower(array: Any) -> tuple[int, ...]: ...

class Error(Exception):
    status: str

class CannotTell(Error): ...

def __getattr__(name: str) -> Any: ...
