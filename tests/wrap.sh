#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `portolan wrap` on small programs that know nothing of Portolan: what they print and how they end
# is the same as without, and what they called is in the store however they ended.
# shellcheck source=tests/tap.sh
. "$SOURCE/tests/tap.sh"
plan 114

subjects=$BUILD/proxygen/wrap/test
subject=$subjects/subject
one=$subjects/libcalc_one.so two=$subjects/libcalc_two.so
store=$work/store.db
export XDG_CACHE_HOME="$work/cache"

# wrap WORDS...: the functions of calc.h in whatever the words say, into a fresh store.
wrap() {
    rm -f "$store"*
    try "$PORTOLAN" wrap --functions 'calc_*' --header "$SOURCE/proxygen/wrap/test/calc.h" --store "$store" "$@"
}

sums="SELECT sum(calls) FROM sample WHERE method = 'calc_sum'"

# ---------------------------------------------------------------- the program is left as it is

printf 'a line\nanother\n' >"$work/in"
status=0
"$PORTOLAN" wrap -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -s "$store" -- "$subject" copy \
    <"$work/in" >"$work/out" 2>"$work/err" || status=$?
{ [ "$status" = 0 ] && cmp -s "$work/in" "$work/out" && grep -q '^to stderr$' "$work/err"; }
result 'standard streams are the program'"'"'s' $?
"$subject" look >"$work/plain" </dev/null 2>&1
wrap -- "$subject" look
cmp -s "$work/plain" "$work/out"
result 'descriptors and environment are as without' $?
wrap -- "$subject" spawn
cmp -s "$work/plain" "$work/out"
result 'so are those of its children' $?
# timeout, by which all is tried, takes hangups over.
timeout 120 grep -E '^(SigBlk|SigIgn|Cap|NoNew)' /proc/self/status >"$work/plain"
wrap -- grep -E '^(SigBlk|SigIgn|Cap|NoNew)' /proc/self/status
cmp -s "$work/plain" "$work/out"
result 'so are masks and dispositions of signals' $?
if (trap '' HUP && exec grep -q 'SigIgn:.*[13579bdf]$' /proc/self/status); then
    (trap '' HUP && exec "$PORTOLAN" wrap -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -s "$store" -- \
        grep SigIgn /proc/self/status) >"$work/out" 2>"$work/err"
    grep -q 'SigIgn:.*[13579bdf]$' "$work/out"
    result 'a hangup that nohup ignores is ignored by the program' $?
else
    result 'a hangup that nohup ignores is ignored by the program # SKIP QEMU does not keep it' 0
fi
rm -f "$store"*
(trap '' CHLD && exec "$PORTOLAN" wrap -q -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -s "$store" -- \
    "$subject" exit 9) >"$work/out" 2>"$work/err"
[ $? = 9 ]
result 'and its end is noticed where SIGCHLD is ignored' $?
wrap -v -- "$subject" name
gives 'what is taken is told to who asks' 0 'calc_sum +intercepted, context n'
wrap --report "$work/report" -- "$subject" name
{ [ "$(cat "$work/out" "$work/err")" = one ] && grep -q '26 calls' "$work/report"; }
result 'the report goes where it is told to' $?

# Lengths of texts, which Fortran passes and the header does not declare.
if command -v gfortran >/dev/null && [ -z "${PORTOLAN_SANITIZED:-}" ]; then
    cat >"$work/texts.f90" <<'F'
subroutine join(text, n, into)
  character(*), intent(in) :: text
  integer, intent(in) :: n
  character(*), intent(out) :: into
  into = text(1:n) // char(48 + len(text)) // char(48 + len(into))
end subroutine
function label(text) result(r)
  character(8) :: r
  character(*), intent(in) :: text
  r = '<' // text // '>'
end function
F
    cat >"$work/main.f90" <<'F'
program main
  character(7) :: into
  character(8), external :: label
  call join('abc', 2, into)
  print '(5a)', '[', into, label('hello'), ']'
