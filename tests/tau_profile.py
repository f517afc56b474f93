# SPDX-License-Identifier: BSD-3-Clause
"""Reads TAU profiles as the readers of others do (pprof, PerfDMF, TAU's Python parser, Hatchet), all
their limits at once, and prints what is in them. Written from the description of the format.

    tau_profile.py FOLDER [--event-paths]
                                 one line a row: METRIC NODE.THREAD KIND CALLS SUBRS EXCL INCL NAME
                                 and an event: METRIC NODE.THREAD event N MAX MIN MEAN SUMSQR NAME
"""
import os
import re
import sys
import xml.etree.ElementTree as xml

ROW = re.compile(r'"([^"]*)" (\d+) (\d+) (\S+) (\S+) 0 GROUP="([^"]*)" $')
HEAD = "# Name Calls Subrs Excl Incl ProfileCalls # "


with_paths = sys.argv[2:] == ["--event-paths"]  # some readers take no event with one


class Wrong(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Wrong(what)


def read_rows(lines, count):
    rows = []
    for line in lines[2 : 2 + count]:
        need(len(line) < 65536, "a row is too long for pprof's buffer")
        match = ROW.match(line)
        need(match, "no row: " + line)
        name, calls, subrs, exclusive, inclusive, groups = match.groups()
        need("  " not in name and "\t" not in name, "runs of blanks in: " + name)
        row = (name, int(calls), int(subrs), float(exclusive), float(inclusive), groups.split(" | "))
        need(row[1] > 0, "a row without calls: " + name)
        need(row[3] >= 0 and row[4] >= row[3], "negative or more exclusive than inclusive: " + line)
        rows.append(row)
    return rows


def check_root(lines, rows):
    name, calls, _, _, _, _ = rows[0]
    numbers = lines[2].split('" ')[1].split()[:4]
    need(all(n.isdigit() for n in numbers), "the root's numbers are not whole: " + lines[2])
    need(calls == 1 and "=>" not in name, "the first row is no root")


def check_paths(rows):
    """Every path begins at the root, its callers have rows, and times add up."""
    names = {row[0]: row for row in rows}
    need(len(names) == len(rows), "a name stands twice")
    root = rows[0][0]
    flat, below = {}, {}
    for row in rows[1:]:
        name, calls, subrs, exclusive, inclusive, groups = row
        if "=>" in name:
            need(groups[0] == "TAU_CALLPATH", "a path is not in TAU_CALLPATH: " + name)
            steps = name.split(" => ")
            need(steps[0] == root, "a path does not begin at the root: " + name)
            need(len(steps) == 2 or " => ".join(steps[:-1]) in names, "no caller of " + name)
            need(steps[-1] in names, "no flat row of " + name)
            total = flat.setdefault(steps[-1], [0, 0, 0.0])
            total[0] += calls
            total[1] += subrs
            total[2] += exclusive
            caller = below.setdefault(" => ".join(steps[:-1]), [0, 0.0])
            caller[0] += calls
            caller[1] += inclusive
    for name, total in flat.items():
        row = names[name]
        need(row[1] == total[0] and row[2] == total[1], "flat and paths disagree: " + name)
        need(abs(row[3] - total[2]) <= 1e-6 * max(1.0, row[3]), "flat and paths disagree: " + name)
    for name, (calls, inclusive) in below.items():
        row = names[name]
        need(row[2] == calls, "subroutine calls of " + name)
        need(abs(row[4] - row[3] - inclusive) <= (1.0 if name == root else 1e-6 * max(1.0, row[4])),
             "exclusive and callees do not make the inclusive time of " + name)


def check_parameters(rows):
    names = {row[0]: row for row in rows}
    sums = {}
    for row in rows:
        at = row[0].find(" [ <")
        need((at >= 0) == (row[5][0] == "TAU_PARAM"), "parameters and group: " + row[0])
        if at >= 0:
            need(re.fullmatch(r" \[ <[^<>]+> = <[^<>]+>(, <[^<>]+> = <[^<>]+>)* \]", row[0][at:]),
                 "not TAU's form of parameters: " + row[0])
            sums[row[0][:at]] = sums.get(row[0][:at], 0) + row[1]
    for name, calls in sums.items():
        need(names[name][1] >= calls, "parameter rows are more than the plain row: " + name)


def read_events(lines):
    """None, or a number, a fixed line and as many rows, whose numbers agree with each other."""
    if not lines:
        return []
    first = re.fullmatch(r"(\d+) userevents", lines[0])
    need(first and int(first[1]) == len(lines) - 2, "the number of events: " + lines[0])
    need(len(lines) > 2, "events are announced, but there are none")
    need(lines[1] == "# eventname numevents max min mean sumsqr", "the events' head: " + lines[1])
    events = []
    for line in lines[2:]:
        match = re.fullmatch(r'"([^"]*)" (\d+) (\S+) (\S+) (\S+) (\S+)', line)
        need(match, "no event: " + line)
        name, count = match[1], int(match[2])
        most, least, mean, squares = (float(match[i]) for i in range(3, 7))
        slack = 1e-9 * max(abs(least), abs(most))
        need(count > 0 and least - slack <= mean <= most + slack, "no such statistics: " + line)
        need(squares >= count * mean * mean * (1 - 1e-9), "less than no variance: " + line)
        need(with_paths or "=>" not in name, "a path that nobody asked for: " + name)
        need("=>" not in name.split(" : ")[0] and "  " not in name, "the name of an event: " + name)
        events.append((name, count, most, least, mean, squares))
    need(len({e[0] for e in events}) == len(events), "an event stands twice")
    for name, count, *_ in events:
        paths = [e[1] for e in events if e[0].startswith(name + " : ")]
        need(sum(paths) <= count, "an event has more on its paths than in all: " + name)
    return events


def check_phases(rows):
    """A phase is one wherever it stands; its group stands behind its own."""
    phases = {row[0].split(" => ")[-1] for row in rows if "TAU_PHASE" in row[5]}
    for row in rows:
        at = row[5].index("TAU_PHASE") if "TAU_PHASE" in row[5] else -1
        if row[5][0] != "TAU_PARAM":
            need((row[0].split(" => ")[-1] in phases) == (at > 0), "sometimes a phase: " + row[0])


def read_file(path, metric):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    need(text.endswith("\n"), "the last line is cut off")
    lines = text[:-1].split("\n")
    first = re.fullmatch(r"(\d+) templated_functions_MULTI_(\S+)", lines[0])
    need(first and len(first[2]) <= 37, "first line: " + lines[0])
    need(lines[1].startswith(HEAD + "<metadata>"), "second line: " + lines[1][:80])
    metadata = xml.fromstring(lines[1][len(HEAD) :])
    facts = [(a.findtext("name"), a.findtext("value")) for a in metadata.findall("attribute")]
    need(facts[0][0] == "Metric Name", "the first fact is no metric name")
    need(len({name for name, _ in facts}) == len(facts), "a fact stands twice")
    if metric:
        need(re.sub(r"[/\\?%*:|\"<>= ]", "_", facts[0][1]) == metric, "metric and folder disagree")
    count = int(first[1])
    rows = read_rows(lines, count)
    need(lines[2 + count] == "0 aggregates", "what stands behind the rows")
    events = read_events(lines[3 + count :])
    check_root(lines, rows)
    check_paths(rows)
    check_parameters(rows)
    check_phases(rows)
    return facts, rows, events


def read_folder(folder, metric):
    names = sorted(n for n in os.listdir(folder) if n.startswith("profile."))
    ids = sorted(tuple(map(int, n.split(".")[1:])) for n in names)
    need(ids, "no profiles in " + folder)
    nodes = sorted({i[0] for i in ids})
    need(nodes == list(range(len(nodes))), "nodes have holes")
    for node in nodes:
        threads = [i[2] for i in ids if i[0] == node]
        need(all(i[1] == 0 for i in ids), "contexts other than 0")
        need(threads == list(range(len(threads))), "threads have holes")
    return {i: read_file(os.path.join(folder, "profile.%d.%d.%d" % i), metric) for i in ids}


def main(folder):
    metrics = sorted(n for n in os.listdir(folder) if n.startswith("MULTI__"))
    sets = {m[7:]: read_folder(os.path.join(folder, m), m[7:]) for m in metrics} or {
        "": read_folder(folder, None)
    }
    shapes = {tuple((i, tuple(r[0] for r in rows)) for i, (_, rows, _) in sorted(s.items()))
              for s in sets.values()}
    need(len(shapes) == 1, "metrics have different rows")
    for files in sets.values():
        for (node, _, thread), (facts, rows, events) in sorted(files.items()):
            for name, value in facts:
                print("%s %d.%d fact %s = %s" % (facts[0][1], node, thread, name, value))
            for name, calls, subrs, exclusive, inclusive, groups in rows:
                print("%s %d.%d %s %d %d %.6g %.6g %s" % (facts[0][1], node, thread, groups[0], calls,
                                                     subrs, exclusive, inclusive, name))
            for name, *numbers in events:
                print("%s %d.%d event %s %s" % (facts[0][1], node, thread,
                                                " ".join("%.6g" % n for n in numbers), name))


try:
    main(sys.argv[1])
except Wrong as wrong:
    sys.exit("%s: %s" % (sys.argv[1], wrong))
