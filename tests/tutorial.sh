#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the tutorial says works as it stands: its files, its commands.
. "$(dirname "$0")/tap.sh"
plan 8

DESTDIR=$work/dest meson install -C "$BUILD" --no-rebuild --quiet >"$work/out" 2>"$work/err" || exit 1
PKG_CONFIG_PATH=$(dirname "$(find "$work/dest" -name portolan.pc)")
export PKG_CONFIG_PATH
cflags=$(pkg-config --cflags portolan)
libs=$(pkg-config --libs portolan)

# Each block that begins with a comment of one file's name is that file.
awk -v to="$work" '
    /^    (\/\/|\/\*|<!--) my[A-Za-z_.]*( \*\/| -->)?$/ { file = to "/" $2; next }
    /^[^ ]/ || /^    (cc|portolan) / { file = "" }
    file { print substr($0, 5) > file }' "$SOURCE/docs/tutorial.md"
# What it leaves to the reader.
sed -i 's/{ … }/{ (void)self, (void)x; *_ex = NULL; }/' "$work/my_jacobi.c"
cd "$work" || exit 1

try "$PORTOLAN" sidl my.sidl -o gen
gives 'stubs' 0
try "$PORTOLAN" proxygen my.sidl --port my.Smoother -o gen
gives 'a proxy' 0
flags="-shared -fPIC -Wall -Wextra -Werror $cflags -Igen"
for part in my_jacobi my_driver gen/my_Smoother_proxy; do
    # shellcheck disable=SC2086 # lists of words
    try cc $flags $part.c gen/my.c -o $part.so $libs
    gives "$part.so" 0
done
try "$PORTOLAN" check my.xml
gives 'the assembly' 0 'good: 5 instances'
try "$MPIEXEC" -n 2 "$PORTOLAN" run my.xml
gives 'it runs' 0
try "$PORTOLAN" profile my.xml
gives 'what it measured' 0 'smoother.smooth \[my.Jacobi\] *!? *20 '
