#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The experiment of the 2006 paper, section 5, on a clock that moves only when told: exact, on one
# rank and on two; and once with real work on the real clock.
#
# Per step the models cost, in ms: A1 2x, A2 x^2, B1 x^3, B2 2x^2, C and D 0.01. So below x = 2 A2
# with B1 is best, above it A1 with B2.
. "$(dirname "$0")/tap.sh"
plan 72

paper=$BUILD/examples/paper/paper.xml
busy=$BUILD/examples/paper/busy.xml
cd "$work" || exit 99

# has NAME PATTERN...: after a command that ended well.
has() {
    name=$1
    shift
    gives "$name" 0 "$@"
}

# The run of x = 1 1 3 3 1.5 4 1 1 starts from A1, B1 and takes, with 0.02 ms for C and D per step,
# 4 (1 + 1 + 0.02) + 2 (6 + 18 + 0.02) + (2.25 + 3.375 + 0.02) + (8 + 32 + 0.02) ms = 101.785 ms.
swaps='0|a|paper.A1|paper.A2|done
2|a|paper.A2|paper.A1|done
2|b|paper.B1|paper.B2|done
4|a|paper.A1|paper.A2|done
4|b|paper.B2|paper.B1|done
5|a|paper.A2|paper.A1|done
5|b|paper.B1|paper.B2|done
6|a|paper.A1|paper.A2|done
6|b|paper.B2|paper.B1|done'

try "$PORTOLAN" measure --repeat=0 "$paper"
gives 'no trial at all is no repetition' 2 "--repeat needs a number from 1 to 1000, not '0'"
try "$PORTOLAN" measure --budget=0 --store=none.db "$paper"
has 'without a budget nothing is begun' 'the budget does not allow 5 more trials' 'done: 0 trials'

for ranks in 1 2; do
    store=$work/$ranks.db

    try "$MPIEXEC" -n $ranks "$PORTOLAN" measure --repeat=1 --budget=600 --store="$store" "$paper"
    # One by one, not all pairs: 5 sizes, then A2 and B2 at each.
    has "$ranks rank(s): measures 15 trials" 'done: 15 trials' \
        '^measure: [0-9]+ cores? .*, idle [0-9]+ %, steal [0-9.]+ %' \
        '^measure: 15 settings measured 1 time each'
    try "$MPIEXEC" -n $ranks "$PORTOLAN" measure --repeat=1 --store="$store" "$paper"
    has 'measuring again finds that all is known' 'nothing to do'
    # 3 steps of (A1 8 + B1 64 + C and D 0.02) ms at x = 4.
    stored 'the time of a trial is exact' 216060000.0 \
        "SELECT t.elapsed_ns FROM trial t JOIN trial_parameter p ON p.trial = t.id
         WHERE p.name = 'driver.x' AND p.value = '4' ORDER BY t.id LIMIT 1"
    stored 'every rank has its samples' $ranks 'SELECT count(DISTINCT node_rank) FROM thread'

    try "$PORTOLAN" profile --prune --store="$store" "$paper" # an abbreviation
    has 'profile: A by call path, 24 of 216.06 ms' \
        '^  a.evaluate \[paper.A1\] +3 +24 ms +24 ms +0 ns +11.1 %$'
    has 'profile: B by call path' '^  b.evaluate \[paper.B1\] +3 +192 ms +192 ms +0 ns +88.9 %$'
    # D 0.03 of B's 192.03 ms; C 0.03 of 72.02 ms, the average of A 24, B 192.03 and C.
    has 'profile: D is pruned by rule 1' 'pruned, rule 1: children together 0.0156 % of parent < 10 %'
    has 'profile: C is pruned by rule 2' "pruned, rule 2: 0.0417 % of siblings' average < 10 %"
    grep -A1 '^    d.evaluate' "$work/out" | grep -q 'rule 1' &&
        grep -A1 '^  c.evaluate' "$work/out" | grep -q 'rule 2'
    result 'profile: the rules stand under D and C' $?

    try "$PORTOLAN" model --store="$store" "$paper"
    has 'the four models are found' 'paper.A1 +time +2e\+06 x ' 'paper.A2 +time +1e\+06 x\^2 ' \
        'paper.B1 +time +1e\+06 x\^3 ' 'paper.B2 +time +2e\+06 x\^2 '
    lacks 'what is pruned needs no model' '^driver.c|paper.C|paper.D'

    try "$PORTOLAN" optimize --store="$store" --set x=1 --set sequence= \
        --output=low.xml "$paper"
    # 8 steps of 1 + 1 + 0.02 ms.
    has 'x = 1: A2 and B1' '^  a +paper.A2$' '^  b +paper.B1  \(as written\)$' \
        '^predicted: +16.2 ms .*8 steps of 2.02 ms'
    try "$PORTOLAN" check low.xml
    has 'the assembly that is written is good' 'good: 9 instances'
    grep -q '<instance name="a" class="paper.A2">' low.xml &&
        grep -q '<instance name="b" class="paper.B1">' low.xml
    result 'and has the classes chosen' $?
    try "$PORTOLAN" optimize --store="$store" --set x=3 --set sequence= \
        --output=high.xml "$paper"
    has 'x = 3: A1 and B2' '^  a +paper.A1  \(as written\)$' '^  b +paper.B2$' \
        '^predicted: +192 ms .*8 steps of 24 ms'

    try "$PORTOLAN" optimize --store="$store" --output=none.xml "$paper"
    gives 'of a sequence that was never run it cannot tell' 3 \
        'cannot tell: never measured with the present driver.sequence'
    [ ! -e none.xml ]
    result 'and writes no assembly' $?

    # 1000 steps of 2.5^2 + 2 2.5^2 + 0.02 ms: between the sizes measured.
    try "$PORTOLAN" predict --store="$store" --select a=paper.A2 --select b=paper.B2 --set x=2.5 \
        --set sequence= --set steps=1000 "$paper"
    has 'predicts between the sizes measured' '^predicted: +18.8 s .*1000 steps of 18.8 ms'

    try "$MPIEXEC" -n $ranks "$PORTOLAN" run --store="$store" "$paper"
    has 'the run tells the step, the reason and the gain of a swap' \
        'step 2: a paper.A2 -> paper.A1, b paper.B1 -> paper.B2: predicted 24 ms instead of 36 ms'
    count 'it swaps each time x crosses 2' 5 'optimizer: step [0-9]+: '
    stored 'the store has every swap' "$swaps" \
        "SELECT step, instance, from_implementation, to_implementation, outcome
         FROM swap WHERE trial = 16 ORDER BY id"
    stored 'the run takes what the best assembly of each step takes' 101785000.0 \
        'SELECT elapsed_ns FROM trial WHERE id = 16'

    try "$MPIEXEC" -n $ranks "$PORTOLAN" run --store="$store" --fixed "$paper"
    lacks 'a fixed run does not swap' 'optimizer: step'
    # A1 2 (1+1+3+3+1.5+4+1+1) + B1 (4 + 27 + 27 + 3.375 + 64) + 8 0.02 = 31 + 125.375 + 0.16 ms.
    stored 'and takes what the assembly as written takes' 156535000.0 \
        'SELECT elapsed_ns FROM trial WHERE id = 17'
