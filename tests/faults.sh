#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two ranks, and something is wrong: one message with place, cause and remedy, the status that fits,
# nobody left hanging, nothing lost. tests/components/ fails on request, on the last rank.
. "$(dirname "$0")/tap.sh"
plan 73

components=$BUILD/tests/components
assembly=$components/fault.xml
# The clock is by hand: Slow takes 2 ms a step, Fast 1 ms; 8 steps.
store=$work/fault.db
cd "$work" || exit 99

# run OPTION...: two ranks; what one of them may wait for the others is seconds.
run() {
    status=0
    timeout 60 "$MPIEXEC" -n 2 "$PORTOLAN" run --store="$store" \
        --path="$components:$BUILD/examples/paper" "$@" >out 2>err </dev/null || status=$?
}

# fails NAME PATTERN...: exit status 1, and one message that has each pattern.
fails() {
    name=$1
    shift
    gives "$name" 1 "$@"
    count 'one message' 1 'error: '
}

# with CLASS: the assembly, f being of that class alone.
with() {
    sed "s/class=\"fault.Slow\"/class=\"$1\"/; /<alternative/d; /user=\"f\" uses=\"work\"/d" \
        "$assembly" >"$1.xml"
    echo "$1.xml"
}

run "$(with fault.Missing)"
fails 'a shared object that is not there' "fault.Missing.xml:7: instance 'f' \(class fault.Missing\)" \
    'there is no shared object .*no_such_file.so; build or install it'
run "$(with fault.Text)"
fails 'a file that is no shared object' "fault.Text.xml:7: instance 'f'" 'cannot load .*; rebuild it'
run "$(with fault.Foreign)"
fails 'a foreign shared object' "fault.Foreign.xml:7: instance 'f'" \
    "foreign.so is no Portolan component .* exports no 'portolan_component_fault_Foreign'; export"
run "$(with fault.OldAbi)"
fails 'a component of another ABI' "fault.OldAbi.xml:7: instance 'f'" \
    'built for component ABI [0-9]+, but this Portolan has [0-9]+; rebuild it'
PORTOLAN_TEST_FAULT=start
export PORTOLAN_TEST_FAULT
run --select f=fault.Fast "$assembly"
fails 'setServices fails on one rank' "rank 1: .*fault.xml:7: instance 'f' \(class fault.Fast\)" \
    'setServices failed: fault.Fast: setServices was to fail'
unset PORTOLAN_TEST_FAULT
run --set driver.fault=stuck "$assembly"
fails 'go fails on one rank, the other waits for it' 'rank 1: fault.Driver: go was to fail'

status=0
timeout 60 "$MPIEXEC" -n 1 "$PORTOLAN" run --path="$components:$BUILD/examples/paper" "$assembly" : \
    -n 1 "$PORTOLAN" run --path="$components:$BUILD/examples/paper" --set driver.x=2 "$assembly" \
    >out 2>err </dev/null || status=$?
fails 'ranks with different assemblies' 'fault.xml: the ranks were given different assemblies; start all'

status=0
timeout 60 "$MPIEXEC" -n 1 "$PORTOLAN" run --path="$components:$BUILD/examples/paper" "$assembly" : \
    -n 1 "$PORTOLAN" measure --repeat=1 --path="$components:$BUILD/examples/paper" "$assembly" \
    >out 2>err </dev/null || status=$?
fails 'ranks with different commands' 'the ranks were started with different commands; start all'
status=0
timeout 60 "$MPIEXEC" -n 1 "$PORTOLAN" run --path="$components:$BUILD/examples/paper" "$assembly" : \
    -n 1 "$PORTOLAN" run --frob "$assembly" >out 2>err </dev/null || status=$?
# mpiexec ends with the option's status or with that of the rank it then kills; 124 is a hang.
case $status in 0 | 124) ;; *) status=ended ;; esac
gives 'one rank with a wrong option leaves nobody hanging' ended

kept=$store
store=$work/text.db
echo 'not a data base, but somebody needs it' | tee text.db >text.before
run "$assembly"
fails 'a store that is a text' "rank 0: .*instance 'mastermind'" \
    "store '$store': is not an SQLite database; move it away or name another"
cmp -s text.db text.before
result 'which stays as it was' $?
store=$work/foreign.db
sqlite3 foreign.db 'CREATE TABLE songs(title); INSERT INTO songs VALUES (1)'
cp foreign.db foreign.before
run "$assembly"
fails 'a data base of somebody else' "store '$store': is an SQLite database, but not an experiment store"
cmp -s foreign.db foreign.before
result 'which stays as it was' $?
store=$work/nowhere/fault.db
run "$assembly"
fails 'a store in a folder that is not there' "store '$store': cannot be opened: No such file" \
    'create its folder, or name another file'
