#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `portolan watch` and `run --watch`: a page, its events, who may read it, and a run that does not depend
# on it. The paper's assembly swaps; its clock moves only when told.
. "$(dirname "$0")/tap.sh"
cd "$work" || exit 99
paper=$BUILD/examples/paper/paper.xml
timeout 60 "$PORTOLAN" watch --store=none.db --listen=256.0.0.1 "$paper" >out 2>err
! grep -q 'built without' err || skip_all 'built without libmicrohttpd'
plan 21
try "$PORTOLAN" watch --port=x "$paper"
gives 'wrong usage is told' 2 "port's number"
try "$PORTOLAN" watch --listen=256.0.0.1 "$paper"
gives 'so is an address that is none' 1 "cannot listen on '256.0.0.1'"

# begin OPTION...: watches the store watch.db; its address is $url, its process $watcher.
begin() {
    rm -f address
    mkfifo address
    "$PORTOLAN" watch --store="$work/watch.db" --interval=0.05 "$@" "$paper" >address 2>err &
    watcher=$!
    read -r _ url <address
}

# end NAME: Ctrl-C ends the watcher, well.
end() {
    status=0
    kill -INT $watcher
    wait $watcher || status=$?
    [ "$status" = 0 ]
    result "$1" $?
}

# ask REQUEST...: of what is there, see watch.py. answers NAME N STATUS: so many had this status.
ask() {
    try python3 "$SOURCE/tests/watch.py" "$@"
}
answers() {
    [ "$(grep -Ecx "$3" out)" = "$2" ]
    result "$1" $?
}

# made: waits until the page was made of what is stored.
made() {
    python3 "$SOURCE/tests/watch.py" hear "${url%%\?*}events${url#"${url%%\?*}"}" /dev/null page >out 2>err
}

# ---- a run that is watched from outside
begin
echo "$url" | grep -Eq '^http://127\.0\.0\.1:[0-9]+/$'
result 'it prints an address on the loopback interface' $?
ask get "$url"
gives 'before there is a store, there is a page' 0 200 'when something is stored'
# What is measured first makes the run exchange implementations.
"$MPIEXEC" -n 2 "$PORTOLAN" measure --quiet --repeat=1 --store="$work/watch.db" "$paper" >out 2>err
mkfifo ready
python3 "$SOURCE/tests/watch.py" hear "${url}events" ready trial step swap page end >heard 2>unheard &
listener=$!
read -r type <ready
[ "$type" = text/event-stream ]
result 'events are a stream, as browsers want it' $?
try "$MPIEXEC" -n 2 "$PORTOLAN" run --store="$work/watch.db" "$paper"
gives 'a run goes on beside it' 0
# Its end is told when all before it was.
end 'Ctrl-C ends it'
wait $listener
result 'who listened has heard of a trial, a step, a swap, a page and the end' $?
stored='SELECT count(DISTINCT step) FROM sample WHERE step >= 0'
trial=$(sqlite3 watch.db 'SELECT max(id) FROM trial')
[ "$(grep -c "^step {\"trial\":$trial," heard)" = "$(sqlite3 watch.db "$stored AND trial = $trial")" ]
result 'of all steps of the run that are stored, once' $?
grep -q '^swap .*"change":"[^"]* -> [^"]*".*"outcome":"done"' heard
result 'of what was exchanged for what' $?

# ---- who may read what
begin
made
ask get "$url"
gives 'the page is that of a report, and may ask its server' 0 '^200$' "connect-src 'self'" 'id="decisions"'
ask get "${url}main" "${url}index.html" "${url}events/" "${url}../../etc/passwd" "$url%2e%2e/watch.db" "${url}watch.db"
answers 'nothing else: no file, no other path' 6 404
ask get "$url" method:HEAD "$url" method:POST "$url" method:PUT "$url" method:DELETE "$url" method:OPTIONS
answers 'it can be read only' 5 405
ask get "$url" Host:example.org "${url}events" Host:localhost.example.org "$url" Host:127.0.0.1.example.org \
    "$url" "Host:example.org:${url##*:}" "${url}events" Host:
answers 'not under a name that somebody made point here' 5 '400|403'
ask crowd "$url" 60
gives 'many who do not read keep nobody from reading' 0 '^200$' 'id="decisions"'
end 'and it ends'
begin --listen=127.0.0.1
made
wrong="${url%=*}=$(echo "${url##*=}" | tr 0-9a-f 1-9a-f0)"
ask get "${url%%\?*}" "${url%%\?*}events" "$wrong" "${url%?}"
answers 'with --listen, nothing without the token' 4 403
ask get "$url"
gives 'and all with it' 0 '^200$' '<h1>'
kill $watcher
wait $watcher

# ---- a run that brings its own; the script runs between two steps
sed -e "s#<path dir=\".\"/>#<path dir=\"$BUILD/examples/paper\"/><path dir=\"$BUILD/tests/components\"/>#" \
    -e "s#<instance name=\"optimizer\" class=\"portolan.Optimizer\"/>#<instance name=\"optimizer\" class=\"command.Step\"><parameter name=\"script\" type=\"string\" value=\"$work/script\"/></instance>#" \
    -e '/user="optimizer"/d' "$paper" >scripted.xml
cat >script <<'END_OF_SCRIPT'
# Kills the run, or the watcher, which is its only other child.
run=$PPID
case $(cat /proc/$run/comm) in sh | dash | bash) run=$(cut -d' ' -f4 /proc/$run/stat) ;; esac
[ "$victim" != run ] || kill -9 "$run"
for status in /proc/[0-9]*/stat; do
    child=$(cut -d' ' -f1,4 "$status" 2>/dev/null) || continue
    [ "${child#* }" = "$run" ] && grep -aq watch "/proc/${child% *}/cmdline" && kill -9 "${child% *}" &&
        echo killed >>"$work/killed"
done
exit 0
END_OF_SCRIPT
export work victim
try "$MPIEXEC" -n 2 "$PORTOLAN" run --watch --store=brief.db "$paper"
gives 'run --watch says where, however short the run' 0 'watch: http://127.0.0.1:'
scripted() {
    try "$MPIEXEC" -n 2 "$PORTOLAN" run --fixed --set x=1 --set sequence='' "$@" scripted.xml
}
scripted --store=alone.db
scripted --watch --store=own.db
[ "$status" = 0 ] && [ "$(cat killed)" = killed ] &&
    [ "$(sqlite3 own.db "$stored")" = "$(sqlite3 alone.db "$stored")" ]
result 'killed in the midst, the run goes on to its end' $?
victim=run
mkfifo output
timeout 60 "$PORTOLAN" run --fixed --watch --set x=1 --set sequence='' --store=own.db scripted.xml >output 2>err &
# Its output ends when nobody has it any more.
timeout 60 cat output >out
status=$?
[ "$status" = 0 ] && grep -q 'watch: http' out && [ "$(sqlite3 own.db "SELECT count(*) FROM trial WHERE outcome = 'running'")" = 1 ]
result 'and when a run is killed, its watcher ends' $?
