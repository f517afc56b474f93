#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs benchmarks one after the other; fails if one does. In front of -- one with its arguments,
# behind it those that have none.
status=0
run() {
    echo "== ${1##*/}"
    "$@" || status=1
}
program=$1
plugin=$2
shift 3
for other; do run "$other"; done
run "$program" "$plugin"
exit $status
