#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A run that stores its trial on a PostgreSQL server, and what the commands say of it: the same as
# of the same run stored in a file, on the clock that moves only when told.
if [ -z "$PORTOLAN_TEST_POSTGRES" ]; then
    exec "$(dirname "$0")/postgres_server.sh" sh "$0"
fi
. "$(dirname "$0")/tap.sh"
"$PORTOLAN" trials "$PORTOLAN_TEST_POSTGRES" 2>&1 | grep -q 'without libpq' &&
    skip_all 'this Portolan was built without libpq'
plan 29

paper=$BUILD/examples/paper/paper.xml
[ -f "$paper" ] || paper=$SOURCE/examples/paper/paper.xml
path=$BUILD/examples/paper
uri=$PORTOLAN_TEST_POSTGRES
file=$work/portolan.db
cd "$work" || exit 99

# ask NAME EXPECTED QUERY: what the server answers.
ask() {
    status=0
    psql -At "$uri" -c "$3" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" = 0 ] && [ "$(cat "$work/out")" = "$2" ]
    result "$1" $?
}

try "$PORTOLAN" trials "$uri"
gives 'an empty data base is no store yet' 1 'is empty.*measure something first'

for store in "$uri" "$file"; do
    try "$MPIEXEC" -n 2 "$PORTOLAN" measure --quiet --repeat=1 --budget=600 --path="$path" --store="$store" "$paper"
    gives "two ranks measure into ${store%%:*}" 0
    try "$MPIEXEC" -n 2 "$PORTOLAN" run --path="$path" --store="$store" "$paper"
    gives "and run with the models of these trials" 0 'optimizer: step'
done
ask 'the run is finished' finished "SELECT outcome FROM trial ORDER BY id DESC LIMIT 1"
ask 'all trials are there' "$(sqlite3 "$file" 'SELECT count(*) FROM trial')" 'SELECT count(*) FROM trial'
ask 'with the same samples' "$(sqlite3 "$file" 'SELECT count(*) FROM sample')" \
    'SELECT count(*) FROM sample'
ask 'and the same time' "$(sqlite3 "$file" 'SELECT CAST(sum(exclusive) AS INTEGER) FROM sample')" \
    'SELECT CAST(sum(exclusive) AS BIGINT) FROM sample'

# What the commands say of both stores.
newest=$(sqlite3 "$file" 'SELECT max(id) FROM trial')
for store in "$uri" "$file"; do
    for what in --flat --tree --ranks --contexts; do
        try "$PORTOLAN" profile "$store" "$newest" $what
        [ "$status" = 0 ] || echo "# $what: exit status $status"
        case $store in
        "$uri") sed 's/postgresql:[^ ]*/STORE/g' out >"pg$what" ;;
        *) sed "s|$file|STORE|g" out >"file$what" ;;
        esac
    done
done
for what in --flat --tree --ranks --contexts; do
    # Names of hosts, dates and costs stand in the lines above the first empty one.
    sed '1,/^$/d' "pg$what" >one
    sed '1,/^$/d' "file$what" >two
    [ -s one ] && diff one two | sed 's/^/# /' && cmp -s one two
    result "portolan profile $what says the same" $?
done
try "$PORTOLAN" trials "$uri"
gives 'portolan trials lists them' 0 'finished'
try "$PORTOLAN" report "$uri"
gives 'portolan report says what a program must have' 1 'wrap'
try "$PORTOLAN" export "$uri" "$newest" --format csv -o pg.csv
gives 'portolan export writes a trial of the server' 0
try "$PORTOLAN" trials --label "$newest=base" "$uri"
try "$PORTOLAN" trials --where label:base "$uri"
gives 'a label is found' 0 'base'
try "$PORTOLAN" trials --delete "$newest" "$uri"
gives 'a trial is deleted' 0
ask 'with all its rows' 0 "SELECT count(*) FROM sample WHERE trial = $newest"

# A password is for the server alone.
secret=postgresql://secret:sesame@${uri#*@}
try "$PORTOLAN" run --path="$path" --store="$secret" "$paper"
gives 'a user who may not write is told' 1 'permission denied'
lacks 'and no password is shown' sesame
psql -q "$uri" -c 'CREATE SCHEMA own AUTHORIZATION secret'
try "$PORTOLAN" measure --quiet --repeat=1 --budget=600 --path="$path" \
    --store="$secret&options=-csearch_path%3Down" "$paper"
gives 'with a schema of its own the user stores' 0
ask 'and no password' 0 "SELECT count(*) FROM (SELECT value FROM own.trial_parameter
    UNION ALL SELECT value FROM own.primary_metadata) AS facts WHERE value LIKE '%sesame%'"

# A server that is stopped, with all its processes, and goes on: before step 2 is stored; it answers
# again before step 3, or after the run.
components=$BUILD/tests/components
mkfifo here locked tried released
XDG_STATE_HOME=$work/state
export XDG_STATE_HOME
signal_server() {
    # shellcheck disable=SC2046 # numbers
    kill "-$1" $(pgrep -P "$PORTOLAN_TEST_POSTGRES_PID") "$PORTOLAN_TEST_POSTGRES_PID"
}
meet() {
    timeout 60 sh -c "echo >$1"
}
# stops WHEN: the server goes on in the run, or after it.
stops() {
    timeout 120 "$MPIEXEC" -n 2 "$PORTOLAN" run --store="$uri" --fixed \
        --path="$components:$path" --set driver.fault=locked "$components/fault.xml" >out 2>err </dev/null &
    job=$!
    meet here
    signal_server STOP
    meet locked
    meet tried
    [ "$1" = after ] || signal_server CONT
    meet released
    status=0
    wait $job || status=$?
    signal_server CONT
}
all='finished|16000000|-1:0 0:2 1:2 2:2 3:2 4:2 5:2 6:2 7:2 8:0'
whole="SELECT outcome, elapsed_ns::bigint, (SELECT string_agg(step || ':' || n, ' ' ORDER BY step) FROM
    (SELECT s.number AS step, count(m.id) AS n FROM step s LEFT JOIN sample m ON m.trial = s.trial
     AND m.step = s.number AND m.instance = 'f' WHERE s.trial = t.id GROUP BY s.number) AS steps)
    FROM trial t WHERE name = 'fault' ORDER BY id DESC LIMIT 1"
stops within
gives 'a server that stops for a while: the run goes on' 0 'step 7 is stored' \
    'the server does not answer.*: from step 2 on, steps are kept in memory'
ask 'the trial is as it would have been' "$all" "$whole"
stops after
gives 'a server that stays so' 0 'what is not stored of the trial goes into .*/state/portolan/recover-'
lacks 'nothing is lost' 'incomplete'
try "$PORTOLAN" trials --recover "$uri"
gives 'then it goes to the server' 0 'added trial [0-9]+ from'
ask 'and is as it would have been' "$all" "$whole"
