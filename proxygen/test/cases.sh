#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the generator says about the cases in headers/cases, and where it takes flags and declarations
# from. Arguments: proxygenc and this folder.
set -u
. "$(dirname "$0")/setup.sh"
cd "$2/headers/cases" || exit 99

generate() { # arguments of the generator; output in $work/out, report and errors beside it
    rm -rf "$work/out"
    "$generator" "$@" >"$work/report" 2>"$work/err"
}

says() { # words that the report has, on one line
    grep -qF -- "$1" "$work/report"
}

# ---------------------------------------------------------------------- variadic functions
generate variadic.h --port journal -o "$work/out"
says 'log    not intercepted (variadic.h:9): variadic' && says 'trace  not intercepted'
result $? 'variadic functions are passed as they are, and the report says so'
generate variadic.h --port journal --context variadic.context -o "$work/out"
says 'log    intercepted; forwarded to vlog' && says 'trace  not intercepted'
result $? 'a twin that takes a va_list makes a variadic function measurable'
printf 'log.variadic: trace\n' >"$work/side"
refuses 'a twin needs the same parameters and a va_list' \
    "side:1: error: 'trace' does not stand for 'log'" variadic.h --port journal --context "$work/side"
printf 'vlog.variadic: log\n' >"$work/side"
refuses 'only variadic functions need a twin' "side:1: error: 'vlog' is not variadic" \
    variadic.h --port journal --context "$work/side"

# ---------------------------------------------------------------------- side files
side() { # test's name, line, words of the message
    printf '# a comment\n%s\n' "$2" >"$work/side"
    refuses "$1" "side:2: error: $3" sizes.h --port sizes --context "$work/side"
}
side 'an extent needs an array' 'real.size-of: n = n' "argument 'n' of 'real' is no array"
side 'an extent needs "="' 'said.size-of: x k' "'x k' should read 'array = extent'"
side 'an extent that is not there' 'said.size-of: x = kk' "method 'said' has no argument 'kk'; did you mean 'k'?"
side 'an extent that is no number' 'said.size-of: x = y' "argument 'y' of 'said' is no number"
side 'a callback must be a function' 'n.callback: n' "argument 'n' of 'n' is no function"
side 'a version is a number' 'n.since: two' "'n.since:' is followed by a version"
side 'only integers of the table are its version' 'sizes.version: n' "the table has no whole number"
side 'only the port has a version' 'size.version: n' "the port's type is not 'size'; did you mean"
side 'what is given has a type' 'n.gives: x' "the port type of what 'n' gives is missing"
side 'what is given comes through a pointer' 'n.gives: n sizes' "argument 'n' of 'n' is no pointer"
printf 'getNumber.since: 2\n' >"$work/side"
refuses 'SIDL needs no such lines' "'since' is for ports from headers" \
    ../kinds.sidl --port test.Plain --context "$work/side"

refuses 'SIDL has no patterns of functions' "is SIDL; --functions, --from" \
    ../kinds.sidl --port test.Plain --functions '*'

# ---------------------------------------------------------------------- extents
generate sizes.h --port sizes --context sizes.context -o "$work/out"
says 'mixed     intercepted, context sourceLen (guessed: extent of source)' &&
    says 'said      intercepted, context k (extent of x)' && ! says 'silent    intercepted,' &&
    ! says 'alone     intercepted,' && ! says 'function  intercepted,' && ! says 'real      intercepted,' &&
    says 'len_d (guessed: extent of d)' && ! says 'len_e'
result $? 'extents are guessed next to pointers to data, four at most, and the report says so'

# ---------------------------------------------------------------------- inline functions, macros
generate inline.h --port counter -o "$work/out"
says 'counter_increment  not intercepted (inline.h:' && says 'COUNTER_GET  not intercepted (inline.h:' &&
    ! grep -qi unrelated "$work/report"
result $? 'inline functions and macros that work on the struct are listed as not interceptable'

generate flat.h --port flat --functions 'flat_*' --context flat.context -o "$work/out"
says 'flat_twice      not intercepted (flat.h:' && says 'flat_hidden     not intercepted (flat.h:' &&
    says 'flat_inline     not intercepted (flat.h:' && says 'flat_macro      not intercepted (flat.h:' &&
    says 'flat_trace      not intercepted (flat.h:' && says 'flat_log        intercepted; forwarded to flat_vlog'
