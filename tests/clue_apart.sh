#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that are processes: the same virtual time as folded ones, what these cannot run, real hosts,
# and processes that end before their time.
. "$(dirname "$0")/tap.sh"

[ "$MPI" = mpich ] || skip_all "virtual time needs MPICH's header"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all "ranks change stacks, which sanitizers do not know"
plan 39
test=$SOURCE/clue/mpi/test
machine=$SOURCE/examples/clue/machines/gigabit.xml
run() {
    try "$PORTOLAN" clue run --no-trial --quiet "$@"
}
apart() {
    run --apart --compute=none "$@"
}

# equal NAME OPTION... -- PROGRAM: a folded and an apart run say the same, byte by byte.
there=$machine
equal() {
    name=$1
    shift
    run -m "$machine" --calls "$work/folded.calls" --json "$work/folded.json" \
        --record "$work/folded.record" "$@"
    folded=$status
    mv "$work/out" "$work/folded"
    run --apart -m "$there" --calls "$work/calls" --json "$work/json" \
        --record "$work/record" "$@"
    [ "$folded" = 0 ] && [ "$status" = 0 ] && [ -s "$work/calls" ] &&
        cmp "$work/folded" "$work/out" && cmp "$work/folded.calls" "$work/calls" &&
        diff "$work/folded.json" "$work/json" &&
        cmp "$work/folded.record" "$work/record"
    result "$name" $?
}
for name in messages communicators collectives one_sided mistakes; do
    "$MPICC" -g -O1 -w "$test/$name.c" -o "$work/$name"
done
equal 'messages' -n 2 --compute=none -- "$work/messages"
equal 'communicators' -n 4 --compute=none -- "$work/communicators"
equal 'collectives' -n 2 --compute=none -- "$work/collectives"
equal 'one-sided communication' -n 2 --compute=none -- "$work/one_sided"
cat >"$work/node.xml" <<'END'
<machine name="node"> <host name="node" cpus="2"/> <send from="*" to="*" d="5us"/> <transmission from="*" to="*" d="1us"/> </machine>
END
equal 'windows in the memory of a host' -m "$work/node.xml" -n 2 --compute=none -- "$work/one_sided"
if [ -x "$BUILD/clue/pvm/pvm_farm" ]; then
    equal 'PVM: tasks that are spawned' -n 1 --compute=none -- "$BUILD/clue/pvm/pvm_farm" 3
    equal 'PVM: groups, mailboxes, notices' -n 1 --share --compute=none -- "$BUILD/clue/pvm/pvm_everything"
else
    result 'PVM: tasks # SKIP it is not installed' 0
    result 'PVM: groups # SKIP it is not installed' 0
fi

