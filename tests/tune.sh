#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs are chosen by their options: every way in which a trial can end, and what is chosen then.
. "$(dirname "$0")/tap.sh"
plan 66
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
answered
gives 'a size between the measured ones is predicted' 0 'predicted: '
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

# Without a file of the assembly, its store is enough.
cat >sizes <<'END'
#!/bin/sh
case $1 in big) sleep 0.2 ;; *) sleep 0.02 ;; esac
echo 'size 1600123'
END
chmod +x sizes
try "$PORTOLAN" tune --repeat 2 --vary d=small,big --store alone.db -- ./sizes '{d}' '{z:gzip -1|gzip -6|xz}'
answered
gives 'the choice at each other value of --vary is a line' 0 '^at d=small: sizes z=(gzip_-1|gzip_-6|xz), [0-9.]+ ms'
lacks 'no command names a file that is not there' 'portolan measure'
try "$PORTOLAN" report alone.db
gives 'its store has a report' 0 'z=gzip_-6 +[0-9.]+ s in [0-9]+ trial'
try "$PORTOLAN" explain alone.db
gives 'its store is explained' 0 'z=xz +[0-9.]+ s in [0-9]+ trial'
try "$PORTOLAN" optimize --set d=small alone.db
answered
gives 'its store answers for another value' 0 "Choice for 'sizes' \\(sizes.d=small,"
"$PORTOLAN" report --html alone.html alone.db && grep -qE 'class="command">.*(sizes big|.portolan tune.)' alone.html
result 'its page says what to do' $?
try "$PORTOLAN" tune --repeat 2 --time-from 'took ([0-9.]+)' --store same.db -- echo 'took 0.2 {z:-a|-b}'
answered
gives 'what to repeat is said' 0 '^to find out, measure:' 'the same .portolan tune. command again'
try "$PORTOLAN" tune --repeat 2 --vary d=small --accuracy 1600000 --accuracy-from 'size ([0-9]+)' --store size.db \
    -- ./sizes '{d}' '{z:-a|-b}'
gives 'an accuracy that nothing reaches has all its digits' 3 \
    'no combination reaches accuracy 1600000 at sizes.d=small; the best available is 1600123 with'

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

try "$PORTOLAN" tune --repeat 1 --store full.db -- dd if=/dev/zero of=/dev/full 'count={x:1|2}'
gives 'a full disk is the reason of a failure' 1 'of [0-9]+: its processes ended with status 1' '\| .*No space left on device'
free=$(df -B1 --output=avail . | tail -1)
try "$PORTOLAN" tune --repeat 1 --store fills.db -- dd if=/dev/zero of=big bs=1 count=1 "seek={x:0|$free}"
answered
gives 'a trial cannot fill the disk' 0 'failed: .*' 'File too large|File size limit'
rm -f big
echo 1 >data
try "$PORTOLAN" tune --repeat 1 --store data.db -- sh -c 'echo {x:2|3} >>"$0"' data
answered
gives 'a trial that changes a file that it may read' 0 "the trial changed 'data', which its command names"
[ "$(grep -c 'the trial changed' out)" = 1 ]
result 'and that is said once' $?

cat >first <<'END'
#!/bin/sh
case $1 in bad) echo 'cannot allocate' && exit 1 ;; esac
echo 'residual 1e-9'
END
chmod +x first
try "$PORTOLAN" tune --repeat 2 --store match.db --accuracy-from 'error ([0-9.e-]+)' -- ./first '{x:good|fine}'
gives 'an expression that matches nothing shows the end of the output' 1 \
    "no number for the accuracy; its last line is 'residual 1e-9'" '\| residual 1e-9'
try "$PORTOLAN" tune --repeat 2 --store first.db -- ./first '{x:bad|good|fine}'
answered
gives 'if the first one fails, the others go on' 0 "failed: .*; its last line is 'cannot allocate'" 'done: [45] trials'
try "$PORTOLAN" tune --timeout 1e-6 --repeat 2 --store start.db -- ./first '{x:good|fine}'
gives 'a time-out shorter than a start' 1 'still running at its limit' 'every trial failed'
cat >nothing.xml <<'END'
<assembly name="nothing">
  <program name="echo" command="echo {x}" store="nothing.db"/>
  <instance name="x" class="a"><applies if="x = b"/>
    <alternative class="b"><applies if="x = a"/></alternative>
  </instance>
