#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: table.sh CONFORMANCE SOURCE
# README.md counts the sentences of the suite, each has one number, and tests that are said to be
# elsewhere are there. And the suite is for any framework.
set -u
table=$("$1" --list)
echo 1..4
count() { echo "$table" | grep '^| [A-Z][A-Z]-' | grep -c "$1"; }
all=$(count .) elsewhere=$(count '| elsewhere: ') none=$(count '| not covered: ')
here="Of $all, $((all - elsewhere - none)) have a test here, $elsewhere one elsewhere in the project, and"
if grep -q "$here\$" "$(dirname "$0")/README.md"; then echo 'ok 1 - README.md counts the sentences'; else
    echo 'not ok 1 - README.md counts the sentences'
    echo "# it should say: $here $none none"
fi
twice=$(echo "$table" | sed -n 's/^| \([A-Z][A-Z]-[0-9][0-9]\) |.*/\1/p' | sort | uniq -d)
if [ -z "$twice" ]; then echo 'ok 2 - no sentence has its number twice'; else
    echo 'not ok 2 - no sentence has its number twice'
    echo "$twice" | sed 's/^/# /'
fi
missing=$(echo "$table" | sed -n 's/.*| elsewhere: `\(.*\) \(.*\)` |$/\1 \2/p' | while read -r file test; do
    grep -Eq "(^|[ (])cmocka_unit_test[a-z_]*\($test[,)]" "$2/$file" || echo "$file: no test $test"
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
