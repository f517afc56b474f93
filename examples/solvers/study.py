#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is Portolan's choice right? Measures all alternatives at all points of an assembly's sweep, then
lets Portolan choose at points whose measurements it is not shown, beside simpler ways to choose.
study.sh has the environment."""
import argparse
import csv
import math
import os
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import xml.etree.ElementTree as xml

ACCURACY = 1e-8
SCORES = "%-26s %7s %10s %7s %7s %7s %12s"


def command(*words):
    """Runs portolan; returns exit status, standard output and error output."""
    ranks = os.environ.get("MPIEXEC", "mpiexec.mpich"), "-n", "1"
    done = subprocess.run([*(ranks if words[0] in ("run", "measure") else ()),
                           os.environ.get("PORTOLAN", "portolan"), *words],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=3600)
    return done.returncode, done.stdout, done.stderr


def least_squares(rows, values):
    """By the normal equations; a little of the unit matrix makes up for too few rows."""
    n = len(rows[0]) if rows else 0
    a = [[sum(r[i] * r[j] for r in rows) + 1e-9 * (i == j) for j in range(n)] +
         [sum(r[i] * v for r, v in zip(rows, values))] for i in range(n)]
    for i in range(n):
        for k in range(n):
            if k != i:
                factor = a[k][i] / a[i][i]
                a[k] = [x - factor * y for x, y in zip(a[k], a[i])]
    return [a[i][n] / a[i][i] for i in range(n)]


class Study:
    """An assembly with one choice, and a sweep over cases or over values of one parameter."""

    def __init__(self, assembly, path):
        root = xml.parse(assembly).getroot()
        choice = next(i for i in root.iter("instance") if i.find("alternative") is not None)
        cases, vary = root.find("sweep/cases"), root.find("sweep/vary")
        self.assembly, self.options = assembly, ["--path=" + path]
        self.instance, self.advice = choice.get("name"), None
        self.classes = [choice.get("class")] + [a.get("class") for a in choice.iter("alternative")]
        if cases is not None:
            with open(os.path.join(os.path.dirname(assembly), cases.get("file"))) as file:
                rows = list(csv.reader(file))
            self.parameter, self.point = rows[0][0], "--case={}".format
            contexts = [i for i, name in enumerate(rows[0]) if "." not in name]
            self.cases = {r[0]: [float(r[i]) for i in contexts] for r in rows[1:]}
        else:
            self.parameter = vary.get("instance") + "." + vary.get("parameter")
            self.point = ("--set=" + self.parameter + "={}").format
            self.cases = {v: [float(v)] for v in vary.get("values").split()}

    def measure(self, store, budget):
        status, _, errors = command("measure", *self.options, "--quiet", "--store=" + store,
                                    "--budget=%g" % budget, self.assembly)
        if status:
            sys.exit("study: portolan measure ended with %d:\n%s" % (status, errors))

    def run_all(self, store, repetitions):
        """Every alternative on every case, in turn: the truth."""
        for _ in range(repetitions):
            for case in self.cases:
                for cls in self.classes:
                    command("run", *self.options, "--quiet", "--fixed", "--store=" + store,
                            self.point(case), "--select=%s=%s" % (self.instance, cls), self.assembly)

    def results(self, store):
        """Of each case and class: the median time of its trials, or why there is none."""
        base = sqlite3.connect(store)
        found = {}
        for case, cls, outcome, time, accuracy in base.execute(
                """SELECT p.value, i.value, t.outcome, sum(s.inclusive), max(s.quality)
                   FROM trial t
                   JOIN trial_parameter p ON p.trial = t.id AND p.name = ?
                   JOIN trial_implementation i ON i.trial = t.id AND i.name = ?
                   LEFT JOIN sample s ON s.trial = t.id AND s.instance = ? GROUP BY t.id""",
                (self.parameter, self.instance, self.instance)):
            wrong = ("inaccurate" if accuracy is not None and not accuracy <= ACCURACY else
                     "failing" if outcome != "finished" or not time else None)
            found.setdefault((case, cls), []).append(wrong or time)
        base.close()
        return {key: next((v for v in values if isinstance(v, str)), None)
                or statistics.median(values) for key, values in found.items()}

    def best(self, results, case):
        times = {c: results[case, c] for c in self.classes
                 if isinstance(results.get((case, c)), float)}
        return min(times, key=times.get) if times else None

    # -- ways to choose at CASE, knowing RESULTS of other cases; None: cannot tell ---------------

    def scaled(self, case):
        return [math.log1p(value) for value in self.cases[case]]

    def nearest(self, results, known, case):
        spread = [statistics.pstdev(values) or 1 for values in zip(*map(self.scaled, known))]

        def distance(other):
            return sum(((a - b) / s) ** 2
                       for a, b, s in zip(self.scaled(other), self.scaled(case), spread))
        return self.best(results, min(known, key=distance))

    def on_average(self, results, known, case):
        def rank(cls):
            good = [results[k, cls] for k in known if isinstance(results.get((k, cls)), float)]
            return len(good), -sum(map(math.log, good))
        return max(self.classes, key=rank)

    def law(self, results, known, case):
        """c n^a row^b ... of each, where it worked."""
        def predicted(cls):
            good = [k for k in known if isinstance(results.get((k, cls)), float)]
            law = least_squares([[1, *self.scaled(k)] for k in good],
                                [math.log(results[k, cls]) for k in good])
            return sum(c * x for c, x in zip(law, [1, *self.scaled(case)]))
        return min(self.classes, key=predicted)

    def portolan(self, store, case):
        status, out, errors = command("optimize", *self.options, "--store=" + store,
                                      self.point(case), "--output=/dev/null", self.assembly)
        self.advice = self.advice or re.search(r".*add a context.*", out)
        chosen = re.search(r"^  %s +(\S+)" % self.instance, out, re.M)
        if status not in (0, 3) or (status == 0 and not chosen):
            sys.exit("study: portolan optimize ended with %d:\n%s%s" % (status, out, errors))
        return chosen[1] if status == 0 else None

    # -- judging ---------------------------------------------------------------------------------

    def without(self, store, cases):
        """A copy of the store that knows nothing of these cases."""
        copy = store + ".part"
        if os.path.exists(copy):
            os.remove(copy)
        base = sqlite3.connect(store)
        base.execute("VACUUM INTO ?", (copy,))
        base.close()
        status, _, errors = command("trials", "--store=" + copy, "--delete=" + ",".join(
            "%s=%s" % (self.parameter, case) for case in cases))
        if status:
            sys.exit("study: portolan trials ended with %d:\n%s" % (status, errors))
        return copy

    def choices(self, store, groups):
        """What each way chooses in each group of cases, when it knows all others: (case, class)."""
        results = self.results(store)
        made = {}
        for group in groups:
            known = [case for case in self.cases if case not in group]
            part = self.without(store, group)
            for case in group:
                for name, choose in (("nearest neighbour", self.nearest),
                                     ("best on average", self.on_average),
                                     ("one power law each", self.law)):
                    made.setdefault(name, []).append((case, choose(results, known, case)))
                made.setdefault("portolan optimize", []).append((case, self.portolan(part, case)))
        return made

    def score(self, truth, chosen):
        """How often the choice fails, is inaccurate, is none; and the losses of the others."""
        wrong, losses = {"failing": 0, "inaccurate": 0, None: 0}, []
        for case, cls in chosen:
            best, got = self.best(truth, case), truth[case, cls] if cls else None
            if isinstance(got, float):
                losses.append((got / truth[case, best], case, cls))
            else:
                wrong[got] += 1
        return wrong, sorted(losses)

    def table(self, truth, title, made):
        judged = len(next(iter(made.values())))
        print("\n%s: %d choices" % (title, judged))
        print(SCORES % ("", "failing", "inaccurate", "right", "median", "worst", "cannot tell"))
        for name, chosen in made.items():
            wrong, losses = self.score(truth, chosen)
            factors = [factor for factor, _, _ in losses]
            middle = "%.2f" % statistics.median(factors) if factors else "-"
            print(SCORES % (name, wrong["failing"], wrong["inaccurate"],
                            sum(f <= 1.05 for f in factors), middle,
                            "%.2f" % factors[-1] if factors else "-",
                            "%.0f %%" % (100 * wrong[None] / judged)))
        for factor, case, cls in reversed(losses[-3:]):
            if factor > 1.5:
                print("  %s: %s is %.2f times the best, %s" % (
                    case, cls, factor, self.best(truth, case)))
        return wrong["failing"] + wrong["inaccurate"]


def prepare(build, name, folder, quick):
    """The assembly in a folder of its own, with its cases."""
    source = os.path.join(build, "examples", "solvers" if name == "solvers" else "ffts")
    os.makedirs(folder, exist_ok=True)
    for file in os.listdir(source):
        if file == name + ".xml" or file.endswith(".csv"):
            shutil.copy(os.path.join(source, file), folder)
    if name == "solvers":
        subprocess.run([os.path.join(source, "solvers_generate"), folder,
                        *(["--quick"] if quick else [])], check=True)
    return Study(os.path.join(folder, name + ".xml"), source)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", help="where Portolan was built")
    parser.add_argument("name", nargs="?", default="solvers", choices=("solvers", "ffts", "factors"))
    parser.add_argument("--folder", help="for what is measured; kept, and not measured again")
    parser.add_argument("--quick", action="store_true", help="eight small matrices")
    parser.add_argument("--budget", type=float, default=600, help="of portolan measure, in seconds")
    parser.add_argument("--draws", type=int, default=5, help="of thirds to hold out")
    options = parser.parse_args()
    folder = options.folder or os.path.join(options.build, "study-" + options.name)
    study = prepare(options.build, options.name, folder, options.quick)
    store, true_store = os.path.join(folder, "store.db"), os.path.join(folder, "truth.db")
    study.measure(store, options.budget)
    if not os.path.exists(true_store):
        study.run_all(true_store, 1 if options.quick else 3)
    truth = study.results(true_store)
    cases = list(study.cases)
    thirds = [random.Random(i + 1).sample(cases, len(cases) // 3) for i in range(options.draws)]
    bad = study.table(truth, "one case left out", study.choices(store, [[c] for c in cases]))
    bad += study.table(truth, "a third held out, %d times" % len(thirds),
                       study.choices(store, thirds))
    if study.advice:
        print("\nportolan optimize: " + study.advice[0])
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
