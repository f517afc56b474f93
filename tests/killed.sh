#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A run that is killed by `kill -9` of one rank ends, and leaves a store that opens and holds every
# step that was reported before. The run itself tells, through a fifo, when the time has come.
. "$(dirname "$0")/tap.sh"
plan 12

components=$BUILD/tests/components
cd "$work" || exit 99

# kill_rank RANK: after 20 steps, of a run that would take very long.
kill_rank() {
    store=$work/$1.db
    rm -f steps
    mkfifo steps
    timeout 100 "$MPIEXEC" -n 2 "$PORTOLAN" run --store="$store" --set driver.steps=2000000000 \
        --path="$components:$BUILD/examples/paper" "$components/fault.xml" >steps 2>err </dev/null &
    job=$!
    last=-1
    while read -r line; do
        case $line in
        "rank $1 is process "*) victim=${line##* } ;;
        "step "*" is stored")
            number=${line#step }
            last=${number%% *}
            [ "$last" != 20 ] || kill -9 "$victim"
            ;;
        esac
    done <steps
    status=0
    wait $job || status=$?
}

for rank in 0 1; do
    kill_rank $rank
    # 124: it was still there when its time was over.
    [ "$last" -ge 20 ] && [ "$status" != 0 ] && [ "$status" != 124 ]
    result "rank $rank is killed after step 20: all end" $?
    stored 'the store is sound' ok 'PRAGMA integrity_check'
    stored 'the run is not called finished' running 'SELECT outcome FROM trial'
    stored 'every step reported is there, none is missing between' $((last + 1)) \
        "SELECT count(DISTINCT number) FROM step WHERE number BETWEEN 0 AND $last"
    stored 'with what both ranks measured' $((2 * (last + 1))) \
        "SELECT count(*) FROM timer_call_data d JOIN step s ON d.step = s.id
             JOIN timer_callpath p ON d.callpath = p.id JOIN timer t ON p.timer = t.id
         WHERE t.short_name = 'evaluate' AND s.number BETWEEN 0 AND $last"
    try "$PORTOLAN" profile "$store"
    gives 'its profile is readable, and says that it was cut off' 0 'cut off' \
        'f.evaluate \[fault.Slow\]'
done
