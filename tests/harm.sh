#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Candidates that would do harm: a few rows of bench/harm.py, whose whole table is for `make bench`.
. "$(dirname "$0")/tap.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'many runs, and processes that crash'
plan 2
TRY_SECONDS=250

try python3 "$SOURCE/bench/harm.py" --build "$BUILD" --check
gives 'however their costs behave, the program is as fast as its best candidate' 0 ' 0 broken'
try python3 "$SOURCE/bench/harm.py" --build "$BUILD" --check --faults
gives 'however they fail, the second run and the third end well' 0 ' 0 broken'
