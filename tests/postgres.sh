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
plan 23

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
