#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `portolan wrap` on programs that Debian built: numpy calling BLAS, Python's zlib module, the
# sqlite3 shell. What they print and write is the same as without, what was stored is what they
# called, counted by hand as well (tests/wrapped/count.c); and BLAS is exchanged while numpy runs.
# shellcheck source=tests/tap.sh
. "$SOURCE/tests/tap.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] ||
    skip_all 'a sanitized front cannot be preloaded into a program that is not'
plan 19

wrapped=$SOURCE/tests/wrapped
store=$work/store.db
python=/usr/bin/python3
export XDG_CACHE_HOME="$work/cache"

# links FILE LIBRARY: the dynamic linker, not the compiler, puts LIBRARY into FILE.
links() {
    [ -e "$1" ] && readelf -d "$1" 2>/dev/null | grep -q "NEEDED.*\[$2\]"
}

# skip N REASON
skip() {
    for _ in $(seq "$1"); do
        tests_run=$((tests_run + 1))
        echo "ok $tests_run # SKIP $2"
    done
}

# counted FILE NAME: the store has exactly the calls that FILE has, of each function in it.
counted() {
    good=1
    [ ! -s "$1" ] || good=0
    while read -r function calls; do
        stored=$(sqlite3 "$store" "SELECT sum(calls) FROM sample WHERE method = '$function'")
        [ "$stored" = "$calls" ] || {
            echo "# $function: stored $stored, counted $calls"
            good=1
        }
    done <"$1"
    result "$2" "$good"
}

# wrap WORDS...: into a fresh store.
wrap() {
    rm -f "$store"*
    try "$PORTOLAN" wrap --store "$store" "$@"
}

cc -std=gnu17 -D_GNU_SOURCE -O1 -fPIC -shared "$wrapped/count.c" -o "$work/count.so" \
    -Wl,--no-as-needed -lblas -lz -lsqlite3 2>"$work/err" || skip_all "the counts by hand cannot be built: $(head -n 1 "$work/err")"

# ---------------------------------------------------------------- numpy and BLAS

module=$($python -c 'import numpy.core._multiarray_umath as m; print(m.__file__)' 2>/dev/null)
lib=/usr/lib/$(gcc -print-multiarch)
libraries=''
for library in openblas-serial/libblas.so.3 blis-serial/libblas.so.3 atlas/libblas.so.3 \
    blas/libblas.so.3; do
    [ ! -e "$lib/$library" ] || libraries="$libraries ${library%%/*}=$lib/$library"
done
if ! links "$module" libblas.so.3; then
    skip 8 'python3-numpy is not here, or not linked dynamically with BLAS'
