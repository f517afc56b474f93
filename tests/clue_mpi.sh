#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs print in virtual time what they print under MPICH; what is not served is named.
. "$(dirname "$0")/tap.sh"

[ "$MPI" = mpich ] || skip_all "virtual time needs MPICH's header"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'ranks are folded'
plan 15

run() {
    try "$PORTOLAN" clue run --compute=none --quiet --no-trial -n "$@"
}

# program, ranks
for test in types:2 messages:2 messages:4 communicators:2 communicators:4; do
    program=${test%:*} ranks=${test#*:}
    [ -x "$work/$program" ] ||
        "$MPICC" -O1 "$SOURCE/clue/mpi/test/$program.c" -o "$work/$program" 2>/dev/null
    "$MPIEXEC" -n "$ranks" "$work/$program" >"$work/real"
    run "$ranks" -- "$work/$program"
    diff "$work/real" "$work/out" | head -5 | sed 's/^/# /'
    cmp -s "$work/real" "$work/out" && [ "$status" = 0 ]
    result "$program on $ranks ranks" $?
done
# A poll takes time there, too: else what polls would never end.
echo '<machine name="quick"><host name="node" count="2"/><send from="*" to="*" d="1us"/>
  <transmission from="*" to="*" k="10ns/B" d="20us"/></machine>' >"$work/quick.xml"
run 2 -m "$work/quick.xml" -- "$work/messages"
"$MPIEXEC" -n 2 "$work/messages" | cmp -s - "$work/out"
result "messages where receiving takes no time" $?

# Every name that MPICH's library has, but for what it keeps for itself.
names() {
    nm -D --defined-only "$1" | awk '{print $3}' | grep -Ev '^(QMPI_|MPII_Version_|MPIR_Err_)' | sort
}
names "$(ldconfig -p | sed -n 's/.*libmpich\.so\.12 .*=> //p' | head -1)" >"$work/theirs"
names "$BUILD/clue/mpi/libmpich.so.12" | comm -13 - "$work/theirs" >"$work/out"
[ -s "$work/theirs" ] && [ ! -s "$work/out" ]
result "all names are there" $?
readelf -d "$BUILD/clue/mpi/libmpich.so.12" >"$work/out"
count "the name of the library" 1 'SONAME.*\[libmpich\.so\.12\]'

# A program that Portolan measures, whose errors leave MPI by longjmp.
run 2 -m "$SOURCE/examples/clue/machines/gigabit.xml" -- "$BUILD/mpi/test/test_mpi_time_of_traffic"
gives "time inside MPI is measured" 0 'PASSED.* 3 test'

"$MPICC" -g "$SOURCE/clue/mpi/test/faults.c" -o "$work/faults"
run 2 -- "$work/faults" 0
gives "a rank that is not there" 1 'rank 1 in MPI_Send at .*faults.c:20.*Invalid rank.*from 0 to 1'
run 2 -- "$work/faults" 1
gives "MPI-IO" 1 'in MPI_File_open at .*faults.c:23.*not served in virtual time: MPI-IO'
run 2 -- "$work/faults" 2
gives "a message that is too long" 1 'rank 1 in MPI_Recv at .*faults.c:29' '16 bytes from rank 0, tag 3'
run 2 -- "$work/faults" 3
gives "MPI_Abort" 3 'rank 1.*MPI_Abort'
run 2 -- "$work/faults" 4
gives "too early" 1 'MPI_Comm_rank.*before MPI_Init'
try "$PORTOLAN" clue run --compute=none --no-trial -n 2 -- "$work/faults" 5
gives "a request that was never completed" 0 '1 request was never completed'
