#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a profile says is true: a program with nested, recursive and threaded calls, and calls that
# wait for another rank, keeps its own books (tests/truth/books.h), and each time in the profile
# lies between what the body of the calls saw and what their callers saw.
. "$(dirname "$0")/tap.sh"
plan 8

check=$SOURCE/tests/truth/check.py
python=/usr/bin/python3
[ -x $python ] || skip_all 'no python3'
cd "$work" || exit 99

# measured NAME OPTION...: runs it on two ranks and holds each rank's profile against its books.
measured() {
    with=$1
    shift
    rm -f truth.db* books.*
    try "$MPIEXEC" -n 2 "$PORTOLAN" run --store="$work/truth.db" --path="$BUILD/tests/truth" \
        --set driver.books="$work/books" "$@" "$BUILD/tests/truth/truth.xml"
    gives "$with: it runs" 0
    for rank in 0 1; do
        "$PORTOLAN" profile truth.db --flat --json --rank $rank >profile.$rank 2>err.$rank
        try $python "$check" books.$rank profile.$rank
        gives "$with: the profile of rank $rank agrees with the books" 0
    done
}

measured 'totals'
try $python "$check" --wrong books.1 profile.1
gives 'a profile with times that are one percent longer would not agree' 1 'is outside'
measured 'with one row per call' --set mastermind.rows=all
"$PORTOLAN" profile truth.db --json >profile.all
try $python "$check" --tree profile.all
gives 'no caller has less time than the calls that it made' 0
