#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often `portolan diagnose` names first what was planted in a program with MPI, how near its severity is to what
was planted, whether the gain comes true when the setting is turned back, and how often nothing is found in healthy ones.

    diagnose.py [PROGRAM [RUNS [SETTING]]]     one of the programs, runs of each row, rows that have that setting

RANKS (default 2) and BUILD are of the environment. It needs a machine to itself; a row of 20 runs takes half a minute to two."""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
P = int(os.environ.get("RANKS", "2"))
NEAR = 3  # places on either side of a diagnosed run from which it takes pairs of unrecorded runs
MS = 1e-3


def by_levels(each):
    """While 2^l ranks split or merge at level l, the others wait."""
    return sum((P - 2 ** i) * each / 2 ** i for i in range(int(math.log2(P))))


def uneven(factor):
    """What the others wait for the rank that has so many times their work, by the mean work."""
    return (P - 1) * (factor - 1) * P / (P - 1 + factor)


# Paradigm, program, settings, cause (None: healthy), settings turned back, lost time of all ranks in seconds. That is a
# closed form, or the number of ranks that lose what the run takes longer than with the settings turned back, when neither
# is recorded. The last: the least number of ranks, and the greatest, at which that holds.
FARM, PIPELINE, TREE, GRID = "master-worker", "pipeline", "divide-and-conquer", "geometric"
ROWS = [
    (FARM, "farm", "tasks=400", None, None, None, 2, 99),
    (FARM, "farm", "tasks=400 setup=400", "setup-costly", "tasks=400", lambda: 400 * 0.4 * MS, 2, 2),
    (FARM, "farm", "tasks=40000 grain=5", "fine-grain", "tasks=40000 grain=5 chunk=200", P - 1, 2, 2),
    (FARM, "farm", "tasks=400 bytes=3000000", "large-tasks", "tasks=400", P - 1, 2, 2),
    (FARM, "farm", "tasks=400 begin=100000", "serial-start", "tasks=400", lambda: (P - 1) * 100 * MS, 2, 99),
    (FARM, "farm", "tasks=400 end=100000", "serial-finish", "tasks=400", lambda: (P - 1) * 100 * MS, 2, 99),
    (FARM, "farm", "tasks=200 own=2000", "master-computes", "tasks=200", lambda: 199 * 1 * MS, 2, 2),
    (FARM, "farm", "tasks=300 last=60", "uneven-end", "tasks=300", lambda: (P - 2) * 59 * MS, 3, 99),
    (PIPELINE, "wavefront", "sweeps=8", None, None, None, 2, 2),
    (PIPELINE, "wavefront", "sweeps=8 blocks=4", "blocks-too-large", "sweeps=8",
     lambda: P * (P - 1) * 8 * 50 * MS * (1 / 4 - 1 / 100), 2, 99),
    (PIPELINE, "wavefront", "sweeps=32 blocks=10000 bytes=4096", "blocks-too-small",
     "sweeps=32 blocks=10000 bytes=4096 together=100", P, 2, 2),
    (PIPELINE, "wavefront", "sweeps=8 slow=1.5", "slow-stage", "sweeps=8", lambda: uneven(1.5) * 8 * 50 * MS, 2, 99),
    (PIPELINE, "wavefront", "sweeps=8 uneven=30", "unequal-blocks", "sweeps=8",
     lambda: P * (P - 1) * 8 * 50 * MS * (30 / 129 - 1 / 100), 2, 2),
    (PIPELINE, "wavefront", "sweeps=10 blocks=10 turn=1", "direction-changes", "sweeps=10 blocks=10 turn=10",
     lambda: P * (P - 1) * 9 * 5 * MS, 2, 99),
    (PIPELINE, "wavefront", "sweeps=8 outside=10000", "delay-from-outside", "sweeps=8",
     lambda: (P - 1) * 8 * 10 * MS, 2, 99),
    (TREE, "sort", "rounds=5", None, None, None, 2, 99),
    (TREE, "sort", "rounds=5 share=0.3", "uneven-division", "rounds=5",
     lambda: 5 * 100 * MS * (P * 0.7 ** math.log2(P) - 1), 2, 99),
    (TREE, "sort", "rounds=5 merge=200", "costly-merge", "rounds=5", lambda: 5 * by_levels(20 * MS), 2, 99),
    (TREE, "sort", "rounds=5 split=200", "costly-split", "rounds=5", lambda: 5 * by_levels(20 * MS), 2, 99),
    (TREE, "sort", "rounds=20 solve=200 copies=100", "moved-too-often", "rounds=20 solve=200", P, 2, 2),
    (TREE, "sort", "rounds=160000 numbers=20", "too-deep", "rounds=160000 numbers=20 together=200", P, 2, 2),
    (GRID, "stencil", "iterations=50", None, None, None, 2, 99),
    (GRID, "stencil", "iterations=50 uneven=1.5", "static-imbalance", "iterations=50",
     lambda: uneven(1.5) * 50 * 256 * 256 * 200e-9 / P, 2, 99),
    (GRID, "stencil", "iterations=50 varying=1.5", "varying-imbalance", "iterations=50",
     lambda: uneven(1.5) * 50 * 256 * 256 * 200e-9 / P, 2, 99),
    (GRID, "stencil", "iterations=800 cell=20 messages=256", "many-messages", "iterations=800 cell=20", P, 2, 2),
    (GRID, "stencil", "iterations=50 reduce=1000", "global-operations", "iterations=50", P, 2, 2),
    (GRID, "stencil", "iterations=40000 side=8 reduce=0", "not-overlapped", None, None, 2, 2),
]


def diagnose(row, settings):
    """The diagnosis of one run; None: there is none."""
    command = [BUILD + "/cli/portolan", "diagnose", "--json", "-n", str(P), "-p", row[0], "--",
               BUILD + "/examples/patterns/" + row[1]] + settings.split()
    out = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    try:
        return json.loads(out[out.index(b"{"):])
    except ValueError:
        return None


def first_of(d):
    """The first cause, or the verdict; healthy: None."""
    if d is None:
        return "failed"
    if d["findings"] and d["verdict"] == "problem":
        return d["findings"][0]["cause"]
    return None if d["verdict"] == "no problem found" else d["verdict"]


def span(row, settings):
    """How long a run that is not recorded takes between MPI_Init and MPI_Finalize, in seconds."""
    command = ["mpiexec.mpich", "-n", str(P), "env", "LD_PRELOAD=" + BUILD + "/bench/libbench_span.so",
               BUILD + "/examples/patterns/" + row[1]] + settings.split()
    err = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         check=True).stderr
    return max(float(line.split()[1]) for line in err.decode().splitlines() if line.startswith("span "))


def pairs_of(row):
    """Times with the fault and without, in seconds: two pairs."""
    return [(span(row, row[2]), span(row, row[4])) for _ in range(2)] if isinstance(row[5], int) else []


def planted(row, d, pairs):
    """The share of the run that is lost; PAIRS: those nearest to it. Medians of either setting, since one disturbed run
    spoils the difference of its pair; single runs differ by several percent."""
    if callable(row[5]):
        lost = row[5]()
    else:
        faulty, back = (statistics.median(column) for column in zip(*pairs))
        lost = row[5] * (faulty - back)
    return 100e9 * lost / (P * d["run_ns"])


def measure(row, n):
    """N diagnoses, what was planted in each, and how much the run without the fault that each predicts is off. All in
    turn, since the cost of messages drifts with the machine, by a factor of three in minutes."""
    all, back, gaps = [], [], [pairs_of(row)]
    for _ in range(n):
        all.append(diagnose(row, row[2]))
        gaps.append(pairs_of(row))
        back.append(diagnose(row, row[4]) if row[4] else None)
    truth, errors = [], []
    for i, (d, b) in enumerate(zip(all, back)):
        found = d["findings"][0] if d and first_of(d) == row[3] and d["findings"] else None
        near = sum(gaps[max(0, i + 1 - NEAR):i + 1 + NEAR], [])
        truth.append(planted(row, d, near) if found and row[5] is not None else math.nan)
        if found and found.get("without_ns") and b and b["verdict"] != "not the program":
            errors.append((1e-9 * found["without_ns"], 1e-9 * b["run_ns"]))
    return all, truth, errors


def report(row, n):
    all, truth, errors = measure(row, n)
    first = [first_of(d) for d in all]
    good = [(d["findings"][0]["share"] * 100, t) for d, t in zip(all, truth) if not math.isnan(t)]
    text = "%2d of %d" % (first.count(row[3]), n)
    if good:
        near = sum(abs(a - b) <= (2 if P == 2 else 4) for a, b in good)
        text += "  %5.1f %5.1f  %2d" % (statistics.median(t for _, t in good), statistics.median(s for s, _ in good), near)
    if errors:
        predicted, back = (statistics.median(column) for column in zip(*errors))
        text += "  %6.3f %6.3f %+5.1f %%" % (predicted, back, 100 * (predicted / back - 1))
    others = sorted({str(c) for c in first if c != row[3]})
    print("%-10s %-38s %-20s %s%s" % (row[1], row[2], row[3] or "(healthy)", text,
                                      "   not: " + ", ".join(others) if others else ""), flush=True)


def beside_a_loop(n):
    """Somebody else keeps the last core busy."""
    last = str(os.cpu_count() - 1)
    with subprocess.Popen(["taskset", "-c", last, "sh", "-c", "while :; do :; done"]) as other:
        verdicts = [first_of(diagnose(ROWS[i % 2 and 8], ROWS[i % 2 and 8][2])) for i in range(n)]
        other.terminate()
    print("a busy loop on core %s: %s" % (last, ", ".join("%d times %s" % (verdicts.count(v), v)
                                                          for v in sorted(set(map(str, verdicts))))))


def main():
    part = sys.argv[1] if len(sys.argv) > 1 else "all"
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    setting = sys.argv[3] if len(sys.argv) > 3 else ""
    if not os.path.exists(BUILD + "/bench/libbench_span.so"):
        sys.exit("build it first: ninja -C %s bench/libbench_span.so" % BUILD)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if part != "beside":
            print("%d ranks%s; the cause came first, planted and found share of run time, within %d points; the run "
                  "without it, predicted and measured" % (P, " (processor times)" if P > os.cpu_count() else "",
                                                           2 if P == 2 else 4))
        for row in ROWS:
            if part in ("all", row[1]) and row[6] <= P <= row[7] and setting in row[2]:
                report(row, runs)
        if part in ("all", "beside") and P == 2:
            beside_a_loop(runs)


main()
