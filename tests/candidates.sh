#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs of C and C++ choose among their own functions and classes: the examples of portolan-candidates(3), compiled as it says.
. "$(dirname "$0")/tap.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'the programs would need the sanitizers, too'
plan 11

PKG_CONFIG_PATH=$BUILD/meson-uninstalled
LD_LIBRARY_PATH=$BUILD/framework:$BUILD/mpi
export PKG_CONFIG_PATH LD_LIBRARY_PATH
cd "$work" || exit 99
# Each literal block that begins with a file's name is that file.
awk '/^\.Ed/ { file = "" }
    begins && /^\/\* [a-z.]+ \*\/$/ { file = $2 }
    { begins = /^\.Bd -literal/ }
    file { gsub(/\\e/, "\\"); print > file }' "$SOURCE/docs/portolan-candidates.3"
cat >my_smoother.c <<'C'
#include "smoother.h"
static void wait_for(long n)
{
    for (volatile long i = 0; i < n; i++)
        ;
}
static void slowly(double *x, int n, int width) { x[0] = 1; wait_for(2000L * n); }
static void fast(double *x, int n, int width) { x[0] = 1; wait_for(100L * n); }
const struct smoother direct = {slowly}, running = {fast};
C
"$PORTOLAN" proxygen -q smoother.h --port smoother -o . && "$PORTOLAN" proxygen -q solver.hpp --port Solver -o .
result 'proxies are generated' $?

try mpicc.mpich -Wall -Werror smooth.c my_smoother.c smoother_proxy.c -o smooth \
    $(pkg-config --cflags --libs portolan-mpi portolan)
gives 'a program with MPI compiles' 0
for ranks in 1 2; do
    rm -f smoother.db
    try "$MPIEXEC" -n $ranks ./smooth
    gives "the faster function is found on $ranks" 0 'smoother +smoother.running'
    try "$PORTOLAN" profile smoother.db
    gives "one trial of $ranks ranks is stored" 0 "$ranks ranks? x 1 thread" 'smoother.smooth \[smoother.running\]'
done

for standard in c++17 c++20; do
    try c++ -std=$standard -Wall -Wextra -Werror solve.cc Solver_proxy.cc -o solve $(pkg-config --cflags --libs portolan)
    gives "a program in $standard compiles" 0
done
rm -f Solver.db
try ./solve
gives 'the faster object is found' 0 'Solver +Solver.fast' 20000

# ------------------------------------------------- C++ with MPI, a struct of functions, and errors
cat >both.cc <<'CC'
#include <mpi.h>
#include <portolan/choose.hpp>
#include <iostream>
#include "smoother_proxy.h"
int main(int argc, char **argv)
{
    MPI_Comm pair;
    int rank;
    double x[1];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &pair); /* a choice of each rank alone */
    {
        auto mine = portolan::choose<smoother>({{"direct", &direct}, {"running", &running}}, pair,
                                               rank ? "one" : "zero");
        for (int step = 0; step < 100; step++, mine.step())
            mine->smooth(x, 5000, 50);
        std::cout << rank << mine.explain();
    }
    try {
        portolan::choose<smoother>({{"same", &direct}, {"same", &running}}, pair, "two");
    } catch (const std::runtime_error &e) {
        std::cout << e.what() << '\n';
    }
    MPI_Comm_free(&pair);
    MPI_Finalize();
}
CC
mpicc.mpich -c my_smoother.c smoother_proxy.c $(pkg-config --cflags portolan)
try mpicxx.mpich -std=c++17 -Wall -Werror both.cc my_smoother.o smoother_proxy.o -o both \
    $(pkg-config --cflags --libs portolan-mpi portolan)
gives 'C++ takes a communicator' 0
try "$MPIEXEC" -n 2 ./both
gives 'groups of ranks choose for themselves' 0 'zero +zero.running' 'one +one.running' "two candidates are called 'same'"
