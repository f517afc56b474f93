#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reading 1,000,000 samples into a frame: portolan.Store beside pandas.read_sql of the same columns, in turn.

    python.py BUILD/bench/bench_store [RUNS]

Times are of the processor. Goals: at most half the time of read_sql; `import portolan` in less than 60 ms without NumPy.
"""
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

MODULE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1]))), "python")
sys.path.insert(0, MODULE)

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


def main():
    short = "PORTOLAN_BENCH_SHORT" in os.environ
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