# Bursts are known by where calls stand, also in libraries, wherever they are loaded.
cat >"$work/ring.c" <<'END'
#include <mpi.h>
void ring(int *token)
{
    int rank, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Sendrecv_replace(token, 1, MPI_INT, (rank + 1) % n, 0, (rank + n - 1) % n, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
END
cat >"$work/rings.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <time.h>
void ring(int *token);
int main(int argc, char **argv)
{
    int token;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &token);
    for (int i = 0; i < 20; i++)
        ring(&token);
    printf("%d after %.9f s, %ld\n", token, MPI_Wtime(), (long)time(NULL));
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -g -shared -fPIC "$work/ring.c" -o "$work/libring.so"
"$MPICC" -g "$work/rings.c" -o "$work/rings" -L"$work" -lring -Wl,-rpath,"$work"
run -m "$machine" -n 2 --record "$work/measured" -- "$work/rings"
equal 'computing by a table' -n 2 --compute=table="$work/measured" -- "$work/rings"
run --apart -m "$machine" -n 2 --json "$work/measured.json" -- "$work/rings"
gives 'computing that is measured' 0 '^0 after 0\.[0-9]*[1-9]' '^1 after'
grep -q '"computing_ns": *[1-9]' "$work/measured.json"
result 'it takes time' $?

# What folded ranks cannot do.
"$MPICC" -g -no-pie -O1 "$SOURCE/clue/carrier/test/ends.c" -o "$work/ends"
run -n 2 --compute=none -- "$work/ends"
gives 'a program at fixed addresses is told the remedy' 1 "ends' is linked .* run it with --apart"
apart -n 2 -- "$work/ends"
gives 'it runs' 0
"$MPICC" -g "$SOURCE/clue/carrier/test/apart.c" -o "$work/threads" -pthread
run -n 2 --compute=none -- "$work/threads"
gives 'threads are told the remedy' 1 'starts a thread, .* run it with --apart'
apart -n 2 -- "$work/threads"
gives 'threads, a fork, clocks' 0 \
    '^rank 0: level serialized, sum 44, from the other 1, child 7, slept 1000\.0$' \
    '^rank 1: level serialized, sum 44, from the other 0, child 7, slept 1000\.0$'
echo 'int main(void) { return 0; }' >"$work/static.c"
cc -static "$work/static.c" -o "$work/static"
apart -n 2 -- "$work/static"
gives 'a static program' 1 "static' is linked statically; link it dynamically"

# Ends.
apart -n 2 -- "$work/threads" kill
gives 'a rank that is killed' 137 \
    'rank 1 after MPI_Sendrecv at apart\.c:[0-9]+ \(talk\), at .*: its process was ended by signal 9 \(Killed\)'
try "$PORTOLAN" clue run --apart --no-trial -n 2 -- "$work/threads"
lacks 'threads that hardly compute are no matter' 'only spun'
try "$PORTOLAN" clue run --apart --no-trial -n 2 -- "$work/threads" spin
gives 'a run says that it cannot tell whether threads compute' 0 \
    "processor time of a rank's threads is computing, also if they only spun"
apart -n 2 -- "$work/threads" other
gives 'one that is killed while another computes' 137 \
    'rank 1 in MPI_Recv at apart\.c:[0-9]+ \(kill_other.*\), at .*: its process was ended by signal 9 \(Killed\)'
apart -n 2 -- "$work/ends" fault
gives 'a fault' 139 'rank 1 after .*signal 11 \(Segmentation fault\) at ends\.c:51 \(main\)'
apart -n 2 -- "$work/mistakes" root
gives 'collectives that differ' 1 \
    'rank 0 in MPI_Bcast at mistakes\.c:[0-9]+ .*collectives differ: .* MPI_Bcast\(root 1, 8 bytes\) on rank 1, at mistakes\.c:[0-9]+'
apart -n 2 -- "$work/ends" exec
gives 'a rank that becomes another program' 1 'of a rank is here' 'rank 1 after .* ended with status 0 without exit'
apart -n 2 -- "$work/ends" gone
gives 'a rank that is gone' 3 'rank 0 in MPI_Recv at ends\.c:47.* waits for rank 1, which has ended'
run --apart --compute=none -m "$machine" -n 4 -- "$work/ends" circle
gives 'a circle of long sends' 1 '4 ranks wait for each other' \
    'rank 3 in MPI_Send at ends\.c:37 \(main\) waits for rank 0 to receive 8388608 bytes, tag 3'

# Processes of ranks end with portolan-clue, even if that is killed.
mkfifo "$work/pids"
"$PORTOLAN" clue run --apart --compute=none --no-trial -n 2 -- "$work/threads" stay >"$work/pids" 2>/dev/null &
server=$!
exec 3<"$work/pids"
read -r _ rank <&3
kill -KILL "$server"
wait "$server" 2>/dev/null
# shellcheck disable=SC2016
timeout 60 sh -c 'while grep "^State:" "/proc/$1/status" 2>/dev/null | grep -qv Z; do :; done' sh "$rank"
result 'no process is left when portolan-clue is killed' $?
exec 3<&-

# Real hosts: this one, with a script as rsh.
cat >"$work/hosts.xml" <<'END'
<machine name="mixed">
  <host name="node"/>
  <host name="localhost" factor="0"/>
  <send from="*" to="*" d="20us"/>
  <transmission from="*" to="*" d="5us"/>
</machine>
END
cat >"$work/rsh" <<'END'
#!/bin/sh
echo "to $1" >&2
shift
printf '%s\n' "$@" >>"$SAID"
exec sh -c "$*"
END
chmod +x "$work/rsh"
export PORTOLAN_CLUE_RSH="$work/rsh" SAID="$work/said"
apart -m "$work/hosts.xml" -n 2 -- "$work/rings" "it's"
gives 'a rank on a real host' 0 '^to localhost$' '^0 after 0\.000500000 s' '^1 after 0\.000500000 s'
grep -q 'rings' "$work/said" && ! grep -qE '[0-9a-f]{32}|tcp:' "$work/said"
result 'its command line tells no secret' $?
apart -m "$work/hosts.xml" -n 2 -- "$work/threads" kill
gives 'it is killed' 137 'rank 1 after MPI_Sendrecv at apart\.c:[0-9]+ .*ended by signal 9'
PORTOLAN_CLUE_RSH=false apart -m "$work/hosts.xml" -n 2 -- "$work/rings"
gives 'a real host that does not answer' 1 "rank 1 was not started on the real host 'localhost' .*'false localhost' ended with status 1"
run -m "$work/hosts.xml" -n 2 --compute=none -- "$work/rings"
gives 'real hosts need --apart' 1 "rank 1 is on 'localhost', a real host .* add --apart"

# What ranks share is copied to and from real hosts.
cat >"$work/both.xml" <<'END'
<machine name="both">
  <host name="node" receive="2us"/>
  <host name="localhost" factor="0" cpus="2" receive="2us"/>
  <send from="*" to="*" d="20us"/>
  <transmission from="*" to="*" d="5us"/>
</machine>
END
machine=$work/virtual.xml there=$work/both.xml
sed 's/ factor="0"//' "$there" >"$machine"
equal 'one-sided communication with a real host' -n 3 --compute=none -- "$work/one_sided"
apart -m "$there" -n 2 -- "$work/mistakes" hosts
gives 'memory of several hosts' 1 \
    'rank [01] in MPI_Win_allocate_shared at mistakes\.c:[0-9]+ .*ranks of the window are on several hosts'
apart -m "$there" -n 2 -- "$work/mistakes" root
gives 'collectives that differ there' 1 'rank [01] in MPI_Bcast at mistakes\.c:[0-9]+ .*collectives differ'
if [ -x "$BUILD/clue/pvm/pvm_farm" ]; then
    equal 'PVM: tasks on a real host' -n 1 --share --compute=none -- "$BUILD/clue/pvm/pvm_farm" 3 localhost
    equal 'PVM: groups, mailboxes, notices there' -n 1 --share --compute=none -- "$BUILD/clue/pvm/pvm_everything"
    run -m "$there" -n 1 --compute=none -- "$BUILD/clue/pvm/pvm_farm" 1
    gives 'PVM: they need --apart' 1 "rank 0 in pvm_spawn at farm\.c:[0-9]+ .* 'localhost', a real host .* add --apart"
    PORTOLAN_CLUE_RSH=false
    try "$PORTOLAN" clue run --apart --no-trial --compute=none -m "$there" -n 1 -- "$BUILD/clue/pvm/pvm_farm" 1
    gives 'PVM: a real host that is down is told' 0 '^mistake +rank 1 was not started on the real host' '^virtual time .*, 1 rank on'
else
    for name in tasks everything remedy down; do
        result "PVM: $name # SKIP it is not installed" 0
    done
fi

apart --shared=libring.so -n 2 -- "$work/rings"
gives 'wrong use' 2 '--private, --shared and --skip need all ranks in one process'
apart -n 64 -- "$work/rings"
[ "$(grep -c ' after ' "$work/out")" = 64 ]
result '64 ranks' $?
