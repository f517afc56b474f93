#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the tables that bench_options replays: measure.sh xz|glpsol >TABLE. A line has the values of a combination
# and the seconds at each size, the least of three runs; "-": it failed, was too slow or not good enough.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# seconds COMMAND...: of processor time, which other programs disturb less than wall time; of its three runs, the
# least; "-" if one fails.
seconds() {
    TIMEFORMAT='%3U %3S'
    for _ in 1 2 3; do
        { time timeout 3 "$@" >out 2>&1 </dev/null; } 2>time || {
            echo -
            return
        }
        awk '{ printf "%.3f\n", $1 + $2 }' time
    done | sort -n | head -1
}

# A text with the statistics of words, of so many lines.
text() {
    awk -v n="$1" 'BEGIN { srand(7); for (i = 0; i < n; i++) { s = ""; for (k = 0; k < 12; k++)
        s = s sprintf("%x ", int(rand() * rand() * rand() * 4096)); print s "end of line" i % 97 } }'
}

# A knapsack with several bounds, of so many things.
knapsack() {
    awk -v n="$1" 'BEGIN { srand(3); print "var x{1.." n "} binary;"; s = "maximize v: 0"
        for (i = 1; i <= n; i++) s = s " + " 10 + int(rand() * 90) "*x[" i "]"; print s ";"
        for (c = 1; c <= 4; c++) { s = "s.t. c" c ": 0"; for (i = 1; i <= n; i++)
            s = s " + " 5 + int(rand() * 60) "*x[" i "]"; print s " <= " n * 9 ";" } print "end;" }'
}

case $1 in
xz)
    # It has to become nearly as small as the second lowest preset makes it.
    for n in 1 2 3; do
        text $((1000 * n * n)) >$n.txt
        echo $(($(xz -1 -c $n.txt | wc -c) * 102 / 100)) >$n.bound
    done
    echo 'mf mode nice dict lc | 1 4 9'
    for mf in bt4 hc3 hc4 bt2 bt3; do for mode in normal fast; do for nice in 32 4 8 16 64 273; do
        for dict in 1MiB 64KiB; do for lc in 3 0; do
            line="$mf $mode $nice $dict $lc |"
            for n in 1 2 3; do
                s=$(seconds xz -kfc --lzma2=mf=$mf,mode=$mode,nice=$nice,dict=$dict,lc=$lc $n.txt)
                [ "$(wc -c <out)" -le "$(cat $n.bound)" ] || s=-
                line="$line $s"
            done
            echo "$line"
        done; done
    done; done; done
    ;;
glpsol)
    for n in 1 2 3; do knapsack $((30 + 30 * n)) >$n.mod; done
    echo 'branch back cuts presolve simplex | 60 90 120'
    for branch in drtom first last mostf pcost; do for back in bestb dfs bfs bestp; do
        for cuts in none gomory mir cover clique cuts; do for presolve in intopt nointopt; do
            for simplex in primal dual; do
                line="$branch $back $cuts $presolve $simplex |"
                cut=--$cuts
                [ $cuts = none ] && cut=
                [ $presolve = intopt ] && pre=--intopt || pre=
                for n in 1 2 3; do
                    # shellcheck disable=SC2086 # no word
                    line="$line $(seconds glpsol --math $n.mod --$branch --$back $cut $pre --$simplex)"
                done
                echo "$line"
            done
        done; done
    done; done
    ;;
esac