</assembly>
END
try "$PORTOLAN" measure nothing.xml
gives 'a constraint that allows nothing' 1 'nothing.xml:2: .*allow no combination of options'
sed 's/{x}/{y}/' nothing.xml >misspelt.xml
try "$PORTOLAN" check misspelt.xml
gives 'an option that is misspelt where it stands' 1 "misspelt.xml:2:.*'\{y\}' in the command is neither"
printf '<assembly name="w"><program name="echo" command="echo"/>\n<instance name="x" class="a">%s</instance></assembly>\n' \
    '<alternative class="b"/>' >nowhere.xml
try "$PORTOLAN" check nowhere.xml
gives 'an option whose words appear nowhere' 1 "nowhere.xml:2:.*the words of option 'x' appear nowhere"
many='{a:0..99} {b:0..99} {c:0..99} {d:0..99} {e:0..99}'
try "$PORTOLAN" tune --dry-run -- ./first $many
gives 'ten thousand million combinations' 0 '^./first 0 0 0 0 1$' 'more than 200 combinations'

# What a program is given, and what is read of it.
cat >solver <<'END'
#!/bin/sh
cat input.dat
echo "threads $OMP_NUM_THREADS, ranks ${PMI_SIZE-$OMPI_COMM_WORLD_SIZE}"
echo "solved in 0.0$(sed -n 's/^block //p' input.dat) s"
touch litter
END
chmod +x solver
printf 'HPL of others\nblock {nb}\n' >input.in
solver="$PWD/solver"
# shellcheck disable=SC2086 # words
try "$PORTOLAN" tune --repeat 2 --store given.db --file input.dat=input.in --env 'OMP_NUM_THREADS={t}' --ranks 2 \
    --time-from 'in ([0-9.]+) s' --context 'ranks=ranks ([0-9]+)' --context 'threads=threads ([0-9]+)' -o given.xml \
    -- "$solver" '{nb:64|16|32}' '{t:1|2}'
answered
gives 'files, environment, ranks, time and contexts' 0 'done: [0-9]+ trials'
store=given.db
stored 'ranks and threads are contexts' '2.0|1.0
2.0|2.0' 'SELECT DISTINCT context1, context2 FROM call_data ORDER BY 2'
stored 'the time is what the program says' '0.016' 'SELECT min(inclusive) / 1e9 FROM call_data'
if [ -e litter ] || [ -e input.dat ]; then result 'trials leave no files' 1; else result 'trials leave no files' 0; fi

# More than 200 combinations: a race finds the best, one change after the other.
cat >steps <<'END'
#!/bin/sh
t=0
for x; do t=$((t + x)); done
exec sleep "$(printf '0.%03d' $t)"
END
chmod +x steps
try "$PORTOLAN" tune --repeat 1 --store race.db -- ./steps '{a:30|0}' '{b:30|0}' '{c:30|0}' '{d:30|0}' '{e:30|0}' \
    '{f:30|0}' '{g:30|0}' '{h:30|0}'
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
cat >slow <<'END'
#!/bin/sh
exec sleep 0.2
END
chmod +x slow
"$PORTOLAN" tune --repeat 2 --store shot.db -o shot.xml -- ./slow '{x:1|2|3|4}' '{y:1|2}' >out 2>err &
session=$!
while [ "$(sqlite3 shot.db "SELECT count(*) FROM trial WHERE outcome = 'finished'" 2>/dev/null || echo 0)" -lt 3 ]; do
    kill -0 $session || break
done
kill -KILL $session
wait $session 2>/dev/null
try "$PORTOLAN" measure --repeat 2 shot.xml
store=shot.db
stored 'after SIGKILL nothing is lost, and nothing measured more often' '8|2' \
    "SELECT count(*), max(n) FROM (SELECT count(*) n FROM trial t JOIN trial_implementation i ON i.trial = t.id
     WHERE outcome = 'finished' GROUP BY i.value)"
try "$PORTOLAN" tune --budget 1 --store budget.db -- ./slow '{x:1|2|3|4|5|6|7|8|9}'
answered
gives 'a budget ends a session' 0 'the budget does not allow'
[ "$(sqlite3 budget.db 'SELECT count(*) FROM trial')" -le 5 ]
result 'before a trial that would exceed it' $?

# Side by side.
cat >beside <<'END'
#!/bin/sh
echo start >>log
sleep 0.1
echo end >>log
END
chmod +x beside
try "$PORTOLAN" tune --parallel 2 --repeat 2 --store beside.db -- ./beside '{x:1|2|3|4}' '{y:1|2}'
answered
gives 'trials run side by side' 0 'done: [0-9]+ trials' 'command: ./beside'
uniq -c log | grep -q '2 start' && ! uniq -c log | grep -q '3 start'
result 'two at once, and not three' $?
store=beside.db
stored 'each combination is measured, and no trial is left' '8|0' "SELECT count(DISTINCT i.value), sum(outcome != 'finished')
    FROM trial t JOIN trial_implementation i ON i.trial = t.id"