done

# Models as the paper had them, in files; one trial has the calls, at x = 1 alone. x varies in the
# run, which announces it: each step takes what was predicted for it.
models=$BUILD/examples/paper/models.xml
for ranks in 1 2; do
    store=$work/models$ranks.db
    try "$MPIEXEC" -n $ranks "$PORTOLAN" run --fixed --store="$store" --set sequence= \
        --set steps=2 "$models"
    has "$ranks rank(s), models in files: a trial at x = 1"
    lacks 'and the files are taken for models, not for components' 'passed over'
    try "$MPIEXEC" -n $ranks "$PORTOLAN" run --store="$store" "$models"
    has 'the run is told, and believes, what was not measured' \
        'step 2: a paper.A2 -> paper.A1, b paper.B1 -> paper.B2: predicted 24 ms instead of 36 ms'
    stored 'it swaps each time x crosses 2' "$swaps" \
        "SELECT step, instance, from_implementation, to_implementation, outcome
         FROM swap WHERE trial = 2 ORDER BY id"
    stored 'and takes what the best assembly of each step takes' 101785000.0 \
        'SELECT elapsed_ns FROM trial WHERE id = 2'
    stored 'the total that was predicted is that, and its interval is narrow' '101785000|1|1' \
        "SELECT printf('%.0f', sum(expected_ns)), sum(low_ns) <= t.elapsed_ns AND
             t.elapsed_ns <= sum(high_ns), sum(high_ns) < 1.1 * sum(low_ns)
         FROM expectation JOIN trial t ON t.id = trial WHERE trial = 2 AND path = ''"
    stored 'so is the sum that the report tells' 101785000 \
        "SELECT printf('%.0f', value) FROM primary_metadata
         WHERE trial = 2 AND name = 'predicted step by step'"
    stored 'so is that of each step' 8 "SELECT count(*) FROM expectation
        WHERE trial = 2 AND path = '' AND low_ns <= measured_ns AND measured_ns <= high_ns AND
            abs(measured_ns - expected_ns) < 1"
    try "$MPIEXEC" -n $ranks "$PORTOLAN" run --store="$store" --set mastermind.group=0.06 \
        --set sequence='1 1 1 1 1 1 1 1' "$models"
    stored 'each step of a group counts in it' '4|16160000' \
        "SELECT count(*), printf('%.0f', value)
         FROM expectation JOIN primary_metadata m ON m.trial = 3
         WHERE expectation.trial = 3 AND path = '' AND m.name = 'predicted step by step'"
done

# The real clock, the work real: bench/choices.sh looks whether times lead to the right choice.
try "$PORTOLAN" measure --repeat=1 --store=busy.db "$busy"
has 'busy work: it is measured' 'measure: done: '
for x in 1 4; do
    try "$PORTOLAN" optimize --store=busy.db --set x=$x --set sequence= "$busy"
    answered
    has "busy work: x = $x has a choice" '^  a  *paper.A[12]' '^  b  *paper.B[12]'
done
try "$PORTOLAN" run --store=busy.db "$busy"
has 'busy work: the run finishes'
