#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Speaks TAP. Usage: golden.sh SIDLC TEST-FOLDER SPEC-FOLDER. Beside each golden/CONSTRUCT.sidl stands
# what of its output shows the construct (tests/excerpts.sh); UPDATE=1 reads that anew.
sidlc=$(realpath "$1")
here=$2
spec=$(realpath "$3")
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
number=0

check() { # DESCRIPTION, after the command whose status it judges
    status=$?
    number=$((number + 1))
    [ $status -eq 0 ] && echo "ok $number - $1" || echo "not ok $number - $1"
}

cd "$here/golden" || exit 99
constructs=$(for file in *.sidl; do basename "$file" .sidl; done)
echo 1..$(($(echo "$constructs" | wc -l) + 12))
for name in $constructs; do
    hooks=
    [ "$name" = hook ] && hooks=--generate-hooks
    "$sidlc" --server=C $hooks "$name.sidl" -o "$work/$name" &&
        "$here/../../tests/excerpts.sh" "$name.expected" "$work/$name" >&2
    check "$name: the output is the expected one where that shows the construct"
done

"$sidlc" small.sidl -o "$work/out"
"$sidlc" --list small.sidl | sort >"$work/listed"
ls "$work/out" | diff - "$work/listed" >&2
check "--list names what is written"

"$sidlc" --list --server=C class.sidl | sort >"$work/listed"
ls "$work/class" | diff - "$work/listed" >&2
check "for a server, too"

touch -d 2001-01-01 "$work/out"/*
"$sidlc" small.sidl -o "$work/out"
[ "$(find "$work/out" -type f -newermt 2002-01-01 | wc -l)" -eq 0 ]
check "unchanged files keep their time, so that builds leave alone what uses them"

touch -d 2001-01-01 "$work/class"/*
"$sidlc" --server=C class.sidl -o "$work/class"
[ "$(find "$work/class" -type f -newermt 2002-01-01 | wc -l)" -eq 0 ]
check "so do skeletons"

echo '/* edited */' >>"$work/out/heat_Solver.h"
"$sidlc" small.sidl -o "$work/out" && cmp -s "$work/small/heat_Solver.h" "$work/out/heat_Solver.h"
check "a changed header is written again"

printf 'package p version 1.0 {\n  interface I { vod f(); }\n}\n' >"$work/bad.sidl"
"$sidlc" "$work/bad.sidl" -o "$work/bad" 2>"$work/said"
[ $? -eq 1 ] && grep -q "bad.sidl:2:17: error: unknown type vod; did you mean 'void'" "$work/said" &&
    [ ! -e "$work/bad" ]
check "a mistake is told as file:line:column and nothing is written"

"$sidlc" --server=Pascal small.sidl -o "$work/bad" 2>"$work/said"
[ $? -eq 2 ] && grep -q "unknown language 'Pascal'; use C, C++ or F03 (Fortran)" "$work/said" && [ ! -e "$work/bad" ]
check "an unknown language is refused with the names of those there are"

: >"$work/file"
"$sidlc" small.sidl -o "$work/file" 2>"$work/said"
[ $? -eq 1 ] && grep -q "cannot" "$work/said"
check "an output folder that cannot be is an error"

printf 'package base version 2.0 {\n  interface I {}\n}\n' >"$work/base.sidl"
printf 'require base version 2.0;\npackage user version 1.0 {\n  interface U extends base.I {}\n}\n' \
    >"$work/user.sidl"
"$sidlc" "$work/user.sidl" -I "$work" -o "$work/user" && [ -e "$work/user/user_U.h" ] &&
    [ ! -e "$work/user/base_I.h" ]
check "a required package is found with -I and not emitted"

"$sidlc" 2>"$work/said"
[ $? -eq 2 ]
check "no arguments are a usage error"

"$sidlc" --server=C ../volume.sidl -o "$work/volume"
lines=$(cat "$work/volume"/* | wc -l)
echo "# $lines lines for an enum, a struct, a port of three methods and a component"
[ "$lines" -lt 800 ]
check "a component takes less than 800 lines, where Babel made 11,353"

"$sidlc" "$spec/cca.sidl" -o "$work/cca"
lines=$(cat "$work/cca"/gov_cca* | wc -l)
echo "# $lines lines for gov.cca"
[ "$lines" -lt 4000 ]
check "the whole of gov.cca takes less than 4,000"