store=$work/folder.db
mkdir folder.db
run "$assembly"
fails 'a folder in place of a store' "store '$store': cannot be opened: Is a directory"
store=$work/absent.db
try "$PORTOLAN" profile --store="$store" --path="$components:$BUILD/examples/paper" "$assembly"
gives 'to look into a store that is not there' 1 "store '$store': cannot be read: No such file or directory; \`portolan measure\` and \`run\` make it"
[ ! -e absent.db ]
result 'does not make one' $?
store=$kept

if command -v "mpiexec.$other_mpi" >/dev/null; then
    try env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        OMPI_MCA_rmaps_base_oversubscribe=1 "mpiexec.$other_mpi" -n 2 "$PORTOLAN" run "$assembly"
    gives "started by another MPI's mpiexec" 1 'built with ' "start it with: mpiexec.$MPI"
else
    result "started by another MPI's mpiexec # SKIP there is none" 0
fi
# What tells is the environment that it leaves.
try env "$other_mpi_rank=0" "$other_mpi_size=2" "$PORTOLAN" run "$assembly"
gives 'one process of such a job' 1 "$other_mpi_name"

# Swaps to what does not work. First both are measured, while they do.
status=0
timeout 120 "$MPIEXEC" -n 2 "$PORTOLAN" measure --quiet --repeat=1 --store="$store" \
    --path="$components:$BUILD/examples/paper" "$assembly" >out 2>err </dev/null || status=$?
gives 'both alternatives are measured' 0

PORTOLAN_TEST_FAULT=start run "$assembly"
gives 'a swap to what fails in setServices: the run finishes' 0 'step 7 is stored' \
    'warning: step 0: f keeps fault.Slow, fault.Fast did not start: rank 1: .*was to fail'
stored 'the old implementation went on' 'finished|16000000.0' \
    'SELECT outcome, elapsed_ns FROM trial ORDER BY id DESC LIMIT 1'
stored 'the store says so, and that it was tried once' \
    "0|f|fault.Slow|fault.Fast|kept: rank 1: instance 'f' (class fault.Fast): setServices failed: fault.Fast: setServices was to fail" \
    'SELECT step, instance, from_implementation, to_implementation, outcome FROM swap
     WHERE trial = (SELECT max(id) FROM trial)'

PORTOLAN_TEST_FAULT=call run "$assembly"
gives 'a swap to what fails at its first call: the run finishes' 0 'step 7 is stored' \
    'warning: step 0 failed with fault.Fast \(rank 1: fault.Fast: .*\): fault.Slow is back'
count 'each step is reported once' 8 '^step [0-9] is stored$'
# The first rank's Fast worked, 1 ms, before the step was done again: 1 + 8 2 ms.
stored 'the step was repeated with the old implementation' 'finished|17000000.0' \
    'SELECT outcome, elapsed_ns FROM trial ORDER BY id DESC LIMIT 1'
stored 'the store says that it was undone' \
    'done
undone: rank 1: fault.Fast: the first call was to fail' \
    'SELECT outcome FROM swap WHERE trial = (SELECT max(id) FROM trial) ORDER BY id'

stored 'the failed call is counted, and has no time' 'fault.Fast|1|1|1000000.0
fault.Slow|16|0|32000000.0' "SELECT implementation, sum(calls), sum(failed_calls), sum(inclusive)
    FROM sample WHERE trial = (SELECT max(id) FROM trial) AND instance = 'f' GROUP BY 1"

run "$assembly"
stored 'what failed is not used again' 'finished|16000000.0' \
    'SELECT outcome, elapsed_ns FROM trial ORDER BY id DESC LIMIT 1'
try "$PORTOLAN" veto --store="$store" --path="$components:$BUILD/examples/paper" "$assembly"
gives 'vetoes are listed' 0 'f=fault.Fast  evaluate\(x = 1\) failed in trial [0-9]+'
try "$PORTOLAN" veto --store="$store" --path="$components:$BUILD/examples/paper" \
    --lift f=fault.Fast "$assembly"
run "$assembly"
gives 'when it was mended it is swapped in' 0 'optimizer: step 0: .*fault.Fast'
stored 'and takes half the time' 'finished|8000000.0' \
    'SELECT outcome, elapsed_ns FROM trial ORDER BY id DESC LIMIT 1'

# A driver that gives up over it, with its go measured and not.
kept=$store
store=$work/failed.db
sed '/<monitor instance="driver" port="go"/d' "$assembly" >unmonitored.xml
for file in "$assembly" unmonitored.xml; do
    PORTOLAN_TEST_FAULT=call run --fixed --select f=fault.Fast "$file"
    fails 'a component that fails and a driver that gives up' 'step 0: rank 1: fault.Fast: .*was to fail'
    stored 'the trial has failed, and why is known' \
        'failed|fault.Driver: step 0: rank 1: fault.Fast: the first call was to fail' \
        "SELECT outcome, value FROM trial t JOIN primary_metadata m ON m.trial = t.id
         WHERE m.name = 'failure' ORDER BY t.id DESC LIMIT 1"
    stored 'the calls that came back are told from those that did not' '1|1|1000000.0' \
        "SELECT sum(calls), sum(failed_calls), sum(inclusive) FROM sample
         WHERE instance = 'f' AND trial = (SELECT max(id) FROM trial)"
