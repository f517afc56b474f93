#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs as they are, all ranks in one process: what each has for itself, how they end, and runs
# that a record repeats.
. "$(dirname "$0")/tap.sh"

[ "$MPI" = mpich ] || skip_all "virtual time needs MPICH's header"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all "ranks change stacks, which sanitizers do not know"
plan 50
test=$SOURCE/clue/carrier/test
machines=$SOURCE/examples/clue/machines

run() {
    try "$PORTOLAN" clue run --compute=none --quiet --no-trial "$@"
}

# same NAME WORD...: two ranks print what they print under mpiexec, in whatever order
same() {
    name=$1
    shift
    # shellcheck disable=SC2016 # mpiexec may mix lines: each rank has a file
    "$MPIEXEC" -n 2 sh -c '"$@" >"$0.$PMI_RANK"' "$work/rank" "$@" 2>/dev/null
    sort "$work/rank.0" "$work/rank.1" >"$work/real"
    run -n 2 -- "$@"
    sort "$work/out" | diff "$work/real" - | sed 's/^/# /'
    sort "$work/out" | cmp -s "$work/real" - && [ -s "$work/real" ] && [ "$status" = 0 ]
    result "$name" $?
}

"$MPICC" -O1 -Wno-stringop-overflow "$test/state.c" -o "$work/state"
same 'data, thread-locals, errno, getopt, random numbers' "$work/state" -s 12 -v --size=3 rest -x
try "$PORTOLAN" clue run --compute=none --no-trial -n 2 -- "$work/state" rest
gives 'a timer of the program is told' 0 '2 functions without effect' \
    'a timer of the program runs in real time, and is that of all ranks'
cat >"$work/ticks.c" <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile int ticks, strays;
static void tick(int signal)
{
    int rank;
    (void)signal;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    strays += rank != 0;
    ticks++;
}
int main(void)
{
    struct itimerval every = {{0, 1000}, {0, 1000}}; /* also when the rank has ended */
    int rank, n = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!rank) {
        signal(SIGALRM, tick);
        setitimer(ITIMER_REAL, &every, NULL);
    }
    while (n < 20) {
        n = ticks;
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    printf("rank %d, %s, %d strays\n", rank, ticks ? "ticks" : "no ticks", strays);
    return MPI_Finalize();
}
END
"$MPICC" -O1 "$work/ticks.c" -o "$work/ticks"
run -n 2 -- "$work/ticks"
gives 'the signal of a timer reaches the rank that set it' 0 '^rank 0, ticks, 0 strays$' \
    '^rank 1, no ticks, 0 strays$'
run -n 2 -- /bin/echo hello
{ [ "$status" = 0 ] && [ "$(grep -c '^hello$' "$work/out")" = 2 ]; } ||
    grep -q 'echo.* is not a program for this machine' "$work/err" # tools/aarch64.sh
