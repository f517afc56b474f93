#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What `portolan export` writes is read by others: callgrind_annotate, speedscope's own schema,
# otf2-print, sqlite3, Python, and all of TAU's readers' rules. The numbers are those that
# analysis/export/test/sample_store.h tells; ranks 0 and 1 have k = 1 and 2 times them, together 3.
. "$(dirname "$0")/tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 99

need() {
    command -v "$1" >/dev/null || skip_all "$1 is not installed"
}
need python3
need sqlite3
need callgrind_annotate
python3 -c 'import jsonschema' 2>/dev/null || skip_all "python3-jsonschema is not installed"

"$EXPORT_STORE" plain.db || exit 99
"$EXPORT_STORE" rows.db rows || exit 99
"$EXPORT_STORE" large.db large 1 2000 3000 || exit 99
if "$PORTOLAN" export --help | grep -q otf2; then otf2=yes; else otf2=no; fi
[ $otf2 = no ] || need otf2-print

plan 66

write() {
    try "$PORTOLAN" export "$@"
}

# reads NAME PROGRAM FILE...: the Python program finds everything right.
reads() {
    name=$1 program=$2
    shift 2
    try python3 -c "$program" "$@"
    gives "$name" 0
}

# ------------------------------------------------- csv
write plain.db 1 --format csv -o t.csv
gives "csv is written" 0
sqlite3 imported.db ".mode csv" ".import t.csv t" 2>"$work/err"
result "sqlite3 imports it without a word" "$([ -s "$work/err" ] && echo 1 || echo 0)"
store=imported.db
stored "a row per call path, rank, thread and context" 9 'select count(*) from t'
stored "calls and times of a context, all steps" "3|700000|600000|50000|8000" \
    "select calls,inclusive_ns,exclusive_ns,mpi_ns,PAPI_TOT_INS from t
     where rank=0 and method='solve' and context='n=32'"
stored "exclusive times are the whole" 3977000.5 'select sum(exclusive_ns) from t'
stored "strange names come whole" 1 \
    "select count(*) from t where method like 'run;\"it\",' || char(10) || '\\ %'"
reads "a second reader of csv sees the same" '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="latin-1")))
assert len(rows) == 9 and {r["rank"] for r in rows} == {"0", "1"}
assert sum(float(r["calls"]) for r in rows) == 15
assert all(None not in r and None not in r.values() for r in rows)
assert open(sys.argv[1], "rb").read().count(b"\r\n") == 10' t.csv
write plain.db 1 --format csv --rank 1
count "one rank alone" 4 '^1,1,0,'

# ------------------------------------------------- callgrind
write plain.db 1 --format callgrind -o callgrind.out
gives "callgrind is written" 0
try callgrind_annotate --threshold=100 callgrind.out
gives "callgrind_annotate reads it, all costs in the totals" 0 \
    '3,977,00[01] \(100.0%\) 150,000 \(100.0%\) *39,000 \(100.0%\) +PROGRAM TOTALS' \
    '2,100,000 .*150,000 .* 25,500 .*heat.Cholmod:solver.solve \[heat.Cholmod\]' \
    '1,500,000 .* 10,500 .*heat.Driver:driver.go'
lacks "without a warning" '[Ww]arning|WARNING'
try callgrind_annotate --threshold=100 --inclusive=yes callgrind.out
gives "inclusive costs too" 0 \
    '3,900,000 .*heat.Driver:driver.go' '2,400,000 .*heat.Cholmod:solver.solve' '300,000 .*pre.apply'
try callgrind_annotate --threshold=100 --tree=calling callgrind.out
gives "and who called how often" 0 'Cholmod:solver.solve \[heat.Cholmod\] \(8x\)'
"$PORTOLAN" import "$here/tau/odd" --store odd.db >/dev/null
write odd.db --format callgrind -o odd.out
try callgrind_annotate --threshold=100 --inclusive=yes odd.out
gives "a recursive call is a function of its own" 0 "300,000 .*fib'2" '400,000 .*fib$'

# ------------------------------------------------- folded
write plain.db 1 --format folded
gives "folded stacks in microseconds" 0 \
    '^driver.go_\[heat.Driver\] 1500$' \
    '^driver.go_\[heat.Driver\];solver.solve_\[heat.Cholmod\] 2100$' \
    '^driver.go_\[heat.Driver\];solver.solve_\[heat.Cholmod\];pre.apply_\[heat.Jacobi\] 300$'
count "a line per call path, whatever its name holds" 4 '^[^ ]+ [0-9]+$'
write plain.db 1 --format folded --metric PAPI_TOT_INS
gives "of a counter" 0 'Driver\] 10500$' 'Cholmod\] 25500$' 'Jacobi\] 3000$'
write plain.db 1 --format folded --metric PAPI_L1_DCM
gives "a metric that is not there is told" 1 "no metric 'PAPI_L1_DCM'; the metrics are: .*PAPI_TOT_INS"

