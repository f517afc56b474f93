#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether a program with Portolan is ever worse off than without: candidates that behave in all the ways of
SCENARIOS and FAULTS (bench/harm/law.c), as components, in candidates.h, as C tables and as classes of C++, in runs
1 to 5 on one store. Time is moved by hand, unless --real. One table; exit status 1 where a row breaks the guarantee:
runs 1 and 2 take at most 1.05 times the best of the program as written and what the run before ended with, plus a call
of each untried alternative, later ones at most 1.02 times the best candidate alone; runs 2 and 3 end as the program
as written does, whatever happened in run 1.
"""
import argparse
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

STEPS = 4000
NAMES = "ABC"
KINDS = {"component": "harm.Part", "table": "harm.Table", "class": "harm.Class", "candidates.h": None}


def is_told(n, us):
    """Whether 5 % of a run pay for N first calls of US each: twice a single one, or half of it for a long visit."""
    return 3 * us < 0.04 * STEPS * 1000 if n <= 2 else max(n, 8) * us < 0.025 * STEPS * 1000


# What the candidates cost (the words are those of law.c), A being as written; "us" of 1000 is left out. "told": false
# where nobody can tell what B is worth by a call and what 5 % of a run pay for: a second call may take as long as the
# first, and a return to what is written as long as its first call, until one was seen. "equal": what cannot be told
# apart is tried twice in a run at most.
SCENARIOS = {
    "half": {"B": "us=500"},
    "a tenth faster": {"B": "us=900"},
    "5 times slower": {"B": "us=5000"},
    "100 times slower": {"B": "us=1e5"},
    "1000 times slower": {"B": "us=1e6"},
    "three": {"B": "us=500 first=100", "C": "us=300 warm=20:10"},
    "equal": {"B": "", "equal": True},
    "three equal": {"B": "", "C": "", "equal": True},
    "equal, noise 5 %": {"A": "noise=0.05", "B": "noise=0.05"},
    "equal, noise 30 %": {"A": "noise=0.3", "B": "noise=0.3"},
    "equal, period 8": {"A": "every=8:50", "B": "every=8:50"},
    "equal, back x 200": {"A": "back=200", "B": "back=200", "equal": True},
    "1 % faster": {"B": "us=990", "equal": True},
    "noise 20 %, a tenth": {"A": "noise=0.2", "B": "us=900 noise=0.2"},
    "noise 50 %, half": {"A": "noise=0.5", "B": "us=500 noise=0.5"},
    "first x 2000, half": {"B": "us=500 first=2000", "told": False},
    "first x 2000, slower": {"B": "us=1100 first=2000"},
    "first x 100, half": {"B": "us=500 first=100"},
    "as written first x 2000": {"A": "first=2000", "B": "us=500", "told": False},
    "as written first x 2000, slower": {"A": "first=2000", "B": "us=1500"},
    "both first x 2000": {"A": "first=2000", "B": "us=500 first=2000", "told": False},
    "back x 20, half": {"B": "us=500 back=20"},
    "as written warm 50 x 5": {"A": "warm=50:5", "B": "us=2000"},
    "new size x 20": {"B": "us=500 size=20", "sizes": "1000,2000:50"},
    "both new size x 20": {"A": "size=20", "B": "us=500 size=20", "sizes": "1000,2000:50"},
    "drift up": {"A": "drift=1", "B": "us=900 drift=1"},
    "drift up, slower": {"A": "drift=1", "B": "us=1200 drift=1"},
    "drift down": {"A": "drift=-0.5", "B": "us=900 drift=-0.5"},
    "only the other drifts": {"B": "us=500 drift=3"},
    "fast later": {"B": "us=2000 from=1000:0.25"},
    "fast much later": {"B": "us=1200 from=2000:0.1"},
    "slow later": {"B": "us=500 from=2000:10"},
    "as written slow later": {"A": "from=2000:4", "B": "us=2000"},
    "1 ms, each 8th 50 ms, worse": {"A": "us=4000", "B": "every=8:50"},
    "1 ms, each 8th 50 ms, better": {"A": "us=10000", "B": "every=8:50"},
    "two periods": {"A": "every=16:20", "B": "us=800 every=24:20"},
    **{f"warm {n} x {factor}": {"B": f"us=500 warm={n}:{factor}", "told": is_told(n, factor * 500)}
       for n in (1, 2, 5, 20, 50) for factor in (5, 30, 1000) if n * factor < 6000},
    **{f"period {k} x {factor}, {what}": {"A": f"us={1000 * share * (1 + (factor - 1) / k):.0f}", "B": f"every={k}:{factor}"}
       for k in (2, 3, 10, 30, 100) for factor in (5, 50, 1000) for what, share in (("worse", 0.8), ("better", 1.25))},
    **{f"as written period {k} x {factor}": {"A": f"every={k}:{factor}", "B": f"us={800 * (1 + (factor - 1) / k):.0f}"}
       for k in (2, 10, 100) for factor in (5, 1000)},
}
REAL = ("half", "equal", "a tenth faster", "first x 100, half", "warm 20 x 5", "noise 20 %, a tenth", "drift up",
        "1 ms, each 8th 50 ms, worse", "5 times slower")
SHORT = {"18 us, half": {"B": "us=500"}, "18 us, equal": {"B": "", "equal": True}, "18 us, 5 times slower": {"B": "us=5000"}}
CHECKED = [("half", "component", "measured"), ("5 times slower", "table", "runs"), ("equal", "class", "runs"),
           ("warm 1 x 5", "candidates.h", "runs"), ("three", "component", "runs"),
           ("fast later", "component", "runs"), ("1 ms, each 8th 50 ms, worse", "component", "runs"),
           ("warm 20 x 30", "table", "runs"), ("drift up, slower", "class", "runs"),
           ("period 10 x 50, better", "candidates.h", "runs"), ("new size x 20", "candidates.h", "runs"),
           ("warm 2 x 30", "component", "runs"), ("as written period 2 x 1000", "component", "runs"),
           ("period 10 x 1000, worse", "component", "runs")]

# What happens to B, which is twice as fast, and where else than in a call.
FAULTS = {f"{how} in call {at}": {"B": f"us=500 fault={how}@{at}"}
          for how, calls in (("segv", (1, 3, 50)), ("abort", (1,)), ("exit", (1, 3)), ("hang", (1, 3)), ("leak", (1, 50)),
                             ("nan", (1, 3, 50))) for at in calls}
FAULTS |= {"segv in setServices": {"B": "us=500 fault=start"},
           "segv in exportState": {"B": "us=500 fault=export", "A": "", "C": "us=300"},
           "segv in exportState of the first": {"A": "fault=export", "B": "us=500"},
           "segv in importState": {"B": "us=500 fault=import"}}
PLACES = {"setServices": ("component", "table", "class"), "exportState": ("component",), "importState": ("component",)}
CHECKED_FAULTS = [("segv in call 1", "candidates.h", "runs"), ("exit in call 3", "component", "measured"),
                  ("segv in setServices", "table", "runs"), ("abort in call 1", "class", "2 ranks"),
                  ("segv in exportState of the first", "component", "measured"),
                  ("leak in call 1", "component", "2 ranks")]

ASSEMBLY = """<assembly name="harm">
  <path dir="."/>
  <instance name="driver" class="harm.Driver"><parameter name="steps" type="int" value="{steps}"/></instance>
  <instance name="part" class="harm.A"{accuracy}>{alternatives}</instance>
  <instance name="clock" class="{clock}"/>
  <instance name="mastermind" class="portolan.Mastermind"/>
  <instance name="optimizer" class="portolan.Optimizer"/>
  <instance name="swap" class="portolan.SwapPoint"/>
  <connect user="driver" uses="part" provider="part" provides="part"/>
  <connect user="driver" uses="swap" provider="swap" provides="swappoint"/>
  <connect user="swap" uses="mastermind" provider="mastermind" provides="steps"/>
  <connect user="swap" uses="optimizer" provider="optimizer" provides="steps"/>
  <connect user="mastermind" uses="measurement" provider="clock" provides="measurement"/>
  <connect user="optimizer" uses="records" provider="mastermind" provides="records"/>
  <monitor instance="driver" port="go"/>
  <monitor user="driver" uses="part"/>
  <sweep><vary instance="driver" parameter="steps" values="{steps}"/></sweep>
  <optimizer steps="driver.steps"/>
  <go instance="driver" port="go"/>