result 'a rank that closes its output leaves it to the others' $?
cat >streams.c <<'END'
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, saved;
    char name[] = "log.0";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    name[4] += rank;
    saved = dup(1);
    umask(rank ? 077 : 022);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!freopen(name, "w", stdout))
        return 1;
    for (int i = 0; i < 3; i++) {
        printf("rank %d line %d\n", rank, i);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    fflush(stdout);
    dup2(saved, 1);
    if (rank == 0)
        printf("back\n");
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -O1 -w -o streams streams.c || exit 99
try "$PORTOLAN" clue run --compute=none --no-trial --quiet -n 2 -- ./streams
gives 'a rank that redirects its output keeps the others in theirs' 0 '^back$'
try sh -c 'cat log.0 log.1; stat -c %a log.0 log.1'
gives 'each in its file, with its umask' 0 '^rank 0 line 0$' '^rank 0 line 2$' '^rank 1 line 0$' \
    '^rank 1 line 2$' '^644$' '^600$'
strip "$work/state"
same 'the same, stripped' "$work/state" -v rest
if mpicxx.mpich -O1 "$test/cxx.cc" -o "$work/cxx" 2>/dev/null; then
    same 'C++: constructors, exceptions, streams' "$work/cxx"
else
    result 'C++: constructors, exceptions, streams # SKIP no compiler' 0
fi

"$MPICC" -O2 -Wno-stringop-overflow "$SOURCE/bench/clue_stencil.c" -o "$work/stencil" -lm
"$MPIEXEC" -n 1 "$work/stencil" 256 >"$work/real" 2>/dev/null
run -n 1024 -- "$work/stencil" 8
cmp -s "$work/real" "$work/out"
result '1,024 ranks compute what one does' $?

# A library that is not the system's: each rank has its own.
echo 'static int calls; int count_calls(void) { return ++calls; }' >"$work/count.c"
"$MPICC" -shared -fPIC "$work/count.c" -o "$work/libcount.so"
cat >"$work/counts.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int count_calls(void);
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    count_calls();
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d\n", count_calls());
    MPI_Finalize();
    return 0;
}
END
"$MPICC" "$work/counts.c" -o "$work/counts" -L"$work" -lcount -Wl,-rpath,"$work"
same 'a library with state' "$work/counts"
run -n 2 --shared=libcount.so -- "$work/counts"
gives 'that is shared on request' 0 '^4$'
system=/usr/lib/../..$work
"$MPICC" "$work/counts.c" -o "$work/counts" -L"$work" -lcount -Wl,-rpath,"$system"
run -n 2 -- "$work/counts"
gives 'that is of the system' 0 '^4$'
"$MPICC" -shared -fPIC -Wl,--no-as-needed "$work/count.c" -o "$work/libcount.so"
run -n 2 -- "$work/counts"
[ "$(grep -c '^2$' "$work/out")" = 2 ]
result 'that is of the system, but communicates' $?
echo '#include <signal.h>
int main(void) { return raise(SIGKILL); }' >"$work/kill.c"
"$MPICC" "$work/kill.c" -o "$work/kill"
run -n 2 -- "$work/kill"
gives 'a rank kills itself' 137 'error: rank 0, at .*the program kills itself \(SIGKILL\)'

# Clocks are virtual.
cat >"$work/clocks.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct timeval a, b;
    struct timespec c, d;
    double began;
    MPI_Init(&argc, &argv);
    began = MPI_Wtime();
    gettimeofday(&a, NULL);
    clock_gettime(CLOCK_MONOTONIC, &c);
    sleep(1000);
    usleep(500000);
    gettimeofday(&b, NULL);
    clock_gettime(CLOCK_MONOTONIC, &d);
    printf("%.1f %.1f %.1f\n", MPI_Wtime() - began,
           (double)(b.tv_sec - a.tv_sec) + 1e-6 * (double)(b.tv_usec - a.tv_usec),
           (double)(d.tv_sec - c.tv_sec) + 1e-9 * (double)(d.tv_nsec - c.tv_nsec));
    MPI_Finalize();
    return 0;
}
END
"$MPICC" "$work/clocks.c" -o "$work/clocks"
run -- "$work/clocks"
gives 'clocks and sleeping' 0 '^1000\.5 1000\.5 1000\.5$'

# Memory that is freed and used again is not new: its pages cost nothing, as in a process of its own.
cat >"$work/heap.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
int main(int argc, char **argv)
{
    struct rusage first, last;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100; i++) {
        char *volatile data = malloc(1 << 20);
        memset(data, i, 1 << 20);
        free(data);
        MPI_Barrier(MPI_COMM_WORLD);
        getrusage(RUSAGE_SELF, i ? &last : &first);
    }
    printf("%s\n", last.ru_minflt - first.ru_minflt < 2560 ? "kept" : "new each time"); /* of 50,000 */
    MPI_Finalize();
    return 0;
}
END
"$MPICC" "$work/heap.c" -o "$work/heap"
run -n 2 -- "$work/heap"
gives 'memory that is used again' 0 '^kept$'

