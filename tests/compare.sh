#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Comparisons of repeated trials as a gate: exit status 3 on a regression, and what is said.
. "$(dirname "$0")/tap.sh"
plan 24

golden=$(dirname "$0")/profile/golden
store=$work/repeat.db
"$GENERATE" "$store" repeat || exit 99

compare() {
    try "$PORTOLAN" compare --store="$store" "$@"
}

# same NAME FILE STATUS: the output is as it was.
same() {
    [ -z "${UPDATE-}" ] || cp "$work/out" "$golden/$2"
    diff "$golden/$2" "$work/out" | sed 's/^/# /'
    [ "$status" = "$3" ] && cmp -s "$golden/$2" "$work/out"
    result "$1" $?
}

compare label:base label:slow
same 'slower by 30 % in one method' slower.txt 3
gives 'is told with its interval' 3 '^REGRESSION: total takes 1.20' \
    '^REGRESSION: solver.solve takes 1.30' '^compiler +gcc 12.2.0 +gcc 13.1.0$'
compare label:slow label:base
gives 'the other way round it is no regression' 0 '^improvement: total takes 0.83'
lacks 'and nothing is one' REGRESSION
compare label:base label:same
same 'no change' same.txt 0
gives 'is said with the threshold' 0 '^total: no regression of more than 5 %$' \
    'A and B have the same parameters and metadata'
compare label:base label:slow --threshold 35
gives 'a threshold above the change' 0 'total: no regression of more than 35 %'
compare label:base label:slow --metric calls
gives 'the number of calls is the same' 0 '^ +solver.solve .* same$'
compare label:base label:slow --metric inclusive
gives 'inclusive time' 3 'REGRESSION: driver.go takes 1.20'
compare label:base label:slow --metric size
gives 'a metric that is not there' 1 \
    "no trial has a metric 'size'; the metrics are: exclusive, inclusive, mpi, calls, PAPI_L2_DCM"

compare 1 2
gives 'one trial each tells nothing' 0 '^cannot tell: 1 trial against 1; give at least 4 and 4$'
lacks 'which is not said to be no regression' 'no regression'
compare 1 2 --strict
gives 'and fails a strict gate' 1 '^cannot tell'
compare 1,4,7 2,5,8
gives 'nor do three' 0 '^cannot tell: 3 trials against 3; give at least 4 and 4$'
compare 1,4,7,10 2,5,8,11
gives 'four tell of the total, not of two call paths' 3 '^REGRESSION: total' \
    'call paths: cannot tell which changed: 2 are tested together; give at least 5 and 5 trials'

cp "$store" "$work/cut.db"
sqlite3 "$work/cut.db" "UPDATE trial SET outcome = 'running' WHERE id = 4;
    UPDATE trial SET outcome = 'failed' WHERE id = 7"
try "$PORTOLAN" compare --store="$work/cut.db" label:base label:same
gives 'trials that were cut off or failed are left out' 0 '^A: trials 1, 10, 13, 16 of' \
    '^portolan: note: trial 4 did not finish and is left out$' '^portolan: note: trial 7 did not'
try "$PORTOLAN" compare --store="$work/cut.db" 1,4,7 label:same
gives 'unless they are named' 0 '^A: trials 1, 4, 7 of' '^note: 2 of the trials of A did not finish'
cp "$store" "$work/other.db"
try "$PORTOLAN" compare "$store@label:base" "$work/other.db@label:slow"
gives 'sets of two stores' 3 '^REGRESSION: solver.solve takes 1.30'
compare label:base label:none
gives 'a set without trials' 1 "no trial matches 'label:none'"
compare 1-6
gives 'one set is wrong usage' 2 'name two sets'
compare 1-6 7-12 13-18
gives 'so are three' 2 "but '13-18' was also given"
compare label:base label:slow --threshold much
gives 'a threshold that is no number' 2 '--threshold needs a number'
compare label:base label:slow --json
[ "$status" = 3 ] && python3 -c "
import json, sys
d = json.load(open(sys.argv[1]))
p = d['paths'][1]
sys.exit(not (d['regression'] and d['portolan'] == 'comparison' and p['verdict'] == 'slower' and
              abs(p['p'] - 2 / 924) < 1e-12 and p['p_holm'] == 2 * p['p'] and
              len(p['a']) == 6 and d['differences'][0]['name'] == 'compiler'))" "$work/out"
result 'all numbers as JSON' $?
compare "$work/nofile.db@1" 2
gives 'a store that is not there is what is missing' 1 'nofile.db.*No such file'