</assembly>
"""
DRIVER = """<component class="harm.Driver" library="{library}">
  <provides port="go" type="gov.cca.ports.GoPort"/><uses port="part" type="{type}"/>
  <uses port="swap" type="portolan.ports.SwapPoint"/><parameter name="steps" type="int" default="1"/>
</component>
"""
CANDIDATE = """<component class="harm.{name}" library="{library}">
  <provides port="part" type="{type}"/>{state}
</component>
"""


class Row:
    """A scenario with one kind of candidates, in a folder of its own."""

    def __init__(self, bench, name, scenario, kind, ranks=1):
        self.bench, self.name, self.scenario, self.kind, self.ranks = bench, name, scenario, kind, ranks
        self.folder = tempfile.mkdtemp(dir=bench.folder)
        self.names = [n for n in NAMES if n in ("A", "B") or n in scenario]
        self.runs, self.tried, self.confirmed, self.measured = [], set("A"), "A", False
        if KINDS[kind]:
            self.write_assembly()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def write_assembly(self):
        made, port = os.path.join(self.bench.build, "bench", "harm"), KINDS[self.kind]
        proxy = port.replace(".", "_") + "_proxy.so"
        for library in proxy, f"harm_{self.kind}.so":
            os.symlink(os.path.join(made, library), os.path.join(self.folder, library))
        os.symlink(os.path.join(made, port.replace(".", "_") + "Proxy.xml"), os.path.join(self.folder, port + "Proxy.xml"))
        state = '<provides port="state" type="harm.State" also="portolan.ports.Stateful"/>' if self.kind == "component" else ""
        given = {"library": f"harm_{self.kind}.so", "type": port, "state": state}
        self.write("harm.Driver.xml", DRIVER.format(**given))
        for name in self.names:
            self.write(f"harm.{name}.xml", CANDIDATE.format(name=name, **given))
        self.write("harm.xml", ASSEMBLY.format(
            steps=self.bench.steps, clock="portolan.Measurement" if self.bench.judged else "portolan.ManualClock",
            accuracy=' accuracy="1e-6"' if "nan" in self.name else "",
            alternatives="".join(f'<alternative class="harm.{n}"/>' for n in self.names[1:])))

    def execute(self, *words, limit=120):
        """Status and times of the process, with what harm_report wrote if it came to that."""
        out = os.path.join(self.folder, "out")
        env = self.bench.env | {"HARM_OUT": out, "HARM_STEPS": str(self.bench.steps), "HARM_SEED": str(len(self.runs))}
        env |= {f"HARM_{n}": self.scenario.get(n, "") for n in self.names}
        if "sizes" in self.scenario:
            env["HARM_SIZES"] = self.scenario["sizes"]
        if os.path.exists(out):
            os.remove(out)
        begin = time.monotonic(), used()
        with open(os.path.join(self.folder, "log"), "ab") as log:
            child = subprocess.Popen(words, cwd=self.folder, env=env, stdin=subprocess.DEVNULL, stdout=log,
                                     stderr=log, start_new_session=True)
            try:
                status = child.wait(limit)
            except subprocess.TimeoutExpired: # as the batch system does
                os.killpg(child.pid, signal.SIGKILL)
                status = child.wait()
        got = {"status": status, "wall": (time.monotonic() - begin[0]) * 1e6, "processor": (used() - begin[1]) * 1e6}
        if not os.path.exists(out):
            return got
        with open(out) as file:
            ranks = [json.loads(line) for line in file]
        return ranks[0] | got | {"good": min(r["good"] for r in ranks)}

    def portolan(self, command, *options, limit=120):
        words = [self.bench.portolan, command, *options, "--store=harm.db", "harm.xml"]
        if self.ranks > 1 and command in ("run", "measure"):
            words = [self.bench.env["MPIEXEC"], "-n", str(self.ranks), *words]
        return self.execute(*words, limit=limit)

    def start(self, limit=120):
        if KINDS[self.kind]:
            return self.portolan("run", "--quiet", limit=limit)
        return self.execute(self.bench.program, limit=limit)

    def run(self, limit=120):
        got = self.start(limit)
        if self.bench.judged and "us" in got: # each alone, without Portolan, in turn with it
            alone = [self.execute(self.bench.program, name) for name in self.names]
            got["us"] = got[self.bench.judged] - self.bench.starts(self.kind)[self.bench.judged]
            got["alone"] = [a[self.bench.judged] for a in alone]
            got["whole"] = got["wall"] / min(a["wall"] for a in alone)
        self.runs.append(got)
        return got

    def measure(self, limit=120):
        """Whether `measure` and `optimize` ended well; all have been tried then."""
        self.tried, self.measured = set(self.names), True
        return [self.portolan("measure", "--quiet", "--repeat=2", limit=limit)["status"],
                self.portolan("optimize", "--output=chosen.xml")["status"]]

    def costs(self):
        """In real time: the last run's whole wall time over the best candidate's, and the store's size."""
        if not self.bench.judged:
            return ""
        size = max(os.path.getsize(os.path.join(self.folder, f)) for f in os.listdir(self.folder) if f.endswith(".db"))
        return f"  {self.runs[-1].get('whole', 0):8.3f} {size / 1e3:6.0f} kB"

    def vetoes(self):
        """0 if `veto` names B."""
        words = [self.bench.portolan, "veto", "--store=harm.db", "harm.xml"]
        text = subprocess.run(words, cwd=self.folder, env=self.bench.env, capture_output=True, text=True).stdout
        return 0 if "harm.B" in text else 1

    def bound(self, got):
        """The most that the last run may take, in us, by the guarantee; and the best candidate's time."""
        alone = dict(zip(NAMES, got["alone"]))
        untried = sum(got["first"][NAMES.index(n)] for n in self.names if n not in self.tried)
        best = min(alone[n] for n in (self.names if self.scenario.get("told", True) or self.measured else "A"))
        if len(self.runs) >= 3:
            return 1.02 * best, best
        return 1.05 * min(alone["A"], alone[self.confirmed]) + untried, best

    def judge(self):
        """The last run as text, and whether it keeps the guarantee."""
        got = self.runs[-1]
        if got["status"] or "us" not in got:
            return f"died {got['status']}", False
        most, best = self.bound(got)
        good = got["us"] <= most * (1 + 1e-9) and got["good"] == self.bench.steps
        if self.scenario.get("equal"):
            good = good and got["changes"] <= 3 * (len(self.names) - 1)
        self.tried |= {n for n in self.names if got["calls"][NAMES.index(n)]}
        self.confirmed = NAMES[got["last"]]
        return f"{got['us'] / best:.3f}{self.confirmed}{got['changes']}{' ' if good else '!'}", good