# A program changes its machine.
cat >"$work/change.c" <<'END'
#include <mpi.h>
#include <portolan/clue.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    double began, times[2], number = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        began = MPI_Wtime();
        if (rank == 0)
            MPI_Send(&number, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&number, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        times[i] = MPI_Wtime() - began;
        if (i == 0 && rank == 0)
            printf("%d %d\n", clue_change("send", NULL, NULL, 10), clue_change("sent", NULL, NULL, 10));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%.0f us, %.0f us\n", 1e6 * times[0], 1e6 * times[1]);
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -I"$SOURCE/clue/carrier" "$work/change.c" -o "$work/change"
cat >"$work/two.xml" <<'END'
<machine name="two">
  <host name="node" count="2"/>
  <send from="*" to="*" d="20us"/>
  <transmission from="*" to="*" d="5us"/>
</machine>
END
# Pages that a message is the first to touch are counted: at least 20 ns for each of 256.
cat >"$work/touch.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
enum { BYTES = 1 << 20, PAGES = 256, PAGE = 4096 };
int main(int argc, char **argv)
{
    static char data[2 * BYTES], old[BYTES];
    double least[2] = {1e9, 1e9};
    char *untouched = calloc(PAGES + 1, PAGE);
    unsigned char is_there[PAGES];
    int rank, n = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++) {
        char *to = i % 2 ? old : mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        double start = MPI_Wtime();
        MPI_Scatter(data, BYTES, MPI_BYTE, to, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
        start = MPI_Wtime() - start;
        least[i % 2] = start < least[i % 2] ? start : least[i % 2];
        MPI_Barrier(MPI_COMM_WORLD);
    }
    mincore(untouched + PAGE - (size_t)untouched % PAGE, PAGES * PAGE, is_there);
    for (int i = 0; i < PAGES - 1; i++)
        n += is_there[i] & 1;
    printf("rank %d: %s, %d of others\n", rank,
           least[0] - least[1] > 5.12e-6 ? "counted" : "not counted", n);
    MPI_Finalize();
    return 0;
}
END
"$MPICC" "$work/touch.c" -o "$work/touch"
try env -u MALLOC_PERTURB_ "$PORTOLAN" clue run --quiet --no-trial -m "$work/two.xml" -n 2 -- "$work/touch"
gives 'pages that a message or a copy touches first' 0 '^rank 0: counted, 0 of others$' '^rank 1: counted, 0 of others$'
run -m "$work/two.xml" -n 2 -- "$work/change"
gives 'a parameter that the program changes' 0 '^0 -1$' '^20 us, 200 us$'

"$MPICC" -g "$test/ends.c" -o "$work/ends"
ends() {
    run -m "$machines/gigabit.xml" -n 4 --stack=256k -- "$work/ends" "$1"
}
ends circle
gives 'a circle of long sends' 1 '4 ranks wait for each other' \
    'rank 3 in MPI_Send at ends.c:37 \(main\) waits for rank 0 to receive 8388608 bytes, tag 3'
ends tag
gives 'a wrong tag' 1 'rank 1 in MPI_Recv at ends.c:41 \(main\) waits for rank 0 to send, tag 5'
ends missing
gives 'a missing collective' 1 'rank 1 in MPI_Barrier at ends.c:43' 'was MPI_Finalize\(\) on rank 0, at ends.c:60'
ends gone
gives 'a rank that is gone' 3 'rank 0 in MPI_Recv at ends.c:47.* waits for rank 1, which has ended'
ends abort
gives 'abort()' 134 'rank 1 after MPI_.* at ends.c:3[0-9] \(main\), at .*: the program calls abort\(\)'
ends fault
gives 'a fault' 139 'rank 1 after .*signal 11 \(Segmentation fault\) at ends.c:51 \(main\)'
ends stack
gives 'a stack that is full' 139 'rank 1 .*stack of 256 KB is full, at ends.c:1[0-9] \(deep\)'
ends thread
gives 'a thread' 1 'rank 1 .*starts a thread'
ends exec
gives 'a rank that becomes another program' 1 '^of a child is here$' \
    'rank 1 after MPI_.* the program calls exec'
printf 'int calls;\nint count(void) { return ++calls; }\n' >"$work/plug.c"
printf 'int host(void);\nint count(void) { return host(); }\n' >"$work/plug2.c"
printf '%s\n' '#include <dlfcn.h>' '#include <mpi.h>' 'int host(void) { return 1; }' \
    'int main(int n, char **words) { MPI_Init(&n, &words); dlopen(words[1], RTLD_NOW); return MPI_Finalize(); }' >"$work/load.c"
"$MPICC" -w -shared -fPIC "$work/plug.c" -o "$work/plug.so"
"$MPICC" -w -shared -fPIC "$work/plug2.c" -o "$work/plug2.so"
"$MPICC" -w "$work/load.c" -o "$work/load" -ldl
try "$PORTOLAN" clue run --compute=none --no-trial -n 2 -- "$work/load" "$work/plug.so"
gives 'a plug-in whose data ranks share' 0 'all ranks share the data of .*plug\.so.*--apart'
try "$PORTOLAN" clue run --compute=none --no-trial -n 2 -- "$work/load" "$work/plug2.so"
gives 'a plug-in that needs the program' 0 'dlopen\(.*plug2\.so\) fails; .*--apart'

# What cannot be folded is told before anything runs.
"$MPICC" -no-pie "$test/ends.c" -o "$work/fixed"
run -n 2 -- "$work/fixed"
gives 'a program at fixed addresses' 1 "fixed' is linked statically or to fixed addresses .*-pie"
run -n 2 -- "$0"
gives 'a script' 1 "cannot run|is not a program for this machine"
run -n 2 -- "$work/none"
gives 'no program' 1 "cannot run '.*none': No such file"
LC_ALL=C sed 's/libmpich\.so\.12/libmpi.so.40.1/' "$work/ends" >"$work/foreign" # of the same length
chmod +x "$work/foreign"
run -n 2 -- "$work/foreign"
gives 'a program of Open MPI' 1 'is made for Open MPI \(it needs libmpi\.so\.40'

# Records: the same again, from a table and without the program; another folder, the same bytes.
fattree=$machines/fattree.xml
try "$PORTOLAN" clue run --no-trial -n 16 -m "$fattree" --record "$work/record" --json "$work/first.json" -- \
    "$work/stencil" 8
virtual='s/.*"virtual_ns": *\([0-9]*\).*/\1/p'
first=$(sed -n "$virtual" "$work/first.json" | head -1)
try "$PORTOLAN" clue run -m "$fattree" --store "$work/portolan.db" --calls "$work/calls" --json "$work/again.json" \
    -- "$work/record"
again=$(sed -n "$virtual" "$work/again.json" | head -1)
[ -n "$first" ] && [ "$first" = "$again" ] && grep -q 'rank 15 .* MPI_Finalize' "$work/calls"
result "a record takes the time of its run ($first, $again ns)" $?
on=$fattree
told() { # FOLDER WORD...: all that a run on machine $on says, in a folder of its own; an archive has an identifier of its own
    rm -f "$work/told.db"
    mkdir "$work/$1"
    (cd "$work/$1" && shift && try "$PORTOLAN" clue run -m "$on" --calls calls \
        --trace trace --otf2 events.otf2 --store "$work/told.db" --quiet "$@" && [ "$status" = 0 ] &&
        try "$PORTOLAN" profile --matrix "$work/told.db" && grep '^ ' "$work/out" >matrix)
}
told one -n 16 --compute="table=$work/record" -- "$work/stencil" 8 &&
    told two -n 16 --compute="table=$work/record" -- "$work/stencil" 8 &&
    diff -r -x events.otf2 "$work/one" "$work/two" && grep -q "[1-9]" "$work/one/matrix"
result 'two runs by table are equal, byte by byte' $?
told three "$work/record" && diff -r -x events.otf2 "$work/one" "$work/three" && grep -q 'rank 0 .* MPI_Waitall from' "$work/one/calls"
result 'and so is what the record says without the program: calls, trace, OTF2, matrix' $?
try "$PORTOLAN" clue run --no-trial -m "$fattree" --repeat 30 -- "$work/record"
gives 'an interval' 0 'virtual time .*\(median [0-9.]+ [um]?s, [0-9.]+ [um]?s \.\.\. [0-9.]+ [um]?s\), 16 ranks'
sed 's!</machine>!<provenance><error of="communication" relative="0.2"/></provenance></machine>!' "$fattree" >"$work/off.xml"
try "$PORTOLAN" clue run --no-trial -m "$work/off.xml" --repeat 30 -- "$work/record"
gives 'which says how far the file is off' 0 'patterns not fitted to \(communication \+- 20 %, computing \+- 0 %\)'
lacks 'a record is not measured again' 'measured runs took'
try "$PORTOLAN" clue run --no-trial -m "$fattree" -n 2 --repeat 5 -- "$work/stencil" 8
gives 'a program is, as one run does not show how runs differ' 0 \
    'virtual time .*\(median .* \.\.\. .*\), 2 ranks' '[2-5] measured runs took [0-9.]+ .?s \.\.\. [0-9.]+ .?s'

# How far a nonblocking collective has come at a call depends on the machine; what it does, does not.
cat >"$work/ahead.c" <<'END'
#include <mpi.h>
static void compute(int n)
{
    for (volatile int i = 0; i < 1000 * n; i++)
        ;
}
int main(int argc, char **argv)
{
    static double a[4096], b[4096], c[64], d[64], e[8], f[4096], sum;
    int me, n, index, last[6];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; i < 4; i++) {
        MPI_Request r[6];
        MPI_Iallreduce(a, b, i % 2 ? 4096 : 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
        compute((7 * me + i) % 5);
        MPI_Ibcast(e, 8, MPI_DOUBLE, i, MPI_COMM_WORLD, &r[1]);
        MPI_Ialltoall(c, 16, MPI_DOUBLE, d, 16, MPI_DOUBLE, MPI_COMM_WORLD, &r[2]);
        compute((3 * me + i) % 7);
        MPI_Isend(a, 1, MPI_DOUBLE, (me + 1) % n, 1, MPI_COMM_WORLD, &r[3]);
        MPI_Irecv(b, 1, MPI_DOUBLE, (me + n - 1) % n, 1, MPI_COMM_WORLD, &r[4]);
        MPI_Allreduce(a, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        MPI_Sendrecv(a, 1, MPI_DOUBLE, (me + 1) % n, 2, b, 1, MPI_DOUBLE, (me + n - 1) % n, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ibarrier(MPI_COMM_WORLD, &r[1]);
        compute((5 * me + i) % 4);
        MPI_Isend(a, i % 2 ? 4096 : 1, MPI_DOUBLE, (me + 1) % n, 3, MPI_COMM_WORLD, &r[5]);
        MPI_Request_free(&r[5]);
        MPI_Irecv(f, 4096, MPI_DOUBLE, (me + n - 1) % n, 3, MPI_COMM_WORLD, &r[5]);
        MPI_Waitall(4, r + 1, MPI_STATUSES_IGNORE);
        MPI_Waitall(1, r + 5 * (i % 2), MPI_STATUSES_IGNORE);
        if (i == 1)
            MPI_Waitsome(6, r, &index, last, MPI_STATUSES_IGNORE);
        else
            MPI_Waitany(6, r, &index, MPI_STATUS_IGNORE);
    }
    compute(20);
    MPI_Alltoall(a, 64, MPI_DOUBLE, b, 64, MPI_DOUBLE, MPI_COMM_WORLD); /* copies a block, too */
    compute(30);
    if (me < 2) { /* both sends end at once, or the second before the first */
        MPI_Request r[2];
        for (int i = 0; i < 2 && !me; i++)
            MPI_Isend(a, 4096, MPI_DOUBLE, 1, 4 + i, MPI_COMM_WORLD, &r[i]);
        if (me)
            MPI_Recv(b, 4096, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        compute(50);
        if (me)
            MPI_Recv(f, 4096, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
    return MPI_Finalize();
}
END
"$MPICC" -w "$work/ahead.c" -o "$work/ahead"
cat >"$work/slow.xml" <<'END'
<machine name="slow">
  <host name="node" count="4" receive="3us" packing="0.02"/>
  <send from="*" to="*" k="0.5" d="10us"/>
  <transmission from="*" to="*" k="11" d="55us"/>
</machine>
END
cat >"$work/handshakes.xml" <<'END'
<machine name="handshakes">
  <host name="node" count="4"/>
  <network model="queue" topology="crossbar" bandwidth="125MB/s" latency="4us" eager="1KB"/>
</machine>
END
try "$PORTOLAN" clue run -m "$fattree" -n 4 --no-trial --record "$work/ahead.record" -- "$work/ahead"
for machine in slow gigabit handshakes; do
    on=$machines/$machine.xml
    [ -f "$on" ] || on=$work/$machine.xml
    told "$machine-table" -n 4 --compute="table=$work/ahead.record" -- "$work/ahead" && mv "$work/ahead" "$work/away" &&
        told "$machine-record" "$work/ahead.record" && diff -r -x events.otf2 "$work/$machine-table" "$work/$machine-record" &&
        grep -q 'rank 3 .* MPI_Ialltoall' "$work/$machine-record/calls"
    result "with nonblocking collectives a record of another machine says what the program says on '$machine'" $?
    mv "$work/away" "$work/ahead" # it was not needed
done
cat >"$work/any.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    printf("over\n");
    return 0;
}
END
"$MPICC" "$work/any.c" -o "$work/any"
try "$PORTOLAN" clue run -m "$work/two.xml" -n 2 --no-trial --compute=none --repeat=3 --calls "$work/any.calls" \
    --record "$work/any.record" -- "$work/any"
gives 'a course that depends on time: the program runs again' 0 'virtual time +([0-9.]+ us) \(median \1, \1 \.\.\. \1\)' \
    'the program ran again 3 times, because its course depended on time'
try "$PORTOLAN" clue run -m "$work/two.xml" --no-trial --repeat=3 -- "$work/any.record"
gives 'and with its record' 0 'the program ran again 3 times'
run -m "$fattree" --record "$work/more" -- "$work/record"
gives 'a record is not recorded' 1 'is a record already; only programs can be recorded'
run -m "$fattree" -n 8 -- "$work/record"
gives 'a record has its ranks' 1 'is the record of 16 ranks, not 8'
head -c 5000 "$work/record" >"$work/half"
run -m "$fattree" -- "$work/half"
gives 'a damaged record' 1 'damaged; record it again'
run -n 2 --compute=tables -- "$work/stencil"
gives 'a way to compute that there is not' 2 "unknown way to compute 'tables'; did you mean 'table'"

# The first repetition ends who repeats: nothing is left of it.
cat >"$work/kills.c" <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&argc, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!rank && access(argv[1], F_OK) == 0)
        kill(getppid(), SIGTERM);
    else if (!rank)
        fclose(fopen(argv[1], "w"));
    MPI_Finalize();
    return 0;
}
END
"$MPICC" "$work/kills.c" -o "$work/kills"
mkdir "$work/temporary"
TMPDIR=$work/temporary run --repeat 2 -n 2 -- "$work/kills" "$work/was_there"
[ "$status" = 143 ] && [ -z "$(ls "$work/temporary")" ]
result 'repetitions that are ended leave no files' $?
