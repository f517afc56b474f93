#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a SIDL file to a library of classes, by make, by meson, by pkg-config, and loaded by name; and
# to components.
. "$(dirname "$0")/tap.sh"
[ -z "$PORTOLAN_SANITIZED" ] || skip_all 'the program would need the sanitizers, too'
plan 13

PKG_CONFIG_PATH=$BUILD/meson-uninstalled
LD_LIBRARY_PATH=$BUILD/framework
export PKG_CONFIG_PATH LD_LIBRARY_PATH
cp "$SOURCE"/tests/classes/* "$work"
cd "$work" || exit 99

try "$PORTOLAN" sidl --server=C tank.sidl -o generated
gives 'skeletons and Impl files are written' 0

# body METHOD CODE: what the author writes in place of the preset.
body() {
    class=${1%.*}
    sed -i "/splicer.begin(tank.$1)/,/splicer.end(tank.$1)/{/splicer/!d}
        /splicer.begin(tank.$1)/a\\
        $2" generated/tank_"$class"_Impl.[ch]
}
body Tank._data 'double level;'
body Tank._includes '#include <stdlib.h>'
body Tank._ctor 'tank_Tank__set_data(self, calloc(1, sizeof(struct tank_Tank__data)));'
body Tank._dtor 'free(tank_Tank__get_data(self));'
body Tank.getLevel 'return tank_Tank__get_data(self)->level;'
body Tank.fill 'tank_Tank__get_data(self)->level += litres;'
body Leaky.fill 'super_fill(self, 0.9 * litres, _ex);'
try "$PORTOLAN" sidl --server=C tank.sidl -o generated
gives 'and again, with the code of their author' 0
lacks 'of which nothing is left over' 'note:'

try make -s libtank.so
gives 'make builds the library from babel.make' 0
mkdir -p include/tank lib/pkgconfig
cp generated/*.h include/tank
cp libtank.so lib
cp generated/tank.pc lib/pkgconfig
PKG_CONFIG_PATH=$PKG_CONFIG_PATH:$work/lib/pkgconfig
# shellcheck disable=SC2046 # a list of words
try "${CC:-cc}" main.c -o main $(pkg-config --cflags --libs tank) -Wl,-rpath,"$work/lib"
gives 'a program finds it with pkg-config' 0
try ./main
gives 'and its classes run' 0 '^100$' '^90$'

# The program has no more than the types: the classes come from the library that tank.scl names.
mkdir loaded
cp generated/tank.scl libtank.so loaded
# shellcheck disable=SC2046 # a list of words
"${CC:-cc}" main.c generated/tank.c -Igenerated -o alone $(pkg-config --cflags --libs portolan) &&
    SIDL_DLL_PATH=$work/loaded try ./alone
gives 'a program that is not linked to them loads them by name' 0 '^100$' '^90$'

{ meson setup b --buildtype=debug && ninja -C b && ./b/main; } >"$work/log" 2>&1
status=$?
cp "$work/log" "$work/out"
gives 'meson builds the same' 0 '^100$' '^90$'

# Components that were written for Babel are plug-ins as they are (of the client, there are the blocks).
mkdir hello
cp ./*hello* hello 2>"$work/err"
cd hello || exit 99
try "$PORTOLAN" sidl --server=C hello.sidl -o .
gives 'Impl files of Babel components are taken over' 0
# shellcheck disable=SC2046 # a list of words
"${CC:-cc}" -shared -fPIC -o hello.so ./*.c $(pkg-config --cflags --libs portolan) >"$work/out" 2>&1 &&
    try "$PORTOLAN" run hello.xml
gives 'and run in an assembly' 0 '^Hello World!$'

# A class that says itself where it applies, asked as the framework asks it.
mkdir ../asked
cd ../asked || exit 99
cat >asked.sidl <<'END'
package asked version 1.0 {
  class Solver implements-all gov.cca.Component {
    %attrib{applies} static bool suits(in int n, in double heat, in bool even);
  }
  class Child extends Solver {}
}
END
cat >ask.c <<'END'
#include <portolan/framework.h>
#include <stdio.h>
#include <string.h>
extern const struct portolan_component portolan_component_asked_Child;

static bool look_up(void *arg, const char *name, struct portolan_condition_value *value)
{
    const char *text = strstr(arg, name);

    *value = (struct portolan_condition_value){.number = text ? text[strlen(name) + 1] - '0' : 0};
    return text;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        printf("%d", portolan_component_asked_Child.applies(look_up, argv[i]));
    return argc < 2;
}
END
try "$PORTOLAN" sidl --server=C asked.sidl -o .
gives 'a class may have a method that says where it applies' 0
sed -i '1i#include <portolan/framework.h>
/splicer.begin(asked.Solver.suits)/,/splicer.end(asked.Solver.suits)/{/splicer/!d}
    /splicer.begin(asked.Solver.suits)/a\
    if (n == 9) portolan_throw(_ex, PORTOLAN_ECOMPONENT, "no idea");\
    return n > 2 \&\& heat < 5 \&\& even;
' asked_Solver_Impl.c
# shellcheck disable=SC2046 # a list of words
try "${CC:-cc}" -Wall -Wextra -Werror -o ask ./*.c $(pkg-config --cflags --libs portolan)
gives 'with it, too, what is generated compiles without a warning' 0
try ./ask 'n=3 heat=4 even=1' 'n=2 heat=4 even=1' 'n=3 heat=5 even=1' 'n=3 heat=4 even=0' \
    'n=3 heat=4' 'n=3 heat=4 even=2' 'n=9 heat=4 even=1'
gives 'yes, no, no, no; unknown without a value, with one outside its type, and when it throws' 0 '^1000222$'
