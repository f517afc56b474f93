#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that share cores yield while they wait, and say so once.
. "$(dirname "$0")/tap.sh"
[ "$MPI" = mpich ] || skip_all 'another MPI waits as it likes'
plan 10

components=$BUILD/tests/components
ring=$(dirname "$0")/components/ring.xml
set -- "$PORTOLAN" run --path "$components" "$ring"
unset PORTOLAN_MPI_YIELD
core=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')

try taskset -c "$core" "$MPIEXEC" -n 2 "$@"
gives 'two ranks on one core yield' 0 \
    '^mpi: 2 ranks share 1 core: blocking calls yield the processor \(PORTOLAN_MPI_YIELD=never'
count 'it is said once' 1 '^mpi: '
try taskset -c "$core" "$MPIEXEC" -n 2 "$@" --quiet
lacks 'quietly it is not said' '^mpi: '
try taskset -c "$core" "$MPIEXEC" -n 2 env PORTOLAN_MPI_YIELD=never "$@"
lacks 'never' '^mpi: '
try "$MPIEXEC" -n 1 "$@"
lacks 'one rank has its core' '^mpi: '
try env PORTOLAN_MPI_YIELD=always "$MPIEXEC" -n 1 "$@"
gives 'always' 0 '^mpi: blocking calls yield the processor \(PORTOLAN_MPI_YIELD=always\)'
try env PORTOLAN_MPI_YIELD=sometimes "$MPIEXEC" -n 2 "$@"
gives 'a wrong word' 1 "error: PORTOLAN_MPI_YIELD is 'sometimes'; it must be auto, always or never"
try "$MPIEXEC" -n 1 env PORTOLAN_MPI_YIELD=always "$@" : -n 1 env PORTOLAN_MPI_YIELD=never "$@"
gives 'ranks that differ' 1 "is 'always' here and something else on another rank" \
    "is 'never' here" 'it must be the same on all'
try "$MPIEXEC" -n 1 env PORTOLAN_MPI_YIELD=often "$@" : -n 1 "$@"
gives 'a word that is wrong on one rank' 1 "is 'often'; it must be" 'is wrong on another rank'

try taskset -c "$core" "$MPIEXEC" -n 2 "$PORTOLAN" run --store="$work/waits.db" \
    --path="$components:$BUILD/examples/paper" "$components/fault.xml"
try "$PORTOLAN" trials --json "$work/waits.db"
gives 'the experiment says how its calls waited' 0 'mpi waits.*2 ranks share 1 core'