done
stored 'the driver failed on both ranks' '0|2' "SELECT sum(calls), sum(failed_calls) FROM sample
    WHERE instance = 'driver' AND trial = 1"
try "$PORTOLAN" trials "$store"
gives 'trials says so' 0 'fault.* failed' 'trial 1 failed: fault.Driver: step 0: rank 1: .*to fail$'
try "$PORTOLAN" veto --store="$store" --path="$components:$BUILD/examples/paper" \
    --lift f=fault.Fast "$assembly"
gives 'a veto is lifted' 0 'lifted: earlier failures of f=fault.Fast no longer count'
stored 'which is stored' 'fault|f|fault.Fast|2' 'SELECT * FROM lifted_veto'
try "$PORTOLAN" veto --store="$store" --lift f=fault.Fats \
    --path="$components:$BUILD/examples/paper" "$assembly"
gives 'of what there is' 1 "fault.Fats"
store=$kept
try "$PORTOLAN" veto --store="$store" --path="$components:$BUILD/examples/paper" "$assembly"
gives 'what was lifted is no veto' 0 'no veto'

# Chance would take the only call of go once in a million times.
run --fixed --set mastermind.sample=1000000 "$assembly"
gives 'hardly any call is timed' 0 'step 7 is stored'
stored 'the time of the run is known nevertheless' 'finished|16000000.0' \
    'SELECT outcome, elapsed_ns FROM trial ORDER BY id DESC LIMIT 1'

# The disk fills while steps 2 and 3 are to be stored: two ranks' two samples and one row each.
store=$work/full.db
run --fixed --set driver.fault=full --set mastermind.rows=driver.function "$assembly"
gives 'a disk that is full for a while: the run goes on' 0 'step 7 is stored' \
    "warning: step 2 could not be stored; 4 samples and 2 rows of calls are lost: .*'$store': .*; the run continues" \
    'warning: the trial is incomplete in the store: steps not stored: 2 to 3; 8 samples and 4 rows'
count 'of losses in a row the first is told' 1 'the run continues'
stored 'all other steps are there, with their rows' '-1|0
0|2
1|2
4|2
5|2
6|2
7|2
8|0' 'SELECT s.number, count(i.id) FROM step s LEFT JOIN invocation i ON i.step = s.number
      GROUP BY s.number ORDER BY s.number'
stored 'the trial says which are missing' 'finished|2 to 3' \
    "SELECT t.outcome, m.value FROM trial t JOIN primary_metadata m ON m.trial = t.id WHERE m.name = 'steps not stored'"
stored 'and the store is sound' ok 'PRAGMA integrity_check'
try "$PORTOLAN" profile "$store"
gives 'the profile knows the time of all steps, and says so' 0 'note: steps not stored: 2 to 3' \
    'f.evaluate \[fault.Slow\] +16 +16.000'

store=$work/filled.db
run --fixed --set driver.fault=filled --set mastermind.rows=driver.function "$assembly"
gives 'a disk that stays full: the run comes to its end' 0 'step 7 is stored' \
    'the trial is incomplete in the store: steps not stored: 2 to 8; 26 samples and 12 rows'
stored 'what was stored before is there' '-1
0
1' 'SELECT number FROM step ORDER BY number'
stored 'the trial counts as cut off' running 'SELECT outcome FROM trial'
try "$PORTOLAN" profile "$store"
gives 'its profile is readable' 0 'f.evaluate \[fault.Slow\] +4 +4.000'

# Another process locks the store while step 2 is to be stored, for longer than anybody waits.
store=$work/locked.db
mkfifo here locked tried released lock answer
run --fixed --set driver.fault=locked --set mastermind.rows=driver.function "$assembly" &
job=$!
meet() {
    timeout 60 sh -c "echo >$1"
}
meet here
sqlite3 "$store" <lock >answer &
holder=$!
exec 7>lock 8<answer
printf '.timeout 20000\nBEGIN IMMEDIATE;\nSELECT 1;\n' >&7
read -r _ <&8
meet locked
meet tried
exec 7>&- 8<&-
wait $holder
meet released
wait $job
status=0
gives 'a store that somebody else has locked: the run goes on' 0 'step 7 is stored' \
    'warning: another process has locked the store: from step 2 on, steps are kept in memory'
lacks 'and nothing is lost' 'not stored'
stored 'what waited is there, with its rows' '-1|0
0|2
1|2
2|2
3|2
4|2
5|2
6|2
7|2
8|0' 'SELECT s.number, count(i.id) FROM step s LEFT JOIN invocation i ON i.step = s.number
      GROUP BY s.number ORDER BY s.number'
