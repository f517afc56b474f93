#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a measured call costs where the core is its own, and where a neighbour shares it: runs
# bench_probe in several processes, alone and beside busy ones, and tells the two states apart by
# how long its plain instructions took. Arguments: bench_probe, how many processes of each (5).
probe=$1
times=${2:-5}
work=$(mktemp -d) || exit 1
neighbours=
trap 'kill $neighbours 2>/dev/null; rm -rf "$work"' EXIT

run() { # what the files are called
    k=0
    while [ $((k += 1)) -le "$times" ]; do
        "$probe" >"$work/$1.$k" || exit 1
    done
}

run alone
k=$(nproc)
while [ $((k -= 1)) -ge 1 ]; do
    (while :; do :; done) &
    neighbours="$neighbours $!"
done
run beside
kill $neighbours

awk '
function median(state, what,   i, j, n, t, v) {
    if (!(n = split(values[state, what], v, " ")))
        return "-"
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; j--) {
            t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
        }
    return v[int((n + 1) / 2)]
}
FNR == 1 { file++ }
/reference:/ { reference[file] = $(NF - 1); if (!best || $(NF - 1) < best) best = $(NF - 1) }
/^ratio/ {
    name = $0
    sub(/^ratio /, "", name)
    sub(/ *[0-9.]+$/, "", name)
    if (!(name in seen)) { seen[name] = 1; names[++n_names] = name }
    value[file, name] = $NF
}
/only forwards adds/ { value[file, forwards = "forwarding adds, ns (goal 1.5)"] = $7 }
END {
    names[++n_names] = forwards
    for (f = 1; f <= file; f++) {
        state = reference[f] < 1.15 * best ? "own" : "shared"
        count[state]++
        for (i = 1; i <= n_names; i++)
            values[state, names[i]] = values[state, names[i]] " " value[f, names[i]]
    }
    printf "medians of %d processes whose core was their own, %d whose core was shared\n",
           count["own"], count["shared"]
    printf "%-76s %7s %7s\n", "", "own", "shared"
    for (i = 1; i <= n_names; i++)
        printf "%-76s %7s %7s\n", names[i], median("own", names[i]), median("shared", names[i])
}' "$work"/*.?*
