#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Collectives and one-sided communication in virtual time: random ones give what MPICH gives, bit by
# bit, and on many ranks what each rank computes by itself.
. "$(dirname "$0")/tap.sh"
[ "$MPI" = mpich ] || skip_all "MPICH's binaries only"
[ -z "$PORTOLAN_SANITIZED" ] || skip_all 'ranks are folded'
plan 16

machine=$SOURCE/examples/clue/machines/gigabit.xml
for program in collectives groups one_sided; do
    mpicc.mpich -O1 -w "$SOURCE/clue/mpi/test/$program.c" -o "$work/$program" || exit 99
done

try_folded() {
    n=$1
    shift
    try "$PORTOLAN" clue run -m "$machine" --no-trial -n "$n" -- "$@"
}
# same NAME N PROGRAM ARGUMENT...
same() {
    name=$1 n=$2 program=$work/$3
    shift 3
    "$MPIEXEC" -n "$n" "$program" "$@" >"$work/real"
    try_folded "$n" "$program" "$@"
    grep -aE ' root [0-9]+: |, rank [0-9]+: ' "$work/out" >"$work/virtual"
    [ -s "$work/real" ] && cmp -s "$work/real" "$work/virtual"
    result "$name" $?
}
same '2 ranks: the same bits as with MPICH' 2 collectives 1 200
same '2 ranks: groups, neighbours, several at once' 2 groups
same '3 ranks: the same' 3 groups
same '2 ranks: one-sided, without copies of large data' 2 one_sided measure
gigabit=$machine machine=$SOURCE/examples/clue/machines/fast-ethernet.xml
same '5 ranks: the same where messages take long' 5 groups
machine=$gigabit
count 'no message of it is left' 0 '^mistake'
MPIR_CVAR_DEVICE_COLLECTIVES=none
export MPIR_CVAR_DEVICE_COLLECTIVES
same '4 ranks: the same bits as with MPICH' 4 collectives 3 40
unset MPIR_CVAR_DEVICE_COLLECTIVES

for n in 7 32; do
    try_folded $n "$work/collectives" $n 300
    grep -aq 'virtual time' "$work/err" "$work/out" || echo error >>"$work/err"
    count "$n ranks compute what each knows" 0 'wrong|error'
done

# Other languages: what they print is the same, line by line.
other_language() {
    if ! command -v "$2" >/dev/null || ! "$2" -O1 -w "$SOURCE/clue/mpi/test/$3" -o "$work/other" 2>/dev/null; then
        result "$1 # SKIP no compiler" 0
        return
    fi
    "$MPIEXEC" -n 2 "$work/other" >"$work/real"
    try "$PORTOLAN" clue run -m "$machine" --no-trial --quiet -n 2 -- "$work/other"
    cmp -s "$work/real" "$work/out"
    result "$1" $?
}
other_language Fortran mpifort.mpich fortran.f90
other_language C++ mpicxx.mpich cxx.cpp

cat >"$work/nodes.xml" <<'END'
<machine name="nodes" placement="by-cpu">
  <host name="node" count="8" cpus="4" receive="1us"/>
  <send from="*" to="*" k="1ns/B" d="1us"/>
  <transmission from="*" to="*" k="10ns/B" d="20us"/>
  <collectives>
    <bcast k="0.1ns/B" d="1us"/> <reduce k="0.1ns/B" d="1us"/>
    <allreduce k="0.1ns/B" d="2us"/> <barrier d="1us"/>
  </collectives>
</machine>
END
machine=$work/nodes.xml
try_folded 13 "$work/collectives" 13 300
grep -aq 'virtual time' "$work/err" "$work/out" || echo error >>"$work/err"
count 'over nodes, and in their shared memory' 0 'wrong|error'

# A rank by itself meets nobody.
cat >"$work/alone.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    double begin, sum, x = 1;
    MPI_Init(&argc, &argv);
    begin = MPI_Wtime();
    for (int i = 0; i < 20; i++) {
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
        MPI_Reduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_SELF);
        MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_SELF);
        MPI_Barrier(MPI_COMM_SELF);
    }
    printf("%g s\n", MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
END
mpicc.mpich -O1 "$work/alone.c" -o "$work/alone"
try "$PORTOLAN" clue run -m "$machine" --compute=none --no-trial -n 2 -- "$work/alone"
gives 'collectives of one rank take no time' 0 '^0 s$'

# Times are the same by the rules that MPICH's library holds: for shared memory, over nodes, flat.
strings -n 3 "$(ldconfig -p | sed -n 's/.*libmpich\.so\.12 .*=> //p' | head -1)" |
    grep '^{"collective=' >"$work/rules"
for i in 1 2 3; do sed -n "${i}p" "$work/rules" >"$work/rules$i"; done
virtual_time() {
    "$PORTOLAN" clue run --compute=none -m "$machine" --no-trial -n 13 -- "$work/collectives" 13 300 2>&1 |
        grep -a '^virtual time'
}
virtual_time >"$work/ours"
MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE=$work/rules1 \
    MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE=$work/rules2 \
    MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$work/rules3 virtual_time >"$work/theirs"
[ -s "$work/rules3" ] && [ -s "$work/ours" ] && cmp -s "$work/ours" "$work/theirs"
result "MPICH's rules, from its library, are ours" $?

# A file of the program's owner is obeyed; one that is not understood is named.
echo '{"collective=barrier":{"algorithm=MPIR_Barrier_intra_dissemination":{}},
       "collective=allreduce":{"algorithm=MPIR_Allreduce_intra_recursive_doubling":{}}}' >"$work/own"
MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$work/own virtual_time >"$work/theirs"
[ -s "$work/theirs" ] && ! cmp -s "$work/ours" "$work/theirs"
result 'rules of a file change times' $?
echo '{"collective=bcast":{"algorithm=MPIR_Bcast_intra_magic":{}}}' >"$work/own"
MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$work/own
export MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE
try_folded 2 "$work/one_sided"
gives 'a file of rules that is wrong' 1 "$work/own: unknown algorithm 'MPIR_Bcast_intra_magic'"