# ------------------------------------------------- speedscope
cat >schema.py <<'PY'
import json, sys
import jsonschema

schema = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    with open(name, encoding="utf-8") as f:
        jsonschema.Draft7Validator(schema).validate(json.load(f))
PY
schema=$here/speedscope/file-format-schema.json
write plain.db 1 --format speedscope -o sampled.json
write rows.db 1 --format speedscope --evented -o evented.json
write plain.db 1 --format speedscope --metric calls -o counted.json
try python3 schema.py "$schema" sampled.json evented.json counted.json
gives "speedscope's own schema accepts all forms" 0
sed 's/nanoseconds/ns/' sampled.json >wrong.json
try python3 schema.py "$schema" wrong.json
gives "and would refuse another unit" 1 "is not valid under any"
reads "a sampled profile per thread, with its stacks and weights" '
import json, sys
whole = json.load(open(sys.argv[1], encoding="utf-8"))
names = [f["name"] for f in whole["shared"]["frames"]]
assert [p["name"] for p in whole["profiles"]] == [
    "rank 0 thread 0", "rank 0 thread 1", "rank 1 thread 0"]
for p, whole_ns in zip(whole["profiles"], (1300000, 77000.5, 2600000)):
    assert p["unit"] == "nanoseconds" and p["endValue"] == sum(p["weights"]) == whole_ns
stacks = {tuple(names[f] for f in s): w
          for s, w in zip(whole["profiles"][2]["samples"], whole["profiles"][2]["weights"])}
assert stacks[("driver.go [heat.Driver]", "solver.solve [heat.Cholmod]")] == 1400000' sampled.json
reads "events are in order, balanced and nested" '
import json, sys
whole = json.load(open(sys.argv[1], encoding="utf-8"))
names = [f["name"] for f in whole["shared"]["frames"]]
assert len(whole["profiles"]) == 2
for k, p in enumerate(whole["profiles"], 1):
    stack, last, inside = [], 0, {}
    assert len(p["events"]) == 14 and p["endValue"] == 1400000 * k
    for e in p["events"]:
        assert e["at"] >= last
        last = e["at"]
        if e["type"] == "O":
            stack.append((e["frame"], last))
        else:
            frame, since = stack.pop()
            assert frame == e["frame"]
            inside[names[frame]] = inside.get(names[frame], 0) + last - since
            if names[frame].startswith("pre.apply"):
                assert [names[f] for f, _ in stack] == [
                    "driver.go [heat.Driver]", "solver.solve [heat.Cholmod]"]
    assert not stack and inside["solver.solve [heat.Cholmod]"] == 800000 * k' evented.json

# ------------------------------------------------- chrome
write rows.db 1 --format chrome -o trace.json
reads "chrome: X events, processes and threads by name" '
import json, sys
whole = json.load(open(sys.argv[1], encoding="utf-8"))
events = whole["traceEvents"]
calls = [e for e in events if e["ph"] == "X"]
assert len(calls) == 14 and whole["otherData"]["host"] == "node7"
assert {(e["pid"], e["args"]["name"]) for e in events if e.get("name") == "process_name"} == {
    (0, "rank 0"), (1, "rank 1")}
small = [e for e in calls if e["args"].get("n") == 64]
assert [(e["pid"], e["tid"], e["ts"], e["dur"]) for e in small] == [(0, 0, 800, 100),
                                                                    (1, 0, 1600, 200)]
assert [e["args"]["mpi_us"] for e in calls if "mpi_us" in e["args"]] == [25, 25, 50, 50]
assert all(e["args"]["PAPI_TOT_INS"] > 0 for e in calls)' trace.json

# The call of 1.05 ms went on over a step; the Mastermind took 300 us meanwhile, which rows leave out.
cp rows.db spans.db
sqlite3 spans.db "UPDATE invocation SET step = 1, inclusive = 1050000 WHERE id = 1;
    UPDATE invocation SET callpath = (SELECT callpath FROM invocation WHERE id = 2),
        start = 1120000, inclusive = 10000 WHERE id = 6"
write spans.db 1 --format chrome --rank 0 -o spans.json
reads "chrome: a call around steps is drawn around what it called" '
import json
calls = [e for e in json.load(open("spans.json"))["traceEvents"] if e["ph"] == "X"]
go = [e for e in calls if e["name"].startswith("driver.go")]
assert [(e["ts"], e["dur"]) for e in go] == [(0, 1350)], go
assert len(calls) == 7 and max(e["ts"] + e["dur"] for e in calls) == 1350, calls
'

