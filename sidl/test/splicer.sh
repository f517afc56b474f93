#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What authors write into Impl files survives, and what is wrong there is told. Speaks TAP.
# Usage: splicer.sh SIDLC TEST-FOLDER
sidlc=$(realpath "$1")
here=$(realpath "$2")
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
number=0

check() { # DESCRIPTION, after the command whose status it judges
    status=$?
    number=$((number + 1))
    if [ $status -eq 0 ]; then echo "ok $number - $1"; else
        echo "not ok $number - $1"
        sed 's/^/# /' "$work/said" 2>/dev/null
    fi
}

# Every block of the file, with its comments, as they stand there.
blocks() {
    awk '/DO-NOT-DELETE splicer.begin/ { inside = 1 }
         inside { sub(/^ *\/\* DO-NOT-DELETE splicer.begin/, "/* DO-NOT-DELETE splicer.begin"); print }
         /DO-NOT-DELETE splicer.end/ { inside = 0 }' "$1"
}

generate() { # SIDL-TEXT: into $work/out
    printf '%s\n' "package p version 1.0 { class C { $1 } }" >"$work/p.sidl"
    "$sidlc" --server=C "$work/p.sidl" -o "$work/out" 2>"$work/said"
}

# broken SED-SCRIPT PLACE SAID DESCRIPTION: the source so changed is refused, once, at the last line
# that has PLACE, and nothing is written, not even what has nothing to do with it.
broken() {
    rm -rf "$work/out"
    generate 'void f();'
    sed -i "$1" "$work/out/p_C_Impl.c"
    cp "$work/out/p_C_Impl.c" "$work/before"
    rm "$work/out/p_C.h"
    line=$(grep -nF "$2" "$work/before" | tail -1 | cut -d: -f1)
    if generate 'void f();'; then false; else
        grep -Eq "p_C_Impl.c:$line:1: error: .*$3" "$work/said" &&
            [ "$(grep -c "p_C_Impl.c:" "$work/said")" -eq 1 ] &&
            cmp -s "$work/before" "$work/out/p_C_Impl.c" && [ ! -e "$work/out/p_C.h" ]
    fi
    check "$4"
}

echo 1..21
mkdir "$work/lab"
cp "$here"/babel/*_Impl.[ch] "$work/lab"
"$sidlc" --server=C "$here/babel/lab.sidl" -o "$work/lab" 2>"$work/said"
for file in "$here"/babel/*_Impl.[ch]; do
    blocks "$file" | sort >"$work/before"
    blocks "$work/lab/$(basename "$file")" | sort >"$work/after"
    diff "$work/before" "$work/after" || echo differs
done >"$work/differences"
[ ! -s "$work/differences" ]
check "blocks of files that Babel wrote are kept byte for byte"

[ ! -s "$work/said" ]
check "none of them is left over"

touch -d 2001-01-01 "$work"/lab/*
"$sidlc" --server=C "$here/babel/lab.sidl" -o "$work/lab"
[ "$(find "$work/lab" -name '*_Impl.?' -newermt 2002-01-01 | wc -l)" -eq 0 ]
check "another run changes no Impl file"

generate 'void f(); int g();' && grep -q 'p.C.g is not implemented' "$work/out/p_C_Impl.c"
check "a new method throws until it has a body"

# Blocks with anything in them: no end of line before the closing comment, odd bytes, blanks.
awk '/splicer.begin\(p.C.f\)/ { print; print "\tint x = 7;  /* kept */   "; print ""; print "\"\\\\ \303\251\";"; skip = 1 }
     /splicer.end\(p.C.f\)/ { print "  return; " $0; skip = 0; next }
     !skip { print }' "$work/out/p_C_Impl.c" >"$work/edited"
cp "$work/edited" "$work/out/p_C_Impl.c"
blocks "$work/edited" >"$work/before"
generate 'void f(); int g(); void h();' && blocks "$work/out/p_C_Impl.c" >"$work/after"
sed '/splicer.begin(p.C.h)/,/splicer.end(p.C.h)/d' "$work/after" | cmp -s - "$work/before"
check "whatever stands in a block is kept, up to the closing comment"

