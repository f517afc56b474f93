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
4 patterns/farm tasks=50
2 exchange/exchange 2 1000 1000
2 fft/fft 1024 1024 1 numbers
4 fft/fft 1024 1024 1 numbers
2 clue/cholesky 256 32 0 0
4 clue/cholesky 256 32 2 2
2 clue/tridiagonal 128 32 0 0
4 clue/tridiagonal 128 32 2 2'
plan "$(printf '%s\n' "$table" | wc -l)"

cd "$work" || exit 99
# What a program printed but for times, and the numbers that it wrote.
said() {
    sed -E 's/[0-9.]+ s, [0-9.]+ Mflop.s//' "$1"
    [ ! -f numbers ] || od -x numbers
    rm -f numbers
}

# The libraries of Portolan are found beside the program, not beside its copy.
LD_LIBRARY_PATH=$(ldd "$BUILD/examples/fft/fft" "$BUILD/examples/exchange/exchange" |
    sed -n "s,.* => \($BUILD/.*\)/[^/]*\.so.*,\1,p" | sort -u | tr '\n' :)
export LD_LIBRARY_PATH

while read -r n program words; do
    strip -o "$work/program" "$BUILD/examples/$program"
    # shellcheck disable=SC2086 # words
    "$MPIEXEC" -n "$n" "$work/program" $words >printed 2>/dev/null </dev/null
    said printed >real
    # shellcheck disable=SC2086
    try "$PORTOLAN" clue run --quiet --no-trial -n "$n" -- "$work/program" $words
    said "$work/out" >virtual
    diff real virtual | head | sed 's/^/# /'
    [ "$status" = 0 ] && [ -s real ] && cmp -s real virtual
    result "$program on $n ranks" $?
done <<END_OF_TABLE
$table
END_OF_TABLE
