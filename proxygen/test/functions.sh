#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Lists of functions: what is generated, that it compiles without warnings as C and the
# port's type as C++, and what is said about bad input. Arguments: proxygenc, this folder, then the
# compiler flags for Portolan's headers. `UPDATE=1` reads the golden files anew.
set -u
. "$(dirname "$0")/setup.sh"
cd "$2" || exit 99
shift 2
warnings='-O1 -Wall -Wextra -Wpedantic -Werror -fvisibility=hidden -fPIC'

# -- what comes out

golden list headers/list.h --functions 'list_*' --functions '!list_excluded' --port test.List \
    --context headers/list.context --header headers/list.h --front --lib liblist.so.1 \
    --lib other=liblist.so.1 --lib /opt/a/liblist.so --lib /opt/b/liblist.so

compile() { # name, compiler, file, flags
    name=$1 compiler=$2 file=$3
    shift 3
    if ! command -v $compiler >/dev/null; then
        number=$((number + 1))
        echo "ok $number - $name with $compiler # SKIP no $compiler here"
        return
    fi
    # shellcheck disable=SC2086 # a list of words
    $compiler $warnings "$@" -c "$file" -o "$work/object.o" 2>"$work/err"
    good=$?
    [ $good = 0 ] || sed 's/^/# /' "$work/err"
    result $good "$name compiles with $compiler"
}

for file in "$work/list"/*.c; do
    for compiler in gcc $clang; do
        compile "$(basename "$file")" $compiler "$file" "$@" -std=gnu17 -isystem .
    done
done
echo '#include "test_List_functions.h"' >"$work/type.cc"
for compiler in g++ $clang++; do
    compile "the port's type" "$compiler" "$work/type.cc" "$@" -std=gnu++17 -isystem . -I "$work/list"
done
compile 'sixteen proxies' gcc "$work/list/test_List_proxy.c" "$@" -std=gnu17 -isystem . \
    -DPORTOLAN_FUNCTIONS_PROXIES=16

# -- what is chosen

chosen() { # expected names, then patterns
    expected=$1
    shift
    timeout 60 "$generator" headers/list.h "$@" --port x -o "$work/chosen" >"$work/report" 2>"$work/err"
    got=$(sed -n 's/^  \([a-z_]*\) *intercepted.*/\1/p' "$work/report" | tr '\n' ' ')
    [ "$got" = "$expected " ]
    good=$?
    [ $good = 0 ] || sed 's/^/# /' "$work/err" "$work/report"
    result $good "$* chooses $expected"
}
chosen 'list_which list_weak' --functions 'list_w*'
chosen 'list_which' --functions 'list_w*' --functions '!*weak'
chosen 'list_sum other_function' --functions 'list_sum' --functions 'other_?unction'
chosen 'other_function' --functions '!list_*'

says() { # text of the report, then arguments
    text=$1
    shift
    timeout 60 "$generator" headers/list.h --functions 'list_*' --port x -o "$work/chosen" "$@" \
        >"$work/report"
    sed 's/  */ /g; s/ (headers[^)]*)//' "$work/report" | grep -qF -- "$text"
    result $? "the report says: $text"
}
says 'list_inline not intercepted: defined in the header'
says 'list_macro not intercepted: a macro'
says 'list_hidden not intercepted: hidden'
says 'list_mark not intercepted: it may return twice'
says 'list_variadic not intercepted: variadic'
says "list_same not intercepted: another name for list_renamed's symbol"
says 'list_end intercepted; never returns'
says 'list_sum intercepted, context n (guessed: extent of x)'
line=$(grep -n 'list_hidden' headers/list.h | sed 's/:.*//')
grep -q "list_hidden *not intercepted (headers/list.h:$line)" "$work/report"
result $? 'the report says where it is'
says 'Class x_liba provides them from liba.so.2.' --lib liba.so.2
! grep -q list_data "$work/report"
result $? 'data is no function'

# -- what is refused

refuses 'a name that is misspelt is answered with the nearest' \
    "headers/list.h:1: error: no function matches 'list_wich'; did you mean 'list_which'?" \
    headers/list.h --functions list_wich --port x
refuses 'every pattern must match something' "no function matches 'zlib_*'" \
    headers/list.h --functions 'list_*' --functions 'zlib_*' --port x
printf '#include "headers/list.h"\nint own(void);\n' >"$work/outer.h"
refuses 'functions of included headers are told of' "list.h:$(grep -n 'int list_which' headers/list.h | sed 's/:.*//'), which it includes, has one" \
    "$work/outer.h" --functions 'list_which' --port x -- -I.
"$generator" "$work/outer.h" --functions list_which --from 'headers/*.h' --port x -q \
    -o "$work/from" -- -I.
result $? 'functions of included headers are taken when --from says so'
printf 'int good(int x);\nint kr();\n' >"$work/kr.h"
refuses 'a function without a prototype is refused with its place' \
    "kr.h:2:5: error: 'kr' does not say what it takes" "$work/kr.h" --functions '*' --port x
"$generator" "$work/kr.h" --functions '*' --functions '!kr' --port x -q -o "$work/kr"
result $? 'an excluded function is not looked at'
printf 'int v(int n, ...);\n' >"$work/variadic.h"
refuses 'a list that leaves nothing to measure is refused' 'no method that could be measured' \
    "$work/variadic.h" --functions v --port x
printf 'namespace a { int f(int); }\n' >"$work/c.hpp"
refuses 'C++ is refused' 'lists of functions are read from C headers' "$work/c.hpp" --functions f \
    --port x
refuses 'two libraries of one name are refused' "--lib NAME=/a/l.so" \
    headers/list.h --functions 'list_*' --port x --lib same=/a/l.so --lib same=/b/l.so
refuses 'a name that is no word is refused' "letters, digits and '_' only" \
    headers/list.h --functions 'list_*' --port x --lib no-word=/a/l.so
refuses 'a library without a file is refused' "it reads FILE or NAME=FILE" \
    headers/list.h --functions 'list_*' --port x --lib name=
finish