end program
F
    printf 'void join_(const char *text, const int *n, char *into);\n%s\n' \
        'void label_(char *result, unsigned long length, const char *text);' >"$work/texts.h"
    gfortran -shared -fPIC "$work/texts.f90" -o "$work/libtexts.so" &&
        gfortran "$work/main.f90" -L"$work" -ltexts -Wl,-rpath,"$work" -o "$work/fortran"
    rm -f "$store"*
    try "$PORTOLAN" wrap --functions '*_' --header "$work/texts.h" --store "$store" -- "$work/fortran"
    grep -q '^\[ab37   <hello> \]$' "$work/out"
    result 'lengths of texts in Fortran, which no header declares, are passed on' $?
    stored 'and such calls are measured' 2 "SELECT sum(calls) FROM sample WHERE method IN ('join_', 'label_')"
else
    result 'lengths of texts # SKIP no gfortran, or sanitizers' 0
    result 'and such calls # SKIP no gfortran, or sanitizers' 0
fi

# ---------------------------------------------------------------- ways out

wrap -- "$subject" exit 3
gives 'the exit status is the program'"'"'s' 3 'calls took'
stored 'calls of exit handlers and destructors are stored' 32 "$sums"
stored 'below the program itself' \
    'main of subject, subject' \
    "SELECT DISTINCT p.method || ' of ' || p.instance || ', ' || s.user
     FROM sample s JOIN sample p ON p.id = s.parent WHERE s.method = 'calc_sum'"
stored 'and where the functions came from' \
    "$one" "SELECT value FROM primary_metadata WHERE name = 'library own'"
wrap -- "$subject" quick-exit
gives 'quick_exit ends a program as it does' 4
stored 'and its handlers are measured' 27 "$sums"
wrap -- "$subject" at-once
gives '_exit ends a program at once' 5
stored 'what came before is stored' 20 "$sums"
wrap -- "$subject" handler
gives '_exit in a signal handler does so, too' 10
stored 'and what came before is stored' 20 "$sums"
wrap -- "$subject" inside
gives 'exit inside a measured call ends the program' 6
stored 'and the call counts as far as it got' \
    calc_apply "SELECT method FROM sample WHERE method = 'calc_apply' AND inclusive > 0"
wrap -- "$subject" signal 9
gives 'a killed program gives 128 and the signal' 137 'signal 9.*are missing'
wrap --interval 0 -- "$subject" signal 6
gives 'and is not said to have made no call' 134 'no call was stored before the program ended'
wrap --interval 0 -- "$subject" exec 5
gives 'a program may become another' 0 'called exec, and the new program was not'
stored 'what it did before is stored' 20 "$sums"
wrap -- "$subject" no-exec
stored 'and an exec that fails does no harm' 28 "$sums"
wrap -- "$subject" close
stored 'a program may close all descriptors' 28 "$sums"

# ---------------------------------------------------------------- processes and threads

wrap -- "$subject" fork
stored 'forked children are left out' 26 "$sums"
wrap -- "$subject" vfork
gives 'children of vfork live' 9
wrap -- "$subject" threads
stored 'threads are told apart' 4 "SELECT count(DISTINCT thread) FROM sample WHERE calls > 0"
stored 'and all their calls are there' 85 "$sums"

wrap -- sh -c "$subject sum; $subject sum"
gives 'programs that it starts are left out' 0 'if it starts another program that does, add --children'
wrap --sample=2 -- "$subject" threads
cp "$work/err" "$work/report"
stored 'of sampled calls all are counted' 85 "$sums"
stored 'and some are timed' 1 \
    "SELECT sum(timed_calls) BETWEEN 1 AND 84 FROM sample WHERE method = 'calc_sum'"
mv "$work/report" "$work/err"
# is_mean "12.3 us" WHERE: of the timed calls, within what three digits leave out.
is_mean() {
    sqlite3 "$store" "SELECT sum(exclusive) / sum(timed_calls) FROM sample
        WHERE method = 'calc_sum' $2" | awk -v text="$1" '{
        split(text, part)
        unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6
        ns = part[1] * unit[part[2]]
        exit !(ns > 0.99 * $1 && ns < 1.01 * $1) }'
}
is_mean "$(sed -n 's/^  calc_sum .*s  *\([0-9.]* [num]*s\) each$/\1/p' "$work/err")"
result 'whose times are those of the timed ones' $?
try "$PORTOLAN" report "$store"
is_mean "$(sed -n 's/^calc_sum n=10 .* \([0-9.]* [num]*s\)$/\1/p' "$work/out")" 'AND context1 = 10'
result 'also in the comparison of libraries' $?
stored 'but the program as a whole is' '1|1' \
    "SELECT sum(calls), sum(timed_calls) FROM sample WHERE method = 'main'"

