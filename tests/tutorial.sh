#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What tutorials say works as it stands: their files, and their commands in their order. In docs/tutorial.md the
# lines behind a command ($) are in its output: numbers there may differ where a line has "…".
. "$(dirname "$0")/tap.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'its commands run elsewhere with sanitizers'

# Each block that begins with a comment of one file's name is that file (F), or text for that file (S); then come
# commands (C) and what they print (O).
awk '
    function flush() { for (; n && lines[n] == ""; n--); for (i = 1; i <= n; i++) print "T " lines[i]; n = 0; inside = 0 }
    /^    (\/\*|<!--|#) my_[A-Za-z_.]+( \*\/| -->)?$/ { flush(); print "F " $2; inside = 1 }
    /^    \/\* my_[A-Za-z_.]+: / { flush(); sub(/^    \/\* /, ""); print "S " $0; inside = 1; next }
    /^    \$ / { flush(); print "C " substr($0, 7); shown = 1; next }
    /^[^ ]/ { flush(); shown = 0; next }
    inside { lines[++n] = substr($0, 5); next }
    /^    / && shown { print "O " substr($0, 5) }
    /^$/ { shown = 0 }' "$SOURCE/docs/tutorial.md" >"$work/steps"
# The others have commands on lines of their own, which a backslash continues.
for page in by-hand paradigm; do
    mkdir "$work/$page"
    awk -v to="$work/$page" '
        /^    (\/\/|\/\*|<!--|;|#) my[A-Za-z_.]*( \*\/| -->)?$/ { file = to "/" $2; next }
        /^[^ ]/ || /^    (cc|portolan) / { file = "" }
        file { print substr($0, 5) > file }' "$SOURCE/docs/$page.md"
    awk 'on || /^    (cc|ar|portolan|mpiexec.mpich) / {
        text = text substr($0, 5)
        on = sub(/\\$/, "", text)
        if (!on) { print text; text = "" } }' "$SOURCE/docs/$page.md" >"$work/$page/commands"
done
# What it leaves to the reader.
sed -i 's/{ … }/{ (void)self, (void)x; *_ex = NULL; }/' "$work/by-hand/my_jacobi.c"
plan $(($(grep -c '^C ' "$work/steps") + $(cat "$work"/*/commands | wc -l) + 7))

DESTDIR=$work/dest meson install -C "$BUILD" --no-rebuild --quiet >"$work/out" 2>"$work/err" || exit 1
PKG_CONFIG_PATH=$(dirname "$(find "$work/dest" -name portolan.pc)")
PATH=$(find "$work/dest" -type d -name bin):$PATH
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
unset PORTOLAN_PATH
export PKG_CONFIG_PATH PATH LD_LIBRARY_PATH
mkdir "$work/tutorial"
cd "$work/tutorial" || exit 1

# splice FILE MARK: text from standard input takes the place of what is between the splicer comments of MARK, or of MARK.
splice() {
    case $2 in
    '/*'*) awk -v mark="$2" -v text="$work/text" 'index($0, mark) { while ((getline line < text) > 0) print line; next } { print }' ;;
    *) awk -v mark="($2)" -v text="$work/text" '
            /splicer.end/ { skips = 0 }
            !skips { print }
            /splicer.begin/ && index($0, mark) { while ((getline line < text) > 0) print line; skips = 1 }' ;;
    esac <"$1" >"$work/spliced" && cp "$work/spliced" "$1"
}

# Runs the command that was read, and looks for the lines that follow it.
finish() {
    [ -z "$mark" ] || splice "$file" "$mark"
    file='' mark=''
    [ -n "$command" ] || return 0
    case $command in
    'cd '*) cd "${command#cd }" && status=0 ;;
    *) try sh -c "$command" ;;
    esac
    set -- "$command" 0
    while IFS= read -r pattern; do
        set -- "$@" "$pattern"
    done <"$work/patterns"
    gives "$@"
    command=''
}

command='' file='' mark=''
while IFS= read -r line <&3; do
    text=${line#??}
    case $line in
    [FSC]' '*) finish ;;
    esac
    case $line in
    'F '*) file=$text && : >"$file" ;;
    'S '*)
        file=${text%%:*} mark=${text#*: }
        case $mark in '/*'*) ;; *) mark=${mark% \*/} ;; esac
        : >"$work/text"
        ;;
    'T '*)
        [ -z "$mark" ] || printf '%s\n' "$text" >>"$work/text"
        [ -n "$mark" ] || printf '%s\n' "$text" >>"$file"
        ;;
    'C '*) command=$text && : >"$work/patterns" ;;
    'O '*) printf '%s\n' "$text" | sed 's/[][().*+?^${}|\\]/\\&/g; s/…/.*/g; s/^  *//; s/  */ +/g' >>"$work/patterns" ;;
    esac
done 3<"$work/steps"
finish

grep -q 'Chosen: smoother.running as smoother instead of smoother.direct' "$work/tutorial/smoother.html"
result 'its page says what was chosen' $?
changed=$(grep -c '^[+-][^+-]' "$work/tutorial/my_program.diff")
echo "# the program that chooses has $changed changed lines"
[ "$changed" -lt 20 ]
result 'a small start has under 20 changed lines' $?
written=$(awk '/^S / { on = 1; next } /^[^T]/ { on = 0 } on && /[^ T]/' "$work/steps" | wc -l)
echo "# the first assembly has $written lines written by hand"
[ "$written" -lt 60 ]
result 'an assembly of two alternatives has under 60 lines written by hand' $?

for page in by-hand paradigm; do
    cd "$work/$page" || exit 1
    while read -r command <&3; do
        case $command in
        *'# exit status 3'*) expected=3 ;;
        *) expected=0 ;;
        esac
        try sh -c "$command"
        gives "${command%%#*}" "$expected"
        case $command in
        'portolan check'*) gives 'the assembly' 0 'good: 5 instances' ;;
        'mpiexec.mpich'*'run my.xml') try portolan profile my.xml && gives 'what it measured' 0 'smoother.smooth \[my.Jacobi\]' ;;
        *'ring my_ring.txt'*3*'it found'*) gives 'the cause, as printed' 3 '1 parts are uneven +23\.8 % +229 ms +23\.5 %' ;;
        *my_two.txt*) gives 'what was added to it' 3 'ranks agree too often' ;;
        esac
    done 3<commands
done