# ------------------------------------------------- extrap
write plain.db 2-5 --format extrap -o extrap.json
reads "extrap: points of what varies, values of repetitions" '
import json, sys
whole = json.load(open(sys.argv[1], encoding="utf-8"))
assert whole["parameters"] == ["driver.n"]
solve = whole["measurements"]["driver.go [heat.Driver]->solver.solve [heat.Cholmod]"]
assert solve["inclusive_ns"] == [{"point": [16], "values": [14400, 14400]},
                                 {"point": [32], "values": [28800]},
                                 {"point": [64], "values": [57600]}]
go = whole["measurements"]["driver.go [heat.Driver]"]
assert go["inclusive_ns"][0]["values"] == [16000, 16010] and go["calls"][2]["values"] == [1]' \
    extrap.json
reads "as the schema of its manual has it" '
import json, sys
import jsonschema
point = {"type": "object", "required": ["point", "values"], "properties": {
    k: {"type": "array", "minItems": 1, "items": {"type": "number"}} for k in ("point", "values")}}
jsonschema.validate(json.load(open(sys.argv[1])), {
    "type": "object", "required": ["parameters", "measurements"], "properties": {
        "parameters": {"type": "array", "minItems": 1, "items": {"type": "string"}},
        "measurements": {"type": "object", "minProperties": 1, "additionalProperties": {
            "type": "object", "minProperties": 1,
            "additionalProperties": {"type": "array", "items": point}}}}})' extrap.json
write plain.db 1-5 --format extrap
gives "numbers of ranks are a parameter" 0 '"parameters":\["ranks","driver.n"\]'
write plain.db 2,3 --format extrap
gives "trials that are all alike are told" 1 'no numeric parameter differs'
cp plain.db blank.db
sqlite3 blank.db "INSERT INTO trial_parameter (trial, name, value)
    SELECT id, 'two words', id FROM trial WHERE id IN (3, 4)"
write blank.db 3,4 --format extrap
gives "a parameter whose name has blanks is told" 1 'name of a parameter must be UTF-8 text without blanks'
cp plain.db many.db
sqlite3 many.db "INSERT INTO trial_parameter (trial, name, value)
    SELECT trial.id, 'p' || n.value, trial.id FROM trial, json_each('[1,2,3,4,5,6,7,8]') AS n
    WHERE trial.id IN (3, 4)"
write many.db 3,4 --format extrap
gives "more parameters than Extra-P's readers take are told" 1 'more than 8 parameters differ'

# ------------------------------------------------- tau
write plain.db 1 --format tau -o tau
gives "tau profiles are written" 0
try python3 "$here/tau_profile.py" tau
gives "they obey all readers' rules" 0 \
    '^TIME 0\.0 TAU_USER 1 2 0 1300 \.TAU application$' \
    '^TIME 1\.0 heat\.Work 4 1 1400 1600 solver \(heat\.Cholmod\)::solve\(\)$' \
    '^TIME 0\.0 TAU_PARAM 3 1 600 700 solver \(heat\.Cholmod\)::solve\(\) \[ <n> = <32> \]$' \
    '^TIME 1\.0 TAU_CALLPATH 1 0 200 200 \.TAU application => driver .* => pre .*::apply\(\)$' \
    '^PAPI_TOT_INS 1\.0 heat\.Work 2 4 7000 26000 driver' '^TIME 0\.1 .* 77\.0005 77\.0005 pool' \
    "^TIME 0\\.0 fact note = a \"quoted\", <x> & y's"
try grep -rhA2 userevents tau/MULTI__TIME
gives "user events are in the first metric's files" 0 '^"residual" 3 9 1 4 98$' \
    "^\"heap 'KB'\" 1 2.5 2.5 2.5 6.25\$"
lacks "without those of call paths" '=>'
write plain.db 1 --format tau --rank 1 -o one
try python3 "$here/tau_profile.py" one
gives "one rank is node 0, as readers begin there" 0 '^TIME 0\.0 .* 2600 \.TAU application$'

# ------------------------------------------------- otf2
if [ $otf2 = yes ]; then
    write rows.db 1 --format otf2 -o archive
    gives "an OTF2 archive is written" 0
    try otf2-print archive/traces.otf2
    gives "otf2-print reads its events" 0 \
        '^ENTER +0 +800000 +Region: "solver.solve \[heat.Cholmod\]"' \
        '^LEAVE +1 +2000000 +Region: "driver.go \[heat.Driver\]"' 'PAPI_TOT_INS.*; 1500'
    count "one for each call" 14 '^ENTER '
    try otf2-print -G archive/traces.otf2
    gives "and its definitions" 0 '^REGION .*"pre.apply \[heat.Jacobi\]"' \
        '^LOCATION_GROUP .*"MPI Rank 1"' '^LOCATION .*"Thread 0".*14|^LOCATION .*Thread 0.*# Events: 21' \
        '^METRIC_MEMBER .*PAPI_TOT_INS' '^ATTRIBUTE .*"n"'
    write rows.db 1 --format otf2 -o archive
    gives "it is not overwritten" 1 'exists already'
    write rows.db 1 --format otf2 -o archive --force
    gives "unless that is asked for" 0
