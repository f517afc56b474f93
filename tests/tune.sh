#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs are chosen by their options: every way in which a trial can end, and what is chosen then.
. "$(dirname "$0")/tap.sh"
plan 24
cd "$work" || exit 99
cp "$BUILD/examples/options/solve" "$BUILD/examples/options/options.xml" .
residual='residual ([0-9.eE+-]+)'

# outcomes NAME STORE METHOD EXPECTED: how the trials of the method ended.
outcomes() {
    seen=$(sqlite3 "$2" "SELECT DISTINCT outcome FROM trial t JOIN trial_implementation i ON i.trial = t.id
        WHERE i.value = 'method=$3' ORDER BY 1")
    [ "$seen" = "$4" ] || echo "# stored: $seen"
    [ "$seen" = "$4" ]
    result "$1" $?
}

# An ordinary assembly: one option is conditional, one value is wrong, one fails, one hangs.
try "$PORTOLAN" check options.xml
gives 'an assembly with a program is checked' 0
try "$PORTOLAN" measure --repeat 2 options.xml
gives 'failures do not end a session' 0 'failed: its processes ended with status 3' \
    'failed: still running at its limit' 'done: [0-9]+ trials'
outcomes 'what ends with a status of its own has failed' options.db broken failed
outcomes 'what hangs was stopped' options.db hang stopped
outcomes 'what works is finished' options.db direct finished
try "$PORTOLAN" measure --repeat 2 options.xml
gives 'a second start runs nothing' 0 'nothing to do: .*0 new trials'
try "$PORTOLAN" optimize options.xml
gives 'the fastest that is accurate is chosen' 0 'method=direct' 'command: ./solve -n 40000 -method direct$'
try "$PORTOLAN" optimize --set n=10000 --run options.xml
gives 'and run, at another size' 0 'sweeps, converged' 'residual '
try "$PORTOLAN" optimize --json options.xml
gives 'each of the others has its reason' 0 'accuracy [0-9.e-]+ of solve.main' 'takes at least' \
    'failed in trial [0-9]+: its processes ended with status 3'
try "$PORTOLAN" predict --set n=30000 --select method=direct options.xml
gives 'a size between the measured ones is predicted' 0 'predicted: .*s'
try "$PORTOLAN" optimize --forbid method=direct options.xml
lacks 'what is forbidden is not chosen' 'command: .*direct'

# The same as a command line.
all='{method:jacobi|gauss|sor -omega {omega:1.2..1.8+0.3}|direct|early|broken|hang}'
try "$PORTOLAN" tune --dry-run --vary n=10,20 -- ./solve -n '{n}' -method "$all"
count 'a dry run prints the command lines' 9 '^./solve -n 20 -method '
gives 'conditional options are in some of them' 0 '-method sor -omega 1.5$' '-method direct$'
try "$PORTOLAN" tune --repeat 2 --vary n=2000,4000 --accuracy 1e-8 --accuracy-from "$residual" --store line.db \
    -- ./solve -n '{n}' -method '{method:early|direct|broken}'
gives 'a command line is tuned' 0 'command: ./solve -n 4000 -method direct'

# Bad input and bad programs.
try "$PORTOLAN" tune -- ./no-such-program '{x:-a|-b}'
gives 'a program that does not exist' 1 "cannot run './no-such-program'"
try "$PORTOLAN" tune -- ./solve -n '{size}' '{x:-a|-b}'
gives 'a placeholder without a value' 1 "'\{size\}' in the command is neither"
try "$PORTOLAN" tune --accuracy 1e-3 --accuracy-from 'no group' -- ./solve '{x:-a|-b}'
gives 'a regular expression without a group' 1 'has no group'
try "$PORTOLAN" tune --repeat 2 --store none.db -- ./solve -method '{m:broken|broken -x}'
gives 'if all fail, there is a table of reasons' 1 'of [0-9]+: its processes ended with status 3' 'every trial failed'
try "$PORTOLAN" tune --repeat 2 --store number.db --accuracy-from 'error (.*)' -- echo 'error {x:nan|1e-9}'
answered
gives 'what is no number is a failure' 0 'failed: its output has no number for the accuracy'
try "$PORTOLAN" tune --repeat 1 --store input.db -- sh -c 'cat; sleep 100 & {x:true|:}'
answered
gives 'standard input is empty, and children are ended' 0 'done: 2 trials'
try "$PORTOLAN" tune --repeat 1 --store large.db --failed 'x$' -- sh -c 'head -c {x:100000000|9} /dev/zero | tr "\0" y'
answered
gives 'a line without an end fills no memory' 0 'done: 2 trials'

# More than 200 combinations: a race finds the best, one change after the other.
cat >steps <<'END'
#!/bin/sh
t=0
for x; do t=$((t + x)); done
exec sleep "$(printf '0.%03d' $t)"
END
chmod +x steps
try "$PORTOLAN" tune --repeat 1 --store race.db -- ./steps '{a:9|0}' '{b:9|0}' '{c:9|0}' '{d:9|0}' '{e:9|0}' \
    '{f:9|0}' '{g:9|0}' '{h:9|0}'
best='a=0 b=0 c=0 d=0 e=0 f=0 g=0 h=0'
[ "$(sqlite3 race.db "SELECT count(*) FROM trial_implementation WHERE value = '$best'")" -ge 1 ]
result 'the best of 256 combinations is measured' $?
[ "$(sqlite3 race.db 'SELECT count(*) FROM trial')" -lt 100 ]
result 'and not all of the others' $?

# Killed at any moment, a session continues.
timeout -s TERM 1 "$PORTOLAN" measure --store killed.db --repeat 2 options.xml >out 2>err
try "$PORTOLAN" measure --store killed.db --repeat 2 options.xml
[ "$(sqlite3 killed.db "SELECT count(*) FROM trial WHERE outcome = 'running'")" = 0 ]
result 'a killed session leaves nothing half, and goes on' $?
