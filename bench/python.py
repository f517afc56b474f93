#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls between Python and C beside code written by hand (python_hand.c), cffi and ctypes; 1,000,000 samples as a
frame beside pandas.read_sql of the same columns. Each pair in turn, the best counts.

    python.py BUILD/bench/bench_store [RUNS]

Times are of the processor. Goals: a call from Python to C at most 1.4 times (two ints) and 1.5 times (an array) one by
hand, one from C to Python 1.15 times; reading at most half the time of read_sql; `import portolan` in less than 60 ms
without NumPy.
"""
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

BENCH = os.path.dirname(os.path.abspath(sys.argv[1]))
MODULE = os.path.join(os.path.dirname(BENCH), "python")
sys.path[:0] = [MODULE, BENCH]

try:
    import pandas
except ImportError:
    sys.exit(print("python.py: pandas is not installed"))

import portolan  # noqa: E402

SQL = """
SELECT p.step_number AS step, p.node_rank AS rank, c.instance, t.short_name AS method, d.calls,
       d.exclusive AS exclusive_ns
FROM (SELECT first, last, node_rank, number AS step_number FROM call_piece JOIN step ON step.id = step) p
JOIN call_data d ON d.id BETWEEN p.first AND p.last
JOIN timer_callpath x ON x.id = d.callpath JOIN timer t ON t.id = x.timer
JOIN port o ON o.id = t.port JOIN component c ON c.id = o.component
"""
PLAIN = "SELECT thread, callpath, calls, exclusive FROM call_data"
COLUMNS = ["step", "rank", "instance", "method", "calls", "exclusive_ns"]


def timed(function):
    start = time.process_time()
    made = function()
    return time.process_time() - start, made


def importing():
    """Seconds of processor time that the import takes, in a process of its own."""
    code = "import time; s = time.process_time(); import portolan; print(time.process_time() - s)"
    return float(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, text=True,
                                env={**os.environ, "PYTHONPATH": MODULE}).stdout)


ADDER = """
import portolan

@portolan.component("bench.Adder")
class Adder:
    def setServices(self, services):
        services.addProvidesPort(self, "adder", "lab.Adder", None)
    def add(self, a, b):
        return a + b
    def first(self, x):
        return 0.5
"""
DESCRIPTION = """<component class="bench.Adder" language="Python" module="bench_adder">
  <provides port="adder" type="lab.Adder"/>
</component>"""


def best(runs, **functions):
    """The least result of each function, which are called in turn."""
    found = {name: float("inf") for name in functions}
    for _ in range(runs):
        for name, function in functions.items():
            found[name] = min(found[name], function())
    return found


def calls_to_c(runs, n, lab, hand):
    import numpy
    import timeit

    adder = lab.Adder(lab.Desk())
    scope = {"x": numpy.ones(1000), "ours": adder, "unlocked": hand.Caller(adder, True), "hand": hand.Caller(adder, False)}
    tried = {"two ints": {}, "an array": {}}
    for key in "ours", "unlocked", "hand":
        for name, method, given in ("two ints", "add", "(2, 3)"), ("an array", "first", "(x)"):
            scope[key + method] = getattr(scope[key], method)
            tried[name][key] = key + method + given
    try:
        import cffi
    except ImportError:
        print("cffi is not installed")
    else:
        ffi = cffi.FFI()
        ffi.cdef("int hand_add(int, int); double hand_first(double *, int);")
        library = ffi.dlopen(hand.__file__)
        scope.update(library=library, double=ffi.typeof("double *"), cast=ffi.cast, from_buffer=ffi.from_buffer)
        tried["two ints"]["cffi"] = "library.hand_add(2, 3)"
        tried["an array"]["cffi"] = "library.hand_first(cast(double, from_buffer(x)), 1000)"
    for name, statements in tried.items():
        timers = {key: timeit.Timer(s, timer=time.process_time, globals=scope) for key, s in statements.items()}
        timers["pass"] = timeit.Timer("pass", timer=time.process_time)
        found = best(runs, **{key: lambda t=t: t.timeit(n) for key, t in timers.items()})
        ns = {key: 1e9 * (value - found["pass"]) / n for key, value in found.items()}
        print(f"Python to C, {name}: {ns['ours']:.0f} ns, {ns['ours'] / ns['unlocked']:.2f} x by hand, "
              f"{ns['ours'] / ns['hand']:.2f} x by hand with the lock kept"
              + (f", {ns['ours'] / ns['cffi']:.2f} x cffi" if "cffi" in ns else ""))


def calls_to_python(runs, n, lab, hand):
    with tempfile.TemporaryDirectory() as folder:
        for file, text in ("bench_adder.py", ADDER), ("bench.Adder.xml", DESCRIPTION):
            with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
                f.write(text)
        framework = portolan.Framework(folder)
        framework.create("adder", "bench.Adder")
        services = portolan.sidl("gov.cca").Services(framework._framework.services)
        services.registerUsesPort("adder", "lab.Adder", None)
        framework.builder.connect(services.getComponentID(), "adder", framework.builder.getComponentID("adder"), "adder")
        port, plain = lab.Adder(services.getPort("adder")), sys.modules["bench_adder"].Adder()
        for name, with_array in ("two ints", False), ("an array", True):
            for held in True, False:
                found = best(runs, ours=lambda: hand.time_calls(port, False, with_array, held, n),
                             hand=lambda: hand.time_calls(plain, True, with_array, held, n))
                print(f"C to Python, {name}, lock {'held' if held else 'taken'}: {1e9 * found['ours'] / n:.0f} ns, "
                      f"{found['ours'] / found['hand']:.2f} x by hand")
        services.releasePort("adder")


def main():
    short = "PORTOLAN_BENCH_SHORT" in os.environ
    try:
        import bench_python_hand as hand
        lab = portolan.sidl("lab", library=hand.__file__)
        calls_to_c(*((1, 100) if short else (60, 20000)), lab, hand)
        calls_to_python(*((1, 100) if short else (60, 20000)), lab, hand)
    except ImportError as e:
        print(f"calls are not measured: {e}")
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 1 if short else 5
    ranks, paths = (2, 100) if short else (100, 10000)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "samples.db")
        subprocess.run([sys.argv[1], file, str(ranks), str(paths)], check=True, stdout=subprocess.DEVNULL)
        ours, joined, plain = [], [], []
        with sqlite3.connect(file) as sql, portolan.Store(file) as store:
            for _ in range(runs):
                seconds, frame = timed(lambda: store.samples(COLUMNS))
                ours.append(seconds)
                seconds, same = timed(lambda: pandas.read_sql(SQL, sql))
                joined.append(seconds)
                plain.append(timed(lambda: pandas.read_sql(PLAIN, sql))[0])
                assert len(frame) == len(same) >= ranks * paths
                assert abs(frame["exclusive_ns"].sum() / same["exclusive_ns"].sum() - 1) < 1e-9
    print(f"{len(frame)} samples, 6 columns: {min(ours):.3f} s, {min(ours) / min(joined):.2f} x read_sql of the same, "
          f"{min(ours) / min(plain):.2f} x read_sql of 4 columns without names")
    print(f"import portolan, without NumPy: {1e3 * min(importing() for _ in range(runs)):.0f} ms")


main()
