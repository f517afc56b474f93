#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# portolan diagnose: scenarios, whose causes are known to the digit; traces; programs as they are; mistakes.
. "$(dirname "$0")/tap.sh"
plan 30

cd "$work" || exit 99
# Rank 0 computes 3 ms longer than the others in each of 100 rounds of 10 ms: 3/13 of three ranks of four.
cat >uneven.txt <<'S'
ranks 4
repeat 100
    on 0
        compute 13ms
    else
        compute 10ms
    end
    sendrecv (rank+1)%size from (rank-1)%size tag 1 8
    sendrecv (rank-1)%size from (rank+1)%size tag 2 8
    allreduce 8
end
S
try "$PORTOLAN" diagnose uneven.txt
gives 'without a paradigm it tells who waited, and for whom' 0 '^uneven.txt: 4 ranks, 1.3 s' \
    'late sender' '17\.3 % +17\.3 % +0\.0 % +rank 0 in main'
try "$PORTOLAN" diagnose -p geometric uneven.txt
gives 'with one it names the cause first' 3 '^uneven.txt: paradigm geometric, 4 ranks, 1.3 s' \
    '^ +1 some pieces have more work +17\.3 % +1\.07 s +17\.3 %$'
try "$PORTOLAN" diagnose -p geometric --why 1 uneven.txt
gives 'and base, formula and samples of its numbers' 3 'run' '17\.3'
try "$PORTOLAN" diagnose -p geometric --json uneven.txt
python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(d["verdict"] != "problem" or round(1000 * d["findings"][0]["share"]) != 173)' "$work/out"
result 'the same as JSON' $?
sed 's/13ms/10ms/' uneven.txt >even.txt
try "$PORTOLAN" diagnose -p geometric even.txt
gives 'without the fault there is no finding' 0 'no problem'
try "$PORTOLAN" diagnose -p geometric even.txt
cp "$work/out" first
try "$PORTOLAN" diagnose -p geometric even.txt
cmp -s first "$work/out"
result 'the same trace gives the same bytes' $?
try "$PORTOLAN" diagnose -p geometric --threshold symptom=0.2 uneven.txt
gives 'a threshold can be set' 0

# Mistakes.
try "$PORTOLAN" diagnose -p geometrical uneven.txt
gives 'an unknown paradigm is told with the nearest one' 1 "geometrical.*geometric"
try "$PORTOLAN" diagnose -p geometric --threshold caus=1 uneven.txt
gives 'so is an unknown threshold' 1 "caus'.*cause"
sed 's/compute/compte/' uneven.txt >wrong.txt
try "$PORTOLAN" diagnose wrong.txt
gives 'mistakes of a scenario are told with their lines' 1 '^wrong.txt:4: ?.*compute' '^wrong.txt:6:'
printf 'ranks 2\ncompute 1ms/rank\n' >divided.txt
try "$PORTOLAN" diagnose divided.txt
gives 'a time that is no number' 1 '^divided.txt:2: ?.*divided by 0'
printf 'ranks 2\n' >empty.txt
try "$PORTOLAN" diagnose -p pipeline empty.txt
gives 'of a run without time no share is told' 4 'stages are idle is not known' 'unexplained is not known'
try "$PORTOLAN" diagnose -p pipeline --digits 7 even.txt
gives 'more digits than there are' 2 'from 0 to 6'
try "$PORTOLAN" diagnose nothing.otf2
gives 'a file that is not there' 1 'nothing.otf2'
try "$PORTOLAN" diagnose
gives 'wrong usage' 2 'diagnose what'
try "$PORTOLAN" diagnose -p geometric --tree svg
gives 'a form of tree that there is not' 2 'text or dot, not .svg'
try "$PORTOLAN" diagnose --tree text uneven.txt
gives 'a tree of no paradigm' 1 'tree needs a paradigm'
try "$PORTOLAN" diagnose -n 2 -- /bin/true
gives 'a program without MPI' 1 "nothing was recorded: '/bin/true' made no call of MPI"
try "$PORTOLAN" diagnose -- ./nothing-here
gives 'a program that is not there' 1 "nothing-here"
try "$PORTOLAN" diagnose -p no/file.xml uneven.txt
gives 'a declaration that is not there' 1 'no/file.xml'

mkdir known
{
    echo '(deffacts wide (paradigm (name wide))'
    seq 65 | sed 's/.*/(component (name c&) (tag &))/'
    echo '(event (name all) (expression "c1")))'
} >known/wide.clp
try "$PORTOLAN" diagnose -k known -p wide uneven.txt
gives 'more components than can be told apart' 1 "'wide' has 65 components; at most 64"

# Declarations.
cat >own.xml <<'X'
<paradigm name="own" is="geometric">
  <part component="compte" mpi="none"/>
</paradigm>
X
try "$PORTOLAN" diagnose -p own.xml uneven.txt
gives 'a part of no component' 1 'own.xml:2.*compte.*compute'
cat >nested.xml <<'X'
<paradigm name="nested" is="amr"><nest component="restriction" paradigm="prt"/></paradigm>
X
try "$PORTOLAN" diagnose -p ./nested.xml --tree text
gives 'a composition has the trees of both' 0 'from amr' 'from prt'

# A program as it is, without sanitizers. No time is asserted, only that all was seen.
"$MPICC" "$SOURCE/examples/patterns/farm.c" -o farm || exit 99
try "$PORTOLAN" diagnose --keep kept -n 2 -p master-worker -- ./farm tasks=20
[ "$status" = 0 ] || [ "$status" = 3 ] || [ "$status" = 4 ]
result 'a program is recorded and diagnosed' $?
gives 'its output is its own' "$status" '^20 tasks, sum 190' '^farm: paradigm master-worker, 2 ranks'
lacks 'all messages have partners' 'no partner'
try "$PORTOLAN" diagnose -p master-worker kept
gives 'its trace can be kept' "$status" 'kept: paradigm master-worker, 2 ranks'
try "$PORTOLAN" diagnose --keep kept -n 2 -p master-worker -- ./farm tasks=20
gives 'and is not mixed with that of another run' 1 'kept is not empty'

cat >leaves.c <<'C'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(0);
}
C
"$MPICC" leaves.c -o leaves || exit 99
try "$PORTOLAN" diagnose -n 1 -- ./leaves
gives 'a program that leaves without MPI_Finalize is told' 0 'a part of the trace is missing for 1 of 1 threads'
lacks 'and where nobody waited nobody is blamed' 'who made others wait'