result $? 'what a list of functions cannot intercept is listed with its reason'

# ---------------------------------------------------------------------- prototypes, attributes, names
printf 'int old_style();\nint good(int x);\n' >"$work/old.h"
refuses 'a list with a function without prototype is refused where it stands' \
    "old.h:1:" "$work/old.h" --port old --functions '*'
printf 'struct old {\n    int (*good)(struct old *self);\n    int (*bad)();\n};\n' >"$work/old.h"
refuses 'a struct with a function without prototype is refused where it stands' \
    "old.h:3:" "$work/old.h" --port old
printf '%s\n' 'struct fast;' 'struct fast_ops {' \
    'int (__attribute__((vectorcall)) *run)(struct fast *self, double x); };' \
    'struct fast { const struct fast_ops *ops; };' >"$work/fast.h"
generate "$work/fast.h" --port fast -o "$work/out"
grep -q '^#ifndef __clang__' "$work/out/fast_proxy.c" && grep -q '__attribute__((vectorcall)) int fast' "$work/out/fast_proxy.c"
result $? 'conventions that gcc lacks ask for clang'
generate unnamed.h --port unnamed -o "$work/out"
says 'second  intercepted' && grep -q '^#undef self' "$work/out/unnamed_proxy.c" &&
    grep -q 'do_sum(struct unnamed \*self_, int argument_1_, int argument_2,' "$work/out/unnamed_proxy.c" &&
    grep -q ' result_ = to_.*sum(to_.object, argument_1_, argument_2, argument_3)' "$work/out/unnamed_proxy.c"
result $? 'parameters without names never collide with macros'

printf 'struct many { int (*one)(struct many *); int (*all[2])(struct many *); int numbers[2]; };\n' >"$work/many.h"
generate "$work/many.h" --port many -o "$work/out"
says 'all  not intercepted' && says 'an array of functions' && ! says numbers
result $? 'arrays of functions are copied, and the report says so'

# ---------------------------------------------------------------------- included headers
generate included.h --port part -o "$work/out"
says 'part (parts/part.h:8)' && ! says part_do_it
result $? 'a struct that is named is taken from wherever it is; what included headers have else is not'
generate included.h --port part --from 'part*.h' -o "$work/out"
says 'part_do_it  not intercepted (parts/part.h:'
result $? '--from says whose declarations count'
refuses 'names of included headers are no suggestions of the system' "did you mean 'part'" \
    included.h --port prat

generate included.h --port list --functions '*' --from '*' -o "$work/out"
says included_own && says included_part && ! says malloc
result $? 'a pattern for all headers leaves out those of the system'
generate included.h --port list --functions 'malloc' --from 'stdlib.h' -o "$work/out"
says 'malloc  intercepted'
result $? 'headers of the system count when they are named'
generate included.h --port list --functions 'included_*' -o "$work/out"
says included_own && ! says included_part
result $? 'a list of functions is of the header alone'

# ---------------------------------------------------------------------- flags
refuses 'a header that needs a flag is refused where it says so' 'conditional.h:6:' \
    conditional.h --port conditional
generate conditional.h --port conditional -o "$work/out" -- -DSCALAR='long double' -D WITH_SCALE -UNOTHING \
    -std=gnu11 -Werror -Iparts
status=$?
printf '%s\n' '#define SCALAR long double' '#define WITH_SCALE 1' '#undef NOTHING' >"$work/expected"
sed -n '/^#define/p; /^#undef/p' "$work/out/conditional_proxy.c" 2>/dev/null | cmp -s - "$work/expected" &&
    [ $status = 0 ] && grep -q 'read with -std=gnu11' "$work/out/conditional_proxy.c" &&
    ! grep -q Iparts "$work/out/conditional_proxy.c"
result $? 'macros that flags define are repeated in the generated file, paths are not'

printf 'struct lean;\nstruct lean_ops { size_t (*get)(struct lean *); };\n' >"$work/lean.h"
printf 'struct lean { const struct lean_ops *ops; };\n' >>"$work/lean.h"
refuses 'a header that needs another one first is refused where it lacks it' \
    "lean.h:2:" "$work/lean.h" --port lean
generate "$work/lean.h" --port lean -o "$work/out" -- -include stddef.h
grep -q '^#include "stddef.h"' "$work/out/lean_proxy.c"
result $? 'what -include names is included first in the generated file, too'