generate 'int g(); void h();' && grep -q 'p_C_Impl.c:[0-9]*: note: p.C.f is no longer in the SIDL' "$work/said"
check "the code of a method that is gone is told of"

grep -n '^#if 0\|int x = 7\|^#endif' "$work/out/p_C_Impl.c" | cut -d: -f2- | tr -d '\n' |
    grep -q '^#if 0.*int x = 7.*#endif$'
check "and stands at the end of the file"

generate 'int g(); void h();' && grep -q 'int x = 7' "$work/out/p_C_Impl.c"
check "where it also survives the next run"

generate 'void f(); int g(); void h();' && blocks "$work/out/p_C_Impl.c" | sort >"$work/back"
sort "$work/after" | cmp -s - "$work/back" && ! grep -q '#if 0' "$work/out/p_C_Impl.c"
check "a method that comes back takes its code back"

sed -i 's/$/\r/' "$work/out/p_C_Impl.c"
cp "$work/out/p_C_Impl.c" "$work/before"
generate 'void f(); int g(); void h();' && cmp "$work/before" "$work/out/p_C_Impl.c" >"$work/said"
check "a file with CR LF stays one"

generate 'void f(); int g();'
[ "$(grep -c 'p.C.h' "$work/out/p_C_Impl.c")" -gt 0 ] &&
    [ "$(grep -c . "$work/out/p_C_Impl.c")" -eq "$(grep -c "$(printf '\r')\$" "$work/out/p_C_Impl.c")" ]
check "also in the lines that are new"

broken '/splicer.end(p.C.f)/d' 'begin(_misc)' 'begins inside p.C.f of line' "a block without an end"
broken '/splicer.begin(p.C.f)/d' 'end(p.C.f)' 'without a splicer.begin' "an end without a beginning"
broken 's,splicer.end(p.C.f),splicer.end(p.C.g),' 'end(p.C.g)' 'where splicer.end.p.C.f. of line' \
    "the end of another block"
broken '/splicer.end(_misc)/d' 'begin(_misc)' 'has no splicer.end' "a block that never ends"
broken '/splicer.end(p.C.f)/s,$,\n/* DO-NOT-DELETE splicer.begin(p.C.f) */\nint twice;\n/* DO-NOT-DELETE splicer.end(p.C.f) */,' \
    'begin(p.C.f)' 'already exists in line [0-9]+' "a block twice"
! grep -q 'no longer' "$work/said"
check "of which nothing more is told"

rm -rf "$work/out"
generate 'void f();'
sed -i 's,p.C._hincludes,p.C._includes,
    /splicer.begin(p.C._includes)/a #include <math.h>' "$work/out/p_C_Impl.h"
generate 'void f();' && [ ! -s "$work/said" ] &&
    grep -A1 'begin(p.C._hincludes)' "$work/out/p_C_Impl.h" | grep -q math.h
check "what Babel 1 called _includes in a header is found"

mv "$work/out/p_C_Impl.c" "$work/linked.c"
ln -s ../linked.c "$work/out/p_C_Impl.c"
chmod 640 "$work/linked.c"
generate 'void f(); void later();' && [ -L "$work/out/p_C_Impl.c" ] &&
    grep -q 'p.C.later' "$work/linked.c" && [ "$(stat -c %a "$work/linked.c")" = 640 ]
check "an Impl file that is a link stays one, with its permissions"

mkdir "$work/own"
echo "project('mine', 'c')" >"$work/own/meson.build"
printf 'package p version 1.0 { class C { void f(); } }\n' >"$work/p.sidl"
"$sidlc" --server=C "$work/p.sidl" -o "$work/own" 2>"$work/said"
grep -q 'own/meson.build:1: note: not written by' "$work/said" &&
    grep -q "project('mine'" "$work/own/meson.build" && [ -e "$work/own/babel.make" ]
check "a build file of somebody else's is left alone, and told of"

mkdir -p "$work/meson/meson-private"
"$sidlc" --server=C "$work/p.sidl" -o "$work/meson" && [ ! -e "$work/meson/meson.build" ] && [ -e "$work/meson/p.c" ]
check "the folder that Meson builds in gets no meson.build"
