#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How long `portolan model list` takes on a store of 10,000 call paths, six trials each, beside
# `portolan profile` of one of the trials and the fits alone. Goal: seconds.
# Arguments: bench_paths, which makes the store, and portolan.
bench_paths=$1
portolan=$2
paths=10000
[ -z "${PORTOLAN_BENCH_SHORT-}" ] || paths=100
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$bench_paths" "$folder/paths.db" $paths 1 || exit 1

# timed WHAT ROWS COMMAND...: leaves the milliseconds in $took.
timed() {
    what=$1 rows=$2
    shift 2
    before=$(date +%s%N)
    "$portolan" "$@" >"$folder/out" || exit 1
    took=$((($(date +%s%N) - before) / 1000000))
    printf '%-42s %6d ms   %8d rows/s' "$what" "$took" $((rows * 1000 / (took + 1)))
}

timed 'portolan profile, one trial' $paths profile "$folder/paths.db" 1
reference=$took
echo
for form in '' --pieces '--by=contexts'; do
    timed "portolan model list $form" $((6 * paths)) model list "$folder/paths.db" $form
    awk -v a="$took" -v b="$reference" 'BEGIN { printf "   %.1f x the profile\n", a / (b + 1) }'
done
