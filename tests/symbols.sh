#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What programs were built against stays: the libraries have the SONAMEs and all the symbols that
# debian/*.symbols list. One that is meant to go needs another number of the ABI (base/meson.build).
. "$(dirname "$0")/tap.sh"
plan 3

libraries=$(sed -n 's/^\(lib[^ ]*\) .*/\1/p' "$SOURCE"/debian/*.symbols)
for library in $libraries; do
    file=$(find "$BUILD" -name "$library" | head -n 1)
    readelf -d "$file" | grep -q "soname: \[$library\]" || echo "$library"
done >"$work/out"
[ "$(echo "$libraries" | wc -l)" = 7 ] && [ ! -s "$work/out" ]
result 'each library has its SONAME' $?

# missing FILE LIST: symbols of LIST, as dpkg-gensymbols writes them, that the library FILE lacks.
missing() {
    nm -D --defined-only --with-symbol-versions "$1" | awk '{ sub("@@", "@", $3); print $3 }' | sort >"$work/has"
    sort "$2" | comm -13 "$work/has" -
}
for library in $libraries; do
    awk -v "wanted=$library" '/^lib/ { is_in = $1 == wanted } is_in && /^ [^(]/ && !/^ PORTOLAN_0@/ { print $1 }' \
        "$SOURCE"/debian/*.symbols >"$work/list"
    [ -s "$work/list" ] || echo "no symbols of $library are listed"
    missing "$(find "$BUILD" -name "$library" | head -n 1)" "$work/list" | sed "s/^/$library lacks /"
done >"$work/out"
sed 's/^/# /' "$work/out"
[ ! -s "$work/out" ]
result 'no public symbol is gone' $?

echo 'portolan_version_gone@PORTOLAN_0' >"$work/list"
missing "$(find "$BUILD" -name libportolan.so.0)" "$work/list" | grep -q gone
result 'one that were gone would be named' $?
