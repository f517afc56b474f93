#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# portolan.Diagnosis: steps of a run are diagnosed while it runs. On ManualClock, on which each look at the clock
# takes 1 us: messages take time by their number, and nothing depends on the machine.
. "$(dirname "$0")/tap.sh"
plan 15

cd "$work" || exit 99
sed -e 's|<path dir="."/>|<path dir="'"$BUILD"'/examples/amr"/>|' -e '/portolan.BusyWork/d' \
    -e 's|class="portolan.Measurement"/>|class="portolan.ManualClock"><parameter name="tick" type="double" value="1e-6"/></instance>|' \
    -e 's|provider="work" provides="work"|provider="measurement" provides="work"|' \
    "$BUILD/examples/amr/amr.xml" >amr.xml

# run STORE OPTION...: amr on $ranks ranks.
ranks=2
run() {
    store=$1.db
    shift
    try "$MPIEXEC" -n $ranks "$PORTOLAN" run --store="$store" --set=driver.steps=12 --explore=off "$@" amr.xml
}

run bad
grep '^diagnosis' "$work/out" >first
gives 'blocks that are placed badly are found' 0 'steps 1 to 10: 1 intra-level contiguity in guard data' \
    'steps 1 to 10: 2 inter-level contiguity in restriction'
stored 'findings are stored with the trial' "data.tree|guard_data.intra_level" "SELECT instance || '.' || port || '|' || factor
    FROM finding WHERE number = 1"
stored 'so is which steps they are of' '1 10 problem' "SELECT first_step || ' ' || last_step || ' ' || verdict
    FROM diagnosis"
run again
grep '^diagnosis' "$work/out" | cmp -s first -
result 'the same run has the same findings' $?
run good --select=order=amr.Morton
gives 'along the curve there is no problem' 0 'steps 1 to 10: no problem found'
run often --set=diagnosis.steps=2 --set=diagnosis.repeat=4
gives 'windows repeat' 0 'steps 1 to 2: ' 'steps 5 to 6: ' 'steps 9 to 10: '
lacks 'and no others are recorded' 'steps (3|7|11) to'

# Mistakes: the simulation comes to its end.
ranks=1
run long --set=diagnosis.steps=20
gives 'a window longer than the run' 0 "warning: the run ended before step 21, .* 'steps' less than 20" '12 steps done'
run still --set=measurement.tick=0
gives 'a clock that stands still' 0 "this run is not diagnosed: the clock 'measurement' does not move .* 'tick'" \
    '12 steps done'
sed '/<paradigm/,/<\/paradigm>/d' amr.xml >none.xml
mv amr.xml kept.xml && cp none.xml amr.xml
run none
gives 'an assembly without a paradigm' 0 'this run is not diagnosed: .* write <paradigm name=' '12 steps done'
sed -e '/<monitor user="data"/d' kept.xml >amr.xml
run unseen
gives 'a part whose calls are not measured' 0 \
    "amr.xml:[0-9]+: calls of the part 'restriction.to_child' .* write <monitor user=.data. uses=.tree.?/>" '12 steps done'
sed -e 's/method="commToChild"/method="commToNobody"/' kept.xml >amr.xml
ranks=2
run unmatched
gives 'a part that nothing matches' 0 \
    "steps 1 to 10 were not diagnosed: amr.xml:[0-9]+: .*nothing in the run matches this part, 'restriction.to_child'" \
    'cannot tell' '12 steps done'
sed -e 's/remedies="intra_level"/remedies="intra_levle"/' -e 's/component="solve"/component="solvee"/' kept.xml >amr.xml
run misspelt
gives 'a factor that the paradigm has not' 0 \
    "this run is not diagnosed: .*amr.xml:[0-9]+: .* no (factor 'intra_levle'; did you mean 'intra_level|component 'solvee'; did you mean 'solve)'" \
    '12 steps done'
try "$PORTOLAN" diagnose -n 2 amr.xml
gives 'is told before anything runs, with all other mistakes' 1 \
    "amr.xml:[0-9]+: error: paradigm 'amr.prt.' has no factor 'intra_levle'; did you mean 'intra_level'" \
    "amr.xml:[0-9]+: error: paradigm 'amr.prt.' has no component 'solvee'; did you mean 'solve'"
cp kept.xml amr.xml
: >full
run full --set=diagnosis.trace=full/there
gives 'where nothing can be recorded' 0 'nothing is recorded: .*cannot make the folder full/there' '12 steps done'
