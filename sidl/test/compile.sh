#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Speaks TAP. Compiles generated files as C11 and C++ with warnings as errors: gcc takes each header
# alone (those of GOLDEN at once), clang all of them at once, which halves the time.
# Usage: compile.sh SIDLC RUNTIME-SOURCE RUNTIME-BUILD GOLDEN FOLDER…; in GOLDEN, one SIDL file per
# construct.
sidlc=$1
source=$2
build=$3
golden=$4
shift 4
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
mkdir "$work/golden"
for file in "$golden"/*.sidl; do
    name=$(basename "$file" .sidl)
    hooks=
    [ "$name" = hook ] && hooks=--generate-hooks
    "$sidlc" --server=C $hooks "$file" -o "$work/golden/$name" || exit 99
    set -- "$@" "$work/golden/$name"
done
number=0
flags="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$source -I$build"

report() { # STATUS DESCRIPTION
    number=$((number + 1))
    [ "$1" -eq 0 ] && echo "ok $number - $2" || echo "not ok $number - $2"
}

for dir in "$build" "$@"; do
    for header in "$dir"/*.h; do
        case $dir in
        "$work"/*) unit=golden ;;
        *) unit=$(basename "$dir")_$(basename "$header" .h) ;;
        esac
        echo "#include \"$header\"" | tee -a "$work/$unit.c" "$work/$unit.cc" >>"$work/all"
    done
    flags="$flags -I$dir"
done
mkdir "$work/all.d"
cp "$work/all" "$work/all.d/all.c"
mv "$work/all" "$work/all.d/all.cc"
tables=$(for dir in "$build" "$@"; do ls "$dir"/*.c; done)

units() { # COMPILER ENDING
    case $1 in
    gcc | g++) ls "$work"/*."$2" ;;
    *) ls "$work"/all.d/all."$2" ;;
    esac
}

echo 1..6
for cc in gcc clang; do
    if ! command -v $cc >/dev/null; then
        number=$((number + 1))
        echo "ok $number # SKIP no $cc here"
        continue
    fi
    $cc -std=c11 $flags $(units $cc c) $tables >&2
    report $? "$cc takes every header and every source as C11"
done
for cxx in g++ clang++; do
    if ! command -v $cxx >/dev/null; then
        number=$((number + 1))
        echo "ok $number # SKIP no $cxx here"
        continue
    fi
    $cxx -std=c++11 $flags $(units $cxx cc) >&2
    report $? "$cxx takes every header as C++"
done

# Callers and Impl files in C++, and the skeletons of these.
up=$source/../..
for file in "$golden"/*.sidl; do
    hooks=
    [ "$(basename "$file")" = hook.sidl ] && hooks=--generate-hooks
    "$sidlc" --server=C++ $hooks "$file" -o "$work/cxx" || exit 99
done
for file in "$work"/cxx/*.hxx "$work"/cxx/*_Impl.cxx; do
    case $file in *_Skel.hxx) ;; *) echo "#include \"$file\"" ;; esac
done >"$work/all.cxx"
for cxx in g++ clang++; do
    if ! command -v $cxx >/dev/null; then
        number=$((number + 1))
        echo "ok $number # SKIP no $cxx here"
        continue
    fi
    $cxx -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$work/cxx" -I"$up/base" -I"$up/framework" \
        -I"$source" -I"$build" "$work/all.cxx" >&2 &&
        gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$work/cxx" -I"$source" -I"$build" "$work"/cxx/*_Skel.c >&2
    report $? "$cxx takes servers and clients in C++, gcc the skeletons"
done
