#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One store, one answer: optimize, optimize --json, explain, report --json and the page state the same
# facts in the same words.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/choice/study.sh"
plan 14

# Per step with n = 200, on the clock that moves only when told: Safe 600 us, Fast 200 us.
study known 'Safe us=3
Fast us=1
Good us=2 wrong=always' 'vary n 100 200 400
set steps 4' 'accuracy="1e-6"'
measure
run n=200
gives 'a run' 0
optimize n=200
cp out optimize.txt
gives 'optimize' 0 '^  solver +choice.Fast$'
optimize --json n=200
cp out optimize.json
try "$PORTOLAN" explain --store="$store" 1
cp out explain.txt
try "$PORTOLAN" explain --store="$store" --json
cp out explain.json
try "$PORTOLAN" report --json --html=page.html --store="$store" --set=driver.n=200 "$assembly"
gives 'report' 0
cp out report.json

cat >same.py <<'END'
import json, re, sys
text, told = open("optimize.txt").read(), open("explain.txt").read()
alone, explained, report = (json.load(open(f)) for f in ("optimize.json", "explain.json", "report.json"))
page = json.loads(re.search(r'<script [^>]*id="document"[^>]*>(.*?)</script>', open("page.html").read(), re.S)[1])
choice, decision = alone["choice"], explained["decisions"][0]
facts = {f["name"]: f["text"] for f in choice["facts"]}
def lines(of):
    """The labelled lines of a text, each with what it continues on."""
    return {k: " ".join(v.split()) for k, v in re.findall(r"^(\w[\w ]{0,9}):( .*(?:\n {12}.*)*)", of, re.M)}
if sys.argv[1] == "schema":
    import jsonschema
    schema = json.load(open(sys.argv[2]))
    jsonschema.validate(report, schema)
    jsonschema.validate(choice, {"$ref": "#/$defs/choice", "$defs": schema["$defs"]})
elif sys.argv[1] == "text":
    assert {"predicted", "as written", "gain", "choice"} <= set(facts), facts
    said = lines(text)
    assert all(said[k] == facts[k] for k in facts if k != "chosen"), (said, facts)
elif sys.argv[1] == "report":
    answer = report["answer"]
    assert answer["choice"] == choice and answer["gain"] == choice["gain"], (answer, choice)
    assert answer["sentences"][:len(facts)] == ["%s: %s." % (k.capitalize(), v) for k, v in facts.items()], answer
elif sys.argv[1] == "page":
    assert page["answer"] == report["answer"]
    assert page["decisions"] == report["decisions"]
elif sys.argv[1] == "numbers":
    [solver] = choice["variables"]
    totals = {o["implementation"]: o["total_ns"] for o in solver["options"]}
    forced = {a["implementation"]: a["forced_ns"] for a in decision["alternatives"]}
    assert solver["chosen"] == "choice.Fast" and decision["choice"] == "solver=choice.Fast"
    assert totals["choice.Good"] is None and forced["choice.Good"] is None, (totals, forced)
    for k in ("choice.Safe", "choice.Fast"):
        assert abs(totals[k] / forced[k] - 1) < 1e-6, (totals, forced)
    assert decision["chance"] == choice["chance"] == 1
elif sys.argv[1] == "explain":
    options = r"^ +(?:with|not) choice.*$"
    assert sorted(re.findall(options, told, re.M)) == sorted(re.findall(options, text, re.M)) != [], told
    assert lines(told)["choice"] == facts["choice"], told
    for mine, its in (("predicted", "predicted"), ("as written", "as before")):
        strip = lambda x: re.sub(r" \(95 %:.*?\)|; the interval.*", "", x)
        assert strip(facts[mine]) == strip(lines(told)[its]), (facts, told)
END
# same NAME WHAT [SCHEMA]
same() {
    name=$1
    shift
    python3 same.py "$@" >"$work/err" 2>&1
    result "$name" $?
}
same 'the JSON keeps to its schema, also that of optimize' schema "$SOURCE/docs/report.schema.json"
same 'optimize says as text what its JSON says' text
same 'report has the same answer' report
same 'the page has the data of the report' page
same 'the run decided by the same numbers' numbers
same 'explain words them as optimize does' explain

# From another folder, without --store: readers find the store next to the assembly.
mkdir elsewhere
cd elsewhere || exit 1
try "$PORTOLAN" optimize --set=driver.n=200 "$assembly"
[ "$status" = 0 ] && sed 's/[^ ]*\.db/DB/' "$work/out" >out && sed 's/[^ ]*\.db/DB/' ../optimize.txt | cmp -s - out
result 'optimize in another folder says the same' $?
try "$PORTOLAN" trials "$assembly"
gives 'trials are found there' 0 '  known +explore '
try "$PORTOLAN" report --json --set=driver.n=200 "$assembly"
cmp -s "$work/out" ../report.json
result 'so is what is reported' $?
try "$PORTOLAN" run --fixed --set=driver.n=200 "$assembly"
gives 'a run from there' 0
[ -f known.db ]
result 'writes its store where it is started' $?
