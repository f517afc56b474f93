#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a run in virtual time says: its report, a trial, traces, a line a call. Times come
# from the machine's delays by hand, counts from the program, and otf2-print counts again.
set -u
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
command -v "$MPICC" >/dev/null || skip_all "$MPICC is not installed"
[ "${MPI:-mpich}" = mpich ] || skip_all 'ranks in virtual time are of MPICH'
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'programs are not sanitized'
plan 31
cd "$work" || exit 99

cat >ring.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, n, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; i < 10; i++) {
        if (rank == 0)
            MPI_Send(&token, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, (rank + n - 1) % n, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token++;
        if (rank)
            MPI_Send(&token, 1, MPI_INT, (rank + 1) % n, 7, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("token %d\n", token);
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -O1 -g -w -o ring ring.c || exit 99
cat >tiny.xml <<'END'
<machine name="tiny">
  <host name="node" count="3" receive="5us"/>
  <send from="node" to="node" k="0us/KB" d="10us"/>
  <transmission from="node" to="node" k="0us/KB" d="20us"/>
  <network model="none"/>
</machine>
END

# 30 messages, one after the other: each 10 us sent, 20 us under way, 5 us received; then two rounds
# of MPI_Finalize's barrier.
try "$PORTOLAN" clue run -m tiny.xml -n 3 --compute none --json first.json --trace first \
    --otf2 events.otf2 --calls first.calls --record first.rec -- ./ring
gives 'the report has the times that the delays give' 0 'token 30' \
    "^virtual time  1\\.12 ms, 3 ranks on 3 of 3 hosts of 'tiny'" \
    'computing 0\.0 %  sending 10\.7 %  waiting 83\.9 %  receiving 5\.4 %' \
    'critical path computing 0 %, network 57 %.*sending 29 %, receiving 14 %' \
    'assumed       nothing: 0 wildcard' 'trial 1 in portolan\.db'
mkdir elsewhere
try sh -c 'cd elsewhere && "$1" clue run -m ../tiny.xml -n 3 --compute none --json first.json \
    --trace first --otf2 events.otf2 --calls first.calls --quiet \
    -- ../ring' sh "$PORTOLAN"
gives 'it runs in another folder' 0 'token 30'
same=0
for file in first.json first.calls first/0.0.trace first/2.0.trace; do
    cmp -s "$file" "elsewhere/$file" || { same=1; echo "# differs: $file"; }
done
result 'and all that it says is the same, byte by byte' $same
try "$PORTOLAN" clue run -m tiny.xml --no-trial --by host --by size first.rec
gives 'tables by host and size' 0 '^node\[1\] +1 +0\.0 +10\.7 +83\.9 +5\.4 +12 ' \
    '^ +4 +30 +120\.0 +20 us +0 ns'
sed 's/receive="5us"/receive="5us" memory="1KB"/' tiny.xml >little.xml
try "$PORTOLAN" clue run -m little.xml -n 3 --no-trial ./ring
gives 'hosts with too little memory' 0 '^took .*, a rank about [0-9.]+ [KM]B \([0-9.]+ % of the memory of node\[[012]\]\)' '^warning +the ranks of a host need'
try "$PORTOLAN" clue run -m tiny.xml --no-trial --by hots first.rec
gives 'a table that there is not' 2 "--by needs host, link or size, not 'hots'; did you mean 'host'"
try "$PORTOLAN" clue run -m tiny.xml --store again.db first.rec
gives 'its record says so without the program' 0 '^virtual time  1\.12 ms' '^computing     as recorded$'
try "$PORTOLAN" profile again.db
gives 'and has a trial of the program' 0 "^trial 1 of 'ring' .* on tiny"

try cat first.calls
gives 'a line a call' 0 'rank 0 on node\[0\] MPI_Send to 1 4 B tag 7' \
    'rank 2 on node\[2\] MPI_Recv from 1 4 B tag 7'
result 'each message is sent and received in a call' \
    "$([ "$(grep -c 'MPI_Send to' first.calls)" = 30 ] && [ "$(grep -c 'MPI_Recv from' first.calls)" = 30 ]; echo $?)"
try cat first.json
gives 'JSON has ranks and sizes' 0 '"virtual_ns": 1120000' '"messages": 36' \
    '"rank": 2, "host": "node\[2\]", "end_ns": [0-9]+' '"least_bytes": 4, "messages": 30, "bytes": 120'

try "$PORTOLAN" trace -s first
gives 'the trace is read' 0 '^ *30 SEND$' '^ *30 RECV$' '30 .* 120 .* MPI_Send$'
try "$PORTOLAN" diagnose first
answered
gives 'and diagnosed: why it would be slow there' 0 'first'
if command -v otf2-print >/dev/null; then
    otf2-print events.otf2 >otf2.txt 2>&1
    result 'otf2-print reads as many sends as receives' \
        "$([ "$(grep -c '^MPI_SEND ' otf2.txt)" = 30 ] && [ "$(grep -c '^MPI_RECV ' otf2.txt)" = 30 ]; echo $?)"
else
    result 'otf2-print # SKIP it is not installed' 0
fi
try "$PORTOLAN" profile --matrix portolan.db
gives 'the trial has who sent how much to whom' 0 'on tiny' \
    '^ *0 +1 +10 +' '^ *2 +0 +10 +'
try "$PORTOLAN" profile portolan.db
gives 'and what ranks did with their time' 0 'waiting' 'sending' 'receiving'
if command -v otf2-print >/dev/null; then
    try "$PORTOLAN" export --format otf2 -o run portolan.db
    otf2-print run/traces.otf2 >otf2.txt 2>&1
    result 'exported to OTF2 it has its messages' "$([ "$(grep -c '^MPI_RECV ' otf2.txt)" = 30 ]; echo $?)"
else
    result 'the export # SKIP no otf2-print' 0
fi
try "$PORTOLAN" clue run -m tiny.xml -n 3 --compute none --quiet -- ./ring
gives 'a second trial' 0 'token'
try "$PORTOLAN" export --format csv -o out.csv portolan.db
gives 'is exported as others are' 0

# In a row of three each knows its neighbours.
cat >row.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int out = 0, in[2];
    MPI_Comm row;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){3}, (int[]){0}, 0, &row);
    MPI_Neighbor_allgather(&out, 1, MPI_INT, in, 1, MPI_INT, row);
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -w -o row row.c || exit 99
"$PORTOLAN" clue run -m tiny.xml -n 3 --compute none --quiet --no-trial --trace row.trace --otf2 rows.otf2 -- ./row
try "$PORTOLAN" trace row.trace
gives 'who is whose neighbour is in the trace' 0 \
    '0 has neighbours 1; 1 has neighbours 0,2; 2 has neighbours 1'

if command -v otf2-print >/dev/null; then
    try otf2-print -G rows.otf2
    [ "$status" = 0 ] && ! grep -i warning "$work/err"
    result 'and its archive defines two communicators in order' $?
    try "$PORTOLAN" clue run -m tiny.xml -n 3 --compute none --quiet --no-trial --otf2 row.otf2 -- ./row
    gives 'an archive where a program has its name' 1 "cannot write 'row\.otf2': .* folder 'row', which is a file"
else
    result 'an archive of the name of a program # SKIP no otf2-print' 0
    result 'an archive with two communicators # SKIP no otf2-print' 0
fi

# Laws of older files are ignored, with a warning. A round trip of 8 KB within a host takes 35 us each way, and a
# small message to itself is sent and received, and does not travel.
cat >old.xml <<'END'
<machine name="old">
  <host name="node" cpus="2" receive="5us"><fresh d="100us"/></host>
  <send from="node" to="node" k="0us/KB" d="10us"/>
  <transmission from="node" to="node" k="0us/KB" d="20us"/>
  <collectives><communicator d="1s"/><window d="1s"/></collectives>
</machine>
END
cat >old.c <<'END'
#include <mpi.h>
#include <stdio.h>
static char data[8192], all[8192];
int main(int argc, char **argv)
{
    int rank;
    double began;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    began = MPI_Wtime();
    if (rank == 0)
        MPI_Send(data, sizeof data, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(data, sizeof data, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(data, sizeof data, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.0f ", 1e6 * (MPI_Wtime() - began));
    began = MPI_Wtime();
    MPI_Alltoall(data, sizeof data, MPI_BYTE, all, sizeof data, MPI_BYTE, MPI_COMM_SELF);
    if (rank == 0)
        printf("%.0f us\n", 1e6 * (MPI_Wtime() - began));
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -O1 -w -o old old.c || exit 99
try "$PORTOLAN" clue run -m old.xml -n 2 --compute none --quiet --no-trial -- ./old
gives 'laws of older files are ignored, with a warning' 0 '^70 15 us$' 'old.xml:2: <fresh> is ignored'

# Bursts that differ by their data, a hundred times: what folding added is not to be told from these.
cat >uneven.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    volatile int x = 0;
    MPI_Init(&argc, &argv);
    for (int i = 1; i <= 100; i++) {
        for (int k = 0; k < i * 10000; k++)
            x++;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -O1 -w -o uneven uneven.c || exit 99
try "$PORTOLAN" clue run -n 4 --no-trial --json uneven.json -- ./uneven
gives 'a share that means nothing is not told' 0 '^computing .*what ranks on one core added cannot be told'
lacks 'in no number' 'added about'

# Each rank takes its turn at a burst of three times the work: as long as others wait for it, they all repeat the same.
cat >turns.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    volatile int x = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < ((i + rank) % 3 == 0 ? 300000 : 100000); k++)
            x++;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("x is %d\n", x);
    MPI_Finalize();
    return argc > 1 ? 3 : 0;
}
END
"$MPICC" -O1 -w -o turns turns.c || exit 99
try "$PORTOLAN" clue run -n 3 --no-trial --record turns.rec -- ./turns
gives 'a recorded run says what repeated bursts make of the waiting' 0 \
    'differences between repeated bursts are ([5-9][0-9]|100) % of the waiting$'
try "$PORTOLAN" clue run -n 3 --no-trial --compute=median --json median.json -- ./turns
gives 'medians have no such waiting' 0 '^computing +medians of repeated bursts$' 'that was measured, and not of this run$'
count 'the program prints once' 1 '^x is '
awk -F'[:,}]' '/"waiting"/ { for (i = 1; i < NF; i++) if ($i ~ /"waiting"/) { found = 1; bad = $(i + 1) > 0.35 } } END { exit bad || !found }' median.json
result 'ranks hardly wait' $?
try "$PORTOLAN" clue run --no-trial --compute=median turns.rec
gives 'medians of a record' 0 '^computing +medians of repeated bursts$'
try "$PORTOLAN" clue run -n 3 --no-trial --quiet --compute=median -- ./turns fail
gives 'the status is that of the program' 3 '^x is '
