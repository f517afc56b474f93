#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What being watched costs a run: heat on 2 ranks, 400 steps, in pairs with and without `portolan watch`
# and somebody who listens to it; which of the two is first alternates. Also the processor
# time that the watcher took until the run ended, which noise of the machine does not hide. Goal: below 1 %.
. "$BUILD/tests/devenv.sh"
pairs=${1:-11} steps=400
[ -z "${PORTOLAN_BENCH_SHORT-}" ] || steps=10
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tests=$(cd "${0%/*}/../tests" && pwd)
cd "$BUILD/examples/heat" || exit 1

# run KIND: adds the run's milliseconds to the file of this name.
run() {
    store=$folder/run.db
    rm -f "$store" "$folder"/fifo*
    mkfifo "$folder/fifo1" "$folder/fifo2"
    if [ "$1" = watched ]; then
        portolan watch --store="$store" plate.xml >"$folder/fifo1" 2>/dev/null &
        watcher=$!
        read -r _ url <"$folder/fifo1"
        python3 "$tests/watch.py" hear "${url}events" "$folder/fifo2" end >"$folder/heard" &
        read -r _ <"$folder/fifo2"
    fi
    "$MPIEXEC" -n 2 portolan run --quiet --fixed --store="$store" --set driver.steps=$steps \
        --set driver.report=0 plate.xml >"$folder/out" 2>&1 || exit 1
    if [ "$1" = watched ]; then
        cut -d' ' -f14,15 "/proc/$watcher/stat" >>"$folder/spent"
        kill $watcher
        wait
    fi
    sqlite3 "$store" 'SELECT elapsed_ns / 1e6 FROM trial' >>"$folder/$1"
}

run alone
rm "$folder/alone"
for pair in $(seq "$pairs"); do
    if [ $((pair % 2)) = 0 ]; then
        run alone
        run watched
    else
        run watched
        run alone
    fi
done
# The median of the pairs' ratios, with the quartiles.
paste "$folder/watched" "$folder/alone" | awk '{ printf "%.3f\n", 100 * ($1 / $2 - 1) }' | sort -n >"$folder/costs"
echo "of $pairs pairs, a run takes longer by $(awk -v n="$pairs" '
    NR == int((n + 3) / 4) { low = $1 } NR == int((n + 1) / 2) { middle = $1 } NR == int((3 * n + 3) / 4) { high = $1 }
    END { print middle " % (quartiles " low " and " high " %)" }' "$folder/costs"); steps heard: $(grep -c '^step' "$folder/heard")"
paste "$folder/spent" "$folder/watched" | awk -v hz="$(getconf CLK_TCK)" -v cores="$(nproc)" '
    { spent += ($1 + $2) / hz; time += $3 / 1e3 }
    END { printf "the watcher took %.2f s of processor time in runs of %.1f s on %d cores: %.2f %% of them\n",
          spent, time, cores, 100 * spent / time / cores }'
