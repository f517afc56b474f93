#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Annotated programs as a whole: what they leave behind, on one process and on several.
. "$(dirname "$0")/tap.sh"

plan 42
cd "$work" || exit 99
unset CLL_FORMAT CLL_OUTPUT CLL_OVERWRITE CLL_STORE CLL_FLUSH CLL_MEMORY

# rows FILE EXPERIMENT: its rows in the text form.
rows() {
    awk -v e="EXPERIMENT: $2" '/^EXPERIMENT:/ { on = $0 == e } /^SAMPLE:/ { table = 2 }
        on && table == 0 && /^[0-9]/ { print } table > 0 { table-- }' "$1"
}

# same NAME A B
same() {
    [ "$2" = "$3" ] || echo "# '$2' and not '$3'"
    [ "$2" = "$3" ]
    result "$1" $?
}

# --- one process

try "$CALL_PROGRAM" 5
gives 'a program reports' 0
same 'into PROGRAM.cll.dat alone' "$(ls -A | tr '\n' ' ')" 'err out program.cll.dat '
same 'with a row for each pass' "$(rows program.cll.dat outer | wc -l)" 5
same 'which has the process, how many there are, and N' \
    "$(rows program.cll.dat outer | cut -d' ' -f1-3 | tr '\n' ' ')" \
    '0 1 1 0 1 2 0 1 4 0 1 8 0 1 16 '
same 'and times that are positive' \
    "$(rows program.cll.dat outer | awk '!($4 > 0 && $4 < 10)' | wc -l)" 0
try grep -E '^(CALL_VERSION|PROGRAM|NODE_NAME|SYSNAME|RELEASE|VERSION|PARALLEL_ID|DATE|COST_SECONDS): .' \
    program.cll.dat
count 'the head describes the run' 9 '.'

try "$CALL_PROGRAM" 2
gives 'a second run' 0
same 'leaves what is there alone' "$(rows program.cll.dat outer | wc -l)" 5
same 'and puts a number into the name' "$(rows program.cll.1.dat outer | wc -l)" 2
try env CLL_OVERWRITE=1 "$CALL_PROGRAM" 3
gives 'unless it is told to overwrite' 0
same 'the file' "$(rows program.cll.dat outer | wc -l)" 3

rm -f program.*
for i in 1 2 3 4 5 6; do "$CALL_PROGRAM" $i & done
wait
same 'programs that end together have a file each' \
    "$(for f in program.*; do rows "$f" outer | wc -l; done | sort | tr '\n' ' ')" '1 2 3 4 5 6 '
rm -f program.*

try "$CALL_PROGRAM" 4 twice
gives 'a second report' 0
same 'has nothing that the first has' "$(rows program.cll.1.dat outer | wc -l)" 0
rm -f program.*

# --- forms

try env CLL_FORMAT=json CLL_OUTPUT=form.json "$CALL_PROGRAM" 3
gives 'JSON' 0
try python3 -c '
import json
r = json.load(open("form.json"))
e = r["cll_experiment"][0]
assert e["EXPERIMENT"] == "outer" and e["BEGIN_LINE"] == [40], e
assert e["FORMULA"] == "outer[0] outer[1] N * +" and e["COMPONENTS"] == ["1", "N"], e
assert e["headers"] == ["CPU", "NCPUS", "N", "CLOCK"] and e["NUMTESTS"] == [3], e
assert [row[:3] for row in e["sample"]] == [[0, 1, 1], [0, 1, 2], [0, 1, 4]], e
assert all(0 < row[3] < 10 and row[3] != int(row[3]) for row in e["sample"]), e'
gives 'is what other readers understand, and has fractions' 0
try env CLL_FORMAT=xml CLL_OUTPUT=form.text "$CALL_PROGRAM" 3
gives 'another form is told, and text is written' 0 "CLL_FORMAT is 'xml'; use text or json"
same 'which is there' "$(rows form.text outer | wc -l)" 3
rm -f form.*

# --- where nothing can be written

