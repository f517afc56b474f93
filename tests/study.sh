#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The quick form of examples/solvers: no choice fails or is inaccurate, and how runs end.
. "$(dirname "$0")/tap.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'hundreds of processes, which run elsewhere with sanitizers'
plan 9

solvers=$BUILD/examples/solvers
folder=$work/study
run() {
    try "$MPIEXEC" -n "$ranks" "$PORTOLAN" run --path="$solvers" --store="$store" \
        --set=driver.matrix="$1" --select=solver=solvers."$2" $3 "$folder/solvers.xml"
}

TRY_SECONDS=400 # many short processes
try python3 "$SOURCE/examples/solvers/study.py" --quick --folder="$folder" "$BUILD"
gives 'no choice fails or is inaccurate, one left out or a third' 0 \
    'one case left out: 8 choices' 'a third held out, 5 times: 10 choices' \
    '^portolan optimize +0 +0 '

store=$work/fixed.db
for ranks in 1 2; do
    run convection2-12.mtx Cholmod --fixed
    gives "$ranks rank(s): a solver that throws, with none to come in its place, ends the run" 1 \
        'step 0: (rank 0: )?CHOLMOD: the matrix is not symmetric'
    run singular-13.mtx Bicgstab --fixed
    gives "$ranks rank(s): what works where LU throws" 0 'steps done, accuracy [0-9.]+e-1[0-9]'
done
run central2-28.mtx Bicgstab --fixed
gives 'a wrong result is said' 0 'warning: .*the results are wrong'
run nowhere.mtx Klu --fixed
gives 'a matrix that is not there' 1 'nowhere.mtx: No such file or directory'
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n' >"$folder/bad.mtx"
run bad.mtx Klu --fixed
gives 'a bad matrix is told by line' 1 'bad.mtx:3: error: wanted row, column and value'

store=$folder/store.db ranks=1
run convection2-12.mtx Cholmod
gives 'a run that begins with a solver that throws goes on with one that works' 0 \
    'steps done, accuracy [0-9.]+e-1[0-9]'
