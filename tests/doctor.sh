#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What `portolan doctor` finds is what other commands meet; what is taken away it misses, whatever
# this machine has.
. "$(dirname "$0")/tap.sh"
plan 15

cd "$work" || exit 99
unset OMP_NUM_THREADS
export XDG_CACHE_HOME="$work"

# state NAME: what the last --json says of it.
state() {
    python3 -c 'import json, sys
print([f["state"] for f in json.load(open(sys.argv[1]))["findings"] if f["name"] == sys.argv[2]][0])' "$work/out" "$1"
}
# is NAME STATE...: the last --json has these states, in pairs.
is() {
    good=0 name=$1
    shift
    while [ $# -gt 0 ]; do
        seen=$(state "$1")
        [ "$seen" = "$2" ] || { good=1; echo "# $1 is $seen, not $2"; }
        shift 2
    done
    result "$name" "$good"
}

try "$PORTOLAN" doctor --ranks=1
sed -n 's/^counters  *[a-z]*  //p' out >counters
gives 'each line says how it is' "$(grep -Eq '^[A-Za-z ]{13} lack ' out && echo 1 || echo 0)" \
    '^MPI +(fine)  MPI' '^cores +fine  [0-9]+ for 1 rank$' '^launcher +(fine  [a-z./]+ starts ranks|lack  [^@]*)$' '^swaps +(fine|lack)  ' '^store +(fine|note|lack)  '
# A run keeps the same words with its trial.
"$PORTOLAN" run --quiet --store=run.db --path="$BUILD/examples/paper" "$BUILD/examples/paper/paper.xml" >run.out 2>&1 ||
    cat run.out
try sqlite3 run.db "SELECT value FROM primary_metadata WHERE name = 'counters' LIMIT 1"
cmp -s out counters
result 'counters are described as in a trial' $?

OMP_NUM_THREADS=3 try "$PORTOLAN" doctor --json --ranks=100000
is 'more ranks than cores' cores note threads note
gives 'and what helps' "$(grep -q '"lack"' "$work/out" && echo 1 || echo 0)" 'start at most [0-9]+ ranks' 'OMP_NUM_THREADS=1"'
OMP_NUM_THREADS=100000 try "$PORTOLAN" doctor --json
is 'more threads than cores' threads note cores fine
PORTOLAN_VIRTUAL_MACHINE=none try "$PORTOLAN" doctor --json
is 'a clock that is not the counter of the processor' clock note
try "$PORTOLAN" doctor --json --store="$work/nowhere/x.db"
is 'a folder that is not there' store lack
gives 'is missing: exit status 1' 1 'nowhere'
echo 'no data base' >text.db
try "$PORTOLAN" doctor --json --store=text.db
is 'a file that is no store' store lack
try "$PORTOLAN" doctor --json --store=run.db
case $(state store) in fine | note) good=0 ;; *) good=1 ;; esac
result 'a store' $good
PORTOLAN_PATH=/nowhere try "$PORTOLAN" doctor --json
is 'no components' components lack
OMPI_COMM_WORLD_RANK=0 MPIRUN_RANK=0 MPIRUN_NPROCS=2 try "$PORTOLAN" doctor --json
[ "${MPI:-mpich}" = openmpi ] || is 'the launcher of another MPI' MPI lack
[ "${MPI:-mpich}" != openmpi ] || result 'the launcher of another MPI' 0

# The kernel's answer to membarrier(2), as in a container that forbids it.
cat >refuse.c <<'C'
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    va_list args;
    long a[6];

    if (number == SYS_membarrier) {
        errno = ENOSYS;
        return -1;
    }
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
C
if [ -n "${PORTOLAN_SANITIZED:-}" ]; then
    echo "ok 13 - no membarrier # SKIP sanitizers must be loaded first"
    tests_run=13
else
    "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC refuse.c -o refuse.so
    LD_PRELOAD=$work/refuse.so try "$PORTOLAN" doctor --json
    is 'no membarrier' swaps lack
fi

try "$MPIEXEC" -n 3 "$PORTOLAN" doctor --json
gives 'on ranks one of them tells' "$(grep -q '"lack"' "$work/out" && echo 1 || echo 0)" '3 ranks were started, on 1 host' '[0-9]+ for 3 ranks'
try "$PORTOLAN" doctor now
gives 'wrong usage' 2 'Too many arguments|was also given'
