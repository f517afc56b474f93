#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program of short steps: groups of them are measured and decided on, and nothing is lost for it.
. "$(dirname "$0")/tap.sh"
plan 8

heat=$BUILD/examples/heat
cp "$heat"/plate.inp "$work"

# run NAME RANKS GROUP OPTION...: 5,000 steps on a small grid; GROUP: the Mastermind's parameter.
run() {
    store=$work/$1.db ranks=$2
    sed "/class=\"portolan.Mastermind\"/a <parameter name=\"group\" type=\"double\" value=\"$3\"/>" \
        "$heat/plate.xml" >"$work/plate.xml"
    shift 3
    try "$MPIEXEC" -n "$ranks" "$PORTOLAN" run --store="$store" --set=driver.n=6 \
        --set=driver.steps=5000 --set=driver.report=0 "$@" "$work/plate.xml"
}

calls="SELECT sum(calls) FROM sample WHERE instance = 'solver' AND method = 'setup' AND rank = 0"
pieces="SELECT count(DISTINCT step) < 1000 FROM sample"

run single 1 0 --explore=off
grep '^heat:' "$work/out" >"$work/single"
stored 'without groups each step is stored' 1 "SELECT count(DISTINCT step) >= 5000 FROM sample"
run grouped 1 0.01 --explore=off
grep '^heat:' "$work/out" | cmp -s - "$work/single"
result 'the program computes the same with groups' $?
stored 'each call is counted' 5000 "$calls"
stored 'few pieces are stored' 1 "$pieces"
stored 'the store says how many steps there were' 5000 \
    "SELECT value FROM primary_metadata WHERE name = 'steps'"
run ranks 2 0.01 --explore=off
gives 'two ranks agree on the groups' 0 '^heat: 5000 steps done'
stored 'and count each call' 5000 "$calls"
run exploring 1 0.01 --set=driver.steps=40000
gives 'alternatives are tried' 0 'optimizer: step [0-9]+: tries ' '^heat: 40000 steps done'
