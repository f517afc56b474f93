#!/bin/sh
# Made by portolan call of language.c: runs CLL_PROGRAM again and again, numbered from
# CLL_FIRST to CLL_LAST; the report of each goes to CLL_PREFIX.NUMBER.dat.
set -eu
: "${CLL_FIRST:=1}" "${CLL_LAST:=5}" "${CLL_PREFIX:=language.cll}" "${CLL_PROGRAM:=./language}"
export CLL_OUTPUT
n=$CLL_FIRST
while [ "$n" -le "$CLL_LAST" ]; do
    CLL_OUTPUT=$CLL_PREFIX.$n.dat
    "$CLL_PROGRAM" "$@"
    n=$((n + 1))
done
