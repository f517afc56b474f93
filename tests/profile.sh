#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Views of stored trials, against outputs whose numbers were checked by hand; UPDATE=1 writes them
# anew. What the numbers mean is tested in profile/test.
. "$(dirname "$0")/tap.sh"
plan 49

golden=$(dirname "$0")/profile/golden
store=$work/plate.db
"$GENERATE" "$store" plate || exit 99

# view NAME FILE FILTER OPTION...: what FILTER leaves of the output is in FILE.
view() {
    name=$1 file=$golden/$2 filter=$3
    shift 3
    try "$PORTOLAN" "$@"
    sed "$filter" "$work/out" >"$work/view"
    [ -z "${UPDATE-}" ] || cp "$work/view" "$file"
    diff "$file" "$work/view" | sed 's/^/# /'
    [ "$status" = 0 ] && cmp -s "$file" "$work/view"
    result "$name" $?
}

# shows NAME FILE OPTION...: the output is what is in FILE.
shows() {
    name=$1 file=$2
    shift 2
    view "$name" "$file" '' "$@"
}

# table NAME FILE OPTION...: so is what follows the head, which all views of trial 1 have alike.
table() {
    name=$1 file=$2
    shift 2
    view "$name" "$file" '1,/^$/d' "$@"
}

# json NAME EXPRESSION OPTION...: the output is JSON, and EXPRESSION is true of it as `d`.
json() {
    name=$1 expression=$2
    shift 2
    try "$PORTOLAN" "$@" --json
    [ "$status" = 0 ] && python3 -c "
import json, sys
d = json.load(open(sys.argv[1]))
ok = ($expression)
if not ok: print('# not so: ' + sys.argv[2])
sys.exit(not ok)" "$work/out" "$expression"
    result "$name" $?
}

shows 'call paths' tree.txt profile "$store" 1
table 'methods' flat.txt profile "$store" 1 --flat
table 'methods by the values of parameters' contexts.txt profile "$store" 1 --contexts
table 'ranks' ranks.txt profile "$store" 1 --ranks
table 'a method on each rank' ranks_method.txt profile "$store" 1 --ranks --method 'solver.*'
shows 'one rank' rank.txt profile "$store" 1 --rank 3
table 'time in MPI by routine' mpi.txt profile "$store" 1 --mpi
table 'who sends to whom' matrix.txt profile "$store" 1 --matrix
table 'events' events.txt profile "$store" 1 --events
table 'single calls' rows.txt profile "$store" 1 --rows --top 4
table 'the longest calls' longest.txt profile "$store" 1 --rows --sort inclusive --top 2
table 'less what measuring cost' compensated.txt profile "$store" 1 --compensated
table 'as it was stored' raw.txt profile "$store" 1 --raw
table 'a counter' counter.txt profile "$store" 1 --metric PAPI_L2_DCM
table 'MPI time' mpi_time.txt profile "$store" 1 --metric 'MPI TIME'
shows 'a trial that was cut off, and contradicts itself' cut.txt profile "$store"
table 'the greatest only' top.txt profile "$store" 1 --flat --top 1 --wide
shows 'trials' trials.txt trials "$store"

try "$PORTOLAN" profile "$store" 1 --flat --method frob
gives 'a pattern that no method is like is told' 0 "^no method matches 'frob'$"
cp "$store" "$work/alone.db"
sqlite3 "$work/alone.db" 'DELETE FROM call_piece WHERE node_rank = 3'
try "$PORTOLAN" profile "$work/alone.db" 1 --rank 3
gives 'so is a rank of which only the statistics are stored' 0 '^nothing is stored of this rank$'

# The same from the summary and from the samples, and the sums that the samples have.
json 'all numbers as JSON' "d['portolan'] == 'profile' and d['version'] == 1 and len(d['nodes']) == 4
     and sum(n['exclusive_ns']['sum'] for n in d['nodes']) == 4 * 1430000" profile "$store" 1
cp "$work/out" "$work/summary"
sqlite3 "$store" "SELECT sum(exclusive) FROM sample WHERE trial = 1" >"$work/sum"
json 'their sum is what SQL says' "sum(n['exclusive_ns']['sum'] for n in d['nodes']) ==
     float(open('$work/sum').read())" profile "$store" 1
json 'with the values of each rank' "len(d['locations']) == 14 and d['portolan'] == 'flat profile'
     and sum(c['calls'] for c in d['locations']) == sum(n['calls']['sum'] for n in d['nodes'])" \
    profile "$store" 1 --ranks
