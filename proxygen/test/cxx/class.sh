#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Proxies of C++ classes: what is written, what compilers say of it, and what is
# refused. Arguments: proxygenc, this folder, then the compiler flags for Portolan's headers.
# `UPDATE=1` reads the golden files anew.
set -u
. "$(dirname "$0")/../setup.sh"
cd "$2" || exit 99
shift 2
warnings='-Wall -Wextra -Wpedantic -Werror -fvisibility=hidden -fPIC'
clang=clang++
command -v clang++ >/dev/null || clang=clang++-14

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

flags=$*
# shellcheck disable=SC2086 # a list of words
while read -r header port type context; do
    golden "$type" "$header" --port "$port" ${context:+--context "$context"}
    # The build has compiled it with the other compiler, and so it was run.
    compiles $clang "$port" "$work/$type/$(echo "$type" | tr . _)_proxy.cc" c++17 $flags -isystem .
    [ "$type" != lab.Solver ] ||
        compiles "g++ $clang" "$port" "$work/$type/lab_Solver_proxy.cc" c++20 $flags -isystem .
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
for port in operations flow pure; do
    "$generator" -q operations.hpp --port "$port" -o "$work/struct" || failed=1
    # shellcheck disable=SC2086 # a list of words
    compiles $clang "a struct of functions, $port," "$work/struct/${port}_proxy.cc" c++17 $flags -isystem .
done

printf '%s\n' 'struct matrix { int n; };' \
    'struct user { virtual ~user() {} virtual double solve(const matrix *a) = 0; };' >"$work/user.hpp"
echo 'solve: a->n' >"$work/user.context"
"$generator" -q "$work/user.hpp" --port user --context "$work/user.context" -o "$work/out"
grep -qF '{"solve", 1, {"a_n"}, 0,' "$work/out/user_proxy.cc"
result $? 'an expression is a context of a method'
# shellcheck disable=SC2086 # a list of words
compiles g++ 'a proxy with an expression' "$work/out/user_proxy.cc" c++17 $flags -isystem "$work"

# Headers of others, where they are installed: HEADER PORT, as the compiler finds them.
while read -r header port; do
    echo "#include <$header>" >"$work/has.cc"
    if ! g++ -std=c++17 -fsyntax-only "$work/has.cc" 2>/dev/null; then
        number=$((number + 1))
        echo "ok $number - $port # SKIP <$header> is not installed"
        continue
    fi
    rm -rf "$work/out"
    "$generator" -q "$header" --port "$port=other" --header "<$header>" -o "$work/out" -- -xc++ \
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

for file in bad/*.hpp; do
    refused "$file" "$file" --port "$(port "$file")"
done
for file in bad/*.context; do
    refused "$file" solver.hpp --port lab::Solver --context "$file"
done
finish
