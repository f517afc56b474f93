#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A component speaks MPI on a communicator that `portolan run` gives it, from an assembly and from a
# script.
. "$(dirname "$0")/tap.sh"
plan 4

components=$BUILD/tests/components
ring=$(dirname "$0")/components/ring.xml
cat >"$work/ring.rc" <<'RC'
#!ccaffeine bootstrap file.
repository get-global speak.Ring
instantiate speak.Ring ring
go ring go
exit
RC

try "$PORTOLAN" check --path "$components" "$ring"
gives 'the service needs no connection' 0 'good: 1 instance'
for ranks in 1 2; do
    try "$MPIEXEC" -n $ranks "$PORTOLAN" run --path "$components" "$ring"
    gives "an assembly of $ranks ranks" 0
done
try "$MPIEXEC" -n 2 "$PORTOLAN" run --path "$components" "$work/ring.rc"
gives 'a script of 2 ranks' 0
