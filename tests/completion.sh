#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bash's completion offers what --help of the same portolan lists, and the files that a command reads.
. "$(dirname "$0")/tap.sh"
for wing in call hercule clue; do
    has_wing $wing || skip_all "it completes commands of the wing $wing, too"
done
plan 12

mkdir -p "$work/here/folder"
cd "$work/here" || exit 99
touch a.xml b.sidl c.rc 'with blank.xml'
cat >../complete <<'BASH'
. "$SOURCE/cli/completion/portolan.bash"
COMP_WORDS=("$PORTOLAN" "$@")
COMP_CWORD=$#
_portolan "$PORTOLAN" 2>&1
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}" | sort -u
BASH
complete() {
    bash ../complete "$@"
}
# offers NAME EXPECTED WORD...: with the last word as far as it is typed.
offers() {
    name=$1
    printf '%s' "${2:+$2
}" | tr ' ' '\n' | sort >../expected
    shift 2
    complete "$@" | tr ' ' '_' >../out
    diff ../expected ../out | sed 's/^/# /'
    cmp -s ../expected ../out
    result "$name" $?
}

offers 'commands' "$("$PORTOLAN" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')" ''
offers 'the beginning of a command' "$("$PORTOLAN" --help | sed -n 's/^  \(d[a-z]*\) .*/\1/p')" d
offers 'commands of a command' 'calibrate check run study' clue ''

for command in check run measure convert compare diagnose doctor export proxygen trace trials wrap 'clue run' 'clue study' \
    'model list' 'model plot'; do
    # shellcheck disable=SC2086 # a list of words
    {
        "$PORTOLAN" $command --help | grep -oE '^ +(-., )?--[a-z][a-z0-9-]*' | grep -oE -- '--.*' | sort >../expected
        complete $command -- >../out
        [ -s ../expected ] || echo "$command has no options"
        diff ../expected ../out | sed "s/^/$command: /"
    }
done >../wrong
sed 's/^/# /' ../wrong
[ ! -s ../wrong ]
result 'options of commands are those of --help' $?

offers 'files by their ending, and folders' 'a.xml folder with_blank.xml' check ''
offers 'several endings' 'a.xml c.rc folder with_blank.xml' run ''
offers 'folders alone' 'folder' sidl -o ''
offers 'the argument of an option behind its =' 'folder' check --path = f
offers 'words that an option knows' 'bld rc xml' convert --from = ''
offers 'words that an argument may be' 'off on' run --explore = o
offers 'nothing where a number is wanted' '' trace -n ''
offers 'any file of a program that is run' 'a.xml' trace -o dir -- ./prog a
