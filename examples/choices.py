#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is the choice for a run as good as the best fixed assembly, and is its time what was predicted?
On 1, 2 and 4 ranks, on a quiet machine and with a busy loop on one core, each time from a store
that begins empty. choices.sh has the environment."""
import argparse
import itertools
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ASSEMBLIES = {"heat": ("examples/heat/plate.xml", ["--set=driver.steps=40"]),
              "paper": ("examples/paper/busy.xml", [])}
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
HEAD = "%-6s %5s  %-5s %9s %11s %11s %9s %7s %7s"


def command(ranks, *words):
    launcher = [os.environ.get("MPIEXEC", "mpiexec.mpich"), "-n", str(ranks)] if ranks else []
    done = subprocess.run([*launcher, os.environ.get("PORTOLAN", "portolan"), *words],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=900)
    return done.returncode, done.stdout, done.stderr


class Assembly:
    def __init__(self, build, name):
        path, self.options = ASSEMBLIES[name]
        self.name, self.path = name, os.path.join(build, path)
        root = xml.parse(self.path).getroot()
        self.accuracy = float(root.find("optimizer").get("accuracy", "inf"))
        self.classes = {
            i.get("name"): [i.get("class")] + [a.get("class") for a in i.iter("alternative")]
            for i in root.iter("instance") if i.find("alternative") is not None}
        self.folder = tempfile.mkdtemp()
        self.called = {}  # by choice, what was called: choices that differ in nothing else are one

    def all(self):
        return [tuple(zip(self.classes, c)) for c in itertools.product(*self.classes.values())]

    def run(self, ranks, choice):
        """The time of a fixed run on its slowest rank; None if it failed or missed its accuracy."""
        store = os.path.join(self.folder, "fixed.db")
        if os.path.exists(store):
            os.remove(store)
        status, _, _ = command(ranks, "run", "--fixed", "--quiet", "--store=" + store, *self.options,
                               *("--select=%s=%s" % c for c in choice), self.path)
        if status or not os.path.exists(store):
            return None
        base = sqlite3.connect(store)
        time, accuracy = base.execute("SELECT max(elapsed_ns), max(quality) FROM trial LEFT JOIN "
                                      "sample ON sample.trial = trial.id").fetchone()
        self.called[choice] = frozenset(base.execute(
            "SELECT DISTINCT instance, implementation FROM sample WHERE calls > 0"))
        base.close()
        return None if accuracy is not None and accuracy > self.accuracy else time

    def choose(self, ranks, budget):
        """Measures into an empty store, and runs once, so that the contexts of this run are known;
        then the choice (None: cannot tell) and its interval."""
        store = os.path.join(self.folder, "store.db")
        if os.path.exists(store):
            os.remove(store)
        status, _, errors = command(ranks, "measure", "--quiet", "--store=" + store,
                                    "--budget=%g" % budget, self.path)
        if status:
            sys.exit("choices: portolan measure ended with %d:\n%s" % (status, errors))
        command(ranks, "run", "--quiet", "--store=" + store, *self.options, self.path)
        status, out, errors = command(0, "optimize", *self.options, "--store=" + store,
                                      "--ranks=%d" % ranks, "--output=" + os.devnull, self.path)
        if status not in (0, 3):
            sys.exit("choices: portolan optimize ended with %d:\n%s" % (status, errors))
        chosen = tuple((i, re.search(r"^  %s +(\S+)" % i, out, re.M)[1]) for i in self.classes)
        interval = re.search(r"^predicted:.*95 %: (\S+) (\w+) to (\S+) (\w+)\)", out, re.M)
        if status == 3 or not interval:
            return None, None
        low, low_unit, high, high_unit = interval.groups()
        # Printed with three digits: what rounds to an end is inside.
        return chosen, (float(low) * UNITS[low_unit] * 0.995, float(high) * UNITS[high_unit] * 1.005)


def judge(assembly, ranks, rivals, options):
    """One store: the loss against the best fixed, and whether each run was in the interval."""
    chosen, interval = assembly.choose(ranks, options.budget)
    if not chosen:
        return None
    chosen = rivals.get(assembly.called.get(chosen), chosen)
    times = {c: [] for c in dict.fromkeys([chosen, *rivals.values()])}
    for _ in range(options.rounds):
        for choice in times:
            times[choice].append(assembly.run(ranks, choice))
    middle = {c: statistics.median(t) for c, t in times.items() if None not in t}
    if chosen not in middle:
        return float("inf"), 0, 0, 0
    inside = sum(interval[0] <= t <= interval[1] for t in times[chosen])
    return (middle[chosen] / min(middle.values()), inside, len(times[chosen]),
            interval[1] / interval[0])


def study(assembly, ranks, load, rivals, options):
    seen = [judge(assembly, ranks, rivals, options) for _ in range(options.stores)]
    told = [s for s in seen if s]
    losses = [s[0] for s in told]
    print(HEAD % (assembly.name, ranks, load, len(seen) - len(told),
                  "%d of %d" % (sum(loss <= 1.1 for loss in losses), len(told)),
                  "%.2f" % max(losses) if told else "-",
                  "%d of %d" % (sum(s[1] for s in told), sum(s[2] for s in told)),
                  "%.2f" % statistics.median(s[3] for s in told) if told else "-", len(rivals)))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", help="where Portolan was built")
    parser.add_argument("--stores", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each fixed assembly")
    parser.add_argument("--budget", type=float, default=15, help="of portolan measure, in seconds")
    parser.add_argument("--only", choices=ASSEMBLIES)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--load", nargs="+", choices=["quiet", "busy"], default=["quiet", "busy"])
    options = parser.parse_args()
    print(HEAD % ("", "ranks", "load", "no answer", "within 10 %", "worst", "inside", "width",
                  "rivals"))
    for name in [options.only] if options.only else ASSEMBLIES:
        assembly = Assembly(options.build, name)
        for ranks in options.ranks:
            # What takes twice as long as the best is no rival.
            times = {c: assembly.run(ranks, c) for c in assembly.all()}
            best = min(t for t in times.values() if t)
            rivals = {assembly.called[c]: c for c, t in times.items() if t and t <= 2 * best}
            for load in options.load:
                busy = (subprocess.Popen(["taskset", "-c", "0", "sh", "-c", "while :; do :; done"])
                        if load == "busy" else None)
                try:
                    study(assembly, ranks, load, rivals, options)
                finally:
                    if busy:
                        busy.kill()


if __name__ == "__main__":
    main()
