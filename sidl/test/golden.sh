#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Speaks TAP. Usage: golden.sh SIDLC TEST-FOLDER; with UPDATE=1 the expected files are written anew.
sidlc=$(realpath "$1")
here=$2
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
number=0

check() { # DESCRIPTION, after the command whose status it judges
    status=$?
    number=$((number + 1))
    [ $status -eq 0 ] && echo "ok $number - $1" || echo "not ok $number - $1"
}

echo 1..9
cd "$here/golden" || exit 99
[ -n "$UPDATE" ] && "$sidlc" small.sidl -o expected

"$sidlc" small.sidl -o "$work/out" && diff -r expected "$work/out" >&2
check "the output is the expected one, byte for byte"

"$sidlc" --list small.sidl | sort >"$work/listed"
ls "$work/out" | diff - "$work/listed" >&2
check "--list names what is written"

touch -d 2001-01-01 "$work/out"/*
"$sidlc" small.sidl -o "$work/out"
[ "$(find "$work/out" -newermt 2002-01-01 -name 'heat_Solver.h' | wc -l)" -eq 0 ]
check "an unchanged header keeps its time"

[ "$(find "$work/out" -newermt 2002-01-01 | grep -c -e 'heat\.[hc]$' -e 'heat__types\.h$')" -eq 3 ]
check "the package's declared outputs get a new one"

echo '/* edited */' >>"$work/out/heat_Solver.h"
"$sidlc" small.sidl -o "$work/out" && cmp -s expected/heat_Solver.h "$work/out/heat_Solver.h"
check "a changed header is written again"

printf 'package p version 1.0 {\n  interface I { vod f(); }\n}\n' >"$work/bad.sidl"
"$sidlc" "$work/bad.sidl" -o "$work/bad" 2>"$work/said"
[ $? -eq 1 ] && grep -q "bad.sidl:2:17: error: unknown type vod, did you mean void" "$work/said" &&
    [ ! -e "$work/bad" ]
check "a mistake is told as file:line:column and nothing is written"

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
