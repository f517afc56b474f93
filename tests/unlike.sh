#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What stands next to a run says in what it is unlike it, and has no ratio to it; and each answer says where the time
# went. Times are of a ManualClock.
. "$(dirname "$0")/tap.sh"
plan 17
cd "$work" || exit 99
paper=$BUILD/examples/paper/paper.xml

# trial [RANKS [ARGUMENT...]]: one more run of the paper's assembly; its number is $trial.
trial() {
    ranks=${1:-1}
    [ $# = 0 ] || shift
    try "$MPIEXEC" -n "$ranks" "$PORTOLAN" run --store=paper.db "$@" "$paper"
    trial=$(sqlite3 paper.db 'SELECT max(id) FROM trial')
}

# fact TRIAL NAME VALUE: the trial's metadata say so.
fact() {
    sqlite3 paper.db "UPDATE primary_metadata SET value = '$3' WHERE trial = $1 AND name = '$2'"
}

try "$PORTOLAN" measure -q --repeat=1 --store=paper.db "$paper"
trial
run=$trial
gives 'a run ends with where its time went' 0 \
    'wall time 102 ms: 102 ms in measured calls, 0 ns outside them, 0 ns deciding, 0 ns storing' 'overhead 0 %'
lacks 'with no advice where nothing is to be done' 'most of it is'
trial 1 --quiet
[ ! -s err ]
result 'unless it is to be quiet' $?
run=$trial
for kind in like host build other; do
    if [ $kind = other ]; then trial 2 --fixed; else trial 1 --fixed; fi
    eval "$kind=$trial"
done
# shellcheck disable=SC2154 # eval sets them
fact "$host" host sloop
# shellcheck disable=SC2154
fact "$build" 'compiled paper.so' 'GNU C17 -O0'

try "$PORTOLAN" report --store=paper.db "$paper"
gives 'the like has ratios' 0 "^run $run of assembly 'paper' on 1 rank" ' +[0-9.]+ s +[0-9.]+ x +[0-9.]+ x +a=paper.A1 b=paper.B1$'
gives 'another machine has none, and is named' 0 ' s +- +- +a=paper.A1 b=paper.B1, with host sloop instead of '
gives 'another build likewise' 0 ' s +- +- +a=paper.A1 b=paper.B1, with another build of paper.so$'
gives 'other ranks likewise' 0 ' s +- +- +a=paper.A1 b=paper.B1, with 2 ranks instead of 1'
gives 'and it says where the time of the run went' 0 '^wall time 102 ms: '

# shellcheck disable=SC2154
# shellcheck disable=SC2154
sqlite3 paper.db "INSERT INTO primary_metadata VALUES ($like, 'exploring steps', '3')"
try "$PORTOLAN" report --store=paper.db "$paper"
gives 'turns are said, and are part of the time' 0 's +[0-9.]+ x +[0-9.]+ x .*, with alternatives in turn instead of one choice$'

try "$PORTOLAN" report --json --store=paper.db "$paper"
mv out paper.json
python3 - "$SOURCE/docs/report.schema.json" paper.json "$like" <<'P'
import json, jsonschema, sys
schema, d = (json.load(open(f)) for f in sys.argv[1:3])
jsonschema.validate(d, schema)
fixed, spent = d["answer"]["fixed"], {p["name"]: p for p in d["answer"]["spent"]}
assert [f["trial"] for f in fixed if f["to_run"]] == [int(sys.argv[3])], fixed
assert all(f["unlike"] for f in fixed), fixed
parts = [p["ns"] for p in spent.values() if p["kind"] == ""]
assert len(parts) == 5 and abs(sum(parts) - spent["wall time"]["ns"]) < 1, spent
assert {"measuring", "exploring", "overhead", "processor time", "deciding", "storing"} <= set(spent), spent
unlike = {t["id"]: t.get("unlike", "") for t in d["trial"]["trials"]}
assert unlike[d["shown_trial"]] == "" and any("sloop" in u for u in unlike.values()), unlike
P
result 'so do the data of the page, whose parts of the time have the wall time as their sum' $?

# ---------------------------------------------------------------- a prediction for other ranks than the run's

try "$PORTOLAN" report --json --ranks=2 --store=paper.db "$paper"
gives 'a run next to a prediction for other ranks says so' 0 'The newest run, with 1 rank instead of 2, took'

# ---------------------------------------------------------------- two sets of trials

# shellcheck disable=SC2154
try "$PORTOLAN" compare --store=paper.db "$like" "$other"
gives 'a comparison of other ranks says so in its row' 0 '^total .*, with 2 ranks instead of 1'
try "$PORTOLAN" compare --json --store=paper.db "$like" "$build"
gives 'and of other builds' 0 '"unlike": ?"another build of paper.so'
try "$PORTOLAN" compare --store=paper.db "$run" "$run"
lacks 'but not of like ones' '^total .*, with '

# ---------------------------------------------------------------- overhead

fact "$run" 'storing at swap points' 5e6
try "$PORTOLAN" trials paper.db
gives 'trials have wall time and overhead' 0 '^trial .* wall ms +overhead' "^ +$run .* 101[.]785 +101[.]785 +4.9 % "
try "$PORTOLAN" trials --metadata "$run" paper.db
gives 'and their parts, with what to do' 0 'storing; processor time .*; overhead 4.9 %; most of it is storing; it weighs less'
try "$PORTOLAN" report --store=paper.db "$paper"
gives 'which the report says, too' 0 'most of it is storing; it weighs less with fewer swap points'
