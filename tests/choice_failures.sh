#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What fails is never chosen, nor run again: Fast throws for unsymmetric matrices, after a
# microsecond, which is less than any solver takes that works.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/choice/study.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'hundreds of processes, which run elsewhere with sanitizers'
plan 53

solvers='Safe us=4
Fast us=1 fails=unsymmetric
Good us=2'
sweep='vary n 100 200 400
vary symmetric 0 1
set steps 3'

for ranks in 1 2; do
    study "failing$ranks" "$solvers" "$sweep"
    measure
    gives "$ranks rank(s): measure ends well and tells the failure" 0 'choice.Fast cannot solve'
    stored 'trials that failed are stored as such' 'failed|0
finished|1' "SELECT DISTINCT outcome, s.value FROM trial
        JOIN trial_implementation i ON i.trial = trial.id AND i.value = 'choice.Fast'
        JOIN trial_parameter s ON s.trial = trial.id AND s.name = 'driver.symmetric'
        ORDER BY outcome"
    points 'what failed leaves out no other: Good is measured everywhere' 6 Good
    measure
    gives 'measuring again finds that all is known' 0 'nothing to do'

    optimize n=200 symmetric=0
    chooses 'where it failed it is not chosen, with the reason' Good \
        'not choice.Fast: .*(fail|cannot solve|did not work)'
    # 4 steps of 2 us 200.
    predicts 'and the prediction is of what works' 1.6e-3 0.01
    optimize n=300 symmetric=0
    chooses 'nor where only n is another' Good 'not choice.Fast: .*(fail|cannot solve|did not work)'
    optimize n=200 symmetric=1
    chooses 'it is where it works' Fast
    optimize n=300 symmetric=1
    chooses 'and between points where it works' Fast

    run n=200 symmetric=0
    gives 'a run ends well' 0
    swaps 'it swaps to what works' '0 Safe Good'
    run n=300 symmetric=0 solver=Fast
    gives 'a run that is started with what fails ends well' 0
    newest 'its trial is finished' finished outcome
    swaps 'for it was left before the first step' '0 Fast Good'
done
ranks=1

portolan veto
gives 'what failed is listed' 0 'choice.Fast.*(n=|n = )200'
portolan veto --lift=solver=choice.Fast
gives 'somebody says that it was mended' 0
optimize n=200 symmetric=0
lacks 'the failures do not count any more' 'cannot solve|failed'
measure
gives 'so that it is measured anew' 0 'choice.Fast cannot solve'
optimize n=200 symmetric=0
chooses 'and out again, for it was not' Good 'not choice.Fast: '

# know_symmetric NAME HANDLES: a store of symmetric matrices.
know_symmetric() {
    study "$1" "$solvers" 'vary n 200
vary symmetric 0 1'
    for class in Safe Fast Good; do
        run --fixed solver=$class n=200 handles="$2"
    done
}

know_symmetric handled true
run solver=Fast n=200 symmetric=0 handles=true
gives 'a driver that handles failures comes to its end' 0 'choice.Fast.* (failed|cannot solve)'
newest 'the trial is finished' finished outcome
stored 'the store has the step that failed, and that Fast was left' 1 \
    "SELECT count(*) FROM swap WHERE from_implementation = 'choice.Fast' AND step = 0
     AND trial = (SELECT max(id) FROM trial)"
run n=200 symmetric=0 handles=true
gives 'the next run ends well' 0
lacks 'and does not fail again' 'cannot solve'

know_symmetric unhandled false
run solver=Fast n=200 symmetric=0
gives 'a driver that does not handle failures fails' 1 "choice.Fast cannot solve 'm'"
newest 'and so does the trial' failed outcome
run n=200 symmetric=0
gives 'the next run ends well' 0
newest 'as does its trial' finished outcome
stored 'without a swap to what failed' 0 "SELECT count(*) FROM swap
    WHERE to_implementation = 'choice.Fast' AND trial = (SELECT max(id) FROM trial)"
run solver=Fast n=200 symmetric=0
gives 'and so does a run that is started with it' 0

# Slow says itself where it applies; what it is asked is known from the sweep, or from calls.
study asked 'Safe us=4
Slow us=1 fails=unsymmetric suits=symmetric' "$sweep"
measure
lacks 'what says that it does not apply is not tried there' 'cannot solve'
points 'elsewhere it is' 3 Slow
optimize n=200 symmetric=0
chooses 'nor chosen, with the reason' Safe \
    'not choice.Slow: .*does not apply here: its condition is its own query'
optimize n=300 symmetric=1
chooses 'where it applies it is' Slow

# Its process ends: nothing can be stored after that.
study dying 'Safe us=4
Fast us=1 dies=unsymmetric
Good us=2' "$sweep"
for attempt in 1 2 3 4 5 6 7 8 9 10 11 12; do
    measure
    [ "$status" != 0 ] || break
done
gives 'a trial that was cut off is not run for ever' 0 'done|nothing to do'
points 'all else is measured' 6 Good
optimize n=200 symmetric=0
chooses 'and what was cut off is not chosen' Good 'not choice.Fast: '

# Nothing works.
study hopeless 'Safe us=4 fails=always
Fast us=1 fails=always' "$sweep"
measure
refuses 'where nothing works, measuring says so' 'choice.Fast cannot solve' 'failed'
optimize n=200 symmetric=0
gives 'there is no choice' 3 'cannot tell.*failed'
