#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a run cannot store by its end is in a file beside the store, and `trials --recover` adds it:
# two ranks, 8 steps, whose store is locked, deleted, replaced or cut short before step 2 is stored.
. "$(dirname "$0")/tap.sh"
plan 24

components=$BUILD/tests/components
store=$work/fault.db
cd "$work" || exit 99
mkfifo here locked tried released lock answer

meet() {
    timeout 60 sh -c "echo >$1"
}

# run HAPPENS [OPTION...]: calls HAPPENS when steps -1 to 1 are stored.
run() {
    happens=$1
    shift
    "$MPIEXEC" -n 2 "$PORTOLAN" run --store="$store" --path="$components:$BUILD/examples/paper" \
        --fixed --set driver.fault=locked --set mastermind.rows=driver.function "$@" \
        "$components/fault.xml" >out 2>err </dev/null &
    job=$!
    meet here
    $happens
    meet locked
    meet tried
    meet released
    status=0
    wait $job || status=$?
}

# say TRIAL: what the store says of a trial, but for its number.
say() {
    sqlite3 "$store" "SELECT outcome, elapsed_ns, node_count, (SELECT count(*) FROM call WHERE trial = t.id),
        (SELECT group_concat(n, ' ') FROM (SELECT step || ':' || sum(calls) || ':' || sum(inclusive) AS n
            FROM sample WHERE trial = t.id GROUP BY step ORDER BY step)),
        (SELECT group_concat(exclusive, ' ') FROM summary WHERE trial = t.id),
        (SELECT count(*) FROM secondary_metadata WHERE trial = t.id),
        (SELECT count(*) FROM primary_metadata WHERE trial = t.id AND name LIKE 'part of%')
        FROM trial t WHERE id = $1" 2>&1
}

# recovers NAME TRIAL: --recover makes it the trial that it would have been.
recovers() {
    try "$PORTOLAN" trials --recover "$store"
    gives "$1: --recover adds it" 0 "added trial $2 from '.*fault.db.recover-[0-9TZ]+-[0-9]+'"
    say "$2" >out
    diff whole out | sed 's/^/# /'
    [ -s whole ] && cmp -s whole out
    result "$1: and nothing is missing" $?
    ! ls ./*.recover-* >left 2>&1
    result "$1: and the file is gone" $?
}

nothing() { :; }
run nothing
say 1 >whole

# Until after the end of the run.
lock() {
    sqlite3 "$store" <lock >answer &
    holder=$!
    exec 7>lock 8<answer
    printf '.timeout 20000\nBEGIN IMMEDIATE;\nSELECT 1;\n' >&7
    read -r _ <&8
}
run lock
gives 'a store that stays locked' 0 'another process has locked the store: from step 2 on' \
    "what is not stored of the trial goes into '$store.recover-[0-9TZ]+-[0-9]+': 'portolan trials --recover $store' adds it"
lacks 'and nothing is lost' 'incomplete|not stored:'
exec 7>&- 8<&-
wait "$holder"
recovers 'locked' 2
try "$PORTOLAN" trials --recover "$store"
gives 'then there is nothing more' 0 'nothing to recover'
for action in --recover --label=1=x --delete=1 --migrate; do
    try "$PORTOLAN" trials "$action" misspelt.db
    gives "$action where no store is" 1 "'misspelt\.db': cannot be read: No such file"
done
[ ! -e misspelt.db ]
result 'makes none' $?

delete() {
    rm "$store" "$store-wal" "$store-shm"
}
run delete
gives 'a store that is deleted' 0 "'$store': its file was deleted or replaced meanwhile: from step 2 on, steps are kept"
count 'which is said once' 1 'steps are kept'
recovers 'deleted' 1

replace() {
    cp "$store" other.db
    mv other.db "$store"
}
run replace
gives 'a store that is replaced' 0 'its file was deleted or replaced meanwhile'
recovers 'replaced' 2

# What was stored before is gone, too: steps -1 to 1.
cut_short() {
    : >"$store"
}
run cut_short
gives 'a store that is cut short' 0 'its file was cut short or overwritten meanwhile: from step 2 on'
try "$PORTOLAN" trials --recover "$store"
gives 'what was measured since is added' 0 'added trial 1 from'
stored 'with the time of all of it' 'finished|16000000.0|16.0' "SELECT outcome, elapsed_ns,
    (SELECT max(calls) FROM summary WHERE trial = t.id) FROM trial t"
rm -f "$store"*

# A folder that nobody may write, not even for a recovery file.
hide() {
    mv "$work/store" "$work/hidden"
}
mkdir store
store=$work/store/fault.db
run hide
gives 'nothing can be written there' 0 'the end of the trial can go neither into the store nor beside it: .*No such file' \
    'the trial is incomplete in the store: steps not stored: 2 to 8'
