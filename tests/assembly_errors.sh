#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One bad assembly per diagnostic: tests/bad/expected holds all that is said of each, with the line,
# also in the files that it names. Most are good.xml with a change: each line of tests/bad/changes has
# the name of one, and a command of sed.
. "$(dirname "$0")/tap.sh"

bad=$work/bad
cp -R "$SOURCE/tests/bad" "$bad"
for name in $(cut -d' ' -f1 "$bad/changes" | uniq); do
    sed -n "s/^$name //p" "$bad/changes" >"$work/script"
    sed -f "$work/script" "$bad/good.xml" >"$bad/$name.xml"
done
files=$(cd "$bad" && ls -- *.xml | grep -vx good.xml)
plan $(($(echo "$files" | wc -l) + 6))

check() {
    (cd "$bad" && try_limited "$PORTOLAN" check --path "$BUILD/examples/paper" "$1")
}

# Memory is bounded, so that an entity that grows without bounds is found.
try_limited() {
    [ -n "${PORTOLAN_SANITIZED:-}" ] || ulimit -v 1000000
    timeout 20 "$@" >"$work/out" 2>"$work/err" </dev/null
}

check good.xml
status=$?
gives 'the good assembly from which the bad ones differ' 0 'good.xml: good: 7 instances'

for f in $files; do
    check "$f"
    status=$?
    good=0
    [ "$status" = 1 ] || good=1
    grep "^${f%.xml}\.[a-z]*:" "$bad/expected" >"$work/expected"
    # Columns are left out; the last line only counts.
    sed -E '/^portolan: error: [0-9]+ errors? in /d; s/^([^:]+:[0-9]+):[0-9]+: /\1: /' "$work/err" |
        diff "$work/expected" - >"$work/diff" || {
        good=1
        sed 's/^/# /' "$work/diff"
    }
    [ ! -s "$work/out" ] || good=1
    result "$f" $good
done

try "$PORTOLAN" check "$work/absent.xml"
gives 'a file that is not there' 1 'absent.xml: cannot open: No such file or directory'
try "$PORTOLAN" check "$work"
gives 'a folder in place of a file' 1 'cannot read: Is a directory'

# SPMD: the same words, once, from the first rank.
try "$MPIEXEC" -n 2 "$PORTOLAN" run --path "$BUILD/examples/paper" "$bad/class.xml"
count 'two ranks say it once' 1 "unknown class 'papr.B1'; did you mean 'paper.B1'"
count 'and nothing else but how many errors there are' 2 'error: '
[ "$status" = 1 ]
result 'two ranks: exit status 1' $?
