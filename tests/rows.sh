#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Single calls through generated proxies into the store, on a clock that moves only when told:
# parameters of the Mastermind, <monitor>'s attributes, and commands while it runs.
#
# At x a step costs, in ms: A1 2x, B1 x^3 and D 0.01 in it, C 0.01: 3.02 in all at x = 1.
. "$(dirname "$0")/tap.sh"
cd "$work" || exit 99
plan 36
export work

# The paper's assembly with a script in the place of the Optimizer.
sed -e "s#<path dir=\".\"/>#<path dir=\"$BUILD/examples/paper\"/><path dir=\"$BUILD/tests/components\"/>#" \
    -e "s#<instance name=\"optimizer\" class=\"portolan.Optimizer\"/>#<instance name=\"optimizer\" class=\"command.Step\"><parameter name=\"script\" type=\"string\" value=\"$work/script\"/></instance>#" \
    -e '/user="optimizer"/d' \
    "$BUILD/examples/paper/paper.xml" >paper.xml
echo : >script

# run NAME RANKS ASSEMBLY OPTION...: eight steps at x = 1 unless said otherwise.
run() {
    store=$work/$1.db ranks=$2 assembly=$3
    shift 3
    try "$MPIEXEC" -n "$ranks" "$PORTOLAN" run --quiet --fixed --store="$store" --set x=1 \
        --set sequence='' --control="$work/ctl" "$@" "$assembly"
    gives "$(basename "$store" .db): the run ends well" 0
}

run all 2 paper.xml --set mastermind.rows=all --set sequence='1 1 3 3 1.5 4 1 1'
# Σ x = 15.5, Σ x^3 = 125.375: go takes 31 + 125.375 + 16 · 0.01 ms, whatever steps it is stored in.
stored 'each call of both ranks has its row, with its own time' '0|a|8|2000000.0|8000000.0|31000000.0|31000000.0
0|b|8|1010000.0|64010000.0|125455000.0|125375000.0
0|c|8|10000.0|10000.0|80000.0|80000.0
0|d|8|10000.0|10000.0|80000.0|80000.0
0|driver|1|156535000.0|156535000.0|156535000.0|0.0
1|a|8|2000000.0|8000000.0|31000000.0|31000000.0
1|b|8|1010000.0|64010000.0|125455000.0|125375000.0
1|c|8|10000.0|10000.0|80000.0|80000.0
1|d|8|10000.0|10000.0|80000.0|80000.0
1|driver|1|156535000.0|156535000.0|156535000.0|0.0' \
    'SELECT rank, instance, count(*), min(inclusive), max(inclusive), sum(inclusive), sum(exclusive)
     FROM call GROUP BY rank, instance'
stored 'the call of go began before all steps, its sample has one call of all that time' \
    '0.0|156535000.0|156535000.0' \
    "SELECT (SELECT start FROM call WHERE instance = 'driver' AND rank = 1), minimum, maximum
     FROM sample WHERE instance = 'driver' AND rank = 1 AND calls = 1"
stored 'and the samples of all steps add up to it' '2|156535000.0' \
    "SELECT count(DISTINCT rank), sum(inclusive) / 2 FROM sample WHERE instance = 'driver'"
stored 'so says its summary' '156535000.0|156535000.0' \
    'SELECT one_minimum, one_maximum FROM summary ORDER BY inclusive DESC LIMIT 1'
# A1 begins each step; one at x takes 2x + x^3 + 0.02 ms.
stored 'contexts, steps, ordinals and starts are those of the call' 'x|1.0|0|0|0.0|2000000.0
x|1.0|1|1|3020000.0|2000000.0
x|3.0|2|0|6040000.0|6000000.0
x|3.0|3|1|39060000.0|6000000.0
x|1.5|4|0|72080000.0|3000000.0
x|4.0|5|0|78475000.0|8000000.0
x|1.0|6|2|150495000.0|2000000.0
x|1.0|7|3|153515000.0|2000000.0' \
    "SELECT context1_name, context1, step, ordinal, start, inclusive FROM call
     WHERE instance = 'a' AND rank = 1 ORDER BY start"
stored 'all are timed' 1 'SELECT DISTINCT one_in FROM call'
try "$PORTOLAN" profile --rows --rank=1 --sort=inclusive --top=1 all.db
gives 'the longest call is shown' 0 'driver.go' '157 ms|156.5'
try "$PORTOLAN" export --format chrome all.db
gives 'rows are exported' 0
count 'two ranks have 33 each' 66 '"ph": "X"'

run some 1 paper.xml --set mastermind.rows='driver.a, b.*'
stored 'only what matches has rows' 'a|8
d|8' 'SELECT instance, count(*) FROM call GROUP BY instance'

