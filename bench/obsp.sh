#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Errors of OBSP* and of plain BSP on real runs of examples/exchange (figure 1 of the paper) and
# examples/fft, (real - predicted) / real in percent. "own": computation as measured, g and L fitted
# to the run itself. "constants": computation by formulas whose constants are fitted to the run, for
# plain BSP by one speed. "before": everything fitted to a run of half the size.
# Environment: PORTOLAN, MPIEXEC, EXCHANGE, FFT.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export CLL_OVERWRITE=1
status=0
sizes='1000 1000000 8000000' processes='1 2 4 8'
[ -z "${PORTOLAN_BENCH_SHORT-}" ] || sizes=1000 processes=1

# trace FILE PROCESSES COMMAND...: a run that leaves FILE
trace() {
    file=$1
    processes=$2
    shift 2
    BSP_TRACE=$file "$MPIEXEC" -n "$processes" "$@" >/dev/null || status=1
}

# row PROGRAM PROCESSES HOW ARGUMENT...
row() {
    program=$1
    processes=$2
    how=$3
    shift 3
    "$PORTOLAN" obsp --totals "$@" >out || status=1
    awk -v program="$program" -v p="$processes" -v how="$how" '$1 == "all" {
        printf "%-28s %2d  %-9s %9.2f ms %9.2f ms %8.1f %% %9.2f ms %8.1f %%\n",
            program, p, how, $4 * 1e3, $2 * 1e3, $5, $3 * 1e3, $6 }' out
}

# rows PROGRAM PROCESSES
rows() {
    row "$1" "$2" own now.json
    row "$1" "$2" constants --predict now.json
    row "$1" "$2" before --from=half.json now.json
}

printf '%-28s %2s  %-9s %12s %12s %10s %12s %10s\n' program P fitted measured 'OBSP*' error BSP error
for bytes in $sizes; do
    trace half.json 2 "$EXCHANGE" 10 10000000 $bytes
    trace now.json 2 "$EXCHANGE" 10 20000000 $bytes
    rows "exchange, $bytes bytes" 2
done
for p in $processes; do
    [ "$p" -le "$(nproc)" ] || continue
    trace half.json $p "$FFT" 65536 262144 5
    trace now.json $p "$FFT" 524288 524288 5
    rows 'fft, 524288 numbers' $p
done
exit $status
