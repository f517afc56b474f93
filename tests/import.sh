#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# TAU profiles become trials: TAU's own, those of other writers, and what `portolan export` wrote.
# tests/tau holds profiles made by hand; the expected numbers were worked out from them by hand, too.
. "$(dirname "$0")/tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 99
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
command -v python3 >/dev/null || skip_all "python3 is not installed"

plan 57

# take FOLDER: imports it into a store of its own, and its table of call paths into another.
take() {
    rm -f one.db table.db
    try "$PORTOLAN" import "$here/tau/$1" --store one.db
    "$PORTOLAN" export one.db --format csv -o table.csv --force
    sqlite3 table.db '.mode csv' '.import table.csv t'
}

# table NAME EXPECTED QUERY, on the table; fact NAME EXPECTED QUERY, on the store.
table() {
    store=table.db
    stored "$@"
}
fact() {
    store=one.db
    stored "$@"
}

# ------------------------------------------------- call paths, groups, parameters, phases, events
take calls
gives "a profile with call paths is stored" 0 '^trial 1$'
table "times in nanoseconds, by call path" "MPI_Send()|2|4000000
MPI_Send()|1|5000000" \
    "select method,calls,inclusive_ns from t where method='MPI_Send()' order by path"
table "exclusive time is the whole" 25000000 "select cast(sum(exclusive_ns) as int) from t"
table "time in MPI is that of its group" 9000000 "select cast(sum(mpi_ns) as int) from t"
table "parameters are contexts of their call path" "n=16|3|3000000|2000000
n=32|1|9000000|6000000" \
    "select context,calls,inclusive_ns,exclusive_ns from t where method='solve()' order by 1"
table "the primary group is the type" "SOLVER" \
    "select distinct port_type from t where method='solve()'"
table "a phase is told" "TAU_PHASE" "select port_type from t where method='step'"
fact "metadata without its escapes" 'node <7> & "co"
./a.out <in >out' "select value from primary_metadata
    where name in ('Hostname', 'Command Line') order by name desc"
fact "when it began" 2006-11-16T00:00:00Z 'select started from trial'
fact "named after the folder, ended" "calls|import|1|finished|25000000" \
    'select name,purpose,node_count,outcome,cast(elapsed_ns as int) from trial'
try "$PORTOLAN" profile one.db
gives "portolan profile shows it" 0 'solve\(\)' 'MPI_Send\(\)'
"$PORTOLAN" export one.db --format tau -o again
try grep -h residual again/profile.0.0.0
try cat again/profile.0.0.0
gives "user events are kept" 0 '^"heap \(KB\)" 2 30.5 10.5 20.5 1040.5' \
    '^"Message size sent to node 1" 3 800 8 300 650000'

# ------------------------------------------------- the way back
try python3 "$here/tau_profile.py" again
gives "exported again it obeys all rules" 0
rows() {
    sed -n 's/^\("[^"]*" [^G]*\)GROUP.*/\1/p' "$1" | sort
}
rows "$here/tau/calls/profile.0.0.0" >before
rows again/profile.0.0.0 >after
try diff before after
gives "and has the same numbers" 0
rm -rf third && "$PORTOLAN" import again --store two.db >/dev/null &&
    "$PORTOLAN" export two.db --format tau -o third
sed 's/<metadata>.*//' again/profile.0.0.0 >before
sed 's/<metadata>.*//' third/profile.0.0.0 >after
try diff before after
gives "and our own export comes back the same" 0
"$EXPORT_STORE" sample.db
"$PORTOLAN" export sample.db 1 --format tau -o sample
try "$PORTOLAN" import sample --store sample.db
gives "ranks, threads and counters too" 0 'trial 7'
"$PORTOLAN" export sample.db 7 --format tau -o sample2
for file in MULTI__TIME/profile.0.0.0 MULTI__TIME/profile.0.0.1 MULTI__TIME/profile.1.0.0 \
    MULTI__PAPI_TOT_INS/profile.1.0.0; do
    rows sample/$file >before
    rows sample2/$file >after
    cmp before after || echo $file
