#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs all benchmarks one after the other; fails if one does. Arguments: two of them with an argument
# each, two with two, then those that have none. PORTOLAN_BENCH_SHORT=1: each in a short form.
status=0
short=${PORTOLAN_BENCH_SHORT:+1}
run() {
    echo "== ${1##*/}"
    "$@" || status=1
}
proxies=$1
plugin=$2
generate=$3
generator=$4
profile=$5
store=$6
portolan=$7
model=$8
paths=$9
shift 9
for other; do
    case $other in
    */bench_probe) run "${0%/*}/states.sh" "$other" ${short:+1} ;;
    */bench_threads | */bench_trace) run "$other" ${short:+1e5} ;;
    */bench_models) run "$other" ${short:+2} ;;
    */clue.py) run "$other" ${short:+16} ;;
    */python.py) run "$other" "$store" ;;
    */diagnose.py) run "$other" ${short:+farm 1 begin} ;;
    */watch.sh) run "$other" ${short:+1} ;;
    */bench_instructions) # callgrind may be missing
        [ "$short" ] && continue # a test of its own
        echo "== bench_instructions"
        "${0%/*}/instructions.sh" "$other" floor forward path context rows sampled
        case $? in
        0 | 77) ;;
        *) status=1 ;;
        esac
        ;;
    */bench_store) # on a server as well, where there is one
        echo "== bench_store"
        "${0%/*}/../tests/postgres_server.sh" "$other" 2>/dev/null
        case $? in
        0) ;;
        77) run "$other" ;;
        *) status=1 ;;
        esac
        ;;
    *) run "$other" ;;
    esac
done
run "$proxies" "$plugin"
run "$generate" "$generator"
run "$profile" "$store" "$portolan"
run "$model" "$paths" "$portolan"
exit $status
