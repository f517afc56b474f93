#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What virtual time costs: the stencil (clue_stencil.c) on a fat tree, messages a second by each network
model and in a replay, beside SimGrid's SMPI where it is installed; memory and start of 4,096 ranks; and
what ranks that share a core seem to compute, beside one alone. Processes take turns; the medians of three
are shown. Goals: 1 M messages/s by queue, 0.17 M fair, 2 M in a replay; 4,096 ranks in 1 GB and 3 s;
computing at most 1.5 times.
Usage: clue.py [RANKS]"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
portolan = os.path.join(os.path.abspath(os.environ["BUILD"]), "cli", "portolan")
ranks = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
STEPS, SMPI_STEPS, ROUNDS = 100, 10, 3
PLATFORM = """<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-%d" speed="1Gf" bw="125MBps" lat="4us"/>
</platform>"""


def run(*words):
    """Seconds and MB that it took."""
    begin = time.monotonic()
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{' '.join(words)}: {error.decode()}")
    return time.monotonic() - begin, usage.ru_maxrss / 1024


def clue(model, n, *options, b=8, steps=STEPS):
    """The report, seconds and MB."""
    words = [portolan, "clue", "run", "-m", model + ".xml", "-n", str(n), "--no-trial", "--quiet"]
    took = run(*words, "--json=report.json", *options, "--", "./stencil", str(b), str(steps))
    with open("report.json") as file:
        return (json.load(file), *took)


def smpi(n):
    """Messages a second; halo messages only, which it counts for itself."""
    took, _ = run("smpirun", "-np", str(n), "-platform", "crossbar.xml", "-hostfile", "hosts",
                  "--cfg=smpi/simulate-computation:no", "--log=root.thres:critical", "./smpi_stencil",
                  "8", str(SMPI_STEPS))
    return 4 * SMPI_STEPS * n / took


def computing(report):
    return sum(r["time"]["computing_ns"] for r in report["by_rank"]) / report["ranks"] / 1e6


def prepare():
    source = os.path.join(here, "clue_stencil.c")
    subprocess.run(["mpicc.mpich", "-O2", "-w", source, "-o", "stencil", "-lm"], check=True)
    with open(os.path.join(here, "..", "examples", "clue", "machines", "fattree.xml")) as file:
        machine = file.read()
    for model in "queue", "fair":
        with open(model + ".xml", "w") as file:
            file.write(machine.replace('model="queue"', f'model="{model}"'))
    if not shutil.which("smpicc"):
        return False
    subprocess.run(["smpicc", "-O2", "-w", source, "-o", "smpi_stencil", "-lm"], check=True)
    with open("crossbar.xml", "w") as file:
        file.write(PLATFORM % (ranks - 1))
    with open("hosts", "w") as file:
        file.writelines(f"n{i}\n" for i in range(ranks))
    return True


def main():
    has_smpi = prepare()
    rates = {"queue": [], "fair": [], "replay": []}
    messages = clue("queue", ranks, "--compute=none", "--record=stencil.rec")[0]["messages"]
    times = {1: [], ranks: []}
    for _ in range(ROUNDS):
        for model in "queue", "fair":
            report, took, _ = clue(model, ranks, "--compute=none")
            rates[model].append(report["messages"] / took)
        took, _ = run(portolan, "clue", "run", "-m", "queue.xml", "--no-trial", "--quiet", "stencil.rec")
        rates["replay"].append(messages / took)
        if has_smpi:
            rates.setdefault("SMPI", []).append(smpi(ranks))
        for n in times:
            times[n].append(computing(clue("queue", n, b=64)[0]))
    for name, values in rates.items():
        print(f"{name:6} {statistics.median(values):9.0f} messages/s, {ranks} ranks, start included")
    if has_smpi:
        ratio = statistics.median(rates["queue"]) / statistics.median(rates["SMPI"])
        print(f"queue beside SMPI, whose network is a crossbar: {ratio:.1f} times")
    _, took, memory = clue("queue", 4096, "--compute=none", "--share", steps=1)
    print(f"4096 ranks: {memory:.0f} MB, one step in {took:.1f} s")
    alone, together = (statistics.median(times[n]) for n in (1, ranks))
    print(f"64 x 64, {STEPS} steps: alone computes {alone:.2f} ms, a rank of {ranks} {together:.2f} ms, "
          f"{together / alone:.2f} times")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
