#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each trial of `measure` runs in a job of its own: whatever an alternative does to its processes,
# the outcome and the reason are stored, the other trials go on, and nothing that failed runs again.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/choice/study.sh"
# Sanitizers end processes in ways of their own: there only what they leave alone.
if [ -n "${PORTOLAN_SANITIZED:-}" ]; then plan 33; else plan 61; fi

# limited NAME SOLVERS [SECONDS]: a study at one point, whose trials may take so long.
limited() {
    study "$1" "$2" 'vary n 100'
    sed -i "s/<sweep budget=\"600\"/& timeout=\"${3:-600}\"/" "$assembly"
}

# reason NAME CLASS PATTERN: the only trial of the class failed so.
reason() {
    seen=$(sqlite3 "$store" "SELECT outcome || ': ' || m.value FROM trial t
        JOIN trial_implementation i ON i.trial = t.id AND i.value = 'choice.$2'
        JOIN primary_metadata m ON m.trial = t.id AND m.name = 'failure'")
    echo "$seen" | grep -Eqx "failed: $3" || echo "# stored: $seen"
    echo "$seen" | grep -Eqx "failed: $3"
    result "$1" $?
}

# faults HOW PATTERN HOW PATTERN [SECONDS]: two alternatives that end so, and one that works.
faults() {
    limited "$1$ranks" "Safe us=4
Fast us=1 dies=always by=$1
Slow us=1 dies=always by=$3
Good us=2" "${5:-600}"
    measure
    gives "$ranks rank(s): $1 and $3 do not end the session" 0 'measure: failed:.*' 'done: [0-9]+ trials'
    lacks 'nor does the launcher tell its tale' 'BAD TERMINATION'
    reason "$1 is stored" Fast "$2"
    reason "$3 is stored" Slow "$4"
    stored 'what works is measured' 'choice.Good|finished
choice.Safe|finished' "SELECT DISTINCT i.value, outcome FROM trial t
        JOIN trial_implementation i ON i.trial = t.id AND i.name = 'solver'
        WHERE outcome <> 'failed' ORDER BY 1"
    measure
    gives 'a second start runs nothing' 0 'nothing to do: .*0 new trials'
    optimize n=100
    chooses 'and the rest is what is chosen from' Good 'not choice.Fast: ' 'not choice.Slow: '
}

# Within this memory MPI starts.
printf '#!/bin/sh\nulimit -v 4000000\nexec "%s" "$@"\n' "$PORTOLAN" >small && chmod +x small
plain=$PORTOLAN

for ranks in 1 2; do
    faults abort 'a process ended by .*Aborted.*' \
        exit 'its processes ended, with status 0, before the run was over.*'
    [ -z "${PORTOLAN_SANITIZED:-}" ] || continue
    faults segv 'a process ended by .*Segmentation fault.*' \
        hang 'still running at its limit of 5 s.*' 5
    PORTOLAN=$work/small
    # Of two ranks that end at the same moment MPICH's mpiexec may return 1 instead of their 3.
    faults _exit 'its processes ended with status [13]( .*)?' grow 'a process ended by .*Aborted.*'
    PORTOLAN=$plain
done
ranks=1

limited slow 'Safe us=4
Fast us=1 dies=always by=hang' 0
measure
gives 'without a stated limit there is one' 0 'failed: still running at its limit of 1[0-9.]+ s'

# What runs again, and what does not.
limited lifted 'Safe us=4
Fast us=1 dies=always by=abort'
measure
gives 'one of two fails' 0 'failed: '
portolan veto --lift=solver=choice.Fast
measure
gives 'a lifted veto has it run again, and its failure is not that of the session' 0 'failed: '
stored 'once' 2 "SELECT count(*) FROM trial WHERE outcome = 'failed'"
measure --all-fixed
gives 'as fixed assemblies they run once' 0 'failed: ' 'done: 2 fixed'
measure --all-fixed
gives 'also what failed' 0 'nothing to do'

mkdir more
sed 's/choice.Fast/choice.Gone/; s/choice.so/gone.so/' "$BUILD/tests/choice/choice.Fast.xml" >more/choice.Gone.xml
limited gone 'Safe us=4
Gone us=1'
measure --path=more --launcher='env OMP_NUM_THREADS=7'
gives 'what cannot be loaded does not end the session' 0 'failed: .*no shared object .*gone.so'
reason 'and is stored as failed' Gone '.*no shared object .*gone.so.*'
stored 'trials run below the stated launcher' 7 "SELECT DISTINCT value FROM primary_metadata m
    JOIN trial t ON t.id = m.trial AND outcome = 'finished' WHERE m.name = 'environment OMP_NUM_THREADS'"
measure --path=more
gives 'so that it does not run again' 0 'nothing to do'
measure --launcher=no_such_launcher --path=more --all-fixed
gives 'a launcher that is not there ends the session' 1 "cannot run 'no_such_launcher'"
measure --launcher=' ' --path=more
gives 'an empty one is wrong usage' 2 'launcher is empty'

# The batch system ends a session: its trial ends, too, and is as if it had not been.
for ranks in 1 2; do
    limited "stopped$ranks" 'Safe us=4
Fast us=1 dies=always by=hang'
    rm -f hanging
    mkfifo hanging
    launch=
    [ "$ranks" = 1 ] || launch="$MPIEXEC -n $ranks"
    # shellcheck disable=SC2086 # words
    $launch "$PORTOLAN" measure --store="$store" "$assembly" >out 2>err </dev/null &
    # shellcheck disable=SC2016 # the inner shell's
    timeout 100 sh -c 'exec 9<hanging && read -r _ <&9 && kill -TERM "$1" && cat <&9' - $! >rest
    told=$?
    result "$ranks rank(s): when a session is told to end, none of its processes stays" $told
    [ $told = 0 ] || kill -TERM $! 2>/dev/null # a second signal ends it at once
    status=0
    wait $! || status=$?
    [ "$ranks" = 2 ] || gives 'it ends by that signal' 143 'Terminated: 1 trials were stored before'
    stored 'what was measured before stays, what was under trial has not failed' finished \
        'SELECT DISTINCT outcome FROM trial'
done
ranks=1

# Ranks on several hosts: one of them is in a namespace where the host has another name, and must
# not use shared memory.
if unshare -r -u sh -c 'hostname elsewhere' 2>unshared; then
    limited spread 'Safe us=4
Fast us=1 fails=always'
    set -- "$PORTOLAN" measure --store="$store" "$assembly"
    # MPICH over TCP hangs in MPI_Finalize in some 2 % of such runs, of any program, where ranks share cores.
    TRY_SECONDS=40
    # shellcheck disable=SC2016 # the inner shell's
    try env UCX_TLS=tcp,self "$MPIEXEC" -n 1 "$@" : -n 1 unshare -r -u sh -c 'hostname elsewhere && exec "$@"' - "$@"
    [ "$status" != 124 ] || ! grep -q 'measure: done: 3 trials' "$work/err" || status=0
    unset TRY_SECONDS
    gives 'on several hosts trials run in the processes themselves' 0 'on 2 hosts.*--launcher' \
        'failed: .*choice.Fast cannot solve'
    stored 'and are stored' 'failed
finished' 'SELECT DISTINCT outcome FROM trial ORDER BY 1'
else
    result 'on several hosts trials run in the processes themselves # SKIP no namespaces' 0
    result 'and are stored # SKIP no namespaces' 0
fi
