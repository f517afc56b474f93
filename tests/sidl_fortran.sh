#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fortran to C, C to Fortran, Fortran to Fortran: sidl/test/fortran has a class and a client in both languages. Then
# what is generated for the SIDL files of sidl/test/golden compiles without a warning, and mistakes are reported.
. "$(dirname "$0")/tap.sh"

modules=$BUILD/sidl/fortran/libportolan_fortran.a.p
[ -e "$modules/sidl.mod" ] || skip_all 'built without a Fortran compiler'
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'programs of other compilers do not load this libportolan.so'
plan 20
here=$SOURCE/sidl/test/fortran
fortran="gfortran -std=f2018 -Wall -Wextra -Werror -fPIC -g -O1 -fcheck=all,no-array-temps -I$modules"
# The authors' code compares reals, and does not use all arguments.
author_s="$fortran -Wno-compare-reals -Wno-unused-dummy-argument -Wno-function-elimination"
c="gcc -std=gnu17 -Wall -Wextra -Werror -fPIC -g -O1 -I$SOURCE/sidl/runtime -I$BUILD/sidl/runtime -I$SOURCE/base -I$SOURCE/framework"
libraries="$BUILD/sidl/fortran/libportolan_fortran.a -L$BUILD/framework -lportolan -Wl,-rpath,$BUILD/framework"
cd "$work" || exit 99

# The libraries of the class: cs/libft.so, fs/libft.so.
mkdir cs fs
cp "$here"/c/* cs && "$PORTOLAN" sidl --server=C "$here/ft.sidl" -o cs && cd cs &&
    $c -Wno-unused-parameter -Wno-unused-label -c ./*.c && gcc -shared -o libft.so ./*.o -L"$BUILD/framework" -lportolan
result 'the class in C is built' $?
cd "$work" || exit 99
cp "$here"/f/* fs && "$PORTOLAN" sidl --server=F03 "$here/ft.sidl" -o fs && cd fs && $fortran -c ft_mod.f90 &&
    $author_s -c ft_weights.f90 && $author_s -c ./*_Impl.F90 && $c -c ./*.c &&
    gfortran -shared -o libft.so ./*.o $libraries
result 'the class in Fortran is built, without a warning in generated code' $?
cd "$work" || exit 99

for server in cs fs; do
    $c -Wno-unused-label -Ics "$here/client.c" -o "c_$server" -L$server -lft $libraries -lgfortran \
        -Wl,-rpath,"$work/$server" &&
        $author_s -Ifs "$here/client.F90" fs/ft_mod.o -o "f_$server" -L$server -lft $libraries -Wl,-rpath,"$work/$server"
    result "clients of $server are built" $?
done
export ROUNDS=100
try ./c_cs
gives 'C to C' 0
try ./c_fs fortran
gives 'C to Fortran, mistakes of the Impl among them' 0
try ./f_cs
gives 'Fortran to C' 0
try ./f_fs
gives 'Fortran to Fortran' 0
for program in f_cs f_fs; do
    try ./$program leave
    gives "an exception that the caller does not take stops the program ($program)" 1 \
        'ERROR STOP ft.CodedFailure: failed by code' '^in dive at .*:[0-9]+$'
done

# 100,000 calls: a round of the clients in Fortran has 7 to 8 of them, one in C more than 30.
if command -v valgrind >/dev/null; then
    for program in 'f_cs 14000' 'c_fs 3400' 'f_fs 14000'; do
        ROUNDS=${program#* } TRY_SECONDS=250
        try valgrind -q --leak-check=full --error-exitcode=3 "./${program% *}"
        gives "nothing is left of 100,000 calls (${program% *})" 0
    done
else
    skip_checks 3 'no valgrind'
fi

# Everything that is generated.
good=0
for file in "$SOURCE"/sidl/test/golden/*.sidl "$SOURCE/sidl/test/roundtrip.sidl" "$SOURCE/sidl/test/babel/lab.sidl"; do
    name=$(basename "$file" .sidl)
    "$PORTOLAN" sidl --server=F03 "$file" -o "$name" 2>>notes || good=1
    (cd "$name" && for source in $(sed -n '/^STUBMODULESRCS/,/^$/s/^  \([^ ]*\).*/\1/p; /^IMPLMODULESRCS/,/^$/s/^  \([^ ]*\).*/\1/p' \
        babel.make | awk '/_mod/{print; next} {later[++n] = $0} END {for (i = 1; i <= n; i++) print later[i]}'); do
        $fortran -O0 -fsyntax-only "$source" >&2 || exit 1
    done) || good=1
done
result 'servers of all constructs compile as Fortran 2018, warnings as errors, in the order of babel.make' $good
mkdir specified
"$PORTOLAN" sidl --client=F03 "$SOURCE"/sidl/spec/*.sidl -o specified && cd specified &&
    for name in sidl sidl_io sidl_rmi gov_cca gov_cca_ports portolan portolan_ports Performance; do
        $fortran -O0 -fsyntax-only ${name}_mod.f90 >&2 || break
    done
result 'so do modules of the packages that come with Portolan' $?
cd "$work" || exit 99
"$PORTOLAN" sidl --server=F03 "$SOURCE/sidl/test/volume.sidl" -o volume
lines=$(cat volume/*.f90 volume/*.F90 volume/*_Impl.h | wc -l)
[ "$lines" -le 600 ]
result "an enum, a struct, a port and a component take $lines lines beside those of C, at most 600" $?

# What an author wrote stays; names that are one in Fortran are refused.
cat >pair.sidl <<'END'
package pair version 1.0 { class One { void keep(); void drop(); } }
END
"$PORTOLAN" sidl --server=F03 pair.sidl -o pair &&
    sed -i "s/^    call not_implemented(ex, 'pair.One.\(.*\)')/    ! mine: \1/" pair/pair_One_Impl.F90 &&
    sed -i 's/ void drop();//' pair.sidl && try "$PORTOLAN" sidl --server=F03 pair.sidl -o pair
gives 'a method that is gone is a note' 0 'pair.One.drop is no longer in the SIDL file; its code is kept at the end'
sed -n '/splicer.begin(pair.One.keep)/,/splicer.end/p' pair/pair_One_Impl.F90 | grep -q '! mine: keep' &&
    sed -n '/^#if 0/,/^#endif/p' pair/pair_One_Impl.F90 | grep -q '! mine: drop'
result 'splicer blocks are kept' $?
echo 'package pair version 1.0 { interface One { void get(); void Get(); } }' >pair.sidl
try "$PORTOLAN" sidl --client=F03 pair.sidl -o pair
gives 'names that differ by case only' 1 'pair.sidl:1:.*error: get and Get of pair.One are one name in Fortran'
cat >ring.sidl <<'END'
package ring version 1.0 {
  interface A { void f(in ring.inner.B b); }
  package inner { interface B { void f(in A a); } }
}
END
try "$PORTOLAN" sidl --client=F03 ring.sidl -o ring
gives 'packages that use each other' 1 'ring.sidl:.*error: ring.* and ring.* use types of each other'