wrap --children -- sh -c "$subject sum; $subject sum"
stored 'unless they are asked for: a trial for each' \
    25,25 "SELECT group_concat(n) FROM (SELECT sum(calls) n FROM sample WHERE method = 'calc_sum'
     GROUP BY trial)"
wrap --children -- "$subject" fork
stored 'also for those that are forked' \
    26,1000 "SELECT group_concat(n) FROM (SELECT sum(calls) n FROM sample WHERE method = 'calc_sum'
     GROUP BY trial ORDER BY n)"
wrap --children -- sh -c "for i in \$(seq 260); do $subject sum; done"
gives 'of many processes the first are shown, and those without room told' 0 \
    'and 2[0-9]+ more processes: [0-9]+ calls' 'warning: [0-9]+ processes were not measured: .* 256'
wrap --children -- "$subject" spawn
gives 'children find what is preloaded' 0 'preload .*front.so'
rm -f "$store"*
mkdir "$work/tau"
PROFILEDIR=$work/tau try "$PORTOLAN" wrap --profile -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" \
    -s "$store" -- "$subject" exit
{ grep -q 'calc_sum.* 32 0 ' "$work/tau/profile.0.0.0" && [ ! -e "$store" ]; }
result 'without a Mastermind the program leaves TAU profiles, and no store' $?
PROFILEDIR=$work/tau try "$PORTOLAN" wrap --profile -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" \
    -- "$subject" handler
grep -q 'calc_sum.* 20 0 ' "$work/tau/profile.0.0.0"
result 'also when it leaves at once' $?
PROFILEDIR=$work/tau try "$PORTOLAN" wrap --profile --children -f 'calc_*' \
    -H "$SOURCE/proxygen/wrap/test/calc.h" -- sh -c "$subject sum; $subject sum"
gives 'profiles of several processes are warned of' 0 'warning: 2 processes wrote TAU profiles'
echo 'a file' >"$work/no-folder"
PROFILEDIR=$work/no-folder try "$PORTOLAN" wrap --quiet --profile -f 'calc_*' \
    -H "$SOURCE/proxygen/wrap/test/calc.h" -- "$subject" sum
gives 'profiles that cannot be written are not said to be there' 0 'error: no TAU profiles: .*no-folder'
lacks 'as they otherwise are' 'in its TAU profiles'

# ---------------------------------------------------------------- libraries

wrap --lib "$two" -- "$subject" name
gives 'another library takes the place of the program'"'"'s' 0 '^two$'
stored 'and is the implementation in the records' \
    libcalc_two "SELECT DISTINCT implementation FROM sample WHERE method = 'calc_sum'"
wrap --lib first="$one" --lib "$two" --rotate 0.01 -- "$subject" both
gives 'libraries take turns' 0 'both were called'
stored 'each with records of its own' \
    first,libcalc_two "SELECT group_concat(implementation) FROM (SELECT DISTINCT implementation FROM sample
     WHERE method = 'calc_name' ORDER BY implementation)"
calls=$(sqlite3 "$store" "SELECT sum(calls) FROM sample WHERE method = 'calc_name'")
try "$PORTOLAN" profile --pruned "$store"
gives 'and calls of both in the call graph' 0 "calc_name \[several\] +$calls "
try "$PORTOLAN" profile "$store"
gives 'what a measured call costs is stated' 0 '^one measured call costs [0-9.]+ '
try "$PORTOLAN" model "$store"
gives 'and models of its own' 0 '^  first +time' '^  libcalc_two +time'
try "$PORTOLAN" wrap -q -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -s "$store" --lib "$two" -- "$subject" name
try "$PORTOLAN" report "$store"
count 'turns and a single library are no rows of one table' 2 '^time per call'
gives 'which says why' 0 '^Trial 2 ran one choice throughout; trial 1 took alternatives in turn$' \
    '^fastest per call: .*calc_name'
