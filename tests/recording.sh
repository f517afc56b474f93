#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What programs of others do with MPI is recorded as it is: wrappers of their own, sessions, polling, threads, bad ends.
. "$(dirname "$0")/tap.sh"
[ "${MPI:-mpich}" = mpich ] || skip_all 'these programs are for MPICH'
plan 24

cd "$work" || exit 99
cat >counter.c <<'C'
#include <mpi.h>
#include <stdio.h>
static long sends;
int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(data, count, type, to, tag, comm);
}
int MPI_Finalize(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d sent %ld\n", rank, sends);
    fflush(stdout);
    return PMPI_Finalize();
}
C
cat >program.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, x = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        if (rank == 0)
            MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
C
"$MPICC" -shared -fPIC -o libcounter.so counter.c && "$MPICC" -o bare program.c &&
    "$MPICC" -o linked program.c -L. -lcounter -Wl,-rpath,"$work" && "$MPICC" -o own program.c counter.c || exit 99

# wrapped FOLDER PROGRAM HOW
wrapped() {
    try "$PORTOLAN" trace -o "$1" -n 2 -- "$2"
    gives "MPI functions $3 are called" 0 '^rank 0 sent 10$' '^rank 1 sent 0$'
    try "$PORTOLAN" trace --summary "$1"
    gives 'and their calls recorded once' 0 '^ +10 .* 40 +0 +0  MPI_Send$' '^ +10 SEND$' '^ +2 .* MPI_Finalize$'
}
wrapped linked.d ./linked 'of a library of the program'
wrapped own.d ./own 'of the program itself'
if [ -z "${PORTOLAN_SANITIZED:-}" ]; then
    LD_PRELOAD=$work/libcounter.so
    export LD_PRELOAD
    wrapped preloaded.d ./bare 'of a library that is preloaded'
    unset LD_PRELOAD
else
    result 'a library that is preloaded # SKIP sanitizers want to be the first one' 0
    result 'its calls # SKIP' 0
fi

cat >session.c <<'C'
#include <mpi.h>
int main(void)
{
    MPI_Session session;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_finalize(&session);
    return 0;
}
C
if "$MPICC" -o session session.c 2>/dev/null; then
    try "$PORTOLAN" trace -o session.d -n 2 -- ./session
    gives 'a program with sessions is not recorded, and told so' 0 'session begins MPI by MPI_Session_init: .* not recorded' \
        "warning: nothing was recorded: './session'"
else
    result 'a program with sessions # SKIP MPI 3 has none' 0
fi
try "$PORTOLAN" trace -o nothing.d -- true
gives 'nothing recorded is said' 0 "warning: nothing was recorded: 'true' made no call"

# Rank 0 looks until rank 1 has sent, which it does after so many looks at the clock.
cat >poll.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, x = 0, done = 0, index[1];
    char how = argc > 1 ? argv[1][0] : 't';
    double start;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status[1];
    MPI_Message message;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (rank == 1) {
        while (MPI_Wtime() - start < 0.3)
            ;
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else if (how == 'm' || how == 'i') {
        while (!done)
            if (how == 'm')
                MPI_Improbe(1, 0, MPI_COMM_WORLD, &done, &message, status);
            else
                MPI_Iprobe(1, 0, MPI_COMM_WORLD, &done, status);
        if (how == 'm')
            MPI_Mrecv(&x, 1, MPI_INT, &message, status);
        else
            MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, status);
    } else {
        MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!done)
            if (how == 't')
                MPI_Test(&request, &done, status);
            else if (how == 's')
                MPI_Testsome(1, &request, &done, index, status);
            else
                MPI_Request_get_status(request, &done, status);
        MPI_Wait(&request, status);
    }
    MPI_Finalize();
    return 0;
}
C
"$MPICC" -o poll poll.c || exit 99
for how in t s g i m; do
    try "$PORTOLAN" trace -o poll.$how -n 2 -- ./poll $how
    "$PORTOLAN" trace --rank 0 poll.$how >lines
    awk '/VALUE recording: calls in vain=/ { split($0, part, "="); sum += part[2] } /BEGIN/ { calls++ }
         END { exit !(sum > 100 && calls < sum / 10) }' lines
    polled=$?
    try "$PORTOLAN" diagnose poll.$how
    [ $polled = 0 ] && grep -q 'late sender' "$work/out"
    result "polling is one call and a wait for a late sender ($how)" $?
done

cat >threads.c <<'C'
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static int rank;
static void *talk(void *tag)
{
    int x = 0;

    for (int i = 0; i < 5; i++)
        if (rank == 0) {
            usleep(40000);
            MPI_Send(&x, 1, MPI_INT, 1, *(int *)tag, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&x, 1, MPI_INT, 0, *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    return NULL;
}
int main(int argc, char **argv)
{
    int provided, tags[6] = {0, 1, 2, 3, 4, 5};
    pthread_t threads[6];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < 6; i++)
        pthread_create(&threads[i], NULL, talk, &tags[i]);
    talk(&tags[0]);
    for (int i = 1; i < 6; i++)
        pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
C
"$MPICC" -o threads threads.c -lpthread || exit 99
try "$PORTOLAN" trace -o threads.d -n 2 -- ./threads
try "$PORTOLAN" diagnose threads.d
answered
gives 'threads are told, and no share is above 100 %' 0 '^12 threads of 2 ranks call MPI' '^of run time: in MPI [0-9]{1,2}\.[0-9] %' 'rank 0, thread 5 in'

# Bad ends.
cat >ends.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argv[1][0] == 'h') { /* until it is ended */
        FILE *f = fopen(rank ? "pid.1" : "pid.0", "w");

        fprintf(f, "%d\n", (int)getpid());
        fclose(f);
        for (;;)
            pause();
    }
    if (rank == 1 && argv[1][0] == 'k')
        raise(SIGKILL);
    if (rank == 1 && argv[1][0] == 'a')
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 1)
        exit(7);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
