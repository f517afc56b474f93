#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `portolan report --html`: pages in Chromium hold the numbers of the commands, whatever is stored.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/browser.sh"
cd "$work" || exit 99

pages=''
# page FILE CHECK...: what report_page.py shall look at.
page() {
    pages="$pages${pages:+ ++ }$*"
}

# report NAME SOURCE...: a page NAME.html.
report() {
    name=$1
    shift
    try "$PORTOLAN" report --html="$name.html" "$@"
}

# numbers NAME SOURCE...: what the commands say, for the page of that name.
numbers() {
    name=$1 trial=$(python3 -c "import json; print(json.load(open('$1.json'))['shown_trial'])")
    shift
    "$PORTOLAN" profile --json "$@" "$trial" >"$name.profile" 2>/dev/null
    "$PORTOLAN" model --json "$@" >"$name.model" 2>/dev/null
    "$PORTOLAN" optimize --json "$@" >"$name.choice" 2>/dev/null
    echo "$name.profile $name.model $name.choice"
}

# decided NAME SOURCE...: what the trial shown on the page decided and expected.
decided() {
    name=$1 trial=$(python3 -c "import json; print(json.load(open('$1.json'))['shown_trial'])")
    shift
    "$PORTOLAN" explain --json --trial="$trial" "$@" >"$name.decided" 2>"$work/err"
    echo "$name.decided"
}

# draws LOCALE SOURCE...: what a terminal shows, in a file of that name. It has bars in UTF-8 only.
draws() {
    locale=$1
    shift
    python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' env TERM=xterm LC_ALL="$locale" "$PORTOLAN" report "$@" >terminal 2>err </dev/null
}

# ---------------------------------------------------------------- the paper's assembly, exact

paper=$BUILD/examples/paper/paper.xml
try "$PORTOLAN" measure --repeat=1 --store=paper.db "$paper"
try "$PORTOLAN" run --store=paper.db "$paper"
report paper --json --store=paper.db "$paper"
gives 'a page and its data are written' 0
mv out paper.json
python3 - "$SOURCE/docs/report.schema.json" paper.json <<'END'
import json, jsonschema, sys
schema, document = (json.load(open(f)) for f in sys.argv[1:])
jsonschema.validate(document, schema)
END
result 'the data keep to their schema' $?
draws C.UTF-8 --store=paper.db "$paper"
python3 - terminal paper.json <<'END'
import json, re, sys
text, steps = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))["steps"]
units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
n, *ends = re.search(r"times of (\d+) steps on rank 0, (\S+ \w+) to (\S+ \w+)", text).groups()
low, high = (float(t.split()[0]) * units[t.split()[1]] for t in ends)
wanted = min(steps["least_ns"]), max(steps["most_ns"])
assert int(n) == 8, n  # as portolan optimize has them
sys.exit(int(n) != steps["steps"] or any(abs(a / b - 1) > 1e-3 for a, b in zip((low, high), wanted)))
END
result 'steps and times on a terminal are those of the page' $?
at=''
for x in 0.25 0.3 0.5 0.7 1 1.25 2.34 2.37 2.43 2.46 3 5 8; do # between what was measured, outside, beside where the choice changes
    "$PORTOLAN" optimize --json --set "driver.x=$x" --store=paper.db "$paper" >"at$x.json"
    at="$at $x:at$x.json"
done
# shellcheck disable=SC2046,SC2086 # lists of files
page paper.html parts + numbers $(numbers paper --store=paper.db "$paper") + slider driver.x $at \
    + now paper.choice run portolan run paper.xml + steps $(decided paper --store=paper.db "$paper") paper.profile \
    + functions paper.profile + widths + use '#model/a.evaluate/paper.A1' paper.A1 + swaps + again
page paper.html plain
! grep -q -e '--fixed --select' -e 'of the measured calls' paper.json
result 'a run that took little to decide may decide again' $?
cp paper.db short.db
sqlite3 short.db "UPDATE primary_metadata SET value = '9e8' WHERE name = 'deciding at swap points';
    UPDATE primary_metadata SET value = '1e9' WHERE name = 'wall time'"
try "$PORTOLAN" report --json --store=short.db "$paper"
gives 'one whose decisions cost more than they save is to be fixed' 0 'this run is short: deciding' 'portolan run --fixed --select b=paper.B2 ' \
    '% saved, probably [0-9.]+ % of the measured calls'

# ---------------------------------------------------------------- heat on two ranks, for real

