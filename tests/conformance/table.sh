#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: table.sh CONFORMANCE TABLE.md
# The table of docs/ is what the suite has: each sentence with the test that bears its name, and no
# test without its sentence. UPDATE=1 writes the table anew. And the suite is for any framework.
set -u
marker='<!-- below: conformance --list -->'
new=$(mktemp) && trap 'rm -f "$new"' EXIT
{
    sed "/^$marker\$/q" "$2"
    "$1" --list
} >"$new"
[ -z "${UPDATE:-}" ] || cp "$new" "$2"
echo 1..4
if difference=$(diff "$2" "$new"); then echo "ok 1 - the table is the suite's"; else
    echo "not ok 1 - the table is the suite's"
    echo "$difference" | sed 's/^/# /'
    echo "# run with UPDATE=1 when the suite is right"
fi
twice=$(sed -n 's/^| \([A-Z][A-Z]-[0-9][0-9]\) |.*/\1/p' "$2" | sort | uniq -d)
if [ -z "$twice" ]; then echo 'ok 2 - no sentence has its number twice'; else
    echo 'not ok 2 - no sentence has its number twice'
    echo "$twice" | sed 's/^/# /'
fi
missing=$(sed -n 's/.*| elsewhere: `\(.*\) \(.*\)` |$/\1 \2/p' "$2" | while read -r file test; do
    grep -Eq "(^|[ (])cmocka_unit_test[a-z_]*\($test[,)]" "$(dirname "$2")/../$file" || echo "$file: no test $test"
done)
if [ -z "$missing" ]; then echo 'ok 3 - tests elsewhere are there'; else
    echo 'not ok 3 - tests elsewhere are there'
    echo "$missing" | sed 's/^/# /'
fi
folder=$(dirname "$0")
knows=$(grep -lE 'portolan_|portolan/|sidl_object|sidl_reference' "$folder"/*.[ch] "$folder"/impl/*.[ch] |
    grep -vE '/(portolan_[a-z]*|extension)\.[ch]$')
if [ -z "$knows" ]; then echo 'ok 4 - only the adaptor and the extension know Portolan'; else
    echo 'not ok 4 - only the adaptor and the extension know Portolan'
    echo "$knows" | sed 's/^/# /'
fi
