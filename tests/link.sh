#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `portolan link` makes a program that does what `portolan run` does with the assembly, to the last
# number where time is exact, and that needs no file of Portolan's.
. "$(dirname "$0")/tap.sh"
plan 40

paper=$BUILD/examples/paper/paper.xml
heat=$BUILD/examples/heat
cd "$work" || exit 99
# Otherwise a run tells on stdout when it finds the cores busy and yields them.
export PORTOLAN_MPI_YIELD=always

# same NAME FILE FILE: they are alike, and not empty.
same() {
    diff "$2" "$3" | sed 's/^/# /'
    [ -s "$2" ] && cmp -s "$2" "$3"
    result "$1" $?
}

# outside COMMAND...: in an empty folder, with no way to find plug-ins.
outside() {
    rm -rf "$work/empty"
    mkdir "$work/empty"
    status=0
    (cd "$work/empty" && unset PORTOLAN_PATH && timeout 120 "$@") >"$work/out" 2>"$work/err" \
        </dev/null || status=$?
}

try "$PORTOLAN" link "$paper" -o exact
gives 'a program is made' 0 '^written: exact: 13 classes of 7 archives$'
[ -x exact ]
result 'it can be run' $?
# What is left of Portolan's would be loaded at the start, or asked for later.
ldd exact >out
lacks 'it needs none of our libraries' portolan
nm -D exact | grep -E ' dlm?open(@|$)' >out
lacks 'nothing of ours loads shared objects' dl
nm -D exact | grep -q ' sidl_Loader__externals$'
result 'classes of SIDL in it can be found by name' $?
LD_DEBUG=files ./exact --store=debug.db >said 2>debug
gives 'it runs as it stands, without measurements' 0
grep -E '\.so' debug | grep -E 'portolan|paper' >out
lacks 'and loads none of ours' .

# The 2006 paper's experiment on two ranks, with the same measurements.
try "$MPIEXEC" -n 2 "$PORTOLAN" measure --quiet --repeat=1 --budget=600 --store=run.db "$paper"
gives 'what was measured' 0
cp run.db linked.db
try "$MPIEXEC" -n 2 "$PORTOLAN" run --store=run.db "$paper"
gives 'portolan run' 0
cp out run.out
outside "$MPIEXEC" -n 2 "$work/exact" --store="$work/linked.db"
gives 'the program runs elsewhere, on two ranks' 0
sed -i '/mastermind: wall time/d' run.out out
same 'it says the same' run.out out
grep -c 'optimizer: step' out >seen
[ "$(cat seen)" = 5 ]
result 'it swaps, between alternatives that are all linked in' $?
for store in run linked; do
    sqlite3 $store.db "SELECT step, instance, from_implementation, to_implementation, outcome
        FROM swap WHERE trial = 16 ORDER BY id;
        SELECT elapsed_ns FROM trial WHERE id = 16;
        SELECT step, rank, user, uses, instance, implementation, method, calls, inclusive, exclusive
        FROM sample WHERE trial = 16 ORDER BY id" >$store.text
done
same 'its store holds the same, to the last number' run.text linked.text
try "$PORTOLAN" run --store=run.db --fixed --select=a=paper.A2 --set x=2 --set sequence= "$paper"
gives 'portolan run with settings' 0
outside "$work/exact" --store="$work/linked.db" --fixed --select=a=paper.A2 --set x=2 --set sequence=
gives 'the program takes the same settings' 0
for store in run linked; do
    sqlite3 $store.db 'SELECT purpose, elapsed_ns FROM trial WHERE id = 17' >$store.text
done
same 'to the same effect' run.text linked.text

# Real numerics, and files: that of the driver lies in the assembly's folder, so in the program's.
mkdir plate
cp "$heat/plate.inp" plate
sed 's/values="32 64 96 128"/values="12 18 24"/; s/value="128"/value="24"/
    s/name="steps" type="int" value="160"/name="steps" type="int" value="12"/
    s/value="40"/value="4"/' "$heat/plate.xml" >plate/plate.xml