json 'estimates beside raw values' "[n['estimated']['inclusive_ns']['value'] == 10 * n['inclusive_ns']['sum']
     for n in d['nodes'] if n['sampled']] == [True]" profile "$store" 1
json 'the matrix as JSON' "sum(r['bytes'] for r in d['rows'] if r['partner'] >= 0) == 64000" \
    profile "$store" 1 --matrix
json 'events as JSON' "[e['path'] for e in d['events'] if e['name'] == 'iterations'] ==
     ['driver.go => solver.solve']" profile "$store" 1 --events
json 'calls as JSON' "len(d['rows']) == 12 and d['rows'][9]['inclusive_ns'] == 700000" \
    profile "$store" 1 --rows --top 0
json 'trials as JSON' "[t['outcome'] for t in d['trials']] == ['finished', 'running']" \
    trials "$store"

try "$PORTOLAN" profile "$store" 'driver.n=64&outcome:finished'
gives 'trials by what they were' 0 '^trial 1 of .plate.'
try "$PORTOLAN" profile "$store" --trial plate
gives 'the newest of a name' 0 '^trial 2 of .plate.'
try "$PORTOLAN" profile "$store" 7
gives 'a trial that is not there' 1 "no trial matches '7'"
cp "$store" "$work/portolan.db"
try env -C "$work" "$PORTOLAN" profile 1
gives 'a number alone is a trial of the usual store' 0 '^trial 1 of .plate.'
try "$PORTOLAN" profile "$store" 1 --rank 4
gives 'a rank that is not there' 1 'trial 1 has no rank 4, its ranks are 0 to 3'
try "$PORTOLAN" profile "$store" 1 --metric PAPI_NONE
gives 'a metric that is not there' 1 "no metric 'PAPI_NONE'; it has: TIME, MPI TIME, PAPI_L2_DCM"
try "$PORTOLAN" profile "$store" 1 --sort size
gives 'an order that is not there' 1 "cannot sort by 'size'; the keys are: inclusive"
try "$PORTOLAN" profile "$store" 2 --rows
gives 'rows that were not kept' 1 'has no rows of single calls' "parameter 'rows'"
try "$PORTOLAN" profile "$store" 1 --top many
gives 'a number that is none' 2 "--top needs a whole number, at least 0, not 'many'"
try "$PORTOLAN" profile "$work/none.db"
gives 'a store that is not there' 1 "none.db.*No such file"

try "$PORTOLAN" trials "$store" --label 1=base
gives 'trials get labels' 0 "^labelled trial 1 of 'plate' .*: base$"
try "$PORTOLAN" trials "$store" --where label:base --metadata 1
gives 'their facts' 0 '^parameter driver.n = 64$' '^host = brig$' '^label = base$'
count 'and no others' 1 '^trial'
"$PORTOLAN" trials "$store" --label "1=$(printf 'b\033]0;c\302\233d')" >"$work/labelled"
try "$PORTOLAN" profile "$store" 1
! grep -q "$(printf '\033')" "$work/out" && ! grep -q "$(printf '\302\233')" "$work/out"
result 'a label commands no terminal' $?
if command -v python3 >/dev/null; then
    status=0
    echo '- label = b \]0;c  d' | timeout 60 python3 "$SOURCE/tests/terminal.py" "$PORTOLAN" trials "$store" \
        --metadata 1 >"$work/out" 2>"$work/err" || status=$?
    result 'nor does a fact' "$status"
else
    result 'nor does a fact # SKIP no python3' 0
fi
"$PORTOLAN" trials "$store" --label 1=base >"$work/labelled"
try "$PORTOLAN" trials "$store" --where host=elsewhere
gives 'no trial is like that' 1 "no trial matches 'host=elsewhere'"
try "$PORTOLAN" trials "$store" --delete 2
gives 'trials are deleted, and it is said' 0 "^deleted trial 2 of 'plate' \(run\), 2006-09-28T13"
stored 'with all that was measured' '1|14' \
    'SELECT (SELECT count(*) FROM trial), (SELECT count(*) FROM sample) - 4'
try "$PORTOLAN" trials "$store" --migrate
gives 'a store of today needs no migration' 0 'is of today.s schema'

# Statistics over ranks tell nothing of who is who: thread 0 and thread 1 are on paths of their own.
"$EXPORT_STORE" "$work/threads.db" || exit 99
for view in --tree --flat; do
    try "$PORTOLAN" profile "$work/threads.db" 1 $view
    gives "$view: the threads of the rank that had most" 0 '^trial 1 .* 2 ranks x 2 threads'
done