cp "$BUILD"/examples/heat/plate.inp .
sed 's/values="32 64 96 128"/values="8 12"/; s/name="n" type="int" value="128"/name="n" type="int" value="12"/
    s/name="steps" type="int" value="160"/name="steps" type="int" value="8"/' "$BUILD/examples/heat/plate.xml" >plate.xml
try "$MPIEXEC" -n 2 "$PORTOLAN" measure --repeat=1 --store=heat.db plate.xml
try "$MPIEXEC" -n 2 "$PORTOLAN" run --store=heat.db plate.xml
report heat --json --store=heat.db plate.xml
gives 'a run on two ranks has a page' 0
mv out heat.json
for n in 8 10 12 24; do
    "$PORTOLAN" optimize --json --set "driver.n=$n" --store=heat.db plate.xml >"heat$n.json" 2>"$work/err"
done
# shellcheck disable=SC2046
page heat.html parts + numbers $(numbers heat --store=heat.db plate.xml) + cells + functions heat.profile + widths \
    + slider driver.n 8:heat8.json 10:heat10.json 12:heat12.json 24:heat24.json

# ---------------------------------------------------------------- a wrapped program, an assembly in C++

for library in one two; do
    LD_LIBRARY_PATH="$BUILD/proxygen/wrap/test/$library" "$PORTOLAN" wrap -q -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" \
        -s calc.db -- "$BUILD/proxygen/wrap/test/subject" name >"$work/out" 2>"$work/err"
done
report calc --json calc.db
gives 'a wrapped program has a page' 0
mv out calc.json
# shellcheck disable=SC2046
page calc.html parts + numbers $(numbers calc calc.db) + now calc.choice measure portolan wrap OTHER.so

# Libraries that took turns: the one that is better is a matter of an environment variable, or nothing can be told.
libraries=$BUILD/proxygen/wrap/test
"$PORTOLAN" wrap -q -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -l "one=$libraries/libcalc_one.so" -l "two=$libraries/libcalc_two.so" \
    --rotate 0.01 -s turns.db -- "$libraries/subject" both >"$work/out" 2>"$work/err"
report turns --json turns.db
gives 'libraries that took turns have a page' 0
mv out turns.json
page turns.html turns
# Each call takes 1 us in both libraries.
sqlite3 turns.db "UPDATE call_data SET inclusive = calls * 1e3, exclusive = calls * 1e3, timed_calls = calls,
    sum_inclusive_squared = calls * 1.01e6 WHERE id IN (SELECT id FROM sample WHERE method LIKE 'calc%')"
try "$PORTOLAN" report --json turns.db
gives 'where no difference was shown nothing is to be changed' 0 '"Keep what you have: no difference was shown[.]"' '"/.*subject both"'
lacks 'and no library is named' 'Run the program with its library'

# A program that was tuned: what to do is its command line. It says itself how long it took.
printf '#!/bin/sh\necho took 0.$2$1\n' >solve && chmod +x solve
try "$PORTOLAN" tune --vary n=1,2 --time-from 'took ([0-9.]+)' --store=tuned.db -o tuned.xml -- ./solve '{n}' '{method:5|3|4}'
gives 'a program is tuned' 0 'command: ./solve 2 3'
report tuned --json --store=tuned.db tuned.xml
gives 'it has a page' 0
mv out tuned.json
"$PORTOLAN" optimize --json --store=tuned.db tuned.xml >tuned.choice 2>"$work/err"
page tuned.html now tuned.choice run ./solve 3
try "$PORTOLAN" report --store=tuned.db tuned.xml
gives 'without a page, another command has what is asked' 1 'portolan explain tuned.xml'

particles=$BUILD/examples/cxx/particles.xml
if [ -e "$particles" ]; then
    for class in Direct Cells; do
        try "$PORTOLAN" run --fixed --store=cxx.db --set driver.n=20 --select forces=particles.$class "$particles"
    done
    report cxx --json --store=cxx.db --set driver.n=20 "$particles"
    gives 'an assembly in C++ has a page' 0
    mv out cxx.json
    "$PORTOLAN" profile --json --store=cxx.db "$particles" >cxx.profile
    "$PORTOLAN" model --json --store=cxx.db --set driver.n=20 "$particles" >cxx.model
    "$PORTOLAN" optimize --json --store=cxx.db --set driver.n=20 "$particles" >cxx.choice
    page cxx.html parts + numbers cxx.profile cxx.model cxx.choice