C
"$MPICC" -o ends ends.c || exit 99
for how in killed aborted exits; do
    try "$PORTOLAN" diagnose -n 2 -- ./ends $how
    gives "a program that is not well at its end ($how)" 1 '^portolan: error: the program ended with exit status' \
        '^the program ended with exit status [0-9]+: what follows is of the time until then$'
done
"$PORTOLAN" diagnose -n 2 -- ./ends hangs >/dev/null 2>&1 &
diagnosing=$!
# until CONDITION...: the machine may be slow.
until_holds() {
    for try in $(seq 600); do
        "$@" && return
        python3 -c 'import time; time.sleep(0.1)'
    done
    return 1
}
started() { [ -s pid.0 ] && [ -s pid.1 ]; }
gone() { ! kill -0 "$(cat pid.0)" 2>/dev/null && ! kill -0 "$(cat pid.1)" 2>/dev/null; }
until_holds started
kill -KILL $diagnosing
until_holds gone
result 'diagnose that is killed takes its ranks along' $?

# A paradigm that does not fit tells no less than none: here that rank 0 works five times as long as the other one.
cat >uneven.txt <<'S'
ranks 2
repeat 10
    on 0
        compute 50ms
    else
        compute 10ms
    end
    sendrecv 1-rank from 1-rank tag 1 8
end
S
try "$PORTOLAN" diagnose -p pipeline uneven.txt
gives 'a paradigm that cannot tell says what is known of any program' 3 '^of run time: in MPI' \
    '^ +1 some ranks have more work than others +40\.0 %$' \
    '^  MPI_Sendrecv \(receiving a block\): 40\.0 % of run time; for example rank 0 at 50 ms in main, rank 1 at 10 ms in main$'
try "$PORTOLAN" diagnose --json -p pipeline uneven.txt
gives 'and ends alike as JSON' 3 '"verdict": *"cannot tell"'
try "$PORTOLAN" diagnose -p prt uneven.txt
gives 'a paradigm that is bound to nothing does not say that there is no problem' 3 '^cannot tell: some ranks have more work' \
    '^    no component of the paradigm; <part component="NAME" mpi="MPI_Sendrecv"/> makes it one$'

# Halos: Sendrecv on a ring, edges that are unpacked as they come, persistent requests.
cat >halo.c <<'C'
#include <mpi.h>
static volatile double sink;
static void work(int n)
{
    for (int i = 0; i < n * 10000; i++)
        sink += i;
}
int main(int argc, char **argv)
{
    int size, n = 0, to[2];
    double in[2][500] = {{0}}, out[2][500] = {{0}};
    char how = argv[1][0];
    MPI_Request r[4];
    MPI_Status status[4];

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &n);
    to[0] = (n + size - 1) % size;
    to[1] = (n + 1) % size;
    for (int k = 0; k < 2 && how == 'p'; k++) {
        MPI_Recv_init(in[k], 500, MPI_DOUBLE, to[k], 1 - k, MPI_COMM_WORLD, &r[k]);
        MPI_Send_init(out[k], 500, MPI_DOUBLE, to[k], k, MPI_COMM_WORLD, &r[2 + k]);
    }
    for (int i = 0; i < 30; i++) {
        work(100);
        MPI_Wtime(); /* it parts no work */
        work(100);
        for (int k = 0; k < 2 && how == 's'; k++)
            MPI_Sendrecv(out[k], 500, MPI_DOUBLE, to[k], k, in[k], 500, MPI_DOUBLE, to[1 - k], k, MPI_COMM_WORLD, status);
        for (int k = 0; k < 2 && how == 'u'; k++)
            MPI_Irecv(in[k], 500, MPI_DOUBLE, to[k], 1 - k, MPI_COMM_WORLD, &r[k]);
        for (int k = 0; k < 2 && how == 'u'; k++)
            MPI_Isend(out[k], 500, MPI_DOUBLE, to[k], k, MPI_COMM_WORLD, &r[2 + k]);
        for (int k = 0; k < 4 && how == 'u'; k++, work(50))
            MPI_Wait(&r[k], status);
        if (how == 'p') {
            MPI_Startall(4, r);
            MPI_Waitall(4, r, status);
        }
        if (i % 10 == 9)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
C
"$MPICC" -O1 -o halo halo.c || exit 99
for how in sendrecv unpacked persistent; do
    try "$PORTOLAN" trace -o halo.$how -n 2 -- ./halo $how
    try "$PORTOLAN" diagnose halo.$how
    answered
    gives "a halo is geometric ($how)" 0 '^it (also )?looks like geometric: '
done
