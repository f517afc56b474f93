#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installed into a prefix that is then moved, Portolan works from anywhere: its plug-ins are found,
# and a user's interface, component and proxy are compiled and run with nothing but pkg-config or CMake.
. "$(dirname "$0")/tap.sh"
plan 32

unset PORTOLAN_PATH LD_LIBRARY_PATH
DESTDIR=$work/dest meson install -C "$BUILD" --no-rebuild --quiet >"$work/out" 2>"$work/err"
status=$?
gives 'it is installed' 0
prefix=$work/moved
first=$(find "$work/dest" -type d -name bin)
mv "${first%/bin}" "$prefix"
rm -rf "$work/dest"
installed=$prefix/bin/portolan
pc=$(dirname "$(find "$prefix" -name portolan.pc)")
PKG_CONFIG_PATH=$pc
export PKG_CONFIG_PATH
mkdir "$work/elsewhere"
cd "$work/elsewhere" || exit 99

try "$installed" --version
gives 'the program runs' 0 "^portolan $(pkg-config --modversion portolan)\$"
ldd "$installed" | grep -F libportolan >"$work/out"
good=0
grep -vqF "$prefix" "$work/out" && good=1
[ -s "$work/out" ] || good=1
result 'with the libraries beside it' $good

cat >small.xml <<'XML'
<assembly name="small">
  <instance name="clock" class="portolan.ManualClock"/>
  <instance name="mastermind" class="portolan.Mastermind"/>
  <instance name="swappoint" class="portolan.SwapPoint"/>
  <instance name="optimizer" class="portolan.Optimizer"/>
  <connect user="mastermind" uses="measurement" provider="clock" provides="measurement"/>
  <connect user="swappoint" uses="mastermind" provider="mastermind" provides="steps"/>
  <connect user="swappoint" uses="optimizer" provider="optimizer" provides="steps"/>
  <connect user="optimizer" uses="records" provider="mastermind" provides="records"/>
</assembly>
XML
try "$installed" check small.xml
gives 'installed plug-ins are found' 0 'good: 4 instances'

pages='man1/portolan.1 man1/portolan-proxygen.1 man1/portolan-sidl.1 man1/portolan-wrap.1
    man5/portolan-assembly.5 man5/portolan-component.5 man5/portolan-scl.5 man5/portolan-sidl.5 man5/portolan-store.5
    man7/portolan-cca.7 man7/portolan-mastermind.7 man7/portolan-performance.7'
# Those of the wings that were built, also by their old names.
[ ! -e "$prefix/share/man/man1/portolan-call.1" ] || pages="$pages man7/portolan-bsp.7 man7/portolan-cll.7"
[ ! -e "$prefix/share/man/man1/portolan-diagnose.1" ] || pages="$pages man5/portolan-scenario.5"
for page in $pages; do
    [ -s "$prefix/share/man/$page" ] || echo "$page is not installed"
done >"$work/out"
[ ! -s "$work/out" ]
result 'manuals are installed' $?
[ -s "$(pkg-config --variable=sidldir portolan)/cca.sidl" ] &&
    [ -s "$(pkg-config --variable=plugindir portolan)/portolan.Mastermind.xml" ]
result 'pkg-config tells where interfaces and plug-ins are' $?

