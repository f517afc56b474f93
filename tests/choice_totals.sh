#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Totals are sums: what happens every so often counts at its rate, and so do contexts to come.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/choice/study.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'hundreds of processes, which run elsewhere with sanitizers'
plan 18

# At n = 1000 Fast takes 1 ms, each 17th time 50 ms; Good always 2 ms, Safe 10 ms. A trial has three whole periods.
study recurring 'Safe us=10
Fast us=1 every=17 factor=50
Good us=2' 'vary n 500 1000
set steps 51'
measure
predict n=1000 steps=300 solver=Fast
gives 'each 17th call costs 50 times as much' 0
# 283 ms + 17 calls of 50 ms.
predicts 'and counts' 1.133 0.05
predict n=700 steps=300 solver=Fast
predicts 'and between sizes, in proportion' 0.7931 0.05
optimize n=1000 steps=300
chooses 'what is cheaper in total is chosen' Good
predicts 'for its time' 0.6 0.05
run --fixed n=1000 steps=300 solver=Fast
newest 'that is what Fast really takes' 1133000000.0 elapsed_ns
run n=1000 steps=300
newest 'and the run what Good does' 600000000.0 elapsed_ns

# Once: the first call costs 20 ms more.
study once 'Safe us=10
Fast us=1 first=20' 'vary n 500 1000
set steps 6'
measure
predict n=1000 steps=10 solver=Fast
predicts 'what happens once is in the prediction' 30e-3 0.05
optimize n=1000 steps=2
chooses 'few steps do not pay for it' Safe
optimize n=1000 steps=100
chooses 'many do' Fast

# n changes: 100 for two steps, then 400 for six; what is announced is one step ahead.
study changing 'Safe us=0.02 exponent=2
Fast us=4' 'vary n 50 100 150 300 400
set steps 4
set list'
measure
run steps=8 "list=100 100 400 400 400 400 400 400"
gives 'a run with contexts that change' 0
swaps 'swaps when they do' '2 Safe Fast'
# 2 steps of 0.2 ms and 6 of 1.6 ms.
newest 'and takes what the best of each step does' 10000000.0 elapsed_ns
report steps=8 "list=100 100 400 400 400 400 400 400"
gives 'the report says for which contexts the prediction was, or counts them' 0 \
    'announce|as seen|context|predicted +0\.010 s'
optimize steps=8 "list=100 100 400 400 400 400 400 400"
chooses 'contexts are taken as the run has seen them: 400 above all' Fast

# The example that was 0.016 predicted, 0.102 measured.
store=$work/paper.db assembly=$BUILD/examples/paper/paper.xml
measure
run
report
gives 'paper: the report says for which contexts it was, or counts them' 0 \
    'announce|as seen|context|predicted +0\.10[0-9] s'

# A run that is longer than its `steps` parameter says.
study longer 'Safe us=0.02 exponent=2
Fast us=4' 'vary n 50 100 150 300 400
set steps 4
set list
set more 0'
measure
run steps=4 more=8 \
    "list=100 100 100 100 100 100 400 400 400 400 400 400"
gives 'a run longer than it said ends well' 0
if sqlite3 "$store" "SELECT step FROM swap WHERE to_implementation = 'choice.Fast'
    AND trial = (SELECT max(id) FROM trial)" | grep -qx 6; then
    result 'it swaps after the last step, too, or says that it does not' 0
else
    gives 'it swaps after the last step, too, or says that it does not' 0 \
        'step 4|more steps|beyond|no longer|longer than'
fi
