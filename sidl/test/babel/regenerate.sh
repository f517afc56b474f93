#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: regenerate.sh SIDLC FILE.sidl FOLDER [HEADER...]. The Impl files beside FILE.sidl go through
# SIDLC; of the headers there, these are then in FOLDER as they were.
set -e
sidlc=$1 file=$2 folder=$3
shift 3
mkdir -p "$folder"
cp "$(dirname "$file")"/*_Impl.[ch] "$folder"
"$sidlc" --server=C "$file" -o "$folder"
for header; do cp "$(dirname "$file")/$header" "$folder"; done