count 'sums over calls that only some libraries made are left out' 1 '^all, time'
# takes FIRST SECOND SCATTER: calls of calc_name in the libraries take so many ns, and differ by this share.
takes() {
    sqlite3 "$store" "UPDATE call_data SET inclusive = calls * t, exclusive = calls * t, timed_calls = calls,
        sum_inclusive_squared = calls * t * t * (1 + $3 * $3) FROM (SELECT id i, iif(implementation = 'first', $1.0, $2.0) t
        FROM sample WHERE method = 'calc_name') WHERE id = i"
    try "$PORTOLAN" report "$store"
}
takes 2000 1000 0.1
gives 'the fastest is named' 0 '^fastest per call: (first in calc_sum; )?libcalc_two in (calc_sum, )?calc_name'
takes 1000 2000 1000
gives 'but not where calls differ more than libraries do' 0 'no clear difference in (.*, )?calc_name'
takes 1000 1020 0
gives 'nor where the difference is small' 0 'no clear difference in (.*, )?calc_name'
wrap --lib "$subjects/libcalc_partly.so" -- "$subject" wait
gives 'what a library lacks stays the program'"'"'s own' 0 'partly lacks calc_wait'
wrap -- "$subjects/opener" "$subjects/module.so"
stored 'libraries that only a module has are found' 11 "$sums"

wrap -- "$subjects/opener" "$subjects/module.so" again
gives 'and stay when the module goes' 0 'the module worked' '14 calls'

# ---------------------------------------------------------------- counters

wrap -q -- "$subject" sum
stored 'without counters nothing is loaded for them' 0 \
    "SELECT count(*) FROM primary_metadata WHERE name LIKE 'object%papi%'"
wrap -q --counters 'no_such:event' -- "$subject" sum
grep -q -e 'no_such:event is unknown' -e 'built without PAPI' "$work/err"
result 'events that cannot be counted are refused' $?
if grep -q -e 'software events available: none' -e 'built without PAPI' "$work/err"; then
    result 'others are counted in each call # SKIP nothing can be counted here' 0
    result 'the program itself is not counted # SKIP nothing can be counted here' 0
else
    wrap -q --counters 'perf::TASK-CLOCK' -- "$subject" sum
    stored 'others are counted in each call' 'perf::TASK-CLOCK|1' "SELECT m.name, max(s.sum) > 0
        FROM counter_summary s JOIN metric m ON m.id = s.metric GROUP BY m.name"
    try "$PORTOLAN" profile --metric perf::TASK-CLOCK "$store"
    gives 'the program itself is not counted' 0 '^subject.main .* 0[.]000 '
fi

# ---------------------------------------------------------------- reports and commands

echo 'calc_sum: n' >"$work/context"
wrap -q --lib "$one" --context "$work/context" -- "$subject" work
count 'a quiet run says nothing' 0 .
try "$PORTOLAN" wrap -q -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -s "$store" -c "$work/context" \
    -l "$two" -- "$subject" work
try "$PORTOLAN" report "$store"
gives 'reports put libraries beside each other, by context' 0 'libcalc_one +libcalc_two' \
    'calc_sum n=20 +[0-9.]+ [nu]s +[0-9.]+ [nu]s' 'all, calls +250025 +250025'
lacks 'and they are compared where contexts tell the sizes' '[?]'
try "$PORTOLAN" profile --pruned "$store"
gives 'the call graph begins with the program' 0 '^subject.main +1 ' '^  calc.calc_sum .* 250025 '
try "$PORTOLAN" model --trial subject "$store"
gives 'libraries have models' 0 'libcalc_one +time' 'libcalc_two +time'
try "$PORTOLAN" model --trial nobody "$store"
gives 'a name without trials is refused' 1 'no trial called nobody of a wrapped program'

echo 'calc_sum.size-of:' >"$work/context"
wrap -q --lib "$one" -c "$work/context" -- "$subject" name
try "$PORTOLAN" wrap -q -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -s "$store" -c "$work/context" \
    -l "$two" -- "$subject" sum
try "$PORTOLAN" report "$store" --trial subject
gives 'means over sizes that nothing tells are no comparison' 0 '^calc_sum [?] ' '^[?] no comparison'

