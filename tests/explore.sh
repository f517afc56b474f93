#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A run that explores by itself, from an empty store: what it tells and stores, and what it never
# runs. Which solver is the quickest depends on the machine; nothing here does.
. "$(dirname "$0")/tap.sh"
plan 9

heat=$BUILD/examples/heat
cp "$heat"/plate.inp "$work"
sed 's/accuracy="1e-6"/accuracy="1e-10"/' "$heat/plate.xml" >"$work/plate.xml"

# run NAME OPTION...: heat on a small grid, with a store of that name.
run() {
    store=$work/$1.db
    shift
    try "$MPIEXEC" -n 2 "$PORTOLAN" run --store="$store" --set=driver.n=48 \
        --set=driver.steps=300 --set=driver.report=0 "$@" "$work/plate.xml"
}

run first --set=optimizer.explore.share=0.5
gives 'it explores, and says what that cost and found' 0 'optimizer: step [0-9]+: tries ' \
    'explored [1-9] alternatives? in [0-9]+ steps?, which cost .* of the run; 50 % allowed\): found '
# What is tried may be faster: then exploring costs less than nothing.
stored 'the cost is stored' 2 "SELECT count(*) FROM primary_metadata
    WHERE name = 'exploring' OR (name = 'exploring steps' AND value > 0)"
stored 'so is the decision for the next run' 1 "SELECT count(*) > 0 FROM decision
    WHERE reason LIKE 'best of % that were tried in this run'"
stored 'conjugate gradients cannot reach 1e-10, and never run' 0 "SELECT count(*) FROM component
    WHERE implementation = 'heat.ConjugateGradients'"
run first
# What the first run measured after its decision may speak for something else.
gives 'the next run starts with it' 0 'starts with .*decided in trial 1 |step 0: newer than the stored decision: '
stored 'and does not run them either' 0 "SELECT count(*) FROM component
    WHERE implementation = 'heat.ConjugateGradients'"

run off --set=optimizer.explore=false
lacks 'told not to, it tries nothing' 'tries|explored'
stored 'and stays as written' 1 "SELECT count(*) FROM component WHERE instance = 'solver'"
run wrong --set=optimizer.explore.share=2
gives 'a share is at most 1' 1 "parameter 'explore.share' is 2: want 0 to 1"
