#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the generator writes, and what it says about bad input. Arguments: proxygenc and
# this folder. `UPDATE=1` reads the golden files anew.
set -u
. "$(dirname "$0")/setup.sh"
cd "$2" || exit 99

solver='headers/solver.h --port solver=test.Solver'
# shellcheck disable=SC2086 # a list of words
golden table $solver --context headers/solver.context
golden plain headers/plain.h --port plain
golden struct headers/bmi.h --port Bmi --context headers/bmi.context
golden handed-out headers/stream.h --port stream=test.Stream --context headers/stream.context
golden shared-table headers/generator.h --port generator_type --context headers/generator.context
golden sidl headers/kinds.sidl --port test.Kinds
golden inherited headers/kinds.sidl --port test.Child

touch -d '2001-01-01' "$work/inherited/"*.c
"$generator" headers/kinds.sidl --port test.Child -q -o "$work/inherited"
[ -z "$(find "$work/inherited" -name '*.c' -newermt 2002-01-01)" ]
result $? 'a file whose content does not change is not touched'

for file in bad/*.h bad/*.sidl; do
    refused "$file" "$file" --port "$(port "$file")"
done
for file in bad/*.context; do
    # shellcheck disable=SC2086
    refused "$file" $solver --context "$file"
done

refuses 'a type name with a space is refused' "'bad name' is no name for a port type" \
    headers/solver.h --port 'solver=bad name'
refuses 'a header and SIDL together are refused' 'SIDL and C do not go together' \
    headers/solver.h headers/kinds.sidl --port x
"$generator" headers/solver.h 2>/dev/null
[ $? = 2 ]
result $? 'a call without a port is a usage error'
"$generator" bad/needs_flag.txt.h --port x -o "$work/bad" 2>"$work/err"
[ $? = 1 ] && grep -q 'needs_flag.txt.h. file not found' "$work/err"
result $? 'a header that is not there is named'
"$generator" headers/flag.h --port flag -q -o "$work/out" -- -DWITH_FLAG -Iheaders
result $? 'flags behind -- reach the compiler'
grep -q '#include <flag.h>' "$work/out/flag_proxy.c"
result $? 'a header below an include folder is included by its name there'
"$generator" headers/solver.h --port solver -q -o /dev/null/out 2>"$work/err"
[ $? = 1 ] && grep -q '/dev/null/out' "$work/err"
result $? 'a folder that cannot be made is named'
mkdir "$work/first" "$work/second"
cp headers/plain.h "$work/first/same.h"
sed 's/add/subtract/' headers/plain.h >"$work/second/same.h"
"$generator" "$work/second/same.h" --port plain -q -o "$work/out" -- -I"$work/first" -I"$work/second"
grep -q "#include \".*/second/same.h\"" "$work/out/plain_proxy.c"
result $? 'a header of the same name in a folder before is not the one that is included'
finish