# One in sixteen of 800 calls, by chance; all of them are not timed once in 10^22 runs.
sed 's#<monitor user="driver" uses="a"/>#<monitor user="driver" uses="a" rows="yes" sample="16"/>#' \
    paper.xml >sampled.xml
run sampled 1 sampled.xml --set steps=800
stored 'every call is counted, those timed have a row each' '800|1|1|1' \
    "SELECT sum(calls), sum(timed_calls) BETWEEN 1 AND 799,
     sum(timed_calls) = (SELECT count(*) FROM call),
     sum(inclusive) = 2000000 * (SELECT count(*) FROM call) FROM sample WHERE instance = 'a'"
stored 'a row says what it stands for, and which call it is' '16|a|2000000.0|1|1' \
    'SELECT one_in, instance, max(inclusive), count(DISTINCT ordinal) = count(*),
     max(abs(start - 3020000 * ordinal)) < 1 FROM call'
stored 'others are timed all' '800|800' \
    "SELECT sum(calls), sum(timed_calls) FROM sample WHERE instance = 'b'"

# One in a million: one of 31 calls by chance in 30000 runs.
run parameter 1 paper.xml --set mastermind.sample=1000000
stored 'sampled calls are counted, and go is timed' 'a|8|0
b|8|0
c|8|0
d|8|0
driver|1|1' 'SELECT instance, sum(calls), sum(timed_calls) FROM sample GROUP BY instance'
stored 'the trial knows its time' 24160000.0 'SELECT elapsed_ns FROM trial'
run pattern 1 paper.xml --set mastermind.sample='*=1000000'
stored 'also where go is sampled, by the clock' '0|24160000.0' \
    "SELECT sum(timed_calls), (SELECT elapsed_ns FROM trial) FROM sample WHERE instance = 'driver'"

cat >script <<'END'
control() {
    "$PORTOLAN" control "$work/ctl" "$@" >>"$work/answers" 2>&1
}
case $1 in
2) control rows driver.a ;;
4) control norows driver.a ;;
5) control sample 1000000 driver.b; control ;;
END
echo esac >>script
export PORTOLAN
run switched 1 paper.xml
try cat answers
gives 'commands are answered' 0 'rows driver.a: 1 port' 'norows driver.a: 1 port' \
    'sample 1000000 driver.b: 1 port'
stored 'rows come from when they were asked for' 'a|2
a|3' 'SELECT instance, step FROM call ORDER BY step'
stored 'calls are timed until they are sampled' '8|5' \
    "SELECT sum(calls), sum(timed_calls) FROM sample WHERE instance = 'b'"
echo : >script

# Everything in one step, and room for few: what is lost is told to the last row.
sed '/uses="swap"/d' paper.xml >one.xml
run lost 1 one.xml --set steps=20000 --set mastermind.rows=all --set mastermind.rows.memory=1 \
    --set mastermind.rows.spill=0
stored 'rows that are there and rows that are lost are all calls' '80001|1|1' \
    "SELECT count(*) + (SELECT value FROM primary_metadata WHERE name = 'rows lost'),
     count(*) > 1000, (SELECT value FROM primary_metadata WHERE name = 'rows lost') > 1000 FROM call"
stored 'and totals have all of them' 20000 "SELECT sum(calls) FROM sample WHERE instance = 'a'"
try "$PORTOLAN" profile lost.db
gives 'profile says so' 0 'rows lost'

run summary 2 paper.xml --set mastermind.rows=all --set mastermind.detail=summary
stored 'detail=summary: samples and rows of rank 0 alone' '0|33
0|' 'SELECT rank, count(*) FROM call GROUP BY rank UNION ALL
    SELECT DISTINCT rank, NULL FROM sample'
stored 'but statistics over both ranks' '2|2.0|48320000.0' \
    'SELECT ranks, calls, inclusive FROM summary ORDER BY inclusive DESC LIMIT 1'

run idle 2 paper.xml --set mastermind.rows='heat.*,driver.a' --set mastermind.sample='[x]=2'
count 'patterns that match no port are told once' 1 \
    "no port matches 'heat[.][*]', '\[x\]'; ports are .*driver[.]a"
stored 'and kept with the trial' "no port matches 'heat.*', '[x]'" \
    "SELECT substr(value, 1, 31) FROM primary_metadata WHERE name = 'rows and sampling of nothing'"

if [ "$MPI" = openmpi ]; then
    result 'no folder for rows: what helps is said # SKIP Open MPI makes the folder' 0
else
    TMPDIR=$work/gone try "$PORTOLAN" run --quiet --store=tmp.db --set mastermind.rows=all paper.xml
    gives 'no folder for rows: what helps is said' 1 \
        'set TMPDIR to a folder that exists, or .*rows.spill=0'
fi
