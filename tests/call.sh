#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Annotated C: translated as it was written down, compiled without a warning, run, reported; what is
# wrong is told by line and column. UPDATE=1 writes down what comes out now, to be read before it is
# committed.
# shellcheck source=tests/tap.sh
. "$SOURCE/tests/tap.sh"
golden=$SOURCE/tests/call/golden
plan 52

# same NAME FILE EXPECTED: the files are alike.
same() {
    [ -z "${UPDATE:-}" ] || cp "$2" "$3"
    diff "$3" "$2" | sed 's/^/# /'
    cmp -s "$2" "$3"
    result "$1" $?
}

# ------------------------------------------------------------------ what is wrong
cd "$golden" || exit 99
for case in pragmas observables formulas blocks jumps machine not_c includes; do
    try "$PORTOLAN" call -o "$work/bad" "$case.c"
    same "$case: every mistake by line and column, with the remedy" "$work/err" "$case.txt"
    [ "$status" = 1 ] && [ ! -s "$work/out" ] && [ ! -e "$work/bad" ]
    result "$case: nothing is written" $?
done
cd "$work" || exit 99
echo 'int x;' >x.cc
try "$PORTOLAN" call x.cc
gives 'other languages are refused' 1 'x.cc: what is translated is C'
try "$PORTOLAN" call "$work/none.c"
gives 'a file that is not there' 1 'none.c.*No such file'
try "$PORTOLAN" call
gives 'no file is wrong usage' 2 'which annotated C source'

printf 'void f(void)\n{\n#pragma cll report other\n}\n' >part.c
try "$PORTOLAN" call part.c
gives 'what another source may have is noted' 0 "^part.c:3:20: note: no experiment 'other' is in this file"

printf '%s\n' 'void work(void);' 'int main(void)' '{' \
    '#pragma cll a CPUTIME, PAPI_L2_TCM, perf::PAGE-FAULTS = a[0]' '    work();' '#pragma cll end a' \
    '    return 0;' '}' >observed.c
try "$PORTOLAN" call observed.c
gives 'clocks, presets and native events can be observed' 0
grep -q '"CPUTIME", "PAPI_L2_TCM", "perf::PAGE-FAULTS"' observed.cll.h
result 'under their names' $?

# ------------------------------------------------------------------ what comes out
cp "$golden/language.c" .
try "$PORTOLAN" call -o deep/deeper language.c
gives 'a folder is made, but not all above it' 1 'deep/deeper: .*; create its folder'
try "$PORTOLAN" call --check language.c
[ "$status" = 0 ] && [ ! -e language.cll.c ]
result 'checking writes nothing' $?
try "$PORTOLAN" call language.c
gives 'the whole language is translated' 0
for file in language.cll.c language.cll.h language.sh language.slurm; do
    same "$file is as written down" "$file" "$golden/$file"
done
cp "$golden/sweeps.c" .
try "$PORTOLAN" call sweeps.c
gives 'sweeps within sweeps are translated' 0
same 'their bodies are indented, but for strings, macros and directives' sweeps.cll.c \
    "$golden/sweeps.cll.c"
touch -d '2001-01-01' language.cll.c language.sh
try "$PORTOLAN" call language.c -o .
[ "$(date -r language.cll.c +%Y) $(date -r language.sh +%Y)" = '2001 2001' ]
result 'what comes out the same again keeps its time' $?

PKG_CONFIG_PATH=$BUILD/meson-uninstalled
export PKG_CONFIG_PATH
rpath="-Wl,-rpath,$BUILD/call/runtime:$BUILD/framework:$BUILD/call/bsp"
sanitize=${PORTOLAN_SANITIZED:+-fsanitize=address,undefined}
# build PROGRAM COMPILER [FLAG]...: of PROGRAM.cll.c, as a user would.
build() {
    program=$1
    shift
    # shellcheck disable=SC2046,SC2086 # lists of words
    try "$@" -std=gnu17 -g -Wall -Wextra -Wpedantic -Werror $sanitize -I. "$program.cll.c" \
        $(pkg-config --cflags --libs $("$PORTOLAN" call --flags "$program.c")) $rpath -lm \
        -o "$program"
}
try "$PORTOLAN" call --flags language.c
gives 'what to link' 0 '^portolan-call$'
build language cc
gives 'a compiler finds nothing to warn of' 0
try ./language
gives 'it runs' 0 '^0 0$' '^1008 6$' # 0.5 (0 + 1 + … + 63), log2(64)
try cat language.cll.dat
gives 'it reports what was asked for' 0 '^EXPERIMENT: sum$' '^IDENTS: to from mesh->cells$'
# n elements are 2n - 1 passages of the recursion, and n is 1, 2, 4, …, 64.
count 'one sample for each passage' 247 '^0 1 [0-9]'
try cat language.cll.1.dat
gives 'a second report goes elsewhere' 0 '^EXPERIMENT: look$' '^OBSERVABLES: CLOCK USER$'

