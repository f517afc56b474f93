#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Collectives in virtual time: random ones give what MPICH gives, bit by bit, and on many ranks what
# each rank computes by itself; calls that do not agree are named.
. "$(dirname "$0")/tap.sh"
[ "$MPI" = mpich ] || skip_all "MPICH's binaries only"
[ -z "$PORTOLAN_SANITIZED" ] || skip_all 'ranks are folded'
plan 8

machine=$SOURCE/examples/clue/machines/gigabit.xml
mpicc.mpich -O1 "$SOURCE/clue/mpi/test/collectives.c" -o "$work/collectives" || exit 99
mpicc.mpich -g -O0 "$SOURCE/clue/mpi/test/mistakes.c" -o "$work/mistakes" || exit 99

try_folded() {
    n=$1
    shift
    try "$PORTOLAN" clue run -m "$machine" --no-trial -n "$n" -- "$@"
}
same() {
    "$MPIEXEC" -n "$2" "$work/collectives" "$3" "$4" >"$work/real"
    try_folded "$2" "$work/collectives" "$3" "$4"
    grep -a '^[0-9]* [a-z_]* .* root' "$work/out" >"$work/virtual"
    cmp -s "$work/real" "$work/virtual"
    result "$1" $?
}
same '2 ranks: the same bits as with MPICH' 2 1 300
MPIR_CVAR_DEVICE_COLLECTIVES=none
export MPIR_CVAR_DEVICE_COLLECTIVES
same '4 ranks: the same bits as with MPICH' 4 3 60
unset MPIR_CVAR_DEVICE_COLLECTIVES

for n in 7 32; do
    try_folded $n "$work/collectives" $n 300
    grep -aq 'virtual time' "$work/err" "$work/out" || echo error >>"$work/err"
    count "$n ranks compute what each knows" 0 'wrong|error'
done

try_folded 2 "$work/mistakes" root
gives 'another root' 1 "rank [01] .*MPI_Bcast\(root [01], 8 bytes\).*MPI_Bcast\(root [01], 8 bytes\)" 'mistakes'
try_folded 2 "$work/mistakes" size
gives 'another size' 1 'MPI_Allreduce\(.*(8|16) bytes\).*MPI_Allreduce\('
try_folded 2 "$work/mistakes" operation
gives 'another operation' 1 'operation 0x5800000[13]'
try_folded 2 "$work/mistakes" order
gives 'another order' 1 'MPI_B(arrier|cast)\(.*MPI_B(arrier|cast)\(' 'call number 2 of a collective'
