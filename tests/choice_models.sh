#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What was measured at a point is its prediction; models say what they do not know.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/choice/study.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'hundreds of processes, which run elsewhere with sanitizers'
plan 33

# n = 300 costs Fast 14 times what all others would make one expect.
study deviating 'Safe us=3
Fast us=1 slow=n=300 slower=14' 'vary n 100 200 300 400 500 600
set steps 4'
measure
for class in Safe Fast; do
    run --fixed solver=$class n=300
done
optimize n=300
# 4 steps of 3 us 300, and of 14 us 300.
chooses 'the choice follows the measurement' Safe 'choice.Fast +16.8 ms'
predicts 'which is the prediction' 3.6e-3 0.01
predict n=300 solver=Fast
gives 'predict knows it, too' 0
predicts 'to 1 %' 16.8e-3 0.01
for n in 200 400; do
    optimize n=$n
    chooses "n = $n, beside it, is as it was measured" Fast
    predicts 'to 1 %' $((n * 4))e-6 0.01
    lacks 'and nothing measured is left out' 'left out as too far off'
done
run n=300 solver=Fast
swaps 'a run leaves what is slow at this point' '0 Fast Safe'
run n=300
swaps 'and does not go there' ''

# Two points say nothing of a thousand times the size.
study far 'Safe us=4 exponent=2
Fast us=1 exponent=3' 'vary n 100 200
set steps 4'
measure
predict n=200000
gives 'far outside two points: cannot tell, and what to measure' 3 'cannot tell' \
    'measure|n=200000|n = 200000'
lacks 'no absurd number' '[0-9]{7,}|e\+1[0-9]'
optimize n=200000
gives 'nor is there a choice' 3 'cannot tell'
lacks 'no absurd number' '[0-9]{7,}|e\+1[0-9]'
predict n=150
gives 'between the points it can' 0
run n=200000
gives 'a run goes on, and says it' 0 'cannot tell|not known|never measured|outside'
swaps 'it stays with what is written' ''

# Laws that fall to nothing at n = 500: no model of them may go below.
study falling 'Safe us=-4 plus=2000
Fast us=-2 plus=1000' 'vary n 100 200 300 400
set steps 4'
measure
for n in 450 600 1000 4000 100000; do
    optimize n=$n
    case $status in 0 | 3) known=0 ;; *) known=1 ;; esac
    grep -Eq -- ' -[0-9.]+ (ns|us|ms|s|min)|between -' "$work/out" "$work/err" && known=1
    result "n = $n: no negative time" $known
done

# Points that scatter by a factor of three each way, both alike: nobody knows.
study scattered 'Safe us=1 spread=3
Fast us=1 spread=3' 'vary n 100 120 140 170 200 240 280 330 400 470 560
set steps 4'
measure
optimize n=260
case $status in 0 | 3) status=known ;; esac
gives 'a close call is named' known 'close|cannot tell'
gives 'with its probability' known '[0-9] ?%.*(best|fastest|right)|(best|fastest|right|probab).*[0-9] ?%'
gives 'and the command that would settle it' known 'portolan (measure|run) '
predict n=260
gives 'the interval shows the errors' 0
awk '/^predicted:/ { sub(/.*95 %: /, ""); split($0, x, / to |\)/); split(x[1], a, " ");
     split(x[2], b, " "); u["us"] = 1; u["ms"] = 1e3; u["s"] = 1e6; u["ns"] = 1e-3
     wide = b[1] * u[b[2]] >= 2 * a[1] * u[a[2]] } END { exit !wide }' "$work/out"
result 'it is wider than a factor of two' $?
# What is 30 times slower is no close call, wide as its model may be.
study apart 'Safe us=30 spread=3
Fast us=1 spread=3' 'vary n 100 120 140 170 200 240 280 330 400 470 560
set steps 4'
measure
optimize n=260
chooses 'what is far apart is told with confidence' Fast
lacks 'and is no close call' 'close'

# Exact laws: no doubt.
study exact 'Safe us=3
Fast us=1' 'vary n 100 200 300 400
set steps 4'
measure
optimize n=250
chooses 'exact laws are told with confidence' Fast
lacks 'and are no close call' 'close|cannot tell'
