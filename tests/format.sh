#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every C file is formatted as .clang-format says (but those of Babel users), and carries its licence
# line.
set -u
cd "${1:-.}" || exit 99
# Of one version, for others format otherwise.
format=$(command -v clang-format-14 || command -v clang-format) || {
    echo '1..0 # SKIP clang-format is not installed'
    exit 0
}
files=$(find */ -name '*.[ch]' -not -path 'build*' -not -path '*/golden/*' -not -path '*/expected/*' \
    -not -path '*sidl/test/babel/*' -not -path '*/languages/*' \
    -not -name 'hello_*_Impl.[ch]' -not -path '*/conformance/impl/*' | sort)
echo 1..2
# All in few processes: starting one takes longer than a file does.
said=$(echo "$files" | xargs "$format" --style=file --dry-run 2>&1) || said="$format:1:1: failed"
bad=$(echo "$said" | sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: .*/\1/p' | sort -u)
if [ -z "$bad" ]; then echo 'ok 1 - formatted'; else
    echo 'not ok 1 - formatted'
    for f in $bad; do echo "# $f: run 'make format'"; done
fi
bad=$(echo "$files" | xargs grep -L SPDX-License-Identifier)
if [ -z "$bad" ]; then echo 'ok 2 - licence lines'; else
    echo 'not ok 2 - licence lines'
    echo "$bad" | sed 's/^/# /'
fi
