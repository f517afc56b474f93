#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs on two real ranks, compared with virtual ones, on a machine file that `portolan clue calibrate` makes
# here first; then the same on this machine with a slow network. Prints tables, as in docs/truth.md. Give
# it the machine for itself; QUIET may name a command that waits for that. ROWS is a regular expression
# of names, MACHINE a file made before, KEEP a folder for what is made, REPEAT the repetitions for
# intervals (where a program polls each runs it again). Each program is compared ROUNDS times, one
# virtual run and five real ones after it; the table shows the round with the median error, and the
# errors of all. MORE may name a file with more programs, a line each: NAME|COMMAND.
#
#     [ROWS=heat] [MACHINE=here.xml] bench/clue_truth.sh BUILD [SECONDS [here|slow]]
set -eu
build=$(cd "$1" && pwd) seconds=${2:-25} which=${3:-both}
portolan=$build/cli/portolan
source=$(cd "$(dirname "$0")/.." && pwd)
made=${MACHINE:+$(realpath "$MACHINE")} MORE=${MORE:+$(realpath "$MORE")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PORTOLAN_PATH=$(find "$build/proxygen" "$build/mastermind" "$build/optimizer/component" "$build/components" \
    "$build/examples/heat/components" "$build/examples/halo" -maxdepth 1 -type d | tr '\n' ':')
export PORTOLAN_PATH
cp "$source"/examples/heat/plate.* "$source"/examples/halo/halo.xml .
"$portolan" link plate.xml -o plate >/dev/null
"$portolan" link halo.xml -o halo >/dev/null
mpicc.mpich -O2 -w "$source/bench/clue_collectives.c" -o collectives

# NAME COMMAND...: a row of the table.
row() {
    name=$1
    shift
    echo "$name" | grep -Eq "${ROWS:-.}" || return 0
    : >rounds
    for _ in $(seq "${ROUNDS:-3}"); do
        if ! ${QUIET:-} "$portolan" clue run -m "$machine" -n 2 --no-trial --compare-real --repeat "${REPEAT:-1}" \
            -- "$@" >out 2>err; then
            echo "| $name | $(tail -1 err) | | | | |"
            return 0
        fi
        sed -n "s!^compare real  virtual \(.*\)   real \(.*\) (\(.*\) runs, \(.*\))   \(.*\) %!\5;| $name | \1 | \2 | \3: \4 | \5 % |!p" err >>rounds
    done
    sort -n rounds | awk -F';' '{ e[NR] = $1; row[NR] = $2 }
        END { m = int((NR + 1) / 2); for (i = 1; i <= NR; i++) all = all (i > 1 ? ", " : "") e[i]; print row[m], all " |" }'
}

table() {
    machine=$1
    echo "| program, 2 ranks | virtual | real, median | real runs | error | of all rounds, % |"
    echo "|---|---|---|---|---|---|"
    if [ "$machine" = here.xml ]; then # they would take minutes
        row 'ring, borders, transposition (calibrate'"'"'s patterns)' "$build/clue/calibrate/portolan-patterns"
    fi
    row 'collectives of 8 B to 4 MiB' ./collectives
    row 'master and worker (patterns/farm)' "$build/examples/patterns/farm"
    row 'wavefront (patterns/wavefront)' "$build/examples/patterns/wavefront"
    row 'sort (patterns/sort)' "$build/examples/patterns/sort"
    row 'stencil (patterns/stencil)' "$build/examples/patterns/stencil"
    row 'FFT over BSP (examples/fft)' "$build/examples/fft/fft" 4096 65536 3
    row 'exchange over BSP (examples/exchange)' "$build/examples/exchange/exchange"
    row 'heat conduction, linked (examples/heat)' ./plate --fixed --quiet
    row 'halo, narrow, linked (examples/halo)' ./halo --fixed --quiet --set driver.steps=400
    row 'halo, wide, linked' ./halo --fixed --quiet --select relaxation=halo.Wide --set driver.steps=400
    row 'Cholesky factorization (examples/clue)' "$build/examples/clue/cholesky" 768 64 1 2
    row 'tridiagonalisation (examples/clue)' "$build/examples/clue/tridiagonal" 512 32 1 2
    while IFS='|' read -r name command; do
        # shellcheck disable=SC2086
        row "$name" $command </dev/null
    done <"${MORE:-/dev/null}"
}

if [ "$which" != slow ]; then
    if [ -n "$made" ]; then
        cp "$made" here.xml
    else
        ${QUIET:-} "$portolan" clue calibrate -o here.xml -s "$seconds"
    fi
    printf 'As this machine is:\n\n'
    table here.xml
fi
if [ "$which" != here ] && [ -f "$build/clue/calibrate/libportolan-slow.so" ]; then
    export LD_PRELOAD="$build/clue/calibrate/libportolan-slow.so" PORTOLAN_SLOW="60000 88"
    if [ -n "$made" ]; then
        cp "$made" slow.xml
    else
        ${QUIET:-} "$portolan" clue calibrate -o slow.xml -s "$seconds"
    fi
    printf '\nWith a slow network, 60 us + 88 ns a byte for each message:\n\n'
    table slow.xml
fi
if [ -n "${KEEP:-}" ]; then cp ./*.xml "$KEEP"; fi