def used():
    """Processor time of all that has ended, in s."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Bench:
    def __init__(self, options):
        self.build = os.path.abspath(options.build)
        self.portolan = os.path.join(self.build, "cli", "portolan")
        self.folder = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.program = os.path.join(self.build, "bench", "harm", "harm_program")
        self.steps, self.kept, self.started = STEPS, options.keep, {}
        self.judged = "processor" if options.processor else "wall" if options.real else None
        shell = f'. "{self.build}/tests/devenv.sh" && env -0'
        text = subprocess.run(["sh", "-c", shell], check=True, capture_output=True, text=True).stdout
        self.env = dict(line.split("=", 1) for line in text.split("\0") if line)
        if self.judged:
            self.calibrate()

    def calibrate(self):
        """How many turns of the candidates' loop make a microsecond."""
        turns = 1000
        env = self.env | {"HARM_RATE": str(turns), "HARM_STEPS": "100"}
        times = []
        for _ in range(5):
            begin = used()
            subprocess.run([self.program, "A"], env=env, check=True)
            times.append(used() - begin)
        self.env["HARM_RATE"] = str(turns * 0.1 / min(times))

    def starts(self, kind):
        """What a run of one step takes, which is not held against longer ones: the least of three."""
        if kind not in self.started:
            steps, self.steps = self.steps, 1
            runs = [Row(self, "start", {"B": ""}, kind).start() for _ in range(3)]
            self.started[kind], self.steps = min(runs, key=lambda r: r[self.judged]), steps
        return self.started[kind]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.kept:
            print("kept:", self.folder)
        else:
            shutil.rmtree(self.folder)