done >differ 2>&1
result "with all their numbers" "$([ -s differ ] && echo 1 || echo 0)"
store=sample.db
stored "and the trial's parameters" 32 \
    "select value from trial_parameter where trial=7 and name='driver.n'"

# ------------------------------------------------- other writers
take old
gives "the oldest form: no metric, no metadata, sums of squares, no groups" 0 '^trial 1$'
table "flat rows are outermost calls" "f of many blanks|5|600250
main|1|1000500
with \"quotes\" inside|2|300250" "select method,calls,inclusive_ns from t order by 1"
table "their own time is told" 1000500 'select cast(sum(exclusive_ns) as int) from t'

take cut
gives "call paths cut at a depth" 0 '^trial 1$'
table "hang below the one path that ends as they begin" "c => d|1|600000" \
    "select path,calls,inclusive_ns from t where method='d'"
table "where there are several, under the name of who called" "c|b|3|690000" \
    "select path,user,calls,inclusive_ns from t where method='c'"
table "duplicate rows add up, and nothing counts twice" 1000000 \
    'select cast(sum(exclusive_ns) as int) from t'
fact "which is told" 1 "select count(*) from primary_metadata where name='import.cut_paths'"

take several
gives "several metrics, in rows of another order, with holes in the numbers" 0 '^trial 1$'
table "threads keep their numbers" "0|0
2|0
2|1" 'select distinct rank,thread from t order by 1,2'
table "values are joined by name" "2|1|400000|28|4000" \
    "select rank,thread,inclusive_ns,PAPI_FP_OPS,PAPI_TOT_CYC from t
     where rank=2 and thread=1 and method='work'"
table "calls are those of the first metric's folder" 99 \
    "select distinct calls from t where method='work'"
fact "the missing rank is told" "2 of 3 ranks have files" \
    "select value from primary_metadata where name='import.ranks'"

# flat N METRIC K: the profile of rank N without call paths: "main" calls "work" calls "MPI_Send()".
flat() {
    mkdir -p "flat/MULTI__$2"
    cat >"flat/MULTI__$2/profile.$1.0.0" <<EOF2
3 templated_functions_MULTI_$2
# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>$2</value></attribute></metadata>
"main" 1 3 $((10 * $3)) $((110 * $3)) 0 GROUP="TAU_USER"
"work" 2 1 $((70 * $3)) $((100 * $3)) 0 GROUP="TAU_USER"
"MPI_Send()" 1 0 $((30 * $3)) $((30 * $3)) 0 GROUP="MPI"
0 aggregates
EOF2
}
for rank in 0 2; do
    flat $rank TIME 1 && flat $rank PAPI_FP_OPS 7 && flat $rank PAPI_TOT_CYC 1000
done
rm -f flat.db flat.csv table.db && "$PORTOLAN" import flat --store flat.db >/dev/null &&
    "$PORTOLAN" export flat.db --format csv -o flat.csv
sqlite3 table.db '.mode csv' '.import flat.csv t'
table "without call paths the exclusive counts are the file's" "MPI_Send()|210|210|30000
main|770|70|10000
work|700|490|70000" 'select method,PAPI_FP_OPS,"PAPI_FP_OPS (exclusive)","PAPI_TOT_CYC (exclusive)"
    from t where rank=2 order by 1'
