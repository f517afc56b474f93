#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a running program measures is switched, from outside and exactly: the clock moves only when
# told, and commands are given between two steps, by a component that runs a script there.
#
# At x = 1 a step costs, in ms: A1 2, B1 1, C and D 0.01 each, so 3.02 in all.
. "$(dirname "$0")/tap.sh"
reader=$(cd "$(dirname "$0")" && pwd)/tau_profile.py
cd "$work" || exit 99
python3 -c '' || skip_all 'python3, which reads the profiles, is not installed'
plan 48

# The paper's assembly with the script in the place of the Optimizer.
sed -e "s#<path dir=\".\"/>#<path dir=\"$BUILD/examples/paper\"/><path dir=\"$BUILD/tests/components\"/>#" \
    -e "s#<instance name=\"optimizer\" class=\"portolan.Optimizer\"/>#<instance name=\"optimizer\" class=\"command.Step\"><parameter name=\"script\" type=\"string\" value=\"$work/script\"/></instance>#" \
    -e '/user="optimizer"/d' \
    "$BUILD/examples/paper/paper.xml" >paper.xml
control() {
    "$PORTOLAN" control "$work/ctl" "$@"
}

# A script's beginning: its step, where it runs, and the process that it belongs to.
cat >begin <<'END'
step=$1
cd "$work" || exit 1
control() {
    "$PORTOLAN" control "$work/ctl" "$@" >>answers 2>&1
}
# `system` may have put a shell in between.
parent=$PPID
case $(cat /proc/$parent/comm) in sh | dash | bash) parent=$(cut -d' ' -f4 /proc/$parent/stat) ;; esac
END
export work

# write_script: the script from standard input.
write_script() {
    cat begin - >script
    rm -rf answers profiles dumped ctl*
    mkdir profiles
}

# run RANKS OPTION...: eight steps at x = 1.
run() {
    ranks=$1
    shift
    store=$work/$ranks.db
    rm -f "$store"
    PROFILEDIR=profiles try "$MPIEXEC" -n "$ranks" "$PORTOLAN" run --fixed --store="$store" --set x=1 \
        --set sequence='' --control="$work/ctl" "$@" paper.xml
}

# reads NAME FOLDER PATTERN...: the profiles are as their readers need them, and have these rows.
reads() {
    name=$1 folder=$2
    shift 2
    try python3 "$reader" "$folder"
    gives "$name" 0 "$@"
}

for ranks in 1 2; do
    write_script <<'END'
case $step in
1) control off b.d ;;
2) control on '*' ;;
3) control 'profile driver.b; profile b.d' ;;
4) control dump "$work/dumped" ;;
5) control mastermind '*'; control ;;
esac
END
    run $ranks
    gives "$ranks rank(s): a run that is switched ends well" 0
    try cat answers
    gives 'commands are answered' 0 '^off b.d: 1 port$' '^profile driver.b: 1 port$' \
        '^dump: 1 profile written$' '^driver.a +paper.Function +mastermind +on$'
    [ $ranks = 1 ] || { ls ctl.reply.1 >out && grep -q 'status ok' ctl.reply.1; }
    result 'every rank answers' $?
    stored 'what is off is not stored, nor what is profiled' "0 $ranks
2 $ranks
5 $ranks
6 $ranks
7 $ranks" "SELECT step || ' ' || sum(calls) FROM sample WHERE instance = 'd' GROUP BY step"
    stored "what is left out counts as its caller's own time" "0 1000000.0
1 1010000.0
2 1000000.0" "SELECT step || ' ' || max(exclusive) FROM sample WHERE instance = 'b' AND step < 3
              GROUP BY step"
    stored 'and so along the whole path' '2 0.0
3 1010000.0
4 1010000.0
5 0.0' "SELECT step || ' ' || exclusive FROM sample WHERE instance = 'driver' AND rank = 0
        AND step BETWEEN 2 AND 5"
    stored 'no step loses time' '3020000.0' \
        "SELECT DISTINCT inclusive FROM sample WHERE instance = 'driver' AND step BETWEEN 0 AND 7"
    stored 'steps that were measured in part are marked' \
        "partial step 1|not everything was measured on $ranks of $ranks ranks
partial step 3|not everything was measured on $ranks of $ranks ranks
partial step 4|not everything was measured on $ranks of $ranks ranks" \
        "SELECT name, value FROM primary_metadata WHERE name LIKE 'partial%'"
    stored 'how long each port was left out is told' \
        'not always measured: b.d|left out 2 times, 0.00906 s in all
not always measured: driver.b|left out 1 time, 0.00604 s in all' \
        "SELECT name, value FROM primary_metadata WHERE name LIKE 'not always%'"
    try "$PORTOLAN" profile --pruned --store="$store" paper.xml
    last=$((ranks - 1))
    reads 'profiles are written at the end' profiles \
        "^TIME $last.0 paper.Function 2 2 2000 2020 b \(paper.B1\)::evaluate\(\)$" \
        "^TIME $last.0 TAU_CALLPATH 2 0 20 20 .TAU application => b \(paper.B1\)::evaluate\(\) => d" \
        "^TIME $last.0 TAU_PARAM 2 2 2000 2020 b \(paper.B1\)::evaluate\(\) \[ <x> = <1..1.25> \]$" \
        "^TIME $last.0 TAU_USER 1 2 22140 24160 .TAU application$" \
        "^TIME $last.0 fact Not always measured: driver.b = left out 1 time, 0.00906 s in all$"
    reads 'and when told' dumped "^TIME $last.0 paper.Function 1 1 1000 1010 b " \
        "^TIME $last.0 TAU_USER 1 1 11070 12080 .TAU application$"
done

