#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every installed header compiles alone, as C99, as C11 and as C++, those that end in .hpp as C++.
. "$(dirname "$0")/tap.sh"

[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'it asks compilers'
DESTDIR=$work/dest meson install -C "$BUILD" --no-rebuild --quiet >"$work/out" 2>"$work/err" || {
    plan 1
    status=$?
    result 'it is installed' 1
    exit 0
}
PKG_CONFIG_PATH=$(dirname "$(find "$work/dest" -name portolan.pc)")
export PKG_CONFIG_PATH
include=$(pkg-config --variable=includedir portolan)
mpi=$(pkg-config --cflags-only-I mpich | sed 's/-I/-isystem /g') # one header shows a communicator
# An inline part is included by its header and refuses to be so by others.
headers=$(cd "$include" && find . -name '*.h' -not -name '*_inline.h' | sed 's,^\./,,' | sort)
# Some are for C++ only.
classes=$(cd "$include" && find . -name '*.hpp' | sed 's,^\./,,' | sort)
plan $((3 * $(echo "$headers" | wc -l) + $(echo "$classes" | wc -l)))

# alone LANGUAGE STANDARD COMPILER HEADER
alone() {
    # Twice: it guards itself. The include path is the one that users get.
    printf '#include <%s>\n#include <%s>\n' "$4" "$4" >"$work/alone.$1"
    # shellcheck disable=SC2046 # a list of words
    try "$3" -std="$2" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
        $(pkg-config --cflags portolan) $mpi "$work/alone.$1"
    gives "$4 as $2" 0
}

for header in $headers; do
    alone c c99 "${CC:-cc}" "$header"
    alone c c11 "${CC:-cc}" "$header"
    alone cc c++17 "${CXX:-c++}" "$header"
done
for header in $classes; do
    alone cc c++17 "${CXX:-c++}" "$header"
done
