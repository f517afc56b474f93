#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that know nothing of Portolan are recorded, however they end, and their traces shown.
. "$(dirname "$0")/tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
plan 39

cd "$work" || exit 99
cat >ring.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int rank, in;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < (*how == 'o' ? 1050 : 10); i++) {
        MPI_Pcontrol(i);
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, i, &in, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; *how == 'l' && i < 300 * 64; i++)
        if (i % 64)
            MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &in, MPI_STATUS_IGNORE);
        else
            MPI_Allreduce(&rank, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!strcmp(how, "exit"))
        exit(5);
    if (rank == 1 && !strcmp(how, "kill"))
        raise(SIGKILL);
    if (*how && *how != 'o' && *how != 'l')
        MPI_Recv(&in, 1, MPI_INT, 1 - rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
C
"$MPICC" ring.c -o ring || exit 99

try "$PORTOLAN" trace -o full -n 2 -- ./ring
gives 'a program is recorded' 0
try "$PORTOLAN" trace -o often -n 2 -- ./ring often
"$PORTOLAN" trace often >lines
[ "$(grep -c 'VALUE recording: before the call=' lines)" = 32 ] &&
    [ "$(grep -c 'VALUE recording: after the call=' lines)" = 32 ]
result 'of 1,021 calls 16 tell what recording took' $?
try "$PORTOLAN" trace -o loop -n 2 -- ./ring loop
"$PORTOLAN" trace --rank 0 loop | grep -A1 'END MPI_Allreduce' | grep -q 'VALUE recording: before the call='
result 'and all calls of a loop do in turn' $?
try "$PORTOLAN" trace --summary full
gives 'with all calls of all ranks' 0 '^# full: 2 ranks' '^ +20 SEND$' '^ +20 RECV$' '^ +20 MARK$' \
    '^ +2 .* MPI_Init$' '^ +20 +[0-9.]+ +80 +80 +0  MPI_Sendrecv$' '^ +2 .* MPI_Finalize$'
[ ! -s "$work/err" ]
result 'and without complaints' $?
try "$PORTOLAN" trace --rank 1 full
gives 'events are told one by one' 0 '^1\.0 [0-9.]+ BEGIN MPI_Sendrecv$' \
    '^1\.0 [0-9.]+ SEND to=0 tag=3 bytes=4 comm=0$' '^1\.0 [0-9.]+ RECV from=0 tag=3 bytes=4 comm=0$' \
    '^# comm 0: ranks  ?0-1$'
! grep -q '^0\.0 ' "$work/out"
result 'of the rank that was asked for' $?

try "$PORTOLAN" trace -o copy full
"$PORTOLAN" trace full | grep -v '^#' >before
"$PORTOLAN" trace copy | grep -v '^#' >after
[ "$status" = 0 ] && [ -s before ] && cmp before after
result 'a copy is the same' $?

try "$PORTOLAN" trace -o window -n 2 -w ranks=1 -- ./ring
try "$PORTOLAN" trace --summary window
gives 'a window limits what is recorded' 0 '^ +10 SEND$' '^ +10 RECV$' 'nothing is known of 1 of 2 ranks'
try "$PORTOLAN" trace -o nothing -n 2 -w 'rank=1' -- ./ring
gives 'a wrong window is told before anything runs' 1 "did you mean 'ranks'"

try "$PORTOLAN" trace -o failed -n 2 -- ./ring exit
if [ -n "${EMULATED:-}" ]; then
    result 'a program that fails keeps its status # SKIP the launcher loses statuses under QEMU, of any program' 0
else
    # MPICH's mpiexec itself returns 1 in some 2 % of such ends, of any program, and says that it hung up.
    ! grep -q 'Hangup' "$work/out" "$work/err" || status=5
    gives 'a program that fails keeps its status' 5
fi
try "$PORTOLAN" trace --summary failed
gives 'and is recorded up to its end' 0 '^ +20 SEND$' '^ +2 .* MPI_Barrier$'
try "$PORTOLAN" trace -o killed -n 2 -- ./ring kill
try "$PORTOLAN" trace --summary killed
gives 'so is one that is killed' 0 '^ +20 SEND$' '^ +2 .* MPI_Barrier$' '^# 1\.0: .* cut$'

# The last block of a process that was killed has no checksum: rank 1 may be of another host.
boot=$(cat /proc/sys/kernel/random/boot_id)
LC_ALL=C sed -i "s/$boot/$(echo "$boot" | tr 0-9a-f 1-9a-f0)/" killed/1.0.trace
try "$PORTOLAN" diagnose killed
answered
gives 'clocks of two hosts that may agree are left alone' 0 'note: 2 clocks may agree, within [0-9.]+ us'

try env LD_PRELOAD="$BUILD/trace/preload/libportolan-trace.so" PORTOLAN_TRACE=by-hand "$MPIEXEC" -n 2 ./ring
try "$PORTOLAN" trace --summary by-hand
gives 'the library can be preloaded by hand' 0 '^ +20 SEND$'
mkdir elsewhere && cp ring 'a=b'
try "$PORTOLAN" trace -o named -n 2 -- './a=b'
gives 'a program may have any name' 0
try "$PORTOLAN" trace -o moved -- sh -c "cd elsewhere && '$MPIEXEC' -n 2 ../ring"
[ "$status" = 0 ] && [ -e moved/1.0.trace ]
result 'and be started by a script in another folder' $?
echo 'ranks=1' >words
try "$PORTOLAN" trace -o words.d -w @words -- sh -c "cd elsewhere && '$MPIEXEC' -n 2 ../ring"
[ "$status" = 0 ] && [ ! -e words.d/0.0.trace ] && [ -e words.d/1.0.trace ]
result 'with the words of a window from a file beside it' $?
cat >alone.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int size, status = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1)
        status = system("env -u PMI_FD -u PMI_RANK -u PMI_SIZE ./alone");
    for (int i = 0; i < 10; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return status != 0;
}
C
"$MPICC" alone.c -o alone || exit 99
try "$PORTOLAN" trace -o starts -n 2 -- ./alone
try "$PORTOLAN" trace --summary starts
gives 'programs that it starts leave its trace alone' 0 '^# starts: 2 ranks' '^ +20 .* MPI_Barrier$'
try "$PORTOLAN" trace -o none -- true
[ "$status" = 0 ] && [ -z "$(ls none)" ]
result 'a program without MPI runs, and nothing is recorded' $?

