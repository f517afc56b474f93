# SPDX-License-Identifier: BSD-3-Clause
"""A trial of portolan.measure(), in a process of its own."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Callable, Optional, Sequence

from . import _portolan

if TYPE_CHECKING:
    from .assembly import Assembly


def _end(process: "subprocess.Popen[str]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    if process.stderr:
        process.stderr.close()


def _wait(process: "subprocess.Popen[str]", limit_s: float) -> Optional[str]:
    """None, or how the trial failed."""
    try:
        _, said = process.communicate(timeout=limit_s or None)
    except subprocess.TimeoutExpired:
        _end(process)
        return f"time limit of {limit_s:.3g} s"
    except BaseException:  # also an interrupt, which the trial did not get
        _end(process)
        raise
    if process.returncode < 0:
        return "signal " + signal.Signals(-process.returncode).name
    last = [line for line in said.splitlines() if line.strip()]
    return None if process.returncode == 0 else last[-1] if last else f"exit status {process.returncode}"


def runner(a: "Assembly", launcher: Sequence[str], all_fixed: bool) -> Callable[[str, float], Optional[str]]:
    """What runs a trial of the assembly with these orders."""
    start = f"import sys; sys.path.insert(0, {os.path.dirname(os.path.dirname(__file__))!r}); " \
            "from portolan import _trial; _trial.main(sys.argv[1])"

    def run(orders: str, limit_s: float) -> Optional[str]:
        # As it is now: with all parameters that were set. The environment has a mark by which the trial is found.
        what = json.dumps({"file": a.file, "path": a.path, "store": a.store, "orders": orders,
                           "parameters": a.parameters,
                           "purpose": "fixed" if all_fixed else "explore"})
        process = subprocess.Popen([*launcher, sys.executable, "-c", start, what], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        return _wait(process, limit_s)

    return run


def main(what: str) -> None:
    """The process of a trial. Selections come before parameters, and orders have the last word."""
    given = json.loads(what)
    orders = [line.split(" ", 3) for line in given["orders"].splitlines()]
    try:
        a = _portolan.Assembly(given["file"], given["path"])
        for verb, instance, *rest in orders:
            if verb == "select":
                a.change(verb, instance, " ".join(rest))
        for name, text in given["parameters"].items():
            a.change("set", name, text)
        for verb, instance, *rest in orders:
            if verb == "set":
                a.change(verb, f"{instance}.{rest[0]}", rest[1])
        if given["store"]:
            a.change("store", "", given["store"])
        result = a.run(given["purpose"])
    except _portolan.Error as e:
        sys.exit(str(e))
    if result:
        sys.exit(f"go returned {result}")
