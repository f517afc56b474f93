#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Generated proxies below libraries of others: CVODE behind a proxied linear solver, SQLite on a
# proxied VFS, LAPACK over a front for BLAS, a model behind the Basic Model Interface. The programs
# (tests/proxies) give the same output with proxies as without; what the proxies counted is what
# the libraries count themselves, what the kernel saw, or what functions written by hand counted.
# shellcheck source=tests/tap.sh
. "$SOURCE/tests/tap.sh"
plan 35

proxies=$SOURCE/tests/proxies
headers=$SOURCE/proxygen/test/headers # bmi.h
lib=/usr/lib/$(gcc -print-multiarch)
flags="-std=gnu17 -O2 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -I$proxies -I$headers"
include="-I$SOURCE/base -I$SOURCE/probe -I$SOURCE/framework -I$SOURCE/sidl/runtime
    -I$BUILD/sidl/runtime -I$SOURCE/proxygen/runtime"
portolan="-L$BUILD/framework -lportolan -Wl,-rpath,$BUILD/framework"
sanitize=''
[ -z "${PORTOLAN_SANITIZED:-}" ] || sanitize=-fsanitize=address,undefined
export ASAN_OPTIONS=detect_leaks=0
cd "$work" || exit 1

# skip N REASON
skip() {
    for _ in $(seq "$1"); do
        tests_run=$((tests_run + 1))
        echo "ok $tests_run # SKIP $2"
    done
}

# has WORDS...: a C program can be made with these.
has() {
    echo 'int main(void) { return 0; }' >has.c
    # shellcheck disable=SC2086
    cc has.c -o has -Wl,--no-as-needed "$@" 2>/dev/null
}

# build NAME INCLUDED GENERATED LIBRARIES: NAME.plain and NAME.proxied, the latter's generated code
# with both compilers.
build() {
    name=$1
    # shellcheck disable=SC2086 # lists of words
    try cc $flags $sanitize "$proxies/$1.c" -o "$1.plain" $4
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || compiler=clang-14
        # shellcheck disable=SC2086
        try $compiler $flags $include $2 -I. -c "$3" -o object.o
        gives "$1: what is generated compiles with $compiler" 0
    done
    # shellcheck disable=SC2086
    try cc $flags $sanitize $include $2 -I. "$proxies/$1.c" "$3" -o "$1.proxied" $4 $portolan
    gives "$1: and is linked" 0
}

# same NAME: the two outputs are the same.
same() {
    [ -s plain ] && cmp plain proxied
    result "$1" $?
}

# list_calls: "FUNCTION N" from the TAU profile, contexts and call paths left out.
list_calls() {
    grep -v -e '=>' -e 'TAU_PARAM' profile.0.0.0 |
        sed -n 's/^".*::\([A-Za-z0-9_]*\)()" \([0-9]*\) .*/\1 \2/p' | sort
}

# counted FILE NAME
counted() {
    list_calls >calls
    sort "$1" | diff - calls >out
    result "$2" $?
}

# ---------------------------------------------------------------- CVODE

cvode='-lsundials_cvode -lsundials_nvecserial -lsundials_sunlinsoldense -lsundials_sunlinsolspgmr
    -lsundials_sunmatrixdense -lm'
# shellcheck disable=SC2086
if ! has $cvode; then
    skip 12 'SUNDIALS is not here'
else
    # shellcheck disable=SC2153
    try "$PORTOLAN" proxygen sundials/sundials_linearsolver.h --port SUNLinearSolver -o solver
    gives 'the table of SUNDIALS linear solvers is taken whole' 0 '15 of 15 methods'
    build cvode '-DPROXY="solver/SUNLinearSolver_proxy.h"' solver/SUNLinearSolver_proxy.c "$cvode"
    for problem in robertson diffusion preconditioned; do
        ./cvode.plain $problem counts >plain
        rm -f profile.*
        ./cvode.proxied $problem none >proxied 2>err
        same "CVODE computes the same: $problem"
        counted counts 'and each operation is counted as by hand'
    done
    # In the last run each set-up of CVODE's is one of the solver's.
    setups=$(sed -n 's/.*setups \([0-9]*\) .*/\1/p' proxied)
    grep -q "^setup $setups$" calls
    result "set-ups are those that CVODE counts: $setups" $?
    ./cvode.plain robertson counts >plain
    solves=$(sed -n 's/.*nonlinear \([0-9]*\) .*/\1/p' plain)
    rm -f profile.*
    ./cvode.proxied robertson none >proxied
    list_calls | grep -q "^solve $solves$"
    result "so are solves, with a direct solver: $solves" $?
fi

