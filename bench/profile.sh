#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How long `portolan profile` takes on a trial of 1,000 ranks x 10,000 call paths. Goal: under 2 s.
# Arguments: bench_store, which makes the trial (10 million samples, about a minute, 900 MB), and
# portolan.
bench_store=$1
portolan=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
paths=10000
[ -z "${PORTOLAN_BENCH_SHORT-}" ] || paths=10
"$bench_store" "$folder/large.db" 1000 $paths >/dev/null || exit 1

timed() {
    before=$(date +%s%N)
    "$portolan" profile "$folder/large.db" "$@" >"$folder/out" || exit 1
    after=$(date +%s%N)
    printf 'portolan profile %-24s %6d ms   %8d bytes\n' "$*" $(((after - before) / 1000000)) \
        "$(wc -c <"$folder/out")"
}

timed
timed --flat
timed --top=0
timed --json
timed --rank=500