# Assemblies are recorded likewise, in steps of their SwapPoint.
cp "$BUILD"/examples/heat/plate.* .
try env PORTOLAN_TRACE=heat PORTOLAN_TRACE_WINDOW='steps=2-3' "$MPIEXEC" -n 2 "$PORTOLAN" run --store=heat.db \
    --set driver.steps=6 --set driver.report=0 plate.xml
try "$PORTOLAN" trace --summary heat
gives 'an assembly is recorded in the steps of the window' 0 '^# phase step$' '^ +8 ENTER$' '^ +8 LEAVE$' \
    'phase swap point' 'MPI_Allreduce$'

# The trial names its trace, which is exported with it and deleted with it.
mkdir heat.db.traces
sed 's/<monitor /<monitor rows="yes" /' plate.xml >rows.xml
for folder in heat.db.traces/2 mine; do
    try env PORTOLAN_TRACE=$folder "$MPIEXEC" -n 2 "$PORTOLAN" run --store=heat.db --fixed \
        --set driver.steps=3 --set driver.report=0 rows.xml
done
"$PORTOLAN" trace --summary mine >recorded
if "$PORTOLAN" export --help | grep -q otf2; then
    try "$PORTOLAN" export --store heat.db 2 -f otf2 -o archive
    gives 'a trial with a trace is exported' 0
    try otf2-print archive/traces.otf2
    gives 'with its calls of ports' 0 '^ENTER .*"solver\.solve \[heat\.'
    count 'as many messages are received' "$(grep -c '^MPI_SEND ' "$work/out")" '^MPI_RECV '
    try "$PORTOLAN" export --store heat.db 3 -f otf2 -o archive --force
    try "$PORTOLAN" trace --summary archive/traces.otf2
    gives 'and all events of MPI are there' 0 "$(grep ' BEGIN$' recorded)" "$(grep ' SEND$' recorded)" \
        "$(grep ' RECV$' recorded)" "$(grep ' COLLECTIVE$' recorded)"
    try "$PORTOLAN" diagnose archive/traces.otf2
    lacks 'and find their partners' 'no partner|before they were sent'
    mkdir copied
    try "$PORTOLAN" trace -o copied/t.otf2 mine
    try "$PORTOLAN" trace --summary copied/t.otf2
    gives 'a trace alone becomes an archive as well' 0 "$(grep ' BEGIN$' recorded)"
    # Of examples/patterns/wavefront, by eztrace 2.0: otf2-print counts 12 ENTER, 3 MPI_SEND, 3 MPI_RECV.
    try "$PORTOLAN" trace --summary "$here/eztrace/eztrace_log.otf2"
    gives 'an archive of eztrace is read' 0 '^# comm 0: ranks 0-1$' '^ +4 ENTER$' '^ +8 BEGIN$' \
        '^ +3 SEND$' '^ +3 RECV$' '^ +2 COLLECTIVE$'
    try "$PORTOLAN" diagnose "$here/eztrace/eztrace_log.otf2"
    gives 'and its program recognised' 3 'late sender' 'it looks like pipeline: 2 instances'
    lacks 'with nothing missing' 'is missing|no partner'
    cp -r "$here/eztrace" lost && chmod -R u+w lost && rm lost/eztrace_log/1073741823.evt
    for paradigm in '' '-p pipeline'; do
        # shellcheck disable=SC2086 # no paradigm is no word
        try "$PORTOLAN" diagnose $paradigm lost/eztrace_log.otf2
        gives "a trace of another tool without a rank is refused ($paradigm)" 1 \
            'error: lost/eztrace_log.otf2: nothing is known of 1 of 2 ranks, among them rank 1;'
    done