# ---------------------------------------------------------------- SQLite

# written: bytes by the profile's contexts of xWrite.
written() {
    sed -n 's/^"[^>]*::xWrite() \[ <iAmt> = <\([0-9]*\)> \]" \([0-9]*\) .*/\1 \2/p' profile.0.0.0 |
        awk '{ n += $1 * $2 } END { printf "%d\n", n }'
}

if ! has -lsqlite3; then
    skip 11 'SQLite is not here'
else
    cat >side <<'SIDE'
xOpen.gives: argument_2 sqlite3_file
xCurrentTimeInt64.since: 2
xSetSystemCall.since: 3
sqlite3_file.xRead: iAmt
sqlite3_file.xWrite: iAmt
sqlite3_file.xClose.destroys:
sqlite3_file.xShmMap.since: 2
sqlite3_file.xFetch.since: 3
SIDE
    try "$PORTOLAN" proxygen sqlite3.h --port sqlite3_vfs --context side -o vfs
    gives 'the VFS and the files that it opens are taken' 0 '16 of 16' '18 of 18'
    build sqlite '-DPROXY="vfs/sqlite3_vfs_proxy.h"' vfs/sqlite3_vfs_proxy.c -lsqlite3
    for mode in delete wal mmap; do
        rm -f profile.* plain.db* proxied.db*
        ./sqlite.plain plain.db $mode >plain 2>plain.err
        ./sqlite.proxied proxied.db $mode >proxied 2>err
        grep -q '^integrity_check=ok$' plain && cmp plain.db proxied.db
        same "SQLite answers and writes the same: $mode"
        # The map of a log in shared memory is made by xShmMap, a byte for each page of it.
        bytes=$(sed -n 's/^written //p' err) shared=0
        [ $mode != wal ] || shared=8
        [ "$(written)" = $((bytes - shared)) ] || echo "# $(written) of $bytes bytes"
        [ "$(written)" = $((bytes - shared)) ]
        result "the kernel saw the bytes of xWrite: $(written)" $?
    done
    list_calls | grep -q '^xFetch [1-9]'
    result 'with a map, pages are fetched' $?
fi

# ---------------------------------------------------------------- LAPACK

lapack=$lib/lapack/liblapack.so.3
libraries=''
for library in blas openblas-serial blis-serial atlas; do
    [ ! -e "$lib/$library/libblas.so.3" ] || libraries="$libraries $lib/$library/libblas.so.3"
done
if [ -n "${PORTOLAN_SANITIZED:-}" ]; then
    skip 6 'sanitizers do not get along with RTLD_DEEPBIND'
elif ! [ -e "$lapack" ] || [ -z "$libraries" ]; then
    skip 6 'reference LAPACK is not here'
else
    try "$PORTOLAN" proxygen "$proxies/blas.h" --functions '*' --port blas --front -o front
    gives 'a list of Fortran routines becomes a front' 0 '6 of 6 methods'
    build lapack '-DFRONT="front/blas_functions.h"' front/blas_front.c \
        "$lapack -Wl,-rpath,${lapack%/*} -lm"
    : >plain
    : >all
    for library in $libraries; do
        LD_PRELOAD=$library ./lapack.plain 300 counts >>plain
        cat counts >>all
    done
    awk '{ n[$1] += $2 } END { for (f in n) print f, n[f] }' all | sort >counts
    rm -f profile.*
    # shellcheck disable=SC2086
    ./lapack.proxied 300 none $libraries >proxied 2>err
    same 'LAPACK solves the same over one BLAS after the other'
    list_calls | grep -E '^(dgemm|dtrsm|dsyrk)_ ' | diff counts - >out
    result "and calls it as often as counted by hand" $?
fi

# ---------------------------------------------------------------- the Basic Model Interface

try "$PORTOLAN" proxygen "$headers/bmi.h" --port Bmi -o bmi
gives 'the Basic Model Interface is taken whole' 0 '41 of 41 methods'
build bmi '-DPROXY="bmi/Bmi_proxy.h"' bmi/Bmi_proxy.c ''
rm -f profile.*
./bmi.plain >plain
./bmi.proxied >proxied 2>err
same 'coupled models compute the same behind proxies'
cat >counts <<'COUNTS'
first update 500
first get_value_ptr 501
first set_value_at_indices 500
second update 500
second update_until 1
COUNTS
sed -n 's/^"\([a-z]*\) (Bmi)::\([A-Za-z_]*\)()" \([0-9]*\) .*/\1 \2 \3/p' profile.0.0.0 >calls
good=0
while read -r line; do grep -qx "$line" calls || good=1; done <counts
result 'each under its own name, as often as the driver called it' $good
