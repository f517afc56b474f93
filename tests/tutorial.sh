#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the tutorial says works as it stands: its files, and its commands in their order.
. "$(dirname "$0")/tap.sh"

# Each block that begins with a comment of one file's name is that file.
awk -v to="$work" '
    /^    (\/\/|\/\*|<!--|;|#) my[A-Za-z_.]*( \*\/| -->)?$/ { file = to "/" $2; next }
    /^[^ ]/ || /^    (cc|portolan|mpicc.mpich) / { file = "" }
    file { print substr($0, 5) > file }' "$SOURCE/docs/tutorial.md"
# What it leaves to the reader.
sed -i 's/{ … }/{ (void)self, (void)x; *_ex = NULL; }/' "$work/my_jacobi.c"
# Commands stand on lines of their own; the backslash continues one.
awk 'on || /^    (cc|ar|portolan|mpiexec.mpich|mpicc.mpich) / {
    text = text substr($0, 5)
    on = sub(/\\$/, "", text)
    if (!on) { print text; text = "" } }' "$SOURCE/docs/tutorial.md" >"$work/commands"
more=6
if [ -n "${PORTOLAN_SANITIZED:-}" ]; then # ranks are folded
    sed -i '/portolan clue [rs]/d' "$work/commands"
    more=4
fi
plan $(($(wc -l <"$work/commands") + more))

DESTDIR=$work/dest meson install -C "$BUILD" --no-rebuild --quiet >"$work/out" 2>"$work/err" || exit 1
PKG_CONFIG_PATH=$(dirname "$(find "$work/dest" -name portolan.pc)")
mkdir "$work/bin"
ln -s "$PORTOLAN" "$work/bin/portolan"
PATH=$work/bin:$PATH
export PKG_CONFIG_PATH PATH
cd "$work" || exit 1

while read -r command; do
    case $command in
    *'# exit status 3'*) expected=3 ;;
    *) expected=0 ;;
    esac
    try sh -c "$command" </dev/null
    gives "${command%%#*}" "$expected"
    case $command in
    'portolan check'*) gives 'the assembly' 0 'good: 5 instances' ;;
    'mpiexec.mpich'*'run my.xml') try portolan profile my.xml && gives 'what it measured' 0 'smoother.smooth \[my.Jacobi\]' ;;
    *'ring my_ring.txt'*3*'it found'*) gives 'the cause, as printed' 3 '1 parts are uneven +23\.8 % +229 ms +23\.5 %' ;;
    *'clue run'*) gives 'eight messages of 85 us' 0 '^8 ranks: 680 us$' ;;
    *'clue study'*) gives 'the fast network, on half as many nodes' 0 '^four fast +100 +100 +1$' ;;
    *my_two.txt*) gives 'what was added to it' 3 'ranks agree too often' ;;
    esac
done <"$work/commands"
