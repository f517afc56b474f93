# SPDX-License-Identifier: BSD-3-Clause
# What the generator's tests share: source it with proxygenc in $1. Everything they write goes to
# $work; they end with `finish`.
# shellcheck shell=sh disable=SC2034 # some is used by some
generator=$(realpath "$1")
excerpts=$(realpath "$0")
excerpts=${excerpts%/proxygen/test/*}/tests/excerpts.sh
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
number=0
failed=0
clang=clang
command -v clang >/dev/null || clang=clang-14

result() { # 0 or 1, then the test's name; what the generator said last is in $work/err
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else
        [ ! -s "$work/err" ] || sed 's/^/# /' "$work/err"
        echo "not ok $number - $2"
        failed=1
    fi
}

finish() {
    echo "1..$number"
    exit $failed
}

# golden NAME, then arguments of the generator: what $work/NAME gets is as golden/NAME.expected shows it
# where that shows what NAME is there for (tests/excerpts.sh). The rest is judged by compilers and calls.
golden() {
    name=$1
    shift
    rm -rf "${work:?}/$name"
    "$generator" "$@" -o "$work/$name" >"$work/report" 2>"$work/err" || sed 's/^/# /' "$work/err"
    mv "$work/report" "$work/$name/report" && "$excerpts" "golden/$name.expected" "$work/$name" >"$work/diff"
    good=$?
    [ $good = 0 ] || sed 's/^/# /' "$work/diff"
    result $good "$name is generated as golden/$name.expected shows it"
}

# refuses NAME WORDS, then arguments of the generator: it says so, exits with 1 and writes nothing.
refuses() {
    name=$1
    words=$2
    shift 2
    rm -rf "$work/bad"
    timeout 60 "$generator" -o "$work/bad" "$@" >/dev/null 2>"$work/err"
    [ $? = 1 ] && grep -qF -- "$words" "$work/err" && [ ! -e "$work/bad" ]
    result $? "$name"
}

# refused FILE, whose comment `expect: LINE: WORDS` says what is to be said of it, then arguments.
refused() {
    file=$1
    shift
    expected=$(sed -n 's,^.*expect: \([0-9]*: .*\),\1,p' "$file" | sed 's, *\*/$,,')
    rm -rf "$work/bad"
    "$generator" -o "$work/bad" "$@" >/dev/null 2>"$work/err"
    [ $? = 1 ] && [ ! -e "$work/bad" ] && grep -F -- "$file:${expected%%: *}:" "$work/err" |
        grep -qF -- "${expected#*: }"
    result $? "$(basename "$file") is refused on line ${expected%%: *}, and nothing is written"
}

# The port that a bad file's comment names.
port() {
    sed -n 's,^.*port: \([^ ]*\).*,\1,p' "$1"
}
