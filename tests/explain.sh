#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a run decided, and why: `portolan explain`.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/choice/study.sh"
plan 24

explain() {
    try "$PORTOLAN" explain --store="$store" "$@"
}
# is_json NAME EXPRESSION: the last output is JSON, of which this Python expression holds.
is_json() {
    python3 -c "import json, sys; x = json.load(open('$work/out')); sys.exit(not ($2))" 2>"$work/err"
    result "$1" $?
}

# Per step with n = 200, on the clock that moves only when told: Safe 600 us, Fast 200 us.
study known 'Safe us=3
Fast us=1
Good us=2 wrong=always' 'vary n 100 200 400
set steps 4' 'accuracy="1e-6"'
measure
run n=200
gives 'a run swaps' 0
explain
gives 'its decisions, a line each' 0 "^run [0-9]+ of 'known' on 1 rank" \
    '^  1  step 0 +models +solver choice.Safe -> choice.Fast: predicted .* \[done\]' \
    '^4 of 4 predicted steps took as long as expected'
count 'there is one' 1 '^ +[0-9]+  step '
try "$PORTOLAN" profile "$store"
gives 'its profile says that it only began with what was swapped' 0 '^began with .*solver=choice.Safe' '\[choice.Fast\]'
explain 1
gives 'one whole' 0 '^decision 1 of run .*at step 0, 4 steps remain; asked by: models' \
    '^change: +solver choice.Safe -> choice.Fast' '^predicted: +800 us .*4 steps of 200 us each' \
    '^as before: +2.4 ms: 4 steps of 600 us each' '^binding: +accuracy' \
    '^choice: +the fastest of all with a chance of 100 %' '^rests on: +[0-9]+ trials' '^outcome: +done'
gives 'with alternatives' 0 '^  solver +choice.Fast$' '^ +a step takes 200 us .*; best with a chance of 100 %' \
    '^ +with choice.Safe +2.4 ms +[+]200 %' '^ +a step takes 600 us .*; best with a chance of 0 %' \
    '^ +not choice.Good: accuracy '
explain --why-not solver=choice.Safe
gives 'why not that one' 0 'a step takes +600 us .*chosen 200 us' \
    'at least 2.4 ms with it, 800 us with choice.Fast' 'a step below 200 us with it' \
    'run --fixed --select solver=choice.Safe .*--set driver.n=200 .*known.xml$'
explain --why-not solver=choice.Good
gives 'nor one that is not accurate' 0 'excluded +accuracy: ' 'chance of 0 %' \
    'would change +a less strict accuracy'
explain --why-not solver=choice.Fast
gives 'what was chosen' 0 '^solver=choice.Fast was chosen, by decision 1 at step 0'
explain --why-not solver=choice.None
gives 'what is not there' 1 "considered 'solver=choice.None'; the alternatives are: solver=choice.Fast"
explain 7
gives 'a decision that is not there' 1 'has no decision 7, it has 1'
explain --why-not solver
gives 'no class' 2 '--why-not needs INSTANCE=CLASS'
explain --json
is_json 'all as JSON' 'x["decisions"][0]["outcome"] == "done" and len(x["expectations"]) == 4'
is_json 'with exact numbers' 'abs([a["forced_ns"] for a in x["decisions"][0]["alternatives"]
    if a["chosen"]][0] / 8e5 - 1) < 1e-6'
explain --json --why-not solver=choice.Safe
is_json 'what would change it, too' 'abs(x["chosen_below_ns"] / 2e5 - 1) < 1e-6 and
    "--select solver=choice.Safe" in x["measure"]'

# The number of a decision after an assembly, and the run of the assembly.
try "$PORTOLAN" explain "$assembly" 1
gives 'of an assembly' 0 '^decision 1 of run'

# A second run starts with the first one's decision.
run n=200
explain
gives 'who asked: an earlier run' 0 '^  1  step 0 +store +starts with solver=choice.Fast'
explain --trial=1
gives 'a trial that explored decided nothing' 0 'no decision was made' 'no step was predicted'

# Each seventh call takes three times as long, which four steps do not show; on two ranks it is told once.
ranks=2
study spikes 'Safe us=3 every=7 factor=3
Fast us=4' 'vary n 100 200 400
set steps 4'
measure
run n=200 steps=12
explain
gives 'where models were wrong' 0 '^11 of 12 predicted steps' '1.8 ms instead of 600 us' \
    'driver.solver -> solver.solve \[choice.Safe\] +interference +1 time,'
explain --steps
gives 'in which step' 0 '^ +6 +600 us +1.8 ms +[+]200.0 %  interference'
stored 'each step is expected once' '12|12' "SELECT count(*), count(DISTINCT step) FROM expectation
    WHERE path = '' AND trial = (SELECT max(id) FROM trial)"

study contexts 'Safe us=3
Fast us=4' 'vary n 100 200 400
set steps 4
set list'
measure
run n=100 steps=4 list='100 100 400 400'
explain --steps
gives 'what is announced is expected' 0 '^4 of 4 predicted' '^ +2 +1.2 ms +1.2 ms +[+]0.0 %'

# Nothing was measured beforehand: what it tries is told with what it measured.
ranks=1
study empty 'Safe us=3
Fast us=1
Good us=2' 'vary n 100 200 400
set steps 4'
run n=200 steps=80
explain
gives 'a run without models' 0 '^  1  step 0 +models +runs as written, because nothing is known' \
    '^  2  step [0-9]+ +exploration +tries solver choice.Safe -> choice.Fast' \
    'goes back: solver choice.Good -> choice.Fast.*\[done\]'
explain --why-not solver=choice.Good
gives 'what it measured itself' 0 'asked by: exploration' 'a step takes +400 us .*chosen 200 us' \
    '; [1-9] measurements?$'
