#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Instructions of a port call beyond those of a call through a table, counted by callgrind, which
# is never disturbed. Arguments: bench_instructions, then KIND=MOST: exits with 1 where a kind takes
# more.
program=$1
shift
command -v valgrind >/dev/null || exit 77

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=counted_calls \
        "$program" "$1" 2>&1 | awk '/Collected/ { print int($NF / 1000) }'
}

status=0
table=$(count table)
[ "${table:-0}" -gt 0 ] || exit 77 # no clock that callgrind could count
for bound in "${@:-floor}"; do
    kind=${bound%=*}
    n=$(($(count "$kind") - table))
    printf '  %-10s %4d instructions more than a call through a table\n' "$kind" "$n"
    if [ "$kind" != "$bound" ] && [ "$n" -gt "${bound#*=}" ]; then
        echo "$kind: $n instructions, at most ${bound#*=} wanted" >&2
        status=1
    fi
done
exit $status