echo 'use calc libcalc_two' >"$work/control"
wrap --lib "$one" --lib "$two" --control "$work/control" -- "$subject" name
gives 'a control file holds from the first call on' 0 '^two$'
stored 'and what it switched is noted' libcalc_onelibcalc_two \
    'SELECT from_implementation || to_implementation FROM swap'
printf 'off *\nuse * nolib\n' >"$work/mistaken"
wrap --control "$work/mistaken" -- "$subject" name
gives 'mistakes in it are warned of' 0 "mistaken:2: error: port 'calc' has no implementation 'nolib'"
wrap --control "$work" -- "$subject" name
gives 'so is a control file that cannot be read' 0 "control file '.*': Is a directory"
wrap --control "$work/nowhere/control" -- "$subject" name
gives 'nor is a program run where commands could not be answered' 125 'nowhere/control.reply'
# until WORD FILE: waits for a line that begins so.
until_line() {
    while ! grep -qs "^$1" "$2"; do
        kill -0 "$wrapped" 2>/dev/null || return 1
    done
}
# begin WORDS...: wraps a program that waits for a byte in a call, in the background.
begin() {
    rm -f "$work/pipe" "$work/out" "$store"*
    mkfifo "$work/pipe"
    "$PORTOLAN" wrap --functions 'calc_*' --header "$SOURCE/proxygen/wrap/test/calc.h" --store "$store" "$@" \
        -- "$subject" wait <"$work/pipe" >"$work/out" 2>"$work/err" &
    wrapped=$!
    exec 9>"$work/pipe"
    until_line ready "$work/out"
}
# ended NAME STATUS: how it ended.
ended() {
    status=0
    wait "$wrapped" || status=$?
    exec 9>&-
    [ "$status" = "$2" ]
    result "$1" $?
}
rm -f "$work/control"*
begin --control "$work/control" --signal USR1,CONT
echo 'list' >"$work/control.new" && mv "$work/control.new" "$work/control"
until_line 'port' "$work/control.reply"
result 'commands are answered while the program runs' $?
kill -USR1 "$wrapped"
until_line 'off' "$work/control.reply"
result 'signals are commands' $?
kill -CONT "$wrapped"
until_line 'on' "$work/control.reply"
result 'also the one that lets a stopped process go on' $?
try "$PORTOLAN" control "$work/control" 'on *; list'
gives 'portolan control has its answer' 0 '^on \*: 1 port$' 'mastermind +on$'
echo 'nonsense' >"$work/control.new" && mv "$work/control.new" "$work/control"
until_line "$work/control:1: error" "$work/control.reply"
result 'mistakes are told with their line' $?
rm "$work/control.reply" && mkdir "$work/control.reply"
echo 'list' >"$work/control.new" && mv "$work/control.new" "$work/control"
until_line '.*no reply to a command: cannot write' "$work/err"
result 'an answer that cannot be written is told' $?
rmdir "$work/control.reply"
echo >&9
ended 'and the program ends as it does' 0

begin
kill -TERM "$wrapped"
ended 'a signal to portolan reaches the program' 143
stored 'which loses nothing by it' 20 "$sums"
begin --interval 0.01
while [ -z "$(sqlite3 "$store" "$sums" 2>/dev/null)" ] && kill -0 "$wrapped"; do :; done
kill -KILL "$(pgrep -P "$wrapped")"
ended 'a killed program' 137
stored 'leaves what was stored' 20 "$sums"
stored 'in a trial that failed' failed 'SELECT outcome FROM trial'
try "$PORTOLAN" profile --pruned "$store"
gives 'and can be looked at' 0 'calc_sum +20 '

mkdir "$work/include" "$work/source"
cp "$SOURCE/proxygen/wrap/test/calc.h" "$work/include"
echo '#include <calc.h>' >"$work/source/outer.h"
echo '#include "outer.h"' >"$work/source/outer.c"
cat >"$work/compile_commands.json" <<JSON
[{"directory": "$work/source", "file": "outer.c", "command": "cc -I../include -c outer.c"}]
JSON
rm -f "$store"*
try "$PORTOLAN" wrap -f 'calc_*' -H "$work/source/outer.h" --from 'calc.h' -s "$store" \
    --compile-commands "$work/compile_commands.json" -- "$subject" name