CLL_LAST=2 CLL_PREFIX=job try ./language.sh
[ "$status" = 0 ] && [ -s job.1.dat ] && [ -s job.2.dat ]
result 'the job script runs it as often as it is told, a report for each' $?
build sweeps cc
try ./sweeps
gives 'sweeps print what they did' 0 '^ab 1$' '^ab 4$'
mkdir bin
printf '#!/bin/sh\necho "$CLL_OUTPUT: $*"\n' >bin/sbatch
chmod +x bin/sbatch
CLL_PREFIX=job CLL_LAST=2 PATH=$PWD/bin:$PATH try ./language.slurm deep
gives 'that for slurm submits as many jobs' 0 '^job.1.dat: --job-name=job --ntasks=1 --wrap=srun ./language deep$' \
    '^job.2.dat: '

# ------------------------------------------------------------------ where compilers and debuggers look
addresses=$(nm language | awk '$3 == "main" || $3 == "choose" { print "0x" $1 }')
# shellcheck disable=SC2086 # a list of words
try addr2line -e language $addresses
gives 'debuggers are led to the source' 0 'language\.c:70$' 'language\.c:95$' # their braces
sed 's/    left = sum(mesh/    left = summ(mesh/' language.cll.c >broken.c
try cc -std=gnu17 -fsyntax-only -Werror=implicit-function-declaration -I. \
    $(pkg-config --cflags portolan-call) broken.c
gives 'so are those who read what compilers say' 1 'language\.c:37:.*summ'

# ------------------------------------------------------------------ threads, processes
cat >threads.c <<'C'
#pragma cll parallel OMP omp_MAX_NUM_THREADS = "8"
int main(void)
{
    double x = 0;
#pragma omp parallel num_threads(3)
    {
#pragma cll turn turn[0]
#pragma omp critical
        x += 1;
#pragma cll end turn
    }
#pragma cll report all
    return x != 3;
}
C
try "$PORTOLAN" call threads.c
gives 'a program with threads is translated' 0
build threads cc -fopenmp
try ./threads
try cat threads.cll.dat
count 'each thread has its sample' 3 '^0 1 [0-9]'
cat >ranks.c <<'C'
#pragma cll parallel MPI
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Comm all;
    int rank, n = 3;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_rank(all, &rank);
#pragma cll sync(all) exchange exchange[0] + exchange[1]*n
    MPI_Bcast(&n, 1, MPI_INT, 0, all);
#pragma cll end exchange
    MPI_Comm_free(&all);
#pragma cll report all
    return MPI_Finalize();
}
C
try "$PORTOLAN" call ranks.c
gives 'a header that is not found comes with the remedy' 1 'ranks.c:2:10: .*pkg-config --cflags '"$mpi_package"
# shellcheck disable=SC2046 # a list of words
try "$PORTOLAN" call ranks.c -- $(pkg-config --cflags "$mpi_package")
gives 'a program over MPI is translated' 0
build ranks "$MPICC"
gives 'and compiled' 0
try "$MPIEXEC" -n 2 ./ranks
try cat ranks.cll.dat
gives 'both ranks are in the report' 0 '^0 2 3 ' '^1 2 3 '

# ------------------------------------------------------------------ compile commands
mkdir -p far
cp ranks.c far/ranks.c
cat >compile_commands.json <<J
[{"directory": "$work", "file": "far/ranks.c",
  "command": "cc $(pkg-config --cflags "$mpi_package") -c far/ranks.c"}]
J
try "$PORTOLAN" call --compile-commands=. far/ranks.c
[ "$status" = 0 ] && [ -e far/ranks.cll.c ]
result 'flags come from compile commands, output goes beside the source' $?
try "$PORTOLAN" call --compile-commands=. language.c
gives 'which must tell of the file' 1 'no entry compiles'
TMPDIR=$work/gone try "$PORTOLAN" call --compile-commands=. far/ranks.c
gives 'files that last for a moment are where TMPDIR says' 1 "$work/gone/portolan-.*cannot create a temporary folder"
