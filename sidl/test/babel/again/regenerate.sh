#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: regenerate.sh SIDLC FILE.sidl FOLDER. The Impl files beside FILE.sidl go through SIDLC.
set -e
mkdir -p "$3"
cp "$(dirname "$2")"/*_Impl.[ch] "$3"
"$1" --server=C "$2" -o "$3"