try env CLL_OUTPUT=/dev/full "$CALL_PROGRAM" 3
gives 'a full disk is told' 4 "program.* is not written: cannot write '/dev/full': No space left"
try env CLL_OUTPUT=nowhere/program.dat "$CALL_PROGRAM" 3
gives 'a folder that is not there is told' 4 "cannot write 'nowhere/program.dat'"
status=0
(
    ulimit -f 8
    exec "$CALL_PROGRAM" 20000 >out 2>err
) || status=$?
gives 'a disk that becomes full is told' 4 "cannot write 'program.cll.dat': File too large"
same 'and nothing is left half written' "$(ls -A | tr '\n' ' ')" 'err out '

# --- ends without a report

try "$CALL_PROGRAM" 3 exit
gives 'a program that ends before its report is told' 3 'ends without a report .* CLL_FLUSH=1'
same 'and leaves nothing' "$(ls -A | tr '\n' ' ')" 'err out '
try env CLL_FLUSH=1 "$CALL_PROGRAM" 3 exit
gives 'with CLL_FLUSH' 3
same 'it is written all the same' "$(rows ./*.cll.dat outer | wc -l)" 3
rm -f ./*.cll.dat
mkfifo ready
CLL_FLUSH=1 CLL_OUTPUT=killed.dat "$CALL_PROGRAM" 7 wait >ready &
read -r _ <ready
kill -TERM $!
status=0
wait $! 2>/dev/null || status=$?
same 'a program that is told to end does so' "$status" 143
same 'and has written what it had' "$(rows killed.dat outer | wc -l)" 7
rm -f killed.dat ready

# --- memory

try env CLL_MEMORY=much CLL_OUTPUT=/dev/null "$CALL_PROGRAM" 3
gives 'a bound that is no number is told' 0 "CLL_MEMORY is 'much'; it would be a number of MiB"
try env CLL_MEMORY=1 "$CALL_PROGRAM" 60000
gives 'where the room for samples ends' 0
same 'no sample is gone without being counted' \
    "$(($(rows program.cll.dat outer | wc -l) + $(sed -n 's/^LOST: outer //p' program.cll.dat)))" 60000
rm -f program.*

# --- several processes

try "$MPIEXEC" -n 2 "$CALL_PROGRAM_MPI" 5
gives '2 ranks report together' 0
same 'into one file' "$(ls -A | tr '\n' ' ')" 'err out program.cll.dat '
same 'that has the rows of both' \
    "$(rows program.cll.dat outer | cut -d' ' -f1-2 | sort | uniq -c | awk '{ print $1, $2, $3 }' | tr '\n' ' ')" \
    '5 0 2 5 1 2 '
rm -f program.*
# More than goes up the tree at once: piece by piece.
try "$MPIEXEC" -n 2 "$CALL_PROGRAM_MPI" 200000
gives 'large samples' 0
same 'arrive' "$(rows program.cll.dat inner | cut -d' ' -f1-2 | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" \
    '200000 200000 '
rm -f program.*
try env CLL_OUTPUT=/dev/full "$MPIEXEC" -n 2 "$CALL_PROGRAM_MPI" 3
gives 'what process 0 cannot write is told once' 4 'No space left'

try "$MPIEXEC" -n 2 "$CALL_PROGRAM_MPI" 3 late
gives 'a report behind MPI_Finalize is told' 4 'between MPI_Init and MPI_Finalize'
same 'and leaves nothing' "$(ls -A | tr '\n' ' ')" 'err out '

# --- the store

store=$work/store.db
CLL_STORE=$store "$CALL_PROGRAM" 8
CLL_STORE=$store "$MPIEXEC" -n 2 "$CALL_PROGRAM_MPI" 8
stored 'runs add trials to the experiment store' '1|program|1|finished
2|program|2|finished' 'SELECT id, name, node_count, outcome FROM trial ORDER BY id'
try "$PORTOLAN" profile "$store"
gives 'portolan profile shows experiments as call paths' 0 'one measured call costs [0-9.]+ ns' \
    '^program.outer \[program.c\] +!? +16 ' '^  program.inner \[program.c\] +!? +16 '
try "$PORTOLAN" model list --by contexts "$store" 1
gives 'portolan model has models over their identifiers' 0 'program.outer \[program.c\].*N'
