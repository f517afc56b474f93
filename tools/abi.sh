#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes the ABI that programs were compiled against: for each public library of a build, its symbols and
# the types of the installed headers, with abidw (Debian's abigail-tools).
#   tools/abi.sh BUILD FOLDER    writes FOLDER/LIBRARY.abi; `make abi` keeps them as the release's
set -eu
[ $# = 2 ] || {
    echo "usage: $0 BUILD FOLDER" >&2
    exit 2
}
build=$1 folder=$2
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT
meson introspect --installed "$build" | python3 -c '
import json, os, sys
for source, installed in json.load(sys.stdin).items():
    if installed.endswith(".h"):
        link = sys.argv[1] + installed
        os.makedirs(os.path.dirname(link), exist_ok=True)
        os.symlink(source, link)' "$headers"
for library in $(sed -n 's/^\(lib[^ ]*\) .*/\1/p' "$(dirname "$0")"/../debian/*.symbols); do
    abidw --headers-dir "$headers" --drop-private-types --exported-interfaces-only --no-show-locs --no-corpus-path --no-comp-dir-path \
        --out-file "$folder/$library.abi" "$(find "$build" -name "$library" | head -n 1)"
done
