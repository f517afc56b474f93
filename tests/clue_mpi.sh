#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs print in virtual time what they print under MPICH; what is not served is named.
. "$(dirname "$0")/tap.sh"

[ "$MPI" = mpich ] || skip_all "virtual time needs MPICH's header"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'ranks are folded'
plan 26

run() {
    try "$PORTOLAN" clue run --compute=none --quiet --no-trial -n "$@"
}

# program, ranks
for test in types:2 messages:2 messages:4 communicators:2 communicators:4 significant:4 begun:3 begun:5; do
    program=${test%:*} ranks=${test#*:}
    [ -x "$work/$program" ] ||
        "$MPICC" -O1 -w "$SOURCE/clue/mpi/test/$program.c" -o "$work/$program" 2>/dev/null
    "$MPIEXEC" -n "$ranks" "$work/$program" >"$work/real"
    run "$ranks" -- "$work/$program"
    diff "$work/real" "$work/out" | head -5 | sed 's/^/# /'
    cmp -s "$work/real" "$work/out" && [ "$status" = 0 ]
    result "$program on $ranks ranks" $?
done
# MPICH checks what is not significant beside a root.
run 4 -- "$work/significant" beside
gives "nothing is significant beside the root" 0 '^bcast: ' '^ibcast: ' '^ireduce: 386'
# MPICH 4.0.2 sends the first data again in MPI_Allgather of 2, 4, 8 ... ranks, and crashes in others of these.
run 2 -- "$work/begun" all
gives "what MPI_Start begins sends what is there then" 0 '^MPI_Allgather: 228$' '^MPI_Allgather: 416$' '^MPI_Allgather: 604$'
# They take the time of those that they stand for.
cat >"$work/begins.c" <<'END'
#include <mpi.h>
#include <stdio.h>
static char out[20000], in[20000];
int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request request;
    int rank, n, other;
    double at[5];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &n);
    other = n - 1 - rank;
    MPI_Allreduce_init(out, in, 2000, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL, &request);
    MPI_Barrier(world);
    at[0] = MPI_Wtime();
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Barrier(world);
    at[1] = MPI_Wtime();
    MPI_Iallreduce(out, in, 2000, MPI_DOUBLE, MPI_SUM, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
    at[2] = MPI_Wtime();
    MPI_Isendrecv(out, 20000, MPI_BYTE, other, 1, in, 20000, MPI_BYTE, other, 1, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
    at[3] = MPI_Wtime();
    MPI_Sendrecv(out, 20000, MPI_BYTE, other, 1, in, 20000, MPI_BYTE, other, 1, world, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
    at[4] = MPI_Wtime();
    for (int i = 0; i < 4 && !rank; i += 2)
        printf("%s %d\n", at[i + 1] - at[i] > 1e-5 ? "takes time" : "takes none", (int)(1e9 * (at[i + 1] - at[i] - at[i + 2] + at[i + 1])));
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -O1 "$work/begins.c" -o "$work/begins"
run 4 -m "$SOURCE/examples/clue/machines/gigabit.xml" --record "$work/begins.record" -- "$work/begins"
count "they take the same time" 2 '^takes time 0$'
# A poll takes time there, too: else what polls would never end.
echo '<machine name="quick"><host name="node" count="2"/><send from="*" to="*" d="1us"/>
  <transmission from="*" to="*" k="10ns/B" d="20us"/></machine>' >"$work/quick.xml"
run 2 -m "$work/quick.xml" -- "$work/messages"
"$MPIEXEC" -n 2 "$work/messages" | cmp -s - "$work/out"
result "messages where receiving takes no time" $?

# Data with holes beyond the eager limit: the sender packs, 1 ns for a byte, whatever the type.
cat >"$work/holes.xml" <<'END'
<machine name="holes"><host name="node" cpus="2" receive="0" copies="receiver" packing="1ns/B"/>
  <send from="node" to="self" d="0"/><transmission from="node" to="self" d="0"/><network eager="8191"/></machine>
END
cat >"$work/holes.c" <<'END'
#include <mpi.h>
#include <stdio.h>
static double room[4 * 20480];
static void measure(const char *name, MPI_Datatype type)
{
    int rank, size;
    double begin;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_size(type, &size);
    MPI_Type_commit(&type);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    if (rank == 0) {
        MPI_Send(room, 1, type, 1, 0, MPI_COMM_WORLD);
        printf("%s %.1f us\n", name, 1e6 * (MPI_Wtime() - begin));
    } else
        MPI_Recv(room, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
    int sizes[] = {64, 32, 10}, subsizes[] = {64, 32, 1}, starts[] = {0, 0, 3}, lengths[] = {1, 1};
    MPI_Aint at[] = {0, 8};
    MPI_Datatype a, b, c, two[] = {MPI_INT, MPI_DOUBLE};
    MPI_Init(&argc, &argv);
    MPI_Type_vector(2048, 1, 10, MPI_DOUBLE, &a);
    measure("vector", a);
    MPI_Type_create_resized(MPI_DOUBLE, 0, 80, &a);
    MPI_Type_contiguous(2048, a, &b);
    measure("resized", b);
    MPI_Type_vector(32, 1, 10, MPI_DOUBLE, &a);
    MPI_Type_create_hvector(64, 1, 2560, a, &b);
    measure("nested", b);
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &c);
    measure("subarray", c);
    MPI_Type_create_struct(2, lengths, at, two, &a);
    MPI_Type_contiguous(1000, a, &b);
    measure("struct", b);
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -O1 "$work/holes.c" -o "$work/holes"
run 2 -m "$work/holes.xml" -- "$work/holes"
gives "data with holes are packed" 0 '^vector 16.4 us' '^resized 16.4' '^nested 16.4' '^subarray 16.4' '^struct 12.0'

# Accesses to windows: a call of the target that flushes nothing serves one (the first is a lock), whose answer waits for no other; large
# ones follow each other.
cat >"$work/flush.xml" <<'END'
<machine name="flush"><host name="node" cpus="2" receive="0" copies="receiver"/><send from="node" to="self" d="0"/>
  <transmission from="node" to="self" k="10ns/B" d="1us"/><network eager="8191"/><collectives><communicator d="7ms"/></collectives></machine>
END
cat >"$work/flush.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
static char room[100000];
int main(int argc, char **argv)
{
    long one = 1, old;
    int rank;
    double begin;
    void *memory;
    MPI_Win win;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *(long *)memory = 0;
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < 4; i++)
        if (rank == 0) {
            usleep(1000);
            MPI_Win_flush(1, win);
        } else {
            MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win);
            MPI_Win_flush(0, win);
            printf("%ld fetched after %.1f ms\n", old, 1e3 * (MPI_Wtime() - begin));
        }
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < 4 && rank; i++)
        MPI_Put(room, sizeof room, MPI_BYTE, 0, 0, sizeof room, MPI_BYTE, win);
    MPI_Win_unlock_all(win);
    if (rank)
        printf("put after %.1f ms\n", 1e3 * (MPI_Wtime() - begin));
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < 8 && !rank; i++) {
        usleep(2000);
        MPI_Win_flush_local(1, win);
    }
    for (int i = 0; i < 2 && rank; i++) {
        MPI_Get(room, sizeof room, MPI_BYTE, 0, 0, sizeof room, MPI_BYTE, win);
        MPI_Win_flush(0, win);
        printf("got after %.1f ms\n", 1e3 * (MPI_Wtime() - begin));
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    begin = MPI_Wtime();
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    printf("copied in %.1f us\n", 1e6 * (MPI_Wtime() - begin));
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -O1 "$work/flush.c" -o "$work/flush"
run 2 -m "$work/flush.xml" -- "$work/flush"
gives "targets serve accesses in calls" 0 '^0 fetched after 2.0 ms' '^1 fetched after 3.0' '^2 fetched after 4.0' '^put after 4.0' \
    '^got after 4.0' '^got after 6.0'
gives "a communicator takes the time of its messages" 0 '^copied in 2.0 us'

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
gives "what is not served is told before the run" 1 'warning: .*faults. may call MPI_File_open, not served'
run 2 -- "$work/begun"
count "served routines are not told" 0 warning
run 2 -- "$work/faults" 2
gives "a message that is too long" 1 'rank 1 in MPI_Recv at .*faults.c:29' '16 bytes from rank 0, tag 3'
run 2 -- "$work/faults" 3
gives "MPI_Abort" 3 'rank 1.*MPI_Abort'
run 2 -- "$work/faults" 4
gives "too early" 1 'MPI_Comm_rank.*before MPI_Init'
try "$PORTOLAN" clue run --compute=none --no-trial -n 2 -- "$work/faults" 5
gives "a request that was never completed" 0 '1 request was never completed'