else
    for n in 1 2 3 4 5 6 7 8 9 10 11; do result "OTF2 is not built in # SKIP" 0; done
fi
try "$PORTOLAN" trials --store heat.db --delete 2-3
[ "$status" = 0 ] && [ ! -e heat.db.traces ] && [ -e mine/1.0.trace ]
result 'a trace beside the store is deleted with its trial, one elsewhere is not' $?

if [ -z "$PORTOLAN_SANITIZED" ]; then
    try "$PORTOLAN" trace -o experiments -n 2 -- "$CALL_PROGRAM_MPI" 5
    try "$PORTOLAN" trace --summary experiments
    gives 'experiments of annotated programs are regions' 0 '^# experiment outer$' '^# experiment inner$' \
        '^ +20 ENTER$' '^ +20 LEAVE$' '^# 0\.0: [0-9]+ events, host [^ ,]+$'
else
    result "a sanitized program cannot be preloaded # SKIP" 0
fi

"$PORTOLAN" trials --store heat.db --delete 1 >/dev/null
try "$PORTOLAN" export --store heat.db -f csv
gives 'a store without trials is told' 1 'no trial'

echo 'int main(void) { return 0; }' >static.c
if cc -static static.c -o static 2>/dev/null; then
    try "$PORTOLAN" trace -o static.d -n 2 -- ./static
    gives 'a static program is refused' 1 'linked statically'
else
    result 'a static program is refused # SKIP no static C library' 0
fi
if command -v "mpicc.$other_mpi" >/dev/null && "mpicc.$other_mpi" ring.c -o other; then
    try "$PORTOLAN" trace -o other.d -n 2 -- ./other
    gives 'so is one of another MPI' 1 'another MPI than'
else
    result 'so is one of another MPI # SKIP there is none here' 0
fi
try "$PORTOLAN" trace -n 2 -- ./ring
gives 'a folder must be named' 2 '--output'
try "$PORTOLAN" trace ring.c
gives 'what is no trace is refused' 1 'ring.c: not a trace; name a folder of'
