#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `portolan clue calibrate` measures this machine for a second: what comes out is a machine file on
# which programs run. A library that holds up each message makes another machine of it. What times are
# is not tested here but in bench/clue_truth.sh; only that none is shorter than what holds it up.
set -u
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
command -v "$MPICC" >/dev/null || skip_all "$MPICC is not installed"
[ "${MPI:-mpich}" = mpich ] || skip_all 'ranks in virtual time are of MPICH'
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'programs are not sanitized'
plan 16
cd "$work" || exit 99

try "$PORTOLAN" clue calibrate -o here.xml -s 1 --no-check
gives 'this machine is measured' 0
try "$PORTOLAN" clue check here.xml
gives 'its file is good' 0 "good: 'here', 1 host"
try cat here.xml
gives 'it says where its numbers come from' 0 '<fact name="library" value="MPICH' \
    '<fact name="created"' 'standard-error' 'busy' 'eager="[0-9]' '<packing>'

cat >ping.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, level, token = 0;
    double start;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && rank == 0) {
        FILE *levels = fopen(argv[1], "a");
        fprintf(levels, "%d\n", level == MPI_THREAD_SERIALIZED);
        fclose(levels);
    }
    start = MPI_Wtime();
    for (int i = 0; i < 100; i++) {
        if (rank == 0)
            MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%.0f ms\n", 1e3 * (MPI_Wtime() - start));
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -O1 -w -o ping ping.c || exit 99
try "$PORTOLAN" clue run -m here.xml -n 2 --no-trial --compare-real -- ./ping levels
gives 'a virtual run is compared with real ones' 0 \
    '^compare real  virtual [0-9.]+ .?s   real [0-9.]+ .?s \([0-9] runs, .* \.\.\. .*\)(   [+-][0-9.]+ %)?$'
[ "$(sort -u levels)" = 1 ] && [ "$(wc -l <levels)" -ge 6 ]
result 'both may start as many threads' $?

# A run that tells of five others.
cat >others.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const char *times = getenv("PORTOLAN_RUN_TIME");
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && times) {
        FILE *f = fopen(times, "a");
        for (int i = 0; i < 5; i++)
            fprintf(f, "%de6\n", argc > 1 ? 1 + i : 1);
        fclose(f);
    }
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -O1 -w -o others others.c || exit 99
try "$PORTOLAN" clue run -m here.xml -n 2 --no-trial --compare-real -- ./others
gives 'the median of real runs' 0 'real 1 ms \([678] runs'
lacks 'and those that agree are compared' 'real runs differ'
try "$PORTOLAN" clue run -m here.xml -n 2 --no-trial --compare-real -- ./others apart
gives 'runs that do not agree are no comparison' 0 \
    '[5-7] of these [678] real runs differ by [0-9.]+ times: no comparison'
lacks 'and then no error is told' '^compare real .* %$'

slow=$BUILD/clue/calibrate/libportolan-slow.so
if [ -f "$slow" ]; then
    # 200 messages, each of which is held up.
    try "$MPIEXEC" -n 2 env LD_PRELOAD="$slow" PORTOLAN_SLOW='100000 0' ./ping
    gives 'a slow network' 0
    ms=$(sed -n 's/^\([0-9]*\) ms$/\1/p' "$work/out")
    result 'holds up each message' "$([ "${ms:-0}" -ge 20 ]; echo $?)"
    # 20 ms a message: not one pattern that sends some has three steps in its part of 0.1 s.
    try "$MPIEXEC" -n 2 env LD_PRELOAD="$slow" PORTOLAN_SLOW='20000000 0' "$BUILD/clue/calibrate/portolan-patterns" 0.1
    gives 'patterns that take too long are left out' 0 '^ring 100 0$' '^transposition 320000 0$'
    # 20 messages of 125 numbers, every second one of an array: all of their bytes count.
    cat >columns.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    static double a[250];
    MPI_Datatype column;
    double begin;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(125, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    begin = MPI_Wtime();
    for (int i = 0; i < 20; i++)
        if (rank == 0)
            MPI_Send(a, 1, column, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(a, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%d ms\n", (int)(1e3 * (MPI_Wtime() - begin)));
    MPI_Finalize();
    return 0;
}
END
    "$MPICC" -O1 -w -o columns columns.c || exit 99
    try "$MPIEXEC" -n 2 env LD_PRELOAD="$slow" PORTOLAN_SLOW='0 1000' ./columns
    ms=$(sed -n 's/^\([0-9]*\) ms$/\1/p' "$work/out")
    result 'and messages of derived types' "$([ "${ms:-0}" -ge 20 ]; echo $?)"
else
    for name in 'a slow network' 'each message' 'patterns that take too long' 'derived types'; do
        result "$name # SKIP no headers of UCX" 0
    done
fi

printf 'half 8 100\nhalf x 100\n' >samples
try "$PORTOLAN" clue calibrate --samples samples -o x.xml --no-check
gives 'a bad sample is told with its line' 1 'samples:2: error: not a sample'
printf 'half 8 100\n' >samples
try "$PORTOLAN" clue calibrate --samples samples -o x.xml --no-check
gives 'and what is missing' 1 "'send' was not measured|eager limit was not measured"
try "$PORTOLAN" clue calibrate --factor 12:x -o x.xml --no-check
gives 'and a factor that is none, before anything is measured' 1 'times of your program there and here'
