#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs of the project print on folded ranks what they print under MPICH, reals bit by bit, also
# stripped. Their clocks are read, so that computing takes the time that it takes.
. "$(dirname "$0")/tap.sh"
[ "$MPI" = mpich ] || skip_all "virtual time needs MPICH's header"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'ranks are folded'

MPIR_CVAR_DEVICE_COLLECTIVES=none # else 4 ranks of one host add in shared memory, in another order
export MPIR_CVAR_DEVICE_COLLECTIVES
table='2 patterns/sort numbers=2000 rounds=1
4 patterns/sort numbers=2000 rounds=1
2 patterns/stencil iterations=5
4 patterns/stencil iterations=5
2 patterns/wavefront sweeps=2
4 patterns/wavefront sweeps=2
2 patterns/farm tasks=50
4 patterns/farm tasks=50'
plan "$(printf '%s\n' "$table" | wc -l)"

while read -r n program words; do
    strip -o "$work/program" "$BUILD/examples/$program"
    # shellcheck disable=SC2086 # words
    "$MPIEXEC" -n "$n" "$work/program" $words >"$work/real" 2>/dev/null </dev/null
    # shellcheck disable=SC2086
    try "$PORTOLAN" clue run --quiet --no-trial -n "$n" -- "$work/program" $words
    diff "$work/real" "$work/out" | sed 's/^/# /'
    [ "$status" = 0 ] && [ -s "$work/real" ] && cmp -s "$work/real" "$work/out"
    result "$program on $n ranks" $?
done <<END_OF_TABLE
$table
END_OF_TABLE
