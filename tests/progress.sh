#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Progress: one line on a terminal, which is gone at the end, and nothing elsewhere. PORTOLAN_PROGRESS=0
# shows every round, whatever time it takes.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/choice/study.sh"
plan 15

export PORTOLAN_PROGRESS=0 TERM=xterm
paths=$work/paths.db
"$PATHS" "$paths" 6 0 || exit 99

# typed NAME PATTERN COMMAND...: on a terminal the command ends well and shows the pattern (Python's).
typed() {
    name=$1 pattern=$2 status=0
    shift 2
    printf '%s\n' "- $pattern" |
        timeout 120 python3 "$SOURCE/tests/terminal.py" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" = 0 ]
    result "$name" $?
}

# silent NAME PATTERN COMMAND...: the same, and nothing moves the cursor before the pattern.
silent() {
    name=$1 pattern=$2
    shift 2
    typed "$name" "\\A[^\\x1b]*$pattern" "$@"
}

# shown TEXT: a line with this text, as patterns see it; the cursor goes back to its start.
shown() {
    printf '%s' "\\r$1\\x1b\\[K\\r"
}
gone='\r\x1b\[K'

# ---- where it is shown, and where not
list='a new row lies'
typed 'models that are fitted, with the time left; then the line is gone' \
    "$(shown 'models: 0 of 6').*$(shown 'models: 5 of 6, [0-9]+ s left')$gone[^\\x1b]*$list" \
    "$PORTOLAN" model list "$paths"
NO_COLOR=1 typed 'without colour in any case' \
    "\\A([^\\x1b]|\\x1b\\[K)*models: 5 of 6([^\\x1b]|\\x1b\\[K)*$list" "$PORTOLAN" model list "$paths"
TERM=dumb silent 'a terminal that cannot erase shows none' "$list" "$PORTOLAN" model list "$paths"
PORTOLAN_PROGRESS=1e9 silent 'nor is it shown before its time' "$list" "$PORTOLAN" model list "$paths"
try "$PORTOLAN" model list "$paths"
[ "$status" = 0 ] && [ ! -s "$work/err" ]
result 'no terminal, no line' $?
typed 'an error stands alone' "$gone[^\\x1b]*error: " /bin/sh -c '"$0" model list "$1" --formula "c[0]*log(-driver.n)" ||:' \
    "$PORTOLAN" "$paths"

# ---- commands
study progress 'Safe us=4
Fast us=1' 'vary n 100 200
set steps 3'
typed 'measure: trials' "$(shown 'trials: 0 of [0-9]+').*trials: 1 of [0-9]+, [0-9]+ s left.*done: " \
    "$PORTOLAN" measure "$assembly"
rm -f "$store"
typed 'measure --all-fixed: assemblies' "$(shown 'assemblies: 0 of 2').*assemblies: 1 of 2.*done: " \
    "$PORTOLAN" measure --all-fixed "$assembly"
rm -f "$store"
silent 'measure --quiet: none' 'measured' /bin/sh -c '"$0" measure --quiet "$1" && echo measured' \
    "$PORTOLAN" "$assembly"
typed 'optimize: models' "$(shown 'models: 0 of [0-9]+').*$gone" "$PORTOLAN" optimize "$assembly"
mkdir tau
for i in 0 1 2; do cp "$SOURCE/tests/tau/calls/profile.0.0.0" "tau/profile.$i.0.0"; done
typed 'import: files' "$(shown 'files: 0 of 3').*files: 2 of 3, [0-9]+ s left.*${gone}trial 1" \
    "$PORTOLAN" import tau --store tau.db
typed 'profile: ranks' "$(shown 'ranks: 0 of 3').*$gone" "$PORTOLAN" profile tau.db --contexts
if has_wing clue; then
    typed 'clue study: clusters' "$(shown 'clusters: 0 of 6').*clusters: 5 of 6, .*${gone}.*Gigabit" \
        "$PORTOLAN" clue study "$SOURCE/examples/clue/wien.xml"
else
    skip_checks 1 'it is a command of the wing clue'
fi
typed 'link: components' "$(shown 'components linked: 0 of [0-9]+').*${gone}written" \
    "$PORTOLAN" link "$BUILD/examples/paper/paper.xml" -o linked
typed 'doctor: examinations' "$(shown 'examinations: 0 of [0-9]+').*$gone.*MPI" \
    /bin/sh -c '"$0" doctor ||:' "$PORTOLAN"
