# SPDX-License-Identifier: BSD-3-Clause
"""Holds a profile (portolan profile --flat --json --rank R) against the books of that rank.

check.py [--wrong] BOOKS PROFILE     --wrong: as if each time were one percent longer
check.py --tree PROFILE              inclusive of a caller >= sum of what it called
"""
import json
import sys

# The time stamp counter is calibrated to better than this, and a call's end points are this sharp.
RELATIVE, PER_CALL_NS = 1e-3, 200


def outside(what, value, low, high, calls):
    slack = RELATIVE * abs(value) + PER_CALL_NS * calls
    if low - slack <= value <= high + slack:
        return 0
    print(f"{what}: {value:.0f} ns is outside {low:.0f} ... {high:.0f} ns")
    return 1


def check_books(books, profile, factor):
    nodes = {(n["instance"], n["method"]): n for n in profile["nodes"]}
    bad = 0
    for line in open(books, encoding="ascii"):
        instance, method, calls, *seconds = line.split()
        calls = int(calls)
        inner, outer, low, high, mpi_low, mpi_high = (1e9 * float(s) for s in seconds)
        node = nodes.pop((instance, method), None)
        if not calls:
            bad += node is not None
            continue
        name = f"{instance}.{method}"
        if not node or node["calls"]["sum"] != calls:
            print(f"{name}: {calls} calls were made, {node and node['calls']['sum']} are told")
            bad += 1
            continue
        for key, a, b in ("inclusive_ns", inner, outer), ("exclusive_ns", low, high), \
                         ("mpi_ns", mpi_low, mpi_high):
            bad += outside(f"{name} {key}", factor * node[key]["sum"], a, b, calls)
    return bad


def check_tree(profile):
    below = {}
    for n in profile["nodes"]:
        below[n["parent"]] = below.get(n["parent"], 0) + n["inclusive_ns"]["sum"]
    bad = len(profile["violations"])
    for n in profile["nodes"]:
        if below.get(n["node"], 0) > n["inclusive_ns"]["sum"] * (1 + 1e-12):
            print(f"{n['instance']}.{n['method']}: {n['inclusive_ns']['sum']} < {below[n['node']]}")
            bad += 1
    return bad + (len(profile["nodes"]) < 15)


arguments = sys.argv[1:]
if arguments[0] == "--tree":
    sys.exit(check_tree(json.load(open(arguments[1], encoding="utf-8"))) > 0)
wrong = arguments[0] == "--wrong"
books_file, profile_file = arguments[wrong:]
sys.exit(check_books(books_file, json.load(open(profile_file, encoding="utf-8")),
                     1.01 if wrong else 1) > 0)
