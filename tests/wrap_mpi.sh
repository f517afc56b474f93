#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A wrapped MPI program is one trial with all its ranks, whoever starts whom, and whichever MPI it is.
. "$(dirname "$0")/tap.sh"
plan 18

cd "$work" || exit 99
export XDG_CACHE_HOME="$work/cache"
subjects=$BUILD/proxygen/wrap/test
store=$work/store.db

cat >ring.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double calc_sum(int n, const double *x);
int main(int argc, char **argv)
{
    const double x[100] = {1, 2, 3};
    double sum = 0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100 * (rank + (argc < 2)); i++)
        sum += calc_sum(100, x);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (argc > 1 && rank == 1 && !strcmp(argv[1], "die"))
        abort();
    if (rank == 0)
        printf("sum %g\n", sum);
    return MPI_Finalize();
}
C
# build FILE COMPILER
build() {
    "$2" ring.c -o "$1" "$subjects/libcalc_one.so" "-Wl,-rpath,$subjects"
}
build ring "$MPICC" || exit 99

ring=$work/ring word=''

# wrap LAUNCHER...: the ring, by a launcher that ends in `portolan wrap`.
wrap() {
    try "$@" -q -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -s "$store" -- "$ring" ${word:+"$word"}
}

# one_trial NAME: of two ranks with 100 and 200 calls.
one_trial() {
    stored "$1" '1|ring|2|finished
0|100
1|200' "SELECT id, name, node_count, outcome FROM trial;
        SELECT rank, sum(calls) FROM sample WHERE method = 'calc_sum' GROUP BY rank"
}

rm -f store.db*
if [ -z "$PORTOLAN_SANITIZED" ]; then
    wrap "$PORTOLAN" trace -o traced -n 2 -- "$PORTOLAN" wrap
    one_trial 'ranks that are wrapped and recorded are one trial'
    try "$PORTOLAN" trace --summary traced
    gives 'in whose trace wrapped functions are regions' 0 '^# function .*calc_sum' '^ +300 ENTER$' '^ +300 LEAVE$' \
        '^ +2 .*MPI_Allreduce$'
else
    for n in 1 2; do result "a sanitized program cannot be preloaded # SKIP" 0; done
fi

rm -f store.db*
wrap "$MPIEXEC" -n 2 "$PORTOLAN" wrap
gives 'two ranks that are wrapped each' 0 '^sum 1800$'
one_trial 'are one trial'
try "$PORTOLAN" profile --ranks "$store"
gives 'which has statistics over ranks' 0 '2 ranks x 1 thread' '^ +0 .* 101 ' '^ +1 .* 201 '

rm -f store.db*
wrap "$MPIEXEC" -n 2 sh -c 'exec "$0" "$@"' "$PORTOLAN" wrap
gives 'so are those that shells start' 0 '^sum 1800$'
one_trial 'by the job that they are of'

rm -f store.db*
try "$PORTOLAN" wrap --children --trial ring -q -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -s "$store" -- \
    "$MPIEXEC" -n 2 "$ring"
gives 'and those of a launcher that is wrapped' 0 '^sum 1800$'
one_trial 'which makes no calls itself'

rm -f store.db*
word=silent
wrap "$MPIEXEC" -n 2 "$PORTOLAN" wrap
gives 'a rank without calls' 0 '^sum 600$'
stored 'is a rank' '2|finished|1' "SELECT node_count, outcome, (SELECT count(*) FROM trial) FROM trial"
wrap "$MPIEXEC" -n 2 "$PORTOLAN" wrap
stored 'another job is another trial' 2 'SELECT count(*) FROM trial'

rm -f store.db*
word=die
wrap "$MPIEXEC" -n 2 "$PORTOLAN" wrap
[ "$status" != 0 ]
result 'a rank that dies ends the job' $?
stored 'which has not finished, and the store says who it was' '1|rank 1 ended by|signal 6 (ABRT)' \
    "SELECT t.outcome <> 'finished', m.name, m.value FROM trial t JOIN primary_metadata m ON m.trial = t.id
     WHERE m.name = 'rank 1 ended by'"

# The MPI that this build is not for: nothing of ours in the program knows it.
rm -f store.db*
word='' ring=$work/other
if command -v "mpicc.$other_mpi" >/dev/null && command -v "mpiexec.$other_mpi" >/dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    build other "mpicc.$other_mpi"
    result 'a program of another MPI is built' $?
    wrap "mpiexec.$other_mpi" -n 2 "$PORTOLAN" wrap --trial ring
    gives 'and measured' 0 '^sum 1800$'
    one_trial 'as one trial'
    rm -f store.db*
    try "$PORTOLAN" wrap --children --trial ring -q -f 'calc_*' -H "$SOURCE/proxygen/wrap/test/calc.h" -s "$store" -- \
        "mpiexec.$other_mpi" -n 2 "$ring"
    one_trial 'by either way'
else
    for what in 'is built' 'is measured' 'is one trial' 'by either way'; do
        result "a program of another MPI $what # SKIP there is none here" 0
    done
fi
