#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Optimizer with a Diagnosis: from an empty store it finds the good placement of examples/amr in at most half of
# the trials that it needs without one, and does not end with a slower one. On ManualClock, as tests/diagnosis.sh;
# to place a block takes time, or the Optimizer would not try placements by itself.
. "$(dirname "$0")/tap.sh"
plan 15

cd "$work" || exit 99

# assembly FILE FIRST ALTERNATIVE...: amr with these placements; only Morton and Levels remedy something.
assembly() {
    file=$1 first=$2
    shift 2
    order="<instance name=\"order\" class=\"amr.$first\"><parameter name=\"work\" type=\"double\" value=\"7e-7\"/>"
    for name; do
        case $name in
        Morton) remedies=' remedies="inter_level intra_level balance_quality"' ;;
        Levels) remedies=' remedies="guard_data.intra_level"' ;;
        *) remedies= ;;
        esac
        order="$order<alternative class=\"amr.$name\"$remedies/>"
    done
    sed -e 's|<path dir="."/>|<path dir="'"$BUILD"'/examples/amr"/>|' -e '/portolan.BusyWork/d' \
        -e 's|class="portolan.Measurement"/>|class="portolan.ManualClock"><parameter name="tick" type="double" value="1e-6"/></instance>|' \
        -e 's|provider="work" provides="work"|provider="measurement" provides="work"|' \
        -e '/<instance name="order"/,/<\/instance>/c\'"$order</instance>" "$BUILD/examples/amr/amr.xml" >"$file"
    sed '/uses="diagnosis"/d' "$file" >"alone-$file"
}

# run STORE ASSEMBLY OPTION...: on $ranks ranks.
ranks=2
run() {
    store=$1.db file=$2
    shift 2
    try "$MPIEXEC" -n $ranks "$PORTOLAN" run --store="$store" --set=driver.steps=40 \
        --set=optimizer.explore.share=0.3 "$@" "$file"
}

# The trials that the last run made until it tried Morton's curve, or all of them.
count_trials() {
    grep -E 'step [0-9]+: tries ' "$work/out" | awk '{ n++ } /-> amr.Morton/ { exit } END { print n + 0 }'
}

# both FIRST ALTERNATIVE...: with a diagnosis and without, from that placement.
both() {
    assembly amr.xml "$@"
    run "alone-$1" alone-amr.xml
    without=$(count_trials)
    run "with-$1" amr.xml
    with=$(count_trials)
    gives "from $1: it tries what remedies a finding, and says so" 0 \
        "tries order amr.$1 -> amr.Morton: remedies .*, (at least )?[0-9.]+ % saved"
    [ "$with" -ge 1 ] && [ $((2 * with)) -le "$without" ]
    result "in at most half of the trials ($with of $without)" $?
    stored 'and does not end with a slower one' 1 "SELECT choice LIKE '%order=amr.Morton%' FROM reason
        ORDER BY number DESC LIMIT 1"
}

both Scattered Shuffled Strips Levels Morton
stored 'the finding is the stored reason' 1 "SELECT count(*) > 0 FROM reason
    WHERE reason LIKE 'tries order amr.Scattered -> amr.Morton: remedies %'"
both Shuffled Strips Levels Morton Scattered
both Strips Levels Shuffled Morton Scattered

# In 60 steps the front grows, leaves the mesh at step 40 and begins anew.
assembly amr.xml Scattered Shuffled Strips Levels Morton
run grows amr.xml --set=driver.steps=60
lacks 'what lost side by side does not come back while the work grows' 'amr.Morton -> amr.Scattered: (predicted|measured)'
assembly amr.xml Levels Strips Morton Shuffled Scattered
run falls amr.xml --set=driver.steps=60 --set=order.work=8e-7
gives 'slower ones are tried' 0 'step [0-9]+: tries order amr.Levels -> amr.Strips'
stored 'and not taken' 1 "SELECT choice LIKE '%order=amr.Levels%' FROM reason
    ORDER BY number DESC LIMIT 1"

assembly amr.xml Strips Shuffled Scattered Levels Morton
run skips amr.xml --set=optimizer.hysteresis=0.3
lacks 'what would gain less than the hysteresis is not tried' 'tries .*-> amr.Morton'
ranks=4
run four amr.xml --set=driver.steps=22
gives 'on four ranks, too' 0 'tries order amr.Strips -> amr.Morton: remedies '
