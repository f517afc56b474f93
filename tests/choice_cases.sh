#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Cases: a matrix is a file with n and symmetric, not a point of a grid. The driver reads n and
# symmetric in the file, so that only its calls tell them.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/choice/study.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'hundreds of processes, which run elsewhere with sanitizers'
plan 39

# Files a1 … a12 with their n; every third is unsymmetric.
cases='<cases columns="driver.file n symmetric">'
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    symmetric=$((i % 3 != 0))
    echo "$((i * 100)) $symmetric" >a$i
    cases="$cases
<case values=\"a$i $((i * 100)) $symmetric\"/>"
done
cases="$cases
</cases>
set steps 3"
# Below n = 400 Good is the better one.
solvers='Safe us=4
Fast us=1 fails=unsymmetric ; symmetric = 1
Good us=0.0025 exponent=2'

study cases "$solvers" "$cases"
portolan check
gives 'an assembly with cases is good' 0 'good'
measure
gives 'measure runs each case' 0 'done' 'a12'
points 'with what applies everywhere' 12 Good
points 'and with what applies to some, there' 8 Fast
stored 'what does not apply is never tried' 0 \
    "SELECT count(*) FROM sample WHERE implementation = 'choice.Fast' AND context2 = 0"
stored 'and so nothing failed' 0 "SELECT count(*) FROM trial WHERE outcome <> 'finished'"
measure
gives 'measuring again finds that all is known' 0 'nothing to do'

optimize --case=a2
chooses 'a small case' Good
# 4 steps of 0.0025 us 200^2 = 100 us.
predicts 'with its time' 4e-4 0.01
optimize --case=a11
chooses 'a large one' Fast
optimize --case=a9
chooses 'one where it does not apply' Good 'not choice.Fast: .*(symmetric|appl)'
optimize --case=a12
chooses 'another one' Good 'not choice.Fast: .*(symmetric|appl)'
predict --case=a11 solver=Fast
gives 'predict understands cases' 0
predicts 'and their contexts' 4.4e-3 0.01
model
gives 'and so does model' 0 'choice.Good +time'
optimize --case=a99
gives 'a case that is not there' 1 'a99'
run file=a12
gives 'a run of a case' 0
stored 'never swaps to what does not apply' 0 \
    "SELECT count(*) FROM swap WHERE to_implementation = 'choice.Fast'
     AND trial = (SELECT max(id) FROM trial)"
run file=a11
swaps 'where it applies it is used' '0 Safe Fast'
# A file that was never measured: the calls of its first step tell what it is.
echo '1150 1' >b1
run file=b1
gives 'a run of a file never seen' 0
swaps 'is a choice by its first calls' '1 Safe Fast'
echo '1150 0' >b2
run file=b2
gives 'and of an unsymmetric one' 0
stored 'which never goes where Fast does not apply' 0 \
    "SELECT count(*) FROM swap WHERE to_implementation = 'choice.Fast'
     AND trial = (SELECT max(id) FROM trial)"

# The same from a file of comma separated values.
{
    echo 'driver.file,n,symmetric'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "a$i,$((i * 100)),$((i % 3 != 0))"; done
} >cases.csv
study listed "$solvers" '<cases file="cases.csv"/>
set steps 3'
measure
gives 'cases from a file' 0 'done' 'a12'
points 'are the same' 8 Fast
optimize --case=a9
chooses 'with the same choice' Good
printf 'driver.file,n,symmetric\na1,100\n' >cases.csv
portolan check
gives 'a line with a value too few' 1 'cases.csv:2: error'

# A vary of names.
study names 'Safe us=4
Fast us=1 slow=odd slower=10' 'vary file a1 a2 odd1 odd2
set steps 3'
echo '100 1' >odd1
echo '200 1' >odd2
portolan check
gives 'a vary of names is good' 0 'good'
measure
gives 'it is measured' 0 'done'
optimize file=a2
chooses 'and understood' Fast
optimize file=odd2
chooses 'name by name' Safe
predict file=odd2
gives 'by predict, too' 0
predicts 'with its time' 3.2e-3 0.01
model
gives 'and by model' 0 'choice.Fast +time'

# The same contexts, but times that differ by a factor of 100 in all: something is not told.
twins='<cases columns="driver.file n">'
for i in 1 2 3 4 5 6; do
    for twin in x y z; do
        echo "$((i * 100)) 1" >$twin$i
        twins="$twins
<case values=\"$twin$i $((i * 100))\"/>"
    done
done
study twins 'Safe us=1 spread=10
Fast us=1 spread=10' "$twins
</cases>
set steps 3"
measure
optimize --case=x3
gives 'contexts that do not explain the time are named' 0 'add a context' '[xyz][1-6]'
predicts 'a case that was measured is known nevertheless' \
    "$(sqlite3 "$store" "SELECT min(elapsed_ns) * 4 / 3e9 FROM trial t JOIN trial_parameter p
        ON p.trial = t.id AND p.name = 'driver.file' WHERE p.value = 'x3'")" 0.01

# What failed with one file, and nothing tells others from it: not tried there, but where it worked.
study untold 'Safe us=4
Fast us=1 fails=bad' 'vary file a1 bad
set steps 3'
echo '100 1' >bad
echo '100 1' >new
measure
gives 'a failure that nothing explains' 0 'cannot solve'
optimize file=a1
chooses 'where it worked it is chosen' Fast
optimize file=new
never 'a file never seen that looks like both' Fast