fi

# ---------------------------------------------------------------- two sets of trials

try "$PORTOLAN" run --store=paper.db "$paper"
try "$PORTOLAN" run --store=paper.db "$paper"
report both paper.db purpose:explore purpose:run
gives 'two sets of trials are compared' 0
page both.html parts comparison + difference

# ---------------------------------------------------------------- hostile names, nothing, one trial

cp paper.db long.db
sqlite3 paper.db "UPDATE component SET instance = '<script>window.hurt = 1</script>' || id;
    UPDATE timer SET short_name = 'solve\"><img src=x onerror=window.hurt=1>' || id;
    UPDATE trial_parameter SET value = replace(hex(zeroblob(5000)), '00', 'ab');
    UPDATE primary_metadata SET value = 'größer ‹日本語› &amp; ''quoted'' </script><script>window.hurt=1</script>';
    UPDATE reason SET reason = '<b>text</b>{{main}}', change = 'a <i>b</i>'" 2>"$work/err"
report hostile paper.db
gives 'hostile names have a page' 0
page hostile.html hostile

report none --store=none.db plate.xml
gives 'no store is an error that says so' 1 'none.db'
sqlite3 heat.db 'PRAGMA foreign_keys = ON; DELETE FROM trial'
report empty --store=heat.db plate.xml
gives 'an empty store has a page' 0
page empty.html empty
try "$EXPORT_STORE" one.db
report one one.db
gives 'a store of one trial has a page' 0
page one.html parts

# ---------------------------------------------------------------- a million steps

trial=$(sqlite3 long.db 'SELECT max(id) FROM trial')
row=$(sqlite3 long.db "SELECT min(p.first) FROM call_piece p JOIN step s ON s.id = p.step WHERE s.trial = $trial AND p.node_rank = 0")
columns=$(sqlite3 long.db "SELECT group_concat(name) FROM pragma_table_info('call_data') WHERE name NOT IN ('id', 'parent', 'inclusive')")
sqlite3 long.db "CREATE TEMP TABLE n AS WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 999999) SELECT i FROM k;
    PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON; BEGIN;
    CREATE TEMP TABLE t AS SELECT * FROM call_data WHERE id = $row;
    DELETE FROM step WHERE trial = $trial; DELETE FROM expectation WHERE trial = $trial;
    INSERT INTO step (id, trial, number) SELECT 10000000 + i, $trial, i FROM n;
    INSERT INTO call_data (id, parent, inclusive, $columns) SELECT 10000000 + i, NULL, 1e6 + i % 1000, $columns FROM n, t;
    INSERT INTO call_piece SELECT 10000000 + i, 10000000 + i, 10000000 + i, 0 FROM n;
    INSERT INTO expectation SELECT $trial, i, '', '', 1e6, 9e5, 1.1e6, 1e6 + i % 1000 FROM n; COMMIT" >"$work/out" 2>"$work/err"
report long long.db "$trial"
gives 'a run of a million steps has a page' 0
page long.html parts + long long.html 1000000
rm long.db

# ---------------------------------------------------------------- without what it is made of

try "$PORTOLAN" report calc.db
draws C.UTF-8 calc.db
grep -q '█' terminal && grep -q '^own time of call paths' terminal
result 'a terminal gets bars' $?
draws C calc.db
! grep -q '█' terminal && ! grep -q '█' out
result 'one without UTF-8 gets none, and a file neither' $?

try "$PORTOLAN" report --html=bare.html --d3=/nowhere/d3.js --store=paper.db "$paper"
gives 'a page without D3 is written' 0
grep -q 'Debian: node-d3' bare.html && ! grep -q '<script nonce' bare.html
result 'it says what to install' $?
grep -q "Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-" paper.html
result 'the page allows its own scripts only' $?
! grep -Eo '(src|href)="(https?:)?//' paper.html
result 'it needs no network' $?
report nothing
gives 'of nothing' 2 'name a store or an assembly.s XML file'
report three paper.db 1 2 3
gives 'of three sets' 2 'was also given'

axe=${AXE:-$SOURCE/node_modules/axe-core/axe.min.js}
if [ -e "$axe" ]; then
    page paper.html axe "$axe" ++ heat.html axe "$axe"
else
    result "axe-core is not installed (npm install axe-core) # SKIP" 0
fi
# shellcheck disable=SC2086 # a list of words
browse report_page.py $pages
plan "$tests_run"