gives 'flags are those that the project is compiled with' 0 'calc_sum +own +25 calls' '^one$'

# ---------------------------------------------------------------- what is not called

wrap -- "$subject" nothing
gives 'a program without calls is said to have none' 0 'none of the 4 functions was called.*did not call'
wrap -- "$subjects/subject_static" sum
gives 'functions inside the program are named as the reason' 0 'contains calc_.* itself'
wrap -- "$subjects/opener" "$subjects/module.so" deep
gives 'so is deep binding' 0 'module.so imports calc_sum.*RTLD_DEEPBIND'
wrap -- true
gives 'so is that nobody needs them' 0 'neither the program nor'

# ---------------------------------------------------------------- refusals

wrap -- /nowhere/program
gives 'a program that is not there' 127 "cannot run '/nowhere/program': No such file"
wrap -- "$SOURCE/README.md"
gives 'a file that is no program' 126 'Permission denied'
wrap -- "$subjects/subject_fully_static"
gives 'a static program' 126 'is linked statically'
wrap --lib libnowhere.so -- "$subject" sum
gives 'a library that is not there' 125 'libnowhere.so'
wrap --lib libm.so.6 -- "$subject" sum
gives 'a library without the functions' 125 'has none of the 4 functions'
wrap --lib libmpich.so.12 -- "$subject" sum
gives 'a library that calls MPI' 125 'libmpich.so.12.*MPI'
wrap --functions 'clac_*,!calc_*' -- "$subject" sum
gives 'functions that are not there' 125 'clac_'
printf 'int calc_say(const char *, ...);\n' >"$work/variadic.h"
try "$PORTOLAN" wrap -f 'calc_*' -H "$work/variadic.h" -- "$subject" sum
gives 'only functions that cannot be taken' 125 "'calc_say' is not intercepted: variadic"
try "$PORTOLAN" wrap --report /dev/full -s "$store" -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -- "$subject" sum
gives 'a report that cannot be written is not lost' 0 "cannot write '/dev/full'" '25 calls'
try "$PORTOLAN" wrap -f 'x*' -H "$work/none.h" -- true
gives 'a header that is not there' 125 'none.h'
try "$PORTOLAN" wrap -f malloc -H '<stdlib.h>' -- true
gives 'functions that measuring needs' 125 "'malloc' cannot be wrapped"
try "$PORTOLAN" wrap -f 'x*' -- true
gives 'wrong usage' 125 'which header'
echo 'no store' >"$work/text"
try "$PORTOLAN" wrap -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -s "$work/text" -- "$subject" name
{ [ "$status" = 125 ] && ! grep -q one "$work/out"; }
result 'a store that is none, before the program runs' $?
wrap --children -- sh -c "ulimit -v 30000; exec $subject name"
gives 'a process without room for the shared file runs unmeasured' 0 '^one$' 'too little address space'
try "$PORTOLAN" wrap --cc nowhere-cc -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -- true
gives 'a compiler that is not there' 125 "cannot run 'nowhere-cc': .*--cc"

# ---------------------------------------------------------------- a header without an include guard

cat >"$work/point.h" <<'C'
struct point { double x, y; };
double point_norm(struct point p);
static inline double point_twice(double a) { return 2 * a; }
C
cat >"$work/point.c" <<'C'
#include "point.h"
double point_norm(struct point p) { return p.x * p.x + p.y * p.y; }
C
cat >"$work/main.c" <<'C'
#include <stdio.h>
#include "point.h"
int main(void) { printf("%g\n", point_twice(point_norm((struct point){3, 4}))); return 0; }
C
gcc -shared -fPIC -o "$work/libpoint.so" "$work/point.c"
gcc -o "$work/point" "$work/main.c" -L"$work" -lpoint -Wl,-rpath,"$work"
rm -f "$store"*
try "$PORTOLAN" wrap -f 'point_*' -H "$work/point.h" -s "$store" -- "$work/point"
gives 'it is included once' 0 '^50$'
stored 'and its function is measured' 1 "SELECT sum(calls) FROM sample WHERE method = 'point_norm'"