cp "$SOURCE"/tests/user/* .
try "$installed" sidl mine.sidl -o .
gives "sidl compiles a user's interface" 0
try "$installed" proxygen mine.sidl --port mine.Square -o .
gives 'proxygen makes its proxy' 0
# compile OUTPUT SOURCE...
compile() {
    output=$1
    shift
    # shellcheck disable=SC2046 # lists of words
    try "${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Werror -fPIC -shared -fvisibility=hidden \
        $(pkg-config --cflags portolan) "$@" -o "$output" $(pkg-config --libs portolan)
}
compile mine.so components.c mine.c
gives 'components compile, warnings being errors' 0
compile mine_Square_proxy.so mine_Square_proxy.c mine.c
gives 'so does the proxy' 0
# Programs need the sanitizers where the libraries have them; what MPICH unloads looks like leaks.
sanitize=${PORTOLAN_SANITIZED:+-fsanitize=address,undefined}
export ASAN_OPTIONS=detect_leaks=0
printf '#include <portolan/base.h>\nint main(void) { return 0; }\n' >empty.c
for file in "$pc"/portolan*.pc; do
    package=$(basename "$file" .pc)
    # shellcheck disable=SC2046,SC2086 # lists of words
    "${CC:-cc}" $sanitize empty.c -o empty -Wl,--no-as-needed $(pkg-config --cflags --libs "$package") 2>>"$work/out" || echo "$package does not link" >>"$work/out"
done
packages=3
! has_wing call || packages=6
[ ! -e "$pc/portolan-fortran.pc" ] || packages=$((packages + 1))
[ "$(find "$pc" -name 'portolan*.pc' | wc -l)" = $packages ] && ! grep 'does not link' "$work/out"
result 'programs link each library by its file for pkg-config' $?
try "$installed" check mine.xml
gives 'the assembly of a user is good' 0
try "$installed" run mine.xml
gives 'and runs' 0 '^the square of 3 is 9$'
seen=$(sqlite3 mine.db "SELECT timer.short_name || ' ' || parameter_name || '=' || parameter_value
    FROM timer_call_data d JOIN timer_callpath p ON d.callpath = p.id JOIN timer ON p.timer = timer.id
    JOIN call_context c ON c.call_data = d.id")
[ "$seen" = 'square x=3.0' ] || echo "# the store has: $seen"
[ "$seen" = 'square x=3.0' ]
result 'the proxy has measured the call with its context' $?


module=$(find "$prefix" -name '_portolan.abi3.so')
if [ "$module" ]; then
    PYTHONPATH=$(dirname "$(dirname "$module")")
    export PYTHONPATH
    try "$PYTHON" -c "import portolan
a = portolan.Assembly('mine.xml', store='python.db')
print('result', a.run(), len(portolan.Store('python.db').trials()), 'trials' )"
    gives 'the module for Python finds what it needs' 0 '^result 0 '
    cat >hello.py <<'PYTHON'
import portolan

@portolan.component("user.Hello")
class Hello:
    def setServices(self, services):
        services.addProvidesPort(self, "go", "gov.cca.ports.GoPort", None)

    def go(self):
        print("hello from Python")
        return 0
PYTHON
    echo '<component class="user.Hello" language="Python" module="hello">
<provides port="go" type="gov.cca.ports.GoPort"/></component>' >user.Hello.xml
    echo '<assembly name="hello"><path dir="."/><instance name="hello" class="user.Hello"/>
<go instance="hello" port="go"/></assembly>' >hello.xml
    try "$installed" run hello.xml
    gives 'components in Python run' 0 '^hello from Python$'
else
    skip_checks 2 'this build has no module for Python'
fi

XDG_CACHE_HOME=$work/cache try "$installed" wrap -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" \
    -s wrapped.db -- "$BUILD/proxygen/wrap/test/subject" name
gives 'programs are wrapped' 0 '26 calls'

# The same components once more, by CMake.
rm mine.so
try env CMAKE_PREFIX_PATH="$prefix" cmake -S . -B cmake && try cmake --build cmake
gives 'CMake finds the libraries, too' 0
cp cmake/mine.so .
try "$installed" run mine.xml
gives 'what it built runs' 0 '^the square of 3 is 9$'

# Models alone: 256 processes take 100 / 256 + 0.05 * 256 s. As C and as C++.
for language in c17 c++17; do
    # shellcheck disable=SC2046,SC2086 # lists of words
    "${CC:-cc}" -x ${language%%17} -std=$language -Wall -Wextra -Wpedantic -Werror $sanitize \
        "$SOURCE/examples/models/scaling.c" -x none $(pkg-config --cflags --libs portolan-models) \
        -o scaling 2>"$work/err" && try ./scaling
    gives "a program fits and asks models, $language" 0 '^on 256 processes 13.2 s, ' '<model xmlns='
done
sed -n '/^<?xml/,$p' "$work/out" >scaling.xml
try xmllint --noout --relaxng "$prefix/share/portolan/model.rng" scaling.xml
gives 'what it writes is what the grammar says' 0 'validates'
nm -D --defined-only "$(pkg-config --variable=libdir portolan-models)/libportolan-models.so" |
    awk '$2 ~ /[TDB]/ && $3 !~ /^portolan_(model|formula|local|update|series|measurements|student|draw)/' >"$work/out"
[ ! -s "$work/out" ]
result 'its library exports what its headers declare, and nothing else' $?

# Written for PUB; the directory of its libraries is the user's to name.
cat >ring.c <<'C'
#include <pub.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    t_bsp bsp;

    bsplib_saveargs(&argc, &argv);
    bsplib_init(BSPLIB_STDPARAMS, &bsp);
    bsp_send(&bsp, 1 - bsp_pid(&bsp), "hello", 6);
    bsp_sync(&bsp);
    printf("%s from %d\n", (char *)bspmsg_data(bsp_getmsg(&bsp, 0)), bspmsg_src(bsp_getmsg(&bsp, 0)));
    bsplib_done();
    return 0;
}
C
cat >loop.c <<'C'
#pragma cll parallel SEQ
int main(void)
{
    volatile double sum = 0;
    int n;

    for (n = 1; n < 5; n++) {
#pragma cll loop loop[0]+loop[1]*n
        for (int i = 0; i < n; i++)
            sum += i;
#pragma cll end loop
    }
#pragma cll report all
    return 0;
}
C
if has_wing call; then
    # shellcheck disable=SC2046,SC2086 # lists of words
    "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror $sanitize $(pkg-config --cflags portolan-bsp) ring.c -o ring \
        $(pkg-config --libs portolan-bsp) &&
        try "$MPIEXEC" -n 2 ./ring
    gives 'BSP programs compile and run' 0 '^hello from 0$' '^hello from 1$'
    for driver in SEQ MPI; do
        case $driver in
        SEQ) package=portolan-call cc=${CC:-cc} launch= ;;
        MPI) package=portolan-call-mpi cc=$MPICC launch="$MPIEXEC -n 2" ;;
        esac
        sed "s/parallel SEQ/parallel $driver/; s/int main(void)/int run(void)/" loop.c >loop_run.c
        case $driver in
        SEQ) echo 'int run(void); int main(void) { return run(); }' >main.c ;;
        MPI) echo '#include <mpi.h>
int run(void);
int main(void) { MPI_Init(0, 0); run(); return MPI_Finalize(); }' >main.c ;;
        esac
        # shellcheck disable=SC2046,SC2086 # lists of words
        "$installed" call loop_run.c && "$cc" -Wall -Wextra -Werror $sanitize main.c loop_run.cll.c -o loop \
            $(pkg-config --cflags --libs $package) -lm \
            "-Wl,-rpath,$(pkg-config --variable=libdir $package)" && try $launch ./loop
        gives "annotated programs compile and run with the driver $driver" 0
        # shellcheck disable=SC2086 # a list of words
        try env CLL_STORE=loop.db $launch ./loop
        gives 'and fill the experiment store' 0
        rm -f loop
    done
    [ "$(grep -c '^[01] [12] [1-4] ' loop_run.cll.dat loop_run.cll.1.dat | tr '\n' ' ')" = \
        'loop_run.cll.dat:4 loop_run.cll.1.dat:8 ' ]
    result 'and report' $?
else
    skip_checks 6 'this build has no wing call'
fi
# archive OUTPUT SOURCE...
archive() {
    output=$1
    shift
    # shellcheck disable=SC2046 # a list of words
    try "${CC:-cc}" -c -fPIC -fvisibility=hidden $(pkg-config --cflags portolan) "$@" &&
        try ar rcs "$output" $(echo "$@" | sed 's/\.c\b/.o/g')
}
archive mine.a components.c mine.c && archive mine_Square_proxy.a mine_Square_proxy.c mine.c
gives 'archives of them are made' 0
try "$installed" link mine.xml -o mine
gives 'one program is made of it all' 0 '^written: mine: '
# Then nothing else is needed: neither Portolan nor the components.
mkdir alone
mv mine alone
mv "$prefix" "$work/gone"
rm -f ./*.so ./*.a ./*.xml mine.db
cd alone || exit 99
try ./mine
gives 'which runs where there is nothing else' 0 '^the square of 3 is 9$'
