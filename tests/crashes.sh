#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A class that ends the process, in whatever way and call, does so once: the second and the third run
# on the same store end as the program as written would have ended. fault.Fast does what
# PORTOLAN_TEST_FAULT says, on the last rank. The clock is by hand: Slow takes 2 ms a step.
. "$(dirname "$0")/tap.sh"
plan 44

cd "$work" || exit 99
path=$work/plug:$BUILD/examples/paper
mkdir plug
cp "$BUILD"/tests/components/fault.*.xml "$BUILD/tests/components/faults.so" plug/
sed 's/name="steps" type="int" value="8"/name="steps" type="int" value="80"/' "$BUILD/tests/components/fault.xml" >fault.xml

run() {
    ranks=$1
    shift
    status=0
    timeout 60 "$MPIEXEC" -n "$ranks" "$PORTOLAN" run --store="$store" --path="$path" "$@" fault.xml \
        >out 2>err </dev/null || status=$?
}

veto() {
    try "$PORTOLAN" veto --store="$store" --path="$path" "$@" fault.xml
}

# crashes RANKS FAULT HOW OPTION...: run 1 ends early, runs 2 and 3 do not.
crashes() {
    ranks=$1 PORTOLAN_TEST_FAULT=$2 how=$3
    export PORTOLAN_TEST_FAULT
    shift 3
    store="$work/$ranks $PORTOLAN_TEST_FAULT.db"
    run "$ranks" "$@"
    early=$(grep -c '^step 79' out)
    right=$early
    for again in 2 3; do
        run "$ranks" "$@"
        [ "$status" = 0 ] && grep -q '^step 79 is stored' out || right=$again
    done
    [ "$early" = 0 ] && [ "$right" = 0 ]
    result "$PORTOLAN_TEST_FAULT on $ranks: runs 2 and 3 end as written" $?
    stored 'which they remain' 'failed|0.0
finished|160000000.0
finished|160000000.0' 'SELECT outcome, elapsed_ns FROM trial ORDER BY id'
    veto
    gives 'veto says what it was' 0 "^f=fault.Fast  $how, in trial 1\$"
    unset PORTOLAN_TEST_FAULT
}

by=', by f \[fault.Fast\]'
crashes 1 'segv 0' "(killed by signal 11 .* on rank 0|killed, or ended without a word) in step [0-9]+$by"
crashes 1 'segv 1' "(killed by signal 11 .* on rank 0|killed, or ended without a word) in step [0-9]+$by"
crashes 1 'abort 3' "killed by signal 6 .*$by"
crashes 1 'abort 50' "killed by signal 6 .*$by"
crashes 1 'exit 1' "exit\(0\) was called on rank 0 in step [0-9]+$by"
crashes 1 'exit 3' "exit\(0\) was called on rank 0 in step [0-9]+$by"
crashes 1 '_exit 1' "killed, or ended without a word in step [0-9]+$by"
crashes 1 'kill 1' "killed, or ended without a word in step [0-9]+$by"
crashes 2 'abort 1' "killed by signal 6 .* on rank 1 in step [0-9]+$by"
crashes 2 'abort 50' "killed by signal 6 .* on rank 1 in step [0-9]+$by"
crashes 2 '_exit 1' "killed, or ended without a word in step [0-9]+$by"
crashes 2 'hang 20' "a step reached its limit of 1 s on rank 1 in step [0-9]+$by" --step-timeout=1

store=$work/limit.db
PORTOLAN_TEST_FAULT='hang 2' run 1 --step-timeout=1
gives 'a step that reaches its limit is named, and ends the job' 4 \
    'rank 0: portolan: error: step [0-9]+ has taken 1 s, the limit, in evaluate of f \[fault.Fast\]'
veto
gives 'and is blamed' 0 '^f=fault.Fast  a step reached its limit of 1 s'
run 1
gives 'a run does not use it' 0 'f does not use fault.Fast, which ended trial 1'
veto --lift f=fault.Fast
gives 'the veto is lifted by hand' 0 'lifted'
run 1
gives 'then it is tried again' 0 'tries f fault.Slow -> fault.Fast'

store=$work/newer.db
PORTOLAN_TEST_FAULT='_exit 1' run 1
cp plug/faults.so newer.so
echo >>newer.so
mv newer.so plug/faults.so
run 1
gives 'or by another build of the plug-in' 0 'tries f fault.Slow -> fault.Fast'

# The program itself ends without a word, outside of any class that could be another.
store=$work/early.db
PORTOLAN_TEST_FAULT='exit 1' run 1 --select f=fault.Fast --fixed
veto
lacks 'what the user runs as it is written is not blamed for what nobody saw' 'kept: '
[ ! -e "$store.running" ]
result 'no note is left' $?