def table_of_scenarios(bench, rows, n_runs):
    """Each cell: time over the best candidate's alone, the candidate at the end, how often another one was called."""
    broken = 0
    for name, kind, mode in rows:
        row = Row(bench, name, (SCENARIOS | SHORT)[name], kind)
        begun = row.measure() if mode == "measured" else []
        cells = [row.judge() for _ in range(n_runs) if row.run()]
        good = all(c[1] for c in cells) and not any(s not in (0, 3) for s in begun)
        alone = row.runs[-1].get("alone", [1])[:len(row.names)]
        print(f"{name:32} {kind:12} {mode:8} {alone[0] / min(alone):7.3f}  " + " ".join(f"{c[0]:>12}" for c in cells)
              + row.costs() + ("" if good else "  BROKEN"), flush=True)
        broken += not good
    return broken


def ending(bench, got):
    if got["status"] or "us" not in got:
        return f"died {got['status']}"
    return "right" if got["good"] == bench.steps else "wrong"


def table_of_faults(bench, rows):
    """How measure and optimize end, whether B's failure is stored, and how runs 1 to 3 end."""
    broken = 0
    for name, kind, mode in rows:
        row = Row(bench, name, FAULTS[name], kind, ranks=2 if mode == "2 ranks" else 1)
        begun = row.measure() if mode == "measured" else []
        if begun and "port" not in name: # nothing goes over while each is measured alone
            begun.append(row.vetoes())
        ends = [ending(bench, row.run(limit=10 if "hang" in name else 60)) for _ in range(3)]
        # state goes over in the first run only
        good = all(e == "right" for e in ends[0 if begun and "port" not in name else 1:]) and not any(begun)
        print(f"{name:32} {kind:12} {mode:8} {' '.join(map(str, begun)):8} " + " ".join(f"{e:10}" for e in ends)
              + ("" if good else "  BROKEN"), flush=True)
        broken += not good
    return broken


