#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs each benchmark given, one after the other; fails if one does.
status=0
for program; do
    echo "== ${program##*/}"
    "$program" || status=1
done
exit $status