# ---------------------------------------------------------------------- compile_commands.json
project=$work/project
mkdir -p "$project/include/deep" "$project/src/near" "$project/other"
cp conditional.h "$project/include/deep/conditional.h"
echo '#include <deep/conditional.h>' >"$project/include/between.h"
printf '#if 0\n#endif\n # include "between.h"\n' >"$project/src/near/a.c"
echo '#include "../include/deep/conditional.h"' >"$project/other/b.c"
echo 'int x;' >"$project/src/c.c"
database() {
    printf '[%s]' "$1" >"$project/compile_commands.json"
}
entry() { # file, flags
    printf '{"directory":"%s","file":"%s","command":"cc %s -O2 -Wall -MD -MF x.d -o x.o -c %s"}' \
        "$project" "$1" "$2" "$1"
}
near=$(entry src/near/a.c '-Iinclude -DSCALAR=double -DWITH_SCALE -fconserve-stack')
far=$(entry other/b.c '-DSCALAR=float')
none=$(entry src/c.c '-DSCALAR=int')
header=$project/include/deep/conditional.h

database "$none,$far,$near"
generate "$header" --port conditional --compile-commands "$project" -o "$work/out"
says "compiler flags from $project: entry for $project/other/b.c, which includes the header"
result $? 'flags are those of the nearest source that includes the header, and the report names it'
database "$none,$near"
generate "$header" --port conditional --compile-commands "$project/compile_commands.json" -o "$work/out"
says 'near/a.c, which includes the header' && grep -q '#define SCALAR double' "$work/out/conditional_proxy.c" &&
    grep -q '#include <deep/conditional.h>' "$work/out/conditional_proxy.c"
result $? 'a header may be included by what a source includes'
database "$near,$(entry include/deep/conditional.h '-DSCALAR=short')"
mv "$project/compile_commands.json" "$project/commands"
generate "$header" --port conditional --compile-commands "$project/commands" -o "$work/out"
says "the header's own" && grep -q '#define SCALAR short' "$work/out/conditional_proxy.c"
result $? "a header's own entry comes first, and the file may have any name"
generate "$header" --port conditional --compile-commands "$project/commands" -o "$work/out" -- \
    -USCALAR -DSCALAR=long
grep -q '#define SCALAR long' "$work/out/conditional_proxy.c"
result $? 'flags behind -- come last'
cp "$project/other/b.c" "$project/other/d.cc"
database "$(entry other/d.cc '-std=c++17 -DSCALAR=char')"
generate "$header" --port conditional --compile-commands "$project" -o "$work/out"
says 'other/d.cc, which includes' && grep -q '#define SCALAR char' "$work/out/conditional_proxy.c"
result $? 'a C header that a C++ source includes is read as C'
database "$none"
refuses 'a database that does not know the header is refused' 'no entry compiles' \
    "$header" --port conditional --compile-commands "$project"
echo 'not JSON' >"$project/compile_commands.json"
refuses 'a database that is none is refused' 'not a list of compile commands' \
    "$header" --port conditional --compile-commands "$project"
refuses 'a database that is not there is named' 'nowhere/compile_commands.json' \
    "$header" --port conditional --compile-commands "$work/nowhere/compile_commands.json"

# ---------------------------------------------------------------------- writing
rm -rf "$work/out"
mkdir -p "$work/out/inlineProxy.xml.portolan-new"
echo old >"$work/out/inline_proxy.c"
"$generator" inline.h --port counter=inline -o "$work/out" >"$work/report" 2>"$work/err"
[ $? = 1 ] && [ "$(cat "$work/out/inline_proxy.c")" = old ] && grep -q 'inlineProxy.xml' "$work/err" &&
    [ "$(find "$work/out" -type f | wc -l)" = 1 ]
result $? 'when one file cannot be written, none is'

# ---------------------------------------------------------------------- the list of cases
sed -n 's/^|[^|]*|[^|]*|//p' ../../cases.md | grep -o '`[^`]*`' | tr -d '`' | while read -r test; do
    [ -e "../../bad/$test" ] || grep -qF -- "$test" ../../test_*.c ../../cases.sh ../../generate.sh ||
        echo "cases.md names a test that is not there: $test"
done >"$work/err"
[ ! -s "$work/err" ]
result $? 'every test that the list of cases names is there'
finish