# Files of other tools.
cat >solver.txt <<'END'
# name switch type values [| condition]
method "-method " c (jacobi, sor, direct)
omega "-omega " r (1.0, 1.8) | method == "sor"
block "-b " i,log (4, 64)
reorder "--reorder=" o (none, rcm, amd)
[forbidden]
(method == "direct") & (reorder == "none")
END
try "$PORTOLAN" tune --dry-run --irace solver.txt -- ./first
count "irace's parameters: (1 + 9 + 1) x 5 x 3, and 5 are forbidden" 160 '^./first -method '
gives 'some are used only with a value of another' 0 '-method sor -omega 1.2 -b 16 --reorder=rcm$' \
    '-method jacobi -b 64 --reorder=none$'
sed 's/| method == "sor"/& \& block > 4/' solver.txt >and.txt
try "$PORTOLAN" tune --dry-run --irace and.txt -- ./first
gives 'a condition that cannot be read' 1 'and.txt:3: .*a condition is of one parameter'
sed 's/ r (1.0, 1.8)/ r (1.0)/' solver.txt >range.txt
try "$PORTOLAN" tune --dry-run --irace range.txt -- ./first
gives 'a range with one end' 1 'range.txt:3: .*a lower and an upper end'
for varied in 'n=1,2,4 -v w=0' 'n=1,2 -v w=1' 'n=1,2,4 -v w=0,1 --budget 0.001'; do
    # shellcheck disable=SC2086 # several words
    try "$PORTOLAN" tune -d large.db --repeat 1 -v $varied -a 1e-6 --accuracy-from 'residual ([0-9.e-]+)' -- \
        sh -c 'sleep 0.{n}{a:5|2|1}; echo residual 1e-8 {w}'
done
gives 'accuracy is a guess where each of two values was measured, but not both' 3 'cannot tell:' \
    'its accuracy is a guess: it never ran'
try "$PORTOLAN" tune -d said.db --repeat 1 --time-from 'seconds ([0-9.]+)' -- \
    sh -c 'sleep {s:0|1.2}; test {s} = 0 && echo seconds 0.2 || echo seconds 0.1'
gives 'the time that a program says does not limit that of its process' 0 'command: .*sleep 1.2'
cat >results.json <<'END'
{"results": [
  {"command": "sleep 0.01", "times": [0.011, 0.012, 0.013], "exit_codes": [0, 0, 0], "parameters": {"x": "0.01"}},
  {"command": "sleep 0.3", "times": [0.31, 0.33], "exit_codes": [0, 1]}]}
END
try "$PORTOLAN" tune --budget 0.001 --store from.db --hyperfine results.json --json to.json -- sleep '{x:0.01|0.2|0.3}'
answered
gives "hyperfine's results are trials" 0 'results.json: [35] trials' 'command: sleep 0.01'
grep -qE '"command": "sleep 0.01", "times": \[0.011[0-9]*, 0.012, 0.013[0-9]*\], .*"median": 0.012, ' to.json
result 'and are written so' $?
echo '{"results": [{"command": "true", "times": [1]}]}' >others.json
try "$PORTOLAN" tune --store others.db --hyperfine others.json -- sleep '{x:1|2}'
gives 'results of another command' 1 'others.json:1: no result is of this command line'
echo '{"results": [' >half.json
try "$PORTOLAN" tune --store others.db --hyperfine half.json -- sleep '{x:1|2}'
gives 'half a file of results' 1 'half.json:[12]: '

# What is known of each combination.
try "$PORTOLAN" explain options.xml
gives 'explain has a line for each' 0 'method=direct +[0-9.e-]+ s in 2 trials$' \
    'method=jacobi +(.* times the best|stopped: it takes at least|never tried here; elsewhere it)' \
    'method=broken +failed in trial [0-9]+: its processes ended with status 3' \
    'method=early +not accurate: .*, worse than 1e-08' \
    'method=hang +(stopped: it takes at least|never tried here; elsewhere it was stopped)'
try "$PORTOLAN" explain --store first.db shot.xml
gives 'what has no trials was never tried' 0 'x=1 y=1 +never tried'
try "$PORTOLAN" report --html page.html options.xml
gives 'the page is written' 0