table "what has no profile has no rows" "0
2" 'select distinct rank from t order by 1'
try "$PORTOLAN" profile flat.db --metric PAPI_FP_OPS
gives "and counts for nothing in means" 0 'mean over 2 ranks' '^main +2 +770.0 +70.0' '^work +4 +700.0 +490.0'
try "$PORTOLAN" profile flat.db --flat --metric 'PAPI_FP_OPS (exclusive)'
gives "exclusive counts are a metric of their own" 0 '^main +2 +70.0 +70.0'
rm -rf flat2 && "$PORTOLAN" export flat.db --format tau -o flat2
grep -h '^"[mwM]' flat2/MULTI__PAPI_FP_OPS/profile.2.0.0 | sed 's/ *$//' | sort >after
sort flat/MULTI__PAPI_FP_OPS/profile.2.0.0 | grep '^"' >before
try diff before after
gives "exported again they are the same" 0
try ls flat2/MULTI__TIME
[ "$(tr '\n' ' ' <"$work/out")" = 'profile.0.0.0 profile.2.0.0 ' ]
result "and the rank that was not there gets no file" $?

take odd
gives "recursion, throttled and negative rows, metadata over several lines" 0 '^trial 1$'
table "a recursive call is below itself" "fib|1|100000
fib => fib|4|300000" "select path,calls,exclusive_ns from t where method='fib' order by 1"
table "negative values stay as they are" -2000 "select exclusive_ns from t where method='lost'"
fact "values of several lines too" 'two
lines' "select value from primary_metadata where name='Note'"

# ------------------------------------------------- several paths, names
try "$PORTOLAN" import "$here/tau/cut/profile.0.0.0" --store named.db --name "a name"
gives "a file by itself, under a name" 0
store=named.db
stored "is called so" "a name" 'select name from trial'
try "$PORTOLAN" profile named.db --json
gives "its summary is stored" 0 '"'
stored "as that of a measured trial" 6 'select count(*) from summary'

# ------------------------------------------------- mistakes
# wrong NAME LINE PATTERN <<TEXT: the text as a profile is refused at this line.
wrong() {
    rm -rf bad bad.db
    mkdir bad
    cat >bad/profile.0.0.0
    try "$PORTOLAN" import bad --store bad.db
    gives "$1" 1 "^bad/profile.0.0.0:$2: error: .*$3"
}
wrong "no count" 1 'right is: COUNT templated_functions_MULTI_METRIC' <<EOF2
templated_functions_MULTI_TIME
EOF2
wrong "no header" 2 'is to be: # Name Calls Subrs' <<EOF2
1 templated_functions_MULTI_TIME
"main" 1 0 1 1 0 GROUP="A"
EOF2
wrong "a number too few" 4 "five numbers are to stand behind 'b'" <<EOF2
2 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls
"a" 1 0 1 1 0 GROUP="A"
"b" 1 0 1 1 GROUP="A"
0 aggregates
EOF2
wrong "no name" 3 'is no row; right is: "NAME" CALLS' <<EOF2
1 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls
a 1 0 1 1 0
EOF2
wrong "rows that are missing" 3 'ends before the last row' <<EOF2
2 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls
"a" 1 0 1 1 0 GROUP="A"
EOF2
wrong "metadata that is no XML" 2 'not well-formed XML' <<EOF2
1 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute></metadata>
"a" 1 0 1 1 0 GROUP="A"
0 aggregates
EOF2
wrong "text behind the rows" 4 'stands behind the rows' <<EOF2
1 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls
"a" 1 0 1 1 0 GROUP="A"
"b" 1 0 1 1 0 GROUP="A"
EOF2
result "no store is made of it" "$([ -e bad.db ] && echo 1 || echo 0)"
try "$PORTOLAN" import bad --store sample.db
store=sample.db
stored "and one that is there stays as it was" 7 'select count(*) from trial'
mkdir -p empty
try "$PORTOLAN" import empty --store bad.db
gives "a folder without profiles is told" 1 "'empty' has no files profile.N.C.T"
echo '<profile_xml/>' >tauprofile.xml
try "$PORTOLAN" import tauprofile.xml --store bad.db
gives "so is TAU's XML" 1 'the name of a TAU profile, profile.NODE.CONTEXT.THREAD'
try "$PORTOLAN" import
gives "nothing at all is wrong usage" 2 'name TAU profiles'
