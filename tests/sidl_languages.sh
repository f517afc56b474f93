#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sidl/test/languages has a class and a client in C, C++ and Fortran; all pairs are tried. Then what is generated for
# the SIDL files of sidl/test/golden compiles without a warning, and mistakes are reported.
. "$(dirname "$0")/tap.sh"

modules=$BUILD/sidl/fortran/libportolan_fortran.a.p
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'programs of other compilers do not load this libportolan.so'
# Language: how --server= and folders call it, what a client's file ends in.
languages='c:C:c'
command -v g++ >/dev/null && [ -e "$BUILD/examples/cxx/particles.xml" ] && languages="$languages cxx:C++:cc"
[ -e "$modules/sidl.mod" ] && languages="$languages f:F03:F90"
n=$(echo "$languages" | wc -w)
has() { # FOLDER
    case $languages in *"$1":*) true ;; *) false ;; esac
}
plan $((n * (3 + n) + 15))
here=$SOURCE/sidl/test/languages
fortran="gfortran -std=f2018 -Wall -Wextra -Werror -fPIC -g -O1 -fcheck=all,no-array-temps -I$modules"
# The authors' code compares reals, and does not use all arguments.
author_s="$fortran -Wno-compare-reals -Wno-unused-dummy-argument -Wno-function-elimination"
include="-I$SOURCE/sidl/runtime -I$BUILD/sidl/runtime -I$SOURCE/base -I$SOURCE/framework -I$BUILD"
c="gcc -std=gnu17 -Wall -Wextra -Werror -fPIC -g -O1 $include"
cxx="g++ -std=c++17 -Wall -Wextra -Werror -fPIC -g -O1 $include"
portolan="-L$BUILD/framework -lportolan -Wl,-rpath,$BUILD/framework"
libraries="$BUILD/sidl/fortran/libportolan_fortran.a $portolan"
cd "$work" || exit 99

compile_c() { $c -Wno-unused-parameter -Wno-unused-label -c ./*.c && gcc -shared -o libft.so ./*.o $portolan; }
compile_cxx() { $cxx -Wno-unused-parameter -c ./*.cxx && $c -c ./*.c && g++ -shared -o libft.so ./*.o $portolan; }
compile_f() {
    $fortran -c ft_mod.f90 && $author_s -c ft_weights.f90 && $author_s -c ./*_Impl.F90 && $c -c ./*.c &&
        gfortran -shared -o libft.so ./*.o $libraries
}
link_c() { # SERVER
    $c -Wno-unused-label -Ic "$here/client.c" -o "c_$1" -L"$1" -lft $portolan -Wl,-rpath,"$work/$1"
}
link_cxx() { $cxx -Icxx "$here/client.cc" -o "cxx_$1" -L"$1" -lft $portolan -Wl,-rpath,"$work/$1"; }
link_f() {
    $author_s -If "$here/client_arrays.F90" "$here/client.F90" f/ft_mod.o -o "f_$1" -L"$1" -lft $libraries -Wl,-rpath,"$work/$1"
}

for language in $languages; do
    IFS=: read -r folder name _ <<END
$language
END
    cp -r "$here/$folder" . && "$PORTOLAN" sidl --server="$name" "$here/ft.sidl" -o "$folder" &&
        (cd "$folder" && compile_"$folder")
    result "the class in $name is built, without a warning in generated code" $?
done
export ROUNDS=100
for language in $languages; do
    server=${language%%:*}
    status=0
    for other in $languages; do
        link_"${other%%:*}" "$server" || status=1
    done
    result "clients of $server are built" $status
    for other in $languages; do
        try ./"${other%%:*}_$server" "$server"
        gives "${other%%:*} to $server" 0
    done
done
for language in $languages; do
    server=${language%%:*}
    if has f; then
        try ./f_"$server" leave
        gives "an exception that the caller does not take stops the program (f_$server)" 1 \
            'ERROR STOP ft.CodedFailure: failed by code' '^in .*dive at .*:[0-9]+$'
    else
        skip_checks 1 'no Fortran'
    fi
done

# 100,000 calls: a round of the client in Fortran has 7 to 8 of them, one in C more than 30, in C++ more than 40.
for program in f_c:14000 c_f:3400 f_f:14000 cxx_cxx:2500 cxx_f:2500; do
    pair=${program%:*}
    if command -v valgrind >/dev/null && [ -e "$pair" ]; then
        ROUNDS=${program#*:} TRY_SECONDS=250
        try valgrind -q --leak-check=full --error-exitcode=3 "./$pair" "${pair#*_}"
        gives "nothing is left of 100,000 calls ($pair)" 0
    else
        skip_checks 1 'no valgrind, or a language is missing'
    fi
done

# What is generated for C++.
"$PORTOLAN" sidl --server=C++ "$SOURCE/sidl/test/volume.sidl" -o plus
lines=$(cat plus/*.hxx plus/*.cxx plus/*_Skel.h | wc -l)
[ "$lines" -le 450 ]
result "an enum, a struct, a port and a component take $lines lines in C++ beside those of C, at most 450" $?
cat >pair.sidl <<'END'
package pair version 1.0 { class One { void keep(); void drop(); } }
END
"$PORTOLAN" sidl --server=C++ pair.sidl -o pair &&
    sed -i 's|"pair.One.\(.*\) is not implemented"|"mine: \1"|; s|/\* DO-NOT-DELETE \(.*\) \*/|// DO-NOT-DELETE \1|' pair/pair_One_Impl.cxx &&
    sed -i 's/ void drop();//' pair.sidl && try "$PORTOLAN" sidl --server=C++ pair.sidl -o pair
gives 'a method that is gone is a note' 0 'pair.One.drop is no longer in the SIDL file; its code is kept at the end'
sed -n '/splicer.begin(pair.One.keep)/,/splicer.end/p' pair/pair_One_Impl.cxx | grep -q 'mine: keep' &&
    sed -n '/^#if 0/,/^#endif/p' pair/pair_One_Impl.cxx | grep -q 'mine: drop'
result 'splicer blocks are kept' $?
rm -r pair
has f || {
    skip_checks 7 'built without a Fortran compiler'
    exit 0
}

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
lines=$(cat volume/*.f90 volume/*.F90 volume/*_Skel.h | wc -l)
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
