#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How often `portolan diagnose` names first what was planted in a program with MPI, and how often it finds nothing in
# the healthy one. BUILD: the build; RUNS: runs of each (default 5); RANKS (default 2). Needs a machine to itself.
set -u
: "${BUILD:=build}" "${RUNS:=5}" "${RANKS:=2}"
portolan=$BUILD/cli/portolan
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# paradigm, program, cause that may come first (- none), settings
cases='
master-worker farm - tasks=400
master-worker farm master-saturated|setup-costly tasks=400 grain=200 setup=400
master-worker farm fine-grain tasks=4000 grain=5
master-worker farm serial-start tasks=200 begin=100000
master-worker farm serial-finish tasks=200 end=100000
master-worker farm master-computes tasks=400 own=3000
pipeline wavefront - sweeps=10
pipeline wavefront blocks-too-large|sweeps-too-short sweeps=10 blocks=3
pipeline wavefront slow-stage sweeps=10 slow=1.5
pipeline wavefront direction-changes|blocks-too-large sweeps=20 blocks=10 turn=1
pipeline wavefront delay-from-outside sweeps=10 outside=10000
divide-and-conquer sort - rounds=5
divide-and-conquer sort uneven-division rounds=5 share=0.2
divide-and-conquer sort costly-merge|serial-near-root rounds=5 merge=300
divide-and-conquer sort costly-split|serial-near-root rounds=1 split=300
geometric stencil - iterations=50
geometric stencil static-imbalance iterations=50 uneven=1.5
geometric stencil varying-imbalance iterations=50 varying=1.5
'
echo "$RUNS runs each on $RANKS ranks: how often the cause came first; others that came first"
echo "$cases" | while read -r paradigm program cause settings; do
    [ -n "$paradigm" ] || continue
    right=0 others=
    run=0
    while [ $run -lt "$RUNS" ]; do
        run=$((run + 1))
        # shellcheck disable=SC2086 # settings are words
        "$portolan" diagnose --json -n "$RANKS" -p "$paradigm" -- "$BUILD/examples/patterns/$program" $settings \
            >"$out" 2>/dev/null </dev/null
        first=$(python3 -c '
import json, sys
text = open(sys.argv[1]).read()
d = json.loads(text[text.index("{"):])
print(d["findings"][0]["cause"] if d["findings"] else "-" if d["verdict"] == "no problem found" else d["verdict"])
' "$out" 2>/dev/null)
        if echo "$first" | grep -qxE -e "$cause"; then right=$((right + 1)); else others="$others ${first:-failed}"; fi
    done
    printf '%2d of %d  %-9s %-36s %s\n' "$right" "$RUNS" "$program" "$cause" "$settings${others:+   not:$others}"
done
