#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What programs were built against stays: the libraries have the SONAMEs and all the symbols that
# debian/*.symbols list, and the types of the last release. What is meant to change otherwise needs
# another number of the ABI (base/meson.build), and `make abi`.
. "$(dirname "$0")/tap.sh"
plan 6

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
result 'one that is gone is named' $?

# ---------------------------------------------------------------- types, in the dumps of abidw

# skip_rest REASON: the dumps cannot be compared here.
skip_rest() {
    for name in 'no public type has changed' 'a function that is gone is named' 'a changed value is named'; do
        result "$name # SKIP $1" 0
    done
    exit 0
}
library=$(find "$BUILD" -name libportolan.so.0)
mkdir "$work/old" "$work/new"
tar -C "$work/old" -xzf "$SOURCE/packaging/abi.tar.gz" || exit 1
command -v abidw >/dev/null || skip_rest 'no abigail-tools'
[ -z "${PORTOLAN_SANITIZED-}" ] || skip_rest sanitized
[ "$MPI" = mpich ] || skip_rest 'another MPI'
readelf -SW "$library" | grep -q debug_info || skip_rest 'no debug information'
sh "$SOURCE/tools/abi.sh" "$BUILD" "$work/new" || exit 1
architecture() {
    sed -n "1s/.*\\(architecture='[^']*'\\).*/\\1/p" "$work/$1/libportolan.so.0.abi"
}
[ "$(architecture old)" = "$(architecture new)" ] || skip_rest 'another architecture'

# changed LIBRARY...: whether one differs from its dump.
changed() {
    status=0
    for library; do
        abidiff --no-added-syms "$work/old/$library.abi" "$work/new/$library.abi" || status=$?
    done >"$work/out" 2>"$work/err"
    [ "$status" != 0 ]
}
# shellcheck disable=SC2086 # a list of words
! changed $libraries
result 'no public type has changed' $?
list=$work/old/libportolan-models.so.0.abi
cp "$list" "$work/kept"
sed -i 's/portolan_formula_bind/&_gone/' "$list"
changed libportolan-models.so.0 && grep -q 'Removed function\|portolan_formula_bind_gone' "$work/out"
result 'a function that is gone is named' $?
sed "s/\('PORTOLAN_ENOMEM' value='\)[^']*/\177/" "$work/kept" >"$list"
changed libportolan-models.so.0 && grep -q 'PORTOLAN_ENOMEM.*77.*to' "$work/out"
result 'a changed value is named' $?
