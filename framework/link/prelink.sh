#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# prelink.sh LD OBJCOPY AR OUTPUT.a INPUT.a... [-- NEEDED.a...]: one archive with one object of all
# that is in the inputs, and of what these need of the others. Hidden names become the object's own,
# as they are a shared object's own, so that they meet nobody else's in a program.
set -eu
ld=$1 objcopy=$2 ar=$3 output=$4
shift 4
object=${output%.a}.o
for input; do
    shift
    [ "$input" != -- ] || input=--no-whole-archive
    set -- "$@" "$input"
done
"$ld" -r -d --force-group-allocation --whole-archive --start-group "$@" --end-group -o "$object"
# Without what link-time optimisation keeps beside the code: it has all names still.
"$objcopy" -R '.gnu.lto_*' -R '.gnu.debuglto_*' --localize-hidden "$object"
rm -f "$output"
"$ar" crs "$output" "$object"
rm -f "$object"
