#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Proxies of C++ classes: what is written byte for byte, what compilers say of it, and what is
# refused. Arguments: proxygenc, this folder, then the compiler flags for Portolan's headers.
# `UPDATE=1` makes the golden files anew.
set -u
generator=$(realpath "$1")
cd "$2" || exit 99
shift 2
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
warnings='-Wall -Wextra -Wpedantic -Werror -fvisibility=hidden -fPIC'
clang=clang++
command -v clang++ >/dev/null || clang=clang++-14
number=0
failed=0

result() { # 0 or 1, then the test's name
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else
        echo "not ok $number - $2"
        failed=1
    fi
}

compiles() { # compilers, name, file, standard, flags
    compilers=$1
    name=$2
    file=$3
    standard=$4
    shift 4
    for compiler in $compilers; do
        if ! command -v $compiler >/dev/null; then
            number=$((number + 1))
            echo "ok $number - $name with $compiler # SKIP no $compiler here"
            continue
        fi
        # shellcheck disable=SC2086 # a list of words
        $compiler -std=$standard $warnings "$@" -fsyntax-only "$file" 2>"$work/err"
        status=$?
        sed 's/^/# /' "$work/err"
        result $status "$name compiles with $compiler as $standard"
    done
}

# golden HEADER PORT TYPE [generator's options]: as it is kept, and compilers like it
golden() {
    header=$1
    port=$2
    type=$3
    shift 3
    rm -rf "$work/out"
    # shellcheck disable=SC2086
    "$generator" "$header" --port "$port" -o "$work/out" "$@" >"$work/report" 2>"$work/err" ||
        sed 's/^/# /' "$work/err"
    mv "$work/report" "$work/out/report" 2>/dev/null
    [ -n "${UPDATE:-}" ] && mkdir -p "golden/$type" && cp "$work/out/"* "golden/$type/"
    diff -r "golden/$type" "$work/out" | sed 's/^/# /' >"$work/diff"
    cat "$work/diff"
    [ -d "$work/out" ] && [ ! -s "$work/diff" ]
    result $? "$port is generated as the golden files have it"
}

flags=$*
# shellcheck disable=SC2086 # a list of words
while read -r header port type context; do
    golden "$header" "$port" "$type" ${context:+--context "$context"}
    # The build has compiled it with the other compiler, and so it was run.
    compiles $clang "$port" "$work/out/$(echo "$type" | tr . _)_proxy.cc" c++17 $flags -isystem .
    [ "$type" != lab.Solver ] ||
        compiles "g++ $clang" "$port" "$work/out/lab_Solver_proxy.cc" c++20 $flags -isystem .
done <<'END'
solver.hpp lab::Solver lab.Solver solver.context
forms.hpp lab::forms lab.forms
bases.hpp lab::Store lab.Store
bases.hpp lab::Pair lab.Pair
bases.hpp lab.Closed lab.Closed
bases.hpp lab::Inner=lab.Inner lab.Inner
hooks.hpp ::lab::Hooks lab.Hooks hooks.context
field.hpp lab::Field<double,3> lab.Field_double_3
field.hpp lab::Bound lab.Bound
field.hpp lab::Tagged<char> lab.Tagged_char
END

# Headers of others, where they are installed: HEADER PORT, as the compiler finds them.
while read -r header port; do
    echo "#include <$header>" >"$work/has.cc"
    if ! g++ -std=c++17 -fsyntax-only "$work/has.cc" 2>/dev/null; then
        number=$((number + 1))
        echo "ok $number - $port # SKIP <$header> is not installed"
        continue
    fi
    rm -rf "$work/out"
    "$generator" -q "$header" --port "$port=other" --include "<$header>" -o "$work/out" -- -xc++ \
        2>&1 | sed 's/^/# /'
    # shellcheck disable=SC2086 # a list of words
    compiles g++ "$port" "$work/out/other_proxy.cc" c++17 $flags
done <<'END'
streambuf std::streambuf
locale std::num_put<char>
gtest/gtest.h testing::TestEventListener
gmock/gmock.h testing::MatcherInterface<int>
benchmark/benchmark.h benchmark::BenchmarkReporter
unicode/chariter.h icu::CharacterIterator
END

# refused FILE [generator's arguments]: as the file's comments say
refused() {
    file=$1
    shift
    expected=$(sed -n 's,^.*expect: \([0-9]*: .*\),\1,p' "$file" | sed 's, *\*/$,,')
    text=${expected#*: }
    "$generator" "$@" -o "$work/bad" >/dev/null 2>"$work/err"
    status=$?
    grep -F -- "$file:${expected%%: *}:" "$work/err" | grep -qF -- "$text" && [ $status = 1 ] &&
        [ ! -e "$work/bad" ]
    good=$?
    [ $good = 0 ] || sed "s/^/# exit $status: /" "$work/err"
    result $good "$(basename "$file") is refused on line ${expected%%: *}, and nothing is written"
    rm -rf "$work/bad"
}

for file in bad/*.hpp; do
    refused "$file" "$file" --port "$(sed -n 's,^.*port: \([^ ]*\).*,\1,p' "$file")"
done
for file in bad/*.context; do
    refused "$file" solver.hpp --port lab::Solver --context "$file"
done
echo "1..$number"
exit $failed