try "$PORTOLAN" link plate/plate.xml -o plate/plate
gives 'heat conduction is linked' 0 '18 classes of 18 archives'
try "$MPIEXEC" -n 2 "$PORTOLAN" measure --quiet --repeat=1 --store=heat.db plate/plate.xml
gives 'and measured' 0
cp heat.db heat2.db
# What exploring and swaps in a run find depends on the machine's other work: only the choice from what is stored is compared.
try "$MPIEXEC" -n 2 "$PORTOLAN" run --explore=off --set optimizer.hysteresis=0.9 --store=heat.db plate/plate.xml
gives 'portolan run' 0 '12 steps done'
sed 's/: predicted.*//' out >run.out
outside "$MPIEXEC" -n 2 "$work/plate/plate" --explore=off --set optimizer.hysteresis=0.9 --store="$work/heat2.db"
gives 'the program' 0 '12 steps done'
sed 's/: predicted.*//' out >linked.out
sed -i '/mastermind: wall time/d' run.out linked.out
same 'computes and chooses the same, times aside' run.out linked.out
# Which short steps are stored together depends on how long they take.
for store in heat heat2; do
    sqlite3 $store.db "SELECT rank, instance, implementation, method, sum(calls) FROM sample
        WHERE trial = (SELECT max(id) FROM trial) GROUP BY 1, 2, 3, 4" >$store.text
done
same 'and stores the same calls' heat.text heat2.text
seen=$(sqlite3 heat2.db "SELECT sum(mpi) > 0 FROM sample
    WHERE trial = (SELECT max(id) FROM trial) AND instance = 'driver'")
[ "$seen" = 1 ]
result 'the time inside MPI is measured' $?

# Two components and Portolan have functions and variables of the same names.
try "$PORTOLAN" link "$BUILD/framework/link/test/names/names.xml" -o names
gives 'names in two archives do not clash' 0 '2 classes of 2 archives'
try ./names
gives 'and each component has its own' 0 '^go: 1 1 1111$'

# Errors: what is wrong, and nothing is left behind or lost.
try ./exact --bogus
gives 'the program knows its options' 2 "unrecognized option '--bogus'"
try ./exact other.xml
gives 'and has its assembly' 2 "the assembly is part of this program; remove the argument 'other.xml'"
try "$PORTOLAN" link "$paper"
gives 'the program must be named' 2 'name it with --output PROGRAM'
printf '#!ccaffeine bootstrap file.\n' >script.rc
try "$PORTOLAN" link script.rc -o kept
gives 'a script is no assembly' 1 'portolan convert script.rc'
echo precious >kept
try "$PORTOLAN" link --path "$BUILD/tests/components:$BUILD/examples/paper" "$BUILD/tests/components/fault.xml" \
    -o kept
gives 'a class without an archive' 1 \
    "fault.Driver.xml:[0-9]+: error: class 'fault.Driver': there is no archive .*/faults.a; make it"
try "$PORTOLAN" link "$paper" -o kept --class paper.E
gives 'a class that there is not' 1 "there is no class 'paper.E'; did you mean 'paper\.[A-D]"
try "$PORTOLAN" link "$paper" -o kept --archive "paper.C=$BUILD/components/swap_point/portolan_swap_point.a"
gives 'an archive without the class' 1 \
    'error: archive .*/portolan_swap_point.a does not define portolan_component_paper_C'
try "$PORTOLAN" link "$paper" -o kept --cc false
gives 'a compiler that fails' 1 "'false' failed"
try "$PORTOLAN" link "$paper" -o kept --cc "${CC:-cc}"
gives 'a compiler without MPI' 1 'a compiler that links MPI programs'
try "$PORTOLAN" link "$paper" -o kept -- -lportolan-has-no-such-library
gives 'a library that there is not' 1 'this machine lacks libportolan-has-no-such-library.so'
ls >out
[ "$(cat kept)" = precious ] && ! grep -q '\.new$' out
result 'then the old file stays, and no half of a new one' $?
cp "$paper" mine.xml
try "$PORTOLAN" link --path "$BUILD/examples/paper" mine.xml -o ./mine.xml
gives 'the assembly is not replaced by the program' 1 "'./mine.xml' is a file that the program is made of"
cmp -s "$paper" mine.xml
result 'and stays' $?
# Archives of all libraries are rare: either it is made and runs, or they are named.
status=0
"$PORTOLAN" link "$paper" -o whole --static --keep parts >out 2>err || status=$?
if [ "$status" = 0 ]; then
    try ./whole --store=whole.db
    gives 'a fully static program runs' 0
else
    gives 'a fully static program: what is missing is named' 1 '(static archives lib|static-libs|-static with -fsanitize)'
fi
grep -q portolan_program_main parts/main.c
result 'what was made on the way is kept when asked for' $?