def tutorial(folder, build):
    """Makes the program of the tutorial's first part there."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "tutorial.md")) as file:
        blocks = re.split(r"\n(?=\S)", file.read().split("## 2.")[0])
    for name, text in re.findall(r"    (?:/\*|#) (my_\w+\.\w+)(?: \*/)?\n((?:(?:    .*)?\n)+?)(?=    (?:/\*|#) my_|\S)",
                                 "\n".join(blocks)):
        with open(os.path.join(folder, name), "w") as file:
            head = "" if name.endswith("diff") else f"/* {name} */\n"
            file.write(head + re.sub(r"(?m)^    ", "", text).rstrip("\n") + "\n")
    env = os.environ | {"PKG_CONFIG_PATH": os.path.join(build, "meson-uninstalled")}
    script = f"""patch -s my_program.c my_program.diff
        {build}/cli/portolan proxygen -q my_smoother.h --port smoother -o .
        cc -O2 my_program.c my_smoother.c smoother_proxy.c -o my_program $(pkg-config --cflags --libs portolan) \
            -Wl,-rpath,{build}/framework"""
    subprocess.run(["sh", "-ec", script], cwd=folder, env=env, check=True)


def fresh_stores(bench, n):
    """How many of N stores the third run ends on the slower function."""
    tutorial(bench.folder, bench.build)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    ends = []
    try:
        for _ in range(n):
            folder = tempfile.mkdtemp(dir=bench.folder)
            texts = [subprocess.run(["../my_program"], cwd=folder, env=bench.env, check=True, capture_output=True,
                                    text=True).stdout for _ in range(3)]
            ends.append([re.search(r"smoother: smoother\.(\w+)", text).group(1) for text in texts])
            shutil.rmtree(folder)
    finally:
        for child in busy:
            child.kill()
    for run in range(3):
        print(f"run {run + 1}: {sum(end[run] == 'running' for end in ends)} of {n} end with the faster function")
    return sum(end[2] != "running" for end in ends)


def is_possible(name, kind, mode):
    """A program has no assembly to measure, or to begin or move; nothing states how accurate it is to be."""
    places = next((kinds for place, kinds in PLACES.items() if place in name), KINDS)
    return kind in places and (KINDS[kind] or mode == "runs" and "nan" not in name)


def chosen(options, names, modes):
    return [(n, k, m) for n in names if not options.pattern or any(p in n for p in options.pattern)
            for k in options.kind or KINDS for m in options.mode or modes if is_possible(n, k, m)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"), help="the build folder")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="only this kind of candidates")
    parser.add_argument("--mode", action="append", choices=["runs", "measured", "2 ranks"],
                        help="runs on an empty store; measured and optimized first; a fault on one of two ranks")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="the few rows of `make check`")
    parser.add_argument("--faults", action="store_true", help="the candidates that fail")
    parser.add_argument("--real", action="store_true", help="in real time, judged by wall time, beside each candidate alone")
    parser.add_argument("--processor", action="store_true", help="in real time, judged by processor time")
    parser.add_argument("--fresh-stores", type=int, metavar="N",
                        help="the tutorial's program in runs 1 to 3 on N stores, beside a busy loop for each core")
    parser.add_argument("--keep", action="store_true", help="keep the stores")
    parser.add_argument("pattern", nargs="*", help="only scenarios with this in their names")
    options = parser.parse_args()
    with Bench(options) as bench:
        if options.fresh_stores:
            return 1 if fresh_stores(bench, options.fresh_stores) else 0
        if options.faults:
            bench.steps = 200
            rows = CHECKED_FAULTS if options.check else chosen(options, FAULTS, ("runs", "measured", "2 ranks"))
            broken = table_of_faults(bench, rows)
        elif bench.judged:
            rows = chosen(options, REAL, ("runs",)) + chosen(options, SHORT, ("runs",))
            broken = 0
            for names, bench.steps, scale in (REAL, 2000, 1), (SHORT, 40000, 0.018):
                bench.env["HARM_SCALE"] = str(scale)
                broken += table_of_scenarios(bench, [r for r in rows if r[0] in names], options.runs)
        else:
            rows = CHECKED if options.check else chosen(options, SCENARIOS, ("runs", "measured"))
            broken = table_of_scenarios(bench, rows, 3 if options.check else options.runs)
    print(f"{len(rows)} rows, {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