else
    for n in 1 2 3 4 5 6; do result "OTF2 is not built in # SKIP" 0; done
fi

# ------------------------------------------------- sampled calls
write plain.db 6 --format folded
gives "estimates where calls were sampled, summed over ranks" 0 '^[^;]*go_[^;]* 500$' 'tick_.* 500$'
write plain.db 6 --format tau -o sampled
try python3 "$here/tau_profile.py" sampled
gives "and per thread" 0 '^TIME 0\.0 heat.Work 1 100 500 1000 driver' \
    '^TIME 0\.0 heat.Work 100 0 500 500 clock'
write plain.db 6 --format csv
gives "a table has what was stored" 0 'tick,,0,100,10,0,50000,50000,'

# ------------------------------------------------- trials that are not whole
cp rows.db part.db
sqlite3 part.db "INSERT INTO primary_metadata VALUES (1, 'steps not stored', '4-7');
    INSERT OR REPLACE INTO trial_parameter VALUES (1, 'mastermind.detail', 'summary')"
write part.db 1 --format folded -o part.folded
gives "what is missing of a trial is told" 0 'warning: trial 1: steps not stored: 4-7' \
    'warning: trial 1 has the samples and rows of rank 0 alone'

# ------------------------------------------------- rows that are not there
for format in chrome "speedscope --evented"; do
    # shellcheck disable=SC2086 # words
    write plain.db 1 --format $format
    gives "$format needs rows and says how to get them" 1 'no rows of single calls.*parameter rows='
    lacks "and prints nothing else" '^\{'
done

# ------------------------------------------------- files
write plain.db 1 --format csv -o t.csv
gives "a file that is there stays" 1 "'t.csv' exists already"
echo old >t.csv
write plain.db 1 --format csv -o t.csv --force
try grep -c heat t.csv
gives "--force replaces it" 0 '^9$'
write plain.db 1 --format tau -o tau
gives "so does a folder" 1 "'tau' exists already"
write plain.db 1 --format tau -o tau --force
try python3 "$here/tau_profile.py" tau
gives "--force replaces an export" 0
touch tau/results.txt
write plain.db 1 --format tau -o tau --force
gives "but no folder that holds more" 1 "'tau' contains other files"
write plain.db 1 --format csv -o none/t.csv
gives "a folder that is missing is told" 1 "cannot write 'none/t.csv': No such file"
write plain.db 1 --format csv -o /dev/null --force
gives "what is no file is not replaced" 1 "is not a file"
(
    ulimit -f 100
    formats='csv tau'
    [ $otf2 = no ] || formats='otf2 csv tau'
    for format in $formats; do "$PORTOLAN" export large.db --format $format -o full.$format; done
) >"$work/out" 2>"$work/err" </dev/null
status=$?
gives "a full disk is an error" 1 "cannot write '.*full.csv': File too large" 'full.tau'
[ $otf2 = no ] && echo "cannot write 'full.otf2': File too large" >>"$work/err"
gives "for every writer" 1 "cannot write 'full.otf2.*': File too large"
# shellcheck disable=SC2144 # one pattern
if [ -e full.csv ] || [ -e full.tau ] || [ -e full.otf2 ] || ls -d ./*.new >/dev/null 2>&1; then left=1; else left=0; fi
result "of which nothing remains" $left
if [ -e /dev/full ]; then
    status=0
    "$PORTOLAN" export plain.db 1 --format csv >/dev/full 2>"$work/err" || status=$?
    : >"$work/out"
    gives "nor is a full standard output taken for good" 1 "cannot write"
else
    result "no /dev/full here # SKIP" 0
fi

# ------------------------------------------------- the same bytes
for format in csv callgrind folded speedscope chrome; do
    "$PORTOLAN" export rows.db 1 --format $format >"first.$format"
    "$PORTOLAN" export rows.db 1 --format $format >"second.$format"
    cmp -s "first.$format" "second.$format" || echo "$format" >>differ
done
result "the same trial gives the same bytes" "$([ -e differ ] && echo 1 || echo 0)"

# ------------------------------------------------- usage
write plain.db
gives "a format must be named" 2 'name a format'
write plain.db --format cube
gives "one that there is" 2 "unknown format 'cube'; the formats are: tau, csv, callgrind"
write plain.db 99 --format csv
gives "a trial that there is" 1 'trial'
write plain.db 1 --rank 2 --format csv
gives "a rank that there is" 1 'no rank 2, its ranks are 0 to 1'
write plain.db 1 --format tau -o -
gives "a folder is no standard output" 1 "'-o -' is for formats of one file"