else
    COUNTS=$work/counts LD_PRELOAD=$work/count.so $python "$wrapped/blas.py" 150 \
        >"$work/plain" 2>"$work/asked"
    sed 's/^/cblas_d/' "$work/asked" >"$work/expected"
    sort "$work/counts" | cmp -s - "$work/expected"
    result 'numpy calls BLAS once for each product' $?
    echo 'cblas_dgemm: M, N, K' >"$work/context"
    wrap -f 'cblas_*' -H cblas.h -c "$work/context" -- $python "$wrapped/blas.py" 150
    cmp -s "$work/plain" "$work/out"
    result 'numpy, wrapped, has the same results' $?
    gives 'all of them right' 0 '^wrong 0$' 'cblas_dgemm +own +150 calls'
    counted "$work/expected" 'and the calls stored are those made'
    stored=$(sqlite3 "$store" "SELECT min(parameter_value) >= 2 AND max(parameter_value) < 32,
        group_concat(DISTINCT parameter_name) FROM call_context
        WHERE parameter_name IN ('M', 'N', 'K')")
    [ "$stored" = '1|M,N,K' ] || echo "# stored $stored"
    [ "$stored" = '1|M,N,K' ]
    result 'dgemm by the sizes of its matrices' $?
    # Each exchange is asked for by the program's own script, and waited for with calls.
    words='' names=''
    for library in $libraries; do
        words="$words --lib $library" names="$names ${library%%=*}"
    done
    # shellcheck disable=SC2086 # lists of words
    wrap -f 'cblas_*' -H cblas.h $words --lib own --control "$work/control" -- \
        $python "$wrapped/blas.py" 150 "$work/control" $names own
    # shellcheck disable=SC2086,SC2046
    gives 'libraries are exchanged between calls, and each call is right' 0 '^wrong 0$' \
        $(for name in $names own; do echo "^$name.*use.cblas:.$name$"; done)
    grep -E '^(dot|gemm|gemv|syrk) ' "$work/err" | sed 's/^/cblas_d/' >"$work/expected"
    counted "$work/expected" 'no call is lost or counted twice'
    # shellcheck disable=SC2086
    expected=$(printf '%s\n' $names own | sort | tr '\n' ' ')
    stored=$(sqlite3 "$store" "SELECT implementation FROM sample WHERE method = 'cblas_dgemm'
        GROUP BY implementation HAVING sum(calls) >= 150 ORDER BY implementation" | tr '\n' ' ')
    [ "$stored" = "$expected" ] || echo "# stored '$stored', not '$expected'"
    [ "$stored" = "$expected" ]
    result "each of them was called:$names" $?
fi

# ---------------------------------------------------------------- Python's zlib module

module=$($python -I -S -c 'import sys, zlib; print(getattr(zlib, "__file__", sys.executable))' \
    2>/dev/null)
if ! links "$(readlink -f "${module:-/none}")" libz.so.1; then
    skip 5 "Python's zlib module is not linked dynamically with zlib"
else
    $python -I -S "$wrapped/zlib_module.py" >"$work/plain" 2>"$work/asked"
    COUNTS=$work/counts LD_PRELOAD=$work/count.so $python -I -S "$wrapped/zlib_module.py" \
        >/dev/null 2>&1
    wrap -f '*' -H zlib.h -- $python -I -S "$wrapped/zlib_module.py"
    cmp -s "$work/plain" "$work/out"
    result 'zlib, wrapped, makes the same bytes and says the same of bad ones' $?
    gives 'without harm to the program' 0
    counted "$work/counts" 'the calls of zlib are those made'
    grep -v '^adler32' "$work/asked" >"$work/expected" # the stream's own sums call it, too
    counted "$work/expected" 'which are those that the script asked for'
    stored=$(sqlite3 "$store" "SELECT count(*) FROM sample s JOIN sample p ON p.id = s.parent
        WHERE s.method = 'deflateInit2_' AND p.method = 'main'")
    [ "$stored" -ge 1 ]
    result 'below the program itself' $?
fi

# ---------------------------------------------------------------- the sqlite3 shell

shell=$(command -v sqlite3)
if ! links "${shell:-/none}" libsqlite3.so.0; then
    skip 6 'the sqlite3 shell is not linked dynamically with SQLite'
else
    sqlite3 "$work/plain.db" <"$wrapped/shell.sql" >"$work/plain" 2>&1
    COUNTS=$work/counts LD_PRELOAD=$work/count.so sqlite3 "$work/counted.db" \
        <"$wrapped/shell.sql" >/dev/null 2>&1
    rm -f "$store"*
    status=0
    "$PORTOLAN" wrap -f 'sqlite3_*' -H sqlite3.h -s "$store" -- "$shell" "$work/wrapped.db" \
        <"$wrapped/shell.sql" >"$work/out" 2>"$work/err" || status=$?
    gives 'the sqlite3 shell runs wrapped' 0 'sqlite3_step +own +[0-9]+ calls'
    cmp -s "$work/plain" "$work/out"
    result 'and prints the same' $?
    cmp -s "$work/plain.db" "$work/wrapped.db"
    result 'its database is the same, byte for byte' $?
    counted "$work/counts" 'the calls of SQLite are those made'
    stored=$(sqlite3 "$store" "SELECT count(*) FROM sample s JOIN sample p ON p.id = s.parent
        WHERE p.method = 'sqlite3_step' AND s.method = 'sqlite3_result_text'")
    [ "$stored" -ge 1 ]
    result 'calls below calls are found: SQL functions below steps' $?
    stored=$(sqlite3 "$store" "SELECT sum(CASE method WHEN 'main' THEN inclusive END) >=
        0.999 * sum(CASE method WHEN 'main' THEN 0 ELSE exclusive END) FROM sample")
    [ "$stored" = 1 ]
    result 'times add up to no more than the run' $?
fi
