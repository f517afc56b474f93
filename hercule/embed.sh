#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files of knowledge as one C table, so that the library finds them wherever it lies.
set -eu
echo '#include "builtin.h"'
number=0
for file; do
    number=$((number + 1))
    echo "static const unsigned char text_$number[] = {"
    od -An -v -tx1 "$file" | sed 's/ /,0x/g; s/^,//; s/$/,/'
    echo '0};'
done
echo 'const struct builtin_file builtin_files[] = {'
number=0
for file; do
    number=$((number + 1))
    echo "{\"$(basename "$file")\", (const char *)text_$number, sizeof text_$number - 1},"
done
echo '};'
echo "const size_t n_builtin_files = $number;"
