#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `make dist` packs the same bytes wherever it runs, and what it packs can be built.
. "$(dirname "$0")/tap.sh"
git -C "$SOURCE" rev-parse HEAD >/dev/null 2>&1 || skip_all 'this is no checkout of git'
plan 3

git clone -q --shared "$SOURCE" "$work/one" && git clone -q --shared "$work/one" "$work/another/folder" || exit 99
make -C "$work/one" dist >"$work/out" 2>&1
(umask 077 && TZ=Asia/Tokyo make -C "$work/another/folder" dist) >"$work/err" 2>&1
tarball=$(cd "$work/one" && echo portolan-*.tar.gz)
cmp "$work/one/$tarball" "$work/another/folder/$tarball"
result 'two checkouts pack the same bytes' $?
tar -tf "$work/one/$tarball" | grep -v '/$' | sed 's,^[^/]*/,,' | sort >"$work/packed"
git -C "$work/one" ls-files | sort | diff - "$work/packed" | sed 's/^/# /' >"$work/out"
[ ! -s "$work/out" ] && [ "$tarball" = "portolan-$("$PORTOLAN" --version | cut -d ' ' -f 2).tar.gz" ]
result 'which are all files, under the version' $?
mkdir "$work/built"
tar -xf "$work/one/$tarball" -C "$work/built" --strip-components=1
cd "$work/built" || exit 99
try ./configure && try ninja -C build base/libportolan_base.a
gives 'it is configured and built' 0