# A port in the variant profile needs no Mastermind, and one that forwards has nobody's records.
sed -e '/<instance name="mastermind"/,/<\/instance>/d' -e '/user="mastermind"/d' \
    -e '/uses="mastermind"/d' -e 's#<monitor user="driver" uses="a"/>#<monitor user="driver" uses="a" variant="forward"/>#' \
    -e 's#\(<monitor .*[^d]"\)/>#\1 variant="profile"/>#' \
    -e 's# variant="forward" variant="profile"# variant="forward"#' paper.xml >alone.xml
write_script <<'END'
[ "$step" != 3 ] || control dump "$work/dumped"
END
try "$PORTOLAN" check alone.xml
gives 'an assembly that is only profiled needs no Mastermind' 1 'monitored, but no instance provides'
sed -i 's#<monitor user="b" uses="d"/>#<monitor user="b" uses="d" variant="profile"/>#' alone.xml
try "$PORTOLAN" check alone.xml
gives 'when all its ports say so' 0 'good'
PORTOLAN_PROFILE_DIR=profiles PROFILEDIR=elsewhere PORTOLAN_CONTROL=$work/ctl \
    try "$PORTOLAN" run --set x=1 --set sequence='' alone.xml
gives 'it runs' 0
reads 'and can be looked at meanwhile: go with what it has called so far' dumped \
    '^TIME 0.0 gov.cca.ports.GoPort 1 6 0 3060 driver \(paper.Driver\)::go\(\)$'
reads 'and leaves its profile where it is told' profiles \
    '^TIME 0.0 gov.cca.ports.GoPort 1 16 16000 24160 driver \(paper.Driver\)::go\(\)$'
grep -c 'a (paper' profiles/profile.0.0.0 >out
grep -qx 0 out
result 'without the port that forwards' $?
[ ! -e elsewhere ]
result 'PORTOLAN_PROFILE_DIR comes before PROFILEDIR' $?

# Mistakes are told to who made them, and nothing is obeyed.
write_script <<'END'
[ "$step" = 2 ] || exit 0
control 'forward *; profle driver.a; off'
echo $? >>answers
printf 'on driver.a\nuse driver.a other.so\n' >ctl.next
mv ctl.next ctl
until grep -q 'ctl:2: error' ctl.reply; do :; done
cat ctl.reply >>answers
END
run 1
gives 'mistakes do not end the run' 0
try cat answers
gives 'they are told with their lines' 0 \
    "^command:2: error: unknown command 'profle'; did you mean 'profile'\?$" \
    "^command:3: error: 'off': wrong number of arguments \(0\); write: off GLOB$" '^1$' \
    "^status error$" "ctl:2: error: no port with several implementations matches 'driver.a'$"
stored 'and nothing was obeyed' 8 "SELECT count(*) FROM sample WHERE instance = 'a'"
stored 'so that no step is partial' 0 "SELECT count(*) FROM primary_metadata WHERE name LIKE 'partial%'"

# A file that was there before is obeyed from the start, unless it was a command to others.
write_script <<'END'
END
echo 'forward driver.b # for good' >ctl
run 1
stored 'a file that is there is obeyed at the start' 0 "SELECT count(*) FROM sample WHERE instance = 'b'"
stored 'what it forbids is missed' 10 "SELECT count(*) FROM primary_metadata WHERE name LIKE 'partial%'"
printf '# request 1\noff *\n' >ctl
run 1
stored 'what portolan control wrote is for programs that run' 8 \
    "SELECT count(*) FROM sample WHERE instance = 'b'"

# Signals, the number of a process, and a folder that goes and comes.
write_script <<'END'
case $step in
1)
    kill -USR1 $parent
    until "$PORTOLAN" control $parent | grep -q 'driver.a .* off$'; do :; done
    ;;
2)
    kill -USR1 $parent
    until "$PORTOLAN" control $parent | grep -q 'driver.a .* on$'; do :; done
    control 'profile driver.a'
    ;;
4)
    kill -USR2 $parent
    until [ -s profiles/profile.0.0.0 ]; do :; done
    cp -r profiles dumped
    ;;
esac
END
run 1 --signal=USR1,USR2:dump
gives 'signals do not end the run' 0
stored 'a signal switches off and on' '0 1' \
    "SELECT DISTINCT step || ' ' || calls FROM sample WHERE instance = 'a' ORDER BY step"
reads 'another writes profiles' dumped '^TIME 0.0 paper.Function 2 0 4000 4000 a \(paper.A1\)'
reads 'which are written again at the end' profiles '^TIME 0.0 paper.Function 6 0 12000 12000 a '

# What was dumped before a kill stays.
write_script <<'END'
case $step in
2) control 'profile *' ;;
5) control dump && kill -9 $parent ;;
esac
END
run 1
[ "$status" != 0 ]
result 'a run that is killed fails' $?
reads 'what it had dumped is there' profiles '^TIME 0.0 paper.Function 3 0 6000 6000 a '

try "$PORTOLAN" control -t 0.1 "$work/ctl"
gives 'nobody answers' 1 "no program replies in '$work/ctl'"
try "$PORTOLAN" control -t 0.1 "$work/none/ctl"
gives 'a folder that is not there' 1 "none/ctl': No such file"
try "$PORTOLAN" control $$
gives 'a process that obeys nobody' 1 'accepts no commands'
try "$PORTOLAN" control
gives 'nobody named' 2 'control file'
try "$PORTOLAN" run --signal=KILL paper.xml
gives 'a signal that cannot be had' 1 "'KILL' is not a usable signal"
try "$PORTOLAN" run --control="$work/none/ctl" paper.xml
gives 'a control file in no folder' 1 'folder of control file'
